"""What people pass to a learner that is told one example after the other, as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Floats
from rosenblatt.features.encoders import shown
from rosenblatt.kernels import as_kernel
from rosenblatt.rows import Csr, Rows, canonical


class Reader:
    """Examples as the learner takes them, each checked against the ones before.

    Parameters
    ----------
    kernel
        None for the linear learner, or anything that `PerceptronClassifier` takes but "precomputed".
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = None if kernel is None else as_kernel(kernel)
        if self.kernel is not None and self.kernel.domain == "precomputed":
            raise ValueError(
                f"An online learner needs a kernel it can evaluate on new examples. Got {kernel!r}."
            )
        self._columns: dict[Any, int] = {}
        self._named: bool | None = None
        self._width: int | None = None

    def expect(self, example: Any, rows: Any) -> None:
        """Let all examples be of the kind of this one, if it is the first."""
        if self._named is None:
            self._named = isinstance(example, Mapping)
            self._width = None if self._named else Rows(rows).width

    def rows(self, candidates: Any, learning: bool = False) -> Any:
        """A list of examples: a dense array, `Csr` arrays, or a list of objects.

        While learning without a kernel, whether dense rows are finite numbers is left to their scores to say.
        """
        on_objects = self.kernel is not None and self.kernel.on_objects
        candidates = candidates.to_numpy() if hasattr(candidates, "to_numpy") else candidates
        if isinstance(candidates, np.ndarray) and candidates.ndim == 2 and not on_objects:
            return self._array(candidates, learning)
        if isinstance(candidates, str | bytes | Mapping) or not (
            hasattr(candidates, "__len__") or sp.issparse(candidates)
        ):
            raise ValueError(f"Candidates are a list of rows. Got {type(candidates).__name__}.")
        if on_objects:
            return list(candidates)
        if sp.issparse(candidates):
            data = canonical(sp.csr_array(candidates, dtype=np.float64, copy=True))
            self._check(data.shape[1], data.data)
            return data if self.kernel is not None else Rows(data).csr
        if not len(candidates):
            raise ValueError("There must be at least one candidate. Got an empty list.")
        if isinstance(candidates[0], Mapping):
            return self._stacked([self.row(x, learning) for x in candidates])
        try:
            data = np.array(candidates, dtype=np.float64)
        except (TypeError, ValueError):
            data = np.empty(0)
        if data.ndim != 2:
            raise ValueError(f"Candidates must be rows of as many numbers each. Got {shown(candidates)}.")
        return self._array(data, learning)

    def _array(self, data: Any, learning: bool) -> Any:
        dtype = data.dtype if self.kernel is not None and data.dtype == np.float32 else np.float64
        data = np.ascontiguousarray(data, dtype)
        self._check(data.shape[1], None if learning and self.kernel is None else data)
        return data

    def _check(self, width: int, values: Any) -> None:
        if self._named:
            raise ValueError("Examples must be of one kind: named features or numbers. Got numbers.")
        if self._width not in (None, width):
            raise ValueError(f"Every example must have {self._width} features, as the first. Got {width}.")
        if values is not None:
            _finite(values)

    def _stacked(self, rows: Sequence[Csr]) -> Any:
        """Rows of named features, one below the other."""
        ends = np.cumsum([0, *(len(row.values) for row in rows)])
        width = max(row.width for row in rows)
        features = np.concatenate([row.features for row in rows])
        values = np.concatenate([row.values for row in rows])
        order = np.lexsort((features, np.repeat(np.arange(len(rows)), np.diff(ends))))
        if self.kernel is None:
            return Csr(ends, features[order], values[order], width)
        return sp.csr_array((values[order], features[order], ends), shape=(len(rows), width))

    def row(self, x: Any, learning: bool = False) -> Any:
        """One example as the learner takes it, checked against the ones before."""
        if self.kernel is not None and self.kernel.on_objects:
            return [x]
        named = isinstance(x, Mapping)
        if self._named is not None and self._named != named:
            raise ValueError(
                f"Examples must be of one kind: named features or numbers. Got {type(x).__name__}."
            )
        if not named:
            return self._row_of_numbers(x)
        if self.kernel is not None and not self.kernel.inner:
            raise ValueError(
                f"Named features need a kernel of inner products, such as RBF: {self.kernel!r} may not take "
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
            if self.kernel is None and not learning:  # a feature without a weight is as good as none
                return np.array([columns.get(name, -1) for name in x], np.int32), len(columns)
        if learning:
            return np.array([columns.setdefault(name, len(columns)) for name in x], np.int32), len(columns)
        new = {name: len(columns) + i for i, name in enumerate(name for name in x if name not in columns)}
        return np.array([columns.get(name, new.get(name)) for name in x], np.int32), len(columns) + len(new)

    def _row_of_numbers(self, x: Any) -> Any:
        """A row of its own, in float64 unless a kernel may take float32 as it is."""
        dtype = getattr(x, "dtype", None)
        dtype = dtype if self.kernel is not None and dtype == np.float32 else np.float64
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
        if self.kernel is not None:
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
