"""A kernel divided by the norms of its arguments in feature space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt._types import Array, Data
from rosenblatt.kernels import maps
from rosenblatt.kernels.algebra import Power, Product, Scaled, Sum, bracketed
from rosenblatt.kernels.arithmetic import integer_power
from rosenblatt.kernels.base import Kernel
from rosenblatt.kernels.validation import float_type
from rosenblatt.rows import Rows, rows_of


@dataclass(frozen=True)
class Normalized(Kernel):
    r"""The cosine in feature space, :math:`k(x, z) = a(x, z) / \sqrt{a(x, x)\, a(z, z)}`.

    Written `a.normalized()`. Every row has length 1 in feature space, so the radius in the mistake
    bound is 1. A power is normalized before it is raised, :math:`(a / \|a\|)^d`, which is the same
    number and never overflows.

    Examples
    --------
    >>> from rosenblatt.kernels import Linear
    >>> Linear().normalized()([[1, 0], [3, 3]]).round(4)
    array([[1.    , 0.7071],
           [0.7071, 1.    ]])
    """

    kernel: Kernel

    def __post_init__(self) -> None:
        if self.kernel.domain == "precomputed":
            raise ValueError(
                f"A precomputed kernel cannot be normalized: k(z, z) of new rows is not in the matrix. "
                f"Got {self.kernel!r}. Normalize the matrix before."
            )

    def __repr__(self) -> str:
        return f"{bracketed(self.kernel, Sum, Product, Scaled, Power)}.normalized()"

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernel that is normalized."""
        return (self.kernel,)

    @property
    def needs_squares(self) -> bool:
        """Always: the norms need them."""
        return True

    def of_products(self, xz: Array, xx: Array, zz: Array) -> Array:
        """Divide by the norms, then raise to the degree."""
        base, degree = self.kernel.rooted()
        rows, columns = self._lengths(base.of_squares(xx), "X"), self._lengths(base.of_squares(zz), "Z")
        return _cosines(base.of_products(xz, xx, zz), rows, columns, degree, xz.dtype)

    def of_squares(self, squares: Array) -> Array:
        """Return 1 everywhere, after a check that every norm is above 0."""
        self._lengths(self.kernel.rooted()[0].of_squares(squares), "X")
        return np.ones_like(squares)

    def between(self, A: Rows, B: Rows) -> Array:
        """Divide by the norms, then raise to the degree; one matrix product if the kernel needs one."""
        if self.inner:
            return super().between(A, B)
        base, degree = self.kernel.rooted()
        rows = self._lengths(base.diagonal(A)[:, None], "X")
        columns = self._lengths(base.diagonal(B)[None, :], "Z")
        values = base.between(A, B)
        return _cosines(values, rows, columns, degree, float_type(A, B))

    def diagonal(self, A: Rows) -> Array:
        """Return 1 everywhere, after a check that every norm is above 0."""
        return np.ones_like(self._lengths(self.kernel.rooted()[0].diagonal(A), "X"))

    def _lengths(self, squares: Array, name: str) -> Array:
        """Return the norms in feature space; raises ValueError if one is not above 0."""
        bad = np.flatnonzero(~(squares.ravel() > 0))
        if bad.size:
            raise ValueError(
                f"{self.kernel!r} cannot be normalized where k(x, x) is not above 0. Got "
                f"{squares.ravel()[bad[0]]:g} in row {bad[0]} of {name}. Drop the row, or add a constant "
                f"first: (kernel + 1).normalized()."
            )
        return np.sqrt(squares)

    def dimension(self, width: int) -> int:
        """Count the features of the kernel."""
        return self.kernel.dimension(width)

    def mapped(self, data: Data) -> Data:
        """Divide the features of the kernel by their norm."""
        lengths = self._lengths(self.kernel.diagonal(rows_of(data)), "X")
        return maps.scaled_rows(self.kernel.mapped(data), 1 / lengths)


def _cosines(values: Array, rows: Array, columns: Array, degree: int, dtype: np.dtype[Any]) -> Array:
    # One after the other: the product of two lengths may leave the range where each is inside.
    values /= rows
    values /= columns
    return integer_power(values, degree).astype(dtype, copy=False)
