"""Rows of a data set: dense, CSR or any Python objects, behind the few methods that the learner needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data, Ints
from rosenblatt.loops.arguments import Csr, Dense

COMPACTED, MOSTLY_USED = 1024, 0.95
"""The fewest rows, and the largest share of used features, for which a copy without the rest is worth it."""

EXACT_IN_SINGLE = 2**24
"""Integers up to this are exact in single precision."""


class Rows(ABC):
    """Rows with their ids, and their squared norms once they were computed; `rows_of` makes them.

    Parameters
    ----------
    size
        How many rows there are.
    ids
        The id of each row in the whole run, which is its column under a precomputed kernel; by default
        they count from `first`.
    squares
        Their squared norms, if they are known.
    """

    sparse = False
    """Whether the rows are CSR."""

    width: int | None = None
    """How many features a row has; objects have none."""

    def __init__(self, size: int, ids: Ints | None, squares: Array | None, first: int) -> None:
        self._size = size
        self._ids = ids
        self._squares = squares
        self._first = first

    def __len__(self) -> int:
        return self._size

    @property
    def ids(self) -> Ints:
        """The id of every row."""
        if self._ids is None:
            self._ids = np.arange(self._first, self._first + self._size)
        return self._ids

    @property
    @abstractmethod
    def data(self) -> Any:
        """The rows as a dense array, a SciPy CSR matrix or a list."""

    @property
    def arrays(self) -> Any:
        """The arrays that loops read: `Csr` or `Dense`."""
        raise TypeError(f"{type(self).__name__} have no arrays for loops.")

    @property
    def csr(self) -> Csr:
        """The arrays of CSR rows."""
        raise TypeError(f"{type(self).__name__} have no CSR arrays.")

    @property
    def size(self) -> int:
        """How many values the rows have: of CSR rows, those that are stored."""
        raise TypeError(f"{type(self).__name__} have no values to count.")

    @property
    def squares(self) -> Array:
        """The squared norm of every row, computed once."""
        if self._squares is None:
            self._squares = squared_norms(self.data)
        return self._squares

    @property
    def longest_square(self) -> float:
        """The largest squared norm, 0 if there are no rows."""
        return float(np.max(self.squares, initial=0.0))

    @property
    def has_squares(self) -> bool:
        """Whether the squared norms are known."""
        return self._squares is not None

    def with_squares(self) -> Rows:
        """Return these rows with their squared norms computed, so that parts of them need not compute any."""
        return rows_of(self.data, self.ids, self.squares)

    def in_double(self) -> Rows:
        """Return these rows in float64."""
        return rows_of(self.data.astype(np.float64), self._ids, first=self._first)

    def compact(self) -> Rows:
        """Return the rows without features that none of them has, if that is worth a copy.

        Inner products among them do not change.
        """
        return self

    def same_as(self, other: Rows) -> bool:
        """Whether the rows, which are vectors, have the same features, in whatever form.

        Features after the last of one are 0 in it: rows get longer as features come.
        """
        if len(self) != len(other):
            return False
        both = [sp.csr_array(rows.data) for rows in (self, other)]
        mine, theirs = (widened(rows, max(rows.shape[1] for rows in both)) for rows in both)
        return bool((mine != theirs).nnz == 0)

    def take(self, index: slice | Ints) -> Rows:
        """Return the rows at these indices, in this order."""
        squares = None if self._squares is None else self._squares[index]
        return rows_of(self._taken(index), self.ids[index], squares)

    @abstractmethod
    def _taken(self, index: slice | Ints) -> Any:
        """The data of the rows at these indices."""

    def in_other_form(self) -> Rows:
        """Return dense rows as CSR, and CSR rows as dense ones."""
        data = self.data.toarray() if self.sparse else sp.csr_array(self.data)
        return rows_of(data, self.ids, self._squares)


class DenseRows(Rows):
    """Rows of a dense array."""

    def __init__(self, data: Array, ids: Ints | None, squares: Array | None, first: int) -> None:
        super().__init__(len(data), ids, squares, first)
        self._data = data
        self._arrays: Dense | None = None
        self.width = int(data.shape[1])

    @property
    def data(self) -> Array:
        """The rows as a dense array."""
        return self._data

    @property
    def arrays(self) -> Dense:
        """The values, row by row in memory."""
        if self._arrays is None:
            single = self._data.dtype == np.float32
            values = read_only(np.ascontiguousarray(self._data, np.float32 if single else np.float64))
            others = read_only(np.empty((0, values.shape[1]), np.float64 if single else np.float32))
            both = (others, values) if single else (values, others)
            self._arrays = Dense(*both, values.reshape(-1).view(np.uint8), values.itemsize)
        return self._arrays

    @property
    def size(self) -> int:
        """How many values the rows have."""
        return int(self._data.size)

    def compact(self) -> Rows:
        """Return the rows without features that none of them has, if that is worth a copy."""
        if len(self) < COMPACTED:
            return self
        used = self._data.any(axis=0)
        if used.mean() > MOSTLY_USED:
            return self
        return rows_of(np.compress(used, self._data, axis=1), self.ids, self._squares)

    def same_as(self, other: Rows) -> bool:
        """Whether the rows have the same features, in whatever form."""
        return super().same_as(other) if other.sparse else np.array_equal(self._data, other.data)

    def _taken(self, index: slice | Ints) -> Array:
        return self._data[index]


class SparseRows(Rows):
    """Rows of a CSR matrix, or of its arrays."""

    sparse = True

    def __init__(self, data: Any, ids: Ints | None, squares: Array | None, first: int) -> None:
        super().__init__(count(data), ids, squares, first)
        self._matrix = None if isinstance(data, Csr) else data
        self._csr = data if isinstance(data, Csr) else None
        self.width = int(data.width if isinstance(data, Csr) else data.shape[1])

    @property
    def data(self) -> Any:
        """The rows as a SciPy CSR matrix."""
        if self._matrix is None:
            starts, features, values, width = self.csr
            self._matrix = sp.csr_array((values, features, starts), shape=(len(self), width))
        return self._matrix

    @property
    def csr(self) -> Csr:
        """The arrays of the rows, in types that all loops share."""
        if self._csr is None:
            assert self._matrix is not None
            features, width = self._matrix.indices, self._matrix.shape[1]
            if features.dtype != np.int32 and width < 2**31:
                features = features.astype(np.int32)
            starts = self._matrix.indptr.astype(np.int64, copy=False)
            self._csr = Csr(read_only(starts), read_only(features), read_only(self._matrix.data), width)
        return self._csr

    @property
    def arrays(self) -> Csr:
        """The arrays of the rows, which loops may not write to: one type to the compiler."""
        starts, features, values, width = self.csr
        return Csr(read_only(starts), read_only(features), read_only(values), width)

    @property
    def size(self) -> int:
        """How many values are stored."""
        return int(self.csr.starts[-1])

    def _taken(self, index: slice | Ints) -> Csr:
        starts, features, values, width = self.csr
        if isinstance(index, slice):
            first, last, _ = index.indices(len(self))
            begin, end = starts[first], starts[max(first, last)]
            return Csr(
                starts[first : max(first, last) + 1] - begin, features[begin:end], values[begin:end], width
            )
        from rosenblatt.loops.sparse import gather  # late: it imports the compiler

        which = np.asarray(index)
        some = np.concatenate([[0], np.cumsum(starts[which + 1] - starts[which])])
        # NumPy allocates large arrays: it asks the system for large pages, compiled code does not.
        taken = Csr(some, np.empty(some[-1], features.dtype), np.empty(some[-1], values.dtype), width)
        gather(tuple(self.arrays), which, tuple(taken))
        return taken


class ObjectRows(Rows):
    """Rows that are any Python objects."""

    def __init__(self, data: list[Any], ids: Ints | None, squares: Array | None, first: int) -> None:
        super().__init__(len(data), ids, squares, first)
        self._data = data

    @property
    def data(self) -> list[Any]:
        """The objects as a list."""
        return self._data

    def _taken(self, index: slice | Ints) -> list[Any]:
        return self._data[index] if isinstance(index, slice) else [self._data[i] for i in index]


def rows_of(data: Data | Csr, ids: Ints | None = None, squares: Array | None = None, first: int = 0) -> Rows:
    """Return rows of a dense array, of a CSR matrix or its `Csr` arrays, or of a list of objects."""
    if isinstance(data, Csr) or sp.issparse(data):
        return SparseRows(data, ids, squares, first)
    if isinstance(data, list):
        return ObjectRows(data, ids, squares, first)
    return DenseRows(data, ids, squares, first)


def read_only(array: Array) -> Array:
    """Return a read-only view of an array: to the compiler, all of them have one type."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


_counted: list[Ints] = [np.arange(0)]


def counting(size: int) -> Ints:
    """0, 1, … size − 1, as a read-only view of the longest such array so far."""
    if len(_counted[0]) < size:
        _counted[0] = read_only(np.arange(size + 1))  # rounds and their bounds differ by one
    return _counted[0][:size]


def enlarged(array: Array, used: int, needed: int) -> Array:
    """Return a copy of `array[:used]` with memory for what is needed, and at least twice what there was."""
    larger = np.empty((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger


def grown(array: Array, used: int, new: Array) -> Array:
    """Return `array[:used]` followed by `new`, in the same memory where it fits, else in twice as much.

    Where nothing is used yet, `new` itself is returned: the caller gives it up.
    """
    if used == 0:
        return new
    needed = used + len(new)
    if new.dtype != array.dtype:
        array = array.astype(np.promote_types(array.dtype, new.dtype), copy=False)
    if needed > len(array):
        array = enlarged(array, used, needed)
    array[used:needed] = new
    return array


def parts(size: int, most: int) -> list[slice]:
    """Slices of about the same length, at most `most`, that make up `range(size)`."""
    pieces = -(-size // most)
    edges = [size * part // pieces for part in range(pieces + 1)] if pieces else [0]
    return list(map(slice, edges[:-1], edges[1:]))


def starts_of(lengths: Sequence[int] | Ints) -> Ints:
    """Where pieces of these lengths begin when laid end to end, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=starts[1:])
    return starts


def spans(starts: Ints, counts: Ints) -> Ints:
    """`starts[i], …, starts[i] + counts[i] - 1` for every i, one after the other."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(int(counts.sum()))


def count(data: Data | Csr) -> int:
    """How many rows there are."""
    if isinstance(data, Csr):
        return len(data.starts) - 1
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def canonical(data: Any, *, search: bool = True) -> Any:
    """Return CSR with sorted features, none twice, and none out of range if that is searched for."""
    given, data = data, sp.csr_array(data)
    starts = data.indptr
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any() or starts[-1] > len(data.indices):
        raise ValueError(
            f"The row pointer of a sparse matrix must rise from 0 to at most the {len(data.indices)} numbers "
            "there are. Got another: the matrix is broken."
        )
    if search or data.indices.dtype != np.int32:  # wider ones would be cut to 32 bits first
        check_in_range(data.indices, data.shape[1])
    if not given.has_canonical_format:  # SciPy caches this
        data = data.copy()
        data.sum_duplicates()
    return data


def check_in_range(features: Ints, width: int) -> None:
    """Raise ValueError if a feature is out of range: compiled code would read past its arrays."""
    unsigned = features.view(f"u{features.itemsize}")  # indices below 0 become the largest
    if features.size and unsigned.max() >= width:
        raise ValueError(
            f"The column index of a sparse matrix must be from 0 to {width - 1}. Got "
            f"{features[unsigned.argmax()]}: the matrix is broken."
        )


def squared_norms(data: Data) -> Array:
    """The squared Euclidean norm of every row, in the dtype of the data."""
    if sp.issparse(data):
        return np.asarray(data.multiply(data).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", data, data))


def widened(data: Any, width: int) -> Any:
    """Return sparse rows with more columns, without a copy."""
    return sp.csr_array((data.data, data.indices, data.indptr), shape=(data.shape[0], width))
