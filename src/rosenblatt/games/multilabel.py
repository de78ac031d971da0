"""The multilabel game: one row, a binary question about each label; a learner per label answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt._types import Array, Bools, Floats, Ints
from rosenblatt.games.game import NO_STRUCTURE
from rosenblatt.games.multiclass import ballot_one
from rosenblatt.loops.compiling import compilable


@compilable
def judge_label(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge the question "has the row the label `head`?"; a score of exactly 0 is a mistake."""
    sign = 1.0 if truth[0, head] > 0 else -1.0
    margin = sign * scores[0, head]
    where[0, 0], where[0, 1], amount[0] = 0, head, sign
    return 1, margin, margin <= 0.0, 1.0


@compilable
def judge_label_zero_positive(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge the question "has the row the label `head`?", which a score of exactly 0 answers with yes."""
    sign = 1.0 if truth[0, head] > 0 else -1.0
    where[0, 0], where[0, 1], amount[0] = 0, head, sign
    return 1, sign * scores[0, head], (scores[0, head] >= 0.0) != (truth[0, head] > 0), 1.0


@compilable
def ballot_label_zero_positive(
    scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array
) -> None:
    """A vote for or against the label `head`, a score of 0 being for it."""
    for i in range(scores.shape[1]):
        tally[head, i] += weight if scores[head, i] >= 0.0 else -weight


@dataclass(frozen=True)
class MultiLabel:
    """A binary learner per label, each with its own survivals; a row may have any number of labels.

    The truth about a row is a vector: for each label 1 if the row has it, else 0. Each head plays the game
    `Binary` on its column of the truths, as if it were alone.

    Parameters
    ----------
    labels
        How many labels there are.
    ties
        As for `Binary`: what a score of exactly 0 is.

    Examples
    --------
    >>> MultiLabel(3).answer(np.array([[2.0, -1.0, 0.5]]), np.empty(0), np.array([0, 1]))
    array([[1, 0, 1]])
    """

    labels: int
    ties: str = "mistake"
    structure = NO_STRUCTURE

    def __post_init__(self) -> None:
        if not isinstance(self.labels, int | np.integer) or self.labels < 1:
            raise ValueError(f"labels must be how many there are, at least 1. Got {self.labels!r:.100}.")
        if self.ties not in ("mistake", "positive"):
            raise ValueError(f"ties must be 'mistake' or 'positive'. Got {self.ties!r:.100}.")

    @property
    def outputs(self) -> int:
        """How many labels there are."""
        return self.labels

    heads = alternatives = truth_columns = outputs

    @property
    def judge(self) -> Any:
        """The judge for these `ties`: when the score of a label is wrong; it adds ±φ(x) to that label."""
        return judge_label if self.ties == "mistake" else judge_label_zero_positive

    @property
    def ballot(self) -> Any:
        """The ballot for these `ties`: a vote for or against a label."""
        return ballot_one if self.ties == "mistake" else ballot_label_zero_positive

    def most_entries(self, rows: int) -> int:
        """Return 1: that of the label."""
        return 1

    def answer(self, scores: Floats, structure: Floats, starts: Ints) -> Ints:
        """Return, for each row and label, 1 where the score is positive, else 0."""
        return (scores > 0 if self.ties == "mistake" else scores >= 0).astype(np.int64)

    def settled(self, tally: Floats, left: Floats) -> Bools:
        """Whether the votes that are left cannot change the answer about any label."""
        return np.asarray((np.abs(tally) > left).all(axis=1))

    def elect(self, tally: Floats, starts: Ints) -> Ints:
        """Return 1 where most votes are for the label, else 0."""
        return self.answer(tally, tally, starts)
