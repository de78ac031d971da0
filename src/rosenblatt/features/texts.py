"""The texts of a column, each seen once: a number for every look that a view of it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress, count, repeat

import numpy as np
from sklearn.utils import murmurhash3_32

from rosenblatt._types import Array
from rosenblatt.features.templates import View, step
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.rows.stores import grown

REMEMBERED = 2**17
"""Texts that are remembered where they need not be, to save time, so that memory has an end."""


class Texts:
    """The symbols of texts, one for every view.

    A symbol is the number of a look, in the order in which looks were first seen; or, with `hashing`, a
    hash of it. Views are given with the numbers of their looks, which several may share.
    """

    def __init__(self, looks: dict[View, dict[str, int]], hashing: bool) -> None:
        self._hashing = hashing
        self._number: dict[str, int] = {}
        self._symbols = np.empty((0, len(looks)), np.int64 if hashing else np.int32)
        self._others: dict[str, Array] = {}
        self.looks = looks
        self._plan, places = _plan(list(looks))
        self._numbered = list(zip(places, self.looks.values(), strict=True))

    @property
    def known(self) -> tuple[list[str], Array]:
        """The texts that are numbered, in this order, and their symbols; with `hashing` none need be."""
        return (
            ([], self._symbols[:0])
            if self._hashing
            else (list(self._number), self._symbols[: len(self._number)])
        )

    @known.setter
    def known(self, known: tuple[Sequence[str], Array]) -> None:
        texts, self._symbols = known
        self._number = dict(zip(texts, count(), strict=False))

    def symbols(self, texts: Sequence[str], learning: bool) -> Array:
        """The symbols (texts × views); UNKNOWN for a look never seen, unless learning."""
        if learning and self._hashing and len(self._number) > REMEMBERED:
            self._number = {}
        number = np.fromiter(map(self._number.get, texts, repeat(-1)), np.int64, len(texts))
        unknown = number < 0
        if not unknown.any():
            return self._symbols[number]
        fresh = list(compress(texts, unknown.tolist()))
        first = len(self._number)
        new = dict(zip(dict.fromkeys(fresh), count(first), strict=False))
        number[unknown] = np.fromiter(map(new.__getitem__, fresh), np.int64, len(fresh))
        lines = self._lines(new, learning)
        if learning:
            self._symbols = grown(self._symbols, first, lines)
            self._number |= new
            self._others = {}
            return self._symbols[number]
        found = np.empty((len(texts), len(self.looks)), lines.dtype)
        found[unknown], found[~unknown] = lines[number[unknown] - first], self._symbols[number[~unknown]]
        return found

    def _lines(self, texts: dict[str, int], learning: bool) -> Array:
        """The symbols of texts that are not numbered."""
        if learning:
            return self._looked_at(list(texts), learning)
        if len(self._others) >= REMEMBERED:
            self._others = {}
        others = self._others
        new = [text for text in texts if text not in others]
        looked = self._looked_at(new, learning)
        others.update(zip(new, looked, strict=True))
        if len(new) == len(texts):
            return looked
        return np.array([others[text] for text in texts], self._symbols.dtype).reshape(-1, len(self.looks))

    def _looked_at(self, texts: list[str], learning: bool) -> Array:
        """The symbols of texts, one view after the other."""
        seen = [texts]
        for before, change in self._plan:
            seen.append(list(map(change, seen[before])))
        symbols = np.empty((len(texts), len(self.looks)), self._symbols.dtype)
        for view, (place, numbers) in enumerate(self._numbered):
            found: Iterable[int]
            if self._hashing:
                found = (murmurhash3_32(look, positive=True) for look in seen[place])
            elif learning:
                found = (numbers.setdefault(look, len(numbers)) for look in seen[place])
            else:
                found = map(numbers.get, seen[place], repeat(UNKNOWN))
            symbols[:, view] = np.fromiter(found, symbols.dtype, len(texts))
        return symbols


def _plan(views: Sequence[View]) -> tuple[list[tuple[int, Callable[[str], str]]], list[int]]:
    """Steps that make all views of a text, each on what an earlier one made, and which of them are views."""
    place: dict[tuple[tuple[str, int], ...], int] = {(): 0}
    plan = []
    for view in views:
        for end in range(1, len(view.steps) + 1):
            if view.steps[:end] not in place:
                name, size = view.steps[end - 1]
                plan.append((place[view.steps[: end - 1]], step(name, size)))
                place[view.steps[:end]] = len(plan)
    return plan, [place[view.steps] for view in views]
