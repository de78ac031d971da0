"""Paths through labels: Viterbi's search, with and without a path that may not be the answer.

The score of a path is the sum of the scores (rows × labels) it passes and of its offsets: one per pair of
labels that follow each other, then one per first label and one per last. An offset of −∞ forbids.

Of paths with the same score the first is taken, reading their labels from the last to the first.
"""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array
from rosenblatt.loops.compiling import compilable, compiled


@compilable
def path_score(scores: Array, offsets: Array, path: Array) -> float:
    """The score of a path of at least one label."""
    rows, labels = scores.shape
    total = offsets[labels * labels + path[0]] + scores[0, path[0]]
    for i in range(1, rows):
        total += offsets[path[i - 1] * labels + path[i]] + scores[i, path[i]]
    return total + offsets[labels * (labels + 1) + path[rows - 1]]  # type: ignore[no-any-return]


@compilable
def extend(best: Array, offsets: Array, better: Array) -> None:
    """The best ways into every label from the best paths so far.

    Where a way comes from is not noted: asking later, for the one path that is wanted, is far cheaper.
    """
    labels = best.shape[0]
    for c in range(labels):
        better[c] = best[0] + offsets[c]
    for p in range(1, labels):
        for c in range(labels):  # inside, and without a branch, for vector instructions
            better[c] = max(best[p] + offsets[p * labels + c], better[c])


@compilable
def way_into(best: Array, offsets: Array, first: int, stride: int) -> int:
    """The label whose path is the best with its offset, one every `stride` from `first` on."""
    found = 0
    for p in range(1, best.shape[0]):
        if best[p] + offsets[first + p * stride] > best[found] + offsets[first + found * stride]:
            found = p
    return found


@compilable
def best_path(scores: Array, offsets: Array, path: Array) -> None:
    """Write the path with the highest score."""
    rows, labels = scores.shape
    if rows == 0:
        return
    best, better = np.empty((rows, labels)), np.empty(labels)
    for c in range(labels):
        best[0, c] = offsets[labels * labels + c] + scores[0, c]
    for i in range(1, rows):
        extend(best[i - 1], offsets, better)
        for c in range(labels):
            best[i, c] = better[c] + scores[i, c]
    path[rows - 1] = way_into(best[rows - 1], offsets, labels * (labels + 1), 1)
    for i in range(rows - 1, 0, -1):
        path[i - 1] = way_into(best[i - 1], offsets, path[i], labels)


@compilable
def rival_path(scores: Array, offsets: Array, truth: Array, loss: float, path: Array) -> float:
    """Write the path with the highest score of all but the truth; returns its score, −∞ if there is none.

    Every label that is not the true one adds `loss` to the score.

    The best paths into every label are kept as ever, except that the truth so far is not among them: it
    stands apart, and a path leaves it where it differs for the first time. One pass finds the answer if
    it is wrong and else the most dangerous rival, for little more than the answer itself.
    """
    rows, labels = scores.shape
    best, better, apart = np.empty((rows, labels)), np.empty(labels), np.empty(rows)
    for c in range(labels):
        best[0, c] = offsets[labels * labels + c] + scores[0, c] + loss
    apart[0] = offsets[labels * labels + truth[0]] + scores[0, truth[0]]
    best[0, truth[0]] = -np.inf
    for i in range(1, rows):
        extend(best[i - 1], offsets, better)
        stays = better[truth[i]]
        for c in range(labels):
            better[c] = max(apart[i - 1] + offsets[truth[i - 1] * labels + c], better[c])
        for c in range(labels):
            best[i, c] = better[c] + scores[i, c] + loss
        best[i, truth[i]] = stays + scores[i, truth[i]]
        apart[i] = apart[i - 1] + offsets[truth[i - 1] * labels + truth[i]] + scores[i, truth[i]]
    last = way_into(best[rows - 1], offsets, labels * (labels + 1), 1)
    path[rows - 1] = last
    for i in range(rows - 1, 0, -1):
        before = way_into(best[i - 1], offsets, path[i], labels)
        leaving = apart[i - 1] + offsets[truth[i - 1] * labels + path[i]]
        if path[i] != truth[i] and leaving > best[i - 1, before] + offsets[before * labels + path[i]]:
            path[:i] = truth[:i]
            break
        path[i - 1] = before
    return best[rows - 1, last] + offsets[labels * (labels + 1) + last]  # type: ignore[no-any-return]


@compiled
def best_paths(scores: Array, offsets: Array, starts: Array, paths: Array) -> None:
    """Write the best path of every round, with its own offsets (rounds × offsets)."""
    for i in range(starts.shape[0] - 1):
        best_path(scores[starts[i] : starts[i + 1]], offsets[i], paths[starts[i] : starts[i + 1]])
