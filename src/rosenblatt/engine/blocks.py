"""Blocks of rounds, in the dual and the dense primal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine.faults import failure
from rosenblatt.engine.run import Examples, Run
from rosenblatt.loops.blocks import block_loop
from rosenblatt.loops.book import CORRECTION, STRUCTURE
from rosenblatt.rows import Rows, spans
from rosenblatt.rules import numbers_of

SLACK_SHARE = 0.2
"""The slack as a share of the mean move of a correction; right answers below it may soon be wrong."""


class BlockDriver:
    """The driver of blocks of rounds: block scores, the compiled loop, and the slack of right answers."""

    def __init__(self, run: Run, examples: Examples, once: bool = False) -> None:
        self.run = run
        self.examples = examples
        self.block_scores = run.hypothesis.block_scores(examples.rows, lasting=not (once or examples.repeats))
        self.loop = block_loop(run.game.judge, run.rule.step)
        self.stepping = numbers_of(run.rule)
        self.slack = 0.0

    def begin(self, order: Ints) -> None:
        """Begin an epoch of rounds in this order."""
        first = self.examples.starts[order]
        lengths = self.examples.starts[order + 1] - first
        self.order, self.starts = order, np.concatenate([[0], np.cumsum(lengths)])
        self.index = self.examples.index[spans(first, lengths)]
        self.block_scores.begin(self.index)

    def blocks(self, rows: int) -> Iterator[slice]:
        """Yield slices of the epoch's rounds, of about `rows` rows each and at least one round."""
        first = 0
        while first < len(self.order):
            last = int(np.searchsorted(self.starts, self.starts[first] + rows, side="right")) - 1
            last = max(last, first + 1)
            yield slice(first, last)
            first = last

    def play(self, part: slice) -> None:
        """Play this part of the rounds of the epoch."""
        at = slice(self.starts[part.start], self.starts[part.stop])
        rounds, index = self.order[part], self.index[at]
        starts = self.starts[part.start : part.stop + 1] - at.start
        with np.errstate(over="ignore", invalid="ignore"):  # reported once a score is not finite
            rows, scores = self.block_scores.open(at)
            corrections, entries, failed = self._rounds(rounds, starts, index, rows, scores)
        on_rows = entries[:, 1] != STRUCTURE
        correction, block_row, output = entries[on_rows, :3].astype(np.int64).T
        when = self.run.book.corrections[correction, 0]
        once = block_row
        if self.examples.repeats:
            _, first, inverse = np.unique(index, return_index=True, return_inverse=True)
            once = first[inverse][block_row]
        self.block_scores.close(at, scores, rows, (once, output, entries[on_rows, 3], when))
        corrections[:, 1] = self.run.examples_seen + rounds[corrections[:, 1].astype(np.int64)]
        entries[on_rows, 1] = self.run.rows_seen + index[block_row]
        self.run.book.tally[0] += len(rounds) if failed is None else failed
        if failed is not None:
            self.run.book.count_begun()
            shown = index[starts[failed] : starts[failed + 1]]
            row = int(shown[0]) if len(shown) else 0
            raise failure(self.run, self.examples.rows.take(shown), self.examples.truths[shown], row)

    def _rounds(
        self, rounds: Ints, starts: Ints, index: Ints, rows: Rows, scores: Floats
    ) -> tuple[Floats, Floats, int | None]:
        """Play a block; return its corrections and entries in the book, with indices within the block.

        Third, the index of the round that cannot be played, or None: only those before it were.
        The loop stops where it needs more of its Gram matrix, or of the book.
        """
        run, truths = self.run, self.examples.truths[index]
        game, book = run.game, run.book
        weights = self.examples.weights_of(rounds, game.heads).ravel()
        dtype = rows.data.dtype if getattr(rows.data, "dtype", None) == np.float32 else np.float64
        gram, known = np.empty((len(rows), len(rows)), dtype), np.zeros(len(rows), bool)
        most = game.most_entries(len(rows))
        where, amount = np.empty((most, 2), np.int64), np.empty(most)
        (_, k, e), turn = book.tally.tolist(), 0
        while turn >= 0:
            book.make_room(len(rounds), max(2 * len(rounds), most))
            wanted = np.zeros(len(rows), bool)
            turn = self.loop(
                turn, game.heads, (starts, truths, weights), scores, run.hypothesis.structure,
                (where, amount, gram, known, wanted), self.stepping, self.slack,
                (book.corrections, book.entries, book.tally),
            )  # fmt: skip
            missing = np.flatnonzero(wanted)
            if len(missing):
                found = self.block_scores.gram(rows, missing)
                if found.dtype != gram.dtype:  # powers that float32 cannot hold
                    gram = np.where(known[:, None], gram, 0).astype(np.float64)
                gram[missing] = found
                known[missing] = True
        corrections, entries = book.corrections[k : len(book)], book.entries[e : book.tally[2]]
        if len(corrections):
            norm, size = (corrections[:, CORRECTION.index(name)] for name in ("norm_squared", "size"))
            self.slack = SLACK_SHARE * float(np.mean(norm * size))
        return corrections, entries, -2 - turn if turn < -1 else None
