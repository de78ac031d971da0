"""Early stopping: a score after every epoch, and the run as it was when that was best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rosenblatt._types import Ints
from rosenblatt.engine.run import Run


class EarlyStopping:
    """Scores a run after every epoch and keeps a snapshot of its best one.

    Parameters
    ----------
    run
        The run, which plays the orders that `watched` yields.
    score
        Returns the score of the current guess; higher is better.
    patience
        Epochs without a better score after which to stop.
    """

    def __init__(self, run: Run, score: Callable[[], float], patience: int) -> None:
        self._run = run
        self._score = score
        self._patience = patience
        self._restore = run.snapshot()
        self.scores: list[float] = []

    def watched(self, orders: Iterable[Ints]) -> Iterator[Ints]:
        """Yield the orders until `patience` epochs have passed without a better score."""
        for order in orders:
            yield order
            self._record()
            if len(self.scores) - self.best >= self._patience:
                return

    @property
    def best(self) -> int:
        """The epoch with the best score, the first of equals, counted from 1."""
        return 1 + max(range(len(self.scores)), key=lambda epoch: (self.scores[epoch], -epoch))

    def finish(self) -> None:
        """Restore the run as it was after its best epoch."""
        if self.best < len(self.scores):
            self._restore()
            self._run.converged &= self.best >= self._run.epochs
            self._run.epochs = min(self.best, self._run.epochs)

    def _record(self) -> None:
        self.scores.append(self._score())
        if self.best == len(self.scores):
            self._restore = self._run.snapshot()
