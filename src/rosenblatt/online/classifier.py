"""A binary learner: `predict`, then `add_example`."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt import predictors
from rosenblatt._types import Array, Floats, Ints
from rosenblatt.games import Binary
from rosenblatt.kernels import as_kernel
from rosenblatt.learner import learn
from rosenblatt.ledger import Ledger
from rosenblatt.rows import Csr, Rows, canonical
from rosenblatt.rules import Rule, as_rule
from rosenblatt.run import Examples, begin
from rosenblatt.tables import OneRowTable

ONCE: list[Ints] = [np.zeros(1, np.int64)]


class Classifier:
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
        self._kernel = None if kernel is None else as_kernel(kernel)
        if self._kernel is not None and self._kernel.domain == "precomputed":
            raise ValueError(
                f"An online learner needs a kernel it can evaluate on new examples. Got {kernel!r}."
            )
        self._predictor = predictor
        self._columns: dict[Any, int] = {}
        self._named: bool | None = None
        self._width: int | None = None
        self._run = begin(
            Binary(ties),
            features=0 if kernel is None else None,
            kernel=self._kernel,
            rule=as_rule(rule, learning_rate),
            intercept=fit_intercept,
            keep=kernel is not None or predictor == "best",
        )
        self._table = OneRowTable(self._run) if kernel is None else None

    def predict(self, x: Any) -> float:
        """A real number whose sign is the answer; 0 before anything has been learned."""
        row = Rows(self._row(x))
        if not self._run.book.rounds:
            return 0.0
        if self._predictor == "last":
            return float(self._run.hypothesis.scores(row)[0, 0])
        return float(predictors.scores(self._run, row, self._predictor)[0][0, 0])

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
        row, truth = self._row(x, learning=True), 1 if y == 1 else 0
        if self._table is None:
            learn(self._run, Examples(self._run.number(row), np.array([truth], np.int8)), ONCE)
        else:
            self._table.play(row, truth)
        if self._named is None:
            self._named = isinstance(x, Mapping)
            self._width = None if self._named else Rows(row).width

    @property
    def ledger(self) -> Ledger:
        """The record of the rounds so far."""
        return self._run.ledger

    def _row(self, x: Any, learning: bool = False) -> Any:
        """One example as the learner takes it, checked against the ones before."""
        if self._kernel is not None and self._kernel.on_objects:
            return [x]
        named = isinstance(x, Mapping)
        if self._named is not None and self._named != named:
            raise ValueError(
                f"Examples must be of one kind: named features or numbers. Got {type(x).__name__}."
            )
        if not named:
            return self._row_of_numbers(x)
        if self._kernel is not None and not self._kernel.inner:
            raise ValueError(
                f"Named features need a kernel of inner products, such as RBF: {self._kernel!r} may not take "
                "rows that get longer as names come in. Pass arrays."
            )
        values = _numbers(x)
        features, width = self._features_of(x, learning)
        return Csr(np.array([0, len(values)]), features, values, width)

    def _features_of(self, x: Mapping[Any, float], learning: bool) -> tuple[Array, int]:
        """The numbers of named features, and how many there are; new ones come behind the others."""
        columns = self._columns
        try:
            return np.fromiter(map(columns.__getitem__, x), np.int32, len(x)), len(columns)
        except KeyError:
            if self._kernel is None and not learning:  # a feature without a weight is as good as none
                return np.array([columns.get(name, -1) for name in x], np.int32), len(columns)
        if learning:
            return np.array([columns.setdefault(name, len(columns)) for name in x], np.int32), len(columns)
        new = {name: len(columns) + i for i, name in enumerate(name for name in x if name not in columns)}
        return np.array([columns.get(name, new.get(name)) for name in x], np.int32), len(columns) + len(new)

    def _row_of_numbers(self, x: Any) -> Any:
        """A row of its own, in float64 unless a kernel may take float32 as it is."""
        dtype = getattr(x, "dtype", None)
        dtype = dtype if self._kernel is not None and dtype == np.float32 else np.float64
        if sp.issparse(x):
            row = x.reshape(1, -1) if x.ndim == 1 else x
            data = canonical(sp.csr_array(row, dtype=dtype, copy=True))
        else:
            data = np.array(x, dtype=dtype, ndmin=2)
        if data.ndim != 2 or data.shape[0] != 1:
            raise ValueError(f"An example is one row. Got an array of shape {data.shape}.")
        if self._width not in (None, data.shape[1]):
            raise ValueError(
                f"Every example must have {self._width} features, as the first. Got {data.shape[1]}."
            )
        _finite(data.data if sp.issparse(x) else data)
        if self._kernel is not None:
            return data
        if sp.issparse(x):
            return Rows(data).csr
        width = data.shape[1]
        return Csr(np.array([0, width]), np.arange(width, dtype=np.int32), data[0], width)


TEXTS = frozenset({str, bytes, np.str_, np.bytes_})


def _numbers(x: Mapping[Any, float]) -> Floats:
    try:
        values = np.fromiter(x.values(), np.float64, len(x))
        if not TEXTS.isdisjoint(map(type, x.values())):  # NumPy takes "12" for 12
            values = np.array([np.nan])
    except (TypeError, ValueError, OverflowError):
        values = np.array([np.nan])
    if not np.isfinite(values).all():
        name = next(name for name, value in x.items() if not _is_finite_number(value))
        advice = f": for a category, use a name for each, as in {{'{name}={x[name]}': 1}}"
        raise ValueError(
            f"The value of a named feature must be a finite number. Got {x[name]!r} for {name!r}"
            + (advice if isinstance(x[name], str) else "")
            + "."
        )
    return values


def _is_finite_number(value: Any) -> bool:
    try:
        return isinstance(value, Real) and bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def _finite(values: Any) -> None:
    if not np.isfinite(values).all():
        raise ValueError("An example must be made of finite numbers. Got NaN or infinity.")
