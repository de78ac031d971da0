"""The learner: `play` is the definition, one round at a time; the others write the same ledger faster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Floats, Ints
from rosenblatt.games import Game
from rosenblatt.hypotheses import Dual, Primal
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import Book, Ledger
from rosenblatt.loops.blocks import block_loop
from rosenblatt.loops.book import CORRECTION, ENTRY, OFFSET, blank, norm_squared
from rosenblatt.loops.sparse import sparse_loop
from rosenblatt.progress import Progress
from rosenblatt.rows import Rows
from rosenblatt.rules import Perceptron, Rule

BLOCK = 512
"""Rounds per block: large enough for the matrix products, small enough for the processor's cache."""

STRETCH = 50_000
"""Rounds per call of the sparse pass: often enough for a progress bar, too seldom to cost time."""


@dataclass(frozen=True)
class Examples:
    """What player A shows and then reveals.

    Parameters
    ----------
    rows
        All rows, those of one round next to each other.
    truths
        The truth about every row, as the game reads it.
    starts
        Where the rows of each round begin, and where the last ones end; one row per round by default.
    weights
        What a correction on each round counts for; 1 by default.
    """

    rows: Rows
    truths: Ints
    starts: Ints = field(default=None)  # type: ignore[assignment]
    weights: Floats = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.starts is None:
            object.__setattr__(self, "starts", np.arange(len(self.rows) + 1))
        if self.weights is None:
            object.__setattr__(self, "weights", np.ones(len(self)))

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass
class Run:
    """Everything a run is at one moment: the game, the rule, the current guess and the book."""

    game: Game
    rule: Rule
    hypothesis: Primal | Dual
    book: Book
    rows_seen: int = 0
    examples_seen: int = 0

    @property
    def ledger(self) -> Ledger:
        """The record so far."""
        return self.book.ledger

    def number(self, data: Any) -> Rows:
        """New rows under the numbers they will have in this run."""
        rows = Rows(data)
        rows.ids += self.rows_seen
        return rows


def begin(
    game: Game,
    *,
    features: int | None = None,
    kernel: Kernel | None = None,
    rule: Rule | None = None,
    intercept: bool = False,
    start: Floats | None = None,
    keep: bool = True,
) -> Run:
    """A run before its first round: in the dual if there is a kernel, else in the primal."""
    constant = float(intercept)
    hypothesis: Primal | Dual
    if kernel is not None:
        hypothesis = Dual(kernel, constant, game.outputs, game.offsets)
    elif features is None:
        raise ValueError("A run in the primal needs to know how many features a row has. Got features=None.")
    else:
        weights = np.zeros((features + 1, game.outputs)) if start is None else start
        hypothesis = Primal(weights, constant, game.offsets, keep)
    return Run(game, rule or Perceptron(), hypothesis, Book(game.tracks))


def learn(
    run: Run, examples: Examples, orders: Iterable[Ints], *, block: int = BLOCK, progress: Progress | None = None
) -> tuple[int, bool]:
    """Play these epochs by the fastest path that fits the data.

    Returns
    -------
    The number of epochs played, and whether the last one was without a correction.
    """
    if isinstance(run.hypothesis, Primal) and sp.issparse(examples.rows.data):
        return play_sparse(run, examples, orders, progress=progress)
    if len(examples) == 1:
        return play(run, examples, orders, progress=progress)
    return play_blocks(run, examples, orders, block=block, progress=progress)


def play(run: Run, examples: Examples, orders: Iterable[Ints], *, progress: Progress | None = None) -> tuple[int, bool]:
    """The definition: any game, primal or dual, one round after the other."""

    def epoch(order: Ints) -> None:
        for i in order.tolist():
            _play_round(run, examples, i)
            _tell(progress, run)

    return _epochs(run, examples, orders, epoch, progress)


def _play_round(run: Run, examples: Examples, i: int) -> None:
    game, rule, hypothesis = run.game, run.rule, run.hypothesis
    first, last = examples.starts[i], examples.starts[i + 1]
    rows, truth = examples.rows.take(slice(first, last)), examples.truths[first:last]
    width = 2 * len(rows) * (game.outputs + 1) + 2 * game.offsets
    where, amount = np.empty((width, 2), np.int64), np.empty(width)
    lines, entries = [], []
    for track in range(game.tracks):
        count, margin, wrong = game.judge(hypothesis.scores(rows), hypothesis.offsets, truth, track, where, amount)
        if not (wrong or margin < rule.reach) or examples.weights[i] == 0:
            continue
        norm = norm_squared(where, amount, count, hypothesis.memory.similarities(rows, rows))
        size = rule.step(margin, norm, rule.parameters) * examples.weights[i]
        when = float(run.book.rounds + 1)
        for a in range(count):
            row, change = int(where[a, 0]), size * amount[a]
            entries.append((len(lines), OFFSET if row < 0 else first + row, where[a, 1], change))
            if row < 0:
                hypothesis.offsets[where[a, 1]] += change
            else:
                hypothesis.add(rows, *(np.array([value]) for value in (row, where[a, 1], change, when)))
        lines.append((when, i, track, margin, norm, wrong, size))
    _write(run, examples, 1, np.array(lines, float).reshape(-1, len(CORRECTION)), np.array(entries, float).reshape(-1, len(ENTRY)))


def play_blocks(
    run: Run, examples: Examples, orders: Iterable[Ints], *, block: int = BLOCK, progress: Progress | None = None
) -> tuple[int, bool]:
    """The exact fast path for the dual and the dense primal.

    A block's scores against everything corrected before it are one matrix product; inside the block
    a compiled loop plays the rounds one by one, adding each correction to the scores of the others.
    Only those rows of the block's Gram matrix are computed that a correction needs.
    """
    board = run.hypothesis.board(examples.rows)
    loop = block_loop(run.game.judge, run.rule.step)

    def epoch(order: Ints) -> None:
        if run.book.rounds > began:
            board.settle()
        for at in range(0, len(order), block):
            _play_block(run, examples, board, loop, order[at : at + block])
            _tell(progress, run)

    began = run.book.rounds
    return _epochs(run, examples, orders, epoch, progress)


def _play_block(run: Run, examples: Examples, board: Any, loop: Any, rounds: Ints) -> None:
    lengths = examples.starts[rounds + 1] - examples.starts[rounds]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    index = np.arange(starts[-1]) + np.repeat(examples.starts[rounds] - starts[:-1], lengths)
    rows, scores = board.open(index)
    gram, known = np.empty((len(rows), len(rows)), _gram_dtype(rows)), np.zeros(len(rows), bool)
    (corrections, entries), k, e, turn = blank(), 0, 0, 0
    while turn >= 0:
        wanted = np.zeros(len(rows), bool)
        turn, corrections, k, entries, e = loop(
            turn, run.game.tracks, starts, examples.truths[index], examples.weights[rounds], scores,
            run.hypothesis.offsets, gram, known, wanted, run.rule.reach, run.rule.parameters,
            run.book.rounds, corrections, k, entries, e,
        )  # fmt: skip
        missing = np.flatnonzero(wanted)
        if len(missing):
            near = board.gram(rows, missing)
            gram = gram.astype(np.promote_types(gram.dtype, near.dtype), copy=False)
            gram[missing] = near
            known[missing] = True
    corrections, entries = corrections[:k].copy(), entries[:e].copy()
    on_rows = entries[entries[:, 1] != OFFSET]
    place, output = on_rows[:, 1].astype(np.int64), on_rows[:, 2].astype(np.int64)
    board.close(index, scores, rows, (place, output, on_rows[:, 3], corrections[on_rows[:, 0].astype(np.int64), 0]))
    corrections[:, 1] = rounds[corrections[:, 1].astype(np.int64)]
    entries[entries[:, 1] != OFFSET, 1] = index[place]
    _write(run, examples, len(rounds), corrections, entries)


def _gram_dtype(rows: Rows) -> Any:
    return rows.data.dtype if getattr(rows.data, "dtype", None) == np.float32 else np.float64


def play_sparse(
    run: Run, examples: Examples, orders: Iterable[Ints], *, progress: Progress | None = None
) -> tuple[int, bool]:
    """The compiled pass for CSR rows in the primal."""
    hypothesis, data, starts = run.hypothesis, examples.rows.data, examples.starts
    if not isinstance(hypothesis, Primal):
        raise ValueError("play_sparse plays in the primal. Got a run with a kernel: use play_blocks.")
    loop = sparse_loop(run.game.judge, run.rule.step)
    longest = int(np.max(np.diff(starts), initial=1))
    corrected: list[Ints] = []

    def epoch(order: Ints) -> None:
        for at in range(0, len(order), STRETCH):
            stretch = order[at : at + STRETCH]
            tables = loop(
                stretch, starts, data.indptr, data.indices, data.data, examples.truths, examples.weights,
                longest, run.game.tracks, hypothesis.weights, hypothesis.delayed, hypothesis.memory.constant,
                hypothesis.offsets, run.rule.reach, run.rule.parameters, run.book.rounds, *blank(),
            )  # fmt: skip
            corrected.append(tables[1][:, 1].astype(np.int64))
            _write(run, examples, len(stretch), *tables)
            _tell(progress, run)

    def finish() -> None:
        rows = np.unique(np.concatenate(corrected)) if hypothesis.keep and corrected else np.empty(0, np.int64)
        hypothesis.memory.keep(examples.rows.take(rows[rows != OFFSET]))

    return _epochs(run, examples, orders, epoch, progress, finish)


def _epochs(
    run: Run,
    examples: Examples,
    orders: Iterable[Ints],
    epoch: Callable[[Ints], None],
    progress: Progress | None,
    finish: Callable[[], None] = lambda: None,
) -> tuple[int, bool]:
    """Play until the orders end or an epoch needs no correction; a run that goes on, wholly or not at all."""
    epochs, converged = 0, False
    with run.hypothesis.transaction(run.book) if run.book.rounds else nullcontext():
        for order in orders:
            before, epochs = len(run.book), epochs + 1
            epoch(order)
            if converged := len(run.book) == before:
                break
        finish()
        run.rows_seen += len(examples.rows)
        run.examples_seen += len(examples)
    if progress:
        progress.at(run.book.rounds, len(run.book), done=True)
    return epochs, converged


def _write(run: Run, examples: Examples, rounds: int, corrections: Floats, entries: Floats) -> None:
    """Hand the tables of a loop, which counts from 0 in these examples, to the book, which does not."""
    corrections[:, 1] += run.examples_seen
    on_rows = entries[:, 1] != OFFSET
    entries[on_rows, 1] = examples.rows.ids[entries[on_rows, 1].astype(np.int64)]
    run.book.add(rounds, corrections, entries)


def _tell(progress: Progress | None, run: Run) -> None:
    if progress:
        progress.at(run.book.rounds, len(run.book))
