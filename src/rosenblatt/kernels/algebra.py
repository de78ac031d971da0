"""Sums, products, scales and powers of kernels, which are kernels again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rosenblatt._types import Array, Data
from rosenblatt.kernels import maps
from rosenblatt.kernels.arithmetic import integer_power, joined
from rosenblatt.kernels.base import Kernel
from rosenblatt.kernels.inner import Constant
from rosenblatt.kernels.validation import at_least_one, at_least_zero


@dataclass(frozen=True)
class Sum(Kernel):
    r"""The sum of two kernels, :math:`k(x, z) = a(x, z) + b(x, z)`, written `a + b`.

    Its feature space holds the features of both, side by side.

    Examples
    --------
    >>> from rosenblatt.kernels import Linear, Polynomial
    >>> k = Polynomial(2, coef0=0) + Linear()
    >>> k([[1, 2]], [[3, 1]])
    array([[30.]])
    """

    left: Kernel
    right: Kernel

    def __repr__(self) -> str:
        return f"{self.left!r} + {bracketed(self.right, Sum)}"

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels to add, without a constant on the right, which `combine` adds."""
        return (self.left,) if isinstance(self.right, Constant) else (self.left, self.right)

    def combine(self, *values: Array) -> Array:
        """Add the values, or the constant on the right: every learner with an intercept has one."""
        left, *right = values
        constant = self.right.value if isinstance(self.right, Constant) else 0.0
        return joined(np.add, left, right[0] if right else constant)

    def dimension(self, width: int) -> int:
        """Count the features of both."""
        return self.left.dimension(width) + self.right.dimension(width)

    def mapped(self, data: Data) -> Data:
        """Put the features of both side by side."""
        return maps.beside(self.left.mapped(data), self.right.mapped(data))


@dataclass(frozen=True)
class Product(Kernel):
    r"""The product of two kernels, :math:`k(x, z) = a(x, z)\, b(x, z)`, written `a * b`.

    Its features are all products of a feature of a and a feature of b.

    Examples
    --------
    >>> from rosenblatt.kernels import Linear
    >>> (Linear() * Linear()).feature_map([[1, 2]])
    array([[1., 2., 2., 4.]])
    """

    left: Kernel
    right: Kernel

    def __repr__(self) -> str:
        return f"{bracketed(self.left, Sum)} * {bracketed(self.right, Sum, Product, Scaled)}"

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The two factors."""
        return self.left, self.right

    def combine(self, *values: Array) -> Array:
        """Multiply the values."""
        left, right = values
        return joined(np.multiply, left, right)

    def dimension(self, width: int) -> int:
        """Count the pairs of a feature of each."""
        return self.left.dimension(width) * self.right.dimension(width)

    def mapped(self, data: Data) -> Data:
        """Multiply every feature of one with every feature of the other."""
        return maps.pairs(self.left.mapped(data), self.right.mapped(data))


@dataclass(frozen=True)
class Scaled(Kernel):
    r"""A kernel times a number, :math:`k(x, z) = s\, a(x, z)` with :math:`s \ge 0`, written `s * a`.

    Examples
    --------
    >>> from rosenblatt.kernels import Linear
    >>> (2 * Linear())([[1, 2]], [[3, 1]])
    array([[10.]])
    """

    factor: float
    kernel: Kernel

    def __post_init__(self) -> None:
        rule = (
            "A kernel may be multiplied by a number of at least 0 only, or its matrices are not "
            "positive semi-definite."
        )
        object.__setattr__(self, "factor", at_least_zero(self.factor, rule))

    def __repr__(self) -> str:
        return f"{self.factor!r} * {bracketed(self.kernel, Sum, Product, Scaled)}"

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernel that is scaled."""
        return (self.kernel,)

    def combine(self, *values: Array) -> Array:
        """Multiply the values by the factor."""
        return joined(np.multiply, values[0], self.factor)

    def dimension(self, width: int) -> int:
        """Count the features of the kernel."""
        return self.kernel.dimension(width)

    def mapped(self, data: Data) -> Data:
        """Multiply the features by the root of the factor."""
        features = self.kernel.mapped(data)
        return maps.scaled_rows(features, np.full(features.shape[0], math.sqrt(self.factor)))


@dataclass(frozen=True)
class Power(Kernel):
    r"""A kernel multiplied by itself, :math:`k(x, z) = a(x, z)^d`, written `a ** d`.

    Its features are the monomials of degree d in the features of a. It is computed by repeated
    squaring, so that integers stay integers.

    Examples
    --------
    >>> from rosenblatt.kernels import Linear
    >>> (Linear() ** 3)([[1, 2]], [[3, 1]])
    array([[125.]])
    """

    kernel: Kernel
    degree: int

    def __post_init__(self) -> None:
        rule = (
            "Only an integer power ≥ 1 of a kernel can be shown to be a kernel: it is a product "
            "of kernels. A fractional or negative power need not be positive semi-definite."
        )
        object.__setattr__(self, "degree", at_least_one(self.degree, rule))

    def __repr__(self) -> str:
        return f"{bracketed(self.kernel, Sum, Product, Scaled, Power)} ** {self.degree}"

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernel that is raised."""
        return (self.kernel,)

    def combine(self, *values: Array) -> Array:
        """Raise the values."""
        return integer_power(values[0], self.degree)

    def rooted(self) -> tuple[Kernel, int]:
        """Return the kernel and the degree."""
        return self.kernel, self.degree

    def dimension(self, width: int) -> int:
        """Count the monomials in the features of the kernel."""
        return maps.count_monomials(self.kernel.dimension(width), self.degree)

    def mapped(self, data: Data) -> Data:
        """Build the monomials in the features of the kernel."""
        return maps.monomials(self.kernel.mapped(data), self.degree)


def bracketed(kernel: Kernel, *looser: type[Kernel]) -> str:
    """Return the repr of a kernel, in brackets if it is of a looser type."""
    return f"({kernel!r})" if isinstance(kernel, looser) else repr(kernel)
