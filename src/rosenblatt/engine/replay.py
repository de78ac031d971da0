"""A run as it was after fewer rounds: its corrections applied again, without scoring or judging a row."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.predictors import check_kept
from rosenblatt.engine.run import Run, begin
from rosenblatt.loops.book import STRUCTURE


def replayed(run: Run, rounds: int) -> Run:
    """Return the run as it was after its first `rounds` rounds, with its own support set and book.

    It answers as a shorter run over the same examples in the same order would, but for rounding. It costs
    one addition per entry of the ledger, and needs the corrected rows.
    """
    check_kept(run, "replay")
    if run.budget is not None:
        raise ValueError(
            "A learner with a budget forgets the guesses it had, and they cannot be made again. Got "
            f"{run.budget!r}."
        )
    result = _before_the_first_round(run)
    ledger, hypothesis, support = run.ledger.until(rounds), result.hypothesis, run.support
    on_rows = ledger.row != STRUCTURE
    np.add.at(hypothesis.structure, ledger.output[~on_rows], ledger.amount[~on_rows])
    if on_rows.any():
        hypothesis.add(
            support.rows,
            support.indices(ledger.row[on_rows]),
            ledger.output[on_rows],
            ledger.amount[on_rows],
            ledger.when[ledger.correction[on_rows]].astype(np.float64),
        )
    lines, entries = len(ledger), len(ledger.row)
    result.book.add(rounds, run.book.corrections[:lines], run.book.entries[:entries])
    return result


def _before_the_first_round(run: Run) -> Run:
    primal = run.primal
    return begin(
        run.game,
        features=None if primal is None else len(primal.weights) - 1,
        kernel=run.kernel,
        rule=run.rule,
        intercept=run.intercept,
        start=None if primal is None else primal.start,
    )
