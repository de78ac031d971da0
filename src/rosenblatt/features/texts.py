"""The texts of a column, each seen once: a number for every look that a view of it shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, count, repeat

import numpy as np
from sklearn.utils import murmurhash3_32

from rosenblatt._types import Array
from rosenblatt.features.templates import View
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.storage import grown

REMEMBERED = 2**17
"""Texts that are remembered where features are hashed, so that memory has an end."""


class Texts:
    """The symbols of texts, one for every view.

    A symbol is the number of a look, in the order in which looks were first seen; or, with `hashing`, a
    hash of it.
    """

    def __init__(self, views: Sequence[View], hashing: bool) -> None:
        self._hashing = hashing
        self._number: dict[str, int] = {}
        self._symbols = np.empty((0, len(views)), np.int64 if hashing else np.int32)
        self.looks: dict[View, dict[str, int]] = {view: {} for view in views}

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
            return self._symbols[number]
        found = np.empty((len(texts), len(self.looks)), lines.dtype)
        found[unknown], found[~unknown] = lines[number[unknown] - first], self._symbols[number[~unknown]]
        return found

    def _lines(self, texts: Iterable[str], learning: bool) -> Array:
        """The symbols of texts that are not remembered."""
        pairs = list(self.looks.items())
        lines: list[list[int]]
        if self._hashing:
            lines = [[murmurhash3_32(view.of(text), positive=True) for view in self.looks] for text in texts]
        elif learning:
            lines = [[looks.setdefault(view.of(text), len(looks)) for view, looks in pairs] for text in texts]
        else:
            lines = [[looks.get(view.of(text), UNKNOWN) for view, looks in pairs] for text in texts]
        return np.array(lines, self._symbols.dtype).reshape(-1, len(pairs))
