"""Names of features and their numbers: given as they come, fixed, or hashed into a number of buckets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from sklearn.utils import murmurhash3_32

from rosenblatt._types import Ints

NONE = -1
"""The number of a name that has none."""

REMEMBERED = 2**17
"""Hashed names that are remembered, to save time, so that memory has an end."""


class Vocabulary:
    """Numbers for names.

    Parameters
    ----------
    names
        Those known from the beginning.
    bits
        None to give numbers as names come; or b for 2^b buckets, each name falling into one of them.
    learning
        Whether new names get a number. If not, they are counted among the `unknown`.

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> vocabulary.numbers(["size", "colour=red", "size"]).tolist(), len(vocabulary)
    ([0, 1, 0], 2)
    """

    def __init__(self, names: Iterable[str] = (), bits: int | None = None, *, learning: bool = True) -> None:
        if bits is not None and not 1 <= bits <= 30:
            raise ValueError(f"Features are hashed into 2^b buckets, b from 1 to 30. Got {bits}.")
        self.bits = bits
        self.learning = learning
        self.unknown: dict[str, None] = {}
        self._number = {name: i for i, name in enumerate(names)}

    def __len__(self) -> int:
        return len(self._number) if self.bits is None else 2**self.bits

    @property
    def names(self) -> list[str]:
        """All names, in the order of their numbers; none where they are hashed."""
        return [] if self.bits is not None else list(self._number)

    @cached_property
    def columns_of_texts(self) -> frozenset[str]:
        """Columns of which texts are known, as of `colour=red`, and no number; for when learning is over."""
        return frozenset(name.partition("=")[0] for name in self.names if "=" in name) - self._number.keys()

    def numbers(self, names: Sequence[str]) -> Ints:
        """The number of every name, NONE for those that have none."""
        return np.fromiter(map(self._of, names), np.int64, len(names))

    def _of(self, name: str) -> int:
        number = self._number.get(name)
        if number is not None:
            return number
        if self.bits is not None:
            number = murmurhash3_32(name, positive=True) % 2**self.bits
            if len(self._number) < REMEMBERED:
                self._number[name] = number
            return int(number)
        if not self.learning:
            if len(self.unknown) < REMEMBERED:
                self.unknown[name] = None
            return NONE
        return self._number.setdefault(name, len(self._number))
