"""The learner: `play` is the definition, one round at a time; the others write the same ledger faster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine.blocks import BlockDriver
from rosenblatt.engine.faults import not_finite
from rosenblatt.engine.hypotheses import Hypothesis
from rosenblatt.engine.interrupts import Interrupts
from rosenblatt.engine.passes import PassDriver
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, Orders, Run, checked_order
from rosenblatt.engine.threads import threads
from rosenblatt.games.verdicts import judged
from rosenblatt.loops.book import CORRECTION, ENTRY, STRUCTURE, norm_squared
from rosenblatt.rows import Rows, parts
from rosenblatt.rules import stepped

BLOCK = 512
"""Rows per block: large enough for the matrix products, small enough for the processor's cache."""

STRETCH = 16_384
"""Rounds per call of the compiled pass: few enough to be recorded while they are in the processor's cache."""


def learn(
    run: Run,
    examples: Examples,
    orders: Iterable[Ints],
    *,
    block: int = BLOCK,
    progress: Progress | None = None,
    once: bool = False,
) -> tuple[int, bool]:
    """Play these epochs by the fastest path: passes in the primal, blocks in the dual.

    Parameters
    ----------
    once
        Whether the orders are a part of an epoch, after which nothing is kept of these examples: only those
        played are scored, by the current guess.

    Returns
    -------
    The number of epochs played, and whether the last one was without a correction.
    """
    if run.primal is not None:
        return play_pass(run, examples, orders, progress=progress)
    if len(examples) == 1 or run.budget is not None or run.hypothesis.recent is not None:
        return play(run, examples, orders, progress=progress)
    return play_blocks(run, examples, orders, block=block, progress=progress, once=once)


def play(
    run: Run, examples: Examples, orders: Iterable[Ints], *, progress: Progress | None = None
) -> tuple[int, bool]:
    """Play one round after the other: the definition, for any game, primal or dual."""

    def epoch(order: Ints, pulse: Callable[[], None]) -> None:
        for i in order.tolist():
            _play_round(run, examples, i)
            pulse()

    return _epochs(run, examples, orders, epoch, progress)


def _play_round(run: Run, examples: Examples, i: int) -> None:
    game, rule, hypothesis, required = run.game, run.rule, run.hypothesis, run.rule.required_margin
    first, last = examples.starts[i], examples.starts[i + 1]
    shown = examples.index[first:last]
    rows, truth = examples.rows.take(shown), examples.truths[shown]
    width = game.most_entries(len(rows))
    where, amount = np.empty((width, 2), np.int64), np.empty(width)
    weights, when = examples.weights_of(np.array([i]), game.heads)[0].tolist(), float(run.book.rounds + 1)
    lines: list[tuple[float, ...]] = []
    entries: list[tuple[float, ...]] = []
    try:
        for head in range(game.heads):
            count, margin, wrong, cost = judged(
                game,
                hypothesis.scores(rows),
                hypothesis.structure,
                truth,
                head,
                rule.required_margin,
                where,
                amount,
            )
            weight = weights[head]
            if not margin > -np.inf:  # NaN; a round that cannot go wrong may have an infinite margin
                raise not_finite(int(shown[0]))
            restart = weight != 0 and _recent_falls_behind(run, rows, truth, head, wrong)
            if (wrong or margin < required * cost) and weight != 0:
                norm = norm_squared(where, amount, count, hypothesis.support.similarities(rows, rows))
                size = stepped(rule, margin, norm, cost) * weight
                change = size * amount[:count]
                _move(hypothesis, rows, head, where[:count], change, when)
                for a in range(count):
                    row_id = STRUCTURE if where[a, 0] < 0 else run.rows_seen + shown[where[a, 0]]
                    entries.append((len(lines), row_id, where[a, 1], change[a]))
                lines.append((when, run.examples_seen + i, head, margin, norm, wrong, cost, size))
            if restart:
                hypothesis.restart_recent(head, int(when))
    except BaseException:
        if lines:  # one of the heads has moved, and the round counts
            _write(run, lines, entries)
        raise
    _write(run, lines, entries)


def _write(run: Run, lines: list[tuple[float, ...]], entries: list[tuple[float, ...]]) -> None:
    """Write a round and its corrections into the book."""
    corrections = np.array(lines, float).reshape(-1, len(CORRECTION))
    run.book.add(1, corrections, np.array(entries, float).reshape(-1, len(ENTRY)))


def _move(hypothesis: Hypothesis, rows: Rows, head: int, where: Ints, change: Floats, when: float) -> None:
    """Move the guess by `change` for each (row, output) in `where`; row < 0 is a structure weight."""
    hypothesis.end_guess(when, head)
    on_rows = where[:, 0] >= 0
    moved = where[~on_rows, 1]
    np.add.at(hypothesis.structure, moved, change[~on_rows])
    if hypothesis.recent is not None:
        factors = hypothesis.recent.factors(np.full(len(moved), when), np.full(len(moved), head))
        np.add.at(hypothesis.recent.structure, moved, change[~on_rows] * factors)
    index, output = where[on_rows].T
    if len(index):
        hypothesis.add(rows, index, output, change[on_rows], np.full(len(index), when))


def _recent_falls_behind(run: Run, rows: Rows, truth: Ints, head: int, wrong: bool) -> bool:
    """Judge the recent average, if it is followed, in a round; return whether it must restart."""
    recent, rounds = run.hypothesis.recent, run.book.rounds
    if recent is None:
        return False
    scores = run.hypothesis.recent_scores(rows, rounds)
    structure = recent.average_structure(run.hypothesis.structure, rounds)
    width = run.game.most_entries(len(rows))
    where, amount = np.empty((width, 2), np.int64), np.empty(width)
    recent_wrong = judged(run.game, scores, structure, truth, head, 0.0, where, amount)[2]
    return recent.compare(head, wrong, recent_wrong)


def play_blocks(
    run: Run,
    examples: Examples,
    orders: Iterable[Ints],
    *,
    block: int = BLOCK,
    progress: Progress | None = None,
    once: bool = False,
) -> tuple[int, bool]:
    """Play by the exact fast path for the dual; in the primal, too, slower than a pass.

    A block's scores against everything corrected before it are one matrix product; inside the block
    a compiled loop plays the rounds one by one, adding each correction to the scores of the others.
    Only those rows of the block's Gram matrix are computed that a correction needs.
    """
    if run.hypothesis.recent is not None:
        raise ValueError("Blocks do not follow the predictor 'recent'. Got a run that does: use play.")
    driver = BlockDriver(run, examples, once)

    def epoch(order: Ints, pulse: Callable[[], None]) -> None:
        driver.begin(order)
        for part in driver.blocks(block):
            driver.play(part)
            pulse()

    with run.support.one_thread_for_products(examples.rows):
        return _epochs(run, examples, orders, epoch, progress)


def play_pass(
    run: Run, examples: Examples, orders: Iterable[Ints], *, progress: Progress | None = None
) -> tuple[int, bool]:
    """Play by the compiled pass in the primal, over CSR or dense rows."""
    with ThreadPoolExecutor(1) as writer:
        driver = PassDriver(run, examples, writer)

        def epoch(order: Ints, pulse: Callable[[], None]) -> None:
            driver.begin(order, late=len(order) > STRETCH and threads() > 1)
            for part in parts(len(order), STRETCH):
                driver.play(order[part])
                pulse()
            driver.finish()  # the generator of orders may read the run

        return _epochs(run, examples, orders, epoch, progress, driver.finish)


def _epochs(
    run: Run,
    examples: Examples,
    orders: Iterable[Ints],
    epoch: Callable[[Ints, Callable[[], None]], None],
    progress: Progress | None,
    finish: Callable[[], None] = lambda: None,
) -> tuple[int, bool]:
    """Play until the orders end or an epoch needs no correction.

    Such an epoch shows that none of those left would need one: their rounds are credited to the current guess
    without being played, and the ledger is that of the full run. Where rows repeat, an epoch is a sample, and
    does not end the run.

    `epoch` is given an order, and a function to call whenever the state is consistent. After a failure the
    run is rolled back, if it can be. Weights and budgets are overwritten and cannot: after a failure the run
    is the one that was played until then, and in a run that goes on Ctrl-C waits for the end. A run that has
    just begun need not wait, for its caller drops it.
    """
    run.check_writeable()
    run.check_fits(examples)
    epochs, converged = 0, False
    undo = run.hypothesis.savepoint(run.book)

    def pulse() -> None:
        run.book.trim()
        if progress:
            progress.at(run.book.rounds, run.book.total)
        if undo is not None or not run.examples_seen:
            interrupts.check()

    def settle() -> None:
        finish()
        run.take_in(examples)

    drawn = isinstance(orders, Orders) and orders.rounds == len(examples)
    # A kernel in Python may take long: where the run is rolled back or dropped, Ctrl-C need not wait for it.
    slow = run.kernel is not None and not run.kernel.inner
    with Interrupts(held=not slow or (undo is None and run.examples_seen > 0)) as interrupts:
        try:
            turns = iter(orders)
            for order in turns:
                before, epochs = run.book.total, epochs + 1
                epoch(order if drawn else checked_order(order, examples), pulse)
                converged = run.book.total == before and not examples.repeats
                if converged and run.hypothesis.recent is None:  # it reads every round
                    _credit(run, turns)
                    break
            settle()
        except BaseException:
            (undo or settle)()
            run.forget_guesses()
            raise
        run.epochs, run.converged = run.epochs + epochs, converged
    if progress:
        progress.close(run.book.rounds, run.book.total)
    return epochs, converged


def _credit(run: Run, orders: Iterator[Ints]) -> None:
    """Credit the rounds of the epochs that are left to the current guess.

    Orders of other kinds are taken one by one: early stopping scores the run after each epoch.
    """
    if isinstance(orders, Orders):
        run.book.credit(orders.skip())
    for order in orders:
        run.book.credit(len(order))
