"""Rows of lines of text: words, or terms with values, found in a hash table without a Python object for each.

A key of up to eight characters is these characters, and so exact; a longer one is a hash with the highest bit
set, and the characters are compared. Text is ASCII, without the character 0, and eight bytes must follow it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from rosenblatt.loops.compiling import compiled, composed, merged
from rosenblatt.loops.decimals import EXACT, EXPONENT, MINUS, PLUS, POINT, digits, exponent_at
from rosenblatt.loops.hashing import hash_of
from rosenblatt.loops.instructions import byte_at, word_at

SLOW, FULL = -1, -2
"""Returned for a line that only the definition reads, and where the table has no room."""

WIDTH, USED = 0, 1
"""Indices of the tally: the features that have ids, and the bytes of the arena that are used."""

UNKNOWN = -1

SEPARATOR, COLON, OTHER = 0, 1, 255
"""What the table of codes says of a character besides the letter it is read as."""

EXACTLY = 15
"""Numbers of this many digits are floats."""

MOST_UNKNOWN = 64
"""Unknown names of a line that are compared with each other; a line with more is left to the definition."""

LONG = np.uint64(1 << 63)
EIGHT = np.uint64(8)


@merged
def name_at(text, codes, at):
    """Return the key of the name at a position, its hash, and the position after it."""
    word, key, shift, begin = np.uint64(0), np.uint64(0), np.uint64(0), at
    code = codes[byte_at(text, at)]
    while code > COLON and code < OTHER:
        if shift == np.uint64(64):
            key = hash_of(key ^ word)
            word, shift = np.uint64(0), np.uint64(0)
        word |= np.uint64(code) << shift
        shift += EIGHT
        at += 1
        code = codes[byte_at(text, at)]
    if at - begin <= 8:
        return word, hash_of(word), at
    key = hash_of(key ^ word) | LONG
    return key, hash_of(key), at


@merged
def is_name(text, codes, begin, size, arena, span):
    """Whether the name at a position is that of a span of the arena."""
    same = arena.shape[0] > 0 and span[1] == size
    p = 0
    while same and p < size:
        same = codes[byte_at(text, begin + p)] == arena[span[0] + p]
        p += 1
    return same


@merged
def found(text, codes, begin, end, key, spread, slots, spans, arena):
    """Return the slot of a name, or the empty one where it would be."""
    mask = slots.shape[0] - 1
    slot = np.int64(spread & np.uint64(mask))
    while slots[slot, 0] != 0:
        if slots[slot, 0] == np.int64(key) and (
            end - begin <= 8 or is_name(text, codes, begin, end - begin, arena, spans[slots[slot, 1]])
        ):
            break
        slot = (slot + 1) & mask
    return slot


@merged
def has_room(size, slots, spans, arena, tally):
    """Whether one more name of this size can be added."""
    used, width = tally[USED], tally[WIDTH]
    return 2 * (width + 1) <= slots.shape[0] and width < spans.shape[0] and used + size <= arena.shape[0]


@merged
def write_name(text, codes, begin, end, key, slot, feature, slots, spans, arena, tally):
    """Write a name with its id into an empty slot."""
    slots[slot, 0], slots[slot, 1] = np.int64(key), feature
    spans[feature, 0], spans[feature, 1] = tally[USED], end - begin
    for p in range(begin, end):
        arena[tally[USED] + p - begin] = codes[byte_at(text, p)]
    tally[USED] += end - begin


@merged
def value_at(text, at):
    """Return a number of up to 15 digits, and the position after it; −1 if it is none, or of another kind.

    Its digits and the power of ten are floats, so one operation rounds it to the nearest.
    """
    sign, begin, decimals = byte_at(text, at), at, 0
    if sign == MINUS or sign == PLUS:
        begin += 1
    whole, at = digits(text, begin, word_at(text, begin), np.uint64(0))
    count = at - begin
    if byte_at(text, at) == POINT:
        point = at + 1
        whole, at = digits(text, point, word_at(text, point), whole)
        decimals = at - point
        count += decimals
    exponent = -decimals
    if byte_at(text, at) | 32 == EXPONENT:
        raised, at = exponent_at(text, at + 1)
        exponent += raised
    if count == 0 or count > EXACTLY or exponent < -22 or exponent > 22:
        return 1.0, -1
    value = np.float64(np.int64(whole))
    value = value / EXACT[-exponent] if exponent < 0 else value * EXACT[exponent]
    return (-value if sign == MINUS else value), at


@merged
def no_value(text, at):
    """Return −1 as the position after a value: there are none."""
    return 1.0, -1


@merged
def normalized(values, count, logs):
    """Replace counts by their logs, in a row of length 1; return how many there are, or SLOW."""
    if logs.shape[0] == 0:
        return count
    total = 0.0
    for p in range(count):
        if values[p] >= logs.shape[0]:
            return SLOW
        value = logs[int(values[p])]
        values[p] = value
        total += value * value
    length = np.sqrt(total)
    for p in range(count):
        values[p] /= length
    return count


@cache
def encode_loop(value_at):
    """The loop that reads a line, in which `value_at` reads what follows a colon."""

    @composed(value_at, nogil=False)
    def encode(line, learning, codes, slots, spans, arena, tally, latest, unknown, logs, features, values):
        """Write the features of a line and their values; return how many there are, SLOW or FULL.

        A name that is repeated adds up. While learning, new names get ids; otherwise their feature is
        UNKNOWN. `latest` has, for every feature, where it was written last. `logs` is empty, or has the
        value of a name by how often it comes, in a row of length 1.
        """
        at, length, count, others = 0, line.shape[0] - 8, 0, 0
        while at < length:
            if codes[byte_at(line, at)] == SEPARATOR:
                at += 1
                continue
            begin, value = at, 1.0
            key, spread, end = name_at(line, codes, at)
            at, code = end, codes[byte_at(line, end)]
            if code == COLON:
                value, at = value_at(line, end + 1)
            if end == begin or at < 0 or codes[byte_at(line, at)] != SEPARATOR:
                return SLOW
            slot = found(line, codes, begin, end, key, spread, slots, spans, arena)
            feature, where = UNKNOWN, count
            if slots[slot, 0] != 0:
                feature = slots[slot, 1]
            elif learning:
                if not has_room(end - begin, slots, spans, arena, tally):
                    return FULL
                feature = tally[WIDTH]
                write_name(line, codes, begin, end, key, slot, feature, slots, spans, arena, tally)
                tally[WIDTH] += 1
            if feature != UNKNOWN:
                before = latest[feature]
                if before < count and features[before] == feature:
                    where = before
                latest[feature] = where
            elif others == MOST_UNKNOWN:
                return SLOW
            else:
                for j in range(others):
                    if unknown[j, 0] == np.int64(key):
                        where = unknown[j, 1]
                if where == count:
                    unknown[others, 0], unknown[others, 1] = np.int64(key), count
                    others += 1
            if where == count:
                features[count], values[count] = feature, 0.0
                count += 1
            values[where] += value
        return normalized(values, count, logs)

    return encode


@compiled
def add_names(line, ends, ids, codes, slots, spans, arena, tally):
    """Write names that have ids, each of which ends where `ends` says; there is room for all of them."""
    begin = 0
    for i in range(ends.shape[0]):
        end, readable = ends[i], ends[i] > begin
        for p in range(begin, end):
            code = codes[byte_at(line, p)]
            readable = readable and COLON < code < OTHER and code == byte_at(line, p)
        if readable:  # else no line has this name but by the definition
            key, spread, _ = name_at(line, codes, begin)
            slot = found(line, codes, begin, end, key, spread, slots, spans, arena)
            if slots[slot, 0] == 0:
                write_name(line, codes, begin, end, key, slot, ids[i], slots, spans, arena, tally)
        begin = end + 1


@compiled
def move_slots(before, after):
    """Write all slots of a table into a larger, empty one."""
    mask = after.shape[0] - 1
    for i in range(before.shape[0]):
        if before[i, 0] != 0:
            slot = np.int64(hash_of(np.uint64(before[i, 0])) & np.uint64(mask))
            while after[slot, 0] != 0:
                slot = (slot + 1) & mask
            after[slot, 0], after[slot, 1] = before[i, 0], before[i, 1]
