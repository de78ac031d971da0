"""The multiclass games: one row, a score per class; one learner that takes the argmax, or one per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosenblatt._types import Array, Bools, Floats, Ints
from rosenblatt.games.game import NO_STRUCTURE
from rosenblatt.loops.compiling import compilable


@compilable
def judge_argmax(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge classes: +1 at the truth, −1 at the highest other, unless the truth is strictly above it."""
    rival = 1 if truth[0] == 0 else 0
    for o in range(scores.shape[1]):
        if o != truth[0] and scores[0, o] > scores[0, rival]:
            rival = o
    margin = scores[0, truth[0]] - scores[0, rival]
    where[0, 0], where[0, 1], amount[0] = 0, truth[0], 1.0
    where[1, 0], where[1, 1], amount[1] = 0, rival, -1.0
    return 2, margin, margin <= 0.0, 1.0


@compilable
def ballot_argmax(
    scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array
) -> None:
    """A vote for the class with the highest score; a tie for the top abstains."""
    # Written for vector instructions: no branch, and no conditional store, which the compiler would turn into
    # masked stores, the slowest of all.
    rows, hits = scores.shape[1], 0
    highest, other = scores[0].copy(), np.empty(rows)
    for o in range(1, scores.shape[0]):
        for i in range(rows):
            other[i] = scores[o, i] if scores[o, i] > highest[i] else highest[i]
        highest, other = other, highest
    for o in range(scores.shape[0]):
        for i in range(rows):
            tally[o, i] += weight if scores[o, i] == highest[i] else 0.0
            hits += 1 if scores[o, i] == highest[i] else 0
    if hits > rows:
        remove_tied_votes(scores, highest, weight, tally)


@compilable
def remove_tied_votes(scores: Array, highest: Array, weight: float, tally: Array) -> None:
    """Remove the votes in rounds where several classes have the highest score."""
    for i in range(scores.shape[1]):
        holders = 0
        for o in range(scores.shape[0]):
            holders += 1 if scores[o, i] == highest[i] else 0
        if holders > 1:
            for o in range(scores.shape[0]):
                if scores[o, i] == highest[i]:
                    tally[o, i] -= weight


@compilable
def judge_one(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge the binary question "is it class `head`?"; a score of exactly 0 is a mistake."""
    sign = 1.0 if truth[0] == head else -1.0
    margin = sign * scores[0, head]
    where[0, 0], where[0, 1], amount[0] = 0, head, sign
    return 1, margin, margin <= 0.0, 1.0


@compilable
def ballot_one(
    scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array
) -> None:
    """A vote for or against class `head`; a score of 0 abstains."""
    for i in range(scores.shape[1]):
        score = scores[head, i]
        tally[head, i] += weight if score > 0.0 else (-weight if score < 0.0 else 0.0)


@dataclass(frozen=True)
class Classes:
    """The base of the multiclass games: a score per class; the highest is the answer."""

    classes: int
    structure = NO_STRUCTURE

    @property
    def outputs(self) -> int:
        """How many classes there are."""
        return self.classes

    alternatives = outputs

    def answer(self, scores: Floats, structure: Floats, starts: Ints) -> Ints:
        """The class with the highest score, the first of equals."""
        return np.asarray(np.argmax(scores, axis=1))

    def elect(self, tally: Floats, starts: Ints) -> Ints:
        """The class with the most votes, the first of equals."""
        return np.asarray(np.argmax(tally, axis=1))


@dataclass(frozen=True)
class Argmax(Classes):
    """One learner with a score per class; a mistake moves the truth up and the answer down."""

    heads = 1
    judge = staticmethod(judge_argmax)
    ballot = staticmethod(ballot_argmax)

    def settled(self, tally: Floats, left: Floats) -> Bools:
        """Whether the votes that are left cannot change the winner."""
        second, first = np.partition(tally, -2, axis=1)[:, -2:].T
        return np.asarray(first - second > left[0])

    def most_entries(self, rows: int) -> int:
        """Return 2: those of the truth and its rival."""
        return 2


@dataclass(frozen=True)
class OneVsRest(Classes):
    """A binary learner per class, each with its own survivals; the highest score or vote is the answer.

    References
    ----------
    Freund and Schapire, Large margin classification using the perceptron algorithm,
    Machine Learning 37 (1999), section 5.
    """

    heads = Classes.outputs
    judge = staticmethod(judge_one)
    ballot = staticmethod(ballot_one)

    def settled(self, tally: Floats, left: Floats) -> Bools:
        """Whether the votes that are left, for or against each class, cannot change the winner."""
        rows, first = np.arange(len(tally)), np.argmax(tally, axis=1)
        others = tally + left
        others[rows, first] = -np.inf
        return np.asarray(tally[rows, first] - left[first] > others.max(axis=1))

    def most_entries(self, rows: int) -> int:
        """Return 1: that of the class."""
        return 1
