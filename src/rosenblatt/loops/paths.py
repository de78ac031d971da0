"""Paths through labels: Viterbi's search, with and without a path that may not be the answer.

The score of a path is the sum of the scores (rows × labels) it passes and of its structure weights: one per
pair of labels that follow each other, then one per first label and one per last. A structure weight of −∞
forbids. Where pairs see the rows, too, `edges` has a row for every row but the first and every label before
it, and adds to the structure weights of the pair; else it is empty.

Of paths with the same score the first is taken, reading their labels from the last to the first; of rivals of
the truth, one that has left it before rather than one that leaves it here.

Functions take an array and an index rather than a view of its row, which costs as much as a step of the
search; and there are loops where NumPy has an expression, which would take seconds longer to compile.
"""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array
from rosenblatt.loops.compiling import allocating, compilable


@compilable
def length_of(lines: int, labels: int, edges: bool) -> int:
    """How many labels a path has whose round has `lines` rows of scores: tokens, then edges."""
    return (lines + labels) // (labels + 1) if edges and lines > 0 else lines


@compilable
def pairs_of(structure: Array, edges: Array) -> tuple[Array, int]:
    """Return the scores of pairs of labels, a row for each first label, and the step to the next token's."""
    labels = edges.shape[1]
    of_labels = structure[: labels * labels].reshape(labels, labels)
    if edges.shape[0] == 0:
        return of_labels, 0
    pairs = np.empty(edges.shape)
    for line in range(edges.shape[0]):
        for c in range(labels):
            pairs[line, c] = of_labels[line % labels, c] + edges[line, c]
    return pairs, labels


@compilable
def path_score(scores: Array, edges: Array, structure: Array, path: Array) -> float:
    """The score of a path of at least one label."""
    rows, labels = scores.shape
    total = structure[labels * labels + path[0]] + scores[0, path[0]]
    for i in range(1, rows):
        total += structure[path[i - 1] * labels + path[i]] + scores[i, path[i]]
        if edges.shape[0] > 0:
            total += edges[(i - 1) * labels + path[i - 1], path[i]]
    return total + structure[labels * (labels + 1) + path[rows - 1]]  # type: ignore[no-any-return]


@compilable
def extend(best: Array, i: int, pairs: Array, line: int, better: Array) -> None:
    """Raise `better` to the best ways into every label from the best paths into those of row i.

    Back pointers are not stored: finding them later, for the one path that is wanted, is far cheaper. Four
    paths at a time: the ways into labels are read and written once for all of them.
    """
    labels = better.shape[0]
    for p in range(0, labels - 3, 4):
        first, second, third, fourth = best[i, p], best[i, p + 1], best[i, p + 2], best[i, p + 3]
        for c in range(labels):  # inside, and without a branch, for vector instructions
            way = max(first + pairs[line + p, c], better[c])
            way = max(second + pairs[line + p + 1, c], way)
            way = max(third + pairs[line + p + 2, c], way)
            better[c] = max(fourth + pairs[line + p + 3, c], way)
    for p in range(labels - labels % 4, labels):
        for c in range(labels):
            better[c] = max(best[i, p] + pairs[line + p, c], better[c])


@compilable
def way_into(best: Array, i: int, pairs: Array, line: int, label: int, ways: Array) -> int:
    """The label of row i whose path is the best one into this label of the next row; `ways` is scratch."""
    for p in range(ways.shape[0]):
        ways[p] = best[i, p] + pairs[line + p, label]
    return index_of_highest(ways)


@compilable
def way_out(best: Array, structure: Array, ways: Array) -> int:
    """The label of the last row whose path is the best one to its end; `ways` is scratch."""
    rows, labels = best.shape
    for c in range(labels):
        ways[c] = best[rows - 1, c] + structure[labels * (labels + 1) + c]
    return index_of_highest(ways)


@compilable
def best_into(scores: Array, pairs: Array, step: int, structure: Array, best: Array) -> None:
    """Write the score of the best path into every label of every row."""
    rows, labels = scores.shape
    better = np.empty(labels)
    for c in range(labels):
        best[0, c] = structure[labels * labels + c] + scores[0, c]
    for i in range(1, rows):
        for c in range(labels):
            better[c] = -np.inf
        extend(best, i - 1, pairs, (i - 1) * step, better)
        for c in range(labels):
            best[i, c] = better[c] + scores[i, c]


@compilable
def best_path(scores: Array, edges: Array, structure: Array, path: Array) -> float:
    """Write the path with the highest score; return that score, −∞ if all paths are forbidden."""
    rows, labels = scores.shape
    if rows == 0:
        return 0.0
    pairs, step = pairs_of(structure, edges)
    best, ways = np.empty((rows, labels)), np.empty(labels)
    best_into(scores, pairs, step, structure, best)
    last = way_out(best, structure, ways)
    path[rows - 1] = last
    for i in range(rows - 1, 0, -1):
        path[i - 1] = way_into(best, i - 1, pairs, (i - 1) * step, path[i], ways)
    return best[rows - 1, last] + structure[labels * (labels + 1) + last]  # type: ignore[no-any-return]


@compilable
def rival_path(
    scores: Array, edges: Array, structure: Array, truth: Array, loss: float, path: Array
) -> float:
    """Write the path with the highest score of all but the truth; returns its score, −∞ if there is none.

    Every label that is not the true one adds `loss` to the score.

    The best paths into every label are kept as in Viterbi's search, without the truth so far: its score is
    kept apart, and a path leaves it where it differs for the first time. One pass finds the answer if it
    is wrong and else the most dangerous rival, for little more than the answer itself.
    """
    rows, labels = scores.shape
    pairs, step = pairs_of(structure, edges)
    best, better, ways, apart = np.empty((rows, labels)), np.empty(labels), np.empty(labels), np.empty(rows)
    for c in range(labels):
        best[0, c] = structure[labels * labels + c] + scores[0, c] + loss
    apart[0] = structure[labels * labels + truth[0]] + scores[0, truth[0]]
    best[0, truth[0]] = -np.inf
    for i in range(1, rows):
        line, left = (i - 1) * step, (i - 1) * step + truth[i - 1]
        for c in range(labels):
            better[c] = apart[i - 1] + pairs[left, c]
        better[truth[i]] = -np.inf
        extend(best, i - 1, pairs, line, better)
        for c in range(labels):
            best[i, c] = better[c] + scores[i, c] + loss
        best[i, truth[i]] = better[truth[i]] + scores[i, truth[i]]
        apart[i] = apart[i - 1] + pairs[left, truth[i]] + scores[i, truth[i]]
    last = way_out(best, structure, ways)
    path[rows - 1] = last
    for i in range(rows - 1, 0, -1):
        line = (i - 1) * step
        before = way_into(best, i - 1, pairs, line, path[i], ways)
        leaving = apart[i - 1] + pairs[line + truth[i - 1], path[i]]
        if path[i] != truth[i] and leaving > best[i - 1, before] + pairs[line + before, path[i]]:
            for j in range(i):
                path[j] = truth[j]
            break
        path[i - 1] = before
    return best[rows - 1, last] + structure[labels * (labels + 1) + last]  # type: ignore[no-any-return]


@compilable
def surpassing(scores: Array, structure: Array, truth: Array, path: Array) -> float:
    """Write the path that gains most on the truth; returns how much, −∞ if all others are below it.

    The truth must be allowed. What is found is the rival of `rival_path` without loss or edges, for a small
    part of the cost. A path that differs is the truth with some stretches exchanged. So stretches are
    followed, by how much they gain on the truth, and given up as soon as they cannot make up for what they
    lost: `hope[i]` is the most that one can gain after row i, whatever its label there. Most rows are such
    that none that begins with them can gain, and are passed over.
    """
    rows, labels = scores.shape
    pairs, _ = pairs_of(structure, scores[:0])
    hope, hopeful, followed = np.empty(rows), np.empty(rows, np.bool_), np.zeros(rows, np.bool_)
    gained, ways = np.empty((rows, labels)), np.empty(labels)
    first, last = labels * labels, labels * (labels + 1)
    hope_of_stretches(scores, pairs, structure, truth, hope, hopeful)
    for i in range(rows):
        following = i > 0 and followed[i - 1]
        if not (following or hopeful[i]):
            continue
        along = pairs[truth[i - 1], truth[i]] if i > 0 else structure[first + truth[0]]
        for c in range(labels):
            ways[c] = pairs[truth[i - 1], c] if i > 0 else structure[first + c]
        ways[truth[i]] = -np.inf
        if following:
            for p in range(labels):
                if gained[i - 1, p] + hope[i - 1] >= 0.0:
                    for c in range(labels):
                        ways[c] = max(gained[i - 1, p] + pairs[p, c], ways[c])
        lost = along + scores[i, truth[i]]
        for c in range(labels):
            ways[c] += scores[i, c] - lost
            gained[i, c] = ways[c]
        followed[i] = highest_of(ways) + hope[i] >= 0.0
    if not followed[rows - 1]:
        return -np.inf
    path[rows - 1] = way_out(gained, structure, ways)
    gain = (
        gained[rows - 1, path[rows - 1]]
        + structure[last + path[rows - 1]]
        - structure[last + truth[rows - 1]]
    )
    for i in range(rows - 1, 0, -1):
        before = way_into(gained, i - 1, pairs, 0, path[i], ways) if followed[i - 1] else -1
        leaving = pairs[truth[i - 1], path[i]] if path[i] != truth[i] else -np.inf
        if before < 0 or leaving > gained[i - 1, before] + pairs[before, path[i]]:
            for j in range(i):
                path[j] = truth[j]
            break
        path[i - 1] = before
    return gain if gain >= 0.0 else -np.inf


@compilable
def hope_of_stretches(
    scores: Array, pairs: Array, structure: Array, truth: Array, hope: Array, hopeful: Array
) -> None:
    """Write the most that a stretch can gain on the truth after each row, and whether one may begin there."""
    rows, labels = scores.shape
    into, ways, last = np.empty(labels), np.empty(labels), labels * (labels + 1)
    for c in range(labels):
        into[c] = -np.inf
    extend(np.zeros((1, labels)), 0, pairs, 0, into)
    for c in range(labels):
        ways[c] = structure[last + c]
    hoped = highest_of(ways) - structure[last + truth[rows - 1]]
    for i in range(rows - 1, 0, -1):
        for c in range(labels):
            ways[c] = into[c] + scores[i, c]
        ways[truth[i]] = -np.inf
        hope[i], gain = hoped, highest_of(ways) - scores[i, truth[i]]
        along = pairs[truth[i - 1], truth[i]]
        hopeful[i] = gain + hoped >= along
        hoped = max(into[truth[i]], gain + hoped) - along
    hope[0], hopeful[0] = hoped, True


@compilable
def index_of_highest(values: Array) -> int:
    """The index of the highest of some values, the first of equals."""
    highest = highest_of(values)
    for i in range(values.shape[0]):
        if values[i] == highest:
            return i
    return 0  # if a value is NaN


@compilable
def highest_of(values: Array) -> float:
    """The highest of some values, with four accumulators."""
    count = values.shape[0]
    first = second = third = fourth = -np.inf
    for i in range(0, count - 3, 4):
        first, second = max(values[i], first), max(values[i + 1], second)
        third, fourth = max(values[i + 2], third), max(values[i + 3], fourth)
    for i in range(count - count % 4, count):
        first = max(values[i], first)
    return max(max(first, second), max(third, fourth))


@allocating
def best_paths(
    scores: Array, structure: Array, starts: Array, with_edges: bool, paths: Array, totals: Array
) -> None:
    """Write the best path of every round, each with its own structure weights, and its score."""
    labels = scores.shape[1]
    own = np.empty(structure.shape[1])
    for i in range(starts.shape[0] - 1):
        for o in range(own.shape[0]):
            own[o] = structure[i, o]
        first, last = starts[i], starts[i + 1]
        middle = first + length_of(last - first, labels, with_edges)
        totals[i] = best_path(scores[first:middle], scores[middle:last], own, paths[first:middle])
