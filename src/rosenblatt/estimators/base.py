"""The parameters that all estimators have: read, checked, and held fast while a run goes on."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.learner import BLOCK
from rosenblatt.estimators import inputs
from rosenblatt.estimators.attributes import RunAttributes
from rosenblatt.kernels import Kernel, as_kernel
from rosenblatt.rules import Rule, as_rule


class RunEstimator(RunAttributes, BaseEstimator):
    """An estimator whose `fit` plays a run, with a kernel or without, by some rule."""

    epochs: int
    rule: str | Rule
    learning_rate: float
    keep_examples: Any
    budget: Any

    def _kernel(self) -> Kernel | None:
        return None if self.kernel is None else as_kernel(self.kernel)

    def _rule(self) -> Rule:
        return as_rule(self.rule, self.learning_rate)

    def _check_shared(self, *, flags: tuple[str, ...]) -> None:
        """Refuse parameters that no learner can have; `flags` names those which are True or False."""
        inputs.one_of("predictor", self.predictor, predictors.NAMES)
        for name in flags:
            inputs.flag(name, getattr(self, name))
        inputs.whole("epochs", self.epochs)
        if self.kernel is not None and not self.keep_examples:
            raise ValueError("A learner with a kernel is the examples it keeps. Got keep_examples=False.")
        if as_budget(self.budget) is not None and self.kernel is None:
            raise ValueError(
                "A budget is for a learner with a kernel; weights take the same room always. "
                f"Got budget={self.budget!r} without one."
            )
        self._kernel()
        self._rule()

    def _check_still(self, *others: tuple[str, Any, Any]) -> None:
        """Refuse to go on with a run whose kernel, or another parameter, is not what it was begun with.

        The others are named, with what is asked for now and what the run began with.
        """
        begun_budget = getattr(self._run.hypothesis, "budget", None)
        shared = (
            ("kernel", self._kernel(), self._run_kernel()),
            ("budget", as_budget(self.budget), begun_budget),
        )
        for name, asked, begun in (*shared, *others):
            if asked != begun:
                raise ValueError(
                    f"partial_fit goes on with a run that was begun with {name} = {begun!r}. Got {asked!r}: "
                    "set it back, or use fit to begin a new run."
                )


def rows_per_block(block_size: int | str) -> int:
    """What the parameter `block_size` asks for."""
    if block_size == "auto":
        return BLOCK
    inputs.whole("block_size", block_size)
    return int(block_size)
