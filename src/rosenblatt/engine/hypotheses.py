"""The interface of a hypothesis, the form that the current guess of a run has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self

from rosenblatt._types import Floats, Ints
from rosenblatt.budgets import Budget
from rosenblatt.engine.block_scores import BlockScores
from rosenblatt.engine.outputs import Outputs
from rosenblatt.engine.recent import Recent
from rosenblatt.engine.support import SupportSet
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import Book
from rosenblatt.rows import Rows


class Hypothesis(Protocol):
    """The current guess of a run: weights (`Primal`), or a support set and a kernel (`Dual`, `Budgeted`)."""

    support: SupportSet
    """The corrected rows that are stored."""

    recent: Recent | None
    """What the predictor `recent` keeps beside the guess, if the run follows it."""

    @property
    def kernel(self) -> Kernel | None:
        """The kernel; None in the primal."""

    @property
    def budget(self) -> Budget | None:
        """The budget of the support set; None if it may grow."""

    @property
    def keep(self) -> bool:
        """Whether corrected rows are stored."""

    @property
    def outputs(self) -> int:
        """How many scores a row gets."""

    @property
    def structure(self) -> Floats:
        """The structure weights of the current guess."""

    def scores(self, rows: Rows) -> Floats:
        """Return the scores (rows × outputs) of the current guess."""

    def first_scores(self, rows: Rows) -> Floats:
        """Return the scores of v_0."""

    def add(self, rows: Rows, index: Ints, output: Ints, amount: Floats, when: Floats) -> None:
        """Add entries to the guess: amount · φ(rows[index]) to each output, in round `when`."""

    def end_guess(self, when: float, head: int) -> None:
        """Take note that this round has refuted the current guess of a head."""

    def block_scores(self, rows: Rows, lasting: bool) -> BlockScores:
        """Return the block scores of these rows; if `lasting`, scores may be kept between epochs."""

    def follow_recent(self, heads: int) -> None:
        """Keep the sums of the predictor `recent` beside the guess."""

    def recent_scores(self, rows: Rows, rounds: int) -> Floats:
        """Return the scores of the recent average."""

    def restart_recent(self, head: int, when: int) -> None:
        """Restart the recent average of a head."""

    def widen(self, features: int) -> None:
        """Reserve memory for features never seen before."""

    def narrow(self, features: int) -> None:
        """Free the memory reserved for features that never came."""

    def with_outputs(self, outputs: Outputs, rounds: int) -> Self:
        """Return a copy with these outputs, after this many rounds; it shares no memory that is written."""

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores the present state."""

    def savepoint(self, book: Book) -> Callable[[], None] | None:
        """Return a function that rolls guess and book back to the present state; None if there is none."""
