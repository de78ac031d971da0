"""Earlier guesses of a run, recomputed from its ledger, for the figures of the page."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.engine.replay import replayed
from rosenblatt.engine.run import Run
from rosenblatt.engine.support import SupportSet
from rosenblatt.rows import rows_of


def guesses(run: Run) -> Floats:
    """Return v_0, v_1, … of a linear learner with one output (corrections + 1 × features)."""
    ledger, support = run.ledger, run.support
    if not len(support):
        return np.zeros((1, 0))
    moved = np.zeros((len(ledger) + 1, support.rows.data.shape[1]))
    rows = support.rows.data[support.indices(ledger.row)]
    np.add.at(moved, ledger.correction + 1, ledger.amount[:, None] * rows)
    return np.cumsum(moved, axis=0)


def single_precision(run: Run, rounds: int) -> Run:
    """Return the run after this many rounds, its support vectors in float32: faster, exact enough to draw."""
    then = replayed(run, rounds)
    support = SupportSet(then.hypothesis.support.kernel, then.hypothesis.support.constant)
    stored = then.hypothesis.support.rows
    if len(stored):
        support.append(rows_of(stored.data.astype(np.float32), stored.ids))
    then.hypothesis.support = support
    return then
