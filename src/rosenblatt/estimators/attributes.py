"""The attributes of a fitted run, under scikit-learn's names."""

from __future__ import annotations

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


class RunAttributes:
    """The attributes of an estimator that holds a run in `_run`."""

    kernel: Any
    predictor: str
    _run: Run

    @property
    def ledger_(self) -> Ledger:
        """The record of the run."""
        return self._fitted().ledger

    @property
    def n_iter_(self) -> int:
        """The number of epochs played."""
        return self._fitted().epochs

    @property
    def converged_(self) -> bool:
        """Whether the last epoch was without a correction."""
        return self._fitted().converged

    @property
    def support_(self) -> Ints:
        """The indices of the rows that were ever corrected."""
        return self._fitted().hypothesis.support.ids

    @property
    def support_vectors_(self) -> Data:
        """The rows that were ever corrected."""
        return self._fitted().hypothesis.support.rows.data

    @property
    def dual_coef_(self) -> Floats:
        """The coefficient of each support vector in each output of the chosen guess (outputs × support)."""
        run = self._fitted()
        self._single_guess("dual_coef_")
        try:
            predictors.check_kept(run, "dual_coef_")
        except ValueError as missing:
            raise NotThere(str(missing)) from None
        index, output, amount, _ = predictors.guess(run, self.predictor)
        matrix = np.zeros((run.game.outputs, len(run.support)))
        matrix[output, index] = amount
        return matrix

    @property
    def coef_(self) -> Floats:
        """The weights of the chosen guess (outputs × features); without a kernel only."""
        return self._weights("coef_")[:-1].T.copy()

    @property
    def intercept_(self) -> Floats:
        """The weight of the constant feature in each output."""
        return np.array(self._weights("intercept_")[-1])

    def _fitted(self) -> Run:
        if "_run" not in vars(self):  # scikit-learn's check takes longer than a short prediction
            check_is_fitted(self, "_run")
        return self._run

    def _weights(self, name: str) -> Floats:
        run = self._fitted()
        if run.primal is None:
            raise AttributeError(
                f"{name} exists only without a kernel. Got kernel={self.kernel!r}: see dual_coef_."
            )
        self._single_guess(name)
        return predictors.guess_weights(run, self.predictor)

    def _single_guess(self, name: str) -> None:
        if self.predictor not in predictors.GUESSES:
            raise AttributeError(
                f"{name} describes a single guess, and predictor={self.predictor!r} uses them all. "
                f"Set predictor to one of {', '.join(predictors.GUESSES)}."
            )

    def _run_kernel(self) -> Kernel | None:
        return self._fitted().kernel
