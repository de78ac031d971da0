"""The probabilities of a classifier: numbers for its scores, from examples that were not learned from."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Floats
from rosenblatt.data.blocks import Block
from rosenblatt.engine.threads import limited_to
from rosenblatt.estimators import inputs, validation
from rosenblatt.estimators.base import generator
from rosenblatt.estimators.fitted import NotThere, available
from rosenblatt.games import Game, MultiLabel
from rosenblatt.kernels import Kernel
from rosenblatt.kernels.wrappers import COEF0, DEGREE, GAMMA
from rosenblatt.rows import count
from rosenblatt.tasks import classification, probabilities
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.multilabel import MultiLabelTask
from rosenblatt.theory.calibration import Calibration


class Calibrating:
    """The methods about probabilities of an estimator whose `task_` is one of classification."""

    calibration: float | None
    calibration_: dict[str, Calibration]
    multiclass: str | Game
    n_jobs: int | None
    predictor: str
    random_state: Any
    run_: Any
    task_: ClassificationTask
    decision_function: Callable[..., Floats]
    fit: Callable[..., Any]
    set_params: Callable[..., Any]
    _chosen: Callable[[str | None], str]
    _kernel: Callable[[], Kernel | None]

    def _check_probabilities(self) -> None:
        """Raise NotThere unless the learner is calibrated; before it is fitted, unless `fit` will do that."""
        if "task_" in vars(self) or self.calibration is None:
            self._calibrated(self.predictor)

    @available(_check_probabilities)
    def predict_proba(self, X: Any, predictor: str | None = None) -> Floats:
        """Return the probability of every class for every row (rows × classes), in the order of `classes_`.

        It exists once there are numbers for the learner's own predictor, from `calibrate` or from `fit` with
        `calibration`. Of more than two classes the most probable is the one that `predict` returns; of two
        it may be the other where the score is near 0.
        """
        return np.asarray(np.exp(self._log_probabilities(X, predictor)))

    @available(_check_probabilities)
    def predict_log_proba(self, X: Any, predictor: str | None = None) -> Floats:
        """Return the logarithms of the probabilities that `predict_proba` returns."""
        return self._log_probabilities(X, predictor)

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit what turns the scores of the learner's predictor into probabilities, for `predict_proba`.

        Numbers of other predictors are kept; `fit` and `partial_fit` drop all, which belong to an earlier
        guess.

        Parameters
        ----------
        X, y
            Examples that were not learned from: on those it learned from the learner is nearly always right,
            and the probabilities would be too high.
        sample_weight
            The weight of each row in the likelihood.
        """
        check_is_fitted(self, "task_")
        probabilities.check_probabilities(self.predictor, self.run_.game)
        data = inputs.checked_data(self, X, self.task_, reset=False)
        block = Block(data, classification.checked_labels(y, count(data)), sample_weight=sample_weight)
        with limited_to(self.n_jobs):
            found = probabilities.calibration(self.task_, block, self.predictor)
        self.calibration_ = {**getattr(self, "calibration_", {}), self.predictor: found}
        return self

    def _log_probabilities(self, X: Any, predictor: str | None) -> Floats:
        check_is_fitted(self, "task_")
        name = self._chosen(predictor)
        numbers, data = self._calibrated(name), inputs.checked_data(self, X, self.task_, reset=False)
        with limited_to(self.n_jobs):
            return numbers.log_probabilities(probabilities.evidence(self.task_, self.task_.rows(data), name))

    def _calibrated(self, predictor: str) -> Calibration:
        """Return the calibration of a predictor; raise NotThere if there is none."""
        known: dict[str, Calibration] = getattr(self, "calibration_", {})
        if predictor not in known:
            others = f" There are numbers for {', '.join(map(repr, known))}." if known else ""
            raise NotThere(
                f"Scores have no scale of their own, and those of the predictor {predictor!r} were not "
                f"calibrated.{others} Call calibrate(X, y) with examples that were not learned from, or fit "
                "with calibration=0.2."
            )
        return known[predictor]

    def _check_share(self, task: ClassificationTask, *, begun: bool) -> None:
        """Raise ValueError if `calibration` asks for a share of the examples and none can be held out."""
        asked = f"Got calibration={self.calibration!r}"
        if begun:
            raise ValueError(
                f"A run that continues may have learned from any share of the examples. {asked} with "
                "warm_start=True: set calibration=None and call calibrate(X, y) with other examples."
            )
        if self.predictor in ("last", "best"):
            raise ValueError(
                f"Two runs agree in their averages, and not in their {self.predictor} guess. {asked} with "
                f"predictor={self.predictor!r}: choose 'average', or set calibration=None and call "
                "calibrate(X, y) with examples that were not learned from."
            )
        kernel = self._kernel()
        if kernel is not None and kernel.domain == "precomputed":
            raise ValueError(
                f"A share of a precomputed kernel matrix cannot be held out. {asked}: set it to None and "
                "call calibrate with kernel values of other rows with all of these, and their labels."
            )
        game = MultiLabel(1) if isinstance(task, MultiLabelTask) else self.multiclass
        probabilities.check_probabilities(self.predictor, game)

    def _calibration_of_share(self, block: Block, held: list[Block]) -> Calibration:
        """Return the calibration of the run, from a second run that has not learned from a share of it all.

        The run learns from more examples: its scores are larger, and as they are better, they may be
        (measured: scaled to guesses of one length, the probabilities are too low).
        """
        ids = validation.held_out(
            validation.by_label(block.y),
            self.calibration or 0.0,
            generator(self.random_state),
            name="calibration",
            instead="call calibrate(X, y) with other examples",
        )
        rest = block.take(validation.others(ids, len(block)))
        decided = {"kernel": self.run_.kernel, "gamma": GAMMA, "degree": DEGREE, "coef0": COEF0}
        made = {"features": None, "hashing": None}  # as the rows are
        second = copy(self).set_params(calibration=None, warm_start=False, verbose=False, **decided, **made)
        X, *others = validation.as_wide([rest.X, *(part.X for part in held)])
        sets = [(rows, part.y) for rows, part in zip(others, held, strict=True)]
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # the first run has warned
            second.fit(X, rest.y, rest.sample_weight, sets or None)
        held_out = block.take(ids)
        if self.task_.vocabulary is None:
            held_out = replace(held_out, X=validation.as_new(held_out.X, rest.X))
        return probabilities.calibration(second.task_, held_out, self.predictor)
