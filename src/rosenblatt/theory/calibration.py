r"""Calibration: probabilities from scores, by two numbers that are fitted to examples not learned from.

With two classes there is one score s, and Platt's sigmoid gives the probability of the second class. With K
classes there is a score for each, and a share ε of the examples is taken to be labelled at random; without it
the few mistakes with high scores would make all other probabilities too low:

.. math::
    P(1 \mid s) = \frac{1}{1 + e^{-(a s + b)}}, \qquad
    P(k \mid s) = (1 - \varepsilon) \frac{e^{a s_k}}{\sum_j e^{a s_j}} + \frac{\varepsilon}{K}.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints

NO_NOISE = -20.0
"""The log-odds of a share of noise that is as good as none."""

SHARE_MISSED = 0.001
"""What is added to shares of votes for and against, so that their log-odds are finite."""


@dataclass(frozen=True)
class Calibration:
    """The numbers that turn scores into probabilities.

    Parameters
    ----------
    slope
        What scores are multiplied by: one over the temperature.
    offset
        What is then added, with two classes.
    noise
        The share of examples that are labelled at random, with more classes.

    References
    ----------
    J. Platt, Probabilistic outputs for support vector machines and comparisons to regularized likelihood
    methods, Advances in Large Margin Classifiers (1999).
    C. Guo, G. Pleiss, Y. Sun and K. Weinberger, On calibration of modern neural networks, ICML (2017).

    Examples
    --------
    >>> Calibration(slope=1.0).probabilities(np.array([-1.0, 0.0, 1.0])).round(2)
    array([[0.73, 0.27],
           [0.5 , 0.5 ],
           [0.27, 0.73]])
    >>> Calibration(slope=1.0, noise=0.1).probabilities(np.array([[1.0, 0.0, -9.0]])).round(2)
    array([[0.69, 0.28, 0.03]])
    """

    slope: float
    offset: float = 0.0
    noise: float = 0.0

    def log_probabilities(self, scores: Floats) -> Floats:
        """Return the logarithms of the probabilities (rows × classes)."""
        if scores.ndim == 1:
            second = self.slope * scores + self.offset
            return -np.logaddexp(0.0, np.column_stack([second, -second]))
        found = log_softmax(self.slope * scores)
        if self.noise == 0.0:
            return found
        floor = np.log(self.noise) - np.log(scores.shape[1])
        return np.asarray(np.logaddexp(np.log1p(-self.noise) + found, floor))

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of every class (rows × classes); scores are one per row, or per class."""
        return np.asarray(np.exp(self.log_probabilities(scores)))

    def for_scores(self, times: float) -> Calibration:
        """Return the calibration that gives scores which are `times` as large the same probabilities."""
        return replace(self, slope=self.slope / times)


def log_softmax(logits: Floats) -> Floats:
    """Return the logarithms of the softmax of every row."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def log_odds(votes: Floats) -> Floats:
    """Return the log-odds of votes from −1, all against, to 1, all for."""
    return np.asarray(np.log((1 + SHARE_MISSED + votes) / (1 + SHARE_MISSED - votes)))


def fitted(scores: Floats, truths: Ints, weights: Floats | None = None) -> Calibration:
    """Return the calibration with the highest likelihood of the truths.

    Truths are smoothed as Platt does, so that the numbers are finite where scores separate the classes.

    Parameters
    ----------
    scores
        The scores of examples that were not learned from: one per row for two classes, else one per class.
    truths
        The index of the class of every row.
    weights
        A weight per row; 1 by default.

    Examples
    --------
    >>> found = fitted(np.array([-2.0, -1.0, 1.0, -1.0, 1.0, 2.0]), np.array([0, 0, 0, 1, 1, 1]))
    >>> round(found.slope, 3), round(found.offset, 3)
    (0.417, 0.0)
    """
    weights = np.ones(len(truths)) if weights is None else weights
    size = float(scores.std()) or 1.0
    fit = sigmoid if scores.ndim == 1 else softmax_with_noise
    return fit(scores / size, truths, weights).for_scores(size)


def sigmoid(scores: Floats, truths: Ints, weights: Floats) -> Calibration:
    """Return Platt's sigmoid, with his targets: (n + 1) / (n + 2) for a class with n examples."""
    negative, positive = np.bincount(truths, weights, 2)
    wanted = np.where(truths == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    shares = weights / weights.sum()

    def loss(numbers: Floats) -> tuple[float, Floats]:
        second = numbers[0] * scores + numbers[1]
        off = shares * (np.exp(-np.logaddexp(0.0, -second)) - wanted)
        return float(shares @ (np.logaddexp(0.0, second) - wanted * second)), np.array(
            [off @ scores, off.sum()]
        )

    slope, offset = _least(loss, [[0.0, 0.0]])
    return Calibration(slope, offset)


def softmax_with_noise(scores: Floats, truths: Ints, weights: Floats) -> Calibration:
    """Return the softmax with a share of noise. The target of a truth is (n + 1) / (n + 2), of n examples."""
    rows, classes = scores.shape
    shares = (weights / weights.sum())[:, None]
    wanted = np.full((rows, classes), 1 / (weights.sum() + 2) / (classes - 1))
    wanted[np.arange(rows), truths] = (weights.sum() + 1) / (weights.sum() + 2)

    def loss(numbers: Floats) -> tuple[float, Floats]:
        noise = 1 / (1 + np.exp(-numbers[1]))
        clean = np.exp(log_softmax(numbers[0] * scores))
        found = (1 - noise) * clean + noise / classes
        pull = shares * wanted / found
        moved = clean * (pull - (pull * clean).sum(axis=1, keepdims=True))
        gradient = [
            (1 - noise) * (moved * scores).sum(),
            noise * (1 - noise) * (pull * (1 / classes - clean)).sum(),
        ]
        return -float((shares * wanted * np.log(found)).sum()), -np.array(gradient)

    clean, _ = _least(loss, [[0.0, NO_NOISE]], bounds=[(None, None), (NO_NOISE, NO_NOISE)])
    # The likelihood has several maxima, some at much noise, where few examples say little.
    starts = [[clean, NO_NOISE], *([slope, -3.0] for slope in (clean, 0.0, 1.0)), [-1.0, 2.0], [4.0, 2.0]]
    slope, log_odds_of_noise = _least(loss, starts, bounds=[(None, None), (NO_NOISE, -NO_NOISE)])
    return Calibration(slope, noise=float(1 / (1 + np.exp(-log_odds_of_noise))))


def _least(
    loss: Callable[[Floats], tuple[float, Floats]], starts: list[list[float]], bounds: Any = None
) -> list[float]:
    """Return the numbers with the least loss, searched from each start by its gradient."""
    from scipy.optimize import minimize  # here, because it takes long to import

    exact = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 1000}
    ends = [
        minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=exact) for start in starts
    ]
    found: list[float] = min(ends, key=lambda end: float(end.fun)).x.tolist()
    return found


def fitted_temperature(negative_log_likelihood: Callable[[float], float], typical: float) -> float:
    """Return the temperature with the highest likelihood, from e^−7 to e^3 times a typical one."""
    from scipy.optimize import minimize_scalar  # here, because it takes long to import

    scale = np.log(typical if 0 < typical < np.inf else 1.0)
    best = minimize_scalar(
        lambda logarithm: negative_log_likelihood(float(np.exp(logarithm))),
        bounds=(scale - 7, scale + 3),
        method="bounded",
        options={"xatol": 0.01},
    )
    return float(np.exp(best.x))
