"""The decision surface of a classifier over two features, with examples and support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.games import Binary
from rosenblatt.plot.axes import axis, legend_below, plain
from rosenblatt.plot.colours import INK, MARKERS, lightened, of_classes, signed_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RING, RINGS = 30.0, 170.0
"""The area, in square points, of the smallest ring, and how much more the largest has."""


def decision_surface(
    estimator: Any, X: Any, y: Any, ax: Axes | None = None, *, resolution: int = 200
) -> Axes:
    """Plot the predictions of a classifier over the plane of two features, with examples.

    With two classes the scores are a heat map, with a line where they are 0; with more, every class has a
    region. Around each support vector is a ring, the larger, the more it counts: its area grows with the
    largest of its importances in the guess that predicts (in the average if all of them do). Without a
    kernel there are rings if examples were kept.

    It costs a prediction per point of a grid, `resolution` in each direction.

    Parameters
    ----------
    estimator
        A fitted classifier on two features; or another one of scikit-learn's kind, such as a pipeline, which
        has no rings.
    X, y
        Examples to draw, and their labels.
    ax
        Where to draw; None for a new figure, `ax.figure`.
    resolution
        The number of grid points along each feature.

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier, kernels, plot
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> xor = PerceptronClassifier(kernels.Polynomial(2), shuffle=False).fit(X, y)
    >>> ax = plot.decision_surface(xor, X, y)
    >>> ax.get_title()
    'Polynomial(degree=2, coef0=1.0), average: 4 support vectors'
    """
    points, labels = _checked(estimator, X, y, resolution)
    grid = _grid(points, resolution)
    flat: Any = grid.reshape(-1, 2)
    if hasattr(X, "iloc"):  # a data frame, whose names the estimator looks for
        flat = type(X)(flat, columns=X.columns)
    ax = axis(ax)
    if len(estimator.classes_) == 2 and _decides_by_sign(estimator):
        _draw_scores(ax, grid, np.asarray(estimator.decision_function(flat)).reshape(grid.shape[:2]))
    else:
        answers = np.searchsorted(estimator.classes_, estimator.predict(flat))
        _draw_regions(ax, grid, answers.reshape(grid.shape[:2]), len(estimator.classes_))
    _draw_points(ax, points, labels, estimator.classes_)
    if isinstance(estimator, PerceptronClassifier):
        _draw_rings(ax, estimator)
    names = getattr(X, "columns", ("feature 0", "feature 1"))
    ax.set(xlabel=plain(names[0]), ylabel=plain(names[1]))
    legend_below(ax)
    return ax


def _decides_by_sign(estimator: Any) -> bool:
    """Whether the sign of one score is the answer, as it is but for a game of a user's own."""
    return not isinstance(estimator, PerceptronClassifier) or isinstance(estimator.run_.game, Binary)


def _checked(estimator: Any, X: Any, y: Any, resolution: int) -> tuple[Floats, Ints]:
    """Return the points, and the index of the class of each."""
    if not is_classifier(estimator):
        raise ValueError(f"A decision surface is that of a classifier. Got {type(estimator).__name__}.")
    check_is_fitted(estimator)
    if resolution < 2:
        raise ValueError(f"resolution must be at least 2 points along each feature. Got {resolution}.")
    points = X.toarray() if sp.issparse(X) else np.asarray(X)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"A surface is drawn over rows of 2 features. Got X of shape {points.shape}.")
    labels, classes = np.asarray(y), estimator.classes_
    if labels.shape != (len(points),):
        raise ValueError(f"y must hold a label for each of {len(points)} rows. Got shape {labels.shape}.")
    if not np.isin(labels, classes).all():
        unknown = labels[~np.isin(labels, classes)].tolist()[0]
        raise ValueError(f"y must hold labels of the estimator, {classes.tolist()}. Got {unknown!r}.")
    return points.astype(np.float64), np.searchsorted(classes, labels)


def _grid(points: Floats, resolution: int) -> Floats:
    """Return a grid over the plane (resolution × resolution × 2), a little beyond the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    beyond = np.where(high > low, 0.08 * (high - low), 1.0)
    sides = [np.linspace(a, b, resolution) for a, b in zip(low - beyond, high + beyond, strict=True)]
    return np.stack(np.meshgrid(*sides), axis=-1)


def _draw_scores(ax: Axes, grid: Floats, scores: Floats) -> None:
    from matplotlib.ticker import MaxNLocator

    largest = max(float(np.abs(scores).max()), 1e-9)
    levels = np.linspace(-largest, largest, 22)
    filled = ax.contourf(grid[..., 0], grid[..., 1], scores, levels, cmap=signed_map(), alpha=0.6)
    if scores.min() < 0 < scores.max():
        ax.contour(grid[..., 0], grid[..., 1], scores, levels=[0], colors=INK)
    ax.figure.colorbar(filled, ax=ax, label="score", ticks=MaxNLocator(7))


def _draw_regions(ax: Axes, grid: Floats, answers: Ints, classes: int) -> None:
    from matplotlib.colors import ListedColormap

    tints = ListedColormap([lightened(colour, 0.65) for colour in of_classes(classes)])
    ax.pcolormesh(grid[..., 0], grid[..., 1], answers, cmap=tints, vmin=-0.5, vmax=classes - 0.5)
    for index in np.unique(answers)[1:]:
        ax.contour(grid[..., 0], grid[..., 1], answers == index, levels=[0.5], colors=INK, linewidths=0.8)


def _draw_points(ax: Axes, points: Floats, labels: Ints, classes: Array) -> None:
    for index, (label, colour) in enumerate(zip(classes, of_classes(len(classes)), strict=True)):
        mine = points[labels == index]
        ax.scatter(
            mine[:, 0],
            mine[:, 1],
            s=22,
            color=[colour],
            marker=MARKERS[index % len(MARKERS)],
            edgecolors="white",
            linewidths=0.5,
            label=f"y = {plain(label)}",
        )


def _draw_rings(ax: Axes, estimator: PerceptronClassifier) -> None:
    if not estimator.run_.hypothesis.keep:
        return
    vectors, importance = importances(estimator)
    name = "without a kernel" if estimator.kernel is None else repr(estimator.kernel)
    ax.set_title(plain(f"{name}, {estimator.predictor}: {len(vectors)} support vectors"))
    if len(vectors):
        area = RING + RINGS * importance / importance.max()
        ax.scatter(
            vectors[:, 0],
            vectors[:, 1],
            s=area,
            facecolors="none",
            edgecolors=INK,
            linewidths=0.9,
            label="support, by |α|",
        )


def importances(estimator: PerceptronClassifier) -> tuple[Floats, Floats]:
    """Return the support vectors of the guess that predicts, and the largest |α| of each."""
    run = estimator.run_
    guess = run.single_guess(predictors.single(estimator.predictor))
    importance = np.abs(guess.coefficients).max(axis=1, initial=0.0)
    used = np.flatnonzero(importance)
    rows = run.support.rows.take(used).data
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, np.float64), importance[used]
