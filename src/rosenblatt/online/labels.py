"""The labels of single examples: which can be learned, and the weight of an example."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.features.encoders import shown
from rosenblatt.rows.frames import first_missing
from rosenblatt.tasks.classification import checked_labels
from rosenblatt.tasks.task import MOST


def checked_label(y: Any, known: Array) -> Array:
    """Return a new label as an array of one; raise ValueError if it is none, or not of the kind of others."""
    if isinstance(y, Iterable) and not isinstance(y, str | np.generic):
        raise ValueError(
            f"An example has one label: a string, an integer or a boolean. Got {shown(y)}: sets of labels "
            "are for PerceptronClassifier."
        )
    one = np.array([y])
    if first_missing(one.astype(object)) is not None:
        raise ValueError(f"The label of an example must be a string, an integer or a boolean. Got {y!r}.")
    labels = checked_labels(one, 1)
    if len(known) and (labels.dtype.kind == "b") != (known.dtype.kind == "b"):
        raise ValueError(
            "Labels must be of one kind: strings, numbers or booleans. Got "
            f"{y!r} after {known.tolist()[0]!r}."
        )
    return labels


def checked_weight(weight: Any) -> float:
    """Return the weight of an example; raise ValueError if it cannot be one."""
    if not isinstance(weight, Real) or not 0 <= float(weight) <= MOST:
        raise ValueError(f"The weight of an example must be a number from 0 to {MOST:g}. Got {weight!r}.")
    return float(weight)
