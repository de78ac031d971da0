"""The base classes of the online learners."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.faults import NotFiniteError
from rosenblatt.engine.guesses import CHECKED_LATER, finite
from rosenblatt.engine.learner import learn
from rosenblatt.engine.packed import PackedScores
from rosenblatt.engine.passes import OneRoundDriver
from rosenblatt.engine.run import Examples
from rosenblatt.ledger import Ledger
from rosenblatt.online.reading import Reader
from rosenblatt.rows import count, rows_of
from rosenblatt.rules import Rule, as_rule
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.ranking import RankingTask

ONCE: list[Ints] = [np.zeros(1, np.int64)]
"""The order of an epoch with one example."""


Method = TypeVar("Method", bound=Callable[..., Any])

TOO_LARGE = (
    "The score of this example is not a finite number: it, or an example learned from before, has numbers "
    "too large to be added up. Scale the values; if it was one from before, begin a new learner."
)


def checked_predictor(predictor: str) -> str:
    """Return the predictor, which must be a single guess."""
    if predictor not in predictors.GUESSES:
        raise ValueError(f"predictor must be one of {', '.join(predictors.GUESSES)}. Got {predictor!r}.")
    return predictor


def in_own_words(method: Method) -> Method:
    """Let a method report a score that is not finite as one of this example: there is no matrix X."""

    @wraps(method)
    def reporting(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except NotFiniteError:
            raise NotFiniteError(TOO_LARGE) from None

    return cast(Method, reporting)


class Online:
    """A learner of one example at a time, whose predictor can be changed while it learns.

    Parameters
    ----------
    predictor
        The guess that answers first.
    keeps
        Whether corrected rows are kept even if this predictor does not need them.
    """

    def __init__(self, predictor: str, *, keeps: bool) -> None:
        self._predictor = checked_predictor(predictor)
        self._keeps, self._recent = keeps or predictor == "best", predictor == "recent"

    @property
    def predictor(self) -> str:
        """The guess that answers: "last", "best", "average" or "recent".

        Another can be set at any time, except that "recent", and without a kernel "best", need a learner that
        began with them.
        """
        return self._predictor

    @predictor.setter
    def predictor(self, predictor: str) -> None:
        possible = {"best": self._keeps, "recent": self._recent}
        if not possible.get(checked_predictor(predictor), True):
            raise ValueError(
                f"The predictor {predictor!r} needs a record of all rounds that this learner does not keep. "
                f"Begin one with predictor={predictor!r}."
            )
        self._choose(predictor)

    def _choose(self, predictor: str) -> None:
        """Answer by this predictor from now on."""
        self._predictor = predictor


class OnlineRows(Online):
    """A task on rows, one round at a time.

    Parameters
    ----------
    kernel, rule, learning_rate, predictor, budget
        As for `Classifier`.
    others
        Other arguments of `engine.begin`.
    """

    task: ClassificationTask | RankingTask

    def __init__(
        self, kernel: Any, rule: str | Rule, learning_rate: float, predictor: str, budget: Any, **others: Any
    ) -> None:
        super().__init__(predictor, keeps=kernel is not None)
        self._reader = Reader(kernel)
        self._run_options: dict[str, Any] = {
            "kernel": self._reader.kernel,
            "rule": as_rule(rule, learning_rate),
            "keep": self._keeps,
            "budget": as_budget(budget),
            "limited": True,
            "recent": self._recent,
            **others,
        }

    def _begin(self, task: ClassificationTask | RankingTask) -> None:
        """Take over a task whose run has begun."""
        self.task, self._run = task, task.run
        self._driver = OneRoundDriver(task.run) if task.run.kernel is None else None
        self._choose(self._predictor)

    def _choose(self, predictor: str) -> None:
        super()._choose(predictor)
        self._packed_scores = None
        if self._driver is not None and predictor in ("last", "average"):
            self._packed_scores = PackedScores(self._run, average=predictor == "average")

    @property
    def ledger(self) -> Ledger:
        """The record of the rounds so far."""
        return self._run.ledger

    @in_own_words
    def _play(self, rows: Any, truths: Ints) -> None:
        """Play one round on these rows."""
        if self._driver is None:
            learn(self._run, Examples(self._run.number(rows), truths, np.array([0, count(rows)])), ONCE)
        else:
            self._driver.play(rows, truths)

    def _not_finite(self, x: Any) -> ValueError:
        """Return the error about a score that is not finite; raise one about a value of x that is not."""
        self._reader.row(x)
        return NotFiniteError(TOO_LARGE)

    @in_own_words
    @CHECKED_LATER
    def _scores(self, data: Any) -> Floats:
        """Return the scores of these rows; 0 before anything has been learned."""
        rows = rows_of(data)
        if not self._run.book.rounds:
            return np.zeros(len(rows))
        if self._predictor == "last":
            return finite(self._run.hypothesis.scores(rows))[:, 0]
        return self._run.single_guess(self._predictor).scores(rows).scores[:, 0]
