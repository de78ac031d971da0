"""Guesses of a run that are past, for a picture: the ledger holds every one of them."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.engine.replay import replayed
from rosenblatt.engine.run import Run
from rosenblatt.engine.support import Memory
from rosenblatt.rows import Rows


def guesses(run: Run) -> Floats:
    """v_0, v_1, … of a linear learner with one output, one line each (corrections + 1 × features)."""
    ledger, memory = run.ledger, run.hypothesis.memory
    if not len(memory):
        return np.zeros((1, 0))
    moved = np.zeros((len(ledger) + 1, memory.rows.data.shape[1]))
    rows = memory.rows.data[memory.places(ledger.row)]
    np.add.at(moved, ledger.correction + 1, ledger.amount[:, None] * rows)
    return np.cumsum(moved, axis=0)


def for_a_picture(run: Run, rounds: int) -> Run:
    """The run after so many rounds, its rows in single precision: compared faster, and exactly enough."""
    then = replayed(run, rounds)
    memory = Memory(then.hypothesis.memory.kernel, then.hypothesis.memory.constant)
    stored = then.hypothesis.memory.rows
    if len(stored):
        memory.append(Rows(stored.data.astype(np.float32), stored.ids))
    then.hypothesis.memory = memory
    return then
