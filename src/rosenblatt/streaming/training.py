"""Train in epochs over the blocks of a file, with checkpoints from which a killed run resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt._types import Ints
from rosenblatt.engine.run import Examples, Orders
from rosenblatt.estimators import inputs
from rosenblatt.persistence import Model, load_model, save
from rosenblatt.rows import counting
from rosenblatt.streaming.feeds import Feed


@dataclass
class Position:
    """The position of a run in the blocks of a file.

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


class Checkpoints:
    """The checkpoint file of a run, written every n rounds, from which the run can resume.

    Parameters
    ----------
    path
        The path of the file.
    every
        How many rounds lie between two checkpoints.
    about
        The data and options of the run, as values that JSON can hold: only a run with equal ones resumes.
    """

    def __init__(self, path: str | PathLike[str], every: int, about: dict[str, Any]) -> None:
        inputs.positive_integer("every", every)
        self.path = Path(fspath(path))
        self.every = every
        self.about = about
        self._since = 0

    def room(self) -> int:
        """How many rounds may be played until the next checkpoint."""
        return self.every - self._since

    def after(self, rounds: int, estimator: Any, position: Position) -> None:
        """Count rounds that were just played, and write a checkpoint if one is due."""
        self._since += rounds
        if self._since >= self.every:
            save(estimator, self.path, {"position": asdict(position), "about": self.about})
            self._since = 0

    def found(self) -> tuple[Any, Position] | None:
        """Return the estimator and the position to resume from; None if there is no file."""
        if not self.path.exists():
            return None
        model = load_model(self.path)
        if model.notes.get("about") != self.about:
            raise ValueError(
                f"{self.path} is the checkpoint of a run with other data or options, and cannot be resumed. "
                "Give the same data and options, or delete it to restart."
            )
        return model.estimator, _position(model, self.path)

    def done(self) -> None:
        """Delete the file: the run is complete."""
        self.path.unlink(missing_ok=True)


def _position(model: Model, path: Path) -> Position:
    try:
        position = Position(**model.notes["position"])
        np.random.default_rng(0).bit_generator.state = position.random  # type: ignore[assignment]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is not a checkpoint: it holds no position to resume from.") from None
    return position


def fit_blocks(
    feed: Feed,
    estimator: Any,
    source: Iterable[Any],
    *,
    checkpoints: Checkpoints | None = None,
    position: Position | None = None,
    told: Callable[[], None] = lambda: None,
) -> None:
    """Fit an estimator to all blocks of a source, in as many epochs as the estimator has.

    The rows of a block are shown in a new random order if the estimator shuffles, else in theirs. Rows have
    the ids they would have if all were one block, in every epoch; without shuffling the ledger is that of
    `fit`, but for rounding with a kernel.

    Parameters
    ----------
    source
        An iterable that yields the same blocks in every epoch.
    position
        The position to resume from, for an estimator loaded from a checkpoint.
    told
        Called whenever more rounds were played.
    """
    random = inputs.generator(estimator.random_state)
    begun, position = position is not None, position or Position()
    only: list[Any] = []
    for epoch in range(position.epoch, estimator.epochs):
        for index, block in enumerate(only or feed.blocks(source)):
            if index < position.block:
                continue
            if not begun:
                feed.begin(block, random)
                begun = True
            if position.random is not None:
                random.bit_generator.state = position.random
            position.random = dict(random.bit_generator.state)
            _play_block(feed, estimator, block, random, position, checkpoints, told)
            only = [block] if index == 0 else []
        if position.block == 0:
            raise ValueError("There is nothing to learn from. Got no rows.")
        run = estimator._run
        run.epochs, run.converged = epoch + 1, run.book.total == position.corrected and not _draws(estimator)
        if run.converged and run.hypothesis.recent is None:  # as in `learn`: the others would correct nothing
            run.book.credit((estimator.epochs - epoch - 1) * position.examples)
            break
        position = Position(epoch=epoch + 1, corrected=run.book.total)
        if only and checkpoints is None and not _draws(estimator) and position.epoch < estimator.epochs:
            _play_rest(feed, estimator, only[0], random, estimator.epochs - position.epoch, told)
            break
    feed.finish()


class _Told:
    """A progress bar that only calls a function at every update."""

    def __init__(self, told: Callable[[], None]) -> None:
        self._told = told

    def at(self, rounds: int, mistakes: int, done: bool = False) -> None:
        self._told()


def _play_rest(
    feed: Feed,
    estimator: Any,
    block: Any,
    random: np.random.Generator,
    epochs: int,
    told: Callable[[], None],
) -> None:
    """Play the remaining epochs of a one-block source: with a kernel, scores are kept between epochs."""
    run = estimator._run
    with run.counting_from(0, 0):
        examples = feed.examples(block, random)
        orders = Orders(len(examples), epochs, random if estimator.shuffle else None)
        estimator._play(examples, orders, _Told(told))


def _draws(estimator: Any) -> bool:
    """Whether an epoch is a random sample, in which no mistake does not mean convergence."""
    return getattr(estimator, "strategy", "") == "pairs"


def _play_block(
    feed: Feed,
    estimator: Any,
    block: Any,
    random: np.random.Generator,
    position: Position,
    checkpoints: Checkpoints | None,
    told: Callable[[], None],
) -> None:
    run = estimator._run
    with run.counting_from(position.rows, position.examples):
        examples = feed.examples(block, random)
    shuffled = estimator.shuffle and not examples.repeats
    order = random.permutation(len(examples)) if shuffled else counting(len(examples))
    for part, piece in _pieces(examples, order, position, checkpoints):
        with run.counting_from(position.rows, run.examples_seen if examples.repeats else position.examples):
            estimator._play(part, [piece], once=True)
        run.epochs, run.converged = position.epoch, False
        position.played += len(piece)
        if checkpoints is not None:
            checkpoints.after(len(piece), estimator, position)
        told()
    position.block += 1
    position.played = 0
    position.rows += len(examples.rows)
    position.examples += len(examples)
    position.random = None


PIECE = 2**16
"""Rounds played at once if there are no checkpoints."""


def _pieces(
    examples: Examples, order: Ints, position: Position, checkpoints: Checkpoints | None
) -> Iterator[tuple[Examples, Ints]]:
    """Yield the rest of a block in pieces that end where a checkpoint is due."""
    while position.played < len(order):
        size = PIECE if checkpoints is None else checkpoints.room()
        piece = order[position.played : position.played + size]
        if not examples.repeats:
            yield examples, piece
            continue
        first, last = examples.starts[piece[0]], examples.starts[piece[-1] + 1]
        starts = examples.starts[piece[0] : piece[-1] + 2] - first
        part = replace(examples, starts=starts, index=examples.index[first:last])
        yield part, counting(len(part))
