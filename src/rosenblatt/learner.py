"""The learner: `play` is the definition, one round at a time; the others write the same ledger faster."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Floats, Ints
from rosenblatt.hypotheses import Primal
from rosenblatt.interrupts import Interrupts
from rosenblatt.loops.blocks import block_loop
from rosenblatt.loops.book import CORRECTION, ENTRY, OFFSET, blank, norm_squared
from rosenblatt.loops.sparse import sparse_loop
from rosenblatt.progress import Progress
from rosenblatt.rows import Rows
from rosenblatt.run import Examples, Run

BLOCK = 512
"""Rounds per block: large enough for the matrix products, small enough for the processor's cache."""

SUSPICION = 0.2
"""Right answers with a margin below this share of what a correction moves may soon be wrong."""

STRETCH = 50_000
"""Rounds per call of the sparse pass: often enough for a progress bar, too seldom to cost time."""


def learn(
    run: Run,
    examples: Examples,
    orders: Iterable[Ints],
    *,
    block: int = BLOCK,
    progress: Progress | None = None,
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


def play(
    run: Run, examples: Examples, orders: Iterable[Ints], *, progress: Progress | None = None
) -> tuple[int, bool]:
    """The definition: any game, primal or dual, one round after the other."""

    def epoch(order: Ints, pulse: Callable[[], None]) -> None:
        for i in order.tolist():
            _play_round(run, examples, i)
            pulse()

    return _epochs(run, examples, orders, epoch, progress)


def _play_round(run: Run, examples: Examples, i: int) -> None:
    game, rule, hypothesis = run.game, run.rule, run.hypothesis
    first, last = examples.starts[i], examples.starts[i + 1]
    rows, truth = examples.rows.take(slice(first, last)), examples.truths[first:last]
    width = 2 * len(rows) * (game.outputs + 1) + 2 * game.offsets
    where, amount = np.empty((width, 2), np.int64), np.empty(width)
    lines: list[tuple[float, ...]] = []
    entries: list[tuple[float, ...]] = []
    for track in range(game.tracks):
        count, margin, wrong = game.judge(
            hypothesis.scores(rows), hypothesis.offsets, truth, track, where, amount
        )
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
    _write(
        run,
        examples,
        1,
        np.array(lines, float).reshape(-1, len(CORRECTION)),
        np.array(entries, float).reshape(-1, len(ENTRY)),
    )


def play_blocks(
    run: Run,
    examples: Examples,
    orders: Iterable[Ints],
    *,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> tuple[int, bool]:
    """The exact fast path for the dual and the dense primal.

    A block's scores against everything corrected before it are one matrix product; inside the block
    a compiled loop plays the rounds one by one, adding each correction to the scores of the others.
    Only those rows of the block's Gram matrix are computed that a correction needs.
    """
    table = BlockTable(run, examples)

    def epoch(order: Ints, pulse: Callable[[], None]) -> None:
        table.begin(order)
        for at in range(0, len(order), block):
            table.play(slice(at, min(at + block, len(order))))
            pulse()

    return _epochs(run, examples, orders, epoch, progress)


class BlockTable:
    """Where blocks of rounds are played: the board of scores, the compiled loop, and whom to suspect."""

    def __init__(self, run: Run, examples: Examples) -> None:
        self.run = run
        self.examples = examples
        self.board = run.hypothesis.board(examples.rows)
        self.loop = block_loop(run.game.judge, run.rule.step)
        self.slack = 0.0

    def begin(self, order: Ints) -> None:
        """Begin an epoch of rounds in this order."""
        first = self.examples.starts[order]
        lengths = self.examples.starts[order + 1] - first
        self.order, self.starts = order, np.concatenate([[0], np.cumsum(lengths)])
        self.index = np.arange(self.starts[-1]) + np.repeat(first - self.starts[:-1], lengths)
        self.board.begin(self.index)

    def play(self, part: slice) -> None:
        """Play this part of the rounds of the epoch."""
        at = slice(self.starts[part.start], self.starts[part.stop])
        rounds, index = self.order[part], self.index[at]
        rows, scores = self.board.open(at)
        starts = self.starts[part.start : part.stop + 1] - at.start
        corrections, entries = self._rounds(rounds, starts, index, rows, scores)
        on_rows = entries[:, 1] != OFFSET
        correction, place, output = entries[on_rows, :3].astype(np.int64).T
        self.board.close(at, scores, rows, (place, output, entries[on_rows, 3], corrections[correction, 0]))
        corrections[:, 1] = rounds[corrections[:, 1].astype(np.int64)]
        entries[on_rows, 1] = index[place]
        _write(self.run, self.examples, len(rounds), corrections, entries)

    def _rounds(
        self, rounds: Ints, starts: Ints, index: Ints, rows: Rows, scores: Floats
    ) -> tuple[Floats, Floats]:
        """The corrections and entries of a block; the loop stops where it needs more of its Gram matrix."""
        run, truths, weights = self.run, self.examples.truths[index], self.examples.weights[rounds]
        dtype = rows.data.dtype if getattr(rows.data, "dtype", None) == np.float32 else np.float64
        gram, known = np.empty((len(rows), len(rows)), dtype), np.zeros(len(rows), bool)
        (corrections, entries), k, e, turn = blank(len(rounds)), 0, 0, 0
        while turn >= 0:
            wanted = np.zeros(len(rows), bool)
            turn, corrections, k, entries, e = self.loop(
                turn, run.game.tracks, starts, truths, weights, scores, run.hypothesis.offsets, gram, known,
                wanted, run.rule.reach, self.slack, run.rule.parameters, run.book.rounds,
                corrections, k, entries, e,
            )  # fmt: skip
            missing = np.flatnonzero(wanted)
            if len(missing):
                near = self.board.gram(rows, missing)
                if near.dtype != gram.dtype:  # powers that float32 cannot hold
                    gram = np.where(known[:, None], gram, 0).astype(np.float64)
                gram[missing] = near
                known[missing] = True
        if k:
            self.slack = SUSPICION * float(np.mean(corrections[:k, 4] * corrections[:k, 6]))
        return corrections[:k].copy(), entries[:e].copy()


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

    def epoch(order: Ints, pulse: Callable[[], None]) -> None:
        for at in range(0, len(order), STRETCH):
            stretch = order[at : at + STRETCH]
            tables = loop(
                stretch, starts, data.indptr, data.indices, data.data, examples.truths, examples.weights,
                longest, run.game.tracks, hypothesis.weights, hypothesis.delayed, hypothesis.memory.constant,
                hypothesis.offsets, run.rule.reach, run.rule.parameters, run.book.rounds,
                *blank(len(stretch)),
            )  # fmt: skip
            corrected.append(tables[1][:, 1].astype(np.int64))
            _write(run, examples, len(stretch), *tables)
            pulse()

    def finish() -> None:
        rows = np.concatenate(corrected) if hypothesis.keep and corrected else np.empty(0, np.int64)
        if len(rows):
            rows = np.unique(rows)
            hypothesis.memory.keep(examples.rows.take(rows[rows != OFFSET]))

    return _epochs(run, examples, orders, epoch, progress, finish)


def _epochs(
    run: Run,
    examples: Examples,
    orders: Iterable[Ints],
    epoch: Callable[[Ints, Callable[[], None]], None],
    progress: Progress | None,
    finish: Callable[[], None] = lambda: None,
) -> tuple[int, bool]:
    """Play until the orders end or an epoch needs no correction; a run that goes on, wholly or not at all.

    `epoch` is given an order, and a function to call whenever the state is whole. If something fails,
    what can be taken back is; what cannot, weights that changed in place, makes Ctrl-C wait for the end.
    """
    epochs, converged = 0, False
    run.weighted |= bool((examples.weights != 1).any())
    undo = run.hypothesis.savepoint(run.book) if run.book.rounds else lambda: None
    compiled = run.hypothesis.memory.kernel.inner

    def pulse() -> None:
        if progress:
            progress.at(run.book.rounds, len(run.book))
        if undo is not None:
            interrupts.check()

    try:
        with Interrupts(held=compiled) as interrupts:
            for order in orders:
                before, epochs = len(run.book), epochs + 1
                epoch(order, pulse)
                if converged := len(run.book) == before:
                    break
            finish()
            run.rows_seen += len(examples.rows)
            run.examples_seen += len(examples)
            undo = None
    except BaseException:
        if undo is not None:
            undo()
        raise
    if progress:
        progress.at(run.book.rounds, len(run.book), done=True)
    return epochs, converged


def _write(run: Run, examples: Examples, rounds: int, corrections: Floats, entries: Floats) -> None:
    """Hand the tables of a loop, which counts from 0 in these examples, to the book, which does not."""
    corrections[:, 1] += run.examples_seen
    on_rows = entries[:, 1] != OFFSET
    entries[on_rows, 1] = examples.rows.ids[entries[on_rows, 1].astype(np.int64)]
    run.book.add(rounds, corrections, entries)
