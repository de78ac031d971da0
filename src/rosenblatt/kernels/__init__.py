"""Kernels: similarities that are inner products in a feature space, as values with ``+``, ``*`` and ``**``.

Every kernel on vectors here is a function of the three inner products ⟨x, z⟩, ⟨x, x⟩ and ⟨z, z⟩, so
any expression of such kernels costs one matrix product.

>>> from rosenblatt import kernels
>>> k = 2 * kernels.Polynomial(2) + kernels.RBF(sigma=1.0)
>>> k
2.0 * Polynomial(degree=2, coef0=1.0) + RBF(sigma=1.0)
>>> k([[0, 0], [1, 1]])
array([[ 3.        ,  2.36787944],
       [ 2.36787944, 19.        ]])
"""

from __future__ import annotations

from rosenblatt.kernels.algebra import Power, Product, Scaled, Sum
from rosenblatt.kernels.base import Kernel
from rosenblatt.kernels.checks import KernelCheck, check
from rosenblatt.kernels.expressions import parse
from rosenblatt.kernels.inner import Constant, Linear, Polynomial, Sigmoid
from rosenblatt.kernels.normalized import Normalized
from rosenblatt.kernels.precomputed import Precomputed
from rosenblatt.kernels.rbf import RBF
from rosenblatt.kernels.wrappers import Function, Matrix, Sklearn, as_kernel, kernel_of, named_kernel

__all__ = [
    "RBF",
    "Constant",
    "Function",
    "Kernel",
    "KernelCheck",
    "Linear",
    "Matrix",
    "Normalized",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Scaled",
    "Sigmoid",
    "Sklearn",
    "Sum",
    "as_kernel",
    "check",
    "kernel_of",
    "named_kernel",
    "parse",
]
