"""The error of each predictor by epoch, from one run."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._types import Ints
from rosenblatt.engine import predictors
from rosenblatt.engine.replay import replayed
from rosenblatt.engine.run import Run
from rosenblatt.estimators.base import RunEstimator
from rosenblatt.plot.axes import axis
from rosenblatt.plot.colours import BLUE, GREEN, INK, PURPLE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 10
"""Points at which to evaluate a run that cannot be divided into epochs, equally spaced."""

STYLES: dict[str, dict[str, Any]] = {
    "last": {"color": INK, "linestyle": ":", "marker": "o"},
    "best": {"color": PURPLE, "linestyle": "-.", "marker": "D"},
    "average": {"color": BLUE, "linestyle": "-", "marker": "s"},
    "vote": {"color": VERMILION, "linestyle": "--", "marker": "^"},
    "sample": {"color": GREEN, "linestyle": ":", "marker": "v"},
}


def error_by_predictor(
    estimator: Any,
    X: Any,
    y: Any = None,
    ax: Axes | None = None,
    *,
    rounds: Iterable[int] | None = None,
    **passed_on: Any,
) -> Axes:
    """Plot the error of last, best, average, vote and sample after every epoch of one run.

    Nothing is learned again. The ledger holds every guess, so the run is replayed up to the end of each
    epoch, and predicts as if it had ended there: what `fit` with fewer `epochs` and the same seed would have
    learned. That needs the corrected rows, so `keep_examples` must be true and there must be no budget.

    An epoch is a pass of `fit` over its examples. If a run cannot be divided into epochs, because there was
    only one, or `partial_fit` continued it, or pairs were drawn, the axis is in rounds.

    Parameters
    ----------
    estimator
        A fitted classifier, ranker or tagger, which is not changed.
    X, y
        Test examples, as its `score` takes them. The error is 1 − score: of a ranker or a tagger,
        by its `metric`.
    ax
        Where to draw; None for a new figure, `ax.figure`.
    rounds
        The rounds after which to evaluate, instead of after every epoch.
    passed_on
        Other arguments of `score`, such as `qid`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rosenblatt import PerceptronClassifier, plot
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = PerceptronClassifier(max_iter=5, random_state=0).fit(X[::2], y[::2])
    >>> ax = plot.error_by_predictor(clf, X[1::2], y[1::2])
    >>> [line.get_label() for line in ax.lines]
    ['last', 'best', 'average', 'vote', 'sample']
    """
    if not isinstance(estimator, RunEstimator):
        raise ValueError(f"Predictors are those of an estimator with a run. Got {type(estimator).__name__}.")
    run = estimator.run_
    points, in_epochs = _points(run, rounds)
    ax = axis(ax)
    errors = [_errors(estimator, replayed(run, point), X, y, passed_on) for point in points.tolist()]
    seen = points // run.examples_seen if in_epochs else points
    for name in predictors.FROM_LEDGER:
        ax.plot(seen, [error[name] for error in errors], label=name, markersize=5, **STYLES[name])
    if in_epochs:
        ax.locator_params(axis="x", integer=True)
    metric = getattr(estimator, "metric", None)
    ax.set(xlabel="epochs" if in_epochs else "rounds", ylabel=f"1 − {metric}" if metric else "error")
    ax.set_title("One run, five predictors")
    ax.legend(frameon=False)
    return ax


def _points(run: Run, rounds: Iterable[int] | None) -> tuple[Ints, bool]:
    """Return the rounds after which to evaluate, and whether these are the ends of epochs."""
    played = run.book.rounds
    if rounds is not None:
        points = np.asarray(list(rounds))
        if not len(points) or points.dtype.kind not in "iu" or points.min() < 1 or points.max() > played:
            raise ValueError(f"rounds must be integers from 1 to {played}, those played. Got {rounds!r}.")
        return points.astype(np.int64), False
    if not played:
        raise ValueError("There is nothing to plot: no round was played. Fit the learner first.")
    ends = np.arange(1, run.epochs + 1) * run.examples_seen
    if run.epochs > 1 and played == ends[-1]:
        return ends, True
    if run.converged and played > ends[-1] and played % run.examples_seen == 0:  # the rest was credited
        return np.append(ends, played), True
    parts = min(played, max(POINTS, run.epochs))
    return np.arange(1, parts + 1) * played // parts, False


def _errors(estimator: Any, run: Run, X: Any, y: Any, passed_on: dict[str, Any]) -> dict[str, float]:
    """Return the error of each predictor of the estimator with another run over the same features."""
    other = copy(estimator)
    other.task_ = copy(estimator.task_)
    other.task_.run = run
    return {
        name: 1 - other.set_params(predictor=name).score(X, y, **passed_on) for name in predictors.FROM_LEDGER
    }
