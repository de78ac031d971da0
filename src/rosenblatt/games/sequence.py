"""The sequence game: a label for every row of a round; the answer is the path with the highest score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.loops.compiling import compilable
from rosenblatt.loops.paths import best_path, best_paths, path_score, rival_path


@compilable
def passed(
    path: Array, other: Array, labels: int, sign: float, where: Array, amount: Array, count: int
) -> int:
    """Write what a path passes and the other does not, with this sign; returns how many entries there are."""
    rows = path.shape[0]
    for i in range(rows):
        here, before = path[i] != other[i], i > 0 and path[i - 1] != other[i - 1]
        if here:
            where[count, 0], where[count, 1], amount[count] = i, path[i], sign
            count += 1
        if here or before:
            where[count, 0], amount[count] = -1, sign
            where[count, 1] = path[i - 1] * labels + path[i] if i > 0 else labels * labels + path[i]
            count += 1
    if path[rows - 1] != other[rows - 1]:
        where[count, 0], amount[count] = -1, sign
        where[count, 1] = labels * (labels + 1) + path[rows - 1]
        count += 1
    return count


@compilable
def judge(
    scores: Array, offsets: Array, truth: Array, track: int, reach: float, where: Array, amount: Array
) -> tuple[int, float, bool, float]:
    """+1 for all that the true path passes, −1 for its best rival, unless the truth is strictly above it.

    A rival costs 1 for every label that it has wrong. A rule that asks for a margin has it searched for
    among scores to which these costs are added.
    """
    rows, labels = scores.shape
    if rows == 0:
        return 0, np.inf, False, 1.0
    rival, true_score = np.empty(rows, np.int64), path_score(scores, offsets, truth)
    margin = true_score - rival_path(scores, offsets, truth, 0.0, rival)
    if margin == np.inf:  # every other path is forbidden
        return 0, np.inf, False, 1.0
    wrong = margin <= 0.0
    if reach > 0.0:
        rival_path(scores, offsets, truth, reach, rival)
        margin = true_score - path_score(scores, offsets, rival)
    cost = float((rival != truth).sum())
    count = passed(truth, rival, labels, 1.0, where, amount, 0)
    count = passed(rival, truth, labels, -1.0, where, amount, count)
    return count, margin, wrong, cost


@compilable
def ballot(scores: Array, offsets: Array, starts: Array, track: int, weight: float, tally: Array) -> None:
    """A vote for every label of the best path of every round."""
    path = np.empty(scores.shape[1], np.int64)
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        best_path(scores[:, first:last].T, offsets, path[first:last])
    for row in range(scores.shape[1]):
        tally[path[row], row] += weight


@dataclass(frozen=True)
class Sequence:
    """Truths are labels from 0, one per row; a wrong path is moved down and the true one up.

    Voting is by label: each guess votes for the labels of its best path, the first of equals, and elected
    is the path with the most votes of those that are allowed. A vote costs as many searches as there are
    guesses.

    Parameters
    ----------
    labels
        How many there are.
    forbidden
        Pairs of labels that may not follow each other. With `labels` itself in the first place a pair
        forbids a first label, in the second a last one.

    References
    ----------
    M. Collins, Discriminative training methods for hidden Markov models: theory and experiments with
    perceptron algorithms, EMNLP 2002.
    """

    labels: int
    forbidden: frozenset[tuple[int, int]] = frozenset()
    tracks = 1
    judge = staticmethod(judge)
    ballot = staticmethod(ballot)

    @property
    def outputs(self) -> int:
        """One per label."""
        return self.labels

    alternatives = outputs

    @cached_property
    def offsets(self) -> Floats:
        """One per pair of labels, per first and per last label: 0, or −∞ where it is forbidden."""
        pairs = np.zeros((self.labels + 1, self.labels + 1))
        for before, after in self.forbidden:
            pairs[before, after] = -np.inf
        inner, first, last = pairs[:-1, :-1], pairs[-1, :-1], pairs[:-1, -1]
        return np.concatenate([inner.ravel(), first, last])

    def answer(self, scores: Floats, offsets: Floats, starts: Ints) -> Ints:
        """The labels of the best path of every round, for all rows."""
        paths = np.empty(len(scores), np.int64)
        best_paths(np.ascontiguousarray(scores), offsets, starts, paths)
        return paths

    def elect(self, tally: Floats, starts: Ints) -> Ints:
        """The labels of the allowed path with the most votes, for all rows."""
        return self.answer(tally, np.broadcast_to(self.offsets, (len(starts) - 1, len(self.offsets))), starts)
