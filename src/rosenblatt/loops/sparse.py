"""One pass over CSR rows in the primal, with lazy averaging: the weights w and u = Σ when · correction."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.book import norm_squared, write
from rosenblatt.loops.compiling import composed, inlined

# Features are read as unsigned numbers: of a signed one the compiler would have to ask each time whether
# it counts from the end.


@inlined
def score_row(indptr, features, values, row, weights, constant, scores, r):
    """Score one row: ⟨w, φ(x)⟩ for every output, into scores[r]."""
    begin, end, outputs, last = indptr[row], indptr[row + 1], weights.shape[1], weights.shape[0] - 1
    if outputs == 1:
        total = constant * weights[last, 0]
        for p in range(begin, end):
            total += values[p] * weights[np.uint32(features[p]), 0]
        scores[r, 0] = total
    else:
        for o in range(outputs):
            scores[r, o] = constant * weights[last, o]
        for p in range(begin, end):
            value, line = values[p], np.uint32(features[p])
            for o in range(outputs):
                scores[r, o] += value * weights[line, o]


@inlined
def row_product(indptr, features, values, row, other):
    """⟨x, z⟩ of two rows with sorted features."""
    total, p, q = 0.0, indptr[row], indptr[other]
    if row == other:
        for a in range(p, indptr[row + 1]):
            total += np.float64(values[a]) * np.float64(values[a])
    else:
        while p < indptr[row + 1] and q < indptr[other + 1]:
            if features[p] == features[q]:
                total += np.float64(values[p]) * np.float64(values[q])
                p, q = p + 1, q + 1
            elif features[p] < features[q]:
                p += 1
            else:
                q += 1
    return total


@inlined
def add_row(indptr, features, values, row, constant, output, change, when, weights, delayed):
    """Add change · φ(x) to w and when · change · φ(x) to u, for one output."""
    last = weights.shape[0] - 1
    for p in range(indptr[row], indptr[row + 1]):
        line, step = np.uint32(features[p]), change * values[p]
        weights[line, output] += step
        delayed[line, output] += when * step
    weights[last, output] += change * constant
    delayed[last, output] += when * change * constant


@cache
def sparse_loop(judge: Any, step: Any) -> Any:
    """The pass for this game and this rule."""

    @composed(judge, step)
    def play_sparse(
        order, starts, indptr, features, values, truths, sample_weights, longest, tracks,
        weights, delayed, constant, offsets, reach, parameters, clock, corrections, entries,
    ):  # fmt: skip
        outputs = weights.shape[1]
        width = 2 * longest * outputs + 2 * longest + 2 * offsets.shape[0]
        where, amount = np.empty((width, 2), np.int64), np.empty(width)
        scores, gram = np.empty((longest, outputs)), np.zeros((longest, longest))
        truth = np.empty(longest, truths.dtype)
        k = e = 0
        for turn in range(order.shape[0]):
            i = order[turn]
            first, last = starts[i], starts[i + 1]
            for row in range(first, last):
                score_row(indptr, features, values, row, weights, constant, scores, row - first)
                truth[row - first] = truths[row]
            whole = last - first == longest  # and no views to be made, which cost as much as a short row
            mine, said = (scores, truth) if whole else (scores[: last - first], truth[: last - first])
            for track in range(tracks):
                count, margin, wrong = judge(mine, offsets, said, track, where, amount)
                if not (wrong or margin < reach) or sample_weights[i] == 0.0:
                    continue
                for a in range(count):
                    for b in range(count):
                        r, s = where[a, 0], where[b, 0]
                        if r >= 0 and s >= 0:
                            product = row_product(indptr, features, values, first + r, first + s)
                            gram[r, s] = constant * constant + product
                norm = norm_squared(where, amount, count, gram)
                size = step(margin, norm, parameters) * sample_weights[i]
                line = (clock + turn + 1.0, float(i), float(track), margin, norm, 1.0 if wrong else 0.0, size)
                corrections, entries = write(
                    corrections, k, line, entries, e, where, amount, count, first, size
                )
                for a in range(count):
                    row, output, change = first + where[a, 0], where[a, 1], size * amount[a]
                    if where[a, 0] < 0:
                        offsets[output] += change
                    else:
                        add_row(
                            indptr, features, values, row, constant, output, change, line[0], weights, delayed
                        )
                k, e = k + 1, e + count
        return corrections[:k], entries[:e]

    return play_sparse
