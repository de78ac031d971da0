"""Rows of a data set, dense, CSR or any Python objects, behind the four verbs the learner needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data, Ints


class Rows:
    """Some rows with their numbers, and their squared norms once somebody has asked for them.

    Parameters
    ----------
    data
        A dense array or a CSR matrix, one row each, or a list of objects.
    ids
        The number each row has in the whole run, which is its column under a precomputed kernel.
    """

    def __init__(self, data: Data, ids: Ints | None = None, squares: Array | None = None) -> None:
        self.data = data
        self.ids = np.arange(count(data)) if ids is None else ids
        self._squares = squares

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def squares(self) -> Array:
        """The squared norm of every row, computed once."""
        if self._squares is None:
            self._squares = squared_norms(self.data)
        return self._squares

    def with_squares(self) -> Rows:
        """The same rows, their squared norms known, so that parts of them need not compute any."""
        return Rows(self.data, self.ids, self.squares)

    def compact(self) -> Rows:
        """The rows without features that none of them has, if there are enough to be worth a copy.

        All inner products among them stay what they are.
        """
        if not isinstance(self.data, np.ndarray) or len(self) < 1024:
            return self
        used = self.data.any(axis=0)
        if used.mean() > 0.95:
            return self
        return Rows(np.compress(used, self.data, axis=1), self.ids, self._squares)

    def take(self, index: Any) -> Rows:
        """The rows at these positions, in this order."""
        squares = None if self._squares is None else self._squares[index]
        return Rows(take(self.data, index), self.ids[index], squares)


class RowStore:
    """Rows that come in one after the other; what is stored can be read as `Rows` at any time.

    Adding costs a constant time per row in the long run: dense and CSR storage grows by doubling.
    """

    def __init__(self) -> None:
        self._size = 0
        self._ids: Ints = np.empty(0, np.int64)
        self._squares: Array | None = None
        self._parts: dict[str, Array] = {}
        self._objects: list[Any] | None = None
        self._width = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, rows: Rows) -> None:
        """Store these rows, which must be a copy of their own, behind the others."""
        size = self._size + len(rows)
        if isinstance(rows.data, list):
            self._objects = (self._objects or [])[: self._size] + rows.data
        elif sp.issparse(rows.data):
            self._extend_csr(rows.data)
        else:
            dense = self._parts.get("dense", np.empty((0, rows.data.shape[1]), rows.data.dtype))
            self._parts["dense"] = grown(dense, self._size, rows.data)
        self._ids = grown(self._ids, self._size, rows.ids)
        if rows._squares is not None and (self._squares is not None or self._size == 0):
            stored = np.empty(0, rows.squares.dtype) if self._squares is None else self._squares
            self._squares = grown(stored, self._size, rows.squares)
        self._size = size

    def _extend_csr(self, data: Any) -> None:
        self._width = max(self._width, data.shape[1])
        starts = self._parts.get("starts", np.zeros(1, np.int64))
        used = int(starts[self._size])
        for name, new in (("values", data.data), ("features", data.indices)):
            old = self._parts.get(name, np.empty(0, new.dtype))
            self._parts[name] = grown(old, used, new)
        self._parts["starts"] = grown(starts, self._size + 1, data.indptr[1:].astype(np.int64) + used)

    def truncate(self, size: int) -> None:
        """Forget all but the first rows."""
        self._size = size

    @property
    def rows(self) -> Rows:
        """What is stored, without a copy."""
        size = self._size
        squares = None if self._squares is None else self._squares[:size]
        return Rows(self._data(size), self._ids[:size], squares)

    def _data(self, size: int) -> Data:
        if self._objects is not None:
            return self._objects[:size]
        if "starts" in self._parts:
            starts = self._parts["starts"][: size + 1]
            values, features = (self._parts[name][: starts[-1]] for name in ("values", "features"))
            return sp.csr_array((values, features, starts), shape=(size, self._width))
        return self._parts["dense"][:size] if self._parts else []


def grown(array: Array, used: int, new: Array) -> Array:
    """`array[:used]` followed by `new`, in the same memory where it fits, else in twice as much.

    Where nothing is used yet, `new` itself is taken over: it must not be anybody else's.
    """
    if used == 0:
        return new
    needed = used + len(new)
    if needed > len(array) or new.dtype != array.dtype:
        dtype = np.promote_types(array.dtype, new.dtype)
        larger = np.empty((max(needed, 2 * used), *array.shape[1:]), dtype)
        larger[:used] = array[:used]
        array = larger
    array[used:needed] = new
    return array


def parts(size: int, most: int) -> list[slice]:
    """Slices of about the same length, at most `most`, that make up `range(size)`."""
    number = -(-size // most)
    edges = [size * part // number for part in range(number + 1)] if number else [0]
    return list(map(slice, edges[:-1], edges[1:]))


def count(data: Data) -> int:
    """How many rows there are."""
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def take(data: Data, index: Any) -> Data:
    """The rows at these positions (a slice or an array of whole numbers)."""
    if sp.issparse(data) and not isinstance(index, slice):
        from rosenblatt.loops.gather import gather  # late: it brings the compiler in

        starts, features, values = gather(data.indptr, data.indices, data.data, np.asarray(index))
        return sp.csr_array((values, features, starts), shape=(len(index), data.shape[1]))
    if isinstance(data, list) and not isinstance(index, slice):
        return [data[i] for i in index]
    return data[index]


def squared_norms(data: Data) -> Array:
    """The squared Euclidean norm of every row, in the dtype of the data."""
    if sp.issparse(data):
        return np.asarray(data.multiply(data).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", data, data))


def widened(data: Any, width: int) -> Any:
    """The same sparse rows with more columns, without a copy."""
    return sp.csr_array((data.data, data.indices, data.indptr), shape=(data.shape[0], width))


def products(X: Data, Z: Data) -> Array:
    """The inner product of every row of X with every row of Z, as a dense array.

    Sparse rows may differ in width, as rows over a vocabulary that has grown meanwhile do.
    """
    if sp.issparse(X) and sp.issparse(Z) and X.shape[1] != Z.shape[1]:
        X, Z = (widened(data, max(X.shape[1], Z.shape[1])) for data in (X, Z))
    result = X @ Z.T
    return np.asarray(result.toarray() if sp.issparse(result) else result)
