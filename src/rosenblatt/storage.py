"""Arrays and rows that grow at the end, at a constant cost per element in the long run."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array, Ints
from rosenblatt.rows import Csr, Rows

WAITING = 256
"""Pieces that may wait to be put together: few enough to be cheap, many enough to be rare."""


def enlarged(array: Array, used: int, needed: int) -> Array:
    """A copy of `array[:used]` with room for what is needed, and at least twice what there was."""
    larger = np.empty((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger


def grown(array: Array, used: int, new: Array) -> Array:
    """`array[:used]` followed by `new`, in the same memory where it fits, else in twice as much.

    Where nothing is used yet, `new` itself is taken over: it must not be anybody else's.
    """
    if used == 0:
        return new
    needed = used + len(new)
    if new.dtype != array.dtype:
        array = array.astype(np.promote_types(array.dtype, new.dtype))
    if needed > len(array):
        array = enlarged(array, used, needed)
    array[used:needed] = new
    return array


class RowStore:
    """Rows that come in a piece at a time; what is stored can be read as `Rows` at any time.

    Pieces wait until somebody reads, or until there are many of them, and are then put together.
    """

    def __init__(self) -> None:
        self._size = 0
        self._ids: Ints = np.empty(0, np.int64)
        self._waiting: list[Rows] = []
        self._merged = 0
        self._data: Any = None
        self._squares: Array | None = None

    def __len__(self) -> int:
        return self._size

    def __getstate__(self) -> tuple[Rows]:
        """What a copy needs: the rows, without the room behind them."""
        return (self.rows,)

    def __setstate__(self, state: tuple[Rows]) -> None:
        self.__init__()  # type: ignore[misc]
        if len(state[0]):
            self.extend(state[0])

    @property
    def ids(self) -> Ints:
        """The numbers of the rows."""
        return self._ids[: self._size]

    def extend(self, rows: Rows) -> None:
        """Store these rows, which must be a copy of their own, behind the others."""
        self._ids = grown(self._ids, self._size, rows.ids)
        self._size += len(rows)
        self._waiting.append(rows)
        if len(self._waiting) >= WAITING:
            self._merge()

    def truncate(self, size: int) -> None:
        """Forget all but the first rows."""
        self._merge()
        self._size = self._merged = size

    @property
    def rows(self) -> Rows:
        """What is stored, without a copy."""
        self._merge()
        squares = None if self._squares is None else self._squares[: self._size]
        return Rows(self._first(self._size), self.ids, squares)

    def _merge(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        if all(rows.has_squares for rows in waiting) and (self._squares is not None or self._merged == 0):
            before = np.empty(0) if self._squares is None else self._squares
            self._squares = grown(before, self._merged, _joined([rows.squares for rows in waiting]))
        else:
            self._squares = None
        if waiting[0].sparse:
            self._data = self._grown_csr([rows.csr for rows in waiting])
        elif isinstance(waiting[0].data, list):
            known = [] if self._data is None else self._data[: self._merged]
            self._data = known + [row for rows in waiting for row in rows.data]
        else:
            new = _joined([rows.data for rows in waiting])
            self._data = grown(new if self._data is None else self._data, self._merged, new)
        self._merged = self._size

    def _grown_csr(self, pieces: list[Csr]) -> Csr:
        empty = Csr(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), 0)
        stored = self._data if isinstance(self._data, Csr) else empty
        used = ends = int(stored.starts[self._merged])
        starts = []
        for piece in pieces:
            starts.append(piece.starts[1:] + ends)
            ends += int(piece.starts[-1])
        return Csr(
            grown(stored.starts, self._merged + 1, _joined(starts)),
            grown(stored.features, used, _joined([piece.features for piece in pieces])),
            grown(stored.values, used, _joined([piece.values for piece in pieces])),
            max(stored.width, *(piece.width for piece in pieces)),
        )

    def _first(self, size: int) -> Any:
        if not isinstance(self._data, Csr):
            return [] if self._data is None else self._data[:size]
        starts = self._data.starts[: size + 1]
        return Csr(
            starts, self._data.features[: starts[-1]], self._data.values[: starts[-1]], self._data.width
        )


def _joined(arrays: list[Array]) -> Array:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
