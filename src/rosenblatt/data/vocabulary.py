"""The vocabulary maps names of features to ids: in order of appearance, fixed, or hashed into buckets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from sklearn.utils import murmurhash3_32

from rosenblatt._types import Ints

NONE = -1
"""The id of an unknown name."""

REMEMBERED = 2**17
"""The most names whose hashes are cached, and the most unknown names that are kept."""


class Vocabulary:
    """A mapping from names of features to ids.

    Parameters
    ----------
    names
        Names known from the beginning.
    bits
        None to give ids in order of appearance; or b to hash names into 2^b buckets.
    learning
        Whether new names get an id. If not, they are collected in `unknown`.

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
        self._ids = {name: i for i, name in enumerate(names)}

    def __len__(self) -> int:
        return len(self._ids) if self.bits is None else 2**self.bits

    @property
    def names(self) -> list[str]:
        """All names in the order of their ids; none if they are hashed."""
        return [] if self.bits is not None else list(self._ids)

    @cached_property
    def columns_of_texts(self) -> frozenset[str]:
        """Columns known only by strings, as in `colour=red`; valid after learning."""
        return frozenset(name.partition("=")[0] for name in self.names if "=" in name) - self._ids.keys()

    def numbers(self, names: Sequence[str]) -> Ints:
        """Return the id of every name, NONE for unknown ones."""
        return np.fromiter(map(self._of, names), np.int64, len(names))

    def _of(self, name: str) -> int:
        known = self._ids.get(name)
        if known is not None:
            return known
        if self.bits is not None:
            bucket = murmurhash3_32(name, positive=True) % 2**self.bits
            if len(self._ids) < REMEMBERED:
                self._ids[name] = bucket
            return int(bucket)
        if not self.learning:
            if len(self.unknown) < REMEMBERED:
                self.unknown[name] = None
            return NONE
        return self._ids.setdefault(name, len(self._ids))
