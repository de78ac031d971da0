"""How passes read dense rows; `loops/sparse.py` has the same functions for CSR rows.

Weights are (outputs × features + 1), so that a score is the product of two contiguous vectors, and a
correction adds one to the other.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import merged, summing
from rosenblatt.loops.instructions import PREFETCHED, STRIDE, prefetch_for_later

DOUBLE = 8
"""Bytes of a value in double precision."""


@merged
def prefetch_no_bounds(rows, row):
    """Do nothing: the bounds of a row follow from its index."""


@merged
def prefetch_values(rows, first, last):
    """Prefetch the values of rows from the first to the last, if they follow each other."""
    width = rows.double.shape[1]
    begin, end = first * width, (last + 1) * width
    for p in range(begin, end if end < begin + PREFETCHED else begin + PREFETCHED, STRIDE):
        prefetch_for_later(rows.memory, p * rows.itemsize)


@summing
def sum_scores(values, row, weights, constant, scores, r):
    """Write ⟨w, φ(x)⟩ for every output into scores[r], of a row of double or single precision."""
    width, last = np.uint64(values.shape[1]), weights.shape[1] - 1
    for o in range(np.uint64(weights.shape[0])):
        total = constant * weights[o, last]
        for i in range(width):
            total += np.float64(values[np.uint64(row), i]) * weights[o, i]
        scores[r, o] = total


@merged
def score_dense(rows, row, weights, constant, scores, r):
    """Score a row for every output, into scores[r]; return whether it has finite scores."""
    if rows.itemsize == DOUBLE:
        sum_scores(rows.double, row, weights, constant, scores, r)
    else:
        sum_scores(rows.single, row, weights, constant, scores, r)
    return np.isfinite(scores[r, 0])


@merged
def add_values(values, row, output, change, weights):
    """Add change · x to the weights of an output, of a row of double or single precision."""
    o = np.uint64(output)
    for i in range(np.uint64(values.shape[1])):
        weights[o, i] += change * np.float64(values[np.uint64(row), i])


@merged
def add_dense(rows, row, constant, output, change, weights):
    """Add change · φ(x) to the weights of an output."""
    if rows.itemsize == DOUBLE:
        add_values(rows.double, row, output, change, weights)
    else:
        add_values(rows.single, row, output, change, weights)
    weights[np.uint64(output), weights.shape[1] - 1] += change * constant


@merged
def clear_dense(sums, head, heads):
    """Set the sums of one head to 0, or all if there is one head."""
    for o in range(sums.shape[0]):
        if heads == 1 or o == head:
            for i in range(sums.shape[1]):
                sums[o, i] = 0.0


@summing
def square_of_values(values, row):
    """⟨x, x⟩ of a row of double or single precision."""
    total = 0.0
    for i in range(np.uint64(values.shape[1])):
        value = np.float64(values[np.uint64(row), i])
        total += value * value
    return total


@merged
def square_of_vector(rows, row):
    """⟨x, x⟩ of a row."""
    return (
        square_of_values(rows.double, row) if rows.itemsize == DOUBLE else square_of_values(rows.single, row)
    )


@merged
def alike(where, a, b):
    """Whether two entries move the same vector of weights, or the same structure weight."""
    return where[a, 1] == where[b, 1] and (where[a, 0] < 0) == (where[b, 0] < 0)


@merged
def add_alike(rows, shown, constant, where, amount, count, a, delta):
    """Write Δ of the output of entry a into `delta`; return whether no entry before it moves these weights.

    Of a structure weight, Δ is one number, the first.
    """
    for i in range(delta.shape[1]):
        delta[0, i] = 0.0
    for b in range(count):
        if alike(where, a, b):
            if b < a:
                return False
            if where[b, 0] < 0:
                delta[0, 0] += amount[b]
            else:
                add_dense(rows, shown[where[b, 0]], constant, 0, amount[b], delta)
    return True


@summing
def square_of_delta(delta):
    """The squared length of Δ of an output."""
    total = 0.0
    for i in range(np.uint64(delta.shape[1])):
        total += delta[0, i] * delta[0, i]
    return total


@merged
def norm_of_dense(rows, shown, constant, where, amount, count, delta):
    """‖Φ(truth) − Φ(answer)‖² of any number of entries, from Δ in `delta` (1 × features + 1), by output."""
    total = 0.0
    for a in range(count):
        if add_alike(rows, shown, constant, where, amount, count, a, delta):
            total += square_of_delta(delta)
    return total
