"""Columns of data frames and of Arrow: their values as NumPy arrays, and what is missing in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array


def values_of(column: Any) -> Array:
    """Return the values of a column of any library, or of a list, as an array, with what is missing.

    >>> values_of([1, 2])
    array([1, 2])
    """
    return np.asarray(column)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or the NA of pandas, which cannot be compared."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def first_missing(values: Array) -> int | None:
    """Return the index of the first missing value of an array of objects; None if there is none."""
    return next((index for index, value in enumerate(values) if is_missing(value)), None)


def refuse_lazy(frame: Any) -> None:
    """Raise ValueError for a frame of polars that can be collected and was not, so that it has no rows."""
    if not hasattr(frame, "to_numpy"):
        raise ValueError(
            f"X must be rows of numbers. Got a {type(frame).__name__}, whose rows are not computed yet: "
            "collect it."
        )


def names_of(frame: Any) -> list[Any]:
    """Return the names of a frame's columns, also of one of Arrow, which calls the columns themselves so."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def without_column(frame: Any, name: str) -> Any:
    """Return a frame of pandas, polars or Arrow without a column."""
    if hasattr(frame, "column_names"):
        return frame.drop_columns([name])
    return frame.drop(columns=name) if hasattr(frame, "iloc") else frame.drop(name)
