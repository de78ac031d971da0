"""A run of a game with more outputs: what a class or a label asks for that comes later."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.games import Game
from rosenblatt.ledger import Book
from rosenblatt.loops.book import CORRECTION, STRUCTURE

if TYPE_CHECKING:
    from rosenblatt.engine.run import Run

HEAD, MARGIN, NORM = (CORRECTION.index(name) for name in ("head", "margin", "norm_squared"))


@dataclass(frozen=True, eq=False)
class Outputs:
    """How the outputs of a game continue those of one that had fewer.

    Parameters
    ----------
    source
        For each output, the former one that it continues; −1 for a new one, whose weights are 0.
    sign
        For each output, 1; or −1 if it continues the opposite of the former.
    heads
        For each head, the former one that it continues; −1 for a new one.
    structure
        The structure weights of v_0.
    moved
        For each former structure weight, its index among these.
    truths
        For each former truth, its index among the new ones; where truths are vectors, for each of their
        columns; None where truths stay.
    """

    source: Ints
    sign: Floats
    heads: Ints
    structure: Floats
    moved: Ints
    truths: Ints | None = None

    def of(self, values: Array) -> Array:
        """Return values of the former outputs, the last axis, for the new ones."""
        found = np.ascontiguousarray(values[..., self.source] * self.sign.astype(values.dtype))
        found[..., self.source < 0] = 0
        return found  # in rows: loops change it through reshaped views

    def of_heads(self, values: Array, new: float) -> Array:
        """Return values of the former heads, the first axis, for the new ones; `new` for those that begin."""
        found = values[self.heads].copy()
        found[self.heads < 0] = new
        return found

    def of_structure(self, values: Floats, new: Floats) -> Floats:
        """Return values of the former structure weights among `new` ones, the last axis."""
        found = new.copy()
        found[..., self.moved] = values
        return found

    def of_truths(self, truths: Array) -> Array:
        """Return what former truths are now."""
        if self.truths is None or not len(truths):
            return truths
        if truths.ndim == 2:  # a new column is 0, as nothing was known of it
            found: Array = np.zeros((len(truths), len(self.source)), truths.dtype)
            found[:, self.truths] = truths
            found[(truths == NO_TRUTH).all(axis=1)] = NO_TRUTH
            return found
        return np.where(truths == NO_TRUTH, NO_TRUTH, self.truths[np.maximum(truths, 0)])


def with_outputs(run: Run, game: Game, outputs: Outputs) -> Run:
    """Return a copy of a run that continues with another game."""
    hypothesis = run.hypothesis.with_outputs(outputs, run.book.rounds)
    hypothesis.support.set_truths(outputs.of_truths(hypothesis.support.truths))
    return replace(run, game=game, hypothesis=hypothesis, book=_book(run.book, outputs))


def _book(book: Book, outputs: Outputs) -> Book:
    """Return a copy of a book in which corrections have the new heads, and entries the new outputs.

    A correction of a head that several continue is one of each of them. One of an output that several outputs
    of a head continue has an entry for each, and its margin and squared norm are that many times as large.
    """
    result = deepcopy(book)
    result.heads = len(outputs.heads)
    result.unlisted_delays = outputs.of_structure(book.unlisted_delays, np.zeros(len(outputs.structure)))
    line, head = _lines(book.corrections[: len(book), HEAD].astype(np.int64), outputs.heads)
    entry, output = _entries(book.entries[: int(book.tally[2])], outputs)
    several = len(outputs.heads) > 1
    of_line = np.full((len(book), len(outputs.heads)), -1)
    of_line[line, head] = np.arange(len(line))

    corrections = book.corrections[line]
    corrections[:, HEAD] = head
    times = 1 if several else max(np.bincount(outputs.source[outputs.source >= 0]).max(initial=1), 1)
    corrections[:, [MARGIN, NORM]] *= times
    entries = book.entries[entry]
    on_rows = entries[:, 1] != STRUCTURE
    entries[on_rows, 3] *= outputs.sign[output[on_rows]]
    entries[:, 2] = output
    entries[:, 0] = of_line[entries[:, 0].astype(np.int64), output if several else 0]
    order = np.argsort(entries[:, 0], kind="stable")

    result.corrections, result.entries = corrections, entries[order]
    result.tally[1:] = len(corrections), len(entries)
    result.unlisted *= len(corrections) // len(book) if len(book) else 1
    return result


def _lines(former: Ints, heads: Ints) -> tuple[Ints, Ints]:
    """Return the former correction and the head of every correction, in order."""
    line, head = np.nonzero(former[:, None] == heads[None, :])
    return line, head


def _entries(entries: Floats, outputs: Outputs) -> tuple[Ints, Ints]:
    """Return the former entry and the output, or the structure weight, of every entry."""
    former, on_structure = entries[:, 2].astype(np.int64), entries[:, 1] == STRUCTURE
    entry, output = np.nonzero((former[:, None] == outputs.source[None, :]) & ~on_structure[:, None])
    moved = np.flatnonzero(on_structure)
    every = np.concatenate([entry, moved])
    order = np.argsort(every, kind="stable")
    return every[order], np.concatenate([output, outputs.moved[former[moved]]])[order].astype(np.int64)
