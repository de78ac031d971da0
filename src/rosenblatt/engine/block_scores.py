"""Scores of blocks of rows, computed from the current guess; nothing is kept between blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.rows import Rows

if TYPE_CHECKING:
    from rosenblatt.engine.hypotheses import Hypothesis


class BlockScores:
    """Scores of blocks of rows, each computed from the current guess."""

    def __init__(self, hypothesis: Hypothesis, rows: Rows) -> None:
        self._hypothesis = hypothesis
        self._rows = rows
        self._order: Ints = np.empty(0, np.int64)

    def begin(self, order: Ints) -> None:
        """Begin an epoch in which the rows are played in this order."""
        self._order = order

    def open(self, part: slice) -> tuple[Rows, Floats]:
        """Return the rows of this part of the order and their scores (outputs × rows)."""
        block = self._rows.take(self._order[part])
        return block, np.ascontiguousarray(self._hypothesis.scores(block).T)

    def gram(self, block: Rows, wanted: Ints) -> Array:
        """Return the similarities of the wanted rows of a block to all of it."""
        return self._hypothesis.support.similarities(block.take(wanted), block)

    def close(
        self, part: slice, scores: Floats, block: Rows, entries: tuple[Ints, Ints, Floats, Floats]
    ) -> None:
        """Add the entries that playing the block has left to the guess."""
        if len(entries[0]):
            self._hypothesis.add(block, *entries)
