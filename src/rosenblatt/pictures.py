"""Pictures: mistakes against the bound, a decision surface, transitions, and why a token has its label."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.bounds import Certificate
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.estimators.tagger import PerceptronTagger
from rosenblatt.tagging.inside import TokenExplanation

GROUND, INK, ACCENT, OTHER = "#f7f5ef", "#22313f", "#c0392b", "#2471a3"


def mistakes_against_bound(clf: PerceptronClassifier, certificate: Certificate, axes: Any = None) -> Any:
    """Mistakes so far against rounds played, below the bound; and the two lemmas of the proof.

    Returns
    -------
    The matplotlib figure.
    """
    figure, (left, right) = _axes(axes, 2)
    ledger = clf.ledger_
    left.step(
        [0, *ledger.when, ledger.rounds], [*range(len(ledger) + 1), len(ledger)], where="post", color=ACCENT
    )
    left.axhline(certificate.bound, color=INK, linestyle="--")
    left.annotate(
        f"the bound: {certificate.bound:.3g}", (ledger.rounds, certificate.bound), ha="right", va="bottom"
    )
    left.set(xlabel="rounds", ylabel="mistakes", yscale="symlog", title="Mistakes, and how many there can be")
    k = np.arange(1, certificate.corrections + 1)
    right.plot(
        k, np.sqrt(certificate.length_ceiling), color=INK, linestyle="--", label="√ of what ‖v_k‖² is at most"
    )
    right.plot(k, np.sqrt(certificate.length_squared), color=INK, label="‖v_k‖")
    right.plot(k, certificate.progress, color=ACCENT, label="v_k · u")
    right.plot(k, certificate.progress_floor, color=ACCENT, linestyle="--", label="what v_k · u is at least")
    right.set(xlabel="mistakes k", title="The proof: the red must stay below the dark")
    right.legend(frameon=False)
    return figure


def decision_surface(clf: PerceptronClassifier, X: Array, y: Array, axes: Any = None) -> Any:
    """The scores of a binary learner over the plane, the points, and around each support vector a ring.

    Returns
    -------
    The matplotlib figure.
    """
    if X.shape[1] != 2 or len(clf.classes_) != 2:
        raise ValueError(f"A surface has 2 features and 2 classes. Got {X.shape[1]} and {len(clf.classes_)}.")
    figure, (axis,) = _axes(axes, 1)
    low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 200) for a, b in zip(low, high, strict=True))), axis=-1)
    scores = clf.decision_function(grid.reshape(-1, 2)).reshape(200, 200)
    reach = np.abs(scores).max()
    axis.contourf(
        grid[..., 0], grid[..., 1], scores, levels=21, cmap="RdBu_r", alpha=0.5, vmin=-reach, vmax=reach
    )
    axis.contour(grid[..., 0], grid[..., 1], scores, levels=[0], colors=INK)
    for label, colour in zip(clf.classes_, (OTHER, ACCENT), strict=True):
        axis.scatter(*X[y == label].T, s=14, color=colour, label=str(label))
    axis.scatter(*X[clf.support_].T, s=70, facecolors="none", edgecolors=INK, label="support")
    axis.set(title=f"{clf.kernel!r}, {clf.predictor}: {len(clf.support_)} support vectors")
    axis.legend(frameon=True, loc="upper right")
    return figure


def transitions(tagger: PerceptronTagger, axes: Any = None) -> Any:
    """The scores of pairs of labels as a heat map: red follows, blue does not, and grey never does.

    Returns
    -------
    The matplotlib figure.
    """
    figure, (axis,) = _axes(axes, 1)
    scores, names = tagger.transitions_, [str(label) for label in tagger.classes_]
    reach = np.abs(scores[np.isfinite(scores)]).max(initial=1e-9)
    axis.set_facecolor("#bbbbbb")
    shown = axis.imshow(np.where(np.isfinite(scores), scores, np.nan), cmap="RdBu_r", vmin=-reach, vmax=reach)
    axis.set_xticks(range(len(names) + 1), [*names, "end"], rotation=90)
    axis.set_yticks(range(len(names) + 1), [*names, "start"])
    axis.set(xlabel="label", ylabel="label before", title="What follows what")
    figure.colorbar(shown, ax=axis)
    return figure


def reasons(explanation: TokenExplanation, most: int = 12, axes: Any = None) -> Any:
    """What speaks for and against a token's label, as bars.

    Returns
    -------
    The matplotlib figure.
    """
    figure, (axis,) = _axes(axes, 1)
    shown = explanation.reasons[:most][::-1]
    colours = [ACCENT if reason.amount > 0 else OTHER for reason in shown]
    axis.barh([reason.name for reason in shown], [reason.amount for reason in shown], color=colours)
    axis.axvline(0, color=INK, linewidth=0.8)
    axis.set(title=f"{explanation.token}: {explanation.label} rather than {explanation.rival}")
    return figure


def _axes(given: Any, count: int) -> tuple[Any, Any]:
    if given is not None:
        axes = np.atleast_1d(given)
        return axes[0].figure, axes
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ImportError("Pictures need matplotlib: pip install 'rosenblatt[plot]'") from missing
    figure = Figure(figsize=(6.4 * count, 5), layout="constrained", facecolor=GROUND)
    return figure, np.atleast_1d(figure.subplots(1, count))
