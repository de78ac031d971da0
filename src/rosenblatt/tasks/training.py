"""Out-of-core training: epochs over the blocks of a source that is read anew in every epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt._types import Ints
from rosenblatt.engine.run import Examples
from rosenblatt.rows import counting
from rosenblatt.tasks.task import Plan, Task, play_at_once

PIECE = 2**16
"""Rounds played at once in a block, unless something is due before."""


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
