"""A linear tagger as JSON values: the weights of named features, and the transitions."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats
from rosenblatt.features import ArrayEncoder, Template, TemplateEncoder
from rosenblatt.features.words import kind_of
from rosenblatt.persistence.exported import plain_classes
from rosenblatt.tasks.tagging import TaggingTask, inside, reading

Weights = dict[str, list[list[Any]]]


def tagger_values(task: TaggingTask, predictor: str) -> dict[str, Any]:
    """Return one guess of a tagger as JSON values; see `rosenblatt.persistence.json`."""
    _check(task)
    weights = task.run.single_guess(predictor).weights
    constant = task.run.support.constant
    pairs = inside.transitions(task, predictor)
    return {
        "labels": plain_classes(reading.as_array(task.labels)),
        **_reads(task),
        "intercepts": (constant * weights[-1].astype(np.float64)).tolist(),
        "transitions": _or_none(pairs[:-1, :-1]),
        "first": _or_none(pairs[-1:, :-1])[0],
        "last": _or_none(pairs[:-1, -1:].T)[0],
        "weights": _named(task.names, weights[: task.encoder.width].astype(np.float64)),
    }


def _check(task: TaggingTask) -> None:
    if task.is_dual:
        raise ValueError(
            "A tagger in JSON is the weights of its features. Got one with a kernel, which has support "
            "vectors instead: learn without, or use the model file."
        )
    hashing = getattr(task.encoder, "hashing", None)
    if hashing is not None:
        raise ValueError(
            f"A tagger in JSON knows its features by name. Got hashing={hashing}, which forgets names: learn "
            "without, or use the model file."
        )


def _reads(task: TaggingTask) -> dict[str, Any]:
    """Return how the features of a token are read."""
    encoder = task.encoder
    if isinstance(encoder, TemplateEncoder):
        return {"reads": "templates", "templates": _templates(encoder.templates)}
    return {"reads": "arrays" if isinstance(encoder, ArrayEncoder) else "names"}


def _templates(templates: tuple[Template, ...]) -> list[dict[str, Any]]:
    """Return templates; those that share their features use the names of the first of them."""
    first: dict[Any, Template] = {}
    return [_template(each, first.setdefault(kind_of(each), each)) for each in templates]


def _template(template: Template, first: Template) -> dict[str, Any]:
    called = [f"{view!r}[{offset}]" for offset, view in first.parts]
    parts = [
        {"called": name, "offset": offset, "column": view.column, "steps": view.steps}
        for name, (offset, view) in zip(called, template.parts, strict=True)
    ]
    return {"pairs": template.transition, "parts": parts}


def _named(names: list[str], weights: Floats) -> Weights:
    """Return the weights that are not 0, by feature and label."""
    found: Weights = {}
    features, labels = np.nonzero(weights)
    amounts = weights[features, labels].tolist()
    for feature, label, amount in zip(features.tolist(), labels.tolist(), amounts, strict=True):
        found.setdefault(names[feature], []).append([label, amount])
    twice = next((name for name, many in Counter(names).items() if many > 1 and name in found), None)
    if twice is not None:
        raise ValueError(
            f"Features in JSON are known by their names. Got two that are both called {twice!r}: learn with "
            "other names, or use the model file."
        )
    return found


def _or_none(pairs: Array) -> list[list[float | None]]:
    """Return the rows of a matrix, with None for −∞."""
    return [[None if value == -np.inf else value for value in row] for row in pairs.tolist()]
