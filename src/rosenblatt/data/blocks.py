"""Blocks: consecutive rows of a file, which all readers of rows yield and all learners of rows take."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from rosenblatt.rows import count, widened

Some = TypeVar("Some")

APART = 1000.0
"""The ratio of the scales of two columns above which the smaller one hardly counts; see `data.scales`."""


class Skipped(NamedTuple):
    """A bad line that was skipped: its number, from 1, and what is wrong with it."""

    line: int
    reason: str


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive rows of a file, or all rows of a data set in memory.

    Parameters
    ----------
    X
        The rows: a dense array, a CSR array, or a list of objects.
    y
        A label per row, numbers or strings; None if there are none.
    qid
        The query of every row; None if there are none.
    ids
        The names of rows; None if they have none.
    skipped
        Bad lines that were skipped.
    sample_weight
        A weight per row, or one for all; None for 1.
    """

    X: Any
    y: Any
    qid: Any = None
    ids: list[str] | None = None
    skipped: list[Skipped] = field(default_factory=list)
    sample_weight: Any = None

    def __len__(self) -> int:
        return count(self.X)

    def take(self, index: Any) -> Block:
        """Return a block of the rows at these indices, an array or a slice, in this order."""
        listed = isinstance(self.X, list) and not isinstance(index, slice)
        X = [self.X[i] for i in index] if listed else self.X[index]
        y, qid, weights = (_taken(part, index) for part in (self.y, self.qid, self.sample_weight))
        return Block(X, y, qid, sample_weight=weights)

    @property
    def bytes_of_rows(self) -> int:
        """The memory that the numbers of the rows take."""
        X = self.X
        return sum(a.nbytes for a in ((X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)))


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequences of a file or in memory.

    Parameters
    ----------
    X, y
        The sequences, and a label for every token.
    skipped
        Bad lines that were skipped.
    sample_weight
        A weight per sequence; None for 1.
    classes
        All labels that will occur; None for those that do.
    """

    X: Any
    y: Any
    skipped: tuple[Skipped, ...] = ()
    sample_weight: Any = None
    classes: Any = None

    def __len__(self) -> int:
        return len(self.X)

    def take(self, index: Any) -> Sequences:
        """Return these sequences, in this order."""
        X, y = ([part[i] for i in index] for part in (self.X, self.y))
        return Sequences(X, y, sample_weight=_taken(self.sample_weight, index), classes=self.classes)


def _taken(values: Any, index: Any) -> Any:
    """Return the values at these indices; one value for all, or None, stays."""
    return values if values is None or np.asarray(values).ndim == 0 else np.asarray(values)[index]


def one_ahead(blocks: Iterator[Some]) -> Generator[Some, None, None]:
    """Yield blocks, each computed in a background thread while the one before it is in use."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = pool.submit(next, blocks, None)
            yield block


def joined(blocks: Sequence[Block]) -> Block:
    """Concatenate blocks into one; sparse rows get the width of the widest."""
    if len(blocks) == 1:
        return blocks[0]
    rows: list[Any] = [block.X for block in blocks]
    if sp.issparse(rows[0]):
        width = max(X.shape[1] for X in rows)
        X: Any = sp.csr_array(sp.vstack([widened(X, width) for X in rows]))
    else:
        X = np.vstack(rows)
    ids = None if blocks[0].ids is None else [name for block in blocks for name in block.ids or ()]
    y, qid, weights = (
        None if any(part is None for part in parts) else np.concatenate(parts)
        for parts in (
            [block.y for block in blocks],
            [block.qid for block in blocks],
            [block.sample_weight for block in blocks],
        )
    )
    return Block(X, y, qid, ids, sample_weight=weights)


class BadLines:
    """The bad lines of a file, which are skipped up to a limit."""

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self._most = most
        self._found: list[Skipped] = []
        self._count = 0

    def add(self, line: int, why: str) -> None:
        """Skip a line, or raise ValueError beyond the limit."""
        if self._count >= self._most:
            before = f", after {self._count} lines that were left out" if self._count else ""
            raise ValueError(f"Line {line} of {self.name} is bad: {why}{before}.")
        self._count += 1
        self._found.append(Skipped(line, why))

    def taken(self) -> list[Skipped]:
        """Return the lines skipped since the last call."""
        found, self._found = self._found, []
        return found
