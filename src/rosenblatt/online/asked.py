"""The base class of the online learners of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.learner import learn
from rosenblatt.engine.packed import PackedScores
from rosenblatt.engine.passes import OneRoundDriver
from rosenblatt.engine.run import Examples, begin, not_finite
from rosenblatt.games import Game
from rosenblatt.ledger import Ledger
from rosenblatt.online.reading import Reader
from rosenblatt.rows import Rows, count
from rosenblatt.rules import Rule, as_rule

ONCE: list[Ints] = [np.zeros(1, np.int64)]
"""The order of an epoch with one example."""


def checked_predictor(predictor: str) -> str:
    """Return the predictor, which must be a single guess."""
    if predictor not in predictors.GUESSES:
        raise ValueError(f"predictor must be one of {', '.join(predictors.GUESSES)}. Got {predictor!r}.")
    return predictor


class AskedAboutRows:
    """A run of a game on rows, one round at a time."""

    def __init__(
        self,
        game: Game,
        kernel: Any,
        rule: str | Rule,
        learning_rate: float,
        predictor: str,
        *,
        intercept: bool = False,
        budget: Any = None,
    ) -> None:
        self._predictor = checked_predictor(predictor)
        self._reader = Reader(kernel)
        self._run = begin(
            game,
            features=0 if kernel is None else None,
            kernel=self._reader.kernel,
            rule=as_rule(rule, learning_rate),
            intercept=intercept,
            keep=kernel is not None or predictor == "best",
            budget=as_budget(budget),
            limited=True,
            recent=predictor == "recent",
        )
        self._driver = OneRoundDriver(self._run) if kernel is None else None
        self._packed_scores = None
        if kernel is None and predictor in ("last", "average"):
            self._packed_scores = PackedScores(self._run, average=predictor == "average")

    @property
    def ledger(self) -> Ledger:
        """The record of the rounds so far."""
        return self._run.ledger

    def _play(self, rows: Any, truths: Ints) -> None:
        """Play one round on these rows."""
        if self._driver is None:
            learn(self._run, Examples(self._run.number(rows), truths, np.array([0, count(rows)])), ONCE)
        else:
            self._driver.play(rows, truths)

    def _not_finite(self, x: Any) -> ValueError:
        """Return the error about a score that is not finite; raise one about a value of x that is not."""
        self._reader.row(x)
        return not_finite(0)

    def _scores(self, data: Any) -> Floats:
        """Return the scores of these rows; 0 before anything has been learned."""
        rows = Rows(data)
        if not self._run.book.rounds:
            return np.zeros(len(rows))
        if self._predictor == "last":
            return self._run.hypothesis.scores(rows)[:, 0]
        return predictors.scores(self._run, rows, self._predictor)[0][:, 0]
