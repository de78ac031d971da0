"""How passes read dense rows; `loops/sparse.py` has the same functions for CSR rows.

The values of all rows are contiguous. `indptr` holds only the length of a row, and there are no features.
Weights are (outputs × features + 1), so that a score is the product of two contiguous vectors, and a
correction adds one to the other.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import compilable, inlined, merged, prefetch_for_later, summing
from rosenblatt.loops.prefetch import PREFETCHED, STRIDE


@inlined
def never_out_of_range(indptr, features, row, known):
    """Return False: dense rows have every feature, and no other."""
    return False


@inlined
def prefetch_weights_dense(indptr, features, row, weights):
    """Do nothing: contiguous weights are prefetched by the processor."""


@inlined
def prefetch_bounds_dense(indptr, row):
    """Do nothing: the bounds of a row follow from its index."""


@inlined
def prefetch_dense(indptr, features, values, first, last):
    """Prefetch the values of rows from the first to the last, if they follow each other."""
    begin = first * indptr[0]
    for p in range(begin, min((last + 1) * indptr[0], begin + PREFETCHED), STRIDE):
        prefetch_for_later(values, p)


@summing
def score_dense(indptr, features, values, row, weights, constant, scores, r):
    """Score one row: ⟨w, φ(x)⟩ for every output, into scores[r]."""
    width, last = np.uint64(indptr[0]), weights.shape[1] - 1
    begin = np.uint64(row) * width
    for o in range(np.uint64(weights.shape[0])):
        total = constant * weights[o, last]
        for i in range(width):
            total += np.float64(values[begin + i]) * weights[o, i]
        scores[r, o] = total


@merged
def add_dense(indptr, features, values, row, constant, output, change, weights):
    """Add change · φ(x) to the weights of an output."""
    width, o = np.uint64(indptr[0]), np.uint64(output)
    begin = np.uint64(row) * width
    for i in range(width):
        weights[o, i] += change * np.float64(values[begin + i])
    weights[o, weights.shape[1] - 1] += change * constant


@merged
def clear_dense(sums, sum_structure, head, heads):
    """Set the sums of one head to 0; of a single head, also those of its structure weights."""
    for o in range(sums.shape[0]):
        if heads == 1 or o == head:
            for i in range(sums.shape[1]):
                sums[o, i] = 0.0
    if heads == 1:
        for j in range(sum_structure.shape[0]):
            sum_structure[j] = 0.0


@summing
def square_of(values, begin, width):
    """⟨x, x⟩ for the vector of this width at a position."""
    total = 0.0
    for i in range(np.uint64(width)):
        total += np.float64(values[np.uint64(begin) + i]) ** 2
    return total


@merged
def alike(where, a, b):
    """Whether two entries move the same vector of weights, or the same structure weight."""
    return where[a, 1] == where[b, 1] and (where[a, 0] < 0) == (where[b, 0] < 0)


@merged
def is_first(where, a):
    """Whether no entry before this one moves the same weights."""
    first = 0
    while not alike(where, first, a):
        first += 1
    return first == a


@merged
def square_of_structure(where, amount, count, a):
    """The square of how far all entries for this one's structure weight move it."""
    moved = 0.0
    for b in range(a, count):
        if alike(where, a, b):
            moved += amount[b]
    return moved * moved


@compilable
def norm_of_many_dense(indptr, features, values, rows, constant, where, amount, count):
    """‖Φ(truth) − Φ(answer)‖² for a round of any number of rows: Δ is made, output by output."""
    total, delta = 0.0, np.empty((1, indptr[0] + 1))
    for a in range(count):
        if not is_first(where, a):
            continue
        if where[a, 0] < 0:
            total += square_of_structure(where, amount, count, a)
            continue
        delta[:] = 0.0
        for b in range(a, count):
            if alike(where, a, b):
                row = rows[where[b, 0]]
                add_dense(indptr, features, values, row, constant, 0, amount[b], delta)
        total += square_of(delta[0], 0, delta.shape[1])
    return total


@compilable
def norm_of_dense(indptr, features, values, rows, constant, where, amount, count):
    """‖Φ(truth) − Φ(answer)‖², as in `norm_squared`, from the rows themselves, not from their products."""
    if rows.shape[0] != 1:
        return norm_of_many_dense(indptr, features, values, rows, constant, where, amount, count)
    square = constant * constant + square_of(values, rows[0] * indptr[0], indptr[0])
    total = 0.0
    for a in range(count):
        for b in range(count):
            if alike(where, a, b):
                total += amount[a] * amount[b] * (1.0 if where[a, 0] < 0 else square)
    return total
