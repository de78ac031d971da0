"""From a user's sequences and labels to encoded rows and truths, a few sequences at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise, zip_longest
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.features.encoders import lengths_of, location_of, shown
from rosenblatt.rows import canonical, count, starts_of
from rosenblatt.rows import parts as slices
from rosenblatt.rows.columns import Columns, flat
from rosenblatt.tasks.weights import weights_of_classes

AT_ONCE = 2048
"""Sequences that are read before they are encoded, so that a generator's are not all held in memory."""


def as_sequences(X: Any, lengths: Any = None) -> Any:
    """Return the sequences that a user passes: themselves, or pieces of one array of these lengths."""
    if lengths is None:
        if (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype != object) or sp.issparse(X):
            raise ValueError(
                "One array of all tokens needs the lengths of the sequences: pass lengths=[…], or a list of "
                f"arrays. Got an array of shape {X.shape}."
            )
        if isinstance(X, str | bytes | Mapping):
            raise ValueError(f"X is a list of sequences. Got {shown(X)}.")
        return X
    sizes = np.asarray(lengths)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any() or sizes.sum() != count(X):
        raise ValueError(
            "lengths must be integers of at least 0 that add up to the "
            f"{count(X)} rows. Got {shown(lengths)}, "
            f"which adds up to {np.sum(sizes) if sizes.dtype.kind in 'iuf' else '…'}."
        )
    rows = canonical(sp.csr_array(X)) if sp.issparse(X) else np.asarray(X)
    return [rows[first:last] for first, last in pairwise(starts_of(sizes))]


def as_labels(y: Any, lengths: Any = None) -> Any:
    """The labels of every sequence, from themselves or from one array of all."""
    if isinstance(y, list | tuple) and y and hasattr(y[0], "to_pylist"):
        y = list(map(_plain, y))
    if lengths is None or y is None:
        return y
    return as_sequences(np.asarray(y), lengths)


def pieces(X: Any, y: Any) -> Iterator[tuple[int, Sequence[Any], Sequence[Any]]]:
    """Yield some sequences and their labels at a time, and how many came before.

    Without y, X is made of pairs of the two.
    """
    first = 0
    for sequences, labels in _cut(X, y):
        check_pairs(sequences, labels, first)
        yield first, sequences, labels
        first += len(sequences)


def _cut(X: Any, y: Any) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    if y is not None and hasattr(X, "__len__") and hasattr(y, "__len__"):
        if len(X) != len(y):
            raise ValueError(f"Every sequence needs labels. Got {len(X)} sequences and {len(y)} of labels.")
        for part in slices(len(X), AT_ONCE):
            yield X[part], y[part]
        return
    for name, given in (("X", X), ("y", y)):
        if given is not None and not isinstance(given, Iterable):
            raise ValueError(f"{name} is a list with an entry for every sequence. Got {shown(given)}.")
    pairs = iter(X) if y is None else _together(X, y)
    while some := list(islice(pairs, AT_ONCE)):
        for pair in some:
            if not (isinstance(pair, tuple | list) and len(pair) == 2):
                raise ValueError(
                    "fit requires y to be passed, but the target y is None, unless X is made of pairs "
                    f"(tokens, labels). Got {shown(pair)}."
                )
        yield [pair[0] for pair in some], [pair[1] for pair in some]


def _together(X: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    """Sequences and their labels, as many of each."""
    missing = object()
    for number, pair in enumerate(zip_longest(X, y, fillvalue=missing)):
        if pair[0] is missing or pair[1] is missing:
            what = "labels and no sequence" if pair[0] is missing else "a sequence and no labels"
            raise ValueError(f"Every sequence needs labels. Got {what} as number {number}.")
        yield pair


def check_pairs(sequences: Sequence[Any], labels: Sequence[Any], first: int = 0) -> None:
    """Raise ValueError if a token has no label; errors count sequences from `first`."""
    if isinstance(sequences, Columns) and isinstance(labels, Columns):
        if not np.array_equal(sequences.starts, labels.starts):
            raise ValueError("Every token needs a label. Got sequences and labels of other lengths.")
        return
    sizes = lengths_of(sequences, first).tolist()
    for number, (size, some) in enumerate(zip(sizes, labels, strict=True), first):
        if isinstance(some, str | bytes) or not hasattr(some, "__len__"):
            raise ValueError(f"The labels of a sequence are a list. Got {shown(some)} for sequence {number}.")
        if size != len(some):
            raise ValueError(
                f"Every token needs a label. Got {size} tokens and {len(some)} labels in sequence {number}."
            )


def labels_in(y: Sequence[Any]) -> list[Any]:
    """The labels of all tokens."""
    return flat(y) if isinstance(y, Columns) else list(chain.from_iterable(map(_plain, y)))


def add_labels(y: Sequence[Any], lengths: Ints, number: dict[Any, int], first: int = 0) -> None:
    """Give ids to labels that have none yet; errors count sequences from `first`."""
    every = labels_in(y)
    try:
        found = dict.fromkeys(every)
    except TypeError:
        token = next(i for i, label in enumerate(every) if not isinstance(label, Hashable))
        raise ValueError(
            f"A label must be a string, a number or the like. Got {shown(every[token])} at "
            f"{location_of(token, lengths, first)}."
        ) from None
    new = [label for label in found if label not in number]
    for token, label in enumerate(every if any(map(is_none, new)) else ()):
        if is_none(label):
            raise ValueError(
                f"Every token must have a label. Got {label!r} at {location_of(token, lengths, first)}: "
                "leave out what has none."
            )
    for label in new:
        number[label] = len(number)


def with_labels(X: Any, y: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return all sequences, their labels, and the different labels in order."""
    known: dict[Any, int] = {}
    parts = list(pieces(X, y))
    for first, sequences, some in parts:
        add_labels(some, lengths_of(sequences), known, first)
    every = [sequence for _, sequences, _ in parts for sequence in sequences]
    return every, [labels for _, _, some in parts for labels in some], in_order(list(known))


def new_labels(X: Any, y: Any, classes: Any, known: dict[Any, int]) -> tuple[Any, Any, list[Any]]:
    """Return sequences and labels, listed if they can be read only once, and the new labels in order."""
    if y is None or not (hasattr(X, "__len__") and hasattr(y, "__len__")):
        X, y, _ = with_labels(X, y)
    given = () if classes is None else checked_labels(classes)
    number = known | dict.fromkeys(given, 0)
    for first, sequences, some in pieces(X, y):
        add_labels(some, lengths_of(sequences), number, first)
    return X, y, in_order([label for label in number if label not in known])


def in_order(labels: list[Any]) -> list[Any]:
    """Return the labels sorted, or as they come if they cannot be."""
    found = list(dict.fromkeys(labels))
    try:
        return sorted(found)
    except TypeError:
        return found


def as_array(labels: list[Any]) -> Array:
    """Return labels as an array, of objects unless all are strings or all numbers."""
    if all(isinstance(label, str) for label in labels) or all(isinstance(label, Real) for label in labels):
        return np.array(labels)
    result = np.empty(len(labels), object)
    for i, label in enumerate(labels):
        result[i] = label
    return result


def label_ids(labels: Sequence[Any], lengths: Ints, number: Mapping[Any, int], first: int = 0) -> Ints:
    """Return the id of every token's label; errors count sequences from `first`."""
    every = labels_in(labels)
    try:
        return np.fromiter(map(number.__getitem__, every), np.int64, len(every))
    except (KeyError, TypeError):
        token = next(i for i, label in enumerate(every) if not _known(label, number))
    raise ValueError(
        f"Got the label {shown(every[token])} at {location_of(token, lengths, first)}. The labels are "
        f"{shown(list(number), 200)}; one that comes later must be among the classes of the first call."
    )


def is_none(label: Any) -> bool:
    """Whether a label is missing: None, NaN, or the NA of pandas, which cannot be compared."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def checked_labels(labels: Iterable[Any]) -> list[Any]:
    """Return the labels that a caller lists, each once."""
    found = list(dict.fromkeys(labels))
    if any(map(is_none, found)):
        raise ValueError(f"A label is a string, a number or the like. Got {shown(found, 200)}.")
    return found


def _plain(labels: Any) -> Any:
    if hasattr(labels, "to_pylist"):  # Arrow's, whose elements are no Python values
        return labels.to_pylist()
    return labels.tolist() if isinstance(labels, np.ndarray) else labels


def _known(label: Any, number: Mapping[Any, int]) -> bool:
    try:
        return label in number
    except TypeError:
        return False


def check_allowed(truths: Ints, lengths: Ints, structure: Floats, labels: list[Any], why: str) -> None:
    """Raise ValueError if the game forbids a label where it is."""
    L, starts = len(labels), starts_of(lengths)
    full = lengths > 0
    first, last = truths[starts[:-1][full]], truths[starts[1:][full] - 1]
    inner = np.ones(max(len(truths) - 1, 0), bool)
    inner[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(truths))] - 1] = False
    bad = np.flatnonzero(inner & (structure[truths[:-1] * L + truths[1:]] == -np.inf)) + 1
    bad_first = starts[:-1][full][structure[L * L + first] == -np.inf]
    bad_last = starts[1:][full][structure[L * (L + 1) + last] == -np.inf] - 1
    for indices, which in ((bad_first, "first"), (bad, "next"), (bad_last, "last")):
        if len(indices):
            token = int(indices[0])
            after = f" after {labels[truths[token - 1]]!r}" if which == "next" else f" as the {which} label"
            raise ValueError(
                f"Got {labels[truths[token]]!r}{after} at {location_of(token, lengths)}, which {why} does "
                "not allow. Name the scheme that the labels are in, convert them "
                "(rosenblatt.schemes.convert), or learn without one."
            )


def checked_weights(sample_weight: Any, sequences: int) -> Floats:
    """Return a weight per sequence as an array; raise ValueError if they cannot be used."""
    own = np.asarray(sample_weight, float)
    if own.shape != (sequences,) or not (np.isfinite(own).all() and (own >= 0).all()):
        raise ValueError(
            f"sample_weight must be a finite number of at least 0 for each of the {sequences} sequences. "
            f"Got {shown(sample_weight)}."
        )
    return own


def weights_of(
    truths: Ints,
    lengths: Ints,
    labels: Sequence[Any],
    class_weight: Any,
    sample_weight: Any,
    *,
    complete: bool,
) -> Floats | None:
    """Return the weight of each sequence: the mean weight of its labels, times its own."""
    weights = None
    if class_weight is not None:
        each = weights_of_classes(truths, labels, class_weight, complete=complete)
        totals = np.add.reduceat(
            np.append(each[truths], 0.0), np.minimum(starts_of(lengths)[:-1], len(truths))
        )
        weights = np.where(lengths > 0, totals / np.maximum(lengths, 1), 1.0)
    if sample_weight is not None:
        own = checked_weights(sample_weight, len(lengths))
        weights = own if weights is None else weights * own
    return weights
