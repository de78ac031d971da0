"""Rows of a data set, dense, CSR or any Python objects, behind the few methods the learner needs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data, Ints

NO_FEATURES: Array = np.empty(0, np.int32)


class Csr(NamedTuple):
    """Sparse rows as the compiled loops read them: row i lies between starts[i] and starts[i + 1]."""

    starts: Ints
    features: Array
    values: Array
    width: int


class Rows:
    """Rows with their ids, and their squared norms once they were computed.

    Parameters
    ----------
    data
        A dense array, a CSR matrix or its `Csr` arrays, one row each; or a list of objects.
    ids
        The id of each row in the whole run, which is its column under a precomputed kernel; by default
        they count from `first`.
    """

    def __init__(
        self, data: Data | Csr, ids: Ints | None = None, squares: Array | None = None, first: int = 0
    ) -> None:
        self._data: Any = None if isinstance(data, Csr) else data
        self._csr = data if isinstance(data, Csr) else None
        self._flat: Csr | None = None
        self._ids = ids
        self._squares = squares
        self._first = first
        self._size = count(data)

    def __len__(self) -> int:
        return self._size

    @property
    def ids(self) -> Ints:
        """The id of every row."""
        if self._ids is None:
            self._ids = np.arange(self._first, self._first + self._size)
        return self._ids

    @property
    def data(self) -> Data:
        """The rows as a dense array, a SciPy CSR matrix or a list."""
        if self._csr is not None and self._data is None:
            starts, features, values, width = self._csr
            self._data = sp.csr_array((values, features, starts), shape=(len(self), width))
        return self._data

    @property
    def sparse(self) -> bool:
        """Whether the rows are CSR."""
        return self._csr is not None or sp.issparse(self._data)

    @property
    def csr(self) -> Csr:
        """The arrays of sparse rows, in types that all loops share."""
        if self._csr is None:
            starts = self._data.indptr.astype(np.int64, copy=False)
            features = self._data.indices
            if features.dtype != np.int32 and self._data.shape[1] < 2**31:
                features = features.astype(np.int32)
            values = self._data.data
            self._csr = Csr(read_only(starts), read_only(features), read_only(values), self._data.shape[1])
        return self._csr

    @property
    def arrays(self) -> Csr:
        """The rows as compiled passes read them: as CSR; or all values of dense ones, one after the other.

        Of dense rows, `starts` holds only their length, and there are no features.
        """
        if self.sparse:
            return self.csr
        if self._flat is None:
            width, values = self._data.shape[1], np.ascontiguousarray(self._data).reshape(-1)
            self._flat = Csr(read_only(np.array([width])), NO_FEATURES, read_only(values), width)
        return self._flat

    @property
    def width(self) -> int | None:
        """How many features a row has; objects have none."""
        if self._csr is not None:
            return self._csr.width
        return None if isinstance(self._data, list) else int(self._data.shape[1])

    @property
    def size(self) -> int:
        """How many values the rows have: of CSR rows, those that are stored."""
        return int(self.csr.starts[-1]) if self.sparse else int(self._data.size)

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
        return Rows(self.data, self.ids, self.squares)

    def in_double(self) -> Rows:
        """Return these rows in float64."""
        return Rows(self.data.astype(np.float64), self._ids, first=self._first)

    def compact(self) -> Rows:
        """Return the rows without features that none of them has, if that is worth a copy.

        Inner products among them do not change.
        """
        if not isinstance(self._data, np.ndarray) or len(self) < 1024:
            return self
        used = self._data.any(axis=0)
        if used.mean() > 0.95:
            return self
        return Rows(np.compress(used, self._data, axis=1), self.ids, self._squares)

    def converted(self) -> Rows:
        """Return CSR rows as dense rows, dense rows as CSR."""
        if self.sparse:
            return Rows(self.data.toarray(), self.ids, self._squares)
        return Rows(sp.csr_array(self._data), self.ids, self._squares)

    def same_as(self, other: Rows) -> bool:
        """Whether the rows, which are vectors, have the same features, in whatever form."""
        if not self.sparse and not other.sparse:
            return np.array_equal(self._data, other._data)
        mine, theirs = (sp.csr_array(rows.data) for rows in (self, other))
        return bool(mine.shape == theirs.shape and (mine != theirs).nnz == 0)

    def take(self, index: slice | Ints) -> Rows:
        """Return the rows at these indices, in this order."""
        data: Any
        if self.sparse:
            data = self._take_csr(index)
        elif isinstance(self._data, list) and not isinstance(index, slice):
            data = [self._data[i] for i in index]
        else:
            data = self._data[index]
        return Rows(data, self.ids[index], None if self._squares is None else self._squares[index])

    def _take_csr(self, index: slice | Ints) -> Csr:
        starts, features, values, width = self.csr
        if isinstance(index, slice):
            first, last, _ = index.indices(len(self))
            begin, end = starts[first], starts[max(first, last)]
            return Csr(
                starts[first : max(first, last) + 1] - begin, features[begin:end], values[begin:end], width
            )
        from rosenblatt.loops.gather import gather  # late: it imports the compiler

        rows = np.asarray(index)
        some = np.concatenate([[0], np.cumsum(starts[rows + 1] - starts[rows])])
        # NumPy allocates large arrays: it asks the system for large pages, compiled code does not.
        taken = Csr(some, np.empty(some[-1], features.dtype), np.empty(some[-1], values.dtype), width)
        gather(starts, features, values, rows, *taken[:3])
        return taken


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


def parts(size: int, most: int) -> list[slice]:
    """Slices of about the same length, at most `most`, that make up `range(size)`."""
    pieces = -(-size // most)
    edges = [size * part // pieces for part in range(pieces + 1)] if pieces else [0]
    return list(map(slice, edges[:-1], edges[1:]))


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
