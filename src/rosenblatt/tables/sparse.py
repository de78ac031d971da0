"""Rounds on CSR rows in the primal: a whole pass over them, or one at a time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.hypotheses import Primal
from rosenblatt.interrupts import Interrupts
from rosenblatt.loops.book import OFFSET, most_entries
from rosenblatt.loops.sparse import delay_loop, sparse_loop
from rosenblatt.rows import Csr, Rows, check_in_range, counting, read_only
from rosenblatt.run import Examples, Run, not_finite

LINES = 2**18
"""Lines to have in the book for an epoch: so many at once cost little, and nothing where they stay empty."""

COPIED = 2**14
"""Corrected rows that are copied at once: many, for the system to give memory in large pieces."""

UNWEIGHTED: Floats = np.empty(0)


class SparsePass:
    """The compiled pass for a run, with what it takes of the run filled in."""

    def __init__(self, run: Run, longest: int) -> None:
        if not isinstance(run.hypothesis, Primal):
            raise ValueError(
                "Sparse passes are played in the primal. Got a run with a kernel: use play_blocks."
            )
        game, rule = run.game, run.rule
        self.run = run
        self.hypothesis = run.hypothesis
        self.one_output = game.outputs == 1
        self._loop = sparse_loop(game.judge, rule.step, self.one_output)
        self._sizes = longest, game.tracks, game.outputs
        self._rule = rule.reach, rule.parameters
        self._most = game.tracks, game.tracks * most_entries(longest, game.outputs, len(game.offsets))

    def play(
        self, order: Ints, starts: Ints, rows: Csr, truths: Ints, weights: Floats, *, late: bool = False
    ) -> None:
        """Play rounds in this order; if `late`, leave what the average needs to `delay`.

        What is shown and revealed, order, starts and truths, is read-only, as whatever rows come in may be.
        """
        run, hypothesis, book, rounds, turn = self.run, self.hypothesis, self.run.book, len(order), 0
        csr = (read_only(rows.starts), read_only(rows.features), read_only(rows.values))
        current, delayed = self._plain(hypothesis.weights), self._plain(hypothesis.delayed)
        while turn < rounds:
            book.make_room(max(rounds - turn, self._most[0]), max(2 * (rounds - turn), self._most[1]))
            turn = self._loop(
                turn, order, starts, *csr, truths, weights, *self._sizes,
                current, delayed[:0] if late else delayed, hypothesis.memory.constant, hypothesis.offsets,
                *self._rule, run.examples_seen, run.rows_seen, book.corrections, book.entries, book.tally,
            )  # fmt: skip
            if turn < 0:
                check_in_range(rows.features, rows.width)
                raise not_finite(-1 - turn)

    def delay(self, rows: Csr, corrections: Floats, entries: Floats, new: slice) -> None:
        """Bring what the average needs in step with new entries."""
        delay_loop(self.one_output)(
            rows.starts, rows.features, rows.values, self.run.rows_seen, self.hypothesis.memory.constant,
            corrections, entries, new.start, new.stop, self._plain(self.hypothesis.delayed),
        )  # fmt: skip

    def _plain(self, weights: Floats) -> Floats:
        """Weights as the loops take them: where there is one output, one number per feature."""
        return weights.reshape(-1) if self.one_output else weights


class SparseTable:
    """Where rounds on CSR rows are played, and what they corrected is filed.

    Parameters
    ----------
    clerk
        A thread that files one stretch of rounds while the next is played, for nobody asks for it before
        the end; none to do so in between.
    """

    def __init__(self, run: Run, examples: Examples, clerk: ThreadPoolExecutor | None = None) -> None:
        self._pass = SparsePass(run, examples.longest)
        self._run = run
        self._examples = examples
        self._weights = UNWEIGHTED if examples.weights is None else examples.weights
        self._keep = run.hypothesis.keep
        self._noted = np.zeros(len(examples.rows) if self._keep else 0, bool)
        self._to_copy: list[Ints] = []
        self._clerk = clerk
        self._filing: list[Future[None]] = []

    def begin(self, order: Ints) -> None:
        """Begin an epoch in this order."""
        self._run.book.make_room(min(len(order), LINES), min(2 * len(order), LINES))

    def play(self, order: Ints) -> None:
        """Play rounds in this order."""
        examples, book, written = self._examples, self._run.book, int(self._run.book.tally[2])
        starts, truths = read_only(examples.starts), read_only(examples.truths)
        rows, late = examples.rows.csr, self._clerk is not None
        try:
            self._pass.play(read_only(order), starts, rows, truths, self._weights, late=late)
        finally:  # what was played until a failure is filed, too
            new = slice(written, int(book.tally[2]))
            if self._clerk is not None:
                self._filing.append(self._clerk.submit(self._file, book.corrections, book.entries, new))
            elif self._keep:
                self._note(book.entries[new, 1])

    def finish(self) -> None:
        """Wait until everything is filed, and copy the last rows; more may be played after it."""
        while self._filing:
            self._filing.pop().result()
        self._copy()

    def _file(self, corrections: Floats, entries: Floats, new: slice) -> None:
        self._pass.delay(self._examples.rows.csr, corrections, entries, new)
        if self._keep:
            self._note(entries[new, 1])

    def _note(self, numbers: Floats) -> None:
        """Note that the rows with these numbers were corrected."""
        touched = np.unique(numbers[numbers != OFFSET]).astype(np.int64) - self._run.rows_seen
        new = touched[~self._noted[touched]]
        self._noted[new] = True
        self._to_copy.append(new)
        if sum(map(len, self._to_copy)) >= COPIED:
            self._copy()

    def _copy(self) -> None:
        rows = np.concatenate([np.empty(0, np.int64), *self._to_copy])
        if len(rows):
            self._run.hypothesis.memory.keep(self._examples.rows.take(rows))
        self._to_copy = []


class OneRowTable:
    """Where rounds of one sparse row each are played one by one, at little more than the row's own cost.

    Nobody else may move the run meanwhile. The book counts a round in the same moment as the guess moves,
    so that a Ctrl-C finds a round played or not; rows that are kept must be stored with it.
    """

    def __init__(self, run: Run) -> None:
        self._pass = SparsePass(run, 1)
        self._run = run
        self._truth = np.zeros(1, np.int8)
        self._shown = counting(1), counting(2)
        self._revealed = read_only(self._truth)

    def play(self, row: Csr, truth: int) -> None:
        """Play one round on a row that is nobody else's."""
        run = self._run
        run.rows_seen = run.examples_seen = run.book.rounds
        self._truth[0] = truth
        self._pass.hypothesis.widen(row.width)
        if run.hypothesis.keep:
            with Interrupts():
                self._play_and_keep(row)
        else:
            self._pass.play(*self._shown, row, self._revealed, UNWEIGHTED)

    def _play_and_keep(self, row: Csr) -> None:
        corrections = len(self._run.book)
        self._pass.play(*self._shown, row, self._revealed, UNWEIGHTED)
        if len(self._run.book) > corrections:
            self._run.hypothesis.memory.append(Rows(row, first=self._run.rows_seen))
