"""A binary learner: `predict`, then `add_example`."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from rosenblatt.games import Binary
from rosenblatt.online.asked import AskedAboutRows
from rosenblatt.rules import Rule


class Classifier(AskedAboutRows):
    """A binary learner that is told the truth after every answer.

    Feeding it examples one by one writes the ledger of `PerceptronClassifier.fit` with one epoch and
    no shuffling, but for rounding. A round costs the length of the row, or one kernel value per stored
    example. Without a kernel, examples are stored for the predictor "best" only.

    Parameters
    ----------
    kernel
        None for the linear learner, or anything that `PerceptronClassifier` takes but "precomputed".
    rule, learning_rate, fit_intercept, ties
        As for `PerceptronClassifier`.
    predictor
        Whose scores `predict` returns: "last", the current guess, or "best", "average" or "recent".
    budget
        With a kernel: at most so many stored rows, or a `Budget`, so that a round costs the same for ever.

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
        super().__init__(
            Binary(ties), kernel, rule, learning_rate, predictor, intercept=fit_intercept, budget=budget
        )

    def predict(self, x: Any) -> float:
        """A real number whose sign is the answer; 0 before anything has been learned."""
        return float(self._scores(self._reader.row(x))[0])

    def add_example(self, x: Any, y: int) -> None:
        """Tell the learner that y, −1 or +1, is the truth about x.

        Parameters
        ----------
        x
            A one-dimensional array, a sparse row, a dict of named features, or any object that the
            kernel takes; the same kind every time.
        """
        if not isinstance(y, Real) or y not in (-1, 1):
            raise ValueError(f"The label of an example must be -1 or +1. Got {y!r}.")
        row = self._reader.row(x, learning=True)
        self._play(row, np.array([1 if y == 1 else 0]))
        self._reader.expect(x, row)
