"""The online classifier as one of River's, for its pipelines: `pip install 'rosenblatt[river]'`."""

from __future__ import annotations

from typing import Any

from rosenblatt.kernels.wrappers import COEF0, DEGREE, GAMMA
from rosenblatt.online.base import given
from rosenblatt.online.classifier import Classifier as OnlineClassifier
from rosenblatt.rules import Rule

try:
    from river import base
except ImportError:
    raise ImportError("This module needs River: pip install 'rosenblatt[river]'.") from None

__all__ = ["Classifier"]


class Classifier(base.Classifier):
    """`rosenblatt.online.Classifier` in River's terms, for dicts of named features and any number of classes.

    Parameters
    ----------
    kernel, gamma, degree, coef0, rule, learning_rate, fit_intercept, ties, multiclass, classes, predictor
        As for `rosenblatt.online.Classifier`.
    budget, features, probabilities
        As for `rosenblatt.online.Classifier`.

    Attributes
    ----------
    learner
        The learner inside, which has a ledger, explains, and can be saved.

    Examples
    --------
    >>> from river import compose, preprocessing
    >>> model = compose.Pipeline(preprocessing.StandardScaler(), Classifier())
    >>> for size, label in ((10, "large"), (1, "small"), (12, "large"), (2, "small")):
    ...     model.learn_one({"size": size}, label)
    >>> model.predict_one({"size": 11}), model.predict_one({"size": 0})
    ('large', 'small')
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        gamma: float | str = GAMMA,
        degree: int = DEGREE,
        coef0: float = COEF0,
        rule: str | Rule = "auto",
        learning_rate: float = 1.0,
        fit_intercept: bool | str = "auto",
        ties: str = "mistake",
        multiclass: str = "argmax",
        classes: Any = None,
        predictor: str = "last",
        budget: Any = None,
        features: Any = None,
        probabilities: bool = False,
    ) -> None:
        parameters = given(locals())
        self.learner = OnlineClassifier(**parameters)
        for name, value in parameters.items():  # where River looks for them
            setattr(self, name, value)

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from x with its label y and a weight."""
        self.learner.add_example(x, y, w)

    def predict_one(self, x: Any, **_: Any) -> Any:
        """Return the label of x; None before any label is known."""
        return self.learner.predict(x)

    def predict_proba_one(self, x: Any, **_: Any) -> dict[Any, float]:
        """Return the probability of every class known so far; without `probabilities` there are none."""
        if self.learner.calibration is None:
            raise NotImplementedError(
                "Scores have no scale of their own. Got a classifier that does not follow what they mean: "
                "use one with probabilities=True, or a metric of labels."
            )
        return self.learner.predict_proba_one(x)
