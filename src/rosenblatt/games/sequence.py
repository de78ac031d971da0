"""The sequence game: a label for every row of a round; the answer is the path with the highest score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.loops.compiling import compilable
from rosenblatt.loops.paths import best_path, best_paths, length_of, path_score, rival_path, surpassing

NO_PAIRS, TRANSITIONS, EDGES = 0, 1, 2
"""Learned of pairs of labels that follow each other: nothing, transition weights, or edges as well."""


@compilable
def passed(
    path: Array, other: Array, labels: int, sign: float, learned: int, where: Array, amount: Array, count: int
) -> int:
    """Write an entry for all that a path passes and the other does not; return how many entries there are.

    `learned` is what is learned of pairs of labels: NO_PAIRS, TRANSITIONS or EDGES.
    """
    rows = path.shape[0]
    for i in range(rows):
        here, before = path[i] != other[i], i > 0 and path[i - 1] != other[i - 1]
        if here:
            where[count, 0], where[count, 1], amount[count] = i, path[i], sign
            count += 1
        if learned != NO_PAIRS and (here or before):
            where[count, 0], amount[count] = -1, sign
            where[count, 1] = path[i - 1] * labels + path[i] if i > 0 else labels * labels + path[i]
            count += 1
        if learned == EDGES and i > 0 and (here or before):
            where[count, 0], where[count, 1] = rows + (i - 1) * labels + path[i - 1], path[i]
            amount[count] = sign
            count += 1
    if learned != NO_PAIRS and path[rows - 1] != other[rows - 1]:
        where[count, 0], amount[count] = -1, sign
        where[count, 1] = labels * (labels + 1) + path[rows - 1]
        count += 1
    return count


@compilable
def judged(
    scores: Array,
    structure: Array,
    truths: Array,
    learned: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a path: +1 for all that the truth passes, −1 for its best rival, unless it is strictly above.

    A rival costs 1 for every label that it has wrong. If a margin is required, the rival is found by
    loss-augmented decoding: with these costs added to the scores.
    """
    labels = scores.shape[1]
    rows = length_of(scores.shape[0], labels, learned == EDGES)
    if rows == 0:
        return 0, np.inf, False, 1.0
    tokens, edges, truth = scores[:rows], scores[rows:], truths[:rows]
    rival, margin, wrong = np.empty(rows, np.int64), np.inf, False
    if required == -np.inf and learned != EDGES:
        margin, wrong = -surpassing(tokens, structure, truth, rival), True
    else:
        true_score = path_score(tokens, edges, structure, truth)
        for search in range(2 if required > 0.0 else 1):  # for the answer, and for the most dangerous rival
            loss = required if search > 0 else 0.0
            margin = true_score - rival_path(tokens, edges, structure, truth, loss, rival)
            wrong = margin <= 0.0 if search == 0 else wrong
    if margin == np.inf:  # every other path is forbidden, or none asks for a correction
        return 0, np.inf, False, 1.0
    cost = 0.0
    for i in range(rows):
        cost += 1.0 if rival[i] != truth[i] else 0.0
    if required > 0.0:
        margin += required * cost
    count = passed(truth, rival, labels, 1.0, learned, where, amount, 0)
    count = passed(rival, truth, labels, -1.0, learned, where, amount, count)
    return count, margin, wrong, cost


# A loop is composed of a judge or a ballot with fixed arguments. So what is learned of pairs is chosen by
# which of these is composed, and is a constant to the compiler.


@compilable
def judge(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a path with a transition weight for every pair of labels."""
    return judged(scores, structure, truth, TRANSITIONS, required, where, amount)


@compilable
def judge_labels(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a path where pairs of labels are allowed or not, and score nothing."""
    return judged(scores, structure, truth, NO_PAIRS, required, where, amount)


@compilable
def judge_edges(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a path where the scores of pairs see the rows, too."""
    return judged(scores, structure, truth, EDGES, required, where, amount)


@compilable
def voted(
    scores: Array, structure: Array, starts: Array, with_edges: bool, weight: float, tally: Array
) -> None:
    """A vote for every label of the best path of every round."""
    labels = scores.shape[0]
    path = np.empty(scores.shape[1], np.int64)
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        middle = first + length_of(last - first, labels, with_edges)
        best_path(scores[:, first:middle].T, scores[:, middle:last].T, structure, path[first:middle])
        for row in range(first, middle):
            tally[path[row], row] += weight


@compilable
def ballot(scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array) -> None:
    """A vote for the labels of the best path, where there are rows only."""
    voted(scores, structure, starts, False, weight, tally)


@compilable
def ballot_edges(
    scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array
) -> None:
    """A vote for the labels of the best path, where edges follow the rows."""
    voted(scores, structure, starts, True, weight, tally)


@dataclass(frozen=True)
class Sequence:
    """The sequence game; truths are labels from 0, one per row; a wrong path moves down and the true one up.

    Voting is by label: each guess votes for the labels of its best path, the first of equals, and elected
    is the path with the most votes of those that are allowed. A vote costs as many searches as there are
    guesses.

    Parameters
    ----------
    labels
        How many labels there are.
    forbidden
        Pairs of labels that may not follow each other. A pair (`labels`, b) forbids b as a
        first label, a pair (a, `labels`) forbids a as a last one.
    pairs
        "scored": every pair of labels that follow each other, every first and every last label has a
        score that is learned. "allowed": none has, they may only be forbidden. "seen": the score of a
        pair sees the rows, too: after its n rows a round has (n − 1) · labels more, for every row but the
        first and every label before it.

    References
    ----------
    M. Collins, Discriminative training methods for hidden Markov models: theory and experiments with
    perceptron algorithms, EMNLP 2002.
    """

    labels: int
    forbidden: frozenset[tuple[int, int]] = frozenset()
    pairs: str = "scored"
    heads = 1

    @property
    def judge(self) -> Callable[..., tuple[int, float, bool, float]]:
        """The judge for these `pairs`."""
        return {"allowed": judge_labels, "scored": judge, "seen": judge_edges}[self.pairs]

    @property
    def ballot(self) -> Callable[..., Any]:
        """The ballot for these `pairs`."""
        return ballot_edges if self.pairs == "seen" else ballot

    @property
    def outputs(self) -> int:
        """How many labels there are."""
        return self.labels

    alternatives = outputs

    @cached_property
    def structure(self) -> Floats:
        """One per pair of labels, per first and per last label: 0, or −∞ where it is forbidden."""
        pairs = np.zeros((self.labels + 1, self.labels + 1))
        for before, after in self.forbidden:
            pairs[before, after] = -np.inf
        inner, first, last = pairs[:-1, :-1], pairs[-1, :-1], pairs[:-1, -1]
        return np.concatenate([inner.ravel(), first, last])

    def length(self, rows: int) -> int:
        """Return how many labels a path through a round of this many rows has."""
        return length_of(rows, self.labels, self.pairs == "seen")

    def most_entries(self, rows: int) -> int:
        """Return the most that two paths pass: rows, and if they are learned, pairs of labels and edges."""
        tokens = self.length(rows)
        pairs = {"allowed": 0, "scored": tokens + 1, "seen": 2 * tokens}[self.pairs]
        return 2 * (tokens + pairs)

    def answer(self, scores: Floats, structure: Floats, starts: Ints) -> Ints:
        """The labels of the best path of every round, for all rows."""
        return self.best(scores, structure, starts)[0]

    def best(self, scores: Floats, structure: Floats, starts: Ints) -> tuple[Ints, Floats]:
        """The labels and the score of the best path of every round: −∞ where all are forbidden."""
        paths, totals = np.zeros(len(scores), np.int64), np.empty(len(starts) - 1)
        best_paths(np.ascontiguousarray(scores), structure, starts, self.pairs == "seen", paths, totals)
        return paths, totals

    def elect(self, tally: Floats, starts: Ints) -> Ints:
        """The labels of the allowed path with the most votes, for all rows."""
        return self.answer(
            tally, np.broadcast_to(self.structure, (len(starts) - 1, len(self.structure))), starts
        )
