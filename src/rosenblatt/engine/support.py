"""The support set: the rows that were ever corrected, each stored once and found by its id."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.kernels import Kernel
from rosenblatt.loops.blocks import accumulate
from rosenblatt.rows import Rows, parts
from rosenblatt.rows.stores import RowStore, grown

STORED, SHOWN = 4096, 1024
"""How many support rows, and how many rows to score, are compared at once."""


class SupportSet:
    """The rows that were corrected, and the similarities of other rows to them.

    Parameters
    ----------
    kernel
        The measure of similarity.
    constant
        Added to every similarity: 1 for an intercept, else 0.
    """

    def __init__(self, kernel: Kernel, constant: float) -> None:
        self.kernel = kernel
        self.constant = constant
        self._store = RowStore()
        self._truths: Array = np.empty(0, np.int64)
        self._known_truths = 0
        self._ascending = True
        self._by_id: tuple[Ints, Ints] | None = None

    def __len__(self) -> int:
        return len(self._store)

    @property
    def rows(self) -> Rows:
        """The stored rows, in the order in which they came."""
        return self._store.rows

    @property
    def ids(self) -> Ints:
        """The ids of the stored rows."""
        return self._store.ids

    @property
    def truths(self) -> Array:
        """The truth about each stored row, as the game reads it."""
        return self._truths[: self._known_truths]

    def learn_truths(self, truths: Array, first: int) -> None:
        """Take note of the truths about rows stored since the last call, whose ids count from `first`."""
        new = self.ids[self._known_truths :]
        if len(new):
            self._truths = grown(self._truths, self._known_truths, truths[new - first])
            self._known_truths += len(new)

    def set_truths(self, truths: Array) -> None:
        """Set the truths about all stored rows."""
        self._truths, self._known_truths = truths, len(truths)

    def indices(self, ids: Ints) -> Ints:
        """Return the indices of the rows with these ids; raise KeyError if one is not stored."""
        found = self._candidates(ids) if len(self) else ids
        if (not len(self) and len(ids)) or (self.ids[found] != ids).any():
            missing = np.setdiff1d(ids, self.ids)[0]
            raise KeyError(f"Row {missing} is not in the support set.")
        return found

    def _candidates(self, ids: Ints) -> Ints:
        """Return the index of each id if it is stored, else any index."""
        if self._ascending:
            return np.minimum(np.searchsorted(self.ids, ids), len(self) - 1)
        if self._by_id is None:
            order = np.argsort(self.ids, kind="stable")
            self._by_id = self.ids[order], order
        sorted_ids, indices = self._by_id
        return indices[np.minimum(np.searchsorted(sorted_ids, ids), len(self) - 1)]

    def keep(self, rows: Rows) -> None:
        """Store those rows that are not stored yet; the caller passes a copy."""
        if len(self):
            new = self.ids[self._candidates(rows.ids)] != rows.ids
            rows = rows if new.all() else rows.take(np.flatnonzero(new))
        if len(rows):
            self._ascending &= bool((np.diff(rows.ids, prepend=self.ids[-1:]) > 0).all())
            self.append(rows)

    def append(self, rows: Rows) -> None:
        """Store rows, none of which is stored yet; the caller passes a copy."""
        if self._by_id is not None:
            sorted_ids, indices = self._by_id
            order = np.argsort(rows.ids)
            at = np.searchsorted(sorted_ids, rows.ids[order])
            self._by_id = (
                np.insert(sorted_ids, at, rows.ids[order]),
                np.insert(indices, at, len(self) + order),
            )
        self._store.extend(self.kernel.stored(rows))

    def truncate(self, size: int) -> None:
        """Drop all but the first `size` rows."""
        self._store.truncate(size)
        self._known_truths = min(size, self._known_truths)
        self._by_id = None

    def similarities(self, rows: Rows, others: Rows | None = None) -> Array:
        """k(x, z) + constant for every row x and every z of the stored, or of other, training rows."""
        result = self.kernel.between(rows, self.rows if others is None else others)
        if self.constant:
            result += result.dtype.type(self.constant)
        return result

    def gram(self, others: Rows, rows: Rows) -> Array:
        """Return similarities with the training rows first (others × rows)."""
        if self.kernel.domain == "precomputed":  # the rows are those that have a column for every other
            return np.ascontiguousarray(self.similarities(rows, others).T)
        return self.similarities(others, rows)

    def add_scores(
        self, others: Rows, index: Ints, output: Ints, amount: Floats, rows: Rows, scores: Floats
    ) -> None:
        """Add Σ amount · similarity(others[index], row) to the scores (outputs × rows) of every row.

        The entries are sorted by index. Others are compared a chunk at a time, so that there are never
        many similarities at once.
        """
        for part in parts(len(others), STORED):
            gram = self.gram(others.take(part), rows)
            used = slice(*np.searchsorted(index, [part.start, part.stop]))
            accumulate(gram, index[used] - part.start, output[used], amount[used], scores)

    def scores(
        self, others: Rows, index: Ints, output: Ints, amount: Floats, rows: Rows, outputs: int
    ) -> Floats:
        """Return the scores (outputs × rows) of any number of rows by such entries."""
        result = np.empty((outputs, len(rows)))
        for part in parts(len(rows), SHOWN):
            found = np.zeros((outputs, part.stop - part.start))
            self.add_scores(others, index, output, amount, rows.take(part), found)
            result[:, part] = found
        return result
