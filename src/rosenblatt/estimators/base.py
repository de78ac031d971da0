"""The parameters that all estimators have: read, checked, and kept unchanged while a run continues."""

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
    """An estimator whose `fit` plays a run, with a kernel or without."""

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
        """Raise ValueError for invalid parameters; `flags` names those that must be True or False."""
        inputs.one_of("predictor", self.predictor, predictors.NAMES)
        for name in flags:
            inputs.flag(name, getattr(self, name))
        inputs.positive_integer("epochs", self.epochs)
        if self.kernel is not None and not self.keep_examples:
            raise ValueError("A learner with a kernel must keep its examples. Got keep_examples=False.")
        if as_budget(self.budget) is not None and self.kernel is None:
            raise ValueError(
                "A budget is for a learner with a kernel; weights take constant memory. "
                f"Got budget={self.budget!r} without one."
            )
        self._kernel()
        self._rule()

    def _check_same(self, *others: tuple[str, Any, Any]) -> None:
        """Raise ValueError if the kernel, the budget or another parameter is not that of the run.

        `others` are triples: a name, the present value, and the value that the run was fitted with.
        """
        fitted_budget = getattr(self._run.hypothesis, "budget", None)
        shared = (
            ("kernel", self._kernel(), self._run_kernel()),
            ("budget", as_budget(self.budget), fitted_budget),
        )
        for name, present, fitted in (*shared, *others):
            if present != fitted:
                raise ValueError(
                    f"partial_fit cannot change {name} (fitted with {fitted!r}, now {present!r}). "
                    "Restore it or call fit."
                )


def rows_per_block(block_size: int | str) -> int:
    """Return the rows per block that the parameter `block_size` asks for."""
    if block_size == "auto":
        return BLOCK
    inputs.positive_integer("block_size", block_size)
    return int(block_size)
