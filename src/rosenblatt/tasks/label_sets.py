"""Sets of labels, one per row: an indicator matrix or a list of collections, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Ints

FORMS = ("dense", "csr_array", "csr_matrix", "lists")
"""How sets of labels are passed, and answered: two-dimensional arrays and data frames are "dense"."""

COLLECTIONS = (list, tuple, Set, np.ndarray)
"""What the labels of a row may be in; an element of such a kind in y makes it a list of sets."""

NO_SET = -1
"""Instead of 0 and 1, in all columns of a row that has a label which is none of the known ones."""


def has_sets(y: Any) -> bool:
    """Whether y has a set of labels per row: an indicator matrix, or a list of collections."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype != object:
        return False
    if sp.issparse(y):
        return True
    shape: tuple[int, ...] = getattr(y, "shape", (0,))
    if len(shape) == 2:
        return bool(shape[1] != 1)
    return len(shape) == 1 and _is_listed(y) and isinstance(next(iter(y), None), COLLECTIONS)


def _is_listed(y: Any) -> bool:
    """Whether y is some kind of list."""
    return hasattr(y, "__iter__") and hasattr(y, "__len__") and not isinstance(y, str | bytes | dict)


def refuse_sets(y: Any) -> None:
    """Raise ValueError if y has a set of labels per row, for a learner that has one label per row."""
    if has_sets(y):
        raise ValueError(
            f"This run has one label per row. Got sets of labels, {type(y).__name__}: fit a learner to such "
            "sets from the beginning, or pass one label per row."
        )


class LabelSets(NamedTuple):
    """Sets of labels as they were passed.

    Parameters
    ----------
    form
        One of FORMS.
    labels
        The label of each column; None if the columns have no names but their numbers.
    indicator
        1 where a row has a label, else 0 (rows × labels).
    """

    form: str
    labels: Array | None
    indicator: Array

    def by_column(self, known: Array) -> Array:
        """Return the indicator with a column per known label; rows with an unknown one hold NO_SET."""
        if self.labels is None:
            if self.indicator.shape[1] != len(known):
                raise ValueError(
                    f"y must have a column for each of the {len(known)} labels. "
                    f"Got {self.indicator.shape[1]} columns."
                )
            return self.indicator
        at = {label: column for column, label in enumerate(known.tolist())}
        columns = np.array([at.get(label, -1) for label in self.labels.tolist()], np.int64)
        if self.form != "lists" and len(columns) < len(known):
            missing = set(at) - set(self.labels.tolist())
            raise ValueError(
                f"y must have a column for each of the {len(known)} labels. Got none for {min(missing)!r}."
            )
        found = np.zeros((len(self.indicator), len(known)), np.int8)
        found[:, columns[columns >= 0]] = self.indicator[:, columns >= 0]
        found[self.indicator[:, columns < 0].any(axis=1)] = NO_SET
        return found


def label_sets(y: Any, *, lists: bool = False) -> LabelSets:
    """Read sets of labels.

    Lists of equal length that hold only 0 and 1 are an indicator matrix, as scikit-learn reads them, unless
    `lists` says that the labels are listed.
    """
    if sp.issparse(y):
        return LabelSets("csr_array" if isinstance(y, sp.sparray) else "csr_matrix", None, _of_sparse(y))
    if len(getattr(y, "shape", ())) == 2:
        labels = _as_labels(list(y.columns)) if hasattr(y, "columns") else None
        if labels is not None and len(set(labels.tolist())) < len(labels):
            raise ValueError(f"The columns of y must be different labels. Got {labels.tolist()!r:.100}.")
        return LabelSets("dense", labels, _zero_or_one(y))
    rows = _collections(y)
    if not lists and _is_indicator(rows):
        return LabelSets("dense", None, _zero_or_one(rows))
    return LabelSets("lists", *_of_lists(rows))


def _collections(y: Any) -> list[Any]:
    """Return y as a list of collections."""
    rows = list(y) if _is_listed(y) and getattr(y, "ndim", 1) == 1 else [y]
    others = [row for row in rows if not isinstance(row, COLLECTIONS)]
    if others:
        raise ValueError(
            "With several labels per row y must be an indicator matrix, rows × labels, or a list with a "
            f"list, tuple or set of labels for every row. Got {others[0]!r:.60}."
        )
    return rows


def _is_indicator(rows: list[Any]) -> bool:
    """Whether lists are the rows of an indicator matrix: equally long, and of 0 and 1 only."""
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or min(sizes) < 2 or any(isinstance(row, Set) for row in rows):
        return False
    kinds = int | np.integer | np.bool_
    return all(isinstance(value, kinds) and value in (0, 1) for row in rows for value in row)


def _of_lists(rows: list[Any]) -> tuple[Array, Array]:
    """Return the different labels, sorted, and the indicator matrix."""
    sizes = [len(row) for row in rows]
    flat = _as_labels([label for row in rows for label in row])
    labels, column = np.unique(flat, return_inverse=True)
    indicator = np.zeros((len(rows), len(labels)), np.int8)
    indicator[np.repeat(np.arange(len(rows)), sizes), column] = 1
    twice = np.flatnonzero(indicator.sum(axis=1) != sizes)
    if len(twice):
        raise ValueError(
            f"A row has each of its labels once. Got {rows[twice[0]]!r:.60} for row {twice[0]}: "
            "if these are the rows of an indicator matrix, pass numpy.array(y)."
        )
    return labels, indicator


def _as_labels(labels: list[Any]) -> Array:
    """Return labels as an array; raise ValueError if they are not of one kind."""
    try:
        found = np.asarray(labels) if labels else np.empty(0, np.int64)
    except ValueError:  # collections of different lengths
        found = np.empty((0, 0))
    kind, whole = found.dtype.kind, found.ndim == 1
    if kind == "f":
        whole &= bool(np.isfinite(found).all() and (found == np.floor(found)).all())
    if not whole or kind not in "biufU":
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise ValueError(f"Labels must be strings, integers or booleans. Got {kinds}.")
    if kind == "U" and not all(isinstance(label, str) for label in labels):
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise ValueError(f"Labels must be of one kind, or they have no order. Got {kinds}.")
    return found


def _of_sparse(y: Any) -> Array:
    """Return a sparse indicator matrix as a dense one."""
    rows = sp.csr_array(y)
    rows.sum_duplicates()
    _check_zero_or_one(rows.data)
    return np.ascontiguousarray(rows.astype(np.int8).toarray())


def _zero_or_one(y: Any) -> Array:
    """Return a dense indicator matrix, after a check of its values."""
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if values.dtype.kind not in "biuf":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError):
            _check_zero_or_one(values.ravel())
    _check_zero_or_one(values)
    return np.ascontiguousarray(values, np.int8)


def _check_zero_or_one(values: Any) -> None:
    other = next((value for value in _others(values)), None)
    if other is not None:
        raise ValueError(
            "With several labels per row y must be an indicator matrix of 0 and 1, a column per label, or a "
            f"list with the labels of every row. Got the value {other!r:.60}."
        )


def _others(values: Any) -> Iterable[Any]:
    """Yield values that are neither 0 nor 1."""
    if values.dtype.kind in "biuf":
        yield from values[(values != 0) & (values != 1)].tolist()[:1]
        return
    yield from (v for v in values.tolist() if not isinstance(v, int | float) or v not in (0, 1))


def in_form(indicator: Ints, form: str, labels: Array) -> Any:
    """Return answers (rows × labels) in one of FORMS."""
    if form == "lists":
        return listed(indicator, labels)
    if form == "dense":
        return indicator
    return (sp.csr_array if form == "csr_array" else sp.csr_matrix)(indicator)


def listed(indicator: Array, labels: Array) -> list[tuple[Any, ...]]:
    """Return the labels of every row."""
    row, column = np.nonzero(indicator > 0)
    names, ends = labels[column].tolist(), np.searchsorted(row, np.arange(1, len(indicator) + 1)).tolist()
    return [tuple(names[first:last]) for first, last in zip([0, *ends], ends, strict=False)]


def shown(classes: Array) -> str:
    """Return classes as an error message lists them."""
    return ", ".join(map(repr, classes.tolist()))
