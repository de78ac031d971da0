"""From labels to truths and weights, one per row."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.games import Argmax, Binary, Game, OneVsRest

MOST = 1e75
"""The largest weight: sums of products of such numbers stay in the range of float64."""


def checked_labels(y: Any, rows: int) -> Array:
    """The labels as an array, one per row."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None. Pass a label per row.")
    labels = np.asarray(column_or_1d(y, warn=True))
    kinds = {type(label).__name__ for label in labels} if labels.dtype == object else set()
    if len(kinds) > 1 and not kinds.isdisjoint(("str", "NoneType")):
        found = ", ".join(sorted(kinds))
        raise ValueError(f"Labels must be of one kind, or they have no order. Got {found}.")
    assert_all_finite(labels, input_name="y")
    if labels.dtype.kind not in "biuU":  # these types are always classes
        check_classification_targets(labels)
    if len(labels) != rows:
        raise ValueError(f"There must be one value of y per row. Got {rows} rows and {len(labels)} values.")
    return labels


def classes_of(labels: Array) -> Array:
    """The different labels, sorted."""
    if labels.dtype.kind in "iu" and len(labels):
        lowest, highest = int(labels.min()), int(labels.max())
        if highest - lowest < 2:
            return np.unique(np.array([lowest, highest], labels.dtype))
        if highest - lowest < len(labels):  # counting them takes a tenth of the time of sorting them
            wide = labels.astype(f"{labels.dtype.kind}8")
            counts = np.bincount((wide - wide.min()).astype(np.int64))
            return np.asarray(np.flatnonzero(counts).astype(wide.dtype) + wide.min(), labels.dtype)
    return np.unique(labels)


def check_classes(classes: Array, ties: str) -> None:
    """Raise ValueError if the game cannot be played with these classes."""
    if len(classes) < 2:
        only = f"1 class only: {classes[0]!s}" if len(classes) else "0 classes"
        raise ValueError(f"There must be at least 2 classes to tell apart. Got {only}.")
    if len(classes) > 2 and ties == "positive":
        raise ValueError(f"ties='positive' is for two classes. Got {len(classes)}: use ties='mistake'.")


def lasting_classes(given: Any, before: Array | None) -> Array:
    """Return the classes given in the first call; raise ValueError if later calls give others."""
    if before is None and given is None:
        raise ValueError("The first call of partial_fit needs classes=, all there will ever be. Got None.")
    if before is None:
        return np.unique(given)
    if given is not None and not np.array_equal(np.unique(given), before):
        raise ValueError(f"classes must stay what they were, {shown(before)}. Got {shown(np.unique(given))}.")
    return before


def shown(classes: Array) -> str:
    """Return classes as an error message lists them."""
    return ", ".join(map(repr, classes.tolist()))


def encode(labels: Array, classes: Array) -> Array:
    """The index of each label among the classes."""
    if len(classes) == 2:
        second = labels == classes[1]
        truths, unseen = second.view(np.int8), np.flatnonzero(~second & (labels != classes[0]))
    else:
        truths = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        unseen = np.flatnonzero(classes[truths] != labels)
    if len(unseen):
        raise ValueError(
            f"Row {unseen[0]} has the label {labels[unseen].tolist()[0]!r}, which is not one of the classes "
            f"{shown(classes)}. Name every class in the first call of partial_fit, or call fit."
        )
    return np.asarray(truths)


def weights(truths: Ints, classes: Array, sample_weight: Any, class_weight: Any) -> Floats | None:
    """Return the weight of a correction on each row; None if all are 1."""
    if sample_weight is None and class_weight is None:
        return None
    result = np.ones(len(truths))
    if sample_weight is not None:
        result *= _one_per_row(sample_weight, len(truths))
    if class_weight is not None:
        result *= compute_sample_weight(class_weight, classes[truths])
    bad = np.flatnonzero(~((result >= 0) & (result <= MOST)))
    if len(bad):
        raise ValueError(
            f"Weights must be numbers from 0 to {MOST:g}. Got {result[bad[0]]:g} for row {bad[0]}: look at "
            "sample_weight and class_weight."
        )
    return result


def _one_per_row(sample_weight: Any, rows: int) -> Floats:
    """Return a weight per row from one for each of them, or one for all."""
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape not in ((), (rows,)):
        raise ValueError(
            f"sample_weight must be a number or have one per row, shape {(rows,)}. Got shape {weights.shape}."
        )
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number. Got none.")
    return np.broadcast_to(weights, (rows,))


def game(classes: int, multiclass: str, ties: str) -> Game:
    """Return the game for this many classes: "argmax" or "one-vs-rest" above two."""
    if classes == 2:
        return Binary(ties=ties)
    return Argmax(classes) if multiclass == "argmax" else OneVsRest(classes)


def truths_of_support(
    ids: Ints, coefficients: Floats, known: dict[int, int], truths: Ints, seen: int
) -> list[int]:
    """Return the class of every row in a budgeted support set.

    Rows with ids from `seen` on are new and have a truth; one made of two, whose id is below 0, counts for
    the class with its largest coefficient.
    """
    counts = np.hstack([-coefficients, coefficients]) if coefficients.shape[1] == 1 else coefficients
    return [
        int(np.argmax(line)) if row < 0 else known[row] if row in known else int(truths[row - seen])
        for row, line in zip(ids.tolist(), counts, strict=True)
    ]
