"""The parameter gamma: a number, or "scale" or "auto", which the data decides when a learner is fitted."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data

BY_DATA = ("scale", "auto")


def checked_gamma(gamma: Any, what: str) -> float | str:
    """Return gamma as a float, or one of `BY_DATA`; raise an error about `what` for anything else."""
    if isinstance(gamma, str) and gamma in BY_DATA:
        return gamma
    if not isinstance(gamma, Real) or isinstance(gamma, bool):
        raise TypeError(f"The gamma of {what} must be a number, 'scale' or 'auto'. Got {gamma!r}.")
    if not 0 < float(gamma) < math.inf:
        raise ValueError(f"The gamma of {what} must be above 0 and finite. Got {gamma!r}.")
    return float(gamma)


def gamma_for(gamma: float | str, X: Data) -> float:
    r"""Return the number that gamma is for these rows.

    "scale" is :math:`1 / (n \cdot var(X))`, n being the number of features and the variance that of all
    values, and 1 if they do not vary; "auto" is 1/n.
    """
    if not isinstance(gamma, str):
        return gamma
    features = max(1, int(X.shape[1]))
    if gamma == "auto":
        return 1.0 / features
    variance = _variance(X)
    rate: float = 1.0 / (features * variance) if variance > 0 else 1.0
    return float(rate) if 0 < rate < math.inf else 1.0


def _variance(X: Data) -> float:
    """Return the variance of all values, zeros that are not stored included."""
    values, count = (X.data, X.shape[0] * X.shape[1]) if sp.issparse(X) else (X, X.size)
    if not count:
        return 0.0
    values = np.asarray(values, np.float64)
    mean = values.sum() / count
    return float((((values - mean) ** 2).sum() + (count - values.size) * mean**2) / count)


class GammaByData:
    """A kernel, a dataclass, whose gamma may be one of `BY_DATA` until it is fitted to rows."""

    gamma: Any

    @property
    def undecided(self) -> bool:
        """Whether rows must decide gamma."""
        return isinstance(self.gamma, str)

    def fitted(self, X: Data) -> Self:
        """Return the kernel with the gamma that these rows decide; itself if it has a number."""
        if not self.undecided:
            return self
        return replace(self, gamma=gamma_for(self.gamma, X))  # type: ignore[type-var]


def undecided(kernel: Any) -> ValueError:
    """Return the error about a kernel that is used before the data has decided its gamma."""
    return ValueError(
        f"{kernel!r} takes its gamma from the data it is fitted to, and there is none here. Pass a number, "
        "or call kernel.fitted(X)."
    )
