"""A task: how a user's data becomes rounds of a run, and scores become answers. It owns the run.

Estimators, online learners and out-of-core training are skins over a task: `begin` makes a run for the first
data, `examples` makes rounds of data, and `rows` makes rows to answer about. `train_in_memory` plays all
epochs over data in memory, and `tasks/training.py` over files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.early_stopping import EarlyStopping
from rosenblatt.engine.learner import BLOCK, learn
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, Orders, Run
from rosenblatt.rows import Rows, rows_of, widened

WIDEST = 2**27
"""The most features of rows that come in blocks: the weights of all features must fit in memory."""


NOTHING_DRAWN = np.random.default_rng(0)
"""The generator to pass where nothing is drawn."""

MOST = 1e75
"""The largest weight, or value of new rows: sums of products of such numbers stay in the range of float64."""


def refuse_huge(data: Data) -> None:
    """Raise ValueError for values that may overflow later: weights changed in place cannot be rolled back."""
    values = data.data if sp.issparse(data) else data
    if values.size and float(max(values.max(), -values.min())) > MOST:
        raise ValueError(
            f"partial_fit without a kernel takes values up to {MOST:g}: sums of larger ones might leave the "
            f"range of float64. Got {max(values.max(), -values.min()):g}: scale the data."
        )


def check_width(features: int) -> None:
    """Raise ValueError if rows have more than WIDEST features."""
    if features > WIDEST:
        raise ValueError(
            f"Rows may have at most {WIDEST:,} features. Got {features:,}: hash them, as with --hash-bits 20."
        )


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


class Task:
    """The base of tasks.

    Attributes
    ----------
    run
        The run, once `begin` was called.
    """

    run: Run

    draws = False
    """Whether an epoch is a random sample, in which no mistake does not mean convergence."""

    def begin(self, block: Any, random: np.random.Generator, epochs: int = 1) -> None:
        """Begin a run with its first block, of which this many epochs will be played."""
        raise NotImplementedError

    def examples(self, block: Any, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return the rounds of a block of the run; where they are drawn, those of this many epochs."""
        raise NotImplementedError

    def more(self, block: Any, random: np.random.Generator) -> Examples:
        """Return the rounds of new data, with which the run continues."""
        return self.examples(block, random)

    def blocks(self, source: Iterable[Any]) -> Iterator[Any]:
        """Yield blocks that can be learned from one by one."""
        yield from source

    def orders(self, examples: Examples, epochs: int, random: np.random.Generator | None) -> Iterator[Ints]:
        """Return the order of the rounds in every epoch: drawn by `random`, or the given one without it."""
        return Orders(len(examples), epochs, random)

    def play(
        self,
        examples: Examples,
        orders: Iterable[Ints],
        *,
        block: int,
        progress: Progress | None = None,
        once: bool = False,
    ) -> None:
        """Play these epochs; see `engine.learn`."""
        learn(self.run, examples, orders, block=block, progress=progress, once=once)

    def finish(self) -> None:
        """Leave the task as if all blocks had been one."""


def train_in_memory(
    task: Task, block: Any, plan: Plan, watch: Callable[[Task], EarlyStopping] | None = None
) -> EarlyStopping | None:
    """Begin a run and play all epochs of one block, which is held in memory.

    Parameters
    ----------
    watch
        Returns what stops the run early, once there is a run; None to play all epochs.
    """
    task.begin(block, plan.random, plan.epochs)
    watching = None if watch is None else watch(task)
    play_at_once(task, task.examples(block, plan.random, plan.epochs), plan, watching)
    return watching


def play_at_once(task: Task, examples: Examples, plan: Plan, watching: EarlyStopping | None = None) -> None:
    """Play all epochs of the plan over these examples: with a kernel, scores are kept between epochs."""
    if not len(examples):
        return
    if plan.progress is not None:
        rounds = len(examples) * (1 if examples.repeats else plan.epochs)
        plan.progress.expect(task.run.book.rounds + rounds)
    orders = task.orders(examples, plan.epochs, plan.random if plan.shuffle else None)
    if watching is not None:
        orders = watching.watched(orders)
    task.play(examples, orders, block=plan.rows_per_block, progress=plan.progress)
    if watching is not None:
        watching.finish()


class RowTask(Task):
    """The base of tasks on rows of features, which may get wider as new features come in.

    Parameters
    ----------
    options
        The arguments of `engine.begin` besides the game and the features.

    Attributes
    ----------
    features
        How many features rows have; None if they are objects.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.features: int | None = None

    def blocks(self, source: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of the source, after a check of their width."""
        for block in source:
            check_width(block.X.shape[1])
            yield block

    def rows(self, data: Data) -> Rows:
        """Return rows to answer about."""
        return rows_of(data)

    def as_wide(self, X: Data) -> Data:
        """Return the data of a block as wide as the widest so far; reserve weights for new features."""
        if self.features is None:
            return X
        width = X.shape[1]
        if width > self.features:
            if self.run.primal is not None and self.run.primal.start is not None:
                raise ValueError(
                    f"Random weights are drawn for the {self.features} features of the first rows. Got "
                    f"{width} later: start at zero."
                )
            self.run.widen(width)
            self.features = width
        return widened(X, self.features) if width < self.features and sp.issparse(X) else X

    def more(self, block: Block, random: np.random.Generator) -> Examples:
        """Return the rounds of new data, with which the run continues."""
        if self.run.primal is not None:
            refuse_huge(block.X)
        return self.examples(block, random)

    def finish(self) -> None:
        """Free the memory reserved for features that never came."""
        if self.features is not None:
            self.run.narrow(self.features)
