"""Weights of corrections, from those of rows and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_array

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.tasks.task import MOST, check_weights


def weights_of_rows(
    truths: Ints, classes: Array, sample_weight: Any, class_weight: Any, *, complete: bool = True
) -> Floats:
    """Return the weight of a correction on each row: that of the row times that of its class."""
    result = np.ones(len(truths))
    if sample_weight is not None:
        result *= _one_per_row(sample_weight, len(truths))
    if class_weight is not None:
        result *= weights_of_classes(truths, classes, class_weight, complete=complete)[truths]
    check_weights(result)
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


def weights_of_classes(
    truths: Ints, classes: Sequence[Any] | Array, class_weight: Any, *, complete: bool = True
) -> Floats:
    """Return the weight of each class.

    "balanced" is n / (classes · n of the class), n the number of truths. A dict may leave out classes, which
    get 1, or name some that do not occur, as in a part of the rows; one that does both has a wrong name,
    unless the classes are not complete.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(truths, minlength=len(classes))
        return np.asarray(len(truths) / (np.count_nonzero(counts) * np.maximum(counts, 1.0)))
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict of classes. Got {class_weight!r:.100}."
        )
    names = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    unknown = [name for name in class_weight if name not in names]
    left_out = [name for name in names if name not in class_weight]
    if complete and unknown and left_out:
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which does not occur, and leaves out {left_out[0]!r}. The "
            f"classes are {', '.join(map(repr, names)):.200}: correct the name."
        )
    found = np.array([float(class_weight.get(name, 1.0)) for name in names])
    wrong = np.flatnonzero(~((found >= 0) & (found <= MOST)))
    if len(wrong):
        raise ValueError(
            f"Weights must be numbers from 0 to {MOST:g}. Got {found[wrong[0]]:g} for {names[wrong[0]]!r} in "
            "class_weight."
        )
    return found
