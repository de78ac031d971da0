"""A run as it was some rounds ago, to be asked: the ledger holds every guess."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.hypotheses import Dual
from rosenblatt.hypotheses.memory import Memory
from rosenblatt.ledger import OFFSET, Book
from rosenblatt.loops.book import CORRECTION
from rosenblatt.predictors import summed
from rosenblatt.rows import Rows
from rosenblatt.run import Run

WHEN = CORRECTION.index("when")


def as_of(run: Run, rounds: int, memory: Memory | None = None) -> Run:
    """The run after so many rounds, in dual form; it cannot go on.

    Its memory is that of the run, or another one with the same rows.
    """
    memory = memory or run.hypothesis.memory
    then = Dual(memory.kernel, memory.constant, run.game.outputs, run.game.offsets)
    then.memory = memory
    _, k, e = run.book.tally.tolist()
    corrections = int(np.searchsorted(run.book.corrections[:k, WHEN], rounds, side="right"))
    entries = int(np.searchsorted(run.book.entries[:e, 0], corrections))
    book = Book(run.game.tracks)
    book.corrections, book.entries = run.book.corrections[:corrections], run.book.entries[:entries]
    book.tally[:] = rounds, corrections, entries
    return Run(run.game, run.rule, then, book)


def in_single_precision(memory: Memory) -> Memory:
    """The same rows, which are compared faster and exactly enough for a picture."""
    result = Memory(memory.kernel, memory.constant)
    if len(memory):
        result.append(Rows(memory.rows.data.astype(np.float32), memory.ids))
    return result


def guesses(run: Run) -> Floats:
    """v_0, v_1, … of a linear learner with one output, one line each (corrections + 1 × features)."""
    ledger, memory = run.ledger, run.hypothesis.memory
    if not len(memory):
        return np.zeros((1, 0))
    moved = np.zeros((len(ledger) + 1, memory.rows.data.shape[1]))
    rows = memory.rows.data[memory.places(ledger.row)]
    np.add.at(moved, ledger.correction + 1, ledger.amount[:, None] * rows)
    return np.cumsum(moved, axis=0)


def offsets(run: Run) -> Floats:
    """Those of the current guess: of v_0, and what corrections added."""
    ledger = run.ledger
    free = ledger.row == OFFSET
    return run.game.offsets + summed(ledger.output[free], ledger.amount[free], len(run.game.offsets))
