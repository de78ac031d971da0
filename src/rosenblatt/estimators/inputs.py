"""Validation of the rows that users pass, and the warning about columns whose scales are far apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from rosenblatt._types import Array, Data, Floats, Ints
from rosenblatt.data.blocks import APART
from rosenblatt.features.encoders import shown
from rosenblatt.features.strings import as_features
from rosenblatt.kernels import Kernel
from rosenblatt.rows import canonical, frames, rows_of, squared_norms
from rosenblatt.rows.frames import refuse_lazy, values_of
from rosenblatt.tasks.naming import check_kernel
from rosenblatt.tasks.task import WIDEST

ENOUGH = 20
"""The fewest rows from which it is decided whether scales are far apart."""

ROUNDING = 1e-9
"""A column below this, and below this share of the largest, is taken for rounding errors of a constant."""

LOOKED_AT, VALUES, SPARSE_VALUES = 1000, 2**18, 2**13
"""The most rows, and about the most values, in which scales that are far apart are looked for."""

STRETCH, NEIGHBOURS = 10, 512
"""The most rows, and about the most values, that are looked at one after the other."""

TRIED = 3
"""Columns that are small in these rows, the smallest first, of which all rows are looked at."""


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
        if hasattr(given, "is_nested") and given.is_nested():  # of polars
            raise _not_numbers(name, f"holds {given}", "a column for each of its numbers")
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


class ScaleWarning(UserWarning):
    """Columns have scales that differ by a factor above 1,000, and nothing has scaled them.

    The scale of a column is its largest magnitude; a constant column has none. Of sparse rows and dicts,
    columns that few rows have are not looked at; if all values are counts, only those that most rows have.
    """


def warn_of_scales(X: Data, names: Any = None, stacklevel: int = 1) -> None:
    """Warn, once for all columns, if their scales are far apart.

    Parameters
    ----------
    X
        Rows of finite numbers, dense or CSR.
    names
        The names of the columns; their indices are shown if there are none.
    stacklevel
        Whose line the warning names: 1 is the caller's, 2 that of its caller, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> with warnings.catch_warnings(action="always", record=True) as caught:
    ...     warn_of_scales(np.array([[1.0, 0.0, 7.0], [5000.0, 1.0, 7.0]]))
    >>> print(str(caught[0].message).partition(". ")[0])
    The scales of columns differ by a factor above 1,000: column 0 up to 5,000, column 1 up to 1
    """
    found = far_apart(X)
    if found:
        shown = ", ".join(_described(names, column, scale) for column, scale in found)
        warnings.warn(
            f"The scales of columns differ by a factor above {APART:,.0f}: {shown}. The large ones "
            "outweigh the others in inner products and distances. Scale X, as by StandardScaler or "
            "QuantileTransformer, fitted to the training rows.",
            ScaleWarning,
            stacklevel=stacklevel + 1,
        )


def _described(names: Any, index: int, scale: float) -> str:
    """Return a column with its scale, rounded."""
    column = f"column {index}" if names is None else repr(str(names[index]))
    return f"{column} up to {float(f'{scale:.1g}'):,g}"


def far_apart(X: Data) -> list[tuple[int, float]]:
    """Return columns to name, each with its scale, if their scales differ by more than APART; else none.

    The scale of a column is its largest magnitude; a constant column has none. Of sparse rows, columns that
    few rows have are not looked at; if all values are counts, as of words, only those that most rows have.

    Examples
    --------
    >>> far_apart(np.array([[1.0, 50_000.0, 7.0], [2.0, 0.0, 7.0]]))
    [(1, 50000.0), (0, 2.0)]
    """
    some = _some_rows(X)
    columns, scales = _of_sparse(some) if sp.issparse(X) else (np.arange(X.shape[1]), _of_dense(some))
    largest, smallest = _extremes(scales)
    for i in smallest.tolist():  # the rows looked at may lack its large values
        scales[i] = np.abs(_values_in(X, columns[i])).max()
        if scales[largest[0]] / APART > scales[i]:
            named = [*(index for index in largest.tolist() if index != i), i]
            return [(int(columns[index]), float(scales[index])) for index in named]
    return []


def _some_rows(X: Data) -> Data:
    """Return some rows, in stretches at distances that are not equal: rows may come in periods."""
    values, most = (X.nnz // X.shape[0], SPARSE_VALUES) if sp.issparse(X) else (X.shape[1], VALUES)
    rows = min(LOOKED_AT, max(2 * ENOUGH, most // max(values, 1)))
    if X.shape[0] <= rows:
        return X
    stretch = max(1, min(STRETCH, NEIGHBOURS // max(values, 1)))
    count = -(-rows // stretch)
    share = (np.arange(count) + np.random.default_rng(0).random(count)) / count
    first = (share * (X.shape[0] - stretch + 1)).astype(np.int64)
    return X[(first[:, None] + np.arange(stretch)).ravel()]


def _values_in(X: Data, column: int) -> Array:
    """Return the values of a column; of sparse rows those that are there."""
    values: Array = X.data[X.indices == column] if sp.issparse(X) else X[:, column]
    return values


def _of_dense(X: Floats) -> Floats:
    """Return the largest magnitude in each column, 0 if it is constant."""
    lowest, highest = X.min(axis=0), X.max(axis=0)
    return np.where(lowest < highest, np.maximum(highest, -lowest), 0.0)


def _of_sparse(X: Any) -> tuple[Ints, Floats]:
    """Return the columns that are not rare, and the largest magnitude in each; none if all are alike."""
    there = X.data != 0
    values, indices = X.data[there], X.indices[there]
    magnitudes = np.abs(values)
    largest = magnitudes.max(initial=0.0)
    if not np.isfinite(largest) or largest / APART <= magnitudes.min(initial=np.inf):
        return np.zeros(0, np.int64), np.zeros(0)
    counts = bool((values == np.rint(magnitudes)).all())
    columns, index, present = np.unique(indices, return_inverse=True, return_counts=True)
    scales = np.zeros(len(columns))
    np.maximum.at(scales, index, magnitudes)
    common = present >= (max(ENOUGH, X.shape[0] / 2) if counts else ENOUGH)
    return columns[common], scales[common]


def _extremes(scales: Floats) -> tuple[Ints, Ints]:
    """Return the two columns with the largest scales, and the smallest of those far below, smallest first."""
    order: Ints = np.argsort(scales, kind="stable")[::-1]
    largest = scales[order[:1]].max(initial=0.0)
    order = order[scales[order] > min(ROUNDING, ROUNDING * largest)]
    below = order[largest / APART > scales[order]]
    return order[:2], below[::-1][:TRIED]
