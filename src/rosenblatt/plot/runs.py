"""Plots of the ledger: mistakes by round, and the rounds that each guess survived."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._types import Array, Ints
from rosenblatt.engine import predictors
from rosenblatt.estimators.base import RunEstimator
from rosenblatt.ledger import Ledger
from rosenblatt.plot.axes import axis, legend_below, plain
from rosenblatt.plot.colours import BLUE, INK, VERMILION
from rosenblatt.theory.certificates import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR = 4
"""A bound above this multiple of the mistakes is drawn on a symmetric logarithmic scale."""


def mistakes(
    estimator: Any, certificate: Certificate | list[Certificate] | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the mistakes after every round, with the bound if there is a certificate.

    With one-vs-rest these are the mistakes of all learners, and the bound is the sum of theirs. With a budget
    only the latest mistakes are listed: a dotted line stands for those before.

    Parameters
    ----------
    estimator
        A fitted estimator, an online learner, or a ledger.
    certificate
        What `estimator.certificate(X, y)` returns.
    ax
        Where to draw; None for a new figure, `ax.figure`.

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier, kernels, plot
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
    >>> xor = PerceptronClassifier(kernels.Polynomial(2), shuffle=False).fit(X, y)
    >>> ax = plot.mistakes(xor, xor.certificate(X, y))
    >>> [line.get_label() for line in ax.lines]
    ['21 mistakes', 'at most 351']
    """
    ledger = ledger_of(estimator)
    bound = None if certificate is None else _bound(ledger, certificate)
    ax = axis(ax)
    rounds, count = _so_far(ledger)
    if ledger.unlisted:
        ax.plot([0, rounds[0]], [0, count[0]], color=VERMILION, linestyle=":", label="not listed")
    ax.step(rounds, count, where="post", color=VERMILION, label=f"{ledger.errors} mistakes")
    if bound is not None:
        _draw_bound(ax, bound, ledger)
    ax.set(xlabel="rounds", ylabel="mistakes so far", title=f"Mistakes in {ledger.rounds} rounds")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax


def survival(estimator: Any, ax: Axes | None = None) -> Axes:
    """Plot the rounds that each guess answered, m_j, and mark the best, which answered the most.

    The area of a bar is the guess's share in the vote and in the average. With one-vs-rest there is a row for
    every learner, along the rounds, with a tick where a guess was refuted.

    Parameters
    ----------
    estimator
        A fitted estimator, an online learner, or a ledger.
    ax
        Where to draw; None for a new figure, `ax.figure`.

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier, plot
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> clf = PerceptronClassifier(rule="perceptron", shuffle=False).fit(X, y)
    >>> ax = plot.survival(clf)
    >>> ax.patches[0].get_data().values
    array([ 1,  1,  1,  2,  4,  1,  3,  2,  2, 23])
    >>> ax.get_legend().get_texts()[0].get_text()
    'the best: $v_{9}$, 23 rounds'
    """
    ledger = ledger_of(estimator)
    check_all_listed(ledger, "The survival of all guesses")
    if not ledger.rounds:
        raise ValueError("No guess has survived anything: no round was played. Fit the learner first.")
    ax = axis(ax)
    if ledger.heads == 1:
        _draw_guesses(ax, ledger.survived)
    else:
        _draw_learners(ax, ledger, getattr(estimator, "classes_", np.arange(ledger.heads)))
    legend_below(ax)
    return ax


def ledger_of(estimator: Any) -> Ledger:
    """Return the ledger of a fitted estimator or an online learner; a ledger is returned as it is."""
    found = (
        estimator.ledger_ if isinstance(estimator, RunEstimator) else getattr(estimator, "ledger", estimator)
    )
    if not isinstance(found, Ledger):
        raise ValueError(
            "This plot is drawn from a ledger. Got a "
            f"{type(estimator).__name__}, which has none: pass one of the estimators or online learners."
        )
    return found


def check_all_listed(ledger: Ledger, what: str) -> None:
    """Raise ValueError if corrections are missing from the ledger, for a plot that needs all."""
    if ledger.unlisted:
        raise ValueError(
            f"{what} needs every correction of the run, and with a budget only the latest are listed. Got "
            f"{len(ledger)} of {len(ledger) + ledger.unlisted}."
        )


def _so_far(ledger: Ledger) -> tuple[Ints, Ints]:
    """Return the rounds of the listed mistakes, and the counts of mistakes so far."""
    wrong = ledger.when[ledger.wrong]
    first = int(ledger.when[0]) if ledger.unlisted else 0
    count = ledger.unlisted_mistakes + np.arange(len(wrong) + 1)
    return np.concatenate([[first], wrong, [ledger.rounds]]), np.append(count, count[-1])


def _bound(ledger: Ledger, certificate: Certificate | list[Certificate]) -> float:
    certificates = certificate if isinstance(certificate, list) else [certificate]
    rounds, wrong = certificates[0].rounds, sum(one.mistakes for one in certificates)
    if (rounds, wrong) != (ledger.rounds, ledger.errors):
        raise ValueError(
            f"A bound is drawn over the run that it is about, of {ledger.errors} mistakes in {ledger.rounds} "
            f"rounds. Got a certificate of {wrong} mistakes in {rounds}."
        )
    return sum(one.bound for one in certificates)


def _draw_bound(ax: Axes, bound: float, ledger: Ledger) -> None:
    if bound == inf:
        ax.plot([], [], " ", label="no bound: nothing is promised")
        return
    shown = f"{bound:,.0f}" if bound >= 100 else f"{bound:.3g}"
    ax.axhline(bound, color=INK, linestyle="--", label=f"at most {shown}")
    if bound > FAR * ledger.errors:
        ax.set_yscale("symlog")


def _draw_guesses(ax: Axes, survived: Ints) -> None:
    best = int(np.argmax(survived))
    ax.stairs(survived, np.arange(len(survived) + 1) - 0.5, fill=True, color=BLUE)
    ax.bar([best], [survived[best]], width=1, color=VERMILION)
    label = f"the best: $v_{{{best}}}$, {survived[best]} rounds"
    ax.plot([best], [survived[best]], "v", color=VERMILION, label=label)  # one bar of many may be too thin
    ax.set(
        xlabel=r"guess $v_j$", ylabel=r"rounds answered, $m_j$", title=f"Survival of {len(survived)} guesses"
    )
    ax.margins(y=0.1)


def _draw_learners(ax: Axes, ledger: Ledger, names: Array) -> None:
    heads = [ledger.of(head) for head in range(ledger.heads)]
    edges = [np.concatenate([[0], head.when, [head.rounds]]) for head in heads]
    best = [predictors.best(head) for head in heads]
    left = [int(at[j]) for at, j in zip(edges, best, strict=True)]
    width = [int(at[j + 1] - at[j]) for at, j in zip(edges, best, strict=True)]
    ax.barh(range(len(heads)), width, left=left, color=VERMILION, label="the best guess")
    bottom, top = ledger.head - 0.4, ledger.head + 0.4
    ax.vlines(ledger.when, bottom, top, color=BLUE, linewidth=0.6, label="a guess is refuted")
    ax.set_yticks(range(len(heads)), [plain(name) for name in names])
    ax.set_xlim(0, ledger.rounds)
    ax.set_ylim(len(heads) - 0.4, -0.6)  # the first class at the top, as in a matrix
    ax.set(xlabel="rounds", ylabel="learner of class", title="Survival of the guesses of each learner")
