"""Scaling of columns of numbers, kept with a model and applied to all rows that it gets.

Rows of numbers only are dense: every column is shifted and divided, or replaced by ranks. Rows with strings,
rows of objects and those of svmlight are sparse: what they do not store is 0 and stays 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data, Floats, Ints
from rosenblatt.data.blocks import Block


class Scaling(ABC):
    """What replaces the values of columns."""

    @abstractmethod
    def apply(self, X: Data) -> Data:
        """Return rows with scaled values; features that the scaling does not know keep theirs."""

    @abstractmethod
    def noted(self) -> dict[str, Any]:
        """Return the numbers to keep with a model, as values that JSON can hold."""

    def block(self, block: Block) -> Block:
        """Return a block with scaled rows."""
        return replace(block, X=self.apply(block.X))


@dataclass(frozen=True, eq=False)
class Standard(Scaling):
    """Columns shifted and divided: (x − shift) / scale.

    Parameters
    ----------
    shift
        What is subtracted from every column; None for sparse rows.
    scale
        What every column is divided by.

    Examples
    --------
    >>> Standard(np.array([2.0, 200.0]), np.array([1.0, 100.0])).apply(np.array([[1.0, 100.0], [3.0, 200.0]]))
    array([[-1., -1.],
           [ 1.,  0.]])
    """

    shift: Floats | None
    scale: Floats

    def apply(self, X: Data) -> Data:
        """Return shifted and divided rows."""
        if self.shift is not None:
            return np.asarray((_dense(X) - self.shift) / self.scale)
        scale = np.ones(max(X.shape[1], len(self.scale)))
        scale[: len(self.scale)] = self.scale
        return _with_values(X, X.data / scale[X.indices])

    def noted(self) -> dict[str, Any]:
        """Return the method, what is subtracted and what is divided by."""
        shift = None if self.shift is None else self.shift.tolist()
        return {"method": "standard", "shift": shift, "scale": self.scale.tolist()}


@dataclass(frozen=True, eq=False)
class Quantiles(Scaling):
    """Values replaced by their ranks among the quantiles of their column.

    Of dense rows, a rank is the share of quantiles below the value, between 0 and 1; equals count half. Of
    sparse rows, quantiles are those of magnitudes, and a rank is the share not above the value's, with its
    sign: 0 stays 0, larger values stay larger, and a feature that is always 1 stays 1.

    Parameters
    ----------
    dense
        Whether rows are dense.
    starts
        Where the values of each column begin, and where the last ones end.
    values
        The different quantiles of each column, ascending. A column without any is left as it is.
    counts
        How many quantiles of the column are not above each of them.

    Examples
    --------
    >>> column = Quantiles(True, np.array([0, 2]), np.array([1.0, 5.0]), np.array([3, 4]))
    >>> column.apply(np.array([[0.0], [1.0], [3.0], [5.0], [9.0]])).ravel()
    array([0.1, 0.4, 0.7, 0.8, 0.9])
    """

    dense: bool
    starts: Ints
    values: Floats
    counts: Ints

    def apply(self, X: Data) -> Data:
        """Return ranks."""
        if self.dense:
            X = _dense(X)
            return np.column_stack([self._ranks(j, X[:, j]) for j in range(X.shape[1])])
        columns = X.tocsc()
        data = columns.data.astype(np.float64)
        for j in np.flatnonzero(np.diff(columns.indptr[: len(self.starts)])).tolist():
            part = slice(columns.indptr[j], columns.indptr[j + 1])
            data[part] = np.copysign(self._ranks(j, np.abs(data[part])), data[part]) * (data[part] != 0)
        return _with_values(columns, data).tocsr()

    def _ranks(self, column: int, given: Floats) -> Floats:
        part = slice(self.starts[column], self.starts[column + 1])
        values, counts = self.values[part], np.concatenate([[0], self.counts[part]])
        if not len(values):
            return given
        not_above = counts[np.searchsorted(values, given, "right")]
        if not self.dense:
            return np.asarray(np.maximum(not_above, 0.5) / counts[-1])
        below = counts[np.searchsorted(values, given, "left")]
        return np.asarray((below + not_above + 1) / (2 * (counts[-1] + 1)))

    def noted(self) -> dict[str, Any]:
        """Return the method, and the quantiles of all columns, one after the other."""
        arrays = {name: getattr(self, name).tolist() for name in ("starts", "values", "counts")}
        return {"method": "quantile", "dense": self.dense, **arrays}


def _dense(X: Data) -> Floats:
    """Return rows as an array, also those of objects, for a model that learned from a table of numbers."""
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def _with_values(X: Any, values: Floats) -> Any:
    """Return a sparse matrix with other values at the same indices."""
    result = type(X)((values, X.indices, X.indptr), X.shape)
    result.has_canonical_format = X.has_canonical_format
    return result


def of_notes(noted: Any, features: int, *, dense: bool) -> Scaling:
    """Return the scaling that a model notes; raise ValueError for notes that `noted` does not make.

    Parameters
    ----------
    features
        How many features the model has.
    dense
        Whether it learned from dense rows.
    """
    scaling = _read(noted)
    if scaling is None or not _fits(scaling, features, dense):
        raise ValueError(
            f"The model's note on scaling is {noted!r:.60}, which no fit writes: learn it again."
        )
    return scaling


def _read(noted: Any) -> Scaling | None:
    """Return the scaling of a note; None if it is not made of such values."""
    if not isinstance(noted, Mapping):
        return None
    if noted.keys() == {"method", "shift", "scale"} and noted["method"] == "standard":
        shift, scale = noted["shift"], noted["scale"]
        if _numbers(scale) and (shift is None or (_numbers(shift) and len(shift) == len(scale))):
            return Standard(None if shift is None else np.array(shift, float), np.array(scale, float))
    if noted.keys() == {"method", "dense", "starts", "values", "counts"} and noted["method"] == "quantile":
        starts, values, counts = (noted[name] for name in ("starts", "values", "counts"))
        integers = _integers(starts) and _integers(counts)
        if integers and _numbers(values) and len(values) == len(counts) and type(noted["dense"]) is bool:
            found = np.array(starts, np.int64), np.array(values, float), np.array(counts, np.int64)
            return Quantiles(noted["dense"], *found)
    return None


def _numbers(values: Any) -> bool:
    """Whether this is a list of finite numbers."""
    return isinstance(values, list) and all(type(v) in (int, float) and abs(v) < 2**1000 for v in values)


def _integers(values: Any) -> bool:
    """Whether this is a list of integers that are not below 0."""
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 2**53 for v in values)


def _fits(scaling: Any, features: int, dense: bool) -> bool:
    """Whether a scaling can be applied to rows of this many features."""
    if isinstance(scaling, Standard):
        known, for_dense = len(scaling.scale), scaling.shift is not None
        right = bool((scaling.scale > 0).all())
    else:
        known, for_dense, right = len(scaling.starts) - 1, scaling.dense, _ascend(scaling)
    return right and for_dense == dense and (known == features if dense else 0 <= known <= features)


def _ascend(scaling: Quantiles) -> bool:
    """Whether the values and counts of every column ascend."""
    starts, values, counts = scaling.starts, scaling.values, scaling.counts
    if not len(starts) or starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any():
        return False
    inner = np.ones(max(len(values) - 1, 0), bool)
    inner[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(values))] - 1] = False
    rise = (np.diff(values) > 0) & (np.diff(counts) > 0)
    return bool(rise[inner].all() and (counts > 0).all())
