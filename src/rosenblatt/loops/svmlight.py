"""Lines of svmlight files: a label, a query if there is one, features as index:value, a comment.

Eight bytes are read at once, so eight bytes must follow the last line.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import compiled, merged
from rosenblatt.loops.decimals import NEWLINE, SHIFTS, SPACE, decimal_at, number_of, others
from rosenblatt.loops.instructions import byte_at, trailing_zeros, word_at

ROW, NUMBER, LINE, QUERIES, UNORDERED, LARGEST = range(6)
"""Indices of the tally: rows, values and lines so far; whether rows have queries (−1: there is no row yet);
lines whose features do not increase; the largest feature."""

COLON, HASH, TAB, RETURN = map(ord, ":#\t\r")

QUERY = np.uint64(int.from_bytes(b"qid:", "little"))


@compiled
def count(text, begin, end):
    """Count lines and colons."""
    lines, colons = 0, 0
    for at in range(begin, end):
        code = byte_at(text, at)
        lines += code == NEWLINE
        colons += code == COLON
    return lines, colons


@merged
def past_blanks(text, at):
    """The next position that holds neither a space nor a tab, nor a return before the line's end."""
    code = byte_at(text, at)
    while code == SPACE or code == TAB:
        at += 1
        code = byte_at(text, at)
    if code == RETURN and byte_at(text, at + 1) == NEWLINE:
        at += 1
    return at


@merged
def integer_at(text, at):
    """Return an integer, from its first 16 digits, and the position after it; −1 if there is none."""
    word = word_at(text, at)
    size = trailing_zeros(others(word)) >> 3
    number = np.int64(0)
    if size > 0:
        number = np.int64(number_of(word, size))
    end = at + size if size > 0 else -1
    if size == 8:
        word = word_at(text, at + 8)
        more = trailing_zeros(others(word)) >> 3
        end += more
        if more > 0:
            number = number * np.int64(SHIFTS[more]) + np.int64(number_of(word, more))
    return number, end


@merged
def ends_line(code):
    """Whether a character ends the data of a line."""
    return code == NEWLINE or code == HASH


@merged
def line_end(text, at):
    """The position where a line ends."""
    while byte_at(text, at) != NEWLINE:
        at += 1
    return at


@merged
def ends_cell(code):
    """Whether a character ends a label, a query or a feature."""
    return code == SPACE or code == NEWLINE or code == HASH or code == TAB or code == RETURN


@merged
def head_at(text, at, row, labels, queries):
    """Write the label and the query of a line; return the position after, or −1, and if it has a query."""
    labels[row], at = decimal_at(text, at)
    has_query, queries[row] = 0, 0
    if at >= 0 and ends_cell(byte_at(text, at)):
        at = past_blanks(text, at)
        if word_at(text, at) & np.uint64(0xFFFFFFFF) == QUERY:
            has_query = 1
            queries[row], at = integer_at(text, at + 4)
            if at >= 0 and not ends_cell(byte_at(text, at)):
                at = -1
    else:
        at = -1
    return at, has_query


@merged
def cells_at(text, at, number, most, features, values):
    """Write the features of a line; return the position after them, or −1, and how many there are in all.

    Also the largest of them, and whether they do not increase.
    """
    last, largest, unordered = 0, 0, 0
    at = past_blanks(text, at)
    while not ends_line(byte_at(text, at)):
        feature, colon = integer_at(text, at)
        if colon < 0 or feature == 0 or feature > most or byte_at(text, colon) != COLON:
            at = -1
            break
        values[number], at = decimal_at(text, colon + 1)
        if at < 0:
            break
        features[number] = feature - 1
        number += 1
        unordered |= feature <= last
        largest = max(largest, feature)
        last = feature
        at = past_blanks(text, at)  # without a blank, what follows is not a digit, and so not a feature
    return at, number, largest, unordered


@compiled
def parse(text, at, end, most, tally, labels, queries, ends, remarks, features, values):
    """Read whole lines, up to `end` or to the first that is not plain: return its position.

    Such a line is faulty, or correct in an unusual way. No feature may be larger than `most`. The values of
    row i lie from `ends[i]` to `ends[i + 1]`, and its comment from `remarks[i, 0]` to `remarks[i, 1]`.
    """
    row, number = tally[ROW], tally[NUMBER]
    while at < end:
        begin = at
        at = past_blanks(text, at)
        if not ends_line(byte_at(text, at)):
            at, has_query = head_at(text, at, row, labels, queries)
            if at < 0 or tally[QUERIES] == 1 - has_query:
                at = begin
                break
            at, after, largest, unordered = cells_at(text, at, number, most, features, values)
            if at < 0:
                at = begin
                break
            tally[QUERIES] = has_query
            tally[LARGEST] = max(tally[LARGEST], largest)
            tally[UNORDERED] += unordered
            number = after
            row += 1
            ends[row] = number
            remarks[row - 1, 0] = at
            at = line_end(text, at)
            remarks[row - 1, 1] = at
        else:
            at = line_end(text, at)
        at += 1
        tally[LINE] += 1
    tally[ROW], tally[NUMBER] = row, number
    return at
