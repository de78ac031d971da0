"""How to train, and how far a run has come in the blocks it is trained on: values for `tasks.task.train`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.learner import BLOCK
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Run


@dataclass(frozen=True)
class Plan:
    """How to train.

    Parameters
    ----------
    epochs
        Passes over all blocks.
    random
        The generator of all random choices.
    shuffle
        Whether to draw an order in every epoch, within blocks.
    rows_per_block
        Rows of the fast path with a kernel that are compared at once.
    progress
        The progress bar; None for none.
    """

    epochs: int
    random: np.random.Generator
    shuffle: bool = True
    rows_per_block: int = BLOCK
    progress: Progress | None = None


@dataclass
class Position:
    """The position of a run in the blocks of a source.

    Parameters
    ----------
    epoch, block, played
        Complete epochs, complete blocks of the current epoch, and rounds played of the current block.
    rows, examples
        Rows and examples in the blocks of this epoch before the current one.
    corrected
        Corrections made before the current epoch.
    random
        The state of the random generator before the current block was read.
    rows_before, examples_before, epochs_before
        Those of the run before the first of these blocks; 0 unless it continues with them.
    """

    epoch: int = 0
    block: int = 0
    played: int = 0
    rows: int = 0
    examples: int = 0
    corrected: int = 0
    random: dict[str, Any] | None = None
    rows_before: int = 0
    examples_before: int = 0
    epochs_before: int = 0

    @classmethod
    def after(cls, run: Run) -> Position:
        """Return the position from which a run continues with other blocks."""
        return cls(
            corrected=run.book.total,
            rows_before=run.rows_seen,
            examples_before=run.examples_seen,
            epochs_before=run.epochs,
        )
