"""Epoch after epoch over the blocks of a file, with checkpoints from which a killed run goes on."""

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
class Place:
    """Where a run over the blocks of a file is.

    Parameters
    ----------
    epoch, block, played
        How many epochs were played, how many blocks of the present one, and how many rounds of the present
        block.
    rows, examples
        How many of them are in the blocks before the present one.
    corrected
        How many corrections there were before the present epoch.
    random
        The state of the generator of random numbers before the present block was read.
    """

    epoch: int = 0
    block: int = 0
    played: int = 0
    rows: int = 0
    examples: int = 0
    corrected: int = 0
    random: dict[str, Any] | None = None


class Checkpoints:
    """The file that a run can be gone on with from, written every so many rounds.

    Parameters
    ----------
    path
        Where it is.
    every
        After how many rounds to write it again.
    about
        What the run is about, values that JSON can hold: a run that is about something else does not go on.
    """

    def __init__(self, path: str | PathLike[str], every: int, about: dict[str, Any]) -> None:
        inputs.whole("every", every)
        self.path = Path(fspath(path))
        self.every = every
        self.about = about
        self._since = 0

    def room(self) -> int:
        """How many rounds may be played until the next one."""
        return self.every - self._since

    def after(self, rounds: int, estimator: Any, place: Place) -> None:
        """So many more rounds were played, and everything is whole."""
        self._since += rounds
        if self._since >= self.every:
            save(estimator, self.path, {"place": asdict(place), "about": self.about})
            self._since = 0

    def found(self) -> tuple[Any, Place] | None:
        """The estimator and the place to go on from, if there is a file."""
        if not self.path.exists():
            return None
        model = load_model(self.path)
        if model.notes.get("about") != self.about:
            raise ValueError(
                f"{self.path} is of a run with other data or options, and cannot be gone on with. Give the "
                "same, or delete it to begin anew."
            )
        return model.estimator, _place(model, self.path)

    def done(self) -> None:
        """The run is complete: there is nothing to go on with."""
        self.path.unlink(missing_ok=True)


def _place(model: Model, path: Path) -> Place:
    try:
        place = Place(**model.notes["place"])
        np.random.default_rng(0).bit_generator.state = place.random  # type: ignore[assignment]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is no checkpoint: there is no place to go on from in it.") from None
    return place


def fit_blocks(
    feed: Feed,
    estimator: Any,
    source: Iterable[Any],
    *,
    checkpoints: Checkpoints | None = None,
    place: Place | None = None,
    told: Callable[[], None] = lambda: None,
) -> None:
    """Learn from all blocks of a source, as often as the estimator has epochs.

    The rows of a block are shown in an order drawn anew if the estimator shuffles, else as they are. Rows
    have the numbers they would have if all were one block, in every epoch; without shuffling the ledger is
    that of `fit`, but for rounding with a kernel.

    Parameters
    ----------
    source
        What hands out the same blocks whenever it is gone through.
    place
        Where to go on from, for an estimator that was there before.
    told
        Called whenever there is something new to be seen.
    """
    random = inputs.generator(estimator.random_state)
    begun, place = place is not None, place or Place()
    only: list[Any] = []
    for epoch in range(place.epoch, estimator.epochs):
        for number, block in enumerate(only or feed.blocks(source)):
            if number < place.block:
                continue
            if not begun:
                feed.begin(block, random)
                begun = True
            if place.random is not None:
                random.bit_generator.state = place.random
            place.random = dict(random.bit_generator.state)
            _play_block(feed, estimator, block, random, place, checkpoints, told)
            only = [block] if number == 0 else []
        if place.block == 0:
            raise ValueError("There is nothing to learn from. Got no rows.")
        run = estimator._run
        run.epochs, run.converged = epoch + 1, run.book.total == place.corrected and not _draws(estimator)
        if run.converged and run.hypothesis.recent is None:  # as in `learn`: the others would correct nothing
            run.book.credit((estimator.epochs - epoch - 1) * place.examples)
            break
        place = Place(epoch=epoch + 1, corrected=run.book.total)
        if only and checkpoints is None and not _draws(estimator) and place.epoch < estimator.epochs:
            _play_rest(feed, estimator, only[0], random, estimator.epochs - place.epoch, told)
            break
    feed.finish()


class _Told:
    """A progress bar that only passes on that there is something new."""

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
    """The epochs that are left over the one block there is: with a kernel, scores are kept between them."""
    run = estimator._run
    with run.counting_from(0, 0):
        examples = feed.examples(block, random)
        orders = Orders(len(examples), epochs, random if estimator.shuffle else None)
        estimator._play(examples, orders, _Told(told))


def _draws(estimator: Any) -> bool:
    """Whether an epoch is a sample, which may be right by chance."""
    return getattr(estimator, "strategy", "") == "pairs"


def _play_block(
    feed: Feed,
    estimator: Any,
    block: Any,
    random: np.random.Generator,
    place: Place,
    checkpoints: Checkpoints | None,
    told: Callable[[], None],
) -> None:
    run = estimator._run
    with run.counting_from(place.rows, place.examples):
        examples = feed.examples(block, random)
    shuffled = estimator.shuffle and not examples.repeats
    order = random.permutation(len(examples)) if shuffled else counting(len(examples) + 1)[:-1]
    for part, piece in _pieces(examples, order, place, checkpoints):
        with run.counting_from(place.rows, run.examples_seen if examples.repeats else place.examples):
            estimator._play(part, [piece], once=True)
        run.epochs, run.converged = place.epoch, False
        place.played += len(piece)
        if checkpoints is not None:
            checkpoints.after(len(piece), estimator, place)
        told()
    place.block += 1
    place.played = 0
    place.rows += len(examples.rows)
    place.examples += len(examples)
    place.random = None


PIECE = 2**16
"""Rounds that are played at once where there are no checkpoints."""


def _pieces(
    examples: Examples, order: Ints, place: Place, checkpoints: Checkpoints | None
) -> Iterator[tuple[Examples, Ints]]:
    """What is left of a block, in pieces that end where a checkpoint is due."""
    while place.played < len(order):
        size = PIECE if checkpoints is None else checkpoints.room()
        piece = order[place.played : place.played + size]
        if not examples.repeats:
            yield examples, piece
            continue
        first, last = examples.starts[piece[0]], examples.starts[piece[-1] + 1]
        starts = examples.starts[piece[0] : piece[-1] + 2] - first
        part = replace(examples, starts=starts, index=examples.index[first:last])
        yield part, counting(len(part) + 1)[:-1]
