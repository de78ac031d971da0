"""Validation of the rows that users pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from rosenblatt._types import Data
from rosenblatt.features.encoders import shown
from rosenblatt.features.strings import as_features
from rosenblatt.kernels import Kernel
from rosenblatt.rows import canonical, frames, rows_of, squared_norms
from rosenblatt.rows.frames import refuse_lazy, values_of
from rosenblatt.tasks.naming import check_kernel
from rosenblatt.tasks.task import WIDEST


def checked_data(
    estimator: Any, X: Any, task: Any, *, reset: bool, search: bool = True, learning: bool = False
) -> Data:
    """Return rows as a dense float array, a canonical CSR array or, for a kernel on objects, a list.

    With `search=False` CSR rows are not searched for NaN, infinity and features out of range: the caller
    must check for them. While learning, new names of features get the next columns.
    """
    kernel = task.options["kernel"]
    if kernel is not None and kernel.on_objects:
        return checked_objects(X)
    named: Data | None = task.named_rows(X, learning=learning)
    if named is not None:
        if reset:
            vars(estimator).pop("feature_names_in_", None)
        return named
    _refuse_texts_and_dates(X)
    try:
        data = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64 if kernel is None and sp.issparse(X) else [np.float64, np.float32],
            ensure_all_finite=search or not sp.issparse(X),
        )
    except (TypeError, ValueError):
        _refuse_columns(X)
        raise
    return canonical(data, search=search) if sp.issparse(data) else np.ascontiguousarray(data)


def check_features(features: Any, hashing: Any, kernel: Kernel | None) -> None:
    """Raise ValueError if the parameters `features` and `hashing` are not valid, or do not fit the kernel."""
    if hashing is not None:
        if (
            not isinstance(hashing, int | np.integer)
            or isinstance(hashing, bool)
            or not 1 <= hashing <= WIDEST
        ):
            raise ValueError(
                f"hashing must be None, or a number of features from 1 to 2**27, as 2**18. Got {hashing!r}."
            )
        check_kernel(kernel, f"Got hashing={hashing}")
    if features is not None:
        as_features(features)
        check_kernel(kernel, f"Got features={features!r:.60}")


def of_names(present: Any, fitted: Any) -> tuple[tuple[str, Any, Any], ...]:
    """Return what two tasks must have in common for a run to continue: features and hashing."""
    now, then = (None if task.vocabulary is None else task.vocabulary.function for task in (present, fitted))
    return ("features", now, then), ("hashing", present.hashing, fitted.hashing)


def _refuse_texts_and_dates(X: Any) -> None:
    """Raise ValueError for strings, and for dates, which NumPy would convert to nanoseconds."""
    listed = isinstance(X, list | tuple) or getattr(X, "ndim", 2) == 1
    first = next(iter(X), None) if listed else None
    if isinstance(first, str):
        raise ValueError(
            f"X is strings, as {shown(str(first))}. Say what their features are: features='words', "
            "'characters' or a function of a string."
        )
    if hasattr(X, "collect"):
        refuse_lazy(X)
    columns = _columns_of(X[:0]) if hasattr(X, "columns") else [(None, X)] if hasattr(X, "dtype") else []
    for name, values in columns:
        given: Any = getattr(values, "dtype", None)
        dtype = given if hasattr(given, "kind") else values_of(values).dtype
        if dtype.kind in "mM":
            raise _not_numbers(name, f"is of type {dtype}", "numbers, such as days since a date")


def _refuse_columns(X: Any) -> None:
    """Raise ValueError for the first column of a data frame that is not made of numbers."""
    for name, values in _columns_of(X) if hasattr(X, "columns") else ():
        try:
            np.asarray(values, np.float64)
        except (TypeError, ValueError):
            held = next((value for value in values_of(values).tolist() if not isinstance(value, Real)), None)
            raise _not_numbers(name, f"holds {held!r:.60}", "numbers, as with OneHotEncoder") from None


def _columns_of(frame: Any) -> Iterable[tuple[Any, Any]]:
    """Return the names and the values of a data frame's columns."""
    return (
        frame.items() if hasattr(frame, "items") else ((name, frame[name]) for name in frames.names_of(frame))
    )


def _not_numbers(name: Any, what: str, numbers: str) -> ValueError:
    """Return the error about a column that is not made of numbers, or about an array that is not."""
    column = "it" if name is None else f"column {name!r}"
    return ValueError(f"X must be rows of numbers, and {column} {what}. Drop it, or turn it into {numbers}.")


def one_row(estimator: Any, x: Any, task: Any) -> Any:
    """Return one row as a matrix of one row, or one object as a list of one."""
    kernel = task.options["kernel"]
    if task.vocabulary is not None or (kernel is not None and kernel.on_objects):
        return [x]
    if hasattr(x, "to_frame") and hasattr(x, "index"):  # a row of a data frame
        x = x.to_frame().T if hasattr(estimator, "feature_names_in_") else x.to_numpy()
    row = x if hasattr(x, "ndim") or hasattr(x, "columns") else np.asarray(x)
    row = row if len(row.shape) > 1 else row.reshape(1, -1)
    if row.shape[0] != 1:
        raise ValueError(f"explain takes one row at a time. Got {row.shape[0]}.")
    return row


def names_by_column(estimator: Any, examples: list[Any]) -> Any:
    """Return the names of the features of examples, by column; None if they have none."""
    vocabulary = estimator.task_.vocabulary
    if vocabulary is None:
        return getattr(estimator, "feature_names_in_", None)
    return vocabulary.names_in(examples)


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
