"""Validation sets, which users pass or which are held out of the examples, and what needs all examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.features.encoders import shown
from rosenblatt.kernels import Kernel, Precomputed
from rosenblatt.rows import squared_norms, widened


def validation_sets(eval_set: Any, sizes: tuple[int, ...], form: str) -> list[tuple[Any, ...]]:
    """Return the validation sets of `eval_set`: one tuple, or a list of tuples.

    Parameters
    ----------
    sizes
        How many members a tuple may have.
    form
        What a tuple is, for the error: "(X, y)".
    """
    sets = [eval_set] if isinstance(eval_set, tuple) else eval_set
    if not isinstance(sets, list) or not sets:
        raise ValueError(f"eval_set must be {form}, or a list of such tuples. Got {eval_set!r:.60}.")
    for members in sets:
        if not isinstance(members, tuple) or len(members) not in sizes:
            what = f"a tuple of {len(members)}" if isinstance(members, tuple) else type(members).__name__
            raise ValueError(f"eval_set must be {form}, or a list of such tuples. Got {what}.")
    return sets


def check_in_chunks(estimator: Any, kernel: Kernel | None) -> None:
    """Raise ValueError for parameters of a classifier that need all examples at once."""
    if estimator.calibration is not None:
        raise ValueError(
            "partial_fit learns from all examples and holds none out. Got "
            f"calibration={estimator.calibration!r}: set it to None, and call calibrate(X, y) after."
        )
    if isinstance(kernel, Precomputed):
        raise ValueError(
            "partial_fit would need kernel values between old and new examples, and a precomputed "
            "matrix holds only those among one set. Use fit, or a kernel that can be evaluated."
        )
    if estimator.class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' in partial_fit would balance each chunk separately. Pass a "
            "dict, as from sklearn.utils.class_weight.compute_class_weight."
        )


def held_out(
    groups: Iterable[Ints],
    fraction: float,
    random: np.random.Generator,
    *,
    name: str = "validation_fraction",
    instead: str = "an eval_set",
) -> Ints:
    """Return the sorted indices of this share of each group, drawn at random; a group keeps at least one.

    `name` is the parameter with the share, and `instead` what can be given in its place, for the error.
    """
    drawn = [
        random.permutation(group)[: min(len(group) - 1, round(fraction * len(group)))] for group in groups
    ]
    found = np.sort(np.concatenate(drawn)) if drawn else np.empty(0, np.int64)
    if not len(found):
        raise ValueError(
            f"There is nothing to hold out: {name}={fraction:g} of the examples is less than one. Give more "
            f"examples, a larger {name}, or {instead}."
        )
    return found


def by_label(labels: Array) -> list[Ints]:
    """Return the indices of the rows of every class; of all rows together if they have sets of labels."""
    if labels.ndim > 1:
        return [np.arange(len(labels))]
    _, classes = np.unique(labels, return_inverse=True)
    order = np.argsort(classes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(classes[order])) + 1)


def others(held: Ints, size: int) -> Ints:
    """Return the indices below `size` that are not held out."""
    kept = np.ones(size, bool)
    kept[held] = False
    return np.flatnonzero(kept)


def as_wide(rows: list[Data]) -> list[Data]:
    """Return sparse rows with as many columns as the widest: of validation sets, unknown names have some."""
    if not all(map(sp.issparse, rows)):
        return rows
    width = max(data.shape[1] for data in rows)
    return [widened(data, width) for data in rows]


def as_new(held: Data, rest: Data) -> Data:
    """Return rows that are held out as a vectoriser that was fitted to the rest alone would make them.

    CSR rows of length 1 in which every feature occurs are texts, such as tf-idf makes of them, and their
    vectoriser has seen them all. Of a new text it leaves out what it has not seen, and the other values get
    larger. Other rows are returned as they are: without a vocabulary, new rows have unseen features, too.
    """
    if not (sp.issparse(held) and sp.issparse(rest)):
        return held
    seen = np.bincount(rest.indices, minlength=held.shape[1]) > 0
    occurs = seen | (np.bincount(held.indices, minlength=held.shape[1]) > 0)
    if not (occurs.all() and _of_length_1(held) and _of_length_1(rest)):
        return held
    result = held.copy()
    result.data = np.where(seen[held.indices], held.data, 0).astype(held.dtype)
    lengths = np.sqrt(squared_norms(result))
    result.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(held.indptr)).astype(held.dtype)
    return result


def _of_length_1(rows: Data) -> bool:
    """Whether all rows have the length 1, but for rounding, or 0."""
    norms = squared_norms(rows)
    return bool(np.all((norms == 0) | (np.abs(norms - 1) < 1e-5)))


def with_labels(held: list[Block], labels: Array) -> list[Block]:
    """Return validation sets; raises ValueError if one has none of the labels to learn."""
    for i, part in enumerate(held):
        given = np.asarray(part.y)
        if given.ndim == 1 and given.dtype != object and not np.isin(given, labels).any():
            raise ValueError(
                "A validation set must have labels that are learned. Got "
                f"{shown(np.unique(given).tolist())} in set {i}, and to learn "
                f"{shown(np.unique(labels).tolist())}: encode both alike."
            )
    return held
