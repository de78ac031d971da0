"""How passes read dense rows, for games with one output; `loops/sparse.py` has the same for CSR rows.

The values of all rows stand one after the other. `indptr` does not tell where each of them starts but how
long they are, and there are no features beside them.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.ahead import APART, FETCHED
from rosenblatt.loops.compiling import inlined, prefetch_for_later


@inlined
def never_out_of_range(indptr, features, row, known):
    """Dense rows have every feature, and no other."""
    return False


@inlined
def announce_dense(indptr, features, row, weights):
    """Nothing: what comes next is fetched by itself."""


@inlined
def locate_dense(indptr, row):
    """Nothing: where a row is follows from its number."""


@inlined
def fetch_dense(indptr, features, values, first, last):
    """Ask for the numbers of rows from the first to the last, if they follow each other."""
    begin = first * indptr[0]
    for p in range(begin, min((last + 1) * indptr[0], begin + FETCHED), APART):
        prefetch_for_later(values, p)


@inlined
def score_dense(indptr, features, values, row, weights, constant, scores, r):
    """Score one row: ⟨w, φ(x)⟩, into scores[r], in eight sums side by side: none has to wait."""
    width = np.uint64(indptr[0])
    begin = np.uint64(row) * width
    eights = width & ~np.uint64(7)
    a = b = c = d = e = f = g = h = 0.0
    for i in range(np.uint64(0), eights, np.uint64(8)):
        p = begin + i
        a += np.float64(values[p]) * weights[i]
        b += np.float64(values[p + np.uint64(1)]) * weights[i + np.uint64(1)]
        c += np.float64(values[p + np.uint64(2)]) * weights[i + np.uint64(2)]
        d += np.float64(values[p + np.uint64(3)]) * weights[i + np.uint64(3)]
        e += np.float64(values[p + np.uint64(4)]) * weights[i + np.uint64(4)]
        f += np.float64(values[p + np.uint64(5)]) * weights[i + np.uint64(5)]
        g += np.float64(values[p + np.uint64(6)]) * weights[i + np.uint64(6)]
        h += np.float64(values[p + np.uint64(7)]) * weights[i + np.uint64(7)]
    for i in range(eights, width):
        a += np.float64(values[begin + i]) * weights[i]
    scores[r, 0] = ((a + e) + (b + f)) + ((c + g) + (d + h)) + constant * weights[weights.shape[0] - 1]


@inlined
def add_dense(indptr, features, values, row, constant, output, change, weights):
    """Add change · φ(x) to the weights."""
    width = np.uint64(indptr[0])
    begin = np.uint64(row) * width
    for i in range(width):
        weights[i] += change * np.float64(values[begin + i])
    weights[weights.shape[0] - 1] += change * constant


@inlined
def norm_of_dense(indptr, features, values, rows, constant, where, amount, count):
    """‖Φ(truth) − Φ(answer)‖² from the rows themselves, which are these, one feature after the other."""
    width, total = indptr[0], 0.0
    for i in range(width):
        part = 0.0
        for a in range(count):
            if where[a, 0] >= 0:
                part += amount[a] * np.float64(values[rows[where[a, 0]] * width + i])
        total += part * part
    part = 0.0
    for a in range(count):
        if where[a, 0] >= 0:
            part += amount[a] * constant
        else:
            for b in range(count):
                if where[b, 0] < 0 and where[a, 1] == where[b, 1]:
                    total += amount[a] * amount[b]
    return total + part * part
