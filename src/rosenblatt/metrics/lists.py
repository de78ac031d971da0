"""Metrics of ranked lists: the rows of every query by score, the highest first, against their grades.

All take the grade of every row, its score by any estimator, and the query it belongs to; rows of a query need
not be next to each other. Of rows with the same score the one given first comes first, as in LETOR's
evaluation. Rows are relevant if their grade is above 0.

Queries in which there is nothing to find, because no row is relevant or all grades are equal, count as
`empty`: a number, as 0 in LETOR's evaluation, or "skip". With `per_query=True` the result is an array, one
value per query in the order in which queries first appear, NaN if a query was skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rosenblatt._types import Bools, Floats, Ints
from rosenblatt.rows.queries import group_rows

Result = Any
LARGEST = 1000
"""The largest grade with an exponential gain: sums of 2^grade must stay in the range of float64."""

GAINS: dict[str, Callable[[Floats], Floats]] = {
    "exponential": lambda grades: np.exp2(grades) - 1,
    "linear": lambda grades: grades,
}
DISCOUNTS: dict[str, Callable[[Ints], Floats]] = {
    "log2": lambda rank: np.log2(rank + 1),
    "letor": lambda rank: np.maximum(1.0, np.log2(np.maximum(rank, 1))),
}


def ndcg(
    y: Any,
    scores: Any,
    qid: Any,
    k: int | None = 10,
    *,
    gain: str = "exponential",
    discount: str = "log2",
    empty: float | str = 0.0,
    per_query: bool = False,
) -> Result:
    """Return NDCG@k, the discounted gain of the first k rows over that of the best order.

    Parameters
    ----------
    k
        How many rows of a query count; None for all.
    gain
        "exponential": 2^grade − 1, as in LETOR and LightGBM; "linear": the grade, as in scikit-learn.
    discount
        "log2": a gain at rank i is divided by log₂(i + 1). "letor": by log₂ i from rank 2 on, as the scripts
        that come with LETOR do.

    Examples
    --------
    >>> ndcg([0, 2, 1, 0, 1], [0.9, 0.8, 0.1, 0.2, 0.7], [1, 1, 1, 2, 2], gain="linear")
    0.8348...
    """
    _one_of("gain", gain, GAINS)
    _one_of("discount", discount, DISCOUNTS)
    found, ideal = _ordered(y, scores, qid), _ordered(y, y, qid)
    if found.grades.size and found.grades.min() < 0:
        raise ValueError(f"Grades must be at least 0 to gain anything. Got {found.grades.min():g}.")
    if gain == "exponential" and found.grades.max() > LARGEST:
        raise ValueError(
            f"An exponential gain takes grades up to {LARGEST}. Got {found.grades.max():g}: use "
            "gain='linear'."
        )
    gained, most = (
        lists.summed(
            GAINS[gain](lists.grades) / DISCOUNTS[discount](lists.rank) * (lists.rank <= _most(k, lists))
        )
        for lists in (found, ideal)
    )
    return _result(gained / np.where(most > 0, most, 1.0), most > 0, empty, per_query)


def average_precision(
    y: Any, scores: Any, qid: Any, *, empty: float | str = 0.0, per_query: bool = False
) -> Result:
    """Return MAP, the mean precision at the ranks of the relevant rows.

    >>> average_precision([0, 1, 1, 0, 1], [0.9, 0.8, 0.1, 0.2, 0.7], [1, 1, 1, 2, 2])
    0.7916...
    """
    lists = _ordered(y, scores, qid)
    relevant = lists.grades > 0
    before = np.cumsum(relevant)
    before = before - np.repeat((before - relevant)[lists.starts[:-1]], lists.lengths)
    total = lists.summed(relevant)
    return _result(
        lists.summed(relevant * before / lists.rank) / np.maximum(total, 1), total > 0, empty, per_query
    )


def reciprocal_rank(
    y: Any, scores: Any, qid: Any, *, empty: float | str = 0.0, per_query: bool = False
) -> Result:
    """Return MRR, 1 over the rank of the first relevant row."""
    lists = _ordered(y, scores, qid)
    found = np.maximum.reduceat(np.where(lists.grades > 0, 1.0 / lists.rank, 0.0), lists.starts[:-1])
    return _result(found, found > 0, empty, per_query)


def precision(
    y: Any, scores: Any, qid: Any, k: int = 1, *, empty: float | str = 0.0, per_query: bool = False
) -> Result:
    """Return P@k, the share of relevant rows among the first k; the divisor is k for shorter lists, too."""
    lists = _ordered(y, scores, qid)
    relevant = lists.grades > 0
    most = _most(k, lists)
    found = lists.summed(relevant & (lists.rank <= most)) / most
    return _result(found, lists.summed(relevant) > 0, empty, per_query)


def top_1(y: Any, scores: Any, qid: Any, *, empty: float | str = 0.0, per_query: bool = False) -> Result:
    """Return the share of queries whose first row is one of their best."""
    lists = _ordered(y, scores, qid)
    highest = np.maximum.reduceat(lists.grades, lists.starts[:-1])
    lowest = np.minimum.reduceat(lists.grades, lists.starts[:-1])
    found = (lists.grades[lists.starts[:-1]] == highest).astype(np.float64)
    return _result(found, lowest < highest, empty, per_query)


def pairwise_accuracy(
    y: Any, scores: Any, qid: Any, *, empty: float | str = 0.0, per_query: bool = False
) -> Result:
    """Return the share of pairs with different grades whose better row scores higher; a tie is wrong."""
    y, scores, _, order, starts = _checked(y, scores, qid)
    right, pairs = np.zeros(len(starts) - 1), np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        rows = order[starts[i] : starts[i + 1]]
        for grade in np.unique(y[rows])[1:]:
            better, worse = scores[rows[y[rows] == grade]], np.sort(scores[rows[y[rows] < grade]])
            right[i] += np.searchsorted(worse, better, side="left").sum()
            pairs[i] += len(better) * len(worse)
    return _result(right / np.maximum(pairs, 1), pairs > 0, empty, per_query)


METRICS: dict[str, Callable[..., Result]] = {
    "ndcg": ndcg,
    "map": average_precision,
    "mrr": reciprocal_rank,
    "top-1": top_1,
    "precision": precision,
    "pairwise": pairwise_accuracy,
}


def named(name: Any) -> Callable[..., Result]:
    """Return the metric of a name, with its cutoff if it has one: "ndcg@10", "precision@1", "map".

    >>> named("precision@2")([1, 0, 0], [0.9, 0.8, 0.1], [1, 1, 1])
    0.5
    """
    metric, at, cutoff = name.partition("@") if isinstance(name, str) else (name, "", "")
    cut = metric in ("ndcg", "precision")
    if metric not in METRICS or cut != bool(at) or (at and not (cutoff.isdecimal() and int(cutoff) > 0)):
        raise ValueError(
            "metric must be 'ndcg@10' or 'precision@1', or with another cutoff, 'map', 'mrr', 'top-1' or "
            f"'pairwise'. Got {name!r}."
        )
    return partial(METRICS[metric], k=int(cutoff)) if at else METRICS[metric]


@dataclass(frozen=True, eq=False)
class Ordered:
    """The grades of all rows, query by query in the order of their scores, and their ranks from 1."""

    grades: Floats
    rank: Ints
    starts: Ints

    @property
    def lengths(self) -> Ints:
        """The number of rows of each query."""
        return np.diff(self.starts)

    def summed(self, values: Any) -> Floats:
        """Return the sum of the values of each query."""
        return np.add.reduceat(np.asarray(values, np.float64), self.starts[:-1])


def _ordered(y: Any, scores: Any, qid: Any) -> Ordered:
    y, scores, query, _, starts = _checked(y, scores, qid)
    order = np.lexsort((-scores, query))
    return Ordered(y[order], 1 + np.arange(len(y)) - np.repeat(starts[:-1], np.diff(starts)), starts)


def _checked(y: Any, scores: Any, qid: Any) -> tuple[Floats, Floats, Ints, Ints, Ints]:
    grades, found = np.asarray(y, np.float64), np.asarray(scores, np.float64)
    for name, values in (("y", grades), ("scores", found)):
        if values.ndim != 1:
            raise ValueError(f"{name} must be one number per row. Got shape {values.shape}.")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} must be finite numbers. Got NaN or infinity.")
    if len(grades) != len(found):
        raise ValueError(f"There must be as many scores as grades. Got {len(found)} and {len(grades)}.")
    if not len(grades):
        raise ValueError("There must be at least one row. Got none.")
    query, order, starts = group_rows(qid, len(grades))
    return grades, found, query, order, starts


def _most(k: int | None, lists: Ordered) -> int:
    if k is None:
        return len(lists.grades)
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
        raise ValueError(f"k must be an integer ≥ 1. Got {k!r}.")
    return int(k)


def _result(found: Floats, worth: Bools, empty: float | str, per_query: bool) -> Result:
    if isinstance(empty, str) and empty != "skip":
        raise ValueError(f"empty must be a number or 'skip'. Got {empty!r}.")
    found = np.where(worth, found, np.nan if isinstance(empty, str) else float(empty))
    if per_query:
        return found
    if isinstance(empty, str) and not worth.any():
        raise ValueError("There is no query in which there is something to find. Got empty='skip'.")
    return float(found[~np.isnan(found)].mean())


def _one_of(name: str, value: Any, allowed: dict[str, Any]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}. Got {value!r}.")
