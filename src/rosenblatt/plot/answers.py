"""What B answered where it was wrong, and what was true, counted from the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._types import Bools, Ints
from rosenblatt.engine.hypotheses import Budgeted
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
    """How often each label was true and which other was answered, in the rounds that were mistakes.

    It is about the answers that were given while learning, and needs nothing but the ledger, whose
    corrections say what was moved up, the truth, and what down, the answer. A tie counts as the wrong answer.
    Rounds that were right leave no entry, and the diagonal is empty.

    - With two classes or argmax, the counts add up to the mistakes.
    - With one-vs-rest every learner is right or wrong by itself: the column of a class counts rounds in which
      its learner said "yes" to another, and the column "no" those in which it missed its own. They add up to
      the mistakes of all learners, of which a round can have several. Examples must have been kept.
    - With a tagger it is labels that are counted, in the sequences that were mistakes. A rule that asks for a
      margin corrects not the answer but the most dangerous rival, so that there is nothing to count.

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
    >>> clf = PerceptronClassifier(epochs=5, random_state=0).fit(*load_iris(return_X_y=True))
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
    draw_matrix(ax, shown, classes, columns, signed=False, whole=True)
    what = f"{ledger.errors} mistakes"
    if isinstance(estimator, PerceptronTagger):
        what = f"{counts.sum()} labels wrong in {what}"
    ax.set(xlabel="answered", ylabel="true", title=f"{what}, {ledger.rounds} rounds")
    return ax


def confused(estimator: Any) -> Ints:
    """How often each label was true (rows) and each was answered (columns) in a mistake."""
    if not isinstance(estimator, RunEstimator):
        raise ValueError(f"Mistakes are counted from a run. Got {type(estimator).__name__}, which has none.")
    game, ledger = estimator._fitted().game, estimator.ledger_
    if type(game) not in READ:
        raise ValueError(
            "A confusion matrix counts labels. Got a "
            f"{type(estimator).__name__}, whose mistakes are orders of rows: see plot.mistakes."
        )
    check_all_listed(ledger, "A confusion matrix")
    truths, answers = READ[type(game)](estimator, ledger)
    columns = len(estimator.classes_) + isinstance(game, OneVsRest)
    counts = np.zeros((len(estimator.classes_), columns), np.int64)
    np.add.at(counts, (truths, answers), 1)
    return counts


def _up(ledger: Ledger) -> Bools:
    """Which entries move up. A step may be 0 and have its sign all the same."""
    return ~np.signbit(ledger.amount)


def _of_two(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    truths = _up(ledger)[ledger.wrong].astype(np.int64)
    return truths, 1 - truths


def _of_argmax(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    up = _up(ledger)
    return ledger.output[up][ledger.wrong], ledger.output[~up][ledger.wrong]


def _of_one_vs_rest(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    """What was true is known of stored rows; an answer is a class, or "no", which comes after them."""
    run = estimator._run
    check_kept(run, "confusion")
    if isinstance(run.hypothesis, Budgeted):
        raise ValueError(
            "What was true in a round of one-vs-rest is known of stored rows, and a budget lets them go. Got "
            f"{run.hypothesis.budget!r}."
        )
    truths = np.array(estimator._support_truths, np.int64)[run.hypothesis.support.indices(ledger.row)]
    answers = np.where(_up(ledger), len(estimator.classes_), ledger.head)
    return truths[ledger.wrong], answers[ledger.wrong]


def _of_labels(estimator: Any, ledger: Ledger) -> tuple[Ints, Ints]:
    """In a correction, the rows of tokens come before those of edges, and there are as many as the cost."""
    run = estimator._run
    if run.rule.required_margin > 0 or run.ruled_otherwise:
        raise ValueError(
            "What a tagger answered is in its ledger if only mistakes were corrected, by the rule "
            f"'perceptron' all along. Got {run.rule!r}."
        )
    on_rows = ledger.row != STRUCTURE
    numbers = ledger.correction[on_rows] * (ledger.row.max(initial=0) + 1) + ledger.row[on_rows]
    rows, line = np.unique(numbers, return_inverse=True)
    correction = rows // (ledger.row.max(initial=0) + 1)
    place = np.arange(len(rows)) - np.searchsorted(correction, correction)
    labels = np.zeros((2, len(rows)), np.int64)
    labels[_up(ledger)[on_rows].astype(np.int64), line] = ledger.output[on_rows]
    answers, truths = labels[:, (place < ledger.cost[correction]) & ledger.wrong[correction]]
    return truths, answers


READ: dict[type, Callable[[Any, Ledger], tuple[Ints, Ints]]] = {
    Binary: _of_two,
    Argmax: _of_argmax,
    OneVsRest: _of_one_vs_rest,
    Sequence: _of_labels,
}
