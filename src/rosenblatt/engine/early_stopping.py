"""Scores on validation sets after every epoch, and early stopping, which restores the best epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rosenblatt._types import Ints
from rosenblatt.engine.run import Run


class EarlyStopping:
    """Scores a run after every epoch, and keeps a snapshot of its best one if it may stop early.

    Parameters
    ----------
    run
        The run, which plays the orders that `watched` yields.
    scores
        Functions that return the score of the current guess on a validation set; higher is better. The last
        decides.
    patience
        Epochs without a better score after which to stop; None to play all epochs and keep the last.

    Attributes
    ----------
    history
        For each validation set, the score after every epoch.
    """

    def __init__(self, run: Run, scores: Sequence[Callable[[], float]], patience: int | None) -> None:
        self._run = run
        self._scores = scores
        self._patience = patience
        self._before = run.epochs
        self._restore = run.snapshot() if patience is not None else None
        self.history: list[list[float]] = [[] for _ in scores]

    def watched(self, orders: Iterable[Ints]) -> Iterator[Ints]:
        """Yield the orders until `patience` epochs have passed without a better score."""
        for order in orders:
            yield order
            self._record()
            if self._patience is not None and self._epochs - self.best >= self._patience:
                return

    @property
    def _epochs(self) -> int:
        return len(self.history[-1])

    @property
    def best(self) -> int:
        """The epoch with the best score on the last set, the first of equals, counted from 1."""
        scores = self.history[-1]
        return 1 + max(range(len(scores)), key=lambda epoch: (scores[epoch], -epoch))

    def finish(self) -> None:
        """Restore the run as it was after its best epoch, if it may stop early."""
        if self._restore is not None and self.best < self._epochs:
            self._restore()
            kept = self._before + self.best
            self._run.converged &= kept >= self._run.epochs
            self._run.epochs = min(kept, self._run.epochs)

    def _record(self) -> None:
        for history, score in zip(self.history, self._scores, strict=True):
            history.append(score())
        if self._restore is not None and self.best == self._epochs:
            self._restore = self._run.snapshot()
