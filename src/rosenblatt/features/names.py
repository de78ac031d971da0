"""Named features: tokens that are dicts, or lists of names, as other tools take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from rosenblatt.rows import Csr, Rows, canonical, parts

TEXTS = frozenset({str, np.str_})
NUMBERS = frozenset({bool, int, float, np.bool_, np.float64, np.float32, np.int64, np.int32})

ALIKE = 4
"""How many tokens must have the same names, on average, for names to be looked up one after the other."""


AT_ONCE = 512
"""Tokens that are encoded at once: few enough for their texts to stay in the processor's cache."""


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
        self._width = 0
        self._remembered = 0
        self._flags: dict[Any, int] = {}
        self._texts: dict[Any, dict[str, int]] = {}

    @property
    def width(self) -> int:
        """How many features there are."""
        return self._width if self.hashing is None else self.hashing

    @property
    def known(self) -> tuple[dict[Any, int], dict[Any, dict[str, int]]]:
        """The numbers of names, and of texts under every name; with `hashing` none need be remembered."""
        return (self._flags, self._texts) if self.hashing is None else ({}, {})

    @known.setter
    def known(self, known: tuple[dict[Any, int], dict[Any, dict[str, int]]]) -> None:
        self._flags, self._texts = known
        self._width = len(self._flags) + sum(map(len, self._texts.values()))

    def encode(
        self, sequences: Sequence[Any], learning: bool = False, *, tidy: bool = False, first: int = 0
    ) -> Tokens:
        """The rows of these sequences."""
        lengths = lengths_of(sequences, first)
        tokens = flat(sequences) if self._function is None else self._made(sequences)
        _check_tokens(tokens, lengths, first)
        starts = starts_of(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        features, values = np.empty(starts[-1], np.int32), np.ones(starts[-1])
        try:
            for names, members in _alike(tokens):
                self._encode(tokens, names, members, starts, features, values, learning)
        except Unreadable as fault:
            raise ValueError(f"{fault} in {place_of(fault.token, lengths, first)}.") from None
        if not (learning or tidy):
            return Tokens(Csr(starts, features, values, self.width), lengths)
        known = features >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[starts]
        rows = sp.csr_array((values[known], features[known], starts), shape=(len(tokens), self.width))
        return Tokens(Rows(canonical(rows)).csr, lengths)

    def keep(self, chosen: Bools) -> Ints:
        """Keep these features only; returns the new number of each, UNKNOWN for those that are gone."""
        if self.hashing is not None:
            raise ValueError(f"Hashed features are always {self.hashing}. Got a wish to leave some out.")
        numbers = np.where(chosen, np.cumsum(chosen) - 1, UNKNOWN).astype(np.int64)
        self._flags = {name: int(numbers[i]) for name, i in self._flags.items() if chosen[i]}
        for name, texts in self._texts.items():
            self._texts[name] = {text: int(numbers[i]) for text, i in texts.items() if chosen[i]}
        self._width = int(chosen.sum())
        return numbers

    def names(self) -> list[str]:
        """What every feature is called: `word=Paris`, or the name itself."""
        if self.hashing is not None:
            return [f"bucket {feature}" for feature in range(self.hashing)]
        found = [""] * self._width
        for name, i in self._flags.items():
            found[i] = str(name)
        for name, texts in self._texts.items():
            for text, i in texts.items():
                found[i] = f"{name}={text}"
        return found

    def _made(self, sequences: Sequence[Any]) -> list[Any]:
        assert self._function is not None
        return [self._function(sequence, i) for sequence in sequences for i in range(len(sequence))]

    def _encode(
        self,
        tokens: list[Any],
        names: tuple[Any, ...] | None,
        members: Ints,
        starts: Ints,
        features: Array,
        values: Array,
        learning: bool,
    ) -> None:
        """Write the features and values of some tokens: dicts with these names, or any."""
        if names is not None:
            given = list(chain.from_iterable(tokens[i].values() for i in members.tolist()))
            for column, name in enumerate(names):
                at = starts[members] + column
                features[at], values[at] = self._column(name, given[column :: len(names)], members, learning)
            return
        for i in members.tolist():
            token, place = tokens[i], int(starts[i])
            pairs = token.items() if isinstance(token, Mapping) else ((name, True) for name in token)
            for name, value in pairs:
                if not isinstance(token, Mapping) and not isinstance(name, str):
                    raise Unreadable(f"The name of a feature must be a text. Got {shown(name)}", i)
                features[place], values[place] = self._one(name, value, i, learning)
                place += 1

    def _column(self, name: Any, given: list[Any], members: Ints, learning: bool) -> tuple[Any, Any]:
        """The numbers and values of what several tokens have under the same name."""
        kinds = set(map(type, given))
        if kinds <= TEXTS:
            known = self._texts.setdefault(name, {}) if learning else self._texts.get(name, {})
            found = np.fromiter(map(known.get, given, repeat(UNKNOWN)), np.int32, len(given))
            if (learning or self.hashing is not None) and found.min() < 0:
                for i in np.flatnonzero(found < 0).tolist():
                    found[i] = self._number(known, given[i], f"{name}={given[i]}", learning)
            return found, 1.0
        if kinds <= NUMBERS:
            numbers = np.fromiter(given, np.float64, len(given))
            if np.isfinite(numbers).all():
                return self._number(self._flags, name, str(name), learning), numbers
        pairs = [
            self._one(name, value, i, learning) for value, i in zip(given, members.tolist(), strict=True)
        ]
        return [number for number, _ in pairs], [value for _, value in pairs]

    def _one(self, name: Any, value: Any, token: int, learning: bool) -> tuple[int, float]:
        """The number and value of one feature of a token."""
        if isinstance(value, str):
            known = self._texts.setdefault(name, {}) if learning else self._texts.get(name, {})
            return self._number(known, value, f"{name}={value}", learning), 1.0
        if isinstance(value, Real | np.bool_) and np.isfinite(float(value)):
            return self._number(self._flags, name, str(name), learning), float(value)
        raise Unreadable(
            "The value of a feature must be a text, True, False or a finite number. "
            f"Got {shown(value)} for {name!r}",
            token,
        )

    def _number(self, known: dict[Any, int], key: Any, text: str, learning: bool) -> int:
        """The number under which something is known, or gets to be."""
        number = known.get(key, UNKNOWN)
        if number != UNKNOWN:
            return number
        if self.hashing is not None:
            number = murmurhash3_32(text, positive=True) % self.hashing
            if learning and self._remembered < REMEMBERED:
                known[key] = number
                self._remembered += 1
        elif learning:
            known[key] = number = self._width
            self._width += 1
        return number


class Unreadable(Exception):  # noqa: N818
    """What there is that is no feature, and the token that has it."""

    def __init__(self, message: str, token: int) -> None:
        super().__init__(message)
        self.token = token


def _check_tokens(tokens: list[Any], lengths: Ints, first: int) -> None:
    if set(map(type, tokens)) <= {dict, list, tuple, set}:
        return
    for number, token in enumerate(tokens):
        if not isinstance(token, Mapping | list | tuple | set | frozenset):
            raise ValueError(
                "The features of a token are a dict, or a list of names. "
                f"Got {shown(token)} as {place_of(number, lengths, first)}."
            )


def _alike(tokens: list[Any]) -> Iterator[tuple[tuple[Any, ...] | None, Ints]]:
    """Some tokens at a time that are dicts with the same names in the same order, or with None any others."""
    for part in parts(len(tokens), AT_ONCE):
        some = tokens[part]
        if all(type(token) is dict for token in some) and len(names := set(map(tuple, some))) == 1:
            yield names.pop(), np.arange(part.start, part.stop)
            continue
        groups: dict[tuple[Any, ...] | None, list[int]] = {}
        for i, token in enumerate(some, part.start):
            groups.setdefault(tuple(token) if isinstance(token, dict) else None, []).append(i)
        if len(groups) * ALIKE > part.stop - part.start:
            yield None, np.arange(part.start, part.stop)
        else:
            yield from ((names, np.array(members)) for names, members in groups.items())
