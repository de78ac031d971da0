"""Rows, grades and queries from the forms in which a user may pass lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Ints
from rosenblatt.features.encoders import shown
from rosenblatt.kernels import Kernel
from rosenblatt.rows import count
from rosenblatt.rows.queries import ids_of_groups
from rosenblatt.tasks.lists import best_of


def gathered(X: Any, y: Any, qid: Any, group: Any, kernel: Kernel | None) -> tuple[Any, Any, Any]:
    """Return the rows, the grades or the indices of the best rows, and the query of every row."""
    if y is None:
        if qid is not None or group is not None:
            raise ValueError("Pairs (candidates, best) are lists already. Got qid or group besides.")
        X, y, group = _from_pairs(X, kernel)
        return X, y, ids_of_groups(group, count(X))
    X, qid = without_queries(X, qid, group)
    if qid is None:
        raise ValueError(
            "A ranker needs to know which rows are one list: pass qid, group, or a data frame with a "
            "column 'qid'. Got none of them."
        )
    return X, y, qid


def without_queries(X: Any, qid: Any, group: Any) -> tuple[Any, Any]:
    """Return the rows, without the column "qid" of a data frame, and their queries."""
    if qid is not None and group is not None:
        raise ValueError("Queries are given by qid or by group. Got both.")
    if hasattr(X, "columns") and "qid" in X.columns:
        qid = X["qid"] if qid is None and group is None else qid
        X = X.drop(columns="qid")
    if group is not None:
        qid = ids_of_groups(group, count(X))
    return X, qid


def _from_pairs(pairs: Any, kernel: Kernel | None) -> tuple[Any, Ints, list[int]]:
    """Return rows, grades and list sizes from pairs (candidates, best)."""
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, tuple) and len(p) == 2 for p in pairs):
        raise ValueError(
            "Without y, X must be a list of pairs (candidates, best), as ([[0, 1], [1, 0]], 1). "
            f"Got {type(pairs).__name__}."
        )
    candidates = [rows for rows, _ in pairs]
    if kernel is None or not kernel.on_objects:
        candidates = [rows if sp.issparse(rows) else _two_dimensional(rows) for rows in candidates]
    grades = [best_of(best, count(rows)) for rows, best in pairs]
    if not candidates:
        raise ValueError("Found no lists: at least 1 is needed. Got an empty list.")
    sizes = [count(rows) for rows in candidates]
    X: Any
    if kernel is not None and kernel.on_objects:
        X = [row for rows in candidates for row in rows]
    elif sp.issparse(candidates[0]):
        X = sp.vstack(candidates, format="csr")
    else:
        X = np.vstack(candidates)
    return X, np.concatenate(grades), sizes


def _two_dimensional(rows: Any) -> Array:
    try:
        data = np.asarray(rows, np.float64)
    except (TypeError, ValueError):
        data = np.empty(0)
    if data.ndim != 2:
        raise ValueError(f"Candidates must be rows of as many numbers each. Got {shown(rows)}.")
    return data
