"""Conversion of single examples into rows, for the online learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Floats
from rosenblatt.engine.packed import Packed
from rosenblatt.features.dicts import Unreadable, is_number, no_value
from rosenblatt.features.encoders import shown
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.kernels import Kernel
from rosenblatt.online.packing import (
    ALL_BITS,
    INDICES,
    PACKED_UNKNOWN,
    SEQUENCES,
    UNKNOWN,
    UNKNOWNS,
    VALUES,
    NotNumbers,
    all_indices,
    packed_numbers,
    surely_finite,
)
from rosenblatt.rows import Csr, canonical, rows_of


class Reader:
    """Converts examples into rows, and checks each against the ones before.

    Parameters
    ----------
    kernel
        The kernel; None for the linear learner.

    Attributes
    ----------
    named
        Whether examples are named features; None before the first.
    """

    def __init__(self, kernel: Kernel | None) -> None:
        self.kernel = kernel
        if kernel is not None and kernel.domain == "precomputed":
            raise ValueError(
                f"An online learner needs a kernel it can evaluate on new examples. Got {kernel!r}."
            )
        self.state = None, None, Vectoriser()

    @property
    def state(self) -> tuple[bool | None, int | None, Vectoriser]:
        """Whether examples are named, the width of those that are not, and the ids of names."""
        return self.named, self._width, self._vectoriser

    @state.setter
    def state(self, state: tuple[bool | None, int | None, Vectoriser]) -> None:
        self._take(*state)

    def _take(self, named: bool | None, width: int | None, vectoriser: Vectoriser) -> None:
        self.named, self._width, self._vectoriser = named, width, vectoriser
        self._ids = self._vectoriser.ids
        self._latest: tuple[list[Any], bytes] = [], b""

    def names(self) -> list[str] | None:
        """Return the names of all features, by index; None if features have none."""
        return self.state[2].names() if self.named else None

    def expect(self, example: Any, rows: Any) -> None:
        """Fix the kind of all later examples, if this one is the first; `rows` may be packed."""
        if self.named is None:
            self.named = isinstance(example, Mapping)
            width = rows[-1] if isinstance(rows, tuple) else rows_of(rows).width
            self._width = None if self.named else width

    def rows(self, candidates: Any, learning: bool = False) -> Any:
        """Return a list of examples as a dense array, `Csr` arrays, or a list of objects.

        While learning without a kernel, dense rows are not checked for NaN and infinity: their scores are.
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
            return data if self.kernel is not None else rows_of(data).csr
        if not len(candidates):
            raise ValueError("There must be at least one candidate. Got an empty list.")
        if isinstance(candidates[0], Mapping):
            return self._stacked([self.row(x, learning) for x in candidates])
        try:
            data = np.array(candidates, dtype=np.float64)
        except (TypeError, ValueError):
            data = np.empty(0)
        if data.ndim != 2:
            raise ValueError(f"Candidates must be rows of equal length. Got {shown(candidates)}.")
        return self._array(data, learning)

    def _array(self, data: Any, learning: bool) -> Any:
        dtype = data.dtype if self.kernel is not None and data.dtype == np.float32 else np.float64
        data = np.ascontiguousarray(data, dtype)
        self._check(data.shape[1], None if learning and self.kernel is None else data)
        return data

    def _check(self, width: int, values: Any) -> None:
        if self.named:
            raise ValueError("Examples must be of one kind: named features or numbers. Got numbers.")
        self._check_width(width)
        if values is not None:
            _finite(values)

    def _stacked(self, rows: Sequence[Csr]) -> Any:
        """Return rows of named features stacked into one matrix."""
        ends = np.cumsum([0, *(len(row.values) for row in rows)])
        width = max(row.width for row in rows)
        features = np.concatenate([row.features for row in rows])
        values = np.concatenate([row.values for row in rows])
        order = np.lexsort((features, np.repeat(np.arange(len(rows)), np.diff(ends))))
        if self.kernel is None:
            return Csr(ends, features[order], values[order], width)
        return sp.csr_array((values[order], features[order], ends), shape=(len(rows), width))

    def row(self, x: Any, learning: bool = False) -> Any:
        """Return one example as a row, checked against the ones before."""
        if self.kernel is not None and self.kernel.on_objects:
            return [x]
        named = isinstance(x, Mapping)
        if self.named is not None and self.named != named:
            raise _other_kind(x)
        if not named:
            return self._row_of_numbers(x)
        if self.kernel is not None and not self.kernel.inner:
            raise ValueError(
                f"Named features need a kernel of inner products, such as RBF: {self.kernel!r} may not take "
                "rows that get longer as names come in. Pass arrays."
            )
        return self._row_of_names(x, learning)

    def packed(self, x: Any, learning: bool = False) -> Packed:
        """Return one example for a learner without a kernel, packed.

        Values are not checked for NaN and infinity: the score is, and `row` raises an error that names the
        value. The indices of the latest names are cached: an example is often learned right after it was
        predicted, and in many streams all examples have the same names.
        """
        if not isinstance(x, dict) and (type(x) in SEQUENCES or not isinstance(x, Mapping)):
            return self._packed_numbers(x)
        if self.named is False:
            raise _other_kind(x)
        names, (latest, features) = [*x], self._latest
        try:
            values = VALUES[len(names)](*x.values())
        except NotNumbers:  # strings, lists or dicts
            found = self._row_of_names(x, learning)
            return found.features.tobytes(), found.values.tobytes(), found.width
        try:
            cached = names == latest
        except (TypeError, ValueError):  # names whose == is not a bool, such as pandas.NA
            cached = False
        if not cached:
            features = INDICES[len(names)](*map(self._ids.get, names, UNKNOWNS))
            self._latest = names, features
            if not learning:
                return features, values, self._vectoriser.width
        if ALL_BITS in features and PACKED_UNKNOWN in features:
            features = self._packed_indices(x, learning)
            self._latest = names, features
        return features, values, self._vectoriser.width

    def _packed_indices(self, x: Mapping[Any, float], learning: bool) -> bytes:
        """Return the indices of names, some of them unknown; while learning, new ones get the next."""
        if learning and not surely_finite(x.values()):
            _check_numbers(x)  # before names are added: a bad example changes nothing
        return INDICES[len(x)](*self._vectoriser.ids_of(x, learning))

    def _packed_numbers(self, x: Any) -> Packed:
        if self.named:
            raise _other_kind(x)
        values = packed_numbers(x)
        if values is None:
            features, numbers, width = self._row_of_numbers(x)[1:]
            return features.astype(np.uint32).tobytes(), numbers.tobytes(), width
        width = len(values) // 8
        self._check_width(width)
        return all_indices(width), values, width

    def _check_width(self, width: int) -> None:
        if self._width not in (None, width):
            raise ValueError(f"Every example must have {self._width} features, as the first. Got {width}.")

    def _row_of_names(self, x: Mapping[Any, Any], learning: bool) -> Csr:
        """Return named features as a row; new ones get ids while learning.

        With a kernel, unknown features count in the norm of a row, so they get ids for this row alone.
        """
        vectoriser = self._vectoriser
        try:
            names, given = vectoriser.features_of(x)
        except Unreadable as fault:
            raise ValueError(f"{fault}.") from None
        features, values = vectoriser.pairs(names, given, learning)
        width = vectoriser.width
        if self.kernel is not None and not learning:
            new: dict[Any, int] = {}
            for i in np.flatnonzero(features == UNKNOWN).tolist():
                key = names[i], given[i] if isinstance(given[i], str) else None
                features[i] = new.setdefault(key, width + len(new))
            width += len(new)
        elif self.kernel is None:
            known = features != UNKNOWN
            features, values = features[known], values[known]
        if len(set(features.tolist())) < len(features):  # some print alike
            features, values = _summed(features, values)
        elif self.kernel is not None:  # which keeps rows, in their canonical form
            order = np.argsort(features)
            features, values = features[order], values[order]
        return Csr(np.array([0, len(values)]), features, values, width)

    def _row_of_numbers(self, x: Any) -> Any:
        """Return a copy as one row, in float64, or in float32 if it is and there is a kernel."""
        dtype = getattr(x, "dtype", None)
        dtype = dtype if self.kernel is not None and dtype == np.float32 else np.float64
        if sp.issparse(x):
            row = x.reshape(1, -1) if x.ndim == 1 else x
            data = canonical(sp.csr_array(row, dtype=dtype, copy=True))
        else:
            data = np.array(x, dtype=dtype, ndmin=2)
        if data.ndim != 2 or data.shape[0] != 1:
            raise ValueError(f"An example is one row. Got an array of shape {data.shape}.")
        self._check_width(data.shape[1])
        _finite(data.data if sp.issparse(x) else data)
        if self.kernel is not None:
            return data
        if sp.issparse(x):
            return rows_of(data).csr
        width = data.shape[1]
        return Csr(np.array([0, width]), np.arange(width, dtype=np.int32), data[0], width)


def _summed(features: Array, values: Floats) -> tuple[Array, Floats]:
    """Return features without duplicates, and the sums of their values."""
    distinct, inverse = np.unique(features, return_inverse=True)
    return distinct, np.bincount(inverse, weights=values).astype(np.float64)


def _check_numbers(x: Mapping[Any, Any]) -> None:
    """Raise ValueError for the first value that is not a finite number."""
    for name, value in x.items():
        if not is_number(value):
            raise ValueError(f"{no_value(name, value)}.")


def _other_kind(x: Any) -> ValueError:
    """Return the error about an example of another kind than those before."""
    return ValueError(f"Examples must be of one kind: named features or numbers. Got {type(x).__name__}.")


def _finite(values: Any) -> None:
    if not np.isfinite(values).all():
        raise ValueError("An example must be made of finite numbers. Got NaN or infinity.")
