"""A check on a sample that a function is a kernel: symmetric and positive semi-definite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosenblatt._types import Data
from rosenblatt.kernels.base import Kernel
from rosenblatt.kernels.validation import vectors
from rosenblatt.rows import rows_of

RELATIVE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class KernelCheck:
    """How far a kernel matrix is from symmetric and positive semi-definite.

    Parameters
    ----------
    rows
        How many rows the sample had.
    asymmetry
        The largest absolute value of k(x, z) - k(z, x).
    smallest_eigenvalue, largest_eigenvalue
        Of the symmetric part of the matrix.
    tolerance
        How much asymmetry and how negative an eigenvalue pass for rounding.
    """

    rows: int
    asymmetry: float
    smallest_eigenvalue: float
    largest_eigenvalue: float
    tolerance: float

    @property
    def symmetric(self) -> bool:
        """Whether k(x, z) = k(z, x) up to the tolerance."""
        return self.asymmetry <= self.tolerance

    @property
    def positive(self) -> bool:
        """Whether no eigenvalue is below 0 by more than the tolerance."""
        return self.smallest_eigenvalue >= -self.tolerance

    @property
    def ok(self) -> bool:
        """Whether this sample is compatible with a kernel."""
        return self.symmetric and self.positive

    def __str__(self) -> str:
        symmetric = "symmetric" if self.symmetric else "NOT symmetric"
        positive = "positive semi-definite" if self.positive else "NOT positive semi-definite"
        return (
            f"{'a kernel' if self.ok else 'not a kernel'} on these {self.rows} rows: "
            f"{symmetric} (off by {self.asymmetry:.3g}), {positive} "
            f"(eigenvalues from {self.smallest_eigenvalue:.3g} to {self.largest_eigenvalue:.3g}); "
            f"tolerance {self.tolerance:.3g}"
        )


def check(kernel: Kernel, X: Data, *, tolerance: float | None = None) -> KernelCheck:
    """Check on a sample how far a kernel is from symmetric and positive semi-definite.

    A sample can refute a kernel and never prove one. All pairs are computed, in float64, and the
    eigenvalues cost n³: a few hundred rows are plenty.

    Parameters
    ----------
    kernel
        The kernel in question.
    X
        The sample: rows of numbers, or a list of any objects for kernels on objects.
    tolerance
        What passes for rounding; by default a billionth of the largest value or eigenvalue.

    Examples
    --------
    The hyperbolic tangent is used as a kernel, but is not one.

    >>> from rosenblatt.kernels import Matrix, Polynomial
    >>> points = [[0.0], [1.0], [2.0]]
    >>> check(Polynomial(2), points).ok
    True
    >>> tanh = Matrix(lambda X, Z: np.tanh(X @ Z.T - 1))
    >>> print(check(tanh, points))
    not a kernel on these 3 rows: symmetric (off by 0), NOT positive semi-definite \
(eigenvalues from -1.27 to 1.83); tolerance 1.83e-09
    """
    data = vectors(X, "X").astype(np.float64) if kernel.domain == "vectors" else kernel.accepted(X, "X")
    # Two separate values, so that nothing takes the matrix for symmetric without looking.
    K = kernel.between(rows_of(data), rows_of(data.copy()))
    asymmetry = float(np.abs(K - K.T).max(initial=0))
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2) if len(K) else np.zeros(1)
    if tolerance is None:
        tolerance = RELATIVE_TOLERANCE * max(
            float(np.abs(K).max(initial=0)), float(np.abs(eigenvalues).max())
        )
    return KernelCheck(len(K), asymmetry, float(eigenvalues[0]), float(eigenvalues[-1]), tolerance)
