"""The attributes that a fitted estimator reads from its run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Data, Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Run
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import Ledger


class NotThere(ValueError, AttributeError):  # noqa: N818
    """The error about an attribute that does not exist here; `hasattr` takes it for a missing one."""


def available(check: Callable[[Any], None]) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator of a method that exists only where `check` of the estimator raises no NotThere.

    As with scikit-learn's `available_if`, `hasattr` finds the method or does not; and the error of an access
    is the sentence of the check.
    """
    return partial(_Available, check)


class _Available:
    """A method that a check of the estimator precedes, when it is looked up."""

    def __init__(self, check: Callable[[Any], None], method: Callable[..., Any]) -> None:
        self.check, self.method = check, method
        self.__doc__ = method.__doc__

    def __get__(self, estimator: Any, owner: Any = None) -> Callable[..., Any]:
        if estimator is None:
            return self.method
        self.check(estimator)
        return MethodType(self.method, estimator)


class Fitted:
    """An estimator with a `task_`, whose attributes are those of its run."""

    kernel: Any
    predictor: str
    task_: Any

    @property
    def run_(self) -> Run:
        """The run: the game, the rule, the current guess and the ledger."""
        run: Run = self._fitted().run
        return run

    def _fitted(self) -> Any:
        """Return the task; raises NotFittedError before `fit`."""
        if "task_" not in vars(self):  # scikit-learn's check takes longer than a short prediction
            check_is_fitted(self, "task_")
        return self.task_

    @property
    def ledger_(self) -> Ledger:
        """The record of the run."""
        return self.run_.ledger

    @property
    def n_iter_(self) -> int:
        """The number of epochs played."""
        return self.run_.epochs

    @property
    def converged_(self) -> bool:
        """Whether the last epoch was without a correction."""
        return self.run_.converged

    @property
    def n_support_(self) -> Ints:
        """The number of support vectors, as an array of one."""
        return np.array([len(self.run_.support)])

    @property
    def support_(self) -> Ints:
        """The ids of the support vectors: indices among all rows learned from; merged ones are below 0."""
        return self.run_.support.ids

    @property
    def support_vectors_(self) -> Data:
        """The rows that were ever corrected; with a budget those kept, none with `keep_examples=False`."""
        return self.run_.support.rows.data

    @property
    def dual_coef_(self) -> Floats:
        """The coefficient of each support vector in each output of the chosen guess (outputs × support)."""
        run = self.run_
        self._check_single("dual_coef_")
        try:
            predictors.check_kept(run, "dual_coef_")
        except ValueError as missing:
            raise NotThere(str(missing)) from None
        return run.single_guess(self.predictor).coefficients.T

    @property
    def coef_(self) -> Floats:
        """The weights of the chosen guess (outputs × features); without a kernel only."""
        return self._weights("coef_")[:-1][: getattr(self, "n_features_in_", None)].T.copy()

    @property
    def intercept_(self) -> Floats:
        """The weight of the constant feature in each output."""
        return np.array(self._weights("intercept_")[-1])

    def _weights(self, name: str) -> Floats:
        run = self.run_
        if run.primal is None:
            raise AttributeError(
                f"{name} exists only without a kernel. Got kernel={self.kernel!r}: see dual_coef_."
            )
        self._check_single(name)
        return run.single_guess(self.predictor).weights

    def _check_single(self, name: str) -> None:
        if self.predictor not in predictors.GUESSES:
            raise AttributeError(
                f"{name} describes a single guess, and predictor={self.predictor!r} uses them all. "
                f"Set predictor to one of {', '.join(predictors.GUESSES)}."
            )

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of every name of a feature, in the order of columns; for named features only."""
        names = self._vectoriser("vocabulary_").names()
        return {name: column for column, name in enumerate(names)}

    def _vectoriser(self, name: str) -> Any:
        vocabulary = getattr(self._fitted(), "vocabulary", None)
        if vocabulary is None or vocabulary.vectoriser.hashing is not None:
            raise AttributeError(
                f"{name} exists only where features have names, from dicts, lists of names or `features`, "
                "and are not hashed."
            )
        return vocabulary.vectoriser

    @property
    def kernel_(self) -> Kernel | None:
        """The kernel of the run, with what the data decided, such as gamma="scale"; None without one."""
        return self.run_.kernel
