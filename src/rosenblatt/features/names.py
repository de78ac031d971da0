"""Named features: tokens that are dicts, or lists of names, as in other taggers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, repeat
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import murmurhash3_32

from rosenblatt._types import Array, Bools, Ints
from rosenblatt.features.encoders import Tokens, lengths_of, location_of, shown
from rosenblatt.features.texts import REMEMBERED
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.rows import Csr, canonical, parts, rows_of
from rosenblatt.rows.columns import flat, starts_of

COLLECTIONS = frozenset({list, tuple, set, frozenset})
NUMBERS = frozenset({bool, int, float, np.bool_, np.float64, np.float32, np.int64, np.int32})

TRUTHS: dict[Any, int] = {True: UNKNOWN - 1, False: UNKNOWN - 1}
"""The dict in which values under names without strings are looked up: it marks 0 and 1, the most frequent."""

ALIKE = 4
"""How many tokens must have the same names, on average, for new features to get ids name by name."""

AT_ONCE = 512
"""Tokens encoded at once: few enough for their strings to stay in the processor's cache."""


class NameEncoder:
    """The encoder of tokens that are dicts of named features, or collections of names.

    A string under a name is a feature of its own, `{"word": "Paris"}`; True is the name itself; a number is
    the value of the feature with that name.

    Parameters
    ----------
    hashing
        None to give ids in order of appearance; or the number of buckets that names are hashed into.
    function
        Returns the features of a token, `function(sequence, i)`; by default tokens are their features.
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
        """The number of features."""
        return self._width if self.hashing is None else self.hashing

    @property
    def known(self) -> tuple[dict[Any, int], dict[Any, dict[str, int]]]:
        """The ids of names, and of the strings under every name; empty with `hashing`."""
        return (self._flags, self._texts) if self.hashing is None else ({}, {})

    @known.setter
    def known(self, known: tuple[dict[Any, int], dict[Any, dict[str, int]]]) -> None:
        self._flags, self._texts = known
        self._width = len(self._flags) + sum(map(len, self._texts.values()))

    def encode(
        self, sequences: Sequence[Any], learning: bool = False, *, tidy: bool = False, first: int = 0
    ) -> Tokens:
        """Return the rows of sequences."""
        lengths = lengths_of(sequences, first)
        tokens = flat(sequences) if self._function is None else self._made(sequences)
        _check_tokens(tokens, lengths, first)
        starts = starts_of(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        features, values = np.empty(starts[-1], np.int32), np.ones(starts[-1])
        for part in parts(len(tokens), AT_ONCE):
            begin, end = starts[part.start], starts[part.stop]
            own = starts[part] - begin
            try:
                self._encode(tokens[part], own, features[begin:end], values[begin:end], learning)
            except Unreadable as fault:
                token = part.start + _token_at(own, fault.position)
                raise ValueError(f"{fault} in {location_of(token, lengths, first)}.") from None
        if not (learning or tidy):
            return Tokens(Csr(starts, features, values, self.width), lengths)
        known = features >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[starts]
        rows = sp.csr_array((values[known], features[known], starts), shape=(len(tokens), self.width))
        return Tokens(rows_of(canonical(rows)).csr, lengths)

    def keep(self, chosen: Bools) -> Ints:
        """Keep only the chosen features; returns the new id of each feature, UNKNOWN for removed ones."""
        if self.hashing is not None:
            raise ValueError(f"Hashed features are always {self.hashing}. None of them can be left out.")
        ids = np.where(chosen, np.cumsum(chosen) - 1, UNKNOWN).astype(np.int64)
        self._flags = {name: int(ids[i]) for name, i in self._flags.items() if chosen[i]}
        for name, strings in self._texts.items():
            self._texts[name] = {string: int(ids[i]) for string, i in strings.items() if chosen[i]}
        self._width = int(chosen.sum())
        return ids

    def names(self) -> list[str]:
        """Return the name of every feature: `word=Paris`, or the name itself."""
        if self.hashing is not None:
            return [f"bucket {feature}" for feature in range(self.hashing)]
        found = [""] * self._width
        for name, i in self._flags.items():
            found[i] = str(name)
        for name, strings in self._texts.items():
            for string, i in strings.items():
                found[i] = f"{name}={string}"
        return found

    def _made(self, sequences: Sequence[Any]) -> list[Any]:
        assert self._function is not None
        return [self._function(sequence, i) for sequence in sequences for i in range(len(sequence))]

    def _encode(
        self, tokens: list[Any], starts: Ints, features: Array, values: Array, learning: bool
    ) -> None:
        """Write the features and values of tokens that begin at `starts`; values of 1 are there already."""
        names, given = _pairs(tokens)
        if given is None:
            features[:] = np.fromiter(map(self._flags.get, names, repeat(UNKNOWN)), np.int32, len(names))
        else:
            self._look_up(names, given, features, values)
        if learning or self.hashing is not None:
            missing = np.flatnonzero(features < 0)
            if learning and given is not None and len(missing):
                missing = _in_turn(tokens, starts, missing)
            for i in missing.tolist():
                features[i] = self._feature(names[i], True if given is None else given[i], learning)

    def _look_up(self, names: list[Any], given: list[Any], features: Array, values: Array) -> None:
        """Write the known features, UNKNOWN for others, and the values that are numbers."""
        strings = map(self._texts.get, names, repeat(TRUTHS))
        try:
            features[:] = np.fromiter(map(dict.get, strings, given, repeat(UNKNOWN)), np.int32, len(names))
        except TypeError:  # a value that is not hashable, which is reported below
            features[:] = UNKNOWN
        numeric: list[int] = np.flatnonzero(features < UNKNOWN).tolist()
        unknown = np.flatnonzero(features == UNKNOWN).tolist()
        numeric += [i for i in unknown if not isinstance(given[i], str)]
        if numeric:
            at = np.fromiter(numeric, np.int64, len(numeric))
            values[at] = _finite([given[i] for i in numeric], numeric, names)
            found = map(self._flags.get, [names[i] for i in numeric], repeat(UNKNOWN))
            features[at] = np.fromiter(found, np.int32, len(numeric))

    def _feature(self, name: Any, value: Any, learning: bool) -> int:
        """Return the id of a feature, a new one if learning."""
        if not isinstance(value, str):
            return self._id(self._flags, name, str(name), learning)
        known = self._texts.setdefault(name, {}) if learning else self._texts.get(name, {})
        return self._id(known, value, f"{name}={value}", learning)

    def _id(self, known: dict[Any, int], key: Any, name: str, learning: bool) -> int:
        """Return the id of a key in a dict of known ones; a new id, or the hash of the name, if unknown."""
        found = known.get(key, UNKNOWN)
        if found != UNKNOWN:
            return found
        if self.hashing is not None:
            found = murmurhash3_32(name, positive=True) % self.hashing
            if learning and self._remembered < REMEMBERED:
                known[key] = found
                self._remembered += 1
        elif learning:
            known[key] = found = self._width
            self._width += 1
        return found


class Unreadable(Exception):  # noqa: N818
    """An invalid feature, with its position among all features of some tokens."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


def _finite(values: list[Any], positions: list[int], names: list[Any]) -> Array:
    """Return values as an array; one that is not a finite number raises, with its position and name."""
    if not set(map(type, values)) <= NUMBERS:
        for value, i in zip(values, positions, strict=True):
            if not isinstance(value, Real | np.bool_):
                raise _no_value(names[i], value, i)
    numbers = np.fromiter(values, np.float64, len(values))
    finite = np.isfinite(numbers)
    if not finite.all():
        wrong = int(np.argmin(finite))
        raise _no_value(names[positions[wrong]], values[wrong], positions[wrong])
    return numbers


def _no_value(name: Any, value: Any, position: int) -> Unreadable:
    return Unreadable(
        "The value of a feature must be a string, True, False or a finite number. "
        f"Got {shown(value)} for {name!r}",
        position,
    )


def _check_tokens(tokens: list[Any], lengths: Ints, first: int) -> None:
    if set(map(type, tokens)) <= COLLECTIONS | {dict}:
        return
    for index, token in enumerate(tokens):
        if not isinstance(token, Mapping | list | tuple | set | frozenset):
            raise ValueError(
                "The features of a token are a dict, or a list of names. "
                f"Got {shown(token)} as {location_of(index, lengths, first)}."
            )


def _pairs(tokens: list[Any]) -> tuple[list[Any], list[Any] | None]:
    """Return the names and values of all features in order; the values are None if no token has any."""
    kinds, names = set(map(type, tokens)), list(chain.from_iterable(tokens))
    if kinds <= COLLECTIONS:
        _check_names(names)
        return names, None
    if kinds == {dict}:
        return names, list(chain.from_iterable(map(dict.values, tokens)))
    given = list[Any]()
    for token in tokens:
        if isinstance(token, Mapping):
            given += token.values()
        else:
            _check_names(list(token), len(given))
            given += [True] * len(token)
    return names, given


def _check_names(names: list[Any], first: int = 0) -> None:
    """Refuse names that are not strings; errors count positions from `first`."""
    try:
        "".join(names)  # checks every type faster than a loop would
    except TypeError:
        i = next(i for i, name in enumerate(names) if not isinstance(name, str))
        message = f"The name of a feature must be a string. Got {shown(names[i])}"
        raise Unreadable(message, first + i) from None


def _in_turn(tokens: list[Any], starts: Ints, missing: Ints) -> Ints:
    """Return the positions of new features in the order in which they get ids.

    Those of dicts with the same names in the same order come name by name; those of other tokens, and of all
    if few are alike, token by token.
    """
    group: dict[tuple[Any, ...] | None, int] = {}
    groups = np.array(
        [group.setdefault(tuple(t) if isinstance(t, dict) else None, len(group)) for t in tokens]
    )
    same = len(group) == 1 and set(map(type, tokens)) == {dict}
    if not same and len(group) * ALIKE > len(tokens):
        return missing
    token = _token_at(starts, missing)
    column = np.where(groups[token] == group.get(None, -1), 0, missing - starts[token])
    return missing[np.lexsort((missing, column, groups[token]))]


def _token_at(starts: Ints, position: Any) -> Any:
    """Return the index of the token with the feature at a position; an array for several positions."""
    return np.searchsorted(starts, position, side="right") - 1
