"""The support set: the rows that were ever corrected, each stored once and found by its id."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine.threads import cores, in_threads, products_in_one_thread, threads
from rosenblatt.kernels import Kernel
from rosenblatt.loops.blocks import accumulate
from rosenblatt.loops.compiling import is_ours
from rosenblatt.rows import Csr, Rows, grown, parts, rows_of

STORED, SHOWN = 4096, 1024
"""How many support rows, and how many rows to score, are compared at once."""

NARROW = 64
"""Features up to which a product of dense rows is computed in one thread: more would not be faster."""

PAIRS = 2**17
"""Pairs of rows from which on they are divided among threads."""

WAITING = 256
"""Pieces that may wait to be merged: few enough to be cheap, many enough to be rare."""


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
            self.append(rows)

    def append(self, rows: Rows) -> None:
        """Store rows, none of which is stored yet; the caller passes a copy."""
        self._ascending &= bool((np.diff(rows.ids, prepend=self.ids[-1:]) > 0).all())
        if self._by_id is not None:
            sorted_ids, indices = self._by_id
            order = np.argsort(rows.ids)
            at = np.searchsorted(sorted_ids, rows.ids[order])
            self._by_id = (
                np.insert(sorted_ids, at, rows.ids[order]),
                np.insert(indices, at, len(self) + order),
            )
        self._store.extend(rows)

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

        The entries are sorted by index. Many rows are divided among threads, unless products have threads.
        """
        many = len(rows) * len(others) >= PAIRS and self.divides(rows)
        pieces = parts(len(rows), -(-len(rows) // threads(cores()))) if many else []

        def add_to_piece(piece: slice) -> None:
            found = scores[:, piece].copy()
            self._add_scores(others, index, output, amount, rows.take(piece), found)
            scores[:, piece] = found

        if len(pieces) > 1:
            in_threads(add_to_piece, pieces)
        else:
            self._add_scores(others, index, output, amount, rows, scores)

    def divides(self, rows: Rows) -> bool:
        """Whether rows are divided among threads: those whose products are small, by a kernel of ours."""
        small = rows.sparse or (rows.width or 0) <= NARROW
        return small and self.kernel.inner and _is_ours(self.kernel)

    def one_thread_for_products(self, rows: Rows) -> AbstractContextManager[None]:
        """Return the context in which these rows are compared."""
        return products_in_one_thread() if self.divides(rows) else nullcontext()

    def _add_scores(
        self, others: Rows, index: Ints, output: Ints, amount: Floats, rows: Rows, scores: Floats
    ) -> None:
        """Add to scores in this thread, by a chunk of others at a time: there are never many similarities."""
        for part in parts(len(others), STORED):
            gram = self.gram(others.take(part), rows)
            used = slice(*np.searchsorted(index, [part.start, part.stop]))
            accumulate(gram, index[used] - part.start, output[used], amount[used], scores)

    def scores(
        self, others: Rows, index: Ints, output: Ints, amount: Floats, rows: Rows, outputs: int
    ) -> Floats:
        """Return the scores (outputs × rows) of any number of rows by such entries."""
        result = np.empty((outputs, len(rows)))
        with self.one_thread_for_products(rows):
            for part in parts(len(rows), SHOWN):
                found = np.zeros((outputs, part.stop - part.start))
                self.add_scores(others, index, output, amount, rows.take(part), found)
                result[:, part] = found
        return result


def _is_ours(kernel: Kernel) -> bool:
    """Whether all parts of a kernel are of this library: those of others need not allow for threads."""
    return is_ours(type(kernel)) and all(map(_is_ours, kernel.parts))


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
        self._merged = self._merged._replace(size=size) if size else Merged(0, None, None)
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
