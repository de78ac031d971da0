"""The confusion matrix of the mistakes made while learning, computed from the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._types import Bools, Ints
from rosenblatt.engine.predictors import check_kept
from rosenblatt.estimators.base import RunEstimator
from rosenblatt.estimators.tagger import PerceptronTagger
from rosenblatt.games import Argmax, Binary, OneVsRest, Sequence
from rosenblatt.ledger import Ledger
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.plot.axes import axis
from rosenblatt.plot.matrices import draw_matrix
from rosenblatt.plot.runs import check_all_listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def confusion(estimator: Any, ax: Axes | None = None) -> Axes:
    """Plot the confusion matrix of the mistakes: true labels by predicted labels, while learning.

    It is computed from the ledger alone, whose corrections move the truth up and the prediction down. A tie
    counts as a wrong prediction. Correct rounds leave no entry, so the diagonal is empty.

    - With two classes or argmax, the counts add up to the mistakes.
    - With one-vs-rest every learner errs separately: the column of a class counts the false positives of its
      learner, and the column "no" the false negatives of all learners. They add up to the mistakes of all
      learners, of which a round can have several. Examples must have been kept.
    - With a tagger labels are counted, in the sequences that were mistakes. A rule with a required margin
      corrects the most violating rival instead of the prediction, so a ValueError is raised.

    Parameters
    ----------
    estimator
        A fitted classifier or tagger.
    ax
        Where to draw; None for a new figure, `ax.figure`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rosenblatt import PerceptronClassifier, plot
    >>> clf = PerceptronClassifier(max_iter=5, random_state=0).fit(*load_iris(return_X_y=True))
    >>> ax = plot.confusion(clf)
    >>> int(ax.images[0].get_array().sum()) == len(clf.ledger_.mistakes)
    True
    """
    counts = confused(estimator)
    ax = axis(ax)
    ledger, classes = estimator.ledger_, estimator.classes_
    shown = counts.astype(np.float64)
    np.fill_diagonal(shown, np.nan)
    columns = [*classes, "no"][: counts.shape[1]]
    draw_matrix(ax, shown, classes, columns, signed=False, integer=True)
    title = f"{ledger.errors} mistakes"
    if isinstance(estimator, PerceptronTagger):
        title = f"{counts.sum()} labels wrong in {title}"
    ax.set(xlabel="predicted", ylabel="true", title=f"{title}, {ledger.rounds} rounds")
    return ax


def confused(estimator: Any) -> Ints:
    """Return the confusion matrix of the mistakes: true labels (rows) by predicted labels (columns)."""
    if not isinstance(estimator, RunEstimator):
        raise ValueError(f"Mistakes are counted from a run. Got {type(estimator).__name__}, which has none.")
    game, ledger = estimator.run_.game, estimator.ledger_
    if type(game) not in READERS:
        named = ", ".join(kind.__name__ for kind in READERS)
        raise ValueError(
            f"A confusion matrix counts labels, in the games {named}. Got a {type(estimator).__name__} that "
            f"plays {game!r:.100}: see plot.mistakes."
        )
    check_all_listed(ledger, "A confusion matrix")
    truths, predicted = READERS[type(game)](estimator, ledger)
    columns = len(estimator.classes_) + isinstance(game, OneVsRest)
    counts = np.zeros((len(estimator.classes_), columns), np.int64)
    np.add.at(counts, (truths, predicted), 1)
    return counts


def _up(ledger: Ledger) -> Bools:
    """Return which entries move up, by the sign bit: a step may be 0."""
    return ~np.signbit(ledger.amount)


def _of_two(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    truths = _up(ledger)[ledger.wrong].astype(np.int64)
    return truths, 1 - truths


def _of_argmax(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    up = _up(ledger)
    return ledger.output[up][ledger.wrong], ledger.output[~up][ledger.wrong]


def _of_one_vs_rest(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    """Return true classes, by the support set, and predictions: a class, or after the last one "no"."""
    run = estimator.run_
    check_kept(run, "confusion")
    if run.budget is not None:
        raise ValueError(
            "The confusion matrix of one-vs-rest needs all corrected rows, and a budget drops some. Got "
            f"{run.budget!r}."
        )
    truths = run.support.truths[run.support.indices(ledger.row)]
    predicted = np.where(_up(ledger), len(estimator.classes_), ledger.head)
    return truths[ledger.wrong], predicted[ledger.wrong]


def _of_labels(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    """Return the labels of wrong tokens: the first rows of a correction, as many as its cost."""
    run = estimator.run_
    if run.rule.required_margin > 0 or run.ruled_otherwise:
        raise ValueError(
            "The ledger of a tagger holds its predictions if only mistakes were corrected, by the rule "
            f"'perceptron' throughout. Got {run.rule!r}."
        )
    on_rows = ledger.row != STRUCTURE
    keys = ledger.correction[on_rows] * (ledger.row.max(initial=0) + 1) + ledger.row[on_rows]
    rows, index = np.unique(keys, return_inverse=True)
    correction = rows // (ledger.row.max(initial=0) + 1)
    rank = np.arange(len(rows)) - np.searchsorted(correction, correction)
    labels = np.zeros((2, len(rows)), np.int64)
    labels[_up(ledger)[on_rows].astype(np.int64), index] = ledger.output[on_rows]
    predicted, truths = labels[:, (rank < ledger.cost[correction]) & ledger.wrong[correction]]
    return truths, predicted


READERS: dict[type, Callable[[Any, Ledger], tuple[Ints, Ints]]] = {
    Binary: _of_two,
    Argmax: _of_argmax,
    OneVsRest: _of_one_vs_rest,
    Sequence: _of_labels,
}
