"""How passes read CSR rows: scores, additions to weights, and the norms of corrections.

`loops/dense.py` has the same functions for dense rows; a pass is composed of one or the other.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import (
    compilable,
    inlined,
    merged,
    prefetch,
    prefetch_for_later,
    without_counting,
)
from rosenblatt.loops.hashing import hash_of
from rosenblatt.loops.prefetch import PREFETCHED, STRIDE

# Positions and features are read as unsigned integers: of a signed one the compiled code tests each time
# whether it counts from the end. Where a game has one output, weights are a plain array, indexed by feature.

ONE, TWO, THREE, FOUR = (np.uint64(n) for n in range(1, 5))


@inlined
def span(indptr, row):
    """The positions of a row's features and values."""
    return range(np.uint64(indptr[row]), np.uint64(indptr[row + 1]))


@inlined
def out_of_range(indptr, features, row, known):
    """Whether a row has a feature of at least `known`; one below 0 counts as far beyond it."""
    last = np.uint32(0)
    for p in span(indptr, row):
        last = max(last, np.uint32(features[p]))
    return last >= known and indptr[row] < indptr[row + 1]


@inlined
def score_one(indptr, features, values, row, weights, constant, scores, r):
    """Score one row: ⟨w, φ(x)⟩, into scores[r], with four accumulators."""
    begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
    fours = begin + ((end - begin) & ~THREE)
    first = second = third = 0.0
    fourth = constant * weights[weights.shape[0] - 1]
    for p in range(begin, fours, FOUR):
        first += np.float64(values[p]) * weights[np.uint32(features[p])]
        second += np.float64(values[p + ONE]) * weights[np.uint32(features[p + ONE])]
        third += np.float64(values[p + TWO]) * weights[np.uint32(features[p + TWO])]
        fourth += np.float64(values[p + THREE]) * weights[np.uint32(features[p + THREE])]
    for p in range(fours, end):
        first += np.float64(values[p]) * weights[np.uint32(features[p])]
    scores[r, 0] = (first + second) + (third + fourth)


@inlined
def score_many(indptr, features, values, row, weights, constant, scores, r):
    """Score one row for every output, into scores[r]; features that have no weight are ignored.

    Four rows of weights at a time: the scores are read and written once for all of them.
    """
    outputs, last = weights.shape[1], np.uint32(weights.shape[0] - 1)
    for o in range(outputs):
        scores[r, o] = constant * weights[last, o]
    begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
    fours = begin + ((end - begin) & ~THREE)
    for p in range(begin, fours, FOUR):
        a, first = weighed(features, values, p, last)
        b, second = weighed(features, values, p + ONE, last)
        c, third = weighed(features, values, p + TWO, last)
        d, fourth = weighed(features, values, p + THREE, last)
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
    """Return the index of the weights of the feature at a position, and its value; 0 if it has no weight."""
    feature = np.uint32(features[p])
    return min(feature, last), np.float64(values[p]) * (feature < last)


@inlined
def prefetch_weights_one(indptr, features, row, weights):
    """Do nothing: one weight per feature is read fast enough."""


@inlined
def prefetch_weights_many(indptr, features, row, weights):
    """Prefetch the weights that a row needs, while the one before it is scored."""
    last = np.uint32(weights.shape[0] - 1)
    for p in span(indptr, row):
        prefetch(weights, min(np.uint32(features[p]), last))


@inlined
def prefetch_bounds(indptr, row):
    """Prefetch the bounds of a row."""
    prefetch_for_later(indptr, row)


@inlined
def prefetch_rows(indptr, features, values, first, last):
    """Prefetch the features and values of rows from the first to the last, if they follow each other."""
    begin = indptr[first]
    for p in range(begin, min(indptr[last + 1], begin + PREFETCHED), STRIDE):
        prefetch_for_later(features, p)
        prefetch_for_later(values, p)


@inlined
def add_one(indptr, features, values, row, constant, output, change, weights):
    """Add change · φ(x) to the weights."""
    for p in span(indptr, row):
        weights[np.uint32(features[p])] += change * values[p]
    weights[weights.shape[0] - 1] += change * constant


@inlined
def add_many(indptr, features, values, row, constant, output, change, weights):
    """Add change · φ(x) to the weights of one of several outputs."""
    for p in span(indptr, row):
        weights[np.uint32(features[p]), output] += change * values[p]
    weights[weights.shape[0] - 1, output] += change * constant


@merged
def score_one_again(indptr, features, values, row, weights, constant, scores, r):
    """`score_one` for a loop that has it already: what is inlined can be in a loop only once."""
    score_one(indptr, features, values, row, weights, constant, scores, r)


@merged
def score_many_again(indptr, features, values, row, weights, constant, scores, r):
    """`score_many` for a loop that has it already."""
    score_many(indptr, features, values, row, weights, constant, scores, r)


@merged
def add_one_again(indptr, features, values, row, constant, output, change, weights):
    """`add_one` for a loop that has it already."""
    add_one(indptr, features, values, row, constant, output, change, weights)


@merged
def add_many_again(indptr, features, values, row, constant, output, change, weights):
    """`add_many` for a loop that has it already."""
    add_many(indptr, features, values, row, constant, output, change, weights)


@merged
def clear_one(sums, sum_structure, head, heads):
    """Set sums of the shape of the weights to 0, and those of the structure weights."""
    for i in range(sums.shape[0]):
        sums[i] = 0.0
    for j in range(sum_structure.shape[0]):
        sum_structure[j] = 0.0


@merged
def clear_many(sums, sum_structure, head, heads):
    """Set the sums of one head to 0; of a single head, also those of its structure weights."""
    for i in range(sums.shape[0]):
        for o in range(sums.shape[1]):
            if heads == 1 or o == head:
                sums[i, o] = 0.0
    if heads == 1:
        for j in range(sum_structure.shape[0]):
            sum_structure[j] = 0.0


@inlined
def row_square(indptr, values, row):
    """⟨x, x⟩, with four accumulators."""
    begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
    fours = begin + ((end - begin) & ~THREE)
    first = second = third = fourth = 0.0
    for p in range(begin, fours, FOUR):
        first += np.float64(values[p]) ** 2
        second += np.float64(values[p + ONE]) ** 2
        third += np.float64(values[p + TWO]) ** 2
        fourth += np.float64(values[p + THREE]) ** 2
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


FEW = 8
"""Entries up to which it costs less to compare all with all than to add them up in a hash table."""

FREE = -1


@merged
def put(keys, sums, key, value):
    """Add to the value of a key in a hash table of 2ⁿ slots, of which at least half are free."""
    last = np.uint64(keys.shape[0] - 1)
    slot = hash_of(key) & last
    while keys[slot] != key and keys[slot] != FREE:
        slot = (slot + ONE) & last
    keys[slot] = key
    sums[slot] += value


@compilable
def norm_of_many(indptr, features, values, rows, constant, where, amount, count):
    """‖Φ(truth) − Φ(answer)‖² for a round of many rows: the elements of Δ are added up in a hash table."""
    size = 0
    for a in range(count):
        size += 1 if where[a, 0] < 0 else 1 + indptr[rows[where[a, 0]] + 1] - indptr[rows[where[a, 0]]]
    slots = 1
    while slots < 2 * size:
        slots *= 2
    keys, sums = np.full(slots, FREE, np.int64), np.zeros(slots)
    for a in range(count):
        output = np.int64(where[a, 1]) << 33
        if where[a, 0] < 0:
            put(keys, sums, output | (1 << 32), amount[a])
            continue
        row = rows[where[a, 0]]
        put(keys, sums, output | 0xFFFFFFFF, amount[a] * constant)
        for p in range(indptr[row], indptr[row + 1]):
            put(keys, sums, output | np.int64(features[p]), amount[a] * values[p])
    total = 0.0
    for slot in range(slots):
        total += sums[slot] * sums[slot]
    return total


@inlined
def norm_of_rows(indptr, features, values, rows, constant, where, amount, count):
    """‖Φ(truth) − Φ(answer)‖², as in `norm_squared`, from the rows themselves, not from their products."""
    if count > FEW:
        return norm_of_many(indptr, features, values, rows, constant, where, amount, count)
    total = 0.0
    for a in range(count):
        for b in range(count):
            row, other = where[a, 0], where[b, 0]
            if where[a, 1] == where[b, 1] and (row < 0) == (other < 0):
                product = 1.0
                if row >= 0 and row == other:
                    product = constant * constant + row_square(indptr, values, rows[row])
                elif row >= 0:
                    product = constant * constant
                    product += row_product(indptr, features, values, rows[row], rows[other])
                total += amount[a] * amount[b] * product
    return total


@without_counting
def score_rows(indptr, features, values, weights, constant, scores):
    """Score every row; features that have no weight, −1 among them, are ignored."""
    for row in range(scores.shape[0]):
        prefetch_weights_many(indptr, features, min(row + 1, scores.shape[0] - 1), weights)
        score_many(indptr, features, values, row, weights, constant, scores, row)
