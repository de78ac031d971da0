"""The errors for rounds that cannot be played: scores that are not finite, and faults of users' functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt._types import Array
from rosenblatt.games.verdicts import judged
from rosenblatt.loops.book import norm_squared
from rosenblatt.loops.compiling import is_ours
from rosenblatt.rows import Rows
from rosenblatt.rules import stepped

if TYPE_CHECKING:
    from rosenblatt.engine.run import Run


class NotFiniteError(ValueError):
    """A score is not finite."""


def not_finite(row: int) -> NotFiniteError:
    """Return the error for a row whose score is not finite."""
    return NotFiniteError(
        f"The score of row {row} is not a finite number: X contains NaN or infinity there, or numbers too "
        "large to be added up. Clean or scale the data."
    )


def failure(run: Run, rows: Rows, truth: Array, row: int) -> ValueError:
    """Return the error for a round at which a loop stopped: the one that the definition, `play`, raises.

    Parameters
    ----------
    rows, truth
        The rows that the round shows and the truth that it reveals.
    row
        The index of the row whose score is not finite, if one is not.
    """
    with np.errstate(all="ignore"):
        scores = run.hypothesis.scores(rows)
        if not np.isfinite(scores).all():
            return not_finite(row)
        try:
            _judge_and_step(run, rows, scores, truth)
        except ValueError as fault:
            return fault
    if is_ours(run.game.judge) and is_ours(run.rule.step):
        return not_finite(row)
    return ValueError(
        f"The judge of {run.game!r:.100} or the step of {run.rule!r:.100} fails when it is compiled, and not "
        "when it is called from Python. Make it return the same in both, or use learner.play."
    )


def _judge_and_step(run: Run, rows: Rows, scores: Array, truth: Array) -> None:
    """Judge a round and compute its steps, moving nothing, for the errors this may raise."""
    game, rule, hypothesis = run.game, run.rule, run.hypothesis
    width = game.most_entries(len(rows))
    where, amount = np.empty((width, 2), np.int64), np.empty(width)
    for head in range(game.heads):
        count, margin, wrong, cost = judged(
            game, scores, hypothesis.structure, truth, head, rule.required_margin, where, amount
        )
        if wrong or margin < rule.required_margin * cost:
            norm = norm_squared(where, amount, count, hypothesis.support.similarities(rows, rows))
            stepped(rule, margin, norm, cost)
