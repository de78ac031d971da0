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
def extend(best: Array, offsets: Array, better: Array, came: Array) -> None:
    """The best way into every label from the best paths so far, and the label it comes from."""
    labels = best.shape[0]
    for c in range(labels):
        better[c], came[c] = best[0] + offsets[c], 0
    for p in range(1, labels):
        for c in range(labels):
            score = best[p] + offsets[p * labels + c]
            if score > better[c]:
                better[c], came[c] = score, p


@compilable
def first_of_the_highest(values: Array, offsets: Array, first: int) -> int:
    """The place of the highest value, each with its offset from `first` on."""
    place = 0
    for c in range(1, values.shape[0]):
        if values[c] + offsets[first + c] > values[place] + offsets[first + place]:
            place = c
    return place


@compilable
def best_path(scores: Array, offsets: Array, path: Array) -> None:
    """Write the path with the highest score."""
    rows, labels = scores.shape
    if rows == 0:
        return
    came = np.empty((rows, labels), np.int64)
    best, better = np.empty(labels), np.empty(labels)
    for c in range(labels):
        best[c] = offsets[labels * labels + c] + scores[0, c]
    for i in range(1, rows):
        extend(best, offsets, better, came[i])
        for c in range(labels):
            best[c] = better[c] + scores[i, c]
    path[rows - 1] = first_of_the_highest(best, offsets, labels * (labels + 1))
    for i in range(rows - 1, 0, -1):
        path[i - 1] = came[i, path[i]]


@compilable
def rival_path(scores: Array, offsets: Array, truth: Array, path: Array) -> float:
    """Write the path with the highest score of all but the truth; returns its score, −∞ if there is none.

    The best paths into every label are kept as ever, except that the truth so far is not among them: it
    stands apart, and a path leaves it where it differs for the first time. One pass finds the answer if
    it is wrong and else the most dangerous rival, for little more than the answer itself.
    """
    rows, labels = scores.shape
    came = np.empty((rows, labels), np.int64)
    best, better = np.empty(labels), np.empty(labels)
    for c in range(labels):
        best[c] = offsets[labels * labels + c] + scores[0, c]
    apart, best[truth[0]] = best[truth[0]], -np.inf
    for i in range(1, rows):
        extend(best, offsets, better, came[i])
        for c in range(labels):
            leaving = apart + offsets[truth[i - 1] * labels + c]
            if c != truth[i] and leaving > better[c]:
                better[c], came[i, c] = leaving, labels
            best[c] = better[c] + scores[i, c]
        apart += offsets[truth[i - 1] * labels + truth[i]] + scores[i, truth[i]]
    last = first_of_the_highest(best, offsets, labels * (labels + 1))
    path[rows - 1] = last
    for i in range(rows - 1, 0, -1):
        if came[i, path[i]] == labels:
            path[:i] = truth[:i]
            break
        path[i - 1] = came[i, path[i]]
    return best[last] + offsets[labels * (labels + 1) + last]  # type: ignore[no-any-return]


@compiled
def best_paths(scores: Array, offsets: Array, starts: Array, paths: Array) -> None:
    """Write the best path of every round, with its own offsets (rounds × offsets)."""
    for i in range(starts.shape[0] - 1):
        best_path(scores[starts[i] : starts[i + 1]], offsets[i], paths[starts[i] : starts[i + 1]])
