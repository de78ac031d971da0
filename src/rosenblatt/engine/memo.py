"""A cache of values computed from a guess, valid until the guess moves."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")


class Memo:
    """Values that hold for one moment of a run, each computed once.

    Several threads may read: the moment and its values are replaced together. A copy starts empty.
    """

    def __init__(self) -> None:
        self._kept: tuple[Hashable, dict[str, Any]] = (None, {})

    def __reduce__(self) -> Any:
        return Memo, ()

    def has(self, moment: Hashable, name: str) -> bool:
        """Whether the value of this name at this moment is cached."""
        return self._kept[0] == moment and name in self._kept[1]

    def get(self, moment: Hashable, name: str, compute: Callable[[], Value]) -> Value:
        """Return the value of this name at this moment; values of other moments are dropped."""
        kept, values = self._kept
        values = values if kept == moment else {}
        if name not in values:
            values = values | {name: compute()}
            self._kept = moment, values
        found: Value = values[name]
        return found

    def clear(self) -> None:
        """Drop all values: the guess was changed outside of a round."""
        self._kept = (None, {})
