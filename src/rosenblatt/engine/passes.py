"""Rounds in the primal, played by a compiled pass over the rows: many of them, or one at a time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine.faults import failure
from rosenblatt.engine.interrupts import Interrupts
from rosenblatt.engine.run import Examples, Run
from rosenblatt.games.game import most_entries
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.loops.passes import DENSE, MANY, ONE, delay_loop, pass_loop
from rosenblatt.rows import Csr, Rows, check_in_range, read_only
from rosenblatt.rules import numbers_of

LINES = 2**18
"""Table rows to reserve in the book for an epoch: untouched ones cost nothing."""

COPIED = 2**14
"""Corrected rows that are copied at once: many, so that memory is allocated in large pieces."""

UNWEIGHTED: Floats = np.empty(0)
NOT_FOLLOWED: Ints = np.empty(0, np.int64)


class Pass:
    """The compiled pass for a run, with the arguments that come from the run filled in."""

    def __init__(self, run: Run, longest: int, *, dense: bool = False) -> None:
        if run.primal is None:
            raise ValueError("Passes are played in the primal. Got a run with a kernel: use play_blocks.")
        game, rule = run.game, run.rule
        self.run = run
        self.hypothesis = run.primal
        self.reading = DENSE if dense else ONE if game.outputs == 1 else MANY
        self._loop = pass_loop(game.judge, rule.step, self.reading, run.hypothesis.recent is not None)
        self._rule = numbers_of(rule)
        self._longest = 0
        self.fit_rounds_of(longest)

    def fit_rounds_of(self, longest: int) -> None:
        """Prepare for rounds of up to `longest` rows."""
        if longest > self._longest:
            game, self._longest = self.run.game, longest
            width = most_entries(game, longest)
            self._sizes = longest, width, game.heads, game.outputs
            self._most = game.heads, game.heads * width

    def play(
        self, order: Ints, starts: Ints, index: Ints, rows: Csr, truths: Ints, weights: Floats, *,
        late: bool = False,
    ) -> None:  # fmt: skip
        """Play rounds in this order; if `late`, leave the sums of the average to `delay`.

        The arrays order, starts, index and truths are read-only, as the arrays of the rows may be.
        """
        run, hypothesis, book, rounds, turn = self.run, self.hypothesis, self.run.book, len(order), 0
        hypothesis.check_width(rows.width)
        if self.reading is not ONE:
            hypothesis.lay_out(by_output=self.reading is DENSE)
        csr = (read_only(rows.starts), read_only(rows.features), read_only(rows.values))
        current, delayed = self._plain(hypothesis.weights), self._plain(hypothesis.delayed)
        while turn < rounds:
            book.make_room(max(rounds - turn, self._most[0]), max(2 * (rounds - turn), self._most[1]))
            before = book.rounds - turn
            turn = self._loop(
                turn, order, starts, index, *csr, truths, weights, *self._sizes,
                current, delayed[:0] if late else delayed, hypothesis.support.constant, hypothesis.structure,
                *self._rule, run.examples_seen, run.rows_seen, book.corrections, book.entries, book.tally,
                self._followed(),
            )  # fmt: skip
            if turn < 0:
                check_in_range(rows.features, rows.width)
                failed = order[book.rounds - before]
                shown = index[starts[failed] : starts[failed + 1]]
                raise failure(run, self._rows(rows).take(shown), truths[shown], -1 - turn)

    def _rows(self, rows: Csr) -> Rows:
        """Return `Rows` of these arrays."""
        return Rows(rows.values.reshape(-1, rows.width) if self.reading is DENSE else rows)

    def delay(self, rows: Csr, corrections: Floats, entries: Floats, new: slice) -> None:
        """Add new entries to the sums of the average."""
        delay_loop(self.reading)(
            rows.starts, rows.features, rows.values, self.run.rows_seen, self.hypothesis.support.constant,
            corrections, entries, new.start, new.stop, self._plain(self.hypothesis.delayed),
        )  # fmt: skip

    def _followed(self) -> tuple[Any, ...]:
        """The state of the recent average for the loops; empty arrays if it is not followed."""
        recent = self.hypothesis.recent
        if recent is None:
            return self._plain(self.hypothesis.delayed)[:0], UNWEIGHTED, NOT_FOLLOWED, NOT_FOLLOWED
        return self._plain(recent.sums), recent.structure, recent.since, recent.behind

    def _plain(self, weights: Floats) -> Floats:
        """Weights as the loops read them: a row per output, one number per feature, or a row per feature."""
        if self.reading is DENSE:
            return weights.T
        return weights.reshape(-1) if self.reading is ONE else weights


class PassDriver:
    """The driver of a pass: plays rounds and records what they corrected.

    Parameters
    ----------
    writer
        A background worker that records one stretch of rounds while the next is played: the record is not
        read before the end.
    """

    def __init__(self, run: Run, examples: Examples, writer: ThreadPoolExecutor) -> None:
        self._pass = Pass(run, examples.longest, dense=not examples.rows.sparse)
        self._run = run
        self._examples = examples
        self._weights = UNWEIGHTED if examples.weights is None else examples.weights
        self._keep = run.hypothesis.keep
        self._marked = np.zeros(len(examples.rows) if self._keep else 0, bool)
        self._to_copy: list[Ints] = []
        self._writer, self._late = writer, False
        self._pending: list[Future[None]] = []

    def begin(self, order: Ints, *, late: bool) -> None:
        """Begin an epoch in this order; if `late`, the background worker records it."""
        self._late = late
        self._run.book.make_room(min(len(order), LINES), min(2 * len(order), LINES))

    def play(self, order: Ints) -> None:
        """Play rounds in this order."""
        examples, book, written = self._examples, self._run.book, int(self._run.book.tally[2])
        starts, index = read_only(examples.starts), read_only(examples.index)
        rows, truths, late = examples.rows.arrays, read_only(examples.truths), self._late
        try:
            self._pass.play(read_only(order), starts, index, rows, truths, self._weights, late=late)
        finally:  # what was played until a failure is recorded, too
            new = slice(written, int(book.tally[2]))
            if late:
                self._pending.append(self._writer.submit(self._record, book.corrections, book.entries, new))
            elif self._keep:
                self._mark(book.entries[new, 1])

    def finish(self) -> None:
        """Wait for the background worker and copy the last rows; more rounds may follow."""
        while self._pending:
            self._pending.pop().result()
        self._copy()

    def _record(self, corrections: Floats, entries: Floats, new: slice) -> None:
        self._pass.delay(self._examples.rows.arrays, corrections, entries, new)
        if self._keep:
            self._mark(entries[new, 1])

    def _mark(self, ids: Floats) -> None:
        """Mark the rows with these ids as corrected."""
        touched = np.unique(ids[ids != STRUCTURE]).astype(np.int64) - self._run.rows_seen
        new = touched[~self._marked[touched]]
        self._marked[new] = True
        self._to_copy.append(new)
        if sum(map(len, self._to_copy)) >= COPIED:
            self._copy()

    def _copy(self) -> None:
        rows = np.concatenate([np.empty(0, np.int64), *self._to_copy])
        if len(rows):
            self._run.support.keep(self._examples.rows.take(rows))
        self._to_copy = []


class OneRoundDriver:
    """The driver of single rounds, at little more than the cost of their rows.

    Nothing else may move the run meanwhile. The book counts a round in the same moment as the guess moves,
    so that a Ctrl-C finds a round played or not; rows that are kept must be stored with it.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._rows_seen = 0
        self._passes: dict[bool, Pass] = {}
        self._shown: dict[int, tuple[Ints, Ints, Ints]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, which composes its own passes: they compare functions by identity."""
        return vars(self) | {"_passes": {}}

    def play(self, rows: Any, truths: Ints) -> None:
        """Play one round on rows that the caller gives up: `Csr` arrays, or a dense array."""
        run, length = self._run, len(truths)
        run.book.trim()
        run.rows_seen, run.examples_seen = self._rows_seen, run.book.rounds
        self._rows_seen += length  # before they are played: if that is interrupted, ids are skipped
        dense = not isinstance(rows, Csr)
        played = self._passes.get(dense) or self._passes.setdefault(dense, Pass(run, 1, dense=dense))
        if length not in self._shown:
            order, starts, index = np.zeros(1, np.int64), np.array([0, length]), np.arange(length)
            self._shown[length] = read_only(order), read_only(starts), read_only(index)
        arrays = Rows(rows).arrays if dense else rows
        played.hypothesis.widen(arrays.width)
        played.fit_rounds_of(length)
        if run.hypothesis.keep:
            with Interrupts():
                self._play_and_keep(played, rows, arrays, truths)
        else:
            played.play(*self._shown[length], arrays, read_only(truths), UNWEIGHTED)

    def _play_and_keep(self, played: Pass, rows: Any, arrays: Csr, truths: Ints) -> None:
        run, before = self._run, int(self._run.book.tally[2])
        played.play(*self._shown[len(truths)], arrays, read_only(truths), UNWEIGHTED)
        entries = run.book.entries[before : int(run.book.tally[2]), 1]
        if len(entries):
            touched = np.unique(entries[entries != STRUCTURE]).astype(np.int64) - run.rows_seen
            run.support.append(Rows(rows, first=run.rows_seen).take(touched))
