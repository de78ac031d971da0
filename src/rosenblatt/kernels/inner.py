"""The linear, the constant, the polynomial and the sigmoid kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from rosenblatt._types import Array, Data
from rosenblatt.kernels import maps
from rosenblatt.kernels.arithmetic import integer_power
from rosenblatt.kernels.base import Domain, Kernel
from rosenblatt.kernels.scale import GammaByData, checked_gamma, undecided
from rosenblatt.kernels.validation import at_least_one, at_least_zero, finite, float_type
from rosenblatt.rows import Rows


@dataclass(frozen=True)
class Linear(Kernel):
    r"""The linear kernel, :math:`k(x, z) = \langle x, z \rangle`; its feature map changes nothing.

    Examples
    --------
    >>> Linear()([[1, 2], [0, 1]], [[3, 1]])
    array([[5.],
           [1.]])
    """

    def of_products(self, xz: Array, xx: Array, zz: Array) -> Array:
        """Return ⟨x, z⟩."""
        return xz

    def of_squares(self, squares: Array) -> Array:
        """Return ⟨x, x⟩."""
        return squares.copy()

    def dimension(self, width: int) -> int:
        """Return the number of features, which stays."""
        return width

    def mapped(self, data: Data) -> Data:
        """Return a copy of the features."""
        return data.copy()


@dataclass(frozen=True)
class Constant(Kernel):
    r"""The constant kernel, :math:`k(x, z) = c`: what an intercept adds to a kernel.

    Parameters
    ----------
    value
        c, at least 0. The feature map is the one column :math:`\sqrt c`.

    Examples
    --------
    >>> (Linear() + 4)([[1, 2]], [[3, 1]])
    array([[9.]])
    """

    value: float

    def __post_init__(self) -> None:
        rule = "A constant kernel must be at least 0, or its matrices are not positive semi-definite."
        object.__setattr__(self, "value", at_least_zero(self.value, rule))

    @property
    def domain(self) -> Domain:
        """The domain "objects": their contents are not used."""
        return "objects"

    def of_products(self, xz: Array, xx: Array, zz: Array) -> Array:
        """Return c everywhere."""
        xz.fill(self.value)
        return xz

    def of_squares(self, squares: Array) -> Array:
        """Return c everywhere."""
        return np.full_like(squares, self.value)

    def between(self, A: Rows, B: Rows) -> Array:
        """Return c everywhere, for any rows."""
        return np.full((len(A), len(B)), self.value, float_type(A, B))

    def diagonal(self, A: Rows) -> Array:
        """Return c everywhere, for any rows."""
        return np.full(len(A), self.value, float_type(A))

    def dimension(self, width: int) -> int:
        """Return 1."""
        return 1

    def mapped(self, data: Data) -> Data:
        """Return √c in one column."""
        return maps.column(data, math.sqrt(self.value))


@dataclass(frozen=True)
class Polynomial(GammaByData, Kernel):
    r"""The polynomial kernel, :math:`k(x, z) = (γ \langle x, z \rangle + c)^d`.

    Its feature space is all monomials of degree at most d (exactly d if c = 0), each with the square
    root of its multinomial coefficient: the :math:`\sqrt 2` of the source's
    example. Powers of float32 data that float32 cannot hold are computed in float64.

    Parameters
    ----------
    degree
        d, an integer ≥ 1.
    coef0
        c, at least 0.
    gamma
        γ, above 0; "scale" or "auto" as for `RBF`.

    References
    ----------
    W. Cohen, *Margins, Mistakes, Ranking, Sequential Learning and the Perceptron*, 2009, section 5.

    Examples
    --------
    No line through the plane solves XOR; in the feature space of degree 2 one coordinate does.

    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> Polynomial(2)(xor, [[1, 1]]).ravel()
    array([1., 1., 1., 9.])
    >>> Polynomial(2).feature_map(xor)[:, 1].round(3)
    array([ 1.414, -1.414, -1.414,  1.414])
    """

    degree: int
    coef0: float = 1.0
    gamma: float | str = 1.0

    def __post_init__(self) -> None:
        integer = "The degree of a polynomial kernel must be an integer ≥ 1."
        positive = "coef0 must be at least 0, or the kernel matrices are not positive semi-definite."
        object.__setattr__(self, "degree", at_least_one(self.degree, integer))
        object.__setattr__(self, "coef0", at_least_zero(self.coef0, positive))
        object.__setattr__(self, "gamma", checked_gamma(self.gamma, "a polynomial kernel"))

    def __repr__(self) -> str:
        gamma = "" if self.gamma == 1.0 else f", gamma={self.gamma!r}"
        return f"Polynomial(degree={self.degree!r}, coef0={self.coef0!r}{gamma})"

    def of_products(self, xz: Array, xx: Array, zz: Array) -> Array:
        """Return (γ⟨x, z⟩ + c)^d."""
        return integer_power(_affine(self, xz, self.gamma, self.coef0), self.degree)

    def of_squares(self, squares: Array) -> Array:
        """Return (γ⟨x, x⟩ + c)^d."""
        return integer_power(_affine(self, squares.copy(), self.gamma, self.coef0), self.degree)

    def rooted(self) -> tuple[Kernel, int]:
        """Return γ⟨x, z⟩ + c and d."""
        if isinstance(self.gamma, str):
            raise undecided(self)
        base = Linear() if self.gamma == 1.0 else self.gamma * Linear()
        return (base + self.coef0 if self.coef0 else base), self.degree

    def dimension(self, width: int) -> int:
        """Count the monomials."""
        base, degree = self.rooted()
        return maps.count_monomials(base.dimension(width), degree)

    def mapped(self, data: Data) -> Data:
        """Build the monomials in the features and √c."""
        base, degree = self.rooted()
        return maps.monomials(base.mapped(data), degree)


@dataclass(frozen=True)
class Sigmoid(GammaByData, Kernel):
    r"""The sigmoid kernel, :math:`k(x, z) = \tanh(γ \langle x, z \rangle + c)`.

    It is here because `SVC` has it. Its matrices need not be positive semi-definite, so it is no inner
    product: a run with it learns, but nothing is promised about its mistakes, and it has no certificate and
    no budget.

    Parameters
    ----------
    gamma
        γ, above 0; "scale" or "auto" as for `RBF`.
    coef0
        c, any number.

    Examples
    --------
    >>> Sigmoid(gamma=0.5)([[0], [1]], [[2]]).round(4)
    array([[0.    ],
           [0.7616]])
    """

    gamma: float | str = "scale"
    coef0: float = 0.0

    definite = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma, "a sigmoid kernel"))
        object.__setattr__(
            self, "coef0", finite(self.coef0, "The coef0 of a sigmoid kernel must be a number.")
        )

    def of_products(self, xz: Array, xx: Array, zz: Array) -> Array:
        """Return tanh(γ⟨x, z⟩ + c)."""
        values = _affine(self, xz, self.gamma, self.coef0)
        return np.tanh(values, out=values)

    def of_squares(self, squares: Array) -> Array:
        """Return tanh(γ⟨x, x⟩ + c)."""
        return np.tanh(_affine(self, squares.copy(), self.gamma, self.coef0))

    def dimension(self, width: int) -> NoReturn:
        """Raise ValueError: there is no feature space."""
        raise ValueError(f"{self!r} is no inner product, so it has no feature map. Use the kernel itself.")


def _affine(kernel: Kernel, values: Array, gamma: float | str, coef0: float) -> Array:
    """Return γ · values + c, in their memory."""
    if isinstance(gamma, str):
        raise undecided(kernel)
    if gamma != 1.0:
        values *= gamma
    values += coef0
    return values
