"""Six ways to turn one run into a predictor.

`last`, `best`, `average` and `recent` are single guesses: mixtures in which each correction counts for
something between 0 and 1. `vote` and `sample` go through all guesses, as a running sum over similarities.
All but `recent` are read from the ledger alone; when that average was restarted is known only to a run that
followed it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Literal, get_args

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine import majority
from rosenblatt.engine.hypotheses import Budgeted, Primal
from rosenblatt.engine.recent import Recent
from rosenblatt.engine.run import Run, not_finite
from rosenblatt.ledger import Ledger
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.loops.votes import pick, vote_loop
from rosenblatt.rows import Rows, parts

FromLedger = Literal["last", "best", "average", "vote", "sample"]
FROM_LEDGER: tuple[str, ...] = get_args(FromLedger)
NAMES = (*FROM_LEDGER, "recent")
GUESSES = ("last", "best", "average", "recent")


def single(predictor: str) -> str:
    """The single guess that stands for a predictor: the average, where all guesses answer."""
    return predictor if predictor in GUESSES else "average"


def shares(ledger: Ledger) -> Floats:
    """The share of the rounds that each guess answered: m_j / m."""
    return ledger.survived / ledger.rounds


def best(ledger: Ledger) -> int:
    """The guess that answered the most rounds, the first of equals."""
    return int(np.argmax(ledger.survived))


def recent_influence(run: Run) -> Floats:
    """The weight of each correction in the recent average: 1 before its restart, then decreasing."""
    recent, ledger = followed(run), run.ledger
    factors = recent.factors(ledger.when.astype(np.float64), ledger.head)
    return np.asarray(1 - factors * recent.shares(ledger.rounds, ledger.heads)[ledger.head])


def followed(run: Run) -> Recent:
    """Return the state of the predictor `recent`; raise ValueError if the run does not follow it."""
    if run.hypothesis.recent is None:
        raise ValueError(
            "'recent' looks at every round, and this run did not follow it: learn with predictor='recent'."
        )
    return run.hypothesis.recent


def influence(ledger: Ledger, predictor: str) -> Floats:
    """The weight of each correction: 1 in the last guess, 0 or 1 in the best, decreasing in the average.

    >>> import numpy as np
    >>> from rosenblatt.ledger import Book
    >>> book = Book(heads=1)  # the ten rounds of the sources: mistakes in rounds 1, 4, 8 and 10
    >>> mistakes = np.array([[when, when - 1, 0, 0, 1, 1, 1, 1] for when in (1, 4, 8, 10)], float)
    >>> book.add(10, mistakes, np.empty((0, 4)))
    >>> influence(book.ledger, "average")
    array([0.9, 0.6, 0.2, 0. ])
    >>> influence(book.ledger, "best")
    array([1., 1., 0., 0.])
    """
    if predictor == "last":
        return np.ones(len(ledger))
    if predictor == "average":
        return (ledger.rounds - ledger.when) / max(ledger.rounds, 1)
    counted = np.zeros(len(ledger))
    for head in range(ledger.heads):
        mine = np.flatnonzero(ledger.head == head)
        counted[mine[: best(ledger.of(head))]] = 1.0
    return counted


def summed(index: Ints, amount: Floats, size: int) -> Floats:
    """The sum of the amounts at each index."""
    return np.bincount(index, amount, minlength=size).astype(np.float64)


def guess(run: Run, predictor: str) -> tuple[Ints, Ints, Floats, Floats]:
    """One of the single guesses in dual form.

    Returns
    -------
    Entries (index in the support set, output, amount), sorted by index, no two of them with the same index
    and output; and what the guess adds to the structure weights of v_0.
    """
    if predictor == "recent":
        followed(run)
    if isinstance(run.hypothesis, Budgeted):
        coefficients, structure = run.hypothesis.single(predictor, run.book.rounds)
        index, output = np.nonzero(coefficients)
        moved = np.where(run.game.structure > -np.inf, structure, 0.0)
        return index, output, coefficients[index, output], moved
    name = f"entries of {predictor}"
    return run.hypothesis.memo.get(run.moment, name, lambda: _read_guess(run, predictor))


def _read_guess(run: Run, predictor: str) -> tuple[Ints, Ints, Floats, Floats]:
    """A single guess in dual form, from the ledger."""
    ledger = run.ledger
    counted = recent_influence(run) if predictor == "recent" else influence(ledger, predictor)
    amount = ledger.amount * counted[ledger.correction]
    on_rows = ledger.row != STRUCTURE
    outputs = run.game.outputs
    index = run.support.indices(ledger.row[on_rows])
    cells, inverse = np.unique(index * outputs + ledger.output[on_rows], return_inverse=True)
    total = summed(inverse, amount[on_rows], len(cells))
    return cells // outputs, cells % outputs, total, _structure(run, amount)


def guess_weights(run: Run, predictor: str) -> Floats:
    """One of the single guesses as a weight matrix (features + 1 × outputs), in the primal.

    It is computed once, until the guess moves: do not change it.
    """
    hypothesis = run.primal
    assert hypothesis is not None
    if predictor == "last":
        return hypothesis.weights
    return hypothesis.memo.get(run.moment, predictor, lambda: _weights(run, hypothesis, predictor))


def _weights(run: Run, hypothesis: Primal, predictor: str) -> Floats:
    if predictor == "average":
        return hypothesis.average(run.book.rounds)
    if predictor == "recent":
        followed(run)
        return hypothesis.recent_weights(run.book.rounds)
    check_kept(run, predictor)
    index, output, amount, _ = guess(run, predictor)
    weights = np.zeros_like(hypothesis.weights) if hypothesis.start is None else hypothesis.start.copy()
    if len(index):
        hypothesis.spread(weights, hypothesis.support.rows.data, index, output, amount)
    return weights


def check_kept(run: Run, what: str) -> None:
    """Raise ValueError if `what` needs the corrected rows and the run did not keep them."""
    if not run.hypothesis.keep:
        instead = ", or use 'last', 'average' or 'recent'" if what in NAMES else ""
        raise ValueError(
            f"{what!r} needs the corrected rows, and this run did not keep them: learn with "
            f"keep_examples=True{instead}."
        )


CHECKED_LATER = np.errstate(over="ignore", invalid="ignore")
"""No warnings of overflow: `finite` raises ValueError where a score is not finite."""


@CHECKED_LATER
def scores(run: Run, rows: Rows, predictor: str) -> tuple[Floats, Floats]:
    """The scores (rows × outputs) and the structure weights of a single guess."""
    if run.primal is not None:
        return finite(_primal_scores(run, run.primal, rows, predictor)), guess_structure(run, predictor)
    index, output, amount, structure = guess(run, predictor)
    support = run.support
    used, inverse = np.unique(index, return_inverse=True)
    found = support.scores(support.rows.take(used), inverse, output, amount, rows, run.game.outputs)
    return finite(found.T), run.game.structure + structure


def _primal_scores(run: Run, hypothesis: Primal, rows: Rows, predictor: str) -> Floats:
    """The scores of a guess; if rows have fewer values than it has weights, without making these."""
    few = rows.size * hypothesis.outputs < hypothesis.weights.size
    if predictor in ("average", "recent") and few and not hypothesis.memo.has(run.moment, predictor):
        if predictor == "average":
            return hypothesis.average_scores(rows, run.book.rounds)
        followed(run)
        return hypothesis.recent_scores(rows, run.book.rounds)
    return hypothesis.scores_of(guess_weights(run, predictor), rows)


@CHECKED_LATER
def scores_by(run: Run, weights: Floats, rows: Rows) -> Floats:
    """The scores (rows × outputs) by the weights of any guess in the primal; they must be finite."""
    assert run.primal is not None
    return finite(run.primal.scores_of(weights, rows))


def guess_structure(run: Run, predictor: str) -> Floats:
    """The structure weights of one of the single guesses."""
    hypothesis = run.hypothesis
    if not len(run.game.structure) or predictor == "last":
        return hypothesis.structure
    if predictor == "recent":
        return followed(run).average_structure(hypothesis.structure, run.book.rounds)
    if isinstance(hypothesis, Budgeted):
        return hypothesis.single(predictor, run.book.rounds)[1]
    return hypothesis.memo.get(
        run.moment, f"structure weights of {predictor}", lambda: _read_structure(run, predictor)
    )


def _read_structure(run: Run, predictor: str) -> Floats:
    if predictor == "average":
        return run.hypothesis.structure - run.book.delayed_structure / max(run.book.rounds, 1)
    ledger = run.ledger
    amount = ledger.amount * influence(ledger, predictor)[ledger.correction]
    return run.game.structure + _structure(run, amount)


def _structure(run: Run, amount: Floats) -> Floats:
    """The sums of entries with these amounts that move structure weights."""
    free = run.ledger.row == STRUCTURE
    return summed(run.ledger.output[free], amount[free], len(run.game.structure))


@CHECKED_LATER
def votes(run: Run, rows: Rows, starts: Ints) -> Floats:
    """The tally (rows × alternatives): every guess votes as often as it answered, the total being 1."""
    check_kept(run, "vote")
    ledger = run.remembered
    ended, standing = _survivals(ledger)
    entries, loop, tally = (
        _entries(run, ledger),
        vote_loop(run.game.ballot),
        np.zeros((len(rows), run.game.alternatives)),
    )

    def count(part: slice, begins: Ints, similarities: Array, first: Floats) -> None:
        found, structure = np.zeros((run.game.alternatives, first.shape[1])), run.game.structure.copy()
        loop(begins, similarities, first, structure, ledger.head, ended, standing, entries, found)
        finite(first.T, int(starts[part.start]))
        tally[starts[part.start] : starts[part.stop]] = found.T

    _pipelined(count, run, rows, starts)
    return tally / max(ledger.rounds, 1)


@CHECKED_LATER
def sampled(run: Run, rows: Rows, starts: Ints, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Return scores (rows × outputs) and structure weights (rounds × …) of a guess drawn for every round."""
    check_kept(run, "sample")
    ledger, rounds = run.remembered, len(starts) - 1
    drawn = np.empty((ledger.heads, rounds), np.int64)
    for head in range(ledger.heads):
        mine = shares(ledger.of(head)) if ledger.rounds else np.ones(1)
        drawn[head] = random.choice(len(mine), size=rounds, p=mine)
    entries, result, moved = (
        _entries(run, ledger),
        np.empty((len(rows), run.game.outputs)),
        np.repeat(run.game.structure[:, None], rounds, axis=1),
    )

    def draw(part: slice, begins: Ints, similarities: Array, first: Floats) -> None:
        pick(begins, similarities, first, moved[:, part], ledger.head, drawn[:, part], entries)
        result[starts[part.start] : starts[part.stop]] = finite(first.T, int(starts[part.start]))

    _pipelined(draw, run, rows, starts)
    return result, moved.T


def finite(scores: Floats, first: int = 0) -> Floats:
    """Return the scores; raise ValueError if one is not finite. `first` is the index of the first row."""
    if not np.isfinite(scores).all():
        raise not_finite(first + int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0]))
    return scores


def _survivals(ledger: Ledger) -> tuple[Floats, Floats]:
    """Rounds answered by the guess that each correction ended, and by the last guess of each head."""
    ended, standing = np.empty(len(ledger)), np.empty(ledger.heads)
    for head in range(ledger.heads):
        survived = ledger.of(head).survived
        ended[ledger.head == head], standing[head] = survived[:-1], survived[-1]
    return ended, standing


def _entries(run: Run, ledger: Ledger) -> tuple[Ints, Ints, Ints, Floats]:
    """Where each correction's entries begin, and the entries, with support indices for row ids."""
    index = np.full(len(ledger.row), STRUCTURE)
    on_rows = ledger.row != STRUCTURE
    index[on_rows] = run.support.indices(ledger.row[on_rows])
    return ledger.bounds, index, ledger.output, ledger.amount


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
    with ThreadPoolExecutor(majority.THREADS) as pool:
        waiting: deque[Future[None]] = deque()
        for piece in pieces:
            if len(waiting) == majority.THREADS:
                waiting.popleft().result()
            waiting.append(pool.submit(work, *compared(piece)))
        for done in waiting:
            done.result()


def decide(
    run: Run,
    rows: Rows,
    predictor: str,
    starts: Ints | None = None,
    random: np.random.Generator | None = None,
) -> Ints:
    """The answers of this predictor to rounds of rows."""
    if starts is None:
        starts = np.arange(len(rows) + 1)
    if predictor == "vote":
        return _elected(run, rows, starts)
    if predictor == "sample":
        found, structure = sampled(run, rows, starts, random or np.random.default_rng())
    else:
        found, once = scores(run, rows, predictor)
        structure = np.broadcast_to(once, (len(starts) - 1, len(once)))
    return run.game.answer(found, structure, starts)


@CHECKED_LATER
def _elected(run: Run, rows: Rows, starts: Ints) -> Ints:
    """The winners of the vote; counting stops where the winner is settled."""
    if not majority.can_settle(run, starts):
        return run.game.elect(votes(run, rows, starts), starts)
    check_kept(run, "vote")
    last = finite(run.hypothesis.scores(rows))
    tally, settled = majority.settled_votes(run, rows, last, _entries(run, run.ledger))
    undecided = np.flatnonzero(~settled)
    if len(undecided):
        tally[undecided] = votes(run, rows.take(undecided), np.arange(len(undecided) + 1))
    return run.game.elect(tally, starts)
