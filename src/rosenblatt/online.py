"""The two-method learner of the sources: `predict`, then `add_example`, one example at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt import predictors
from rosenblatt._types import Data, Ints
from rosenblatt.games import Binary
from rosenblatt.hypotheses import Primal
from rosenblatt.kernels import as_kernel
from rosenblatt.learner import learn
from rosenblatt.ledger import Ledger
from rosenblatt.rows import Rows
from rosenblatt.rules import Rule, as_rule
from rosenblatt.run import Examples, Run, begin

ONCE: list[Ints] = [np.zeros(1, np.int64)]


class Classifier:
    """A binary learner that is told the truth after every answer.

    Feeding it examples one by one writes the ledger of `PerceptronClassifier.fit` with one epoch and
    no shuffling. A round costs the length of the row, or one kernel value per stored example.

    Parameters
    ----------
    kernel
        None for the linear learner, or anything that `PerceptronClassifier` takes but "precomputed".
    rule, learning_rate, fit_intercept, ties
        As for `PerceptronClassifier`.
    predictor
        Whose scores `predict` returns: "last", the current guess, or "best" or "average".

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
    ) -> None:
        if predictor not in predictors.GUESSES:
            raise ValueError(
                f"predict returns the score of one guess: {predictors.GUESSES}. Got {predictor!r}."
            )
        if ties not in ("mistake", "positive"):
            raise ValueError(f"ties must be 'mistake' or 'positive'. Got {ties!r}.")
        if isinstance(kernel, str):
            raise ValueError(
                f"An online learner needs a kernel it can evaluate on new examples. Got {kernel!r}."
            )
        self._kernel = None if kernel is None else as_kernel(kernel)
        self._rule = as_rule(rule, learning_rate)
        self._intercept = fit_intercept
        self._ties = ties
        self._predictor = predictor
        self._columns: dict[Any, int] | None = None
        self._width: int | None = None
        self._run: Run | None = None

    def predict(self, x: Any) -> float:
        """A real number whose sign is the answer; 0 before anything has been learned."""
        data = self._row(x)
        if self._run is None:
            return 0.0
        rows = Rows(data)
        if self._predictor == "last":
            return float(self._run.hypothesis.scores(rows)[0, 0])
        return float(predictors.scores(self._run, rows, self._predictor)[0][0, 0])

    def add_example(self, x: Any, y: int) -> None:
        """Tell the learner that y, −1 or +1, is the truth about x.

        Parameters
        ----------
        x
            A one-dimensional array, a sparse row, a dict of named features, or any object that the
            kernel takes; the same kind every time.
        """
        if y not in (-1, 1):
            raise ValueError(f"The label of an example must be -1 or +1. Got {y!r}.")
        data = self._row(x)
        if isinstance(x, Mapping):
            self._columns = {} if self._columns is None else self._columns
            for name in x:
                self._columns.setdefault(name, len(self._columns))
        elif hasattr(data, "shape"):
            self._width = data.shape[1]
        if self._run is None:
            features = None if self._kernel is not None else data.shape[1]
            self._run = begin(
                Binary(self._ties),
                features=features,
                kernel=self._kernel,
                rule=self._rule,
                intercept=self._intercept,
            )
        elif isinstance(self._run.hypothesis, Primal):
            self._run.hypothesis.widen(data.shape[1])
        learn(self._run, Examples(self._run.number(data), np.array([(y + 1) // 2])), ONCE)

    @property
    def ledger(self) -> Ledger:
        """The record of the rounds so far."""
        return begin(Binary(self._ties), features=0).ledger if self._run is None else self._run.ledger

    def _row(self, x: Any) -> Data:
        """One example as the learner takes it, checked against the ones before."""
        if self._kernel is not None and self._kernel.on_objects:
            return [x]
        named = isinstance(x, Mapping)
        if self._run is not None and named != (self._columns is not None):
            raise ValueError(
                f"Examples must be of one kind: named features or numbers. Got {type(x).__name__}."
            )
        return self._named(x) if named else self._numbered(x)

    def _named(self, x: Mapping[Any, float]) -> Any:
        """A sparse row; features never seen before are numbered behind the others."""
        known = self._columns or {}
        fresh = {name: len(known) + i for i, name in enumerate(n for n in x if n not in known)}
        columns = np.array([known[n] if n in known else fresh[n] for n in x], np.int32)
        values = np.array([float(v) for v in x.values()])
        order = np.argsort(columns)
        _finite(values)
        shape = (1, len(known) + len(fresh))
        return sp.csr_array((values[order], columns[order], np.array([0, len(x)], np.int64)), shape=shape)

    def _numbered(self, x: Any) -> Any:
        row = sp.csr_array(x) if sp.issparse(x) else np.atleast_2d(np.asarray(x))
        if not sp.issparse(x) and row.dtype not in (np.float32, np.float64):
            row = row.astype(np.float64)
        if row.ndim != 2 or row.shape[0] != 1:
            raise ValueError(f"An example is one row. Got an array of shape {row.shape}.")
        if self._width not in (None, row.shape[1]):
            raise ValueError(
                f"Every example must have {self._width} features, as the first. Got {row.shape[1]}."
            )
        _finite(row.data if sp.issparse(row) else row)
        return row


def _finite(values: Any) -> None:
    if not np.isfinite(values).all():
        raise ValueError("An example must be made of finite numbers. Got NaN or infinity.")
