"""Plots of a tagger: its transition weights, and the explanation of a token's label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.estimators.tagger import PerceptronTagger
from rosenblatt.plot.axes import axis, plain
from rosenblatt.plot.colours import BLUE, INK, VERMILION
from rosenblatt.plot.matrices import draw_matrix
from rosenblatt.tasks.tagging.inside import TokenExplanation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def transitions(tagger: PerceptronTagger, ax: Axes | None = None) -> Axes:
    """Plot the transition weights, `tagger.transitions_`, as a heat map, forbidden pairs in grey.

    Parameters
    ----------
    tagger
        A fitted tagger whose predictor is a single guess.
    ax
        Where to draw; None for a new figure, `ax.figure`.

    Examples
    --------
    >>> from rosenblatt import PerceptronTagger, plot
    >>> tagger = PerceptronTagger(random_state=0).fit([["the", "cat", "sat"]], [["D", "N", "V"]])
    >>> ax = plot.transitions(tagger)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['D', 'N', 'V', 'start']
    """
    if not isinstance(tagger, PerceptronTagger):
        raise ValueError(f"Transition weights belong to a PerceptronTagger. Got {type(tagger).__name__}.")
    scores = tagger.transitions_
    ax = axis(ax)
    shown, labels = np.where(np.isfinite(scores), scores, np.nan), tagger.classes_
    draw_matrix(ax, shown, [*labels, "start"], [*labels, "end"], signed=True, integer=False)
    ax.set(xlabel="label", ylabel="label before", title="Transition weights")
    return ax


def reasons(explanation: TokenExplanation, ax: Axes | None = None, *, most: int = 12) -> Axes:
    """Plot the reasons for a token's label, to the right, and for its rival, to the left, as bars.

    Parameters
    ----------
    explanation
        What `tagger.explain(sequence, index)` returns.
    ax
        Where to draw; None for a new figure, `ax.figure`.
    most
        The number of reasons to draw, the largest first.

    Examples
    --------
    >>> from rosenblatt import PerceptronTagger, plot
    >>> tagger = PerceptronTagger(random_state=0).fit([["the", "cat", "sat"]], [["D", "N", "V"]])
    >>> ax = plot.reasons(tagger.explain(["the", "cat"], 1), most=3)
    >>> ax.get_title()
    'cat: N rather than V'
    """
    ax = axis(ax)
    shown = explanation.reasons[:most][::-1]
    colours = [VERMILION if reason.amount > 0 else BLUE for reason in shown]
    ax.barh(range(len(shown)), [reason.amount for reason in shown], color=colours)
    ax.set_yticks(range(len(shown)), [plain(reason.name) for reason in shown])
    ax.axvline(0, color=INK, linewidth=0.8)
    title = f"{explanation.token}: {explanation.label} rather than {explanation.rival}"
    ax.set(xlabel="what it adds", title=plain(title))
    return ax
