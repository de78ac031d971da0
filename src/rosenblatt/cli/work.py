"""What `fit` is asked to do, and what it works on: values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosenblatt.data.schema import Schema


@dataclass
class Options:
    """The options of the command."""

    continued: str | None = None
    game: str | None = None
    kernel: str | None = None
    rule: str | None = None
    max_iter: int = 10
    predictor: str = "average"
    seed: int = 0
    shuffle: bool = True
    intercept: bool | None = None
    scale: str = "none"
    multiclass: str = "argmax"
    class_weight: str | None = None
    strategy: str = "pairs"
    template: str | None = None
    scheme: str | None = None
    format: str | None = None
    label: str | None = None
    target: str | None = None
    query: str | None = None
    id: str | None = None
    ignore: str | None = None
    text: str | None = None
    hash_bits: int | None = None
    classes: str | None = None
    skip_bad: int = 0
    keep: bool | None = None
    budget: int | None = None
    policy: str = "projection"


@dataclass
class Work:
    """A file to learn from, and what learns from it.

    Parameters
    ----------
    train, kind
        The file, and its format.
    game, estimator
        The game, and the estimator that learns it.
    schema, source
        The columns of the file, and its blocks.
    layout
        The columns of a CoNLL file, for the notes of the model.
    scaling
        What scales the rows; None for nothing.
    queries
        What checks rows for queries; None for nothing.
    """

    train: str
    kind: str
    game: str
    estimator: Any
    schema: Schema
    source: Any
    layout: dict[str, Any]
    scaling: Any = None
    queries: Any = None
