"""Lists: rows with grades in queries, in the forms in which users pass them, and as rounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine.run import Examples
from rosenblatt.features.encoders import shown
from rosenblatt.features.vocabulary import are_named
from rosenblatt.rows import Rows, count
from rosenblatt.rows.frames import names_of, refuse_lazy, values_of, without_column
from rosenblatt.rows.queries import group_rows, ids_of_groups
from rosenblatt.tasks.task import check_weights


@dataclass(frozen=True, eq=False)
class Lists:
    """Rows with grades, in queries.

    Parameters
    ----------
    grades
        Integers from 0, one per row: equal where the grades are, larger where they are better.
    order, starts
        The rows query by query, and where each query begins in those.
    """

    grades: Ints
    order: Ints
    starts: Ints

    @classmethod
    def of(cls, y: Any, qid: Any, rows: int) -> Lists:
        """Return lists from a grade and a query id per row, or from the index of the best row per query."""
        _, order, starts = group_rows(qid, rows)
        return cls(_grades(y, order, starts), order, starts)

    def whole(self, rows: Rows) -> Examples:
        """Return examples with a round for every query in which one row is better than another."""
        grades, lengths = self.grades[self.order], np.diff(self.starts)
        worth = np.minimum.reduceat(grades, self.starts[:-1]) < np.maximum.reduceat(grades, self.starts[:-1])
        starts = np.concatenate([[0], np.cumsum(lengths[worth])])
        return Examples(rows, self.grades, starts, index=self.order[np.repeat(worth, lengths)])

    def pairs(self, rows: Rows, draws: int, random: np.random.Generator) -> Examples:
        """Return examples with a round for every draw: a row, and one of its query with another grade."""
        index = self._drawn(draws, random)
        return Examples(rows, self.grades, np.arange(0, len(index) + 1, 2), index=index, repeats=True)

    def weights_of(self, examples: Examples, sample_weight: Any) -> Floats:
        """Return the weight of each round: the mean of its rows' weights, given per row or per query."""
        rows, lengths = len(self.order), np.diff(self.starts)
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.ndim != 1 or len(weights) not in (rows, len(lengths)):
            raise ValueError(
                f"sample_weight must have one weight for each of the {rows} rows, or of the {len(lengths)} "
                f"queries. Got shape {weights.shape}."
            )
        check_weights(weights)
        if len(weights) != rows:
            per_row = np.empty(rows)
            per_row[self.order] = np.repeat(weights, lengths)
            weights = per_row
        sums = (
            np.add.reduceat(weights[examples.index], examples.starts[:-1]) if len(examples) else np.empty(0)
        )
        return np.asarray(sums / np.diff(examples.starts))

    def _drawn(self, draws: int, random: np.random.Generator) -> Ints:
        lengths = np.diff(self.starts)
        query = np.repeat(np.arange(len(lengths)), lengths)
        order = self.order[np.lexsort((self.grades[self.order], query))]  # by query, then by grade
        grades = self.grades[order]
        change = np.flatnonzero((np.diff(query) != 0) | (np.diff(grades) != 0)) + 1
        edges = np.concatenate([[0], change, [len(order)]])
        alike = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
        first, size = edges[alike], np.diff(edges)[alike]  # of those with the same query and grade
        others = lengths[query] - size
        eligible = np.flatnonzero(others > 0)
        if not len(eligible):
            return np.empty(0, np.int64)
        drawn = random.choice(eligible, draws)
        other = self.starts[query[drawn]] + random.integers(0, others[drawn])
        other += np.where(other >= first[drawn], size[drawn], 0)
        return np.stack([order[drawn], order[other]], axis=1).reshape(-1)


def best_of(best: Any, rows: int) -> Ints:
    """Return a grade of 1 for the best row or rows of a list, 0 for the others."""
    grades = np.zeros(rows, np.int64)
    if type(best) is int and 0 <= best < rows:
        grades[best] = 1
        return grades
    several = isinstance(best, set | frozenset | list | tuple | np.ndarray)
    indices = list(best) if several else [best]
    integers = all(isinstance(i, int | np.integer) and not isinstance(i, bool) for i in indices)
    if not indices or not integers or min(indices) < 0 or max(indices) >= rows:
        raise ValueError(
            f"The best of a list of {rows} rows must be an index from 0 to {rows - 1}, or a set of them. "
            f"Got {best!r}."
        )
    grades[indices] = 1
    return grades


def _grades(y: Any, order: Ints, starts: Ints) -> Ints:
    """Return grades as integers; the best row of a query gets 1 if y holds its index."""
    grades, rows, queries = _numbers(values_of(y)), len(order), len(starts) - 1
    if grades.ndim != 1 or len(grades) not in (rows, queries):
        raise ValueError(
            f"y must hold a grade for each of the {rows} rows, or which row is the best, counted from 0, for "
            f"each of the {queries} queries. Got shape {grades.shape}."
        )
    if grades.dtype.kind not in "biuf" or (grades.dtype.kind == "f" and not np.isfinite(grades).all()):
        raise ValueError(f"The grades in y must be finite numbers. Got {_odd(grades)}.")
    if len(grades) == rows:
        return np.unique(grades, return_inverse=True)[1].astype(np.int64)
    lengths = np.diff(starts)
    out = np.flatnonzero((grades < 0) | (grades >= lengths) | (grades != np.floor(grades)))
    if len(out):
        raise ValueError(
            f"The best row of a query must be one of its rows, counted from 0. Got {grades[out[0]]} in query "
            f"{out[0]}, which has {lengths[out[0]]} rows."
        )
    best = np.zeros(rows, np.int64)
    best[order[starts[:-1] + grades.astype(np.int64)]] = 1
    return best


def _numbers(values: Array) -> Array:
    """Return an array of objects that are all numbers as one of float64, any other as it is."""
    numbers = values.dtype == object and all(isinstance(value, Real) for value in values.flat)
    return values.astype(np.float64) if numbers else values


def _odd(grades: Array) -> str:
    """Return the first of some grades that is no finite number, and its row, for an error."""
    listed = grades.tolist()
    numbers = [_as_number(grade) for grade in listed]
    odd = [row for row, number in enumerate(numbers) if number is None or not isfinite(number)]
    row = odd[0] if odd else 0  # of strings that are numbers, the first
    return f"{listed[row]!r:.40} in row {row}"


def _as_number(grade: Any) -> float | None:
    """Return a grade as a number, a string that spells one included, or None."""
    try:
        return float(grade) if isinstance(grade, Real | str) else None
    except ValueError:
        return None


def gathered(X: Any, y: Any, qid: Any, group: Any, objects: bool) -> tuple[Any, Any, Any]:
    """Return the rows, the grades or the indices of the best rows, and the query of every row.

    `objects` is whether rows may be any objects, and not numbers.
    """
    if y is None:
        if qid is not None or group is not None:
            raise ValueError("Pairs (candidates, best) are lists already. Got qid or group besides.")
        X, y, group = _from_pairs(X, objects)
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
    if hasattr(X, "collect"):
        refuse_lazy(X)
    if hasattr(X, "columns") and "qid" in names_of(X):
        qid = X["qid"] if qid is None and group is None else qid
        X = without_column(X, "qid")
    if group is not None:
        qid = ids_of_groups(group, count(X))
    return X, qid


def _from_pairs(pairs: Any, objects: bool) -> tuple[Any, Ints, list[int]]:
    """Return rows, grades and list sizes from pairs (candidates, best)."""
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, tuple) and len(p) == 2 for p in pairs):
        raise ValueError(
            "fit requires y to be passed, but the target y is None, unless X is a list of pairs "
            f"(candidates, best), as ([[0, 1], [1, 0]], 1). Got {type(pairs).__name__}."
        )
    candidates = [rows for rows, _ in pairs]
    objects = objects or any(map(are_named, candidates))
    if not objects:
        candidates = [rows if sp.issparse(rows) else _two_dimensional(rows) for rows in candidates]
    grades = [best_of(best, count(rows)) for rows, best in pairs]
    if not candidates:
        raise ValueError("Found no lists: at least 1 is needed. Got an empty list.")
    sizes = [count(rows) for rows in candidates]
    X: Any
    if objects:
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
