"""The state of an estimator as skops stores it: the bytes of a model file, which are checked on reading.

So a file of skops, which MLflow writes, needs no trust in the parts that a run is made of. Compiled loops
rely on their indices, and only the reader of model files checks these.
"""

from __future__ import annotations

from typing import Any

from rosenblatt import kernels
from rosenblatt.budgets import Budget
from rosenblatt.persistence import archive
from rosenblatt.persistence.archive import ModelError, Refused
from rosenblatt.persistence.models import HOMES, Model, contents, model_of
from rosenblatt.persistence.sections import OWN_FEATURES, OWN_RULES

EXPRESSIONS = (kernels.Sum, kernels.Product, kernels.Scaled, kernels.Power, kernels.Normalized)
"""The kernels that operators make."""

PARAMETERS: tuple[Any, ...] = (
    *kernels.expressions.NAMED.values(),
    *EXPRESSIONS,
    *OWN_RULES,
    *OWN_FEATURES,
    Budget,
)
"""The types of parameters that searches hold outside of estimators, as in `param_grid`."""

TRUSTED_TYPES = [f"{home}.{kind}" for kind, home in HOMES.items()]
TRUSTED_TYPES += [f"{kind.__module__}.{kind.__qualname__}" for kind in PARAMETERS]
"""What `skops.io.load` is to trust, and MLflow in `skops_trusted_types`: estimators, and values without code.

>>> from rosenblatt.persistence import TRUSTED_TYPES
>>> TRUSTED_TYPES[0]
'rosenblatt.estimators.classifier.PerceptronClassifier'
"""


def state_of(estimator: Any) -> bytes:
    """Return a model file of an estimator, fitted or not; raises ValueError for what it cannot hold."""
    return archive.packed(*contents(Model(estimator), unfitted=True))


def restore(estimator: Any, state: bytes) -> None:
    """Set parameters and attributes of an estimator from a state; raises ModelError if it is not valid."""
    try:
        found = model_of(*archive.unpacked(state), unfitted=True).estimator
        if type(found) is not type(estimator):
            raise Refused(f"it should be a {type(estimator).__name__}, and is a {type(found).__name__}.")
    except Refused as why:
        raise ModelError(f"The state of a {type(estimator).__name__} is not valid: {why}") from None
    vars(estimator).update(vars(found))
