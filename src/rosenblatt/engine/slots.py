"""A support set of bounded size: a fixed number of slots, each of which can be overwritten."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Ints
from rosenblatt.engine.support import SupportSet
from rosenblatt.kernels import Kernel
from rosenblatt.rows import Csr, Rows, rows_of

NARROW = 4096
"""Features up to which sparse rows are stored as dense ones, which are compared faster."""

NO_TRUTH = -1
"""Instead of the truth about a row that was made of two."""


class SupportSlots(SupportSet):
    """A support set in which any row can be replaced.

    Dense rows lie in one array, which gets wider as features come in; wide sparse ones and objects in a
    list, joined when they are read.
    """

    def __init__(self, kernel: Kernel, constant: float, most: int) -> None:
        super().__init__(kernel, constant)
        self._most = most
        self._truth_of: dict[int, Any] = {}
        self._no_truth: Any = NO_TRUTH
        self._unlabelled: list[int] = []
        self._ids: Ints = np.empty(0, np.int64)
        self._dense: Array | None = None
        self._squares: Array | None = None
        self._pieces: list[Any] = []
        self._rows: Rows | None = None

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> Ints:
        """The ids of the rows."""
        return self._ids

    @property
    def rows(self) -> Rows:
        """The stored rows, without a copy: they change with the set."""
        if self._rows is None:
            squares = None if self._squares is None else self._squares[: len(self)]
            self._rows = rows_of(self._joined(), self._ids, squares)
        return self._rows

    @property
    def truths(self) -> Array:
        """The truth about each stored row; NO_TRUTH if it was made of two."""
        found = [self._truth_of.get(row, self._no_truth) for row in self._ids.tolist()]
        return np.array(found, None if found else np.int64)

    def learn_truths(self, truths: Array, first: int) -> None:
        """Take note of the truths about rows stored since the last call, whose ids count from `first`."""
        self._fit_to(truths)
        self._truth_of |= {row: truths[row - first].copy() for row in self._unlabelled}
        self._unlabelled = []
        if len(self._truth_of) > 2 * self._most:
            stored = set(self._ids.tolist())
            self._truth_of = {row: truth for row, truth in self._truth_of.items() if row in stored}

    def set_truths(self, truths: Array) -> None:
        """Set the truths about all stored rows."""
        self._fit_to(truths)
        every = truths.tolist() if truths.ndim == 1 else truths
        self._truth_of = dict(zip(self._ids.tolist(), every, strict=True))
        self._unlabelled = []

    def _fit_to(self, truths: Array) -> None:
        """Let rows without a truth have a vector of NO_TRUTH where truths are vectors."""
        if truths.ndim > 1:
            self._no_truth = np.full(truths.shape[1:], NO_TRUTH, truths.dtype)

    def _candidates(self, ids: Ints) -> Ints:
        """Return the index of each id if it is stored, else any index."""
        order = np.argsort(self._ids, kind="stable")
        return order[np.minimum(np.searchsorted(self._ids[order], ids), len(self) - 1)]

    def keep(self, rows: Rows) -> None:
        """Store all of these rows."""
        for i in range(len(rows)):
            self.put(rows.take(slice(i, i + 1)), len(self))

    def put(self, row: Rows, slot: int) -> None:
        """Store one row in a slot, the next free one or that of another."""
        stored = self.plain(self.kernel.stored(row))
        self._rows = None
        if row.ids[0] >= 0:  # else it is made of two
            self._unlabelled.append(int(row.ids[0]))
        if slot == len(self._ids):
            self._ids = np.append(self._ids, row.ids)
        else:
            self._ids = self._ids.copy()
            self._ids[slot] = row.ids[0]
        if isinstance(stored.data, np.ndarray) and not stored.sparse:
            self._put_dense(stored, slot)
            return
        piece = stored.csr if stored.sparse else stored.data[0]
        if slot == len(self._pieces):
            self._pieces.append(piece)
        else:
            self._pieces[slot] = piece

    def similarities(self, rows: Rows, others: Rows | None = None) -> Array:
        """k(x, z) + constant for every row x and every z of the stored, or of other, training rows."""
        rows = self.plain(rows)
        others = self.rows if others is None else self.plain(others)
        if not rows.sparse and isinstance(rows.data, np.ndarray) and rows.width != others.width:
            width = max(rows.width or 0, others.width or 0)
            rows, others = _padded(rows, width), _padded(others, width)
        return super().similarities(rows, others)

    def plain(self, rows: Rows) -> Rows:
        """Rows in the form in which they are stored: sparse ones as dense ones while all are narrow."""
        if not rows.sparse and isinstance(rows.data, list):
            return rows
        if self._pieces:
            return rows if rows.sparse else rows.in_other_form()
        if not rows.sparse:
            return rows
        if (rows.width or 0) > NARROW:
            self._make_sparse()
            return rows
        starts, features, values, width = rows.csr
        width = max(width, 0 if self._dense is None else self._dense.shape[1])
        dense = np.zeros((len(rows), width), values.dtype)
        dense[np.repeat(np.arange(len(rows)), np.diff(starts)), features] = values
        return rows_of(dense, rows.ids)

    def _make_sparse(self) -> None:
        """Convert the stored rows from dense to sparse."""
        if self._dense is not None:
            every = rows_of(sp.csr_array(self._dense[: len(self)]))
            self._pieces = [every.take(slice(i, i + 1)).csr for i in range(len(self))]
            self._dense, self._squares, self._rows = None, None, None

    def _put_dense(self, row: Rows, slot: int) -> None:
        width, dtype = row.data.shape[1], row.data.dtype
        if self._dense is None or self._squares is None:
            self._dense, self._squares = np.zeros((0, width), dtype), np.zeros(0, dtype)
        dtype = np.promote_types(dtype, self._dense.dtype)
        more = (
            min(max(64, len(self._dense)), self._most - len(self._dense)) if slot >= len(self._dense) else 0
        )
        wider = max(0, width - self._dense.shape[1])
        if more or wider or dtype != self._dense.dtype:
            self._dense = np.pad(self._dense, ((0, more), (0, wider))).astype(dtype, copy=False)
            self._squares = np.pad(self._squares, (0, more)).astype(dtype, copy=False)
        self._dense[slot], self._squares[slot] = 0, row.squares[0]
        self._dense[slot, :width] = row.data[0]

    def remove(self, slot: int) -> None:
        """Let the last row take this one's slot."""
        last = len(self) - 1
        self._rows = None
        ids = self._ids.copy()
        ids[slot] = ids[last]
        self._ids = ids[:last]
        if self._dense is not None and self._squares is not None:
            self._dense[slot], self._squares[slot] = self._dense[last], self._squares[last]
        else:
            self._pieces[slot] = self._pieces[last]
            del self._pieces[last]

    def _joined(self) -> Any:
        if self._dense is not None:
            return self._dense[: len(self)]
        if not self._pieces or not isinstance(self._pieces[0], Csr):
            return list(self._pieces)
        ends = np.cumsum([0, *(len(piece.values) for piece in self._pieces)])
        return Csr(
            ends,
            np.concatenate([piece.features for piece in self._pieces]),
            np.concatenate([piece.values for piece in self._pieces]),
            max(piece.width for piece in self._pieces),
        )


def _padded(rows: Rows, width: int) -> Rows:
    """Pad dense rows with features that are 0."""
    more = width - (rows.width or 0)
    return rows if not more else rows_of(np.pad(rows.data, ((0, 0), (0, more))), rows.ids)


def between(rows: Rows, one: int, other: int, share: float, number: int) -> Rows:
    """Return the point at `share` of the way from row `other` to row `one`, with the id `number`."""
    pair = rows.take(np.array([one, other]))
    data = pair.data
    merged = share * data[:1] + (1 - share) * data[1:]
    return rows_of(merged.astype(data.dtype), np.array([number]))
