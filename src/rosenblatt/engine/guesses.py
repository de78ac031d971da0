"""What answers for a run: one of its single guesses, a vote of all, or a guess drawn for every round.

`Run.guess` chooses among them by the name of a predictor.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine import majority, predictors
from rosenblatt.engine.faults import not_finite
from rosenblatt.engine.threads import threads
from rosenblatt.ledger import Ledger
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.loops.votes import Entries, pick, vote_loop
from rosenblatt.rows import Rows, counting, parts

if TYPE_CHECKING:
    from rosenblatt.engine.run import Run

CHECKED_LATER = np.errstate(over="ignore", invalid="ignore")
"""No warnings of overflow: `finite` raises ValueError where a score is not finite."""


class Scored(NamedTuple):
    """Scores (rows × outputs), of a vote the tally (rows × alternatives); and structure weights by round."""

    scores: Floats
    structure: Floats


class Guess(Protocol):
    """What answers for a run, until the run moves."""

    def scores(self, rows: Rows, starts: Ints | None = None) -> Scored:
        """Return the scores of rounds `starts[i]:starts[i + 1]` of rows, by default one row each."""

    def answers(self, rows: Rows, starts: Ints | None = None) -> Ints:
        """Return the answers to these rounds."""


def finite(scores: Floats, first: int = 0) -> Floats:
    """Return the scores; raise ValueError if one is not finite. `first` is the index of the first row."""
    if not np.isfinite(scores).all():
        raise not_finite(first + int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0]))
    return scores


class SingleGuess:
    """One of the guesses last, best, average and recent: v_0 and the corrections, each with its weight.

    All that is computed of it is computed once.

    Parameters
    ----------
    run
        The run, which must not move while this is in use.
    predictor
        The name of the guess.
    computed
        What was computed of this guess before, by name; what is computed now is added.
    """

    __slots__ = ("__dict__", "_run", "predictor")

    def __init__(self, run: Run, predictor: str, computed: dict[str, Any]) -> None:
        if predictor == "recent":
            predictors.followed(run)
        if predictor == "best":
            predictors.check_kept(run, predictor)
        self._run = run
        self.predictor = predictor
        self.__dict__ = computed

    @cached_property
    def entries(self) -> tuple[Ints, Ints, Floats]:
        """The guess in dual form: index in the support set, output, amount; by index, no pair twice."""
        run = self._run
        if run.budget is not None:
            coefficients = self._remembered[0]
            index, output = np.nonzero(coefficients)
            return index, output, coefficients[index, output]
        ledger, outputs = run.ledger, run.game.outputs
        on_rows = ledger.row != STRUCTURE
        index = run.support.indices(ledger.row[on_rows])
        cells, inverse = np.unique(index * outputs + ledger.output[on_rows], return_inverse=True)
        total = predictors.summed(inverse, self._amounts[on_rows], len(cells))
        return cells // outputs, cells % outputs, total

    @cached_property
    def coefficients(self) -> Floats:
        """The coefficient of each row of the support set in each output (rows × outputs)."""
        index, output, amount = self.entries
        result = np.zeros((len(self._run.support), self._run.game.outputs))
        result[index, output] = amount
        return result

    @cached_property
    def weights(self) -> Floats:
        """The guess as weights (features + 1 × outputs), in the primal; do not change them."""
        run, hypothesis = self._run, self._run.primal
        assert hypothesis is not None
        if self.predictor == "last":
            return hypothesis.weights
        if self.predictor == "average":
            return hypothesis.average(run.book.rounds)
        if self.predictor == "recent":
            return hypothesis.recent_weights(run.book.rounds)
        weights = np.zeros_like(hypothesis.weights) if hypothesis.start is None else hypothesis.start.copy()
        index, output, amount = self.entries
        if len(index):
            hypothesis.spread(weights, run.support.rows.data, index, output, amount)
        return weights

    @cached_property
    def structure(self) -> Floats:
        """The structure weights of the guess."""
        run, hypothesis = self._run, self._run.hypothesis
        if not len(run.game.structure) or self.predictor == "last":
            return hypothesis.structure
        if self.predictor == "recent":
            return predictors.followed(run).average_structure(hypothesis.structure, run.book.rounds)
        if run.budget is not None:
            return self._remembered[1]
        if self.predictor == "average":
            return hypothesis.structure - run.book.delayed_structure / max(run.book.rounds, 1)
        return run.game.structure + self.structure_moved

    @cached_property
    def structure_moved(self) -> Floats:
        """What the guess adds to the structure weights of v_0; 0 where these are −∞."""
        run = self._run
        if run.budget is not None:
            return np.where(run.game.structure > -np.inf, self.structure, 0.0)
        free = run.ledger.row == STRUCTURE
        return predictors.summed(run.ledger.output[free], self._amounts[free], len(run.game.structure))

    @cached_property
    def _amounts(self) -> Floats:
        """The amount of every entry of the ledger, times the weight of its correction in this guess."""
        run, ledger = self._run, self._run.ledger
        if self.predictor == "recent":
            return np.asarray(ledger.amount * predictors.recent_influence(run)[ledger.correction])
        return np.asarray(ledger.amount * predictors.influence(ledger, self.predictor)[ledger.correction])

    @cached_property
    def _remembered(self) -> tuple[Floats, Floats]:
        """The coefficients and structure weights of the guess as a budget remembers it."""
        assert self._run.budgeted is not None
        return self._run.budgeted.single(self.predictor, self._run.book.rounds)

    @CHECKED_LATER
    def scores(self, rows: Rows, starts: Ints | None = None) -> Scored:
        """Return the scores of rows, and the structure weights, the same for every round."""
        found = finite(self._scores(rows))
        rounds = len(rows) if starts is None else len(starts) - 1
        return Scored(found, np.broadcast_to(self.structure, (rounds, len(self.structure))))

    def _scores(self, rows: Rows) -> Floats:
        run, hypothesis = self._run, self._run.primal
        if hypothesis is not None:
            if "weights" in vars(self) or rows.size * hypothesis.outputs >= hypothesis.weights.size:
                return hypothesis.scores_of(self.weights, rows)
            if self.predictor == "average":  # rows have fewer values than there are weights to make
                return hypothesis.average_scores(rows, run.book.rounds)
            if self.predictor == "recent":
                return hypothesis.recent_scores(rows, run.book.rounds)
            return hypothesis.scores_of(self.weights, rows)
        index, output, amount = self.entries
        used, inverse = np.unique(index, return_inverse=True)
        some = run.support.rows.take(used)
        return run.support.scores(some, inverse, output, amount, rows, run.game.outputs).T

    def answers(self, rows: Rows, starts: Ints | None = None) -> Ints:
        """Return the answers of this guess."""
        starts = counting(len(rows) + 1) if starts is None else starts
        return self._run.game.answer(*self.scores(rows, starts), starts)


class Vote:
    """All guesses of a run, each with as many votes as it answered rounds."""

    def __init__(self, run: Run) -> None:
        predictors.check_kept(run, "vote")
        self._run = run

    @CHECKED_LATER
    def scores(self, rows: Rows, starts: Ints | None = None) -> Scored:
        """Return the tally of the votes, whose total is 1, and the structure weights of v_0."""
        run, starts = self._run, counting(len(rows) + 1) if starts is None else starts
        ledger, game = run.remembered, run.game
        ended, standing = _survivals(ledger)
        entries, loop = entries_of(run, ledger), vote_loop(game.ballot)
        tally = np.zeros((len(rows), game.alternatives))

        def count(part: slice, begins: Ints, similarities: Array, first: Floats) -> None:
            found, structure = np.zeros((game.alternatives, first.shape[1])), game.structure.copy()
            loop(begins, similarities, first, structure, ledger.head, ended, standing, tuple(entries), found)
            finite(first.T, int(starts[part.start]))
            tally[starts[part.start] : starts[part.stop]] = found.T

        _pipelined(count, run, rows, starts)
        structure = np.broadcast_to(game.structure, (len(starts) - 1, len(game.structure)))
        return Scored(tally / max(ledger.rounds, 1), structure)

    @CHECKED_LATER
    def answers(self, rows: Rows, starts: Ints | None = None) -> Ints:
        """Return the winners of the vote; counting stops where the winner is settled."""
        run, starts = self._run, counting(len(rows) + 1) if starts is None else starts
        if not majority.can_settle(run, starts):
            return run.game.elect(self.scores(rows, starts).scores, starts)
        last = finite(run.hypothesis.scores(rows))
        tally, settled = majority.settled_votes(run, rows, last, entries_of(run, run.ledger))
        undecided = np.flatnonzero(~settled)
        if len(undecided):
            tally[undecided] = self.scores(rows.take(undecided)).scores
        return run.game.elect(tally, starts)


class Sampled:
    """A guess drawn for every round, with the share of rounds that it answered as its probability."""

    def __init__(self, run: Run, random: np.random.Generator) -> None:
        predictors.check_kept(run, "sample")
        self._run = run
        self._random = random

    @CHECKED_LATER
    def scores(self, rows: Rows, starts: Ints | None = None) -> Scored:
        """Return the scores and structure weights of the guess drawn for every round."""
        run, starts = self._run, counting(len(rows) + 1) if starts is None else starts
        ledger, rounds = run.remembered, len(starts) - 1
        drawn = self._drawn(ledger, rounds)
        entries, result = entries_of(run, ledger), np.empty((len(rows), run.game.outputs))
        moved = np.repeat(run.game.structure[:, None], rounds, axis=1)

        def draw(part: slice, begins: Ints, similarities: Array, first: Floats) -> None:
            pick(begins, similarities, first, moved[:, part], ledger.head, drawn[:, part], tuple(entries))
            result[starts[part.start] : starts[part.stop]] = finite(first.T, int(starts[part.start]))

        _pipelined(draw, run, rows, starts)
        return Scored(result, moved.T)

    def _drawn(self, ledger: Ledger, rounds: int) -> Ints:
        """Return how many corrections the guess drawn for each round includes (heads × rounds)."""
        drawn = np.empty((ledger.heads, rounds), np.int64)
        for head in range(ledger.heads):
            mine = predictors.shares(ledger.of(head)) if ledger.rounds else np.ones(1)
            drawn[head] = self._random.choice(len(mine), size=rounds, p=mine)
        return drawn

    def answers(self, rows: Rows, starts: Ints | None = None) -> Ints:
        """Return the answers of the guesses drawn."""
        starts = counting(len(rows) + 1) if starts is None else starts
        return self._run.game.answer(*self.scores(rows, starts), starts)


def entries_of(run: Run, ledger: Ledger) -> Entries:
    """Return the entries of a ledger, with indices in the support set for row ids."""
    support = np.full(len(ledger.row), STRUCTURE)
    on_rows = ledger.row != STRUCTURE
    support[on_rows] = run.support.indices(ledger.row[on_rows])
    return Entries(ledger.bounds, support, ledger.output, ledger.amount)


def _survivals(ledger: Ledger) -> tuple[Floats, Floats]:
    """Rounds answered by the guess that each correction ended, and by the last guess of each head."""
    ended, standing = np.empty(len(ledger)), np.empty(ledger.heads)
    for head in range(ledger.heads):
        survived = ledger.of(head).survived
        ended[ledger.head == head], standing[head] = survived[:-1], survived[-1]
    return ended, standing


def _pipelined(work: Callable[..., None], run: Run, rows: Rows, starts: Ints) -> None:
    """Run `work` on parts of the rounds in threads, while the similarities of the next are computed.

    It is given the part, where its rounds begin, their similarities (support × rows) and their scores
    under v_0 (outputs × rows).
    """
    support, longest = run.support, int(np.max(np.diff(starts), initial=1))
    pieces = parts(len(starts) - 1, max(1, majority.CELLS // (longest * max(len(support), 1))))

    def compared(part: slice) -> tuple[slice, Ints, Array, Floats]:
        begins = starts[part.start : part.stop + 1]
        block = rows.take(slice(begins[0], begins[-1]))
        gram = support.gram(support.rows, block) if len(support) else np.empty((0, len(block)))
        return part, begins - begins[0], gram, np.ascontiguousarray(run.hypothesis.first_scores(block).T)

    if len(pieces) == 1:
        work(*compared(pieces[0]))
        return
    most = threads()
    with ThreadPoolExecutor(most) as pool:
        waiting: deque[Future[None]] = deque()
        for piece in pieces:
            if len(waiting) == most:
                waiting.popleft().result()
            waiting.append(pool.submit(work, *compared(piece)))
        for done in waiting:
            done.result()


__all__ = ["CHECKED_LATER", "Guess", "Sampled", "Scored", "SingleGuess", "Vote"]
