"""The encoder of tokens that are dicts of named features, or lists of names, as in other taggers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Bools, Ints
from rosenblatt.features.dicts import COLLECTIONS, Unreadable
from rosenblatt.features.encoders import Tokens, lengths_of, location_of, shown
from rosenblatt.features.vectoriser import Vectoriser, example_of
from rosenblatt.rows import EXACT_IN_SINGLE, Csr, canonical, rows_of, starts_of
from rosenblatt.rows.columns import flat


def in_single(rows: Csr) -> Csr:
    """Return rows whose values are integers, as the 1s of lists are, in single precision.

    It is half the memory, and the loops are those for words: another type of values would be compiled again.
    """
    values = rows.values
    if (values == np.rint(values)).all() and np.abs(values).max(initial=0) <= EXACT_IN_SINGLE:
        return rows._replace(values=values.astype(np.float32))
    return rows


class NameEncoder:
    """The encoder of tokens with named features; `Vectoriser` defines what they mean.

    Parameters
    ----------
    hashing
        None to give ids in order of appearance; or the number of buckets that names are hashed into.
    function
        Returns the features of a token, `function(sequence, i)`; by default tokens are their features.

    Attributes
    ----------
    vectoriser
        The ids of the features.
    """

    def __init__(self, hashing: int | None = None, function: Callable[[Any, int], Any] | None = None) -> None:
        self.vectoriser = Vectoriser(hashing)
        self._function = function

    @property
    def hashing(self) -> int | None:
        """The number of buckets that names are hashed into; None if they get ids."""
        return self.vectoriser.hashing

    @property
    def width(self) -> int:
        """The number of features."""
        return self.vectoriser.width

    def encode(
        self, sequences: Sequence[Any], learning: bool = False, *, tidy: bool = False, first: int = 0
    ) -> Tokens:
        """Return the rows of sequences."""
        lengths = lengths_of(sequences, first)
        tokens = flat(sequences) if self._function is None else self._made(sequences)
        _check_tokens(tokens, lengths, first)
        try:
            rows = in_single(self.vectoriser.rows(tokens, learning))
        except Unreadable as fault:
            starts = starts_of(np.fromiter(map(len, tokens), np.int64, len(tokens)))
            token = int(example_of(starts, fault.position))
            raise ValueError(f"{fault} in {location_of(token, lengths, first)}.") from None
        if not (learning or tidy):
            return Tokens(rows, lengths)
        known = rows.features >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[rows.starts]
        matrix = sp.csr_array(
            (rows.values[known], rows.features[known], starts), shape=(len(tokens), self.width)
        )
        return Tokens(rows_of(canonical(matrix)).csr, lengths)

    def keep(self, chosen: Bools) -> Ints:
        """Keep only the chosen features; returns the new id of each feature, UNKNOWN for removed ones."""
        return self.vectoriser.keep(chosen)

    def names(self) -> list[str]:
        """Return the name of every feature: `word=Paris`, or the name itself."""
        return self.vectoriser.names()

    def _made(self, sequences: Sequence[Any]) -> list[Any]:
        assert self._function is not None
        return [self._function(sequence, i) for sequence in sequences for i in range(len(sequence))]


def _check_tokens(tokens: list[Any], lengths: Ints, first: int) -> None:
    if set(map(type, tokens)) <= COLLECTIONS | {dict}:
        return
    for index, token in enumerate(tokens):
        if not isinstance(token, Mapping | list | tuple | set | frozenset):
            raise ValueError(
                "The features of a token are a dict, or a list of names. "
                f"Got {shown(token)} as {location_of(index, lengths, first)}."
            )
