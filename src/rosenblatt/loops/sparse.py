"""How passes read CSR rows: scores, additions to weights, and the norms of corrections.

`loops/dense.py` has the same functions for dense rows; a pass is composed of one or the other.

Positions and features are read as unsigned integers: of a signed one the compiled code tests each time
whether it counts from the end. Where a game has one output, weights are a plain array, indexed by feature.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.arguments import Csr
from rosenblatt.loops.compiling import compilable, compiled, merged
from rosenblatt.loops.hashing import hash_of
from rosenblatt.loops.instructions import PREFETCHED, STRIDE, prefetch, prefetch_for_later

ONE, TWO, THREE, FOUR = (np.uint64(n) for n in range(1, 5))

STARTS, INDEX, ROW, VALUES = 8, 6, 4, 2
"""How many turns ahead each array is prefetched: in a random order rows are scattered over memory, and each
of these is an index into the next."""


@merged
def later(turn, order, ahead):
    """Return the element of an order that is `ahead` turns later, or the last."""
    return order[min(turn + ahead, order.shape[0] - 1)]


@merged
def has_weights(rows, begin, end, known):
    """Whether all features between two positions are below `known`; one below 0 counts as far beyond it."""
    last = np.uint32(0)
    for p in range(begin, end):
        feature = np.uint32(rows.features[p])
        last = feature if feature > last else last
    return last < known or begin == end


@merged
def score_one(rows, row, weights, constant, scores, r):
    """Score a row, ⟨w, φ(x)⟩, into scores[r], with four accumulators; return whether the score is finite."""
    features, values = rows.features, rows.values
    begin, end = np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])
    if not has_weights(rows, begin, end, weights.shape[0] - 1):
        return False
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
    return np.isfinite(scores[r, 0])


@merged
def weighed(rows, p, last):
    """Return the index of the weights of the feature at a position, and its value; 0 if it has no weight."""
    feature = np.uint32(rows.features[p])
    return (feature if feature < last else last), np.float64(rows.values[p]) * (feature < last)


@merged
def add_scores(rows, row, weights, constant, scores, r):
    """Score a row for every output, into scores[r]; features that have no weight are ignored.

    Four rows of weights at a time: the scores are read and written once for all of them.
    """
    outputs, last = weights.shape[1], np.uint32(weights.shape[0] - 1)
    for o in range(outputs):
        scores[r, o] = constant * weights[last, o]
    begin, end = np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])
    fours = begin + ((end - begin) & ~THREE)
    for p in range(begin, fours, FOUR):
        a, first = weighed(rows, p, last)
        b, second = weighed(rows, p + ONE, last)
        c, third = weighed(rows, p + TWO, last)
        d, fourth = weighed(rows, p + THREE, last)
        for o in range(outputs):
            total = scores[r, o] + first * weights[a, o]
            total = (total + second * weights[b, o]) + third * weights[c, o]
            scores[r, o] = total + fourth * weights[d, o]
    for p in range(fours, end):
        a, first = weighed(rows, p, last)
        for o in range(outputs):
            scores[r, o] += first * weights[a, o]


@merged
def score_many(rows, row, weights, constant, scores, r):
    """Score a row for every output, into scores[r]; return whether it has finite scores."""
    begin, end = np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])
    if not has_weights(rows, begin, end, weights.shape[0] - 1):
        return False
    add_scores(rows, row, weights, constant, scores, r)
    return np.isfinite(scores[r, 0])


@merged
def prefetch_nothing(rows, row, weights):
    """Do nothing: one weight per feature is read fast enough."""


@merged
def prefetch_weights(rows, row, weights):
    """Prefetch the weights that a row needs, while the one before it is scored."""
    last = np.uint32(weights.shape[0] - 1)
    for p in range(np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])):
        feature = np.uint32(rows.features[p])
        prefetch(weights, feature if feature < last else last)


@merged
def prefetch_bounds(rows, row):
    """Prefetch the bounds of a row."""
    prefetch_for_later(rows.starts, row)


@merged
def prefetch_rows(rows, first, last):
    """Prefetch the features and values of rows from the first to the last, if they follow each other."""
    begin, end = rows.starts[first], rows.starts[last + 1]
    for p in range(begin, end if end < begin + PREFETCHED else begin + PREFETCHED, STRIDE):
        prefetch_for_later(rows.features, p)
        prefetch_for_later(rows.values, p)


@merged
def add_one(rows, row, constant, output, change, weights):
    """Add change · φ(x) to the weights."""
    for p in range(np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])):
        weights[np.uint32(rows.features[p])] += change * rows.values[p]
    weights[weights.shape[0] - 1] += change * constant


@merged
def add_many(rows, row, constant, output, change, weights):
    """Add change · φ(x) to the weights of one of several outputs."""
    for p in range(np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])):
        weights[np.uint32(rows.features[p]), output] += change * rows.values[p]
    weights[weights.shape[0] - 1, output] += change * constant


@merged
def clear_one(sums, head, heads):
    """Set sums of the shape of the weights to 0."""
    for i in range(sums.shape[0]):
        sums[i] = 0.0


@merged
def clear_many(sums, head, heads):
    """Set the sums of one head to 0, or all if there is one head."""
    for i in range(sums.shape[0]):
        for o in range(sums.shape[1]):
            if heads == 1 or o == head:
                sums[i, o] = 0.0


@merged
def square_of_row(rows, row):
    """⟨x, x⟩, with four accumulators."""
    values = rows.values
    begin, end = np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])
    fours = begin + ((end - begin) & ~THREE)
    first = second = third = fourth = 0.0
    for p in range(begin, fours, FOUR):
        first += np.float64(values[p]) * np.float64(values[p])
        second += np.float64(values[p + ONE]) * np.float64(values[p + ONE])
        third += np.float64(values[p + TWO]) * np.float64(values[p + TWO])
        fourth += np.float64(values[p + THREE]) * np.float64(values[p + THREE])
    for p in range(fours, end):
        first += np.float64(values[p]) * np.float64(values[p])
    return (first + second) + (third + fourth)


@merged
def product_of_rows(rows, row, other):
    """⟨x, z⟩ of two rows with sorted features."""
    features, values = rows.features, rows.values
    total, p, q = 0.0, rows.starts[row], rows.starts[other]
    while p < rows.starts[row + 1] and q < rows.starts[other + 1]:
        if features[p] == features[q]:
            total += np.float64(values[p]) * np.float64(values[q])
            p, q = p + 1, q + 1
        elif features[p] < features[q]:
            p += 1
        else:
            q += 1
    return total


@merged
def norm_of_few(rows, shown, constant, where, amount, count, delta):
    """‖Φ(truth) − Φ(answer)‖² of few entries, as in `norm_squared`, from the rows shown in a round."""
    total = 0.0
    for a in range(count):
        for b in range(count):
            row, other = where[a, 0], where[b, 0]
            if where[a, 1] == where[b, 1] and (row < 0) == (other < 0):
                product = 1.0
                if row >= 0 and row == other:
                    product = constant * constant + square_of_row(rows, shown[row])
                elif row >= 0:
                    product = constant * constant + product_of_rows(rows, shown[row], shown[other])
                total += amount[a] * amount[b] * product
    return total


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
def norm_in_table(rows, shown, constant, where, amount, count):
    """‖Φ(truth) − Φ(answer)‖² of many entries: the elements of Δ are added up in a hash table."""
    size = 0
    for a in range(count):
        row = where[a, 0]
        size += 1 if row < 0 else 1 + rows.starts[shown[row] + 1] - rows.starts[shown[row]]
    slots = 1
    while slots < 2 * size:
        slots *= 2
    keys, sums = np.empty(slots, np.int64), np.empty(slots)
    for slot in range(slots):
        keys[slot], sums[slot] = FREE, 0.0
    for a in range(count):
        output = np.int64(where[a, 1]) << 33
        if where[a, 0] < 0:
            put(keys, sums, output | (1 << 32), amount[a])
            continue
        row = shown[where[a, 0]]
        put(keys, sums, output | 0xFFFFFFFF, amount[a] * constant)
        for p in range(rows.starts[row], rows.starts[row + 1]):
            put(keys, sums, output | np.int64(rows.features[p]), amount[a] * rows.values[p])
    total = 0.0
    for slot in range(slots):
        total += sums[slot] * sums[slot]
    return total


FEW = 8
"""Entries up to which it costs less to compare all with all than to add them up in a hash table."""


@merged
def norm_of_many(rows, shown, constant, where, amount, count, delta):
    """‖Φ(truth) − Φ(answer)‖² of any number of entries."""
    if count > FEW:
        return norm_in_table(rows, shown, constant, where, amount, count)
    return norm_of_few(rows, shown, constant, where, amount, count, delta)


@merged
def score_alone(rows, row, weights, constant):
    """Return the only score of a row, with four accumulators; features that have no weight are ignored."""
    last = np.uint32(weights.shape[0] - 1)
    begin, end = np.uint64(rows.starts[row]), np.uint64(rows.starts[row + 1])
    fours = begin + ((end - begin) & ~THREE)
    first = second = third = fourth = 0.0
    for p in range(begin, fours, FOUR):
        a, value = weighed(rows, p, last)
        first += value * weights[a, 0]
        b, value = weighed(rows, p + ONE, last)
        second += value * weights[b, 0]
        c, value = weighed(rows, p + TWO, last)
        third += value * weights[c, 0]
        d, value = weighed(rows, p + THREE, last)
        fourth += value * weights[d, 0]
    for p in range(fours, end):
        a, value = weighed(rows, p, last)
        first += value * weights[a, 0]
    return (first + second) + (third + fourth) + constant * weights[last, 0]


@compiled
def score_rows(rows, weights, constant, scores):
    """Score every row; features that have no weight, −1 among them, are ignored."""
    rows = Csr(*rows)
    if weights.shape[1] == 1:
        for row in range(scores.shape[0]):
            scores[row, 0] = score_alone(rows, row, weights, constant)
        return
    for row in range(scores.shape[0]):
        prefetch_weights(rows, min(row + 1, scores.shape[0] - 1), weights)
        add_scores(rows, row, weights, constant, scores, row)


@compiled
def gather(rows, which, copied):
    """Copy the features and values of these rows to the positions that `copied.starts` gives."""
    rows, copied = Csr(*rows), Csr(*copied)
    for i in range(which.shape[0]):
        prefetch_bounds(rows, later(i, which, ROW))
        soon = later(i, which, VALUES)
        prefetch_rows(rows, soon, soon)
        begin, to = np.uint64(rows.starts[which[i]]), np.uint64(copied.starts[i])
        size = np.uint64(copied.starts[i + 1] - copied.starts[i])
        for p in range(size):
            copied.features[to + p] = rows.features[begin + p]
        for p in range(size):
            copied.values[to + p] = rows.values[begin + p]
