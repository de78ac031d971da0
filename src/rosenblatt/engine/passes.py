"""Rounds in the primal, played by a compiled pass over the rows: many of them, or one at a time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine.faults import failure
from rosenblatt.engine.interrupts import Interrupts
from rosenblatt.engine.run import Examples, Run
from rosenblatt.loops.arguments import Csr, Following, Scratch, Shown, Stepping, Tables, Weights
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.loops.passes import DENSE, MANY, ONE, delay_loop, pass_loop
from rosenblatt.loops.sparse import FEW
from rosenblatt.rows import Rows, check_in_range, counting, read_only, rows_of
from rosenblatt.rules import numbers_of

LINES = 2**18
"""Table rows to reserve in the book for an epoch: untouched ones cost nothing."""

COPIED = 2**14
"""Corrected rows that are copied at once: many, so that memory is allocated in large pieces."""

UNWEIGHTED: Floats = np.empty(0)


class Pass:
    """The compiled pass for a run, with the arguments that come from the run filled in.

    Parameters
    ----------
    dense
        Whether rows are dense.
    truths
        Truths, of which the dtype matters, and their number of columns if they are vectors.
    longest
        How many rows the longest round has.
    single
        Whether every round has one row.
    by_head
        Whether there is a weight per round and head.
    """

    def __init__(
        self, run: Run, *, dense: bool, truths: Array, longest: int, single: bool, by_head: bool = False
    ) -> None:
        if run.primal is None:
            raise ValueError("Passes are played in the primal. Got a run with a kernel: use play_blocks.")
        game, rule = run.game, run.rule
        self.run = run
        self.hypothesis = run.primal
        may_grow = len(game.structure) > 0  # as a tagger does that has seen one label so far
        self.reading = DENSE if dense else ONE if game.outputs == 1 and not may_grow else MANY
        self.longest = longest
        self._most = game.most_entries(longest)
        few = self._most <= FEW
        if (single or few) and game.most_entries(2) > game.most_entries(1):  # one loop plays all lengths
            single = few = False
        recent = run.hypothesis.recent is not None
        data = self.reading, single, few, recent, truths.ndim > 1, by_head
        self._loop = pass_loop(game.judge, rule.step, *data)
        self._stepping = tuple(Stepping(*numbers_of(rule)))
        self._scratch, self._makes_delta = self._work_arrays(truths), dense and not single
        self._judging = self._work_arrays(truths) if recent else None

    def _work_arrays(self, truths: Array) -> Scratch:
        most, outputs = self._most, self.run.game.outputs
        scores = np.empty((self.longest, outputs))
        truth = np.empty((self.longest, *truths.shape[1:]), truths.dtype)
        return Scratch(np.empty((most, 2), np.int64), np.empty(most), scores, truth, np.empty((1, 0)))

    def play(self, shown: Shown, rows: Rows, *, late: bool = False) -> None:
        """Play rounds, whose arrays are read-only; if `late`, leave the sums of the average to `delay`."""
        run, book, rounds, turn = self.run, self.run.book, len(shown.order), 0
        self.hypothesis.check_width(rows.width)
        if self.reading is not ONE:
            self.hypothesis.lay_out(by_output=self.reading is DENSE)
        if self._makes_delta and self._scratch.delta.shape[1] != len(self.hypothesis.weights):
            self._scratch = self._scratch._replace(delta=np.empty((1, len(self.hypothesis.weights))))
        heads, arrays = run.game.heads, tuple(rows.arrays)
        first, guess = (run.examples_seen, run.rows_seen), self._guess(late)
        while turn < rounds:
            book.make_room(max(rounds - turn, heads), max(2 * (rounds - turn), heads * self._most))
            before = book.rounds - turn
            turn = self._loop(
                turn, heads, tuple(shown), arrays, guess, self._stepping, self._tables(), first,
                tuple(self._scratch), self._followed(),
            )  # fmt: skip
            if turn < 0:
                failed = shown.order[book.rounds - before]
                book.count_begun()
                self._fail(shown, rows, failed, -1 - turn)

    def _fail(self, shown: Shown, rows: Rows, failed: int, row: int) -> None:
        """Raise the error for the round at which the loop stopped."""
        if isinstance(rows.arrays, Csr):
            check_in_range(rows.arrays.features, rows.arrays.width)
        index = shown.which[shown.starts[failed] : shown.starts[failed + 1]]
        raise failure(self.run, rows.take(index), shown.truths[index], row)

    def delay(self, rows: Rows, tables: Tables, new: slice) -> None:
        """Add new entries to the sums of the average."""
        constant, delayed = self.hypothesis.support.constant, self._plain(self.hypothesis.delayed)
        loop, first = delay_loop(self.reading), self.run.rows_seen
        loop(tuple(rows.arrays), tuple(tables), first, constant, new.start, new.stop, delayed)

    def _tables(self) -> tuple[Any, ...]:
        book = self.run.book
        return book.corrections, book.entries, book.tally

    def _guess(self, late: bool) -> tuple[Any, ...]:
        guess = self.hypothesis
        delayed = self._plain(guess.delayed)
        structure, constant = guess.structure, guess.support.constant
        return tuple(
            Weights(self._plain(guess.weights), delayed[:0] if late else delayed, structure, constant)
        )

    def _followed(self) -> tuple[Any, ...]:
        """The state of the recent average for the loops; nothing if it is not followed."""
        recent, judging = self.hypothesis.recent, self._judging
        if recent is None or judging is None:
            return ()
        state = self._plain(recent.sums), recent.structure, recent.since, recent.behind
        average = np.empty_like(judging.scores), recent.structure.copy()
        return tuple(Following(*state, judging.scores, *average, judging.where, judging.amount))

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
        rows, single = examples.rows, examples.longest == 1 and len(examples.index) == len(examples)
        weights = UNWEIGHTED if examples.weights is None else examples.weights
        self._pass = Pass(
            run,
            dense=not rows.sparse,
            truths=examples.truths,
            longest=examples.longest,
            single=single,
            by_head=weights.ndim > 1,
        )
        self._run = run
        self._examples = examples
        starts, index, truths = map(read_only, (examples.starts, examples.index, examples.truths))
        self._shown = Shown(counting(len(examples)), starts, index, truths, weights.reshape(-1))
        self._keep = run.hypothesis.keep
        self._marked = np.zeros(len(rows) if self._keep else 0, bool)
        self._to_copy: list[Ints] = []
        self._writer, self._late = writer, False
        self._pending: list[Future[None]] = []

    def begin(self, order: Ints, *, late: bool) -> None:
        """Begin an epoch in this order; if `late`, the background worker records it."""
        self._late = late
        self._run.book.make_room(min(len(order), LINES), min(2 * len(order), LINES))

    def play(self, order: Ints) -> None:
        """Play rounds in this order."""
        book, written = self._run.book, int(self._run.book.tally[2])
        try:
            self._pass.play(
                self._shown._replace(order=read_only(order)), self._examples.rows, late=self._late
            )
        finally:  # what was played until a failure is recorded, too
            new = slice(written, int(book.tally[2]))
            if self._late:
                tables = Tables(book.corrections, book.entries, book.tally)
                self._pending.append(self._writer.submit(self._record, tables, new))
            elif self._keep:
                self._mark(book.entries[new, 1])

    def finish(self) -> None:
        """Wait for the background worker and copy the last rows; more rounds may follow."""
        while self._pending:
            self._pending.pop().result()
        self._copy()

    def _record(self, tables: Tables, new: slice) -> None:
        self._pass.delay(self._examples.rows, tables, new)
        if self._keep:
            self._mark(tables.entries[new, 1])

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
        self._rows_seen, self._features = run.rows_seen, 0
        self._passes: dict[tuple[bool, bool], Pass] = {}
        self._shown: dict[int, tuple[Ints, Ints, Ints]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, which composes its own passes: they compare functions by identity."""
        return vars(self) | {"_passes": {}}

    def drives(self, run: Run) -> bool:
        """Whether this is the run."""
        return self._run is run

    def play(self, data: Any, truths: Array, weight: float = 1.0) -> None:
        """Play one round on rows that the caller gives up: `Csr` arrays, or a dense array.

        `weight` is that of its corrections.
        """
        run, length, weights = self._run, len(truths), UNWEIGHTED
        if weight != 1.0:
            run.weighted, weights = True, np.array([weight])
        run.book.trim()
        run.rows_seen, run.examples_seen = self._rows_seen, run.book.rounds
        self._rows_seen += length  # before they are played: if that is interrupted, ids are skipped
        rows = rows_of(data, first=run.rows_seen)
        self._widen(rows.width or 0)
        shown = Shown(*self._one_round(length), read_only(truths), weights)
        try:
            if run.hypothesis.keep:
                with Interrupts():
                    self._play_and_keep(shown, rows)
            else:
                self._pass(shown, rows).play(shown, rows)
        finally:
            run.rows_seen = self._rows_seen

    def _widen(self, features: int) -> None:
        """Reserve weights for new features."""
        if features > self._features:
            self._run.widen(features)
            self._features = features

    def _one_round(self, length: int) -> tuple[Ints, Ints, Ints]:
        """Return the order, the starts and the index of one round of this many rows."""
        if length not in self._shown:
            arrays = np.zeros(1, np.int64), np.array([0, length]), np.arange(length)
            self._shown[length] = read_only(arrays[0]), read_only(arrays[1]), read_only(arrays[2])
        return self._shown[length]

    def _pass(self, shown: Shown, rows: Rows) -> Pass:
        """Return a pass for rounds of one row, or for rounds of this length and shorter ones."""
        dense, length = not rows.sparse, len(shown.truths)
        known = self._passes.get((dense, length == 1))
        if known is None or known.longest < length:
            known = Pass(self._run, dense=dense, truths=shown.truths, longest=length, single=length == 1)
            self._passes[dense, length == 1] = known
        return known

    def _play_and_keep(self, shown: Shown, rows: Rows) -> None:
        run, before = self._run, int(self._run.book.tally[2])
        self._pass(shown, rows).play(shown, rows)
        entries = run.book.entries[before : int(run.book.tally[2]), 1]
        if len(entries):
            touched = np.unique(entries[entries != STRUCTURE]).astype(np.int64) - run.rows_seen
            run.support.append(rows.take(touched))
            run.support.learn_truths(shown.truths, run.rows_seen)
