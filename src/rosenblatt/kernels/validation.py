"""Validation of the rows and parameters of kernels."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data
from rosenblatt.rows import Rows, canonical

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def vectors(X: Any, name: str) -> Data:
    """Read X as a C-contiguous array or a canonical CSR array of finite float32 or float64 numbers."""
    array = canonical(sp.csr_array(X)) if sp.issparse(X) else _dense(X, name)
    if array.ndim != 2:
        raise ValueError(
            f"{name} must be 2-dimensional, one row per example. Got an array of shape {array.shape}. "
            f"One example is a list of one row, [x]; one feature is a column, x.reshape(-1, 1)."
        )
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must hold real numbers. Got dtype {array.dtype}. "
            f"Encode it as numbers, or use Function(f) for a kernel on any objects."
        )
    array = array if array.dtype in FLOATS else array.astype(np.float64)
    _check_finite(array, name)
    return array


def _dense(X: Any, name: str) -> Array:
    try:
        return np.asarray(X, order="C")
    except ValueError as error:
        raise ValueError(f"{name} must have rows of equal length: {error}") from None


def _check_finite(array: Any, name: str) -> None:
    values = array.data if sp.issparse(array) else array
    if np.isfinite(values).all():
        return
    entries = array.tocoo() if sp.issparse(array) else None
    if entries is None:
        row, feature = np.argwhere(~np.isfinite(array))[0]
    else:
        first = np.flatnonzero(~np.isfinite(entries.data))[0]
        row, feature = entries.row[first], entries.col[first]
    raise ValueError(
        f"{name} must be finite. Got {array[row, feature]} in row {row}, feature {feature}. "
        f"Drop the row or fill in the value."
    )


def same_width(X: Data, Z: Data) -> None:
    """Raise ValueError if two sets of vectors differ in their number of features."""
    if X.shape[1] != Z.shape[1]:
        raise ValueError(
            f"X and Z must have the same number of features. "
            f"Got {X.shape[1]} in X {X.shape} and {Z.shape[1]} in Z {Z.shape}."
        )


def float_type(*rows: Rows) -> np.dtype[Any]:
    """Return the dtype of a kernel matrix on these rows: theirs if it is a float, else float64."""
    dtypes = [getattr(some.data, "dtype", None) for some in rows]
    known = [dtype for dtype in dtypes if dtype in FLOATS]
    return np.result_type(*known) if known else np.dtype(np.float64)


def finite(value: Any, rule: str) -> float:
    """Return a value as a float; raises an error with the text `rule` unless it is a finite number."""
    if not isinstance(value, Real):
        raise TypeError(f"{rule} Got {value!r}.")
    if not math.isfinite(value):
        raise ValueError(f"{rule} Got {value!r}.")
    return float(value)


def at_least_zero(value: Any, rule: str) -> float:
    """Return a value as a float; raises an error with the text `rule` unless it is at least 0 and finite."""
    if not isinstance(value, Real):
        raise TypeError(f"{rule} Got {value!r}.")
    number = float(value)
    if not 0 <= number < math.inf:
        raise ValueError(f"{rule} Got {value!r}.")
    return number


def at_least_one(value: Any, rule: str) -> int:
    """Return a value as an integer; raises an error with the text `rule` unless it is one, at least 1."""
    if not isinstance(value, Real):
        raise TypeError(f"{rule} Got {value!r}.")
    number = float(value)
    if not (number.is_integer() and number >= 1):
        raise ValueError(f"{rule} Got {value!r}.")
    return int(number)
