"""A task: how a user's data becomes rounds of a run, and scores become answers. It owns the run.

Estimators, online learners and out-of-core training are skins over a task: `begin` makes a run for the first
data, `examples` makes rounds of data, and `rows` makes rows to answer about. `train_in_memory` plays all
epochs over data in memory, and `train` over files, out-of-core.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.early_stopping import EarlyStopping
from rosenblatt.engine.learner import BLOCK, learn
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, Orders, Run
from rosenblatt.rows import Rows, counting, rows_of, widened

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
            f"A run that goes on takes values up to {MOST:g}: sums of larger ones might leave the range of "
            f"float64. Got {max(values.max(), -values.min()):g}: scale the data."
        )


def check_width(features: int) -> None:
    """Raise ValueError if rows have more than WIDEST features."""
    if features > WIDEST:
        raise ValueError(
            f"Rows may have at most {WIDEST:,} features. Got {features:,}: hash them into fewer, as "
            "--hash-bits 20 does on the command line."
        )


PIECE = 2**16
"""Rounds played at once in a block, unless something is due before."""


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
    """

    epoch: int = 0
    block: int = 0
    played: int = 0
    rows: int = 0
    examples: int = 0
    corrected: int = 0
    random: dict[str, Any] | None = None


class Task(ABC):
    """The base of tasks.

    Attributes
    ----------
    run
        The run, once `begin` was called.
    """

    run: Run

    draws = False
    """Whether an epoch is a random sample, in which no mistake does not mean convergence."""

    @abstractmethod
    def begin(self, block: Any, random: np.random.Generator, epochs: int = 1) -> None:
        """Begin a run with its first block, of which this many epochs will be played."""

    @abstractmethod
    def examples(self, block: Any, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return the rounds of a block of the run; where they are drawn, those of this many epochs."""

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

    @abstractmethod
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


def train(
    task: Task,
    source: Iterable[Any],
    plan: Plan,
    position: Position | None = None,
    room: Callable[[], int] | None = None,
) -> Iterator[Position]:
    """Play epochs over the blocks of a source; yields the position after every piece that was played.

    The rows of a block are shown in a new random order if the plan shuffles, else in theirs. Rows have
    the ids they would have if all were one block, in every epoch; without shuffling the ledger is that of
    `train_in_memory`, but for rounding with a kernel.

    Parameters
    ----------
    source
        An iterable that yields the same blocks in every epoch.
    position
        The position to resume from, for a task that has a run already.
    room
        Returns how many rounds may be played before the next yield; None if that does not matter.
    """
    begun, position = position is not None, position or Position()
    only: list[Any] = []
    for epoch in range(position.epoch, plan.epochs):
        for index, block in enumerate(only or task.blocks(source)):
            if index < position.block:
                continue
            if not begun:
                task.begin(block, plan.random, plan.epochs)
                begun = True
            yield from _play_block(task, block, plan, position, room)
            only = [block] if index == 0 else []
        if position.block == 0:
            raise ValueError("There is nothing to learn from. Got no rows.")
        run, draws = task.run, task.draws
        run.epochs, run.converged = epoch + 1, run.book.total == position.corrected and not draws
        if run.converged and run.hypothesis.recent is None:  # as in `learn`: the others would correct nothing
            run.book.credit((plan.epochs - epoch - 1) * position.examples)
            break
        position = Position(epoch=epoch + 1, corrected=run.book.total)
        if only and room is None and not draws and position.epoch < plan.epochs:
            with run.counting_from(0, 0):
                examples = task.examples(only[0], plan.random)
                play_at_once(task, examples, replace(plan, epochs=plan.epochs - position.epoch))
            break
    task.finish()


def _play_block(
    task: Task, block: Any, plan: Plan, position: Position, room: Callable[[], int] | None
) -> Iterator[Position]:
    random, run = plan.random, task.run
    if position.random is not None:
        random.bit_generator.state = position.random
    position.random = dict(random.bit_generator.state)
    with run.counting_from(position.rows, position.examples):
        examples = task.examples(block, random)
    shuffled = plan.shuffle and not examples.repeats
    order = random.permutation(len(examples)) if shuffled else counting(len(examples))
    while position.played < len(order):
        size = PIECE if room is None else room()
        part, piece = _piece(examples, order[position.played : position.played + size])
        with run.counting_from(position.rows, run.examples_seen if examples.repeats else position.examples):
            task.play(part, [piece], block=plan.rows_per_block, once=True)
        run.epochs, run.converged = position.epoch, False
        position.played += len(piece)
        if plan.progress is not None:
            plan.progress.at(run.book.rounds, run.book.total)
        yield position
    position.block += 1
    position.played = 0
    position.rows += len(examples.rows)
    position.examples += len(examples)
    position.random = None


def _piece(examples: Examples, piece: Ints) -> tuple[Examples, Ints]:
    """Return examples and an order for some rounds; rounds that were drawn are cut out of the others."""
    if not examples.repeats:
        return examples, piece
    first, last = examples.starts[piece[0]], examples.starts[piece[-1] + 1]
    starts = examples.starts[piece[0] : piece[-1] + 2] - first
    part = replace(examples, starts=starts, index=examples.index[first:last])
    return part, counting(len(part))


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
