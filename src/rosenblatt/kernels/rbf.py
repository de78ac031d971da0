"""The Gaussian radial basis function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from rosenblatt._types import Array
from rosenblatt.kernels.base import Kernel
from rosenblatt.kernels.scale import GammaByData, checked_gamma, undecided


@dataclass(frozen=True)
class RBF(GammaByData, Kernel):
    r"""The radial basis function, :math:`k(x, z) = e^{-\|x - z\|^2 / 2σ^2}` or :math:`e^{-γ\|x - z\|^2}`.

    The distance comes from :math:`\|x\|^2 + \|z\|^2 - 2\langle x, z \rangle`, clamped at 0. Its rounding
    error is about :math:`ε \|x\|^2`: where that is too much for float32, the products are taken in float64,
    which is slower. Data far from 0 is better centred first.

    Parameters
    ----------
    sigma, gamma
        The width σ, or the rate γ = 1 / 2σ², above 0; not both. gamma="scale", the default, is one over the
        number of features times the variance of the rows that a learner is fitted to, and "auto" one over the
        number of features.

    Examples
    --------
    A point is like itself, less like its neighbour, and unlike what is far away.

    >>> RBF(sigma=1.0)([[0]], [[0], [1], [5]]).round(4)
    array([[1.    , 0.6065, 0.    ]])
    """

    sigma: float | None = None
    gamma: float | str | None = None

    def __post_init__(self) -> None:
        if self.sigma is not None and self.gamma is not None:
            raise ValueError(
                f"An RBF kernel takes a width or a rate, not both: RBF(sigma=1.0) or RBF(gamma=0.5). "
                f"Got sigma={self.sigma!r} and gamma={self.gamma!r}."
            )
        if self.sigma is None and self.gamma is None:
            object.__setattr__(self, "gamma", "scale")
        name, value = self._given
        if name == "gamma" and isinstance(value, str):
            checked_gamma(value, "an RBF kernel")
            return
        if not isinstance(value, Real):
            raise TypeError(f"The {name} of an RBF kernel must be a number. Got {value!r}.")
        object.__setattr__(self, name, float(value))
        if not (0 < float(value) < math.inf and 0 < self.rate < math.inf):
            raise ValueError(f"The {name} of an RBF kernel must be above 0 and finite. Got {value!r}.")

    def __repr__(self) -> str:
        name, value = self._given
        return f"RBF({name}={value!r})"

    def _replaced(self, **changed: Any) -> RBF:
        """Return a kernel with another width or rate, in place of the one there is."""
        if len(changed) == 1:
            return RBF(**changed)
        return RBF(**{"sigma": self.sigma, "gamma": self.gamma} | changed)

    @property
    def _given(self) -> tuple[str, Any]:
        return ("gamma", self.gamma) if self.sigma is None else ("sigma", self.sigma)

    @property
    def rate(self) -> float:
        """γ, whichever of the two was given."""
        name, value = self._given
        if isinstance(value, str):
            raise undecided(self)
        if name == "gamma":
            return float(value)
        return 0.5 / value / value if value else math.inf

    @property
    def needs_squares(self) -> bool:
        """Always: the distance needs them."""
        return True

    def cancels(self, largest: float) -> bool:
        """Whether rounding the distance would change the value by more than a ten-thousandth."""
        return self.rate * largest * float(np.finfo(np.float32).eps) > 1e-4

    def of_products(self, xz: Array, xx: Array, zz: Array) -> Array:
        """Evaluate exp(-γ (⟨x, x⟩ + ⟨z, z⟩ - 2⟨x, z⟩)), with the exponent clamped at 0."""
        from rosenblatt.loops.affine import falling_distances, radial  # late: it imports the compiler

        dtype = xz.dtype
        xx, zz = (some.astype(dtype, copy=False).ravel() for some in (xx, zz))
        if dtype == np.float32:
            radial(xz, xx, zz, dtype.type(self.rate))
            return xz
        falling_distances(xz, xx, zz, self.rate)
        return np.exp(xz, out=xz)

    def of_squares(self, squares: Array) -> Array:
        """Return 1 everywhere."""
        return np.ones_like(squares)

    def dimension(self, width: int) -> NoReturn:
        """Raise ValueError: the feature space is infinite-dimensional."""
        raise ValueError(
            f"The feature space of {self!r} is infinite-dimensional, so it has no feature map. "
            f"Use the kernel itself; it never needs the map."
        )
