"""Vectors that may separate the data: a run's own guesses, those of another run, or given weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Examples, Run
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.rows import Rows


@dataclass(frozen=True, eq=False)
class Direction:
    """A vector u that may separate the data, given by its scores.

    Parameters
    ----------
    name
        Its name in a report.
    on_examples, on_support
        Its scores (rows × outputs) on the rows of the data and on the corrected rows.
    structure
        Its structure weights.
    norms_squared
        ‖u‖² for each head, on whose outputs it is a vector of its own.
    """

    name: str
    on_examples: Floats
    on_support: Floats
    structure: Floats
    norms_squared: Floats


def own_directions(run: Run, examples: Examples) -> list[Direction]:
    """The single guesses of a run, as directions."""
    names = predictors.GUESSES if run.hypothesis.recent is not None else predictors.GUESSES[:-1]
    return [direction_of_run(run, examples, run, name) for name in names]


def direction_of_run(run: Run, examples: Examples, other: Run, predictor: str) -> Direction:
    """A single guess of another run on such rows, or of this run, as a direction for this run."""
    theirs = support_rows(other, examples)
    guess = other.single_guess(predictor)
    index, output, amount = guess.entries
    on_theirs = _scores(other, theirs, predictor)
    by_output = predictors.summed(output, amount * on_theirs[index, output], other.game.outputs)
    return Direction(
        name=f"the {predictor} guess" + ("" if other is run else " of another run"),
        on_examples=_scores(other, examples.rows, predictor),
        on_support=on_theirs if other is run else _scores(other, support_rows(run, examples), predictor),
        structure=guess.structure_moved,
        norms_squared=by_head(run, by_output, guess.structure_moved),
    )


def direction_of_weights(run: Run, examples: Examples, weights: Floats) -> Direction:
    """Weights (outputs × features, or features + 1 with the intercept last) as a direction."""
    hypothesis = run.primal
    if hypothesis is None:
        raise ValueError(
            "Weights are a direction only for the learner without a kernel. With one, pass a fitted "
            "PerceptronClassifier with the same kernel as u."
        )
    u = np.atleast_2d(weights).T
    features, outputs = hypothesis.weights.shape
    if u.shape == (features - 1, outputs):
        u = np.vstack([u, np.zeros(outputs)])
    if u.shape != (features, outputs) or not np.all(np.isfinite(u)):
        raise ValueError(
            f"u must be finite weights of shape {(outputs, features - 1)}, or {(outputs, features)} with the "
            f"intercept as last column. Got shape {weights.shape}."
        )
    u[-1] *= hypothesis.support.constant
    return Direction(
        name="the given weights",
        on_examples=hypothesis.scores_of(u, examples.rows),
        on_support=hypothesis.scores_of(u, hypothesis.support.rows),
        structure=np.zeros_like(run.game.structure),
        norms_squared=by_head(run, (u**2).sum(axis=0), np.zeros_like(run.game.structure)),
    )


def support_rows(run: Run, examples: Examples) -> Rows:
    """The corrected rows; under a precomputed kernel only the examples hold them."""
    stored = run.support.rows
    if len(stored) and stored.width == 0:
        return examples.rows.take(stored.ids)
    return stored


def _scores(run: Run, rows: Rows, predictor: str) -> Floats:
    return run.single_guess(predictor).scores(rows).scores if len(rows) else np.empty((0, run.game.outputs))


def by_head(run: Run, by_output: Floats, structure: Floats) -> Floats:
    """‖u‖² of each head from that of each output; the ledger shows which outputs a head has."""
    ledger, norms = run.ledger, np.zeros(run.game.heads)
    owner, free = ledger.head[ledger.correction], ledger.row == STRUCTURE
    for head in range(run.game.heads):
        mine = owner == head
        norms[head] = by_output[np.unique(ledger.output[mine & ~free])].sum()
        norms[head] += (structure[np.unique(ledger.output[mine & free])] ** 2).sum()
    return norms
