"""The predictors, and what each correction of a ledger counts for in them.

`last`, `best`, `average` and `recent` are single guesses: mixtures in which each correction counts for
something between 0 and 1. `vote` and `sample` go through all guesses. All but `recent` are read from the
ledger alone; when that average was restarted is known only to a run that followed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine.recent import Recent
from rosenblatt.ledger import Ledger

if TYPE_CHECKING:
    from rosenblatt.engine.run import Run

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


def check_kept(run: Run, what: str) -> None:
    """Raise ValueError if `what` needs the corrected rows and the run did not keep them."""
    if not run.hypothesis.keep:
        instead = ", or use 'last', 'average' or 'recent'" if what in NAMES else ""
        raise ValueError(
            f"{what!r} needs the corrected rows, and this run did not keep them: learn with "
            f"keep_examples=True, or --keep on the command line{instead}."
        )


def summed(index: Ints, amount: Floats, size: int) -> Floats:
    """The sum of the amounts at each index."""
    return np.bincount(index, amount, minlength=size).astype(np.float64)
