"""The binary game: one row, one score, its sign is the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt._types import Array, Bools, Floats, Ints
from rosenblatt.games.game import NO_STRUCTURE
from rosenblatt.loops.compiling import compilable


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
    """Judge a score: add y·φ(x) unless y·⟨v, φ(x)⟩ > 0; a score of exactly 0 is a mistake."""
    sign = 2.0 * truth[0] - 1.0
    margin = sign * scores[0, 0]
    where[0, 0], where[0, 1], amount[0] = 0, 0, sign
    return 1, margin, margin <= 0.0, 1.0


@compilable
def judge_zero_positive(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a score, of which exactly 0 answers "positive": add y·φ(x) after a mistake."""
    sign = 2.0 * truth[0] - 1.0
    where[0, 0], where[0, 1], amount[0] = 0, 0, sign
    return 1, sign * scores[0, 0], (scores[0, 0] >= 0.0) != (truth[0] == 1), 1.0


@compilable
def ballot(scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array) -> None:
    """A vote for the sign of every score; a score of 0 abstains."""
    for i in range(scores.shape[1]):
        tally[0, i] += weight if scores[0, i] > 0.0 else (-weight if scores[0, i] < 0.0 else 0.0)


@compilable
def ballot_zero_positive(
    scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array
) -> None:
    """A vote for the sign of every score, 0 being positive."""
    for i in range(scores.shape[1]):
        tally[0, i] += weight if scores[0, i] >= 0.0 else -weight


@dataclass(frozen=True)
class Binary:
    """The binary game; truths are 0 and 1, for the labels −1 and +1 of the sources.

    Parameters
    ----------
    ties
        "mistake": a score of exactly 0 is wrong whatever the truth. "positive": it answers 1.
    """

    ties: str = "mistake"
    classes = 2
    outputs = 1
    structure = NO_STRUCTURE
    heads = 1
    alternatives = 1

    def __post_init__(self) -> None:
        if self.ties not in ("mistake", "positive"):
            raise ValueError(f"ties must be 'mistake' or 'positive'. Got {self.ties!r:.100}.")

    @property
    def judge(self) -> Any:
        """The judge for these `ties`: when a score is wrong; it adds y·φ(x)."""
        return judge if self.ties == "mistake" else judge_zero_positive

    @property
    def ballot(self) -> Any:
        """The ballot for these `ties`: a vote for the sign of the score."""
        return ballot if self.ties == "mistake" else ballot_zero_positive

    def most_entries(self, rows: int) -> int:
        """Return 1: the row's."""
        return 1

    def answer(self, scores: Floats, structure: Floats, starts: Ints) -> Ints:
        """Return 1 where the score is positive, else 0."""
        positive = scores[:, 0] > 0 if self.ties == "mistake" else scores[:, 0] >= 0
        return positive.astype(np.int64)

    def settled(self, tally: Floats, left: Floats) -> Bools:
        """Whether the votes that are left cannot change the winner."""
        return np.asarray(np.abs(tally[:, 0]) > left[0])

    def elect(self, tally: Floats, starts: Ints) -> Ints:
        """Return 1 where most votes are for it, else 0."""
        return self.answer(tally, tally, starts)
