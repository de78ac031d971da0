"""Arrays and rows that grow at the end; for arrays, at a constant cost per element in the long run."""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Array, Ints
from rosenblatt.rows import Csr, Rows, rows_of

WAITING = 256
"""Pieces that may wait to be merged: few enough to be cheap, many enough to be rare."""


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


class Merged(NamedTuple):
    """Merged rows, and their squared norms if those of all were known."""

    size: int
    data: Any
    squares: Array | None


class RowStore:
    """Rows that come in a piece at a time; what is stored can be read as `Rows` at any time.

    Pieces wait until the rows are read, or until there are many of them, and are then merged. All rows
    are stored in the form of the first ones, dense or CSR.
    """

    def __init__(self) -> None:
        self._size = 0
        self._ids: Ints = np.empty(0, np.int64)
        self._sparse: bool | None = None
        self._waiting: list[Rows] = []
        self._merged = Merged(0, None, None)
        self._merging = Lock()

    def __len__(self) -> int:
        return self._size

    def __getstate__(self) -> tuple[Rows]:
        """Return the state of a copy: the rows, without the reserved memory."""
        return (self.rows,)

    def __setstate__(self, state: tuple[Rows]) -> None:
        self.__init__()  # type: ignore[misc]
        if len(state[0]):
            self.extend(state[0])

    @property
    def ids(self) -> Ints:
        """The ids of the rows."""
        return self._ids[: self._size]

    def extend(self, rows: Rows) -> None:
        """Store these rows behind the others; the caller passes a copy."""
        if self._sparse is None:
            self._sparse = rows.sparse
        rows = rows if rows.sparse == self._sparse else rows.in_other_form()
        self._ids = grown(self._ids, self._size, rows.ids)
        self._waiting.append(rows)
        self._size += len(rows)
        if len(self._waiting) >= WAITING:
            self._merge()

    def truncate(self, size: int) -> None:
        """Drop all but the first `size` rows."""
        self._merge()
        self._merged = self._merged._replace(size=size)
        self._size = size
        self._sparse = self._sparse if size else None

    @property
    def rows(self) -> Rows:
        """The stored rows, without a copy."""
        merged = self._merge()
        squares = None if merged.squares is None else merged.squares[: merged.size]
        return rows_of(_first(merged), self._ids[: merged.size], squares)

    def _merge(self) -> Merged:
        """Merge the waiting pieces. Readers in several threads may call it, and Ctrl-C may interrupt it."""
        with self._merging:
            waiting = self._waiting
            if waiting:
                merged = _joined_to(self._merged, waiting)
                self._waiting, self._merged = [], merged
            return self._merged


def _joined_to(merged: Merged, waiting: list[Rows]) -> Merged:
    used, squares, data = merged.size, None, merged.data
    if all(rows.has_squares for rows in waiting) and (merged.squares is not None or used == 0):
        known = np.empty(0) if merged.squares is None else merged.squares
        squares = grown(known, used, _joined([rows.squares for rows in waiting]))
    if waiting[0].sparse:
        data = _grown_csr(data, used, [rows.csr for rows in waiting])
    elif isinstance(waiting[0].data, list):
        data = ([] if data is None else data[:used]) + [row for rows in waiting for row in rows.data]
    else:
        new = _joined([rows.data for rows in waiting])
        data = grown(new if data is None else data, used, new)
    return Merged(used + sum(map(len, waiting)), data, squares)


def _grown_csr(stored: Csr | None, used_rows: int, pieces: list[Csr]) -> Csr:
    if stored is None:
        stored = Csr(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), 0)
    used = ends = int(stored.starts[used_rows])
    starts = []
    for piece in pieces:
        starts.append(piece.starts[1:] + ends)
        ends += int(piece.starts[-1])
    return Csr(
        grown(stored.starts, used_rows + 1, _joined(starts)),
        grown(stored.features, used, _joined([piece.features for piece in pieces])),
        grown(stored.values, used, _joined([piece.values for piece in pieces])),
        max(stored.width, *(piece.width for piece in pieces)),
    )


def _first(merged: Merged) -> Any:
    if not isinstance(merged.data, Csr):
        return [] if merged.data is None else merged.data[: merged.size]
    starts, features, values, width = merged.data
    end = starts[merged.size]
    return Csr(starts[: merged.size + 1], features[:end], values[:end], width)


def _joined(arrays: list[Array]) -> Array:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
