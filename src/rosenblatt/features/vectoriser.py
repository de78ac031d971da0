"""The vectoriser of named features: dicts, and collections of names, become feature ids and values.

Files of objects and tables, online learners and taggers all use it, so a dict means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any

import numpy as np

from rosenblatt._types import Array, Bools, Floats, Ints
from rosenblatt.features.dicts import (
    Unreadable,
    all_expanded,
    expanded,
    flattened,
    is_nested,
    is_number,
    no_value,
)
from rosenblatt.features.hashing import hashed
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.rows import Csr, parts, starts_of

NUMBERS = frozenset({bool, int, float, np.bool_, np.float64, np.float32, np.int64, np.int32})

TRUTHS: dict[Any, int] = {True: UNKNOWN - 1, False: UNKNOWN - 1}
"""The dict in which values under names without strings are looked up: it marks 0 and 1, the most frequent."""

ALIKE = 4
"""How many examples must have the same names, on average, for new features to get ids name by name."""

AT_ONCE = 512
"""Examples encoded at once: few enough for their strings to stay in the processor's cache."""

REMEMBERED = 2**17
"""The most hashes of features that are cached, so that memory is bounded."""


class Vectoriser:
    """A mapping from named features to ids, and from dicts or collections of names to rows.

    A number under a name is the value of the feature with that name, and so is a boolean, as 1 or 0. A string
    is a feature of its own with value 1: `{"word": "Rome"}` is `word=Rome`. A list of strings is such a
    feature for each, and a nested dict has dotted names: `{"at": {"x": 2}}` is `at.x`. A name in a list or a
    set is a feature with value 1. Features that print alike are the same feature.

    Parameters
    ----------
    hashing
        None to give ids in order of appearance; or the number of buckets that features are hashed into.

    Attributes
    ----------
    width
        The number of features.
    ids
        The ids of names; those of strings are in `known`.

    Examples
    --------
    >>> vectoriser = Vectoriser()
    >>> rows = vectoriser.rows([{"size": 2.5, "colour": "red"}, ["colour=red", "round"]], learning=True)
    >>> rows.features.tolist(), rows.values.tolist(), rows.starts.tolist()
    ([0, 1, 1, 2], [2.5, 1.0, 1.0, 1.0], [0, 2, 4])
    >>> vectoriser.names()
    ['size', 'colour=red', 'round']
    """

    def __init__(self, hashing: int | None = None) -> None:
        self.hashing = hashing
        self.ids: dict[Any, int] = {}
        self._strings: dict[Any, dict[str, int]] = {}
        self.width = hashing or 0
        self._remembered = 0
        self._searched, self._found = 0, False

    @classmethod
    def of_names(cls, names: Iterable[str], columns: Iterable[str], hashing: int | None = None) -> Vectoriser:
        """Return a vectoriser of features by the names they print; `columns` are those with strings."""
        result, known = cls(hashing), set(columns)
        ids: dict[Any, int] = {}
        strings: dict[Any, dict[str, int]] = {column: {} for column in columns}
        for i, name in enumerate(names):
            column = next((column for column, _ in _splits(name) if column in known), None)
            if column is None:
                ids[name] = i
            else:
                strings[column][name[len(column) + 1 :]] = i
        result.known = ids, strings
        return result

    @property
    def known(self) -> tuple[dict[Any, int], dict[Any, dict[str, int]]]:
        """The ids of names, and of the strings under every name; empty with `hashing`."""
        return (self.ids, self._strings) if self.hashing is None else ({}, {})

    @known.setter
    def known(self, known: tuple[dict[Any, int], dict[Any, dict[str, int]]]) -> None:
        self.ids, self._strings = known
        self.width = self.hashing or len(self.ids) + sum(map(len, self._strings.values()))
        self._searched, self._found = 0, False

    @property
    def columns(self) -> list[Any]:
        """The names under which strings are known."""
        return list(self.known[1])

    def rows(self, examples: Sequence[Any], learning: bool = False) -> Csr:
        """Return examples as rows, in which unknown features stay, as UNKNOWN, and features may repeat.

        Raises `Unreadable` for the first feature that is not valid; `example_of` returns whose it is.
        """
        features, values, counts, done = [], [], [], 0
        for part in parts(len(examples), AT_ONCE):
            some = examples[part]
            try:
                names, given, sizes = flattened(some)
                found = self._encoded(names, given, sizes if learning else None, some, learning)
            except Unreadable as fault:
                if not any(map(is_nested, some)):
                    raise Unreadable(str(fault), done + fault.position) from None
                names, given, sizes = all_expanded(some, done)
                found = self._encoded(names, given, None, some, learning)
            done += len(names)
            features.append(found[0])
            values.append(found[1])
            counts.append(sizes)
        return Csr(
            starts_of(_joined(counts, np.int64)),
            _joined(features, np.int32),
            _joined(values, np.float64),
            self.width,
        )

    @staticmethod
    def features_of(example: Mapping[Any, Any]) -> tuple[list[Any], list[Any]]:
        """Return the names and the values, numbers or strings, of the features of one dict."""
        found = list(expanded(example))
        return [name for name, _ in found], [value for _, value in found]

    def pairs(self, names: list[Any], given: list[Any], learning: bool = False) -> tuple[Array, Floats]:
        """Return the id and the value of every pair of a name and a number or a string."""
        return self._encoded(names, given, None, (), learning)

    def feature(self, name: Any, value: Any = True, learning: bool = False) -> int:
        """Return the id of one feature, UNKNOWN if it has none; a new one if learning."""
        if not isinstance(value, str):
            return self._id(self.ids, name, name, learning)
        known = self._strings.get(name, {})
        found = self._id(known, value, f"{name}={value}", learning)
        if known:  # it has an id under this name
            self._strings[name] = known
        return found

    def ids_of(self, names: Collection[Any], learning: bool = False) -> list[int]:
        """Return the ids of names whose values are numbers, as `feature` does."""
        if self._strings or self.hashing is not None or not learning:
            return [self.feature(name, True, learning) for name in names]
        ids = self.ids
        found = [ids.setdefault(name, len(ids)) for name in names]
        self.width = len(ids)
        return found

    def keep(self, chosen: Bools) -> Ints:
        """Keep only the chosen features; returns the new id of each feature, UNKNOWN for removed ones."""
        if self.hashing is not None:
            raise ValueError(f"Hashed features are always {self.hashing}. None of them can be left out.")
        ids = np.where(chosen, np.cumsum(chosen) - 1, UNKNOWN).astype(np.int64)
        self.known = (
            {name: int(ids[i]) for name, i in self.ids.items() if chosen[i]},
            {
                name: {string: int(ids[i]) for string, i in strings.items() if chosen[i]}
                for name, strings in self._strings.items()
            },
        )
        return ids

    def forget(self, width: int) -> None:
        """Forget all but the first features, of this number, in the order in which they came."""
        for known in (self.ids, *self._strings.values()):
            while self.hashing is None and known and next(reversed(known.values())) >= width:
                known.popitem()
        self._strings = {name: strings for name, strings in self._strings.items() if strings}
        self.width = self.hashing or width
        self._searched, self._found = 0, False

    def names(self) -> list[str]:
        """Return the name of every feature: `word=Paris`, or the name itself."""
        if self.hashing is not None:
            return [f"bucket {feature}" for feature in range(self.hashing)]
        found = [""] * self.width
        for name, i in self.ids.items():
            found[i] = str(name)
        for name, strings in self._strings.items():
            for string, i in strings.items():
                found[i] = f"{name}={string}"
        return found

    def _encoded(
        self, names: list[Any], given: list[Any] | None, sizes: Ints | None, examples: Any, learning: bool
    ) -> tuple[Array, Floats]:
        """Return the ids and values of features, of which those of an example are `sizes` many.

        Without `sizes`, new features get ids one after the other.
        """
        values = np.ones(len(names))
        if given is None:
            features = np.fromiter(map(self.ids.get, names, repeat(UNKNOWN)), np.int32, len(names))
        else:
            features = self._looked_up(names, given, values)
        missing = np.flatnonzero(features == UNKNOWN)
        if len(missing) and (
            learning or self.hashing is not None or self._may_print_alike(names, given, missing)
        ):
            if learning and given is not None and sizes is not None:
                missing = _in_turn(examples, starts_of(sizes), missing)
            at: list[int] = missing.tolist()
            if learning and given is not None and self._prints_nothing_alike(given, at):
                features[missing] = self._learned([(names[i], given[i]) for i in at])
            else:
                for i in at:
                    features[i] = self.feature(names[i], True if given is None else given[i], learning)
        return features, values

    def _prints_nothing_alike(self, given: list[Any], at: list[int]) -> bool:
        """Whether the features at some positions are strings that get ids without a look at other names."""
        return self.hashing is None and not self._equals and all(isinstance(given[i], str) for i in at)

    def _learned(self, pairs: list[tuple[Any, str]]) -> list[int]:
        """Return the ids of names with strings, as `feature` does; it takes three times as long."""
        found, width = [], self.width
        for name, string in pairs:
            known = self._strings.get(name)
            if known is None:
                known = self._strings[name] = {}
            id_of = known.setdefault(string, width)
            width += id_of == width
            found.append(id_of)
        self.width = width
        return found

    def _may_print_alike(self, names: list[Any], given: list[Any] | None, missing: Ints) -> bool:
        """Whether a feature that was not found may be known in the other form; see `_printed_alike`."""
        if given is not None and self._equals:
            return True
        return bool(self._strings) and any("=" in str(names[i]) for i in missing.tolist())

    def _looked_up(self, names: list[Any], given: list[Any], values: Array) -> Array:
        """Return the ids of known features, UNKNOWN for others; write values that are numbers."""
        strings = map(self._strings.get, names, repeat(TRUTHS))
        try:
            features = np.fromiter(map(dict.get, strings, given, repeat(UNKNOWN)), np.int32, len(names))
        except TypeError:  # a value that is not hashable, which is reported below
            features = np.full(len(names), UNKNOWN, np.int32)
        numeric: list[int] = np.flatnonzero(features < UNKNOWN).tolist()
        unknown = np.flatnonzero(features == UNKNOWN).tolist()
        numeric += [i for i in unknown if not isinstance(given[i], str)]
        if numeric:
            at = np.fromiter(numeric, np.int64, len(numeric))
            values[at] = _finite([given[i] for i in numeric], numeric, names)
            found = map(self.ids.get, [names[i] for i in numeric], repeat(UNKNOWN))
            features[at] = np.fromiter(found, np.int32, len(numeric))
        return features

    def _id(self, known: dict[Any, int], key: Any, name: Any, learning: bool) -> int:
        """Return the id of a key in a dict of known ones; a new id, or the hash of the name, if unknown."""
        found = known.get(key, UNKNOWN)
        if found != UNKNOWN:
            return found
        if self.hashing is not None:
            found = hashed(str(name)) % self.hashing
            if learning and self._remembered < REMEMBERED:
                known[key] = found
                self._remembered += 1
            return found
        found = self._printed_alike(name, of_string=known is not self.ids)
        if found == UNKNOWN and learning:
            known[key] = found = self.width
            self.width += 1
        return found

    @property
    def _equals(self) -> bool:
        """Whether any name contains =; names that came since this was asked last are searched."""
        if not self._found and self._searched < len(self.ids):
            new = islice(reversed(self.ids), len(self.ids) - self._searched)
            self._found = any(isinstance(name, str) and "=" in name for name in new)
            self._searched = len(self.ids)
        return self._found

    def _printed_alike(self, name: Any, of_string: bool) -> int:
        """Return the id of a name known in the other form: `a=b` in a list, and b under a in a dict."""
        if of_string:
            return self.ids.get(name, UNKNOWN) if self._equals else UNKNOWN
        if not self._strings or not isinstance(name, str):
            return UNKNOWN
        found = (self._strings.get(column, {}).get(string) for column, string in _splits(name))
        return next((each for each in found if each is not None), UNKNOWN)


def example_of(starts: Ints, position: Any) -> Any:
    """Return the index of the example with the feature at a position; an array for several positions."""
    return np.searchsorted(starts, position, side="right") - 1


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a name before and after every =."""
    at = name.find("=")
    while at >= 0:
        yield name[:at], name[at + 1 :]
        at = name.find("=", at + 1)


def _joined(found: list[Any], dtype: Any) -> Array:
    if len(found) == 1:
        return np.asarray(found[0])
    return np.concatenate(found) if found else np.empty(0, dtype)


def _finite(values: list[Any], positions: list[int], names: list[Any]) -> Array:
    """Return values as an array; one that is not a finite number raises, with its position and name."""
    if not set(map(type, values)) <= NUMBERS:
        for value, i in zip(values, positions, strict=True):
            if not is_number(value):
                raise no_value(names[i], value, i)
    try:
        numbers = np.fromiter(values, np.float64, len(values))
    except OverflowError:  # an integer beyond all floats
        wrong = next(i for i, value in enumerate(values) if not is_number(value))
        raise no_value(names[positions[wrong]], values[wrong], positions[wrong]) from None
    finite = np.isfinite(numbers)
    if not finite.all():
        wrong = int(np.argmin(finite))
        raise no_value(names[positions[wrong]], values[wrong], positions[wrong])
    return numbers


def _in_turn(examples: Sequence[Any], starts: Ints, missing: Ints) -> Ints:
    """Return the positions of new features in the order in which they get ids.

    Those of dicts with the same names in the same order come name by name; those of other examples, and of
    all if few are alike, example by example.
    """
    group: dict[tuple[Any, ...] | None, int] = {}
    groups = np.array(
        [group.setdefault(tuple(e) if isinstance(e, dict) else None, len(group)) for e in examples]
    )
    same = len(group) == 1 and set(map(type, examples)) == {dict}
    if not same and len(group) * ALIKE > len(examples):
        return missing
    example = example_of(starts, missing)
    column = np.where(groups[example] == group.get(None, -1), 0, missing - starts[example])
    return missing[np.lexsort((missing, column, groups[example]))]
