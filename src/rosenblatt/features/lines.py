"""The fast path of strings: the words or terms of ASCII lines, found without a Python object for each.

It is an index of the names of a vectoriser, in memory that compiled code reads. Names that a line brings get
ids there, and the vectoriser takes them over when it is next asked.
"""

from __future__ import annotations

import string
from itertools import takewhile
from math import log
from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.features.strings import Terms, Words
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.loops import lines as loops

PADDING = b" " * 8
"""What follows a line, so that eight bytes can be read at once."""

LOGS: Floats = np.array([0.0, *(1.0 + log(n) for n in range(1, 256))])
"""The value of a word by how often it comes, before rows get length 1."""

BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f "
"""The ASCII characters at which str.split() splits."""


def lines_of(vectoriser: Vectoriser, features: Any) -> Lines | None:
    """Return what reads lines as a function does; None if only the function itself reads them."""
    codes = codes_of(features)
    return (
        None if codes is None else Lines(vectoriser, codes, normalized=getattr(features, "normalized", False))
    )


def codes_of(features: Any) -> Array | None:
    """Return what every character is read as; None if only the function `features` itself reads lines."""
    codes = np.zeros(256, np.uint8)
    if isinstance(features, Terms):
        codes[:128] = np.arange(128)
        codes[[ord(c) for c in BLANKS]] = loops.SEPARATOR
        codes[ord(":")] = loops.COLON
        codes[[0, loops.COLON]] = loops.OTHER
        return codes
    if isinstance(features, Words) and features.ngrams == 1:
        for c in string.ascii_letters + string.digits + "_":
            codes[ord(c)] = ord(c.lower() if features.lowercase else c)
        return codes
    return None


class Lines:
    """The rows of ASCII lines, with the ids of a vectoriser.

    Parameters
    ----------
    vectoriser
        The vectoriser, whose names are strings.
    codes
        What every character is read as, from `codes_of`.
    normalized
        Whether a word that comes n times has the value 1 + log n, in rows of length 1.
    """

    def __init__(self, vectoriser: Vectoriser, codes: Array, *, normalized: bool) -> None:
        self._vectoriser, self._codes = vectoriser, codes
        self._logs = LOGS if normalized else LOGS[:0]
        has_values = bool((codes == loops.COLON).any())
        self._encode = loops.encode_loop(loops.value_at if has_values else loops.no_value)
        self._slots = np.zeros((1024, 2), np.int64)
        self._spans = np.zeros((512, 2), np.int64)
        self._latest = np.zeros(512, np.int32)
        self._arena = np.empty(4096, np.uint8)
        self._unknown = np.empty((loops.MOST_UNKNOWN, 2), np.int64)
        self._tally = np.zeros(2, np.int64)
        self._features, self._values = np.empty(0, np.int32), np.empty(0)
        self._shared = 0

    def row(self, line: str, learning: bool) -> tuple[Array, Floats, int] | None:
        """Return the features of a line, their values and the number of features that have ids.

        Returns None if the line must be read by the definition.
        Features are in the order in which their names come first. Without learning, those that have no id
        are UNKNOWN. Arrays that are learned from are written again for the next line.
        """
        if not line.isascii():
            self.share()
            return None
        if self._shared < self._vectoriser.width:
            self._take_over()
        features, values = self._room(len(line) // 2 + 1, learning)
        text = np.frombuffer(line.encode() + PADDING, np.uint8)
        before = self._tally.copy()
        while True:
            count = self._encode(
                text, learning, self._codes, self._slots, self._spans, self._arena, self._tally, self._latest,
                self._unknown, self._logs, features, values,
            )  # fmt: skip
            if count >= 0:
                return features[:count], values[:count], self.width
            if count == loops.SLOW:
                self._forget(before)
                self.share()
                return None
            self._reserve(1, len(line))

    def _forget(self, before: Ints) -> None:
        """Take out the names that a line brought before it turned out to be one for the definition.

        The others are put into a new table: if it has grown since, some of them may stand behind new ones.
        """
        if self.width > before[loops.WIDTH]:
            known = self._slots.copy()
            known[self._slots[:, 1] >= before[loops.WIDTH]] = 0
            self._slots = np.zeros_like(known)
            loops.move_slots(known, self._slots)
            self._tally[:] = before

    def _room(self, most: int, learning: bool) -> tuple[Array, Floats]:
        """Return arrays for features and values; while learning, which one thread does, the same again."""
        if not learning:  # several threads may ask
            return np.empty(most, np.int32), np.empty(most)
        if most > len(self._values):
            self._features, self._values = np.empty(2 * most, np.int32), np.empty(2 * most)
        return self._features, self._values

    @property
    def width(self) -> int:
        """The number of features that have ids."""
        return int(self._tally[loops.WIDTH])

    def share(self) -> None:
        """Tell the vectoriser the names that came since."""
        if self._shared == self.width:
            return
        spans = self._spans[self._shared : self.width].tolist()
        first = spans[0][0]
        text = self._arena[first : self._tally[loops.USED]].tobytes()
        names = [text[begin - first : begin - first + size].decode() for begin, size in spans]
        self._vectoriser.ids_of(names, learning=True)
        self._shared = self.width

    def _take_over(self) -> None:
        """Index the names that the vectoriser has learned since."""
        latest = takewhile(lambda pair: pair[1] >= self._shared, reversed(self._vectoriser.ids.items()))
        new = [(name, i) for name, i in latest if isinstance(name, str) and name.isascii()]
        encoded = [name.encode() for name, _ in new]
        sizes = np.array([len(name) + 1 for name in encoded], np.int64)
        self._reserve(self._vectoriser.width - self.width, int(sizes.sum()))
        ids = np.array([i for _, i in new], np.int64)
        text = np.frombuffer(b" ".join(encoded) + PADDING, np.uint8)
        loops.add_names(
            text, np.cumsum(sizes) - 1, ids, self._codes, self._slots, self._spans, self._arena, self._tally
        )
        self._shared = self._tally[loops.WIDTH] = self._vectoriser.width

    def _reserve(self, names: int, size: int) -> None:
        """Make room for more names of a size in bytes, and as much again."""
        width, used = self.width + names, int(self._tally[loops.USED]) + size
        if used > len(self._arena):
            self._arena = np.concatenate([self._arena, np.empty(2 * used, np.uint8)])
        if width > len(self._spans):
            self._spans = np.concatenate([self._spans, np.zeros((2 * width, 2), np.int64)])
            self._latest = np.concatenate([self._latest, np.zeros(2 * width, np.int32)])
        if 2 * width > len(self._slots):
            before, size = self._slots, len(self._slots)
            while size < 4 * width:
                size *= 2
            self._slots = np.zeros((size, 2), np.int64)
            loops.move_slots(before, self._slots)
