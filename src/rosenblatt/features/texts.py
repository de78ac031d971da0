"""The distinct strings of a column, each with an id per view: the symbols of its looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress, count, repeat

import numpy as np

from rosenblatt._types import Array
from rosenblatt.features.hashing import hashed
from rosenblatt.features.templates import View, step
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.rows import grown

REMEMBERED = 2**17
"""The most strings that are cached only to save time, so that memory is bounded."""


class Texts:
    """The symbols of strings, one for every view.

    A look is the view of a string. Its symbol is its id, in order of appearance; or, with `hashing`, its
    hash. Views are given with the ids of their looks, which several views may share.
    """

    def __init__(self, looks: dict[View, dict[str, int]], hashing: bool) -> None:
        self._hashing = hashing
        self._ids: dict[str, int] = {}
        self._symbols = np.empty((0, len(looks)), np.int64 if hashing else np.int32)
        self._others: dict[str, Array] = {}
        self.looks = looks
        self._plan, results = _plan(list(looks))
        self._outputs = list(zip(results, self.looks.values(), strict=True))

    @property
    def known(self) -> tuple[list[str], Array]:
        """The known strings in the order of their ids, and their symbols; empty with `hashing`."""
        return (
            ([], self._symbols[:0]) if self._hashing else (list(self._ids), self._symbols[: len(self._ids)])
        )

    @known.setter
    def known(self, known: tuple[Sequence[str], Array]) -> None:
        strings, self._symbols = known
        self._ids = dict(zip(strings, count(), strict=False))

    def symbols(self, texts: Sequence[str], learning: bool) -> Array:
        """Return the symbols (strings × views); UNKNOWN for a new look, unless learning."""
        if learning and self._hashing and len(self._ids) > REMEMBERED:
            self._ids = {}
        ids = np.fromiter(map(self._ids.get, texts, repeat(-1)), np.int64, len(texts))
        unknown = ids < 0
        if not unknown.any():
            return self._symbols[ids]
        fresh = list(compress(texts, unknown.tolist()))
        first = len(self._ids)
        new = dict(zip(dict.fromkeys(fresh), count(first), strict=False))
        ids[unknown] = np.fromiter(map(new.__getitem__, fresh), np.int64, len(fresh))
        rows = self._rows(new, learning)
        if learning:
            self._symbols = grown(self._symbols, first, rows)
            self._ids |= new
            self._others = {}
            return self._symbols[ids]
        found = np.empty((len(texts), len(self.looks)), rows.dtype)
        found[unknown], found[~unknown] = rows[ids[unknown] - first], self._symbols[ids[~unknown]]
        return found

    def _rows(self, strings: dict[str, int], learning: bool) -> Array:
        """Return the symbols of strings that have no id yet."""
        if learning:
            return self._looked_at(list(strings), learning)
        if len(self._others) >= REMEMBERED:
            self._others = {}
        others = self._others
        new = [string for string in strings if string not in others]
        looked = self._looked_at(new, learning)
        others.update(zip(new, looked, strict=True))
        if len(new) == len(strings):
            return looked
        rows = [others[string] for string in strings]
        return np.array(rows, self._symbols.dtype).reshape(-1, len(self.looks))

    def _looked_at(self, strings: list[str], learning: bool) -> Array:
        """Compute the symbols of strings, one view after the other."""
        seen = [strings]
        for before, change in self._plan:
            seen.append(list(map(change, seen[before])))
        symbols = np.empty((len(strings), len(self.looks)), self._symbols.dtype)
        for view, (result, ids) in enumerate(self._outputs):
            found: Iterable[int]
            if self._hashing:
                found = map(hashed, seen[result])
            elif learning:
                found = (ids.setdefault(look, len(ids)) for look in seen[result])
            else:
                found = map(ids.get, seen[result], repeat(UNKNOWN))
            symbols[:, view] = np.fromiter(found, symbols.dtype, len(strings))
        return symbols


def _plan(views: Sequence[View]) -> tuple[list[tuple[int, Callable[[str], str]]], list[int]]:
    """Return steps that compute all views, each from an earlier result, and the result index of each view."""
    result: dict[tuple[tuple[str, int], ...], int] = {(): 0}
    plan = []
    for view in views:
        for end in range(1, len(view.steps) + 1):
            if view.steps[:end] not in result:
                name, size = view.steps[end - 1]
                plan.append((result[view.steps[: end - 1]], step(name, size)))
                result[view.steps[:end]] = len(plan)
    return plan, [result[view.steps] for view in views]
