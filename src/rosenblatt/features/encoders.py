"""The base of encoders, which turn sequences into rows, with errors that name the token at fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Bools, Data, Ints
from rosenblatt.rows import Csr, canonical, rows_of, starts_of
from rosenblatt.rows.columns import Columns


@dataclass(frozen=True)
class Tokens:
    """Encoded sequences: the rows of all, concatenated, and the number of tokens of each.

    A sequence has a row per token; with transition features (`edges` labels), after them a row per
    pair of neighbours and label of the first of the two.
    """

    rows: Csr | Data
    lengths: Ints
    edges: int = 0

    @property
    def starts(self) -> Ints:
        """The index of the first row of each sequence, and the number of all rows."""
        if not self.edges:
            return starts_of(self.lengths)
        return starts_of(self.lengths + np.maximum(self.lengths - 1, 0) * self.edges)

    def renumbered(self, numbers: Ints, width: int) -> Tokens:
        """Return the tokens with new feature ids, without features whose id is UNKNOWN."""
        rows = self.rows
        assert isinstance(rows, Csr)
        features = numbers[rows.features].astype(np.int32)
        known = features >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[rows.starts]
        return replace(self, rows=Csr(starts, features[known], rows.values[known], width))

    def of_tokens(self) -> Ints | slice:
        """Return the indices of the rows that are tokens."""
        if not self.edges:
            return slice(None)
        begins = np.repeat(self.starts[:-1] - starts_of(self.lengths)[:-1], self.lengths)
        return begins + np.arange(int(self.lengths.sum()))


class Encoder(Protocol):
    """Turns sequences into rows. A new feature gets an id while learning, and is UNKNOWN otherwise."""

    @property
    def width(self) -> int:
        """The number of features."""

    def encode(
        self, sequences: Sequence[Any], learning: bool = False, *, tidy: bool = False, first: int = 0
    ) -> Tokens:
        """Return the rows of sequences, which errors count from `first`.

        Learning and comparing need `tidy` rows: only known features, sorted, without duplicates. Scoring
        does not.
        """

    def keep(self, chosen: Bools) -> Ints:
        """Keep only the chosen features; returns the new id of each feature, UNKNOWN for removed ones."""

    def names(self) -> list[str]:
        """Return the name of every feature."""


def lengths_of(sequences: Sequence[Any], first: int = 0) -> Ints:
    """Return the number of tokens of each sequence; errors count sequences from `first`."""
    if isinstance(sequences, Columns):
        return np.diff(sequences.starts)
    if set(map(type, sequences)) <= {list, tuple}:
        return np.fromiter(map(len, sequences), np.int64, len(sequences))
    for index, sequence in enumerate(sequences, first):
        if isinstance(sequence, str | bytes):
            raise ValueError(
                f"A sequence is a list of tokens. Got the string {shown(sequence)} as sequence {index}: "
                "split it into tokens."
            )
        if not hasattr(sequence, "__len__") and not sp.issparse(sequence):
            raise ValueError(
                f"A sequence is a list of tokens. Got {shown(sequence)} as sequence {index}. For one "
                "sequence, pass a list of one."
            )
    sizes = (s.shape[0] if hasattr(s, "shape") else len(s) for s in sequences)
    return np.fromiter(sizes, np.int64, len(sequences))


def location_of(token: int, lengths: Ints, first: int = 0) -> str:
    """Return the position of a token for an error; sequences are counted from `first`."""
    starts = starts_of(lengths)
    sequence = int(np.searchsorted(starts, token, side="right")) - 1
    return f"token {token - starts[sequence]} of sequence {first + sequence}"


def shown(value: Any, most: int = 40) -> str:
    """Return the repr of a value for an error, cut to `most` characters."""
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def tokens_of(lengths: Ints, features: Array, width: int, *, tidy: bool, repeats: bool) -> Tokens:
    """Return tokens with these features (tokens × templates).

    Without `tidy`, UNKNOWN stays among the features. `repeats` is whether a token may have one twice.
    """
    return Tokens(_csr(features, width, tidy, repeats), lengths)


def with_edges(tokens: Tokens, edges: Array, labels: int, *, tidy: bool, repeats: bool) -> Tokens:
    """Return the tokens with rows for pairs of labels added, from their features (tokens × templates)."""
    rows, lengths = tokens.rows, tokens.lengths
    assert isinstance(rows, Csr)
    first = np.zeros(len(edges), bool)
    first[starts_of(lengths)[:-1][lengths > 0]] = True
    inner = edges[~first][:, None]
    lines = np.where(inner < 0, inner, inner + np.arange(labels, dtype=inner.dtype)[:, None])
    pairs = _csr(lines.reshape(-1, edges.shape[1]), rows.width, tidy, repeats)
    both = Csr(
        np.concatenate([rows.starts, rows.starts[-1] + pairs.starts[1:]]),
        np.concatenate([rows.features, pairs.features]),
        np.concatenate([rows.values, pairs.values]),
        rows.width,
    )
    is_token = np.zeros(len(both.starts) - 1, bool)
    is_token[Tokens(both, lengths, labels).of_tokens()] = True
    order = np.empty(len(is_token), np.int64)
    order[is_token] = np.arange(len(edges))
    order[~is_token] = np.arange(len(edges), len(order))
    return Tokens(rows_of(both).take(order).csr, lengths, labels)


def _csr(features: Array, width: int, tidy: bool, repeats: bool) -> Csr:
    tokens, templates = features.shape
    if tidy:
        features = np.sort(features, axis=1)
    if not tidy or (not repeats and (features.size == 0 or features[:, 0].min() >= 0)):
        starts = np.arange(tokens + 1) * templates
        return Csr(starts, features.ravel(), np.ones(features.size, np.float32), width)
    known = features >= 0
    starts = starts_of(known.sum(axis=1))
    values = np.ones(starts[-1], np.float32)
    rows = sp.csr_array((values, features[known], starts), shape=(tokens, width))
    rows.sum_duplicates()
    return rows_of(rows).csr


def joined(parts: list[Tokens]) -> Tokens:
    """Concatenate tokens that were encoded in parts."""
    if len(parts) == 1:
        return parts[0]
    rows: Any
    if isinstance(parts[0].rows, Csr):
        ends = np.cumsum([0] + [int(part.rows.starts[-1]) for part in parts])
        rows = Csr(
            np.concatenate(
                [[0], *(part.rows.starts[1:] + end for part, end in zip(parts, ends, strict=False))]
            ),
            np.concatenate([part.rows.features for part in parts]),
            np.concatenate([part.rows.values for part in parts]),
            parts[-1].rows.width,
        )
    elif sp.issparse(parts[0].rows):
        rows = sp.csr_array(sp.vstack([part.rows for part in parts]))
    else:
        rows = np.concatenate([part.rows for part in parts])
    return Tokens(rows, np.concatenate([part.lengths for part in parts]), parts[0].edges)


class ArrayEncoder:
    """The encoder of sequences that are arrays: a row per token, dense or CSR."""

    def __init__(self, width: int | None = None) -> None:
        self._width = width

    @property
    def width(self) -> int:
        """The number of features."""
        return self._width or 0

    def encode(
        self, sequences: Sequence[Any], learning: bool = False, *, tidy: bool = False, first: int = 0
    ) -> Tokens:
        """Return the rows of all arrays, concatenated."""
        sequences = [_array(sequence, index) for index, sequence in enumerate(sequences, first)]
        for index, sequence in enumerate(sequences, first):
            self._check(sequence, index)
        lengths = np.array([sequence.shape[0] for sequence in sequences], np.int64)
        rows: Any
        if any(map(sp.issparse, sequences)):
            rows = sp.csr_array(sp.vstack(sequences, format="csr"), dtype=_float(sequences))
            values = rows.data
        else:
            rows = values = np.concatenate(sequences, dtype=_float(sequences))
        if not np.isfinite(values).all():
            bad = int(np.flatnonzero(~np.isfinite(_dense_sum(rows)))[0])
            raise ValueError(
                f"Features must be finite numbers. Got NaN or infinity in {location_of(bad, lengths, first)}."
            )
        return Tokens(rows, lengths)

    def _check(self, sequence: Any, index: int) -> None:
        if sequence.ndim != 2:
            raise ValueError(
                "A sequence of numbers is an array of tokens × features. Got one of shape "
                f"{sequence.shape} as sequence {index}. Reshape your data, as by array.reshape(-1, 1) for "
                "tokens of one feature."
            )
        if not sequence.shape[1]:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={sequence.shape}) while a minimum of 1 is required. "
                f"It is sequence {index}."
            )
        if self._width is None:
            self._width = int(sequence.shape[1])
        if sequence.shape[1] != self._width:
            raise ValueError(
                f"Every token must have as many features as the first. Sequence {index} of X has "
                f"{sequence.shape[1]} features, but it is expecting {self._width} features as input."
            )

    def keep(self, chosen: Bools) -> Ints:
        """Raise ValueError: the columns of arrays are fixed."""
        raise ValueError("The features of arrays are their columns. Leave columns out of the arrays.")

    def names(self) -> list[str]:
        """Return `x[0]`, `x[1]` and so on."""
        return [f"x[{feature}]" for feature in range(self.width)]


def _array(sequence: Any, index: int) -> Any:
    """Return a sequence as an array, or as canonical CSR with valid indices."""
    if not sp.issparse(sequence):
        return _dense(np.asarray(sequence), index)
    try:
        return canonical(sequence.tocsr())
    except ValueError as fault:
        raise ValueError(f"{fault} It is sequence {index}.") from None


def _dense(sequence: Array, index: int) -> Array:
    """Return an array, of numbers if it is one of objects; raises an error for complex numbers."""
    if sequence.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported. Got {sequence.dtype} in sequence {index}: pass real numbers."
        )
    if sequence.dtype != object:
        return sequence
    try:
        return sequence.astype(np.float64)
    except (TypeError, ValueError) as fault:
        raise type(fault)(f"Features must be numbers: {fault}. Look at sequence {index}.") from None


def _float(sequences: Sequence[Any]) -> Any:
    """Return float32 if all sequences are float32, else float64."""
    return np.float32 if all(sequence.dtype == np.float32 for sequence in sequences) else np.float64


def _dense_sum(rows: Any) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(rows.sum(axis=1)).ravel()
