"""The rows that were ever corrected, each stored once and found by its number."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.kernels import Kernel
from rosenblatt.loops.blocks import accumulate
from rosenblatt.rows import Rows, parts
from rosenblatt.rows.stores import RowStore

STORED, SHOWN = 4096, 1024
"""Rows of memory that meet others at once, and others that meet them."""


class SupportSet:
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
        self._ascending = True
        self._by_number: tuple[Ints, Ints] | None = None

    def __len__(self) -> int:
        return len(self._store)

    @property
    def rows(self) -> Rows:
        """What is stored, in the order it came."""
        return self._store.rows

    @property
    def ids(self) -> Ints:
        """The numbers of the rows that are stored."""
        return self._store.ids

    def indices(self, ids: Ints) -> Ints:
        """Where the rows with these numbers are stored; some row's place for a number that is not."""
        if self._ascending:
            return np.minimum(np.searchsorted(self.ids, ids), len(self) - 1)
        if self._by_number is None:
            order = np.argsort(self.ids, kind="stable")
            self._by_number = self.ids[order], order
        numbers, indices = self._by_number
        return indices[np.minimum(np.searchsorted(numbers, ids), len(self) - 1)]

    def keep(self, rows: Rows) -> None:
        """Store those rows, a copy of their own, that are not stored yet."""
        if len(self):
            new = self.ids[self.indices(rows.ids)] != rows.ids
            rows = rows if new.all() else rows.take(np.flatnonzero(new))
        if len(rows):
            self._ascending &= bool((np.diff(rows.ids, prepend=self.ids[-1:]) > 0).all())
            self.append(rows)

    def append(self, rows: Rows) -> None:
        """Store rows, a copy of their own, none of which is stored yet."""
        if self._by_number is not None:
            numbers, indices = self._by_number
            order = np.argsort(rows.ids)
            at = np.searchsorted(numbers, rows.ids[order])
            self._by_number = (
                np.insert(numbers, at, rows.ids[order]),
                np.insert(indices, at, len(self) + order),
            )
        self._store.extend(self.kernel.stored(rows))

    def truncate(self, size: int) -> None:
        """Forget the rows that came last."""
        self._store.truncate(size)
        self._by_number = None

    def similarities(self, rows: Rows, others: Rows | None = None) -> Array:
        """k(x, z) + constant for every row x and every z of the stored, or of other, training rows."""
        result = self.kernel.between(rows, self.rows if others is None else others)
        if self.constant:
            result += result.dtype.type(self.constant)
        return result

    def gram(self, others: Rows, rows: Rows) -> Array:
        """The same with the training rows first (others × rows)."""
        if self.kernel.domain == "precomputed":  # the rows are those that have a column for every other
            return np.ascontiguousarray(self.similarities(rows, others).T)
        return self.similarities(others, rows)

    def add_scores(
        self, others: Rows, index: Ints, output: Ints, amount: Floats, rows: Rows, scores: Floats
    ) -> None:
        """Add Σ amount · similarity(others[place], row) to the scores (outputs × rows) of every row.

        The entries are sorted by place. Others meet the rows a chunk at a time, so that there are never
        many similarities at once.
        """
        for part in parts(len(others), STORED):
            gram = self.gram(others.take(part), rows)
            used = slice(*np.searchsorted(index, [part.start, part.stop]))
            accumulate(gram, index[used] - part.start, output[used], amount[used], scores)

    def scores(
        self, others: Rows, index: Ints, output: Ints, amount: Floats, rows: Rows, outputs: int
    ) -> Floats:
        """The scores (outputs × rows) that such entries give to any number of rows."""
        result = np.empty((outputs, len(rows)))
        for part in parts(len(rows), SHOWN):
            found = np.zeros((outputs, part.stop - part.start))
            self.add_scores(others, index, output, amount, rows.take(part), found)
            result[:, part] = found
        return result
