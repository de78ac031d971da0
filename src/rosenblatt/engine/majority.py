"""The winner of a vote without counting all votes: from the last guess back, until the rest cannot change it.

Later guesses answered more rounds than earlier ones, so a majority is often settled by few of them. The
scores of the last guess come from its weights; a correction undone makes them those of the guess before.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._types import Bools, Floats, Ints
from rosenblatt.engine.threads import threads
from rosenblatt.ledger import Ledger
from rosenblatt.loops.votes import Entries, vote_loop
from rosenblatt.rows import Rows, parts

if TYPE_CHECKING:
    from rosenblatt.engine.run import Run

COVERED = (0.55, 0.7, 0.85, 0.95)
"""Shares of the rounds after which to find the rows that are settled."""

CELLS, FEW_ROWS = 4_000_000, 2048
"""Similarities that a thread holds at once, and rows that are not worth a second thread."""


def can_settle(run: Run, starts: Ints) -> bool:
    """Whether votes can be counted from the end: one row a round, weights, and no structure weights."""
    one_row = len(starts) > 1 and bool((np.diff(starts) == 1).all())
    return run.primal is not None and hasattr(run.game, "settled") and one_row


def settled_votes(run: Run, rows: Rows, scores: Floats, entries: Entries) -> tuple[Floats, Bools]:
    """Return a tally (rows × alternatives) of the last guesses, and for which rows it settles the vote.

    Parameters
    ----------
    scores
        Scores of the rows by the last guess (rows × outputs).
    entries
        The entries of the ledger.
    """
    ledger, game = run.ledger, run.game
    tally, settled = np.zeros((game.alternatives, len(rows))), np.zeros(len(rows), bool)
    result, following = np.zeros_like(tally), _following(ledger)
    scores, last = scores.T.copy(), len(ledger)
    for share in COVERED:
        first = min(last, int(np.searchsorted(ledger.when, (1 - share) * ledger.rounds)))
        if first < len(ledger) // 2 or settled.all():
            break
        undone, undecided = np.arange(last - 1, first - 1, -1), np.flatnonzero(~settled)
        if len(undone):
            undo = partial(_undo, run, rows, scores, tally, undone, following, entries)
            _in_threads(undo, [undecided[part] for part in _parts(len(undecided), len(undone))])
        answering, left = _answering(ledger, first)
        open_scores, open_votes = (np.ascontiguousarray(array[:, undecided]) for array in (scores, tally))
        found = _with_votes_of(run, answering, open_scores, open_votes)
        settled[undecided] = game.settled(found.T, left)  # type: ignore[attr-defined]
        result[:, undecided], last = found, first
    return result.T.copy(), settled


def _answering(ledger: Ledger, first: int) -> tuple[Floats, Floats]:
    """For every head, how many rounds the guess before this correction answered, and those before it."""
    answered, left = np.empty(ledger.heads), np.empty(ledger.heads)
    for head in range(ledger.heads):
        when, mine = ledger.when[ledger.head == head], np.flatnonzero(ledger.head == head)
        earlier = int(np.searchsorted(mine, first))
        left[head] = when[earlier - 1] if earlier else 0
        answered[head] = (when[earlier] if earlier < len(when) else ledger.rounds) - left[head]
    return answered, left


def _with_votes_of(run: Run, answered: Floats, scores: Floats, tally: Floats) -> Floats:
    """Add the votes of the guess with these scores to the tally, and return it."""
    none, nothing = np.empty(0, np.int64), np.empty(0)
    similarities = np.empty((0, scores.shape[1]))
    vote_loop(run.game.ballot)(
        np.arange(scores.shape[1] + 1), similarities, scores, run.game.structure.copy(), none, nothing,
        answered, (np.zeros(1, np.int64), none, none, nothing), tally,
    )  # fmt: skip
    return tally


def _parts(rows: int, undone: int) -> list[slice]:
    """Parts of the rows: few enough similarities in each, and a part for every thread if they are many."""
    most = max(1, CELLS // undone)
    return parts(rows, most if rows < FEW_ROWS else min(most, -(-rows // threads())))


def _in_threads(work: Callable[[Ints], None], pieces: list[Ints]) -> None:
    if len(pieces) == 1:
        work(pieces[0])
        return
    with ThreadPoolExecutor(threads()) as pool:
        list(pool.map(work, pieces))


def _following(ledger: Ledger) -> Floats:
    """For every correction, how many rounds the guess that it led to answered."""
    following = np.empty(len(ledger))
    for head in range(ledger.heads):
        following[ledger.head == head] = ledger.of(head).survived[1:]
    return following


def _undo(
    run: Run,
    rows: Rows,
    scores: Floats,
    tally: Floats,
    undone: Ints,
    following: Floats,
    entries: Entries,
    index: Ints,
) -> None:
    """Let the guess after each correction vote, and undo the correction, in this order, on some rows."""
    ledger, support = run.ledger, run.support
    some_entries = _entries_of(undone, entries)
    used, support_index = np.unique(some_entries.support, return_inverse=True)
    undoing = (some_entries.bounds, support_index, some_entries.output, -some_entries.amount)
    gram = support.gram(support.rows.take(used), rows.take(index))
    some, votes = np.ascontiguousarray(scores[:, index]), np.ascontiguousarray(tally[:, index])
    loop: Any = vote_loop(run.game.ballot)
    nothing = np.zeros(ledger.heads)
    loop(
        np.arange(len(index) + 1), gram, some, run.game.structure.copy(), ledger.head[undone],
        following[undone], nothing, undoing, votes,
    )  # fmt: skip
    scores[:, index], tally[:, index] = some, votes


def _entries_of(corrections: Ints, entries: Entries) -> Entries:
    """Return the entries of these corrections, in this order."""
    counts = entries.bounds[corrections + 1] - entries.bounds[corrections]
    begins = np.concatenate([[0], np.cumsum(counts)])
    index = np.repeat(entries.bounds[corrections] - begins[:-1], counts) + np.arange(begins[-1])
    return Entries(begins, entries.support[index], entries.output[index], entries.amount[index])
