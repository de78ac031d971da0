"""What `fit` finds out about a file before the first round: weights of classes, scales, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import typer

from rosenblatt._types import Array, Data, Floats
from rosenblatt.cli.fitting import names_in
from rosenblatt.cli.options import SEQUENCE, weights_by_name
from rosenblatt.cli.work import Options, Work
from rosenblatt.data.blocks import APART, Block
from rosenblatt.data.encoding import kind_of_labels, label_strings
from rosenblatt.data.scales import fitted
from rosenblatt.data.sources import name_of
from rosenblatt.estimators.inputs import ENOUGH, far_apart

MANY = 30
"""More different labels than this may be numbers to be predicted."""


def prepare(work: Work, blocks: Iterable[Any], options: Options) -> None:
    """Read the file once before learning: find the scaling of its columns, and the weights of its classes."""
    if options.scale != "none":
        work.scaling = fitted(options.scale, blocks, work.schema)
        work.source.scale(work.scaling)
    if options.class_weight is not None:
        counts = _counts(blocks, sequences=work.game == SEQUENCE)
        known = [] if options.classes is None else classes_of(options.classes).tolist()
        if options.continued is not None:
            known = work.estimator.classes_.tolist()
        labels = [*counts, *(label for label in known if label not in counts)]
        work.estimator.set_params(class_weight=_weights(options.class_weight, counts, labels))


def _counts(blocks: Iterable[Any], *, sequences: bool) -> Counter[Any]:
    """Return how often every label occurs."""
    counts = Counter[Any]()
    for block in blocks:
        if sequences:
            from rosenblatt.tasks.tagging.reading import labels_in

            counts.update(labels_in(block.y))
        else:
            labels, times = np.unique(block.y, return_counts=True)
            counts.update(dict(zip(labels.tolist(), times.tolist(), strict=True)))
    return counts


def _weights(asked: str, counts: Counter[Any], labels: list[Any]) -> dict[Any, float]:
    """Return the weight of every label: by `--class-weight`, and 1 for those that it does not name."""
    if asked == "balanced":
        share = counts.total() / max(len(counts), 1)
        return {label: share / counts[label] if counts[label] else 1.0 for label in labels}
    numbers = all(isinstance(label, int | float) for label in labels)
    named = {_label(name, numbers): weight for name, weight in weights_by_name(asked).items()}
    unknown = [label for label in named if label not in labels]
    if unknown:
        shown = ", ".join(map(str, labels[:10])) + (", …" if len(labels) > 10 else "")
        raise typer.BadParameter(f"--class-weight must name labels of the file, {shown}. Got {unknown[0]}.")
    return {label: named.get(label, 1.0) for label in labels}


def _label(name: str, number: bool) -> Any:
    """Return the label that a name stands for: +1 is 1 among numbers."""
    try:
        return float(name) if number else name
    except ValueError:
        return name


def classes_of(text: str) -> Array:
    """Return the classes that `--classes` names."""
    names = names_in(text)
    kind = kind_of_labels(names)
    if kind in ("bool", "str"):
        return label_strings(names, kind)
    try:
        return np.array([int(name) for name in names])
    except ValueError:
        return np.array(list(map(float, names))).astype(np.int64 if kind == "int" else np.float64)


def kind_of_classes(text: str) -> str | None:
    """Return the kind of labels with the classes of `--classes`; None to decide by the first rows."""
    kind = kind_of_labels(names_in(text))
    return kind if kind in ("bool", "str") else None


def check_classes(work: Work, y: Floats, options: Options) -> None:
    """Raise ValueError for labels that are fractions and too many to be classes."""
    known = getattr(work.estimator, "classes_", ()) if options.continued is not None else ()
    labels = np.setdiff1d(y, known)
    if options.classes is not None or (labels == np.rint(labels)).all():
        return
    if len(labels) > min(MANY, max(2, len(y) / 10)):
        target = "" if work.schema is None else "say which column has classes (--target), "
        raise ValueError(
            f"The labels of {name_of(work.train)} look like numbers to be predicted, and rosenblatt learns "
            f"classes. Got {len(labels)} different ones in the first {len(y):,} rows, from {labels[0]:g} to "
            f"{labels[-1]:g}: sort them into a few classes, {target}or name all classes (--classes)."
        )


def many_numbers(work: Work, y: Floats, options: Options) -> Iterator[str]:
    """Yield a remark if most labels are integers that occur once."""
    distinct = len(np.unique(y)) if options.classes is None else 0
    if distinct > max(MANY, len(y) / 2):
        yield (
            f"the labels of {name_of(work.train)} are {distinct:,} different numbers in the first {len(y):,} "
            "rows, and each is learned as a class. If they are amounts, sort them into a few classes"
        )


def check_zero_rows(work: Work, block: Block, before: int) -> None:
    """Raise ValueError for rows of zeros; `before` is how many rows there are before the block."""
    zero = np.flatnonzero((block.X != 0).sum(axis=1) == 0)
    if len(zero):
        raise ValueError(
            "Without an intercept every guess scores rows of zeros 0, and cannot learn them. Got row "
            f"{before + int(zero[0]) + 1} of {name_of(work.train)}: leave out such rows, or --no-intercept."
        )


def uneven_columns(work: Work, X: Data) -> Iterator[str]:
    """Yield a remark if the scales of columns are so far apart that the small ones hardly count."""
    found, names = far_apart(X) if X.shape[0] >= ENOUGH else [], work.schema.names
    if found:
        named = [(repr(names[i]) if names else f"feature {i + 1}", scale) for i, scale in found]
        shown = ", ".join(f"{name} up to {scale:,.6g}" for name, scale in named)
        yield (
            f"the scales of columns differ by a factor above {APART:,.0f}: {shown}. Try --scale "
            "standard (--scale none is silent)"
        )


def query_refusal(name: str, column: str | None) -> str:
    """Return an error about rows with queries that would be classified."""
    if column is None:
        return (
            f"The rows of {name} have queries (qid:). Say --game ranking to rank the rows of each, "
            "or --game classification to classify them without."
        )
    return (
        f"{name} has a column {column!r}. Say --query {column} to rank the rows of each query, "
        f"--ignore {column} to classify without it, or --game classification to use it as a feature."
    )


def query_remark(column: str | None) -> str:
    """Return a remark on queries that do not rank."""
    if column is None:
        return "queries (qid:) are left out"
    return f"the column {column!r} is used as a feature: --ignore {column} leaves it out"
