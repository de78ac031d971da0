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
from rosenblatt.engine.run import Examples, Orders, Run
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import Ledger
from rosenblatt.online.making import reader_of
from rosenblatt.online.reading import Reader
from rosenblatt.rows import count, rows_of
from rosenblatt.rules import Rule, as_rule, auto_rule
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.ranking import RankingTask

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


def given(names: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a constructor: its local names, when it begins."""
    return {name: value for name, value in names.items() if name not in ("self", "__class__")}


def undecided_online(kernel: Kernel) -> str:
    """Return the error about a kernel whose gamma only a whole data set could decide."""
    return (
        f"An online learner has no data to take gamma from: give it a number, as gamma=0.1. Got {kernel!r}."
    )


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

    Attributes
    ----------
    parameters
        The arguments of the constructor.
    """

    parameters: dict[str, Any]

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
    kernel, rule, learning_rate, predictor, budget, features
        As for `Classifier`.
    others
        Other arguments of `engine.begin`.
    """

    task: ClassificationTask | RankingTask

    def __init__(
        self,
        kernel: Kernel | None,
        rule: str | Rule,
        learning_rate: float,
        predictor: str,
        budget: Any,
        features: Any = None,
        **others: Any,
    ) -> None:
        if kernel is not None and kernel.undecided:
            raise ValueError(undecided_online(kernel))
        super().__init__(predictor, keeps=kernel is not None)
        self._reader = reader_of(kernel, features)
        self._run_options: dict[str, Any] = {
            "kernel": self._reader.kernel,
            "rule": as_rule(rule, learning_rate, auto_rule(kernel=kernel is not None)),
            "keep": self._keeps,
            "budget": as_budget(budget),
            "limited": True,
            "recent": self._recent,
            **others,
        }

    def take_over(self, task: Any) -> None:
        """Continue with a task whose run has begun."""
        self.task = task
        self._run: Run = task.run
        self._driver = OneRoundDriver(task.run) if task.run.kernel is None else None
        self._choose(self._predictor)

    def _choose(self, predictor: str) -> None:
        super()._choose(predictor)
        self._packed_scores = None
        if self._packs and predictor in ("last", "average"):
            self._packed_scores = PackedScores(self._run, average=predictor == "average")

    @property
    def _packs(self) -> bool:
        """Whether rows are scored and played packed: there is one score, of a guess that is weights."""
        return self._driver is not None and self._run.game.outputs == 1

    @property
    def reader(self) -> Reader:
        """What turns examples into rows."""
        return self._reader

    @property
    def ledger(self) -> Ledger:
        """The record of the rounds so far."""
        return self._run.ledger

    def settled(self) -> Run:
        """Return the run, after what was seen is counted in it: rounds themselves are, by the book alone."""
        run = self._run
        run.examples_seen = run.book.rounds
        return run

    @in_own_words
    def _play(self, rows: Any, truths: Ints, weight: float = 1.0) -> None:
        """Play one round on these rows."""
        if self._driver is None:
            weights = None if weight == 1.0 else np.array([weight])
            starts = np.array([0, count(rows)])
            examples = Examples(self._run.number(rows), truths, starts, weights)
            learn(self._run, examples, Orders(1, 1, None))
        else:
            self._driver.play(rows, truths, weight)

    def _not_finite(self, x: Any) -> ValueError:
        """Return the error about a score that is not finite; raise one about a value of x that is not."""
        self._reader.row(x)
        return NotFiniteError(TOO_LARGE)

    @in_own_words
    @CHECKED_LATER
    def _scores(self, data: Any) -> Floats:
        """Return the scores of these rows (rows × outputs); 0 before anything has been learned."""
        rows, run = rows_of(data), self._run
        if not run.book.rounds:
            return np.zeros((len(rows), run.game.outputs))
        if self._predictor == "last":
            return finite(run.hypothesis.scores(rows))
        return run.single_guess(self._predictor).scores(rows).scores
