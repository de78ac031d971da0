"""Named features: tokens that are dicts, or lists of names, as other tools take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, repeat
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import murmurhash3_32

from rosenblatt._types import Array, Bools, Ints
from rosenblatt.columns import flat, starts_of
from rosenblatt.features.encoders import Tokens, lengths_of, place_of, shown
from rosenblatt.features.texts import REMEMBERED
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.rows import Csr, Rows, canonical

CHUNK = 1000
"""Tokens that are looked up at once while learning: what one brings up is known to the next."""

NOT_YET = -2
"""Not looked at closely yet: new, or a number as a value."""


class NameEncoder:
    """Tokens that are dicts of named features, or collections of names.

    A text under a name is a feature of its own, `{"word": "Paris"}`; True is the name itself; a number is
    the value of the feature with that name.

    Parameters
    ----------
    hashing
        None to number features as they come; or how many there are, each name falling on one of them.
    function
        What makes the features of a token, `function(sequence, i)`; by default tokens are their features.
    """

    def __init__(self, hashing: int | None = None, function: Callable[[Any, int], Any] | None = None) -> None:
        self.hashing = hashing
        self._function = function
        self._number: dict[Any, int] = {}

    @property
    def width(self) -> int:
        """How many features there are."""
        return len(self._number) if self.hashing is None else self.hashing

    def encode(
        self, sequences: Sequence[Any], learning: bool = False, *, tidy: bool = False, first: int = 0
    ) -> Tokens:
        """The rows of these sequences."""
        lengths = lengths_of(sequences, first)
        tokens = flat(sequences) if self._function is None else self._made(sequences)
        sizes, items = _items(tokens, lengths, first)
        features, values = np.empty(len(items), np.int32), np.ones(len(items))
        step = CHUNK if learning else max(len(items), 1)
        try:
            for begin in range(0, len(items), step):
                part = slice(begin, begin + step)
                self._look_up(items[part], features[part], values[part], learning)
        except Unreadable as fault:
            token = int(np.searchsorted(starts_of(sizes), begin + fault.item, side="right")) - 1
            raise ValueError(f"{fault} in {place_of(token, lengths, first)}.") from None
        starts = starts_of(sizes)
        if not (learning or tidy):
            return Tokens(Csr(starts, features, values, self.width), lengths)
        known = features >= 0
        starts, features, values = (
            np.concatenate([[0], np.cumsum(known)])[starts],
            features[known],
            values[known],
        )
        rows = sp.csr_array((values, features, starts), shape=(len(tokens), self.width))
        return Tokens(Rows(canonical(rows)).csr, lengths)

    def keep(self, chosen: Bools) -> Ints:
        """Keep these features only; returns the new number of each, UNKNOWN for those that are gone."""
        if self.hashing is not None:
            raise ValueError(f"Hashed features are always {self.hashing}. Got a wish to leave some out.")
        numbers = np.where(chosen, np.cumsum(chosen) - 1, UNKNOWN).astype(np.int64)
        self._number = {key: int(numbers[i]) for key, i in self._number.items() if chosen[i]}
        return numbers

    def names(self) -> list[str]:
        """What every feature is called: `word=Paris`, or the name itself."""
        if self.hashing is not None:
            return [f"bucket {feature}" for feature in range(self.hashing)]
        return [_text(key) for key in self._number]

    def _made(self, sequences: Sequence[Any]) -> list[Any]:
        assert self._function is not None
        return [self._function(sequence, i) for sequence in sequences for i in range(len(sequence))]

    def _look_up(self, items: list[Any], features: Array, values: Array, learning: bool) -> None:
        """Write the numbers of these items, UNKNOWN for what was never seen unless learning, and values."""
        try:
            features[:] = np.fromiter(map(self._number.get, items, repeat(NOT_YET)), np.int32, len(items))
        except TypeError:  # a value that cannot be looked up cannot be a feature
            features[:] = NOT_YET
        for i in np.flatnonzero(features == NOT_YET).tolist():
            key, values[i] = _read(items[i], i)
            features[i] = self._find(key, learning)

    def _find(self, key: Any, learning: bool) -> int:
        number = self._number.get(key)
        if number is not None:
            return number
        if self.hashing is not None:
            number = murmurhash3_32(_text(key), positive=True) % self.hashing
            if learning and len(self._number) < REMEMBERED:
                self._number[key] = number
            return int(number)
        return self._number.setdefault(key, len(self._number)) if learning else UNKNOWN


class Unreadable(Exception):  # noqa: N818
    """What an item is that is no feature, and its number among those looked up."""

    def __init__(self, message: str, item: int) -> None:
        super().__init__(message)
        self.item = item


def _items(tokens: list[Any], lengths: Ints, first: int) -> tuple[Ints, list[Any]]:
    """How many features each token has, and all of them: pairs of name and value, or names."""
    for number, token in enumerate(tokens):
        if not isinstance(token, Mapping | list | tuple | set | frozenset):
            raise ValueError(
                "The features of a token are a dict, or a list of names. "
                f"Got {shown(token)} as {place_of(number, lengths, first)}."
            )
    sizes = np.fromiter(map(len, tokens), np.int64, len(tokens))
    return sizes, list(chain.from_iterable(t.items() if isinstance(t, Mapping) else t for t in tokens))


def _read(item: Any, number: int) -> tuple[Any, float]:
    """The key and the value of one feature."""
    if isinstance(item, str):
        return (item, 1), 1.0
    if not isinstance(item, tuple):
        raise Unreadable(f"The name of a feature must be a text. Got {shown(item)}", number)
    name, value = item
    if isinstance(value, str):
        return (name, value), 1.0
    if isinstance(value, Real | np.bool_) and np.isfinite(float(value)):
        return (name, 1), float(value)
    raise Unreadable(
        "The value of a feature must be a text, True, False or a finite number. "
        f"Got {shown(value)} for {name!r}",
        number,
    )


def _text(key: tuple[Any, Any]) -> str:
    name, value = key
    return f"{name}={value}" if isinstance(value, str) else str(name)
