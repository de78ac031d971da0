"""A guess as the rows that were ever corrected, with their coefficients and a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.hypotheses.memory import Memory
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import Book
from rosenblatt.rows import Rows, RowStore, grown

class Dual:
    """The kernel learner's guess, v = Σ α[s, o] φ(x_s) ⊗ e_o; φ is never built.

    Parameters
    ----------
    kernel
        ⟨φ(x), φ(z)⟩.
    constant
        What is added to the kernel: 1 for an intercept, else 0.
    outputs, offsets
        How many the game has.
    """

    keep = True

    def __init__(self, kernel: Kernel, constant: float, outputs: int, offsets: int) -> None:
        self.memory = Memory(kernel, constant)
        self.outputs = outputs
        self.offsets = np.zeros(offsets)
        self._coefficients = np.empty((0, outputs))

    @property
    def coefficients(self) -> Floats:
        """α: what each stored row counts for in each output of the current guess."""
        return self._coefficients[: len(self.memory)]

    def scores(self, rows: Rows) -> Floats:
        """The scores (rows × outputs) of the current guess."""
        if not len(self.memory):
            return self.first_scores(rows)
        return np.asarray(self.memory.similarities(rows) @ self.coefficients)

    def first_scores(self, rows: Rows) -> Floats:
        """The scores of v_0, which is 0."""
        return np.zeros((len(rows), self.outputs))

    def add(self, rows: Rows, place: Ints, output: Ints, amount: Floats, when: Floats) -> None:
        """Take entries into the guess: amount · φ(rows[place]) for each output."""
        touched, line = np.unique(place, return_inverse=True)
        before = len(self.memory)
        stored = self.memory.keep(rows.take(touched))
        new = np.zeros((len(self.memory) - before, self.outputs))
        self._coefficients = grown(self._coefficients, before, new)
        np.add.at(self._coefficients, (stored[line], output), amount)

    def board(self, rows: Rows) -> DualBoard:
        """What the block path needs to know of the rows it plays on."""
        return DualBoard(self, rows)

    @contextmanager
    def transaction(self, book: Book) -> Iterator[None]:
        """If a kernel fails or the user interrupts, forget what came in meanwhile."""
        size, offsets, mark = len(self.memory), self.offsets.copy(), book.mark()
        try:
            yield
        except BaseException:
            book.erase(mark)
            self.memory.truncate(size)
            self.offsets[:] = offsets
            raise


class DualBoard:
    """Scores of all rows of a data set, each brought up to date only when its block is played.

    Between epochs every row is in step with every correction. Within an epoch a block first meets
    the rows corrected since the epoch began, all at once, in one matrix product; after the epoch,
    those corrected since the block was played. So a pair of rows is compared once per correction,
    and n × n similarities are never held.
    """

    def __init__(self, hypothesis: Dual, rows: Rows) -> None:
        self._hypothesis = hypothesis
        self._memory = hypothesis.memory
        self._rows = rows
        self._scores = np.zeros((len(rows), hypothesis.outputs))
        self._forget()
        if len(self._memory):
            scores = np.zeros((hypothesis.outputs, len(rows)))
            self._memory.meet(self._memory.rows, *_entries_of(hypothesis.coefficients), rows, scores)
            self._scores += scores.T

    def _forget(self) -> None:
        """Begin an epoch: no row has been corrected in it."""
        self._fresh = RowStore()
        self._place, self._output = np.empty(0, np.int64), np.empty(0, np.int64)
        self._amount = np.empty(0)
        self._entries = 0
        self._played: list[tuple[Ints, int]] = []

    def open(self, index: Ints) -> tuple[Rows, Floats]:
        """The rows at these positions and their scores (outputs × rows), up to date."""
        block, scores = self._rows.take(index), np.ascontiguousarray(self._scores[index].T)
        self._meet_fresh(block, scores, 0)
        return block, scores

    def gram(self, block: Rows, wanted: Ints) -> Array:
        """Similarities of the wanted rows of a block to all of it."""
        return self._memory.similarities(block.take(wanted), block)

    def close(
        self, index: Ints, scores: Floats, block: Rows, entries: tuple[Ints, Ints, Floats, Floats]
    ) -> None:
        """Store scores that playing the block has kept up to date, and the entries it left."""
        self._scores[index] = scores.T
        place, output, amount, _ = entries
        if len(place):
            self._hypothesis.add(block, *entries)
            touched, line = np.unique(place, return_inverse=True)
            used, self._entries = self._entries, self._entries + len(place)
            self._place = grown(self._place, used, line + len(self._fresh))
            self._output = grown(self._output, used, output)
            self._amount = grown(self._amount, used, amount)
            self._fresh.extend(self._memory.kernel.stored(block.take(touched)))
        self._played.append((index, len(self._fresh)))

    def settle(self) -> None:
        """Bring every block in step with what was corrected after it was played."""
        for index, met in self._played:
            if met < len(self._fresh):
                block, scores = self._rows.take(index), np.ascontiguousarray(self._scores[index].T)
                self._meet_fresh(block, scores, met)
                self._scores[index] = scores.T
        self._forget()

    def _meet_fresh(self, block: Rows, scores: Floats, met: int) -> None:
        """Add what the rows corrected in this epoch, but for the first `met` of them, contribute."""
        if met < len(self._fresh):
            used = slice(int(np.searchsorted(self._place[: self._entries], met)), self._entries)
            fresh = self._fresh.rows.take(slice(met, None))
            self._memory.meet(
                fresh, self._place[used] - met, self._output[used], self._amount[used], block, scores
            )


def _entries_of(coefficients: Floats) -> tuple[Ints, Ints, Floats]:
    place, output = np.nonzero(coefficients)
    return place, output, coefficients[place, output]
