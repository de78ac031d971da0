"""Lists as rounds: which rows are shown together, all rows of a query or pairs of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt._types import Ints
from rosenblatt.engine.run import Examples
from rosenblatt.rows import Rows
from rosenblatt.rows.queries import group_rows


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

    def _drawn(self, draws: int, random: np.random.Generator) -> Ints:
        lengths = np.diff(self.starts)
        query = np.repeat(np.arange(len(lengths)), lengths)
        order = self.order[np.lexsort((self.grades[self.order], query))]  # by query, then by grade
        grades = self.grades[order]
        change = np.flatnonzero((np.diff(query) != 0) | (np.diff(grades) != 0)) + 1
        edges = np.concatenate([[0], change, [len(order)]])
        alike = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
        first, count = edges[alike], np.diff(edges)[alike]  # of those with the same query and grade
        others = lengths[query] - count
        eligible = np.flatnonzero(others > 0)
        if not len(eligible):
            return np.empty(0, np.int64)
        drawn = random.choice(eligible, draws)
        other = self.starts[query[drawn]] + random.integers(0, others[drawn])
        other += np.where(other >= first[drawn], count[drawn], 0)
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
    grades = np.asarray(y)
    rows, queries = len(order), len(starts) - 1
    if grades.ndim != 1 or len(grades) not in (rows, queries):
        raise ValueError(
            f"y must hold a grade for each of the {rows} rows, or which row is the best, counted from 0, for "
            f"each of the {queries} queries. Got shape {grades.shape}."
        )
    if grades.dtype.kind not in "biuf" or (grades.dtype.kind == "f" and not np.isfinite(grades).all()):
        raise ValueError("The grades in y must be finite numbers. Got something else.")
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
