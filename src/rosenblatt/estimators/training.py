"""What `fit` does once the data are checked: all epochs, scored on validation sets, with early stopping."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from rosenblatt.engine.early_stopping import EarlyStopping
from rosenblatt.rules import Rule
from rosenblatt.tasks.plans import Plan
from rosenblatt.tasks.task import train_in_memory


class Training(ABC):
    """The training of an estimator on one block, which is held in memory."""

    early_stopping: bool
    n_iter_no_change: int
    take_over: Callable[[Any], None]
    _generator: Callable[..., np.random.Generator]
    _plan: Callable[[np.random.Generator], Plan]
    _rule: Callable[[], Rule]

    def _train(self, task: Any, block: Any, held: Sequence[Any], *, begun: bool) -> None:
        """Play all epochs of a block, scored on validation sets, and take over the task.

        Parameters
        ----------
        held
            Validation sets in the form of `block`; for early stopping without any, a part of it is held out.
        begun
            Whether the task has a run, which continues.
        """
        plan = self._plan(self._generator(task.run if begun else None))
        random = plan.random
        if self.early_stopping and not held:
            block, part = self._split(block, random)
            held = [part]
        patience = self.n_iter_no_change if self.early_stopping else None

        def watch(task: Any) -> EarlyStopping:
            return EarlyStopping(task.run, [self._scorer(task, part) for part in held], patience)

        with task.run.following(self._rule()) if begun else nullcontext():
            watched = train_in_memory(task, block, plan, watch if held else None, begun=begun)
        task.finish()
        self.take_over(task)
        if watched is not None:
            scores = {f"valid_{i}": {self._metric_name: scores} for i, scores in enumerate(watched.history)}
            self.evals_result_ = scores
            if self.early_stopping:
                self.best_iteration_ = watched.best

    @property
    @abstractmethod
    def _metric_name(self) -> str:
        """The name of what validation sets are scored by."""

    @abstractmethod
    def _split(self, block: Any, random: np.random.Generator) -> tuple[Any, Any]:
        """Return a block without the part that is held out, and that part."""

    @abstractmethod
    def _scorer(self, task: Any, block: Any) -> Callable[[], float]:
        """Return what scores the current guess of a task on a block; higher is better."""
