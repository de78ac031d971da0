"""The online binary classifier: `predict`, then `add_example`."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from rosenblatt._types import Ints
from rosenblatt.engine.faults import NotFiniteError
from rosenblatt.engine.packed import PackedRounds
from rosenblatt.online.base import OnlineRows
from rosenblatt.rules import Rule
from rosenblatt.tasks.classification import ClassificationTask

TRUTHS: dict[Any, Ints] = {-1: np.array([0]), 1: np.array([1])}
"""The truths of the binary game, by label."""

CLASSES = np.array([-1, 1])


class Classifier(OnlineRows):
    """An online binary classifier, which learns from one example at a time.

    Learning examples one by one gives the ledger of `PerceptronClassifier.fit` with one epoch and no
    shuffling, except for rounding. A round costs the length of the row, or one kernel value per support
    vector. Without a kernel, examples are stored for the predictor "best" only.

    Parameters
    ----------
    kernel
        None for the linear learner, or anything that `PerceptronClassifier` takes except "precomputed".
    rule, learning_rate, fit_intercept, ties
        As for `PerceptronClassifier`.
    predictor
        Whose scores `predict` returns: "last", the current guess, or "best", "average" or "recent". It can be
        changed later, but not to "recent" nor, without a kernel, to "best".
    budget
        With a kernel: the number of support vectors at most, or a `Budget`, so that the cost of a round is
        bounded.

    Examples
    --------
    >>> learner = Classifier()
    >>> learner.predict({"free": 1, "money": 2})
    0.0
    >>> learner.add_example({"free": 1, "money": 2}, +1)
    >>> learner.add_example({"lunch": 1, "tomorrow": 1}, -1)
    >>> learner.predict({"money": 1}) > 0 > learner.predict({"lunch": 1, "tomorrow": 1})
    True
    >>> learner.ledger.mistakes
    array([0, 1])
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        rule: str | Rule = "perceptron",
        learning_rate: float = 1.0,
        fit_intercept: bool = True,
        ties: str = "mistake",
        predictor: str = "last",
        budget: Any = None,
    ) -> None:
        if ties not in ("mistake", "positive"):
            raise ValueError(f"ties must be 'mistake' or 'positive'. Got {ties!r}.")
        super().__init__(kernel, rule, learning_rate, predictor, budget, intercept=fit_intercept)
        task = ClassificationTask(self._run_options, ties=ties)
        task.begin_with(0, CLASSES)
        self._begin(task)
        self._packed_rounds = None if self._packed_scores is None else PackedRounds(self._run)

    def predict(self, x: Any) -> float:
        """Return the score of x, whose sign is the predicted label; 0 before anything has been learned."""
        if self._packed_scores is None:
            return float(self._scores(self._reader.row(x))[0])
        score = self._packed_scores.score(self._reader.packed(x))
        if score - score != 0.0:  # it is infinite or NaN
            raise self._not_finite(x)
        return score

    def add_example(self, x: Any, y: int) -> None:
        """Learn from x with its label y, −1 or +1.

        Parameters
        ----------
        x
            A one-dimensional array, a sparse row, a dict of named features, or any object that the
            kernel takes; the same kind in every call.
        """
        truth = TRUTHS.get(y) if isinstance(y, (int, Real)) and y is not True else None
        if truth is None:
            raise ValueError(f"The label of an example must be -1 or +1. Got {y!r}.")
        reader, rounds = self._reader, self._packed_rounds
        if rounds is None:
            row = reader.row(x, learning=True)
            self._play(row, truth)
        else:
            row = reader.packed(x, True)
            try:
                rounds.play(row, truth)
            except NotFiniteError:
                raise self._not_finite(x) from None
        if reader.named is None:
            reader.expect(x, row)
