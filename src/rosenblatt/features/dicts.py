"""Dicts and collections of names as flat lists of features: names, and numbers or strings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from rosenblatt._types import Ints
from rosenblatt.features.encoders import shown

COLLECTIONS = frozenset({list, tuple, set, frozenset})

DEEPEST = 20
"""The most levels of nested dicts."""


class Unreadable(ValueError):  # noqa: N818
    """An invalid feature, with its position among all features that were given together."""

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


def expanded(example: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Yield the features of a dict as pairs of a name and a number or a string.

    Lists of strings give a pair for each, once; nested dicts have dotted names.
    """
    for name, value in example.items():
        full = f"{prefix}{name}" if prefix else name
        if isinstance(value, Mapping):
            if depth == DEEPEST:
                raise Unreadable(
                    f"A dict of features may have {DEEPEST} levels. Got more below {full!r:.100}"
                )
            yield from expanded(value, f"{full}.", depth + 1)
        elif isinstance(value, list | tuple | set | frozenset):
            for each in dict.fromkeys(value) if all(isinstance(one, str) for one in value) else value:
                if not isinstance(each, str):
                    raise Unreadable(
                        f"A list of features must hold strings. Got {shown(each)} in the list for {full!r}"
                    )
                yield full, each
        elif isinstance(value, str) or is_number(value):
            yield full, value
        else:
            raise no_value(full, value)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number or a boolean."""
    try:
        return isinstance(value, Real | np.bool_) and isfinite(value)
    except OverflowError:
        return False


def no_value(name: Any, value: Any, position: int = 0) -> Unreadable:
    """Return the error about a value that is no feature."""
    missing = "; leave out the name of a missing one" if value is None or value != value else ""
    return Unreadable(
        "The value of a feature must be a finite number, True, False, a string, a list of strings or a dict "
        f"of such{missing}. Got {shown(value)} for {name!r}",
        position,
    )


def is_nested(example: Any) -> bool:
    """Whether a value of a dict is a dict, or a collection."""
    nested = (Mapping, list, tuple, set, frozenset)
    return isinstance(example, Mapping) and any(isinstance(value, nested) for value in example.values())


def flattened(examples: Sequence[Any]) -> tuple[list[Any], list[Any] | None, Ints]:
    """Return the names and values of all features, and how many each example has; no values if all are 1."""
    kinds, names = set(map(type, examples)), list(chain.from_iterable(examples))
    sizes = np.fromiter(map(len, examples), np.int64, len(examples))
    if kinds <= COLLECTIONS:
        _check_names(names)
        return names, None, sizes
    if kinds == {dict}:
        return names, list(chain.from_iterable(map(dict.values, examples))), sizes
    given = list[Any]()
    for example in examples:
        if isinstance(example, Mapping):
            given += example.values()
        else:
            _check_names(list(example), len(given))
            given += [True] * len(example)
    return names, given, sizes


def all_expanded(examples: Sequence[Any], done: int) -> tuple[list[Any], list[Any], Ints]:
    """Return the same as `flattened`, with nested values as features of their own."""
    names, given, sizes, before = list[Any](), list[Any](), list[int](), done
    for example in examples:
        if isinstance(example, Mapping):
            try:
                found = list(expanded(example))
            except Unreadable as fault:
                raise Unreadable(str(fault), before) from None
        else:
            _check_names(list(example), before)
            found = [(name, True) for name in example]
        names += [name for name, _ in found]
        given += [value for _, value in found]
        sizes.append(len(found))
        before += len(example)
    return names, given, np.array(sizes, np.int64)


def _check_names(names: list[Any], first: int = 0) -> None:
    """Raise Unreadable for names that are not strings; errors count positions from `first`."""
    try:
        "".join(names)  # checks every type faster than a loop would
    except TypeError:
        i = next(i for i, name in enumerate(names) if not isinstance(name, str))
        message = f"The name of a feature must be a string. Got {shown(names[i])}"
        raise Unreadable(message, first + i) from None
