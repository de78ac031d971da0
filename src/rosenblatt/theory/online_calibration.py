r"""Calibration that follows a stream: the numbers move with every example, in constant memory.

They are the slope a and the noise ε of `calibration`, of one score per class. With the probabilities q that
the slope alone gives, the label k of an example is taken to be no noise with probability r, as in an EM
algorithm, and the slope makes a step of Newton's method with a curvature in which earlier examples fade:

.. math::
    r = \frac{(1 - \varepsilon) q_k}{(1 - \varepsilon) q_k + \varepsilon / K}, \qquad
    c \leftarrow \lambda c + r \operatorname{Var}_q s, \qquad
    a \leftarrow a + \frac{r}{c} (s_k - \operatorname{E}_q s).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.theory.calibration import Calibration, log_softmax

FADING = 0.99
"""λ: an example a hundred rounds ago counts e times less than the latest. Scores grow while a learner learns.

Measured on blobs of 2, 3 and 5 classes, with and without noise in the labels, the expected calibration error
of the average is from 0.005 to 0.025; with 0.999 it is from 0.01 to 0.09."""

SLOW = 1.0 - 0.998
"""The least share of the latest example in the noise."""

LARGEST = 1e300

MOST_NOISE = 0.9

HEAVIEST = 10.0
"""The largest weight of an example here: one example must not decide."""

FLATTEST = 0.25
"""The least curvature: where all scores agree, steps stay small."""

FIELDS = ("slope", "curvature", "noise", "square", "seen")
"""The names of the numbers, in the order of `state`."""


class OnlineCalibration:
    """The slope of scores that come one at a time, one per class, and the share of random labels.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun and K. Weinberger, On calibration of modern neural networks, ICML (2017).
    Y. Ollivier, Online natural gradient as a Kalman filter, Electronic Journal of Statistics 12 (2018).

    Examples
    --------
    >>> calibration = OnlineCalibration()
    >>> for truth in (1, 1, 0, 1, 1) * 100:
    ...     calibration.update(np.array([0.0, 3.0]), truth)
    >>> calibration.probabilities(np.array([0.0, 3.0])).round(1)
    array([0.2, 0.8])
    """

    def __init__(self) -> None:
        self.state = [1.0, 1.0, 0.05, 0.0, 0.0]

    @property
    def state(self) -> list[float]:
        """The slope and its curvature, the noise, the mean square of scores, and how many there were."""
        return [getattr(self, name) for name in FIELDS]

    @state.setter
    def state(self, state: list[float]) -> None:
        self.slope, self.curvature, self.noise, self.square, self.seen = state

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of every class from its score."""
        found = Calibration(self.slope / self._size(), noise=self.noise).probabilities(scores[None])
        return np.asarray(found[0])

    def update(self, scores: Floats, truth: int, weight: float = 1.0) -> None:
        """Learn that an example with these scores has a class, by its index."""
        weight = min(weight, HEAVIEST)
        self.seen += 1.0
        self._measure(scores - scores.mean())
        scores = scores / self._size()
        clean = np.exp(log_softmax(self.slope * scores[None])[0])
        right, random = (1.0 - self.noise) * float(clean[truth]), self.noise / len(scores)
        share = right / (right + random)
        self.noise += weight * max(1.0 / (self.seen + 20.0), SLOW) * (1.0 - share - self.noise)
        self.noise = min(max(self.noise, 0.0), MOST_NOISE)
        mean = float(clean @ scores)
        spread = float(clean @ (scores - mean) ** 2)
        self.curvature = max(FADING * self.curvature + weight * share * spread, FLATTEST)
        self.slope += weight * share / self.curvature * (float(scores[truth]) - mean)

    def _measure(self, scores: Floats) -> None:
        """Let the mean square of scores follow these, which sum to 0."""
        share = max(1.0 / self.seen, 1.0 - FADING)
        with np.errstate(over="ignore"):
            square = min(float(scores @ scores) / len(scores), LARGEST)
        self.square += share * (square - self.square)

    def _size(self) -> float:
        """Return the typical size of a score."""
        return sqrt(self.square) or 1.0
