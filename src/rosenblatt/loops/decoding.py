"""More than the best path: the n best paths, the best through each label, and marginals."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array
from rosenblatt.loops.compiling import allocating, compilable
from rosenblatt.loops.paths import best_into, highest_of, length_of, pairs_of


@compilable
def merge(
    lists: Array, i: int, pairs: Array, at: int, stride: int, taken: Array, best: Array, came: Array
) -> None:
    """Merge the lists of paths into the labels of row i, each with its own pair score added, into one.

    Writes the scores of the n best, −∞ where there are fewer, and where they came from: label · n + rank.
    """
    labels, n = lists.shape[1:]
    for p in range(labels):
        taken[p] = 0
    for rank in range(n):
        found, highest = 0, -np.inf
        for p in range(labels):
            if taken[p] < n and lists[i, p, taken[p]] + pairs[at + p * stride] > highest:
                found, highest = p, lists[i, p, taken[p]] + pairs[at + p * stride]
        best[rank], came[rank] = highest, found * n + taken[found]
        taken[found] += 1


@compilable
def n_best(scores: Array, edges: Array, structure: Array, paths: Array, totals: Array) -> None:
    """Write the n best paths (n × rows) and their scores, −∞ where there are fewer."""
    rows, labels = scores.shape
    n = totals.shape[0]
    pairs, step = pairs_of(structure, edges)
    flat = pairs.reshape(pairs.size)
    best, came = np.empty((rows, labels, n)), np.empty((rows, labels, n), np.int32)
    taken, last = np.empty(labels, np.int64), np.empty(n, np.int32)
    for c in range(labels):
        for rank in range(n):
            best[0, c, rank] = -np.inf
        best[0, c, 0] = structure[labels * labels + c] + scores[0, c]
    for i in range(1, rows):
        for c in range(labels):
            merge(best, i - 1, flat, (i - 1) * step * labels + c, labels, taken, best[i, c], came[i, c])
            for rank in range(n):
                best[i, c, rank] += scores[i, c]
    merge(best, rows - 1, structure, labels * (labels + 1), 1, taken, totals, last)
    for rank in range(n):
        at = np.int64(last[rank])
        for i in range(rows - 1, -1, -1):
            paths[rank, i] = at // n
            at = np.int64(came[i, at // n, at % n])


@allocating
def n_best_of(scores: Array, with_edges: bool, structure: Array, paths: Array, totals: Array) -> None:
    """`n_best` for one round, whose edges follow its rows."""
    rows = length_of(scores.shape[0], scores.shape[1], with_edges)
    n_best(scores[:rows], scores[rows:], structure, paths, totals)


@compilable
def best_through(scores: Array, edges: Array, structure: Array, through: Array) -> None:
    """Write the score of the best path through every label of every row."""
    rows, labels = scores.shape
    pairs, step = pairs_of(structure, edges)
    best_into(scores, pairs, step, structure, through)
    after, onward, ways = np.empty(labels), np.empty(labels), np.empty(labels)
    for c in range(labels):
        onward[c] = structure[labels * (labels + 1) + c]
    for i in range(rows - 1, -1, -1):
        for c in range(labels):
            through[i, c] += onward[c]
            after[c] = onward[c] + scores[i, c]
        if i > 0:
            for p in range(labels):
                for c in range(labels):
                    ways[c] = pairs[(i - 1) * step + p, c] + after[c]
                onward[p] = highest_of(ways)


@compilable
def log_sums(
    ahead: Array, i: int, pairs: Array, at: int, stride: int, step: int, temperature: float, sums: Array
) -> None:
    """Log Σ_p exp(ahead[i, p] + pair / temperature) for every label, its pairs `stride` apart, in steps."""
    labels = sums.shape[0]
    for c in range(labels):
        highest = -np.inf
        for p in range(labels):
            highest = max(ahead[i, p] + pairs[at + c * stride + p * step] / temperature, highest)
        total = 0.0
        if highest > -np.inf:
            for p in range(labels):
                total += np.exp(ahead[i, p] + pairs[at + c * stride + p * step] / temperature - highest)
        sums[c] = highest + np.log(total) if total > 0.0 else -np.inf


@compilable
def probable(scores: Array, edges: Array, structure: Array, temperature: float, result: Array) -> None:
    """Write the marginals (rows × labels); the probability of a path is ∝ exp(score / temperature).

    Forward and backward sums, in logarithms; NaN if there is no path.
    """
    rows, labels = scores.shape
    pairs, step = pairs_of(structure, edges)
    flat = pairs.reshape(pairs.size)
    after, sums = np.empty((1, labels)), np.empty(labels)
    for c in range(labels):
        result[0, c] = (structure[labels * labels + c] + scores[0, c]) / temperature
    for i in range(1, rows):
        log_sums(result, i - 1, flat, (i - 1) * step * labels, 1, labels, temperature, sums)
        for c in range(labels):
            result[i, c] = sums[c] + scores[i, c] / temperature
    for c in range(labels):
        sums[c] = structure[labels * (labels + 1) + c] / temperature
    for i in range(rows - 1, -1, -1):
        highest, total = -np.inf, 0.0
        for c in range(labels):
            after[0, c] = sums[c] + scores[i, c] / temperature
            result[i, c] += sums[c]
            highest = max(result[i, c], highest)
        for c in range(labels):
            result[i, c] = np.exp(result[i, c] - highest)
            total += result[i, c]
        for c in range(labels):
            result[i, c] /= total
        if i > 0:
            log_sums(after, 0, flat, (i - 1) * step * labels, labels, 1, temperature, sums)


@allocating
def best_through_of(scores: Array, with_edges: bool, structure: Array, result: Array) -> None:
    """`best_through` for one round, whose edges follow its rows."""
    rows = length_of(scores.shape[0], scores.shape[1], with_edges)
    best_through(scores[:rows], scores[rows:], structure, result)


@allocating
def probable_of(scores: Array, with_edges: bool, structure: Array, result: Array, temperature: float) -> None:
    """`probable` for one round, whose edges follow its rows."""
    rows = length_of(scores.shape[0], scores.shape[1], with_edges)
    probable(scores[:rows], scores[rows:], structure, temperature, result)
