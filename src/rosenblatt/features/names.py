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
from rosenblatt.features.encoders import Tokens, lengths_of, place_of, shown
from rosenblatt.features.texts import REMEMBERED
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.rows import Csr, Rows, canonical, parts
from rosenblatt.rows.columns import flat, starts_of

COLLECTIONS = frozenset({list, tuple, set, frozenset})
NUMBERS = frozenset({bool, int, float, np.bool_, np.float64, np.float32, np.int64, np.int32})

TRUTHS: dict[Any, int] = {True: UNKNOWN - 1, False: UNKNOWN - 1}
"""What values are looked up in under names that have no texts: marks 0 and 1, the most frequent numbers."""

ALIKE = 4
"""How many tokens must have the same names, on average, for new features to be numbered name by name."""

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
        for part in parts(len(tokens), AT_ONCE):
            begin, end = starts[part.start], starts[part.stop]
            own = starts[part] - begin
            try:
                self._encode(tokens[part], own, features[begin:end], values[begin:end], learning)
            except Unreadable as fault:
                token = part.start + _token_at(own, fault.position)
                raise ValueError(f"{fault} in {place_of(token, lengths, first)}.") from None
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
        self, tokens: list[Any], starts: Ints, features: Array, values: Array, learning: bool
    ) -> None:
        """Write the features, and the values unless they are 1, of tokens that begin at `starts`."""
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
                features[i] = self._numbered(names[i], True if given is None else given[i], learning)

    def _look_up(self, names: list[Any], given: list[Any], features: Array, values: Array) -> None:
        """Write the features that are known, UNKNOWN for others, and the values that are numbers."""
        texts = map(self._texts.get, names, repeat(TRUTHS))
        try:
            features[:] = np.fromiter(map(dict.get, texts, given, repeat(UNKNOWN)), np.int32, len(names))
        except TypeError:  # a value that cannot be a key, which is reported below
            features[:] = UNKNOWN
        numeric: list[int] = np.flatnonzero(features < UNKNOWN).tolist()
        unknown = np.flatnonzero(features == UNKNOWN).tolist()
        numeric += [i for i in unknown if not isinstance(given[i], str)]
        if numeric:
            at = np.fromiter(numeric, np.int64, len(numeric))
            values[at] = _finite([given[i] for i in numeric], numeric, names)
            found = map(self._flags.get, [names[i] for i in numeric], repeat(UNKNOWN))
            features[at] = np.fromiter(found, np.int32, len(numeric))

    def _numbered(self, name: Any, value: Any, learning: bool) -> int:
        """The number of a feature that is not known, or gets to be."""
        if not isinstance(value, str):
            return self._number(self._flags, name, str(name), learning)
        known = self._texts.setdefault(name, {}) if learning else self._texts.get(name, {})
        return self._number(known, value, f"{name}={value}", learning)

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
    """What there is that is no feature, and its position among all features of some tokens."""

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
        "The value of a feature must be a text, True, False or a finite number. "
        f"Got {shown(value)} for {name!r}",
        position,
    )


def _check_tokens(tokens: list[Any], lengths: Ints, first: int) -> None:
    if set(map(type, tokens)) <= COLLECTIONS | {dict}:
        return
    for number, token in enumerate(tokens):
        if not isinstance(token, Mapping | list | tuple | set | frozenset):
            raise ValueError(
                "The features of a token are a dict, or a list of names. "
                f"Got {shown(token)} as {place_of(number, lengths, first)}."
            )


def _pairs(tokens: list[Any]) -> tuple[list[Any], list[Any] | None]:
    """The names and values of all features in order; None for the values if all tokens are only names."""
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
        "".join(names)  # looks at every type sooner than a loop would
    except TypeError:
        i = next(i for i, name in enumerate(names) if not isinstance(name, str))
        raise Unreadable(f"The name of a feature must be a text. Got {shown(names[i])}", first + i) from None


def _in_turn(tokens: list[Any], starts: Ints, missing: Ints) -> Ints:
    """The positions of new features in the order in which they get numbers.

    Those of dicts with the same names in the same order come name by name; those of other tokens, and of all
    if few are alike, token by token.
    """
    number: dict[tuple[Any, ...] | None, int] = {}
    groups = np.array(
        [number.setdefault(tuple(t) if isinstance(t, dict) else None, len(number)) for t in tokens]
    )
    same = len(number) == 1 and set(map(type, tokens)) == {dict}
    if not same and len(number) * ALIKE > len(tokens):
        return missing
    token = _token_at(starts, missing)
    column = np.where(groups[token] == number.get(None, -1), 0, missing - starts[token])
    return missing[np.lexsort((missing, column, groups[token]))]


def _token_at(starts: Ints, position: Any) -> Any:
    """The index of the token that has the feature at a position; of several, if there are several."""
    return np.searchsorted(starts, position, side="right") - 1
