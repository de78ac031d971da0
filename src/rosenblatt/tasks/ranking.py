"""Ranking: queries become rounds, whole lists or pairs drawn from them, and scores become orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data, Floats, Ints
from rosenblatt.data.blocks import Block, joined
from rosenblatt.engine.predictors import GUESSES, check_kept
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Ranking
from rosenblatt.rows import Rows, rows_of
from rosenblatt.rows.queries import group_rows
from rosenblatt.tasks.lists import Lists
from rosenblatt.tasks.task import RowTask, fitted_to
from rosenblatt.theory import certificates
from rosenblatt.theory.attributions import Attribution, attributed
from rosenblatt.theory.explanations import Explanation, parts


class RankingTask(RowTask):
    """A run of the ranking game, between a user's rows, grades and queries.

    Parameters
    ----------
    options
        The arguments of `engine.begin` besides the game and the features.
    strategy, draws
        As for `PerceptronRanker`.
    names
        `made_by` and `hashing`, as for `RowTask`.

    Attributes
    ----------
    shown
        The pairs of rows that were shown, if pairs are drawn and rows are kept.
    given
        How many rows the latest block had.
    """

    def __init__(
        self, options: dict[str, Any], *, strategy: str = "pairs", draws: int | None = None, **names: Any
    ) -> None:
        super().__init__(options, **names)
        self.strategy = strategy
        self.pairs_drawn = draws
        self.shown: list[Ints] = []
        self.given = 0

    @property
    def draws(self) -> bool:  # type: ignore[override]
        """Whether an epoch is a random sample of pairs."""
        return self.strategy == "pairs"

    def begin(self, block: Block, random: np.random.Generator, epochs: int = 1) -> None:
        """Begin a run for rows of the width of this block."""
        width = None if isinstance(block.X, list) else int(block.X.shape[1])
        self.begin_with(width, fitted_to(block.X, self.options))

    def begin_with(self, width: int | None, options: dict[str, Any] | None = None) -> None:
        """Begin a run for rows of this width; `options` are, by default, those of the task."""
        options = self.options if options is None else options
        game = Ranking("top" if self.strategy == "top" else "best")
        features = None if options["kernel"] is not None else width
        self.run = begin(game, features=features, **options)
        self.features, self.shown = width, []

    def examples(self, block: Block, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return whole lists, or the pairs that are drawn from them in this many epochs."""
        rows = self.run.number(self.as_wide(block.X))
        lists, self.given = Lists.of(block.y, block.qid, len(block)), len(block)
        draws = len(rows) if self.pairs_drawn is None else int(self.pairs_drawn)
        found = lists.pairs(rows, epochs * draws, random) if self.draws else lists.whole(rows)
        if block.sample_weight is None:
            return found
        return replace(found, weights=lists.weights_of(found, block.sample_weight))

    def orders(self, examples: Examples, epochs: int, random: np.random.Generator | None) -> Iterator[Ints]:
        """Return the order of the rounds in every epoch; pairs are drawn in an order already."""
        if self.draws:
            return iter(np.split(np.arange(len(examples)), epochs))
        return super().orders(examples, epochs, random)

    def blocks(self, source: Iterable[Block]) -> Iterator[Block]:
        """Yield blocks with all rows of a query in one: rows at a block's start may join the block before."""
        waiting: Block | None = None
        finished: set[Any] = set()
        for block in super().blocks(source):
            if block.qid is None:
                raise ValueError("A ranker needs to know the query of every row. Got rows without.")
            if waiting is None:
                waiting = block
                continue
            more = 0
            while more < len(block) and block.qid[more] == waiting.qid[-1]:
                more += 1
            waiting = joined([waiting, block.take(slice(0, more))]) if more else waiting
            if more < len(block):
                yield _unseen(waiting, finished)
                waiting = block.take(slice(more, None))
        if waiting is not None:
            yield _unseen(waiting, finished)

    def play(
        self,
        examples: Examples,
        orders: Iterable[Ints],
        *,
        block: int,
        progress: Progress | None = None,
        once: bool = False,
    ) -> None:
        """Play these epochs, and record which pairs were shown."""
        run = self.run
        before, first, seen = run.book.rounds, run.rows_seen, run.examples_seen
        try:
            super().play(examples, orders, block=block, progress=progress, once=once)
        finally:  # Ctrl-C may arrive after all is learned
            if examples.repeats and run.examples_seen > seen:  # pairs that were not played were not shown
                played = run.book.rounds - before
                run.examples_seen = seen + played
                if run.hypothesis.keep:  # else there is no certificate, and memory must not grow
                    self.shown.append(first + examples.index[: 2 * played])

    def check_played(self) -> None:
        """Raise ValueError if no list was worth a round."""
        if not self.run.book.rounds:
            raise ValueError(
                "There is nothing to learn from: in no query is one row better than another. Got "
                f"n_samples = {self.given}. Check that the grades and the queries are the right ones, and "
                "belong together."
            )

    def finish(self) -> None:
        """Refuse a run without a round, and free the memory reserved for features that never came."""
        self.check_played()
        super().finish()

    def scores(
        self, rows: Rows, qid: Any, predictor: str, random: np.random.Generator | None = None
    ) -> Floats:
        """Return the score of every row; without queries all rows are one list.

        Of a vote these are shares of the votes, and fractions of a vote order equals by the average.
        """
        guess = self.run.guess(predictor, random)
        if predictor in GUESSES:  # which score a row whatever the others are
            return np.asarray(guess.scores(rows).scores[:, 0])
        _, order, starts = group_rows(np.zeros(len(rows)) if qid is None else qid, len(rows))
        found = guess.scores(rows.take(order), starts).scores[np.argsort(order), 0]
        if predictor == "sample":
            return np.asarray(found)
        average = self.run.single_guess("average").scores(rows).scores[:, 0]
        rank = np.unique(average, return_inverse=True)[1] / len(rows)
        return np.asarray(found + rank / max(self.run.book.rounds, 1) / 2)

    def explain(self, rows: Rows, predictor: str) -> Explanation:
        """Explain the score of a row, or of the first of two minus that of the second, by support vectors."""
        ids, importance, similarity, _ = parts(self.run, rows, predictor, 0)
        grade_of = dict(zip(self.run.support.ids.tolist(), self.run.support.truths.tolist(), strict=True))
        score = float((importance * similarity).sum())
        labels = np.array([grade_of[i] for i in ids.tolist()])
        return Explanation(*_asked(score, len(rows)), score, ids, labels, importance, similarity)

    def attribution(self, rows: Rows, predictor: str, names: Any = None) -> Attribution:
        """Explain the same score by the features that count; `names` has their names by index."""
        data = sp.csr_array(rows.data)
        row = rows if len(rows) == 1 else rows_of(sp.csr_array(data[[0]] - data[[1]]))
        pairs = len(rows)
        return attributed(self.run, row, predictor, 0, names, asked=lambda score: _asked(score, pairs))

    def certify(self, data: Data, lists: Lists) -> certificates.Certificate:
        """Return the certificate for these lists, which must be those that were learned from."""
        check_kept(self.run, "certificate")
        examples = lists.whole(rows_of(data))
        if self.draws:
            certificates.check_row_count(self.run, len(examples.rows))
            shown = np.concatenate(self.shown)
            starts = np.arange(0, len(shown) + 1, 2)
            examples = Examples(rows_of(data), lists.grades, starts, index=shown, repeats=True)
        certificates.check_learned_from(self.run, examples)
        certificates.check_grades(self.run.ledger, lists.grades)
        return certificates.certify(self.run, examples)[0]


def _asked(score: float, rows: int) -> tuple[str | None, str]:
    """Return the answer of an explanation and what has the score: a row, or two of which one is above."""
    if rows == 1:
        return None, "the row"
    return {1: "above", -1: "below", 0: "equal"}[int(np.sign(score))], "the row over the other"


def _unseen(block: Block, finished: set[Any]) -> Block:
    """Return the block; raise ValueError if one of its queries was finished before."""
    queries = set(block.qid.tolist())
    again = finished & queries
    if again:
        raise ValueError(
            f"The query {again.pop()!r} comes again after others, in a file that is read in chunks. Sort "
            "it by query."
        )
    finished |= queries
    return block
