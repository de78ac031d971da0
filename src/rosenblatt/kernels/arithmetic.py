"""In-place arithmetic on kernel matrices, which raises ValueError on overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array


def joined(operation: np.ufunc, left: Array, right: Array | float) -> Array:
    """`operation(left, right)`, in the memory of `left` where the dtype allows."""
    into = left if left.dtype == np.result_type(left, right) else None
    try:
        with np.errstate(over="raise"):
            result: Array = operation(left, right, out=into)
    except FloatingPointError:
        raise ValueError(_out_of_range(f"A kernel value leaves the range of {left.dtype}.")) from None
    return result


def integer_power(values: Array, degree: int) -> Array:
    """`values ** degree` by repeated squaring, in place if the dtype holds the largest result.

    float32 values whose power would not fit are computed, and returned, in float64.
    """
    if degree == 1:
        return values
    values = _wide_enough(values, degree)
    factor = values if _is_power_of_two(degree) else values.copy()
    for bit in f"{degree:b}"[1:]:
        values *= values
        if bit == "1":
            values *= factor
    return values


def _is_power_of_two(degree: int) -> bool:
    return degree & (degree - 1) == 0


def _wide_enough(values: Array, degree: int) -> Array:
    largest = float(max(values.max(initial=0), -values.min(initial=0)))
    if values.dtype == np.float32 and not np.isfinite(largest):
        raise ValueError(
            "Inner products of these rows leave the range of float32, the type of X. Pass X in float64, or "
            "scale it, for example to unit length."
        )
    if _holds(values.dtype, largest, degree):
        return values
    if not _holds(np.dtype(np.float64), largest, degree):
        raise ValueError(_out_of_range(f"{largest:g} to the power {degree} leaves the range of float64."))
    return values.astype(np.float64)


def _holds(dtype: np.dtype[Any], largest: float, degree: int) -> bool:
    """Whether the power fits, with a factor of 2 to spare for the rounding of the squarings."""
    try:
        return largest**degree <= float(np.finfo(dtype).max) / 2
    except OverflowError:
        return False


def _out_of_range(what: str) -> str:
    return (
        f"{what} Scale the data, for example to unit length, or use kernel.normalized(), "
        f"whose values lie between -1 and 1."
    )
