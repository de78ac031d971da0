"""CSR rows in the primal: scores, and one pass with lazy averaging.

Beside the weights w stands u = Σ when · correction; w − u / rounds is the average of all guesses.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.book import OFFSET, most_entries, write
from rosenblatt.loops.compiling import compilable, composed, inlined, prefetch, without_counting

# Positions and features are read as unsigned numbers: of a signed one the compiled code asks each time
# whether it counts from the end. Where a game has one output, weights are a plain array, in which a feature
# is its own place. Which of the two it is, is settled when a loop is composed: a branch around a part that
# is written into the loop would make it count references to all arrays for every row.


@inlined
def span(indptr, row):
    """The positions of a row's features and values."""
    return range(np.uint64(indptr[row]), np.uint64(indptr[row + 1]))


@inlined
def out_of_range(indptr, features, row, known):
    """Whether a row has a feature that is not one of the known; one below 0 counts as far beyond them."""
    last = np.uint32(0)
    for p in span(indptr, row):
        last = max(last, np.uint32(features[p]))
    return last >= known and indptr[row] < indptr[row + 1]


@inlined
def score_one(indptr, features, values, row, weights, constant, scores, r):
    """Score one row: ⟨w, φ(x)⟩, into scores[r], in four sums side by side: none has to wait."""
    begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
    fours = begin + ((end - begin) & ~np.uint64(3))
    first = second = third = 0.0
    fourth = constant * weights[weights.shape[0] - 1]
    for p in range(begin, fours, np.uint64(4)):
        first += np.float64(values[p]) * weights[np.uint32(features[p])]
        p += np.uint64(1)
        second += np.float64(values[p]) * weights[np.uint32(features[p])]
        p += np.uint64(1)
        third += np.float64(values[p]) * weights[np.uint32(features[p])]
        p += np.uint64(1)
        fourth += np.float64(values[p]) * weights[np.uint32(features[p])]
    for p in range(fours, end):
        first += np.float64(values[p]) * weights[np.uint32(features[p])]
    scores[r, 0] = (first + second) + (third + fourth)


@inlined
def score_many(indptr, features, values, row, weights, constant, scores, r):
    """The same for every output, into scores[r]; features that have no weight count for nothing.

    Four lines of weights at a time: the scores are read and written once for all of them.
    """
    outputs, last = weights.shape[1], np.uint32(weights.shape[0] - 1)
    for o in range(outputs):
        scores[r, o] = constant * weights[last, o]
    begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
    fours = begin + ((end - begin) & ~np.uint64(3))
    for p in range(begin, fours, np.uint64(4)):
        a, first = weighed(features, values, p, last)
        b, second = weighed(features, values, p + np.uint64(1), last)
        c, third = weighed(features, values, p + np.uint64(2), last)
        d, fourth = weighed(features, values, p + np.uint64(3), last)
        for o in range(outputs):
            total = scores[r, o] + first * weights[a, o]
            total = (total + second * weights[b, o]) + third * weights[c, o]
            scores[r, o] = total + fourth * weights[d, o]
    for p in range(fours, end):
        a, first = weighed(features, values, p, last)
        for o in range(outputs):
            scores[r, o] += first * weights[a, o]


@inlined
def weighed(features, values, p, last):
    """The line of weights and the value of the feature at a position; 0 if it has no weight."""
    line = np.uint32(features[p])
    return min(line, last), np.float64(values[p]) * (line < last)


@inlined
def announce_one(indptr, features, row, weights):
    """Nothing: one weight per feature is soon fetched."""


@inlined
def announce_many(indptr, features, row, weights):
    """Have the weights fetched that a row needs, while the one before it is scored."""
    last = np.uint32(weights.shape[0] - 1)
    for p in span(indptr, row):
        prefetch(weights, min(np.uint32(features[p]), last))


@inlined
def add_one(indptr, features, values, row, constant, output, change, weights):
    """Add change · φ(x) to the weights."""
    for p in span(indptr, row):
        weights[np.uint32(features[p])] += change * values[p]
    weights[weights.shape[0] - 1] += change * constant


@inlined
def add_many(indptr, features, values, row, constant, output, change, weights):
    """The same for one of several outputs."""
    for p in span(indptr, row):
        weights[np.uint32(features[p]), output] += change * values[p]
    weights[weights.shape[0] - 1, output] += change * constant


@inlined
def row_square(indptr, values, row):
    """⟨x, x⟩, in four sums side by side: none has to wait for the one before."""
    begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
    fours = begin + ((end - begin) & ~np.uint64(3))
    first = second = third = fourth = 0.0
    for p in range(begin, fours, np.uint64(4)):
        first += np.float64(values[p]) ** 2
        second += np.float64(values[p + np.uint64(1)]) ** 2
        third += np.float64(values[p + np.uint64(2)]) ** 2
        fourth += np.float64(values[p + np.uint64(3)]) ** 2
    for p in range(fours, end):
        first += np.float64(values[p]) ** 2
    return (first + second) + (third + fourth)


@inlined
def row_product(indptr, features, values, row, other):
    """⟨x, z⟩ of two rows with sorted features."""
    total, p, q = 0.0, indptr[row], indptr[other]
    while p < indptr[row + 1] and q < indptr[other + 1]:
        if features[p] == features[q]:
            total += np.float64(values[p]) * np.float64(values[q])
            p, q = p + 1, q + 1
        elif features[p] < features[q]:
            p += 1
        else:
            q += 1
    return total


MANY = 64
"""Entries from which on comparing all with all costs more than sorting what they are made of."""


@compilable
def norm_of_many(indptr, features, values, first, constant, where, amount, count):
    """The same for rounds of many rows: the numbers that Δ is made of, sorted by where they belong."""
    size = 0
    for a in range(count):
        size += 1 if where[a, 0] < 0 else 1 + indptr[first + where[a, 0] + 1] - indptr[first + where[a, 0]]
    places, parts, at = np.empty(size, np.int64), np.empty(size), 0
    for a in range(count):
        row, output = first + where[a, 0], np.int64(where[a, 1]) << 33
        places[at], parts[at] = output | (1 << 32), amount[a]
        if where[a, 0] >= 0:
            places[at], parts[at] = output | 0xFFFFFFFF, amount[a] * constant
            for p in range(indptr[row], indptr[row + 1]):
                at += 1
                places[at], parts[at] = output | np.int64(features[p]), amount[a] * values[p]
        at += 1
    order, total, i = np.argsort(places, kind="mergesort"), 0.0, 0
    while i < size:
        part, place = 0.0, places[order[i]]
        while i < size and places[order[i]] == place:
            part += parts[order[i]]
            i += 1
        total += part * part
    return total


@inlined
def norm_of_rows(indptr, features, values, first, constant, where, amount, count):
    """‖Φ(truth) − Φ(answer)‖², as `norm_squared` has it, from the rows themselves."""
    if count > MANY:
        return norm_of_many(indptr, features, values, first, constant, where, amount, count)
    total = 0.0
    for a in range(count):
        for b in range(count):
            row, other = where[a, 0], where[b, 0]
            if where[a, 1] == where[b, 1] and (row < 0) == (other < 0):
                product = 1.0
                if row >= 0 and row == other:
                    product = constant * constant + row_square(indptr, values, first + row)
                elif row >= 0:
                    product = constant * constant
                    product += row_product(indptr, features, values, first + row, first + other)
                total += amount[a] * amount[b] * product
    return total


@inlined
def delay(add, indptr, features, values, first_row, constant, corrections, entries, begin, end, delayed):
    """Take entries of the book into u: when · change · φ(x) for each."""
    for a in range(begin, end):
        if entries[a, 1] != OFFSET:
            row, output = int(entries[a, 1]) - first_row, int(entries[a, 2])
            change = corrections[int(entries[a, 0]), 0] * entries[a, 3]
            add(indptr, features, values, row, constant, output, change, delayed)


@cache
def delay_loop(one_output: bool) -> Any:
    """The loop that brings u up to date, for whoever does that apart from the rounds."""
    add = add_one if one_output else add_many

    @composed(add, delay)
    def delay_entries(
        indptr, features, values, first_row, constant, corrections, entries, begin, end, delayed
    ):
        delay(add, indptr, features, values, first_row, constant, corrections, entries, begin, end, delayed)

    return delay_entries


@cache
def sparse_loop(judge: Any, step: Any, one_output: bool) -> Any:
    """The pass for this game and this rule."""
    announce, score, add = (
        (announce_one, score_one, add_one) if one_output else (announce_many, score_many, add_many)
    )

    @composed(judge, step, announce, score, add)
    def play_sparse(
        begin, order, starts, indptr, features, values, truths, sample_weights, longest, tracks, outputs,
        weights, delayed, constant, offsets, reach, parameters, first_example, first_row,
        corrections, entries, tally,
    ):  # fmt: skip
        """Play the rounds of `order` from `begin`, to the end or until the book has no room for another.

        Without sample weights (an empty array) every round counts 1.
        Then bring `delayed`, which is u, up to date, unless it is empty. Returns the round to come back
        to; or −1 − row if a row has no finite score, or a feature that has no weight, with nothing changed
        by its round.
        """
        width = most_entries(longest, outputs, offsets.shape[0])
        where, amount = np.empty((width, 2), np.int64), np.empty(width)
        scores, truth = np.empty((longest, outputs)), np.empty(longest, truths.dtype)
        clock, k, e = tally[0], tally[1], tally[2]
        stopped = order.shape[0]
        for turn in range(begin, order.shape[0]):
            if k + tracks > corrections.shape[0] or e + tracks * width > entries.shape[0]:
                stopped = turn
                break
            i = order[turn]
            first, last = starts[i], starts[i + 1]
            for row in range(first, last):
                if out_of_range(indptr, features, row, weights.shape[0] - 1):
                    stopped = -1 - row
                    break
                announce(indptr, features, min(row + 1, last - 1), weights)
                score(indptr, features, values, row, weights, constant, scores, row - first)
                truth[row - first] = truths[row]
                if not np.isfinite(scores[row - first, 0]):
                    stopped = -1 - row
            if stopped < 0:
                break
            clock += 1
            for track in range(tracks):
                if last - first == longest:  # no views to be made, which cost as much as a short row
                    count, margin, wrong, cost = judge(scores, offsets, truth, track, reach, where, amount)
                else:
                    count, margin, wrong, cost = judge(
                        scores[: last - first], offsets, truth[: last - first], track, reach, where, amount
                    )
                if not margin > -np.inf:  # NaN; a round that cannot go wrong may have an infinite margin
                    stopped = -1 - first
                    break
                weight = sample_weights[i] if sample_weights.shape[0] > 0 else 1.0
                if not (wrong or margin < reach * cost) or weight == 0.0:
                    continue
                norm = norm_of_rows(indptr, features, values, first, constant, where, amount, count)
                size = step(margin, norm, cost, parameters) * weight
                example, missed = float(first_example + i), 1.0 if wrong else 0.0
                line = (float(clock), example, float(track), margin, norm, missed, cost, size)
                write(corrections, k, line, entries, e, where, amount, count, first_row + first, size)
                k, e = k + 1, e + count
                for a in range(count):
                    row, output, change = first + where[a, 0], where[a, 1], size * amount[a]
                    if where[a, 0] < 0:
                        offsets[output] += change
                    else:
                        add(indptr, features, values, row, constant, output, change, weights)
        if delayed.shape[0] > 0:
            delay(
                add, indptr, features, values, first_row, constant, corrections, entries, tally[2], e, delayed
            )
        tally[0], tally[1], tally[2] = clock, k, e
        return stopped

    return play_sparse


@without_counting
def score_rows(indptr, features, values, weights, constant, scores):
    """Score every row; features that have no weight, −1 among them, count for nothing."""
    for row in range(scores.shape[0]):
        announce_many(indptr, features, min(row + 1, scores.shape[0] - 1), weights)
        score_many(indptr, features, values, row, weights, constant, scores, row)
