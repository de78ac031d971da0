"""A guess as the rows that were ever corrected, with their coefficients and a kernel."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.budgets import Budget
from rosenblatt.engine.block_scores import BlockScores
from rosenblatt.engine.outputs import Outputs
from rosenblatt.engine.recent import Recent
from rosenblatt.engine.support import RowStore, SupportSet
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import Book
from rosenblatt.rows import Rows, grown


class Dual:
    """The kernel learner's guess, v = Σ α[s, o] φ(x_s) ⊗ e_o; φ is never built.

    Parameters
    ----------
    kernel
        ⟨φ(x), φ(z)⟩.
    constant
        Added to the kernel: 1 for an intercept, else 0.
    outputs
        How many outputs the game has.
    structure
        The structure weights of v_0.
    """

    keep = True
    budget: Budget | None = None

    def __init__(self, kernel: Kernel, constant: float, outputs: int, structure: Floats) -> None:
        self.kernel: Kernel | None = kernel
        self.support = SupportSet(kernel, constant)
        self.outputs = outputs
        self.structure = structure.copy()
        self._coefficients = np.empty((0, outputs))
        self.recent: Recent | None = None

    @property
    def coefficients(self) -> Floats:
        """α: the coefficient of each stored row in each output of the current guess."""
        return self._coefficients[: len(self.support)]

    @coefficients.setter
    def coefficients(self, coefficients: Floats) -> None:
        self._coefficients = coefficients

    def scores(self, rows: Rows) -> Floats:
        """The scores (rows × outputs) of the current guess."""
        if not len(self.support):
            return self.first_scores(rows)
        return np.asarray(self.support.similarities(rows) @ self.coefficients)

    def first_scores(self, rows: Rows) -> Floats:
        """The scores of v_0, which is 0."""
        return np.zeros((len(rows), self.outputs))

    def follow_recent(self, heads: int) -> None:
        """Keep the sums of the predictor `recent` beside the guess."""
        self.recent = Recent(heads, np.zeros_like(self.coefficients), len(self.structure))

    def recent_scores(self, rows: Rows, rounds: int) -> Floats:
        """The scores of the recent average."""
        assert self.recent is not None
        if not len(self.support):
            return self.first_scores(rows)
        gram, sums = self.support.similarities(rows), self.recent.sums[: len(self.support)]
        shares = self.recent.shares(rounds, self.outputs)
        return np.asarray(gram @ self.coefficients - (gram @ sums) * shares)  # rounded as in the primal

    def restart_recent(self, head: int, when: int) -> None:
        """Restart the recent average of a head."""
        assert self.recent is not None
        self.recent.restart(head, when)

    def add(self, rows: Rows, index: Ints, output: Ints, amount: Floats, when: Floats) -> None:
        """Add entries to the guess: amount · φ(rows[index]) to each output."""
        touched, inverse = np.unique(index, return_inverse=True)
        before = len(self.support)
        corrected = self.support.kernel.stored(rows.take(touched))
        self.support.keep(corrected)
        new = np.zeros((len(self.support) - before, self.outputs))
        self._coefficients = grown(self._coefficients, before, new)
        stored = self.support.indices(corrected.ids)[inverse]
        np.add.at(self._coefficients, (stored, output), amount)
        if self.recent is not None:
            self.recent.sums = grown(self.recent.sums, before, np.zeros_like(new))
            np.add.at(self.recent.sums, (stored, output), amount * self.recent.factors(when, output))

    def with_outputs(self, outputs: Outputs, rounds: int) -> Dual:
        """Return a copy with these outputs, new ones with coefficients of 0."""
        result = copy(self)
        result.support = deepcopy(self.support)
        result.structure = outputs.of_structure(self.structure, outputs.structure)
        result.coefficients = outputs.of(self.coefficients)
        result.recent = None if self.recent is None else self.recent.with_outputs(outputs, rounds)
        result.outputs = len(outputs.source)
        return result

    def block_scores(self, rows: Rows, lasting: bool) -> BlockScores:
        """Return the block scores of these rows; if `lasting`, the scores of all rows are kept."""
        return KeptBlockScores(self, rows) if lasting else BlockScores(self, rows)

    def end_guess(self, when: float, head: int) -> None:
        """Do nothing before a correction: the ledger holds the guess that it ends."""

    def widen(self, features: int) -> None:
        """Nothing to do: rows may get longer as features come in."""

    def narrow(self, features: int) -> None:
        """Nothing to do: there is no room for features."""

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores the present state."""
        coefficients, structure, size = self.coefficients.copy(), self.structure.copy(), len(self.support)
        recent = None if self.recent is None else self.recent.copy()

        def restore() -> None:
            self.support.truncate(size)
            self._coefficients, self.structure, self.recent = coefficients, structure, recent

        return restore

    def savepoint(self, book: Book) -> Callable[[], None]:
        """Return a function that rolls guess and book back to the present state.

        Rows that are stored already may be corrected again: their coefficients are restored, too.
        """
        restore, tally = self.snapshot(), book.tally.copy()

        def undo() -> None:
            book.erase(tally)
            restore()

        return undo


class KeptBlockScores(BlockScores):
    """Scores of all rows of a data set, each brought up to date only when it is about to be played.

    Between epochs every score includes every correction. Within an epoch the scores of a block are first
    updated by all corrections since the epoch began, in one matrix product; after the epoch, by those
    since the block was played. So a pair of rows is compared once per correction, and n × n similarities
    are never held.
    """

    def __init__(self, hypothesis: Dual, rows: Rows) -> None:
        kernel, self._support = hypothesis.support.kernel, hypothesis.support
        self._given = rows.with_squares() if kernel.inner and kernel.needs_squares else rows
        self._coefficients = hypothesis.coefficients
        super().__init__(hypothesis, self._given.compact() if kernel.inner else rows)
        self._scores = self._scores_so_far()
        self._fresh = NewCorrections()
        self._played: list[tuple[Ints, int]] = []

    def _scores_so_far(self) -> Floats:
        """The scores of all rows, with all their features, by the corrections before they came."""
        outputs, entries = self._hypothesis.outputs, _entries_of(self._coefficients)
        if not len(self._support):
            return np.zeros((len(self._given), outputs))
        found = self._support.scores(self._support.rows, *entries, self._given, outputs)
        return np.ascontiguousarray(found.T)

    def begin(self, order: Ints) -> None:
        """Begin an epoch in which the rows are played in this order."""
        for index, seen in self._played:
            if seen < len(self._fresh):
                self._update(index, *self._fresh.since(seen))
        super().begin(order)
        self._fresh, self._played = NewCorrections(), []

    def open(self, part: slice) -> tuple[Rows, Floats]:
        """The rows of this part of the order and their scores (outputs × rows), up to date."""
        return self._update(self._order[part], *self._fresh.since(0))

    def _update(
        self, index: Ints, others: Rows, other: Ints, output: Ints, amount: Floats
    ) -> tuple[Rows, Floats]:
        """Add corrections to the scores of these rows; return the rows and their scores."""
        rows, scores = self._rows.take(index), np.ascontiguousarray(self._scores[index].T)
        self._support.add_scores(others, other, output, amount, rows, scores)
        self._scores[index] = scores.T
        return rows, scores

    def close(
        self, part: slice, scores: Floats, block: Rows, entries: tuple[Ints, Ints, Floats, Floats]
    ) -> None:
        """Store the scores that playing the block has updated, and the entries that it left."""
        index = self._order[part]
        self._scores[index] = scores.T
        block_row, output, amount, when = entries
        if len(block_row):
            self._hypothesis.add(self._given, index[block_row], output, amount, when)
            self._fresh.add(self._support.kernel, block, block_row, output, amount)
        self._played.append((index, len(self._fresh)))


class NewCorrections:
    """The corrections since the epoch began: rows, and entries sorted by row."""

    def __init__(self) -> None:
        self._store = RowStore()
        self._entries = 0
        self._index, self._output = np.empty(0, np.int64), np.empty(0, np.int64)
        self._amount = np.empty(0)

    def __len__(self) -> int:
        return len(self._store)

    def add(self, kernel: Kernel, block: Rows, block_row: Ints, output: Ints, amount: Floats) -> None:
        """Add the entries that playing a block has left, and their rows."""
        touched, inverse = np.unique(block_row, return_inverse=True)
        by_row = np.argsort(inverse, kind="stable")
        self._index = grown(self._index, self._entries, inverse[by_row] + len(self))
        self._output = grown(self._output, self._entries, output[by_row])
        self._amount = grown(self._amount, self._entries, amount[by_row])
        self._entries += len(block_row)
        self._store.extend(kernel.stored(block.take(touched)))

    def since(self, seen: int) -> tuple[Rows, Ints, Ints, Floats]:
        """Return all but the first `seen` rows, with their entries."""
        index = self._index[: self._entries]
        used = slice(int(np.searchsorted(index, seen)), self._entries)
        return (
            self._store.rows.take(slice(seen, None)),
            index[used] - seen,
            self._output[used],
            self._amount[used],
        )


def _entries_of(coefficients: Floats) -> tuple[Ints, Ints, Floats]:
    support_index, output = np.nonzero(coefficients)
    return support_index, output, coefficients[support_index, output]
