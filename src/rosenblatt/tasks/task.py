"""A task: how a user's data becomes rounds of a run, and scores become answers. It owns the run.

Estimators, online learners and out-of-core training are skins over a task: `begin` makes a run for the first
data, `examples` makes rounds of data, and `rows` makes rows to answer about. `train_in_memory` plays all
epochs over data in memory, and `train` over files, out-of-core.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data, Floats, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.early_stopping import EarlyStopping
from rosenblatt.engine.learner import learn
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, Orders, Run
from rosenblatt.features.vocabulary import Vocabulary
from rosenblatt.rows import Csr, Rows, counting, rows_of, widened
from rosenblatt.tasks import naming
from rosenblatt.tasks.plans import Plan, Position

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


def check_weights(weights: Floats) -> None:
    """Raise ValueError for weights that are not numbers from 0 to MOST."""
    bad = np.flatnonzero(~((weights >= 0) & (weights <= MOST)))
    if len(bad):
        raise ValueError(
            f"Weights must be numbers from 0 to {MOST:g}. Got {weights[bad[0]]:g} for row {bad[0]}: look at "
            "sample_weight and class_weight."
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

    def admit(self, block: Any) -> None:  # noqa: B027  (most tasks know everything from the first block on)
        """Let the run know what is new in a block, such as classes, before its rounds are made."""

    def go_on(self, block: Any, epochs: int = 1) -> None:
        """Let the run know what is new in data with which it continues for this many epochs."""
        self.admit(block)

    def more(self, block: Any, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return the rounds of new data, with which the run continues for this many epochs."""
        self.go_on(block, epochs)
        return self.examples(block, random, epochs)

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

    def savepoint(self) -> Callable[[], None]:
        """Return a function that rolls back what an error leaves half done, apart from the run."""
        return lambda: None

    @abstractmethod
    def finish(self) -> None:
        """Leave the task as if all blocks had been one."""


def train_in_memory(
    task: Task,
    block: Any,
    plan: Plan,
    watch: Callable[[Task], EarlyStopping] | None = None,
    *,
    begun: bool = False,
) -> EarlyStopping | None:
    """Play all epochs of one block, which is held in memory.

    Parameters
    ----------
    watch
        Returns what scores the run after every epoch, once there is a run; None to play all epochs.
    begun
        Whether the task has a run already, which continues; else one is begun.
    """
    if not begun:
        task.begin(block, plan.random, plan.epochs)
    watching = None if watch is None else watch(task)
    rounds = task.more if begun else task.examples
    play_at_once(task, rounds(block, plan.random, plan.epochs), plan, watching)
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
        The position to resume from, for a task that has a run already; `Position.after(run)` to continue the
        run with other blocks.
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
        run.epochs = position.epochs_before + epoch + 1
        run.converged = run.book.total == position.corrected and not draws
        if run.converged and run.hypothesis.recent is None:  # as in `learn`: the others would correct nothing
            run.book.credit((plan.epochs - epoch - 1) * position.examples)
            break
        position = _next_epoch(position, run)
        again = only and room is None and not draws and position.epoch < plan.epochs
        if again and _may_play_on(run, position):
            with _counting(run, position):
                examples = task.examples(only[0], plan.random)
                play_at_once(task, examples, replace(plan, epochs=plan.epochs - position.epoch))
            break
    task.finish()


def _next_epoch(position: Position, run: Run) -> Position:
    """Return the position at the beginning of the next epoch."""
    again: dict[str, Any] = {"block": 0, "played": 0, "rows": 0, "examples": 0, "random": None}
    return replace(position, epoch=position.epoch + 1, corrected=run.book.total, **again)


def _may_play_on(run: Run, position: Position) -> bool:
    """Whether the epochs left may be played in one call: else Ctrl-C would wait for its end.

    A call on a run that is dropped or rolled back need not finish: see `engine.learner`.
    """
    return not position.examples_before or (run.kernel is not None and run.budget is None)


def _counting(run: Run, position: Position, *, sampled: bool = False) -> AbstractContextManager[None]:
    """Let the run count rows and examples from those before the current block; samples are always new."""
    examples = run.examples_seen if sampled else position.examples_before + position.examples
    return run.counting_from(position.rows_before + position.rows, examples)


def _play_block(
    task: Task, block: Any, plan: Plan, position: Position, room: Callable[[], int] | None
) -> Iterator[Position]:
    if position.rows_before and position.epoch == 0 and position.played == 0:
        task.go_on(block, plan.epochs)
    else:
        task.admit(block)
    random, run = plan.random, task.run
    if position.random is not None:
        random.bit_generator.state = position.random
    position.random = dict(random.bit_generator.state)
    with _counting(run, position):
        examples = task.examples(block, random)
    shuffled = plan.shuffle and not examples.repeats
    order = random.permutation(len(examples)) if shuffled else counting(len(examples))
    while position.played < len(order):
        size = PIECE if room is None else room()
        part, piece = _piece(examples, order[position.played : position.played + size])
        with _counting(run, position, sampled=examples.repeats):
            task.play(part, [piece], block=plan.rows_per_block, once=True)
        run.epochs, run.converged = position.epochs_before + position.epoch, False
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


def fitted_to(X: Data | Csr, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `engine.begin` with a kernel whose parameters these rows have decided."""
    kernel = options["kernel"]
    undecided = kernel is not None and kernel.undecided
    return options | {"kernel": kernel.fitted(rows_of(X).data)} if undecided else options


class RowTask(Task):
    """The base of tasks on rows of features, which may get wider as new features come in.

    Parameters
    ----------
    options
        The arguments of `engine.begin` besides the game and the features.
    made_by, hashing
        What makes named features of examples, and the number of columns that names are hashed into: the
        parameters `features` and `hashing` of `PerceptronClassifier`.

    Attributes
    ----------
    features
        How many features rows have; None if they are objects.
    vocabulary
        The columns of named features; None if rows are numbers or objects, or before the first.
    """

    def __init__(self, options: dict[str, Any], made_by: Any = None, hashing: int | None = None) -> None:
        self.options = options
        self.features: int | None = None
        self.hashing = hashing
        self.vocabulary: Vocabulary | None = None
        if made_by is not None:
            self.vocabulary = Vocabulary(made_by, hashing)

    def named_rows(self, X: Any, *, learning: bool) -> Any:
        """Return examples with named features as CSR rows; None for rows of numbers.

        While learning, new names get the next columns.
        """
        plain = sp.issparse(X) or (isinstance(X, np.ndarray) and X.ndim > 1)
        if plain and self.vocabulary is None and self.hashing is None:
            return None
        return naming.rows_of_names(self, X, learning=learning)

    def savepoint(self) -> Callable[[], None]:
        """Return a function that forgets the names that came since, unless the run has learned from them."""
        return super().savepoint() if self.vocabulary is None else naming.savepoint(self)

    def blocks(self, source: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of the source, after a check of their width."""
        for block in source:
            rows = self.named_rows(block.X, learning=True)
            found = block if rows is None else replace(block, X=rows)
            check_width(found.X.shape[1])
            yield found

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

    def go_on(self, block: Block, epochs: int = 1) -> None:
        """Let the run know what is new in data with which it continues for this many epochs."""
        if self.run.primal is not None:
            refuse_huge(block.X)
        super().go_on(block, epochs)

    def finish(self) -> None:
        """Free the memory reserved for features that never came."""
        if self.features is not None:
            self.run.narrow(self.features)


def intercept_of(fit_intercept: Any, *, kernel: bool) -> bool:
    """Return whether a constant feature is learned: "auto" is yes without a kernel only."""
    if isinstance(fit_intercept, str) and fit_intercept == "auto":
        return not kernel
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be 'auto', True or False. Got {fit_intercept!r}.")
    return bool(fit_intercept)
