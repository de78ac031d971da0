"""Sequences stored by column, as readers of files make them and encoders take them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, overload

from rosenblatt._types import Ints


class Columns(Sequence[list[Any]]):
    """A list of sequences of tokens, each a tuple of strings; or a string, if `plain`.

    Reads like a list of lists, whose tokens are made when they are read.

    >>> import numpy as np
    >>> Columns([["Rome", "fell", "It"], ["NNP", "VBD", "PRP"]], np.array([0, 2, 3]))[0]
    [('Rome', 'NNP'), ('fell', 'VBD')]
    """

    def __init__(self, columns: Sequence[list[str]], starts: Ints, plain: bool = False) -> None:
        self.columns = columns
        self.starts = starts
        self.plain = plain

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, index: int) -> list[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[list[Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step != 1:
                return [self[i] for i in range(first, last, step)]
            starts = self.starts[first : max(first, last) + 1]
            return Columns(
                [column[starts[0] : starts[-1]] for column in self.columns], starts - starts[0], self.plain
            )
        i = range(len(self))[index]
        cut = [column[self.starts[i] : self.starts[i + 1]] for column in self.columns]
        return cut[0] if self.plain else list(zip(*cut, strict=True))

    def __iter__(self) -> Iterator[list[Any]]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} sequences of {self.starts[-1]} tokens>"


def flat(sequences: Sequence[Any]) -> list[Any]:
    """All tokens, one after the other."""
    if isinstance(sequences, Columns):
        return sequences.columns[0] if sequences.plain else list(zip(*sequences.columns, strict=True))
    return list(chain.from_iterable(sequences))
