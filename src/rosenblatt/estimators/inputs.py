"""Validation of the rows that users pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from rosenblatt._types import Data
from rosenblatt.kernels import Kernel
from rosenblatt.rows import canonical, rows_of, squared_norms


def checked_data(estimator: Any, X: Any, kernel: Kernel | None, *, reset: bool, search: bool = True) -> Data:
    """Return rows as a dense float array, a canonical CSR array or, for a kernel on objects, a list.

    With `search=False` CSR rows are not searched for NaN, infinity and features out of range: the caller
    must check for them.
    """
    if kernel is not None and kernel.on_objects:
        return checked_objects(X)
    _refuse_dicts_and_dates(estimator, X)
    try:
        data = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=search or not sp.issparse(X),
        )
    except (TypeError, ValueError):
        _refuse_columns(X)
        raise
    return canonical(data, search=search) if sp.issparse(data) else np.ascontiguousarray(data)


def _refuse_dicts_and_dates(estimator: Any, X: Any) -> None:
    """Raise ValueError for a list of dicts, and for dates, which NumPy would convert to nanoseconds."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        kind = type(estimator).__name__.removeprefix("Perceptron")
        raise ValueError(
            "X must be rows of numbers: an array, a sparse matrix or a data frame. Got a list of "
            f"{type(X[0]).__name__}: encode it with sklearn.feature_extraction.DictVectorizer, or learn from "
            f"one example at a time with rosenblatt.online.{kind}, which takes named features."
        )
    columns = _columns_of(X[:0]) if hasattr(X, "columns") else [(None, X)] if hasattr(X, "dtype") else []
    for name, values in columns:
        dtype = values.dtype if hasattr(values.dtype, "kind") else np.asarray(values).dtype
        if dtype.kind in "mM":
            raise _not_numbers(name, f"is of type {dtype}", "numbers, such as days since a date")


def _refuse_columns(X: Any) -> None:
    """Raise ValueError for the first column of a data frame that is not made of numbers."""
    for name, values in _columns_of(X) if hasattr(X, "columns") else ():
        try:
            np.asarray(values, np.float64)
        except (TypeError, ValueError):
            held = next((value for value in values if not isinstance(value, Real)), None)
            raise _not_numbers(name, f"holds {held!r:.60}", "numbers, as with OneHotEncoder") from None


def _columns_of(frame: Any) -> Iterable[tuple[Any, Any]]:
    """Return the names and the values of a data frame's columns."""
    return frame.items() if hasattr(frame, "items") else ((name, frame[name]) for name in frame.columns)


def _not_numbers(name: Any, what: str, numbers: str) -> ValueError:
    """Return the error about a column that is not made of numbers, or about an array that is not."""
    column = "it" if name is None else f"column {name!r}"
    return ValueError(f"X must be rows of numbers, and {column} {what}. Drop it, or turn it into {numbers}.")


def one_row(estimator: Any, x: Any, kernel: Kernel | None) -> Any:
    """Return one row as a matrix of one row, or one object as a list of one."""
    if kernel is not None and kernel.on_objects:
        return [x]
    if hasattr(x, "to_frame"):  # a row of a data frame
        x = x.to_frame().T if hasattr(estimator, "feature_names_in_") else x.to_numpy()
    row = x if hasattr(x, "ndim") else np.asarray(x)
    row = row if row.ndim > 1 else row.reshape(1, -1)
    if row.shape[0] != 1:
        raise ValueError(f"explain takes one row at a time. Got {row.shape[0]}.")
    return row


def checked_objects(X: Any) -> list[Any]:
    """Return the objects as a list; a string is not a list of characters, nor a frame one of its columns."""
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    if isinstance(X, str | bytes | Mapping | Set) or not hasattr(X, "__len__"):
        raise ValueError(
            f"A kernel on objects takes a list of them, one per example. Got {type(X).__name__}."
        )
    objects = list(X)
    if not objects:
        raise ValueError("Found no examples: at least 1 is needed. Got an empty list.")
    return objects


def refuse_zero_vectors(data: Data, kernel: Kernel | None) -> None:
    """Raise ValueError for rows with k(x, x) = 0: without an intercept every guess scores them 0."""
    norms = squared_norms(data) if kernel is None else kernel.diagonal(rows_of(data))
    zero = np.flatnonzero(norms <= 0)
    if len(zero):
        what = "is a zero vector" if kernel is None else "has k(x, x) = 0"
        raise ValueError(
            f"Row {zero[0]} {what}, which every guess without an intercept scores 0 and so can "
            f"never learn ({len(zero)} such rows). Drop them or set fit_intercept=True."
        )
