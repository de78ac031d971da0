"""One packed row at a time in the primal: its score, and rounds about it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from rosenblatt._types import Ints
from rosenblatt.engine.faults import failure
from rosenblatt.engine.run import Run
from rosenblatt.loops.packed import NO_ROOM, PLAYED, round_loop, score_row
from rosenblatt.rows import Csr, Rows, rows_of
from rosenblatt.rules import numbers_of

Packed: TypeAlias = tuple[bytes, bytes, int]
"""A row: the indices of its features (int32), their values (float64), and how many features there are."""


class PackedScores:
    """The scores of packed rows by a guess of a run with one output.

    Parameters
    ----------
    average
        Whether to score by the average of all guesses, not by the last.
    """

    def __init__(self, run: Run, *, average: bool) -> None:
        assert run.primal is not None
        self._book, self._hypothesis, self._average = run.book, run.primal, average
        self._constant = run.support.constant

    def score(self, row: Packed) -> float:
        """Return the score of a row, infinite or NaN if it has no finite one; unknown features weigh 0."""
        features, values, _ = row
        score: float = score_row(features, values, self._hypothesis.weights, self._constant)
        if self._average:
            delayed = score_row(features, values, self._hypothesis.delayed, self._constant)
            score -= delayed / max(self._book.rounds, 1)
        return score


class PackedRounds:
    """The driver of rounds about one packed row, for games with one output and one head.

    Passing arguments to compiled code is most of the cost of a short row, so nothing is passed that a
    round does not need. Nothing else may move the run meanwhile, and corrected rows are not kept. The book
    counts a round in the same moment as the guess moves: a Ctrl-C finds a round played or not.
    """

    def __init__(self, run: Run) -> None:
        assert run.primal is not None
        game, rule = run.game, run.rule
        self._run, self._book, self._hypothesis = run, run.book, run.primal
        self._loop = round_loop(game.judge, rule.step)
        required, parameters = numbers_of(rule)
        self._numbers = np.array([run.support.constant, required, 1.0, *parameters])
        self._most = game.most_entries(1)
        self._known = 0

    def play_weighted(self, row: Packed, truth: Ints, weight: float) -> None:
        """Play one round whose correction has this weight."""
        self._run.weighted |= weight != 1.0
        self._numbers[2] = weight
        try:
            self.play(row, truth)
        finally:
            self._numbers[2] = 1.0

    def play(self, row: Packed, truth: Ints) -> None:
        """Play one round; raises ValueError, and changes nothing, if the score or the step is not finite."""
        features, values, known = row
        hypothesis, book = self._hypothesis, self._book
        if known > self._known:
            self._run.widen(known)
            self._known = known
        outcome = self._loop(
            features, values, truth, hypothesis.weights, hypothesis.delayed, hypothesis.structure,
            self._numbers, self._most, book.corrections, book.entries, book.tally,
        )  # fmt: skip
        if outcome == NO_ROOM:
            book.trim()
            book.make_room(1, self._most)
            self.play(row, truth)
        elif outcome != PLAYED:
            raise failure(self._run, _unpacked(row), truth, 0)


def _unpacked(row: Packed) -> Rows:
    """Return a packed row as `Rows`."""
    features, values, width = row
    numbers = np.frombuffer(values)
    return rows_of(Csr(np.array([0, len(numbers)]), np.frombuffer(features, np.int32), numbers, width))
