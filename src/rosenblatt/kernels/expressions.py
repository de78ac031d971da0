"""Parse kernels from expressions, as they print."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from rosenblatt import _expressions
from rosenblatt.kernels.base import Kernel
from rosenblatt.kernels.inner import Constant, Linear, Polynomial, Sigmoid
from rosenblatt.kernels.precomputed import Precomputed
from rosenblatt.kernels.rbf import RBF

NAMED: dict[str, Callable[..., Any]] = {
    "Linear": Linear,
    "Polynomial": Polynomial,
    "RBF": RBF,
    "Sigmoid": Sigmoid,
    "Constant": Constant,
    "Precomputed": Precomputed,
}


def parse(text: str, *, without: Collection[str] = ()) -> Kernel:
    """Return the kernel of an expression, such as the repr of a kernel.

    Nothing is run: an expression may only name kernels, but those in `without`, and combine them.

    >>> parse("(Linear() + 1)**3")
    (Linear() + Constant(value=1.0)) ** 3
    """
    example = "2 * RBF(sigma=1.0) + Polynomial(2)"
    named = {name: kernel for name, kernel in NAMED.items() if name not in without}
    found = _expressions.evaluate(text, named, "A kernel", example, frozenset({"normalized"}))
    if not isinstance(found, Kernel):
        raise ValueError(f"A kernel must be an expression such as {example}. Got {text!r}, a number.")
    return found
