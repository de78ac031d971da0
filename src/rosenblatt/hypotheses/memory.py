"""The rows that were ever corrected, each stored once and found by its number."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.kernels import Kernel
from rosenblatt.loops.blocks import accumulate
from rosenblatt.rows import Rows, RowStore, parts

CHUNK = 2048
"""Stored rows that meet others at once."""


class Memory:
    """Corrected rows, and how similar other rows are to them.

    Parameters
    ----------
    kernel
        What similarity is.
    constant
        What is added to every similarity: 1 for an intercept, else 0.
    """

    def __init__(self, kernel: Kernel, constant: float) -> None:
        self.kernel = kernel
        self.constant = constant
        self._store = RowStore()
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._store)

    @property
    def rows(self) -> Rows:
        """What is stored, in the order it came."""
        return self._store.rows

    def places(self, ids: Ints) -> Ints:
        """Where the rows with these numbers are stored."""
        return np.array([self._places[i] for i in ids.tolist()], np.int64)

    def keep(self, rows: Rows) -> Ints:
        """Store those rows, a copy of their own, that are not stored yet; where each of them is."""
        new = [position for position, i in enumerate(rows.ids.tolist()) if i not in self._places]
        if new:
            kept = self.kernel.stored(rows.take(np.array(new)) if len(new) < len(rows) else rows)
            self._places.update(zip(kept.ids.tolist(), range(len(self), len(self) + len(new)), strict=True))
            self._store.extend(kept)
        return self.places(rows.ids)

    def truncate(self, size: int) -> None:
        """Forget the rows that came last."""
        for i in self._store.rows.ids[size:].tolist():
            del self._places[i]
        self._store.truncate(size)

    def similarities(self, rows: Rows, others: Rows | None = None) -> Array:
        """k(x, z) + constant for every row and every other (or stored) row."""
        others = self.rows if others is None else others
        if self.kernel.domain == "precomputed" and rows.data.shape[1] == 0:
            # Stored rows have no columns of their own to look others up in: ask the others.
            result = np.ascontiguousarray(self.kernel.between(others, rows).T)
        else:
            result = self.kernel.between(rows, others)
        if self.constant:
            result += result.dtype.type(self.constant)
        return result

    def meet(
        self, others: Rows, place: Ints, output: Ints, amount: Floats, rows: Rows, scores: Floats
    ) -> None:
        """Add Σ amount · similarity(others[place], row) to the scores (outputs × rows) of every row.

        The entries are sorted by place. Others meet the rows a chunk at a time, so that there are never
        many similarities at once.
        """
        for part in parts(len(others), CHUNK):
            near = self.similarities(others.take(part), rows)
            used = slice(*np.searchsorted(place, [part.start, part.stop]))
            accumulate(near, place[used] - part.start, output[used], amount[used], scores)
