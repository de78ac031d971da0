"""Rows grouped by query, from ids of queries or from how many rows each has."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array, Ints
from rosenblatt.rows.frames import first_missing, values_of


def group_rows(qid: Any, rows: int) -> tuple[Ints, Ints, Ints]:
    """Group rows by query, in the order in which queries first appear; rows need not be contiguous.

    Returns
    -------
    The index of every row's query, the rows query by query, and where each query begins in those.

    Examples
    --------
    >>> number, order, starts = group_rows(["b", "a", "b"], 3)
    >>> number.tolist(), order.tolist(), starts.tolist()
    ([0, 1, 0], [0, 2, 1], [0, 2, 3])
    """
    names = _names(qid, rows)
    change = np.flatnonzero(names[1:] != names[:-1]) + 1
    begins = np.concatenate([[0], change]).astype(np.int64)
    _, first, inverse = np.unique(names[begins], return_index=True, return_inverse=True)
    runs = np.argsort(np.argsort(first))[inverse.reshape(-1)]
    number = np.repeat(runs, np.diff(np.append(begins, rows)))
    order = np.arange(rows) if len(first) == len(begins) else np.argsort(number, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=len(first)))])
    return number, order, starts


def ids_of_groups(group: Any, rows: int) -> Ints:
    """Return the query index of every row from how many rows each query has, one after the other."""
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 1).any():
        raise ValueError(
            f"group must hold how many rows each query has: integers of at least 1. Got {_shown(group)}."
        )
    if sizes.sum() != rows:
        raise ValueError(f"The sizes in group must add up to the {rows} rows of X. Got {sizes.sum()}.")
    return np.repeat(np.arange(len(sizes)), sizes)


def _names(qid: Any, rows: int) -> Array:
    names = values_of(qid)
    if names.dtype.kind in "US" and isinstance(qid, list | tuple) and len({*map(type, qid)}) > 1:
        names = np.array(qid, dtype=object)  # else 1 would be "1"
    if names.dtype == object and names.ndim == 1:
        missing = first_missing(names)
        if missing is not None:
            raise ValueError(
                f"qid must name the query of every row. Got {names[missing]!r} for row {missing}."
            )
        number: dict[Any, int] = {}
        names = np.array([number.setdefault(name, len(number)) for name in names], np.int64)
    if names.ndim != 1 or len(names) != rows:
        raise ValueError(
            f"qid must name the query of each of the {rows} rows. Got {_shown(qid)}, of shape {names.shape}."
        )
    if names.dtype.kind == "f" and not np.isfinite(names).all():
        raise ValueError(
            f"qid must name the query of every row. Got NaN or infinity in row {_first_nan(names)}."
        )
    return names


def _first_nan(names: Array) -> int:
    return int(np.flatnonzero(~np.isfinite(names))[0])


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
