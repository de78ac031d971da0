"""The guess of an estimator that is exported: weights, or support vectors with a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from rosenblatt import kernels
from rosenblatt._types import Array, Data, Floats
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Run
from rosenblatt.games import Argmax, Binary, MultiLabel, OneVsRest, Ranking
from rosenblatt.kernels import Kernel
from rosenblatt.rows import widened
from rosenblatt.theory.calibration import Calibration

GAMES = (Binary, Argmax, OneVsRest, MultiLabel, Ranking)
"""The games whose answers follow from the scores as an exported graph computes them."""

FORMULAS = (
    kernels.Linear,
    kernels.Polynomial,
    kernels.RBF,
    kernels.Sigmoid,
    kernels.Constant,
    kernels.Sum,
    kernels.Product,
    kernels.Scaled,
    kernels.Power,
    kernels.Normalized,
)
"""The kernels that can be exported: formulas of ⟨x, z⟩, ⟨x, x⟩ and ⟨z, z⟩."""


@dataclass(frozen=True)
class LinearGuess:
    """A linear guess, with the scores X @ weights + intercepts.

    Parameters
    ----------
    weights
        Features × outputs.
    intercepts
        One per output.
    """

    weights: Floats
    intercepts: Floats


@dataclass(frozen=True)
class KernelGuess:
    """A kernel guess, with the scores (k(X, vectors) + constant) @ coefficients.

    Parameters
    ----------
    kernel, constant
        The kernel, and the constant added to it: 1 for an intercept, else 0.
    vectors
        The support vectors with a coefficient that is not 0, as a dense or a CSR array of float64.
    coefficients
        Vectors × outputs.
    """

    kernel: Kernel
    constant: float
    vectors: Data
    coefficients: Floats


def guess_of(estimator: Any) -> LinearGuess | KernelGuess:
    """Return the guess that the predictor of a classifier or a ranker uses."""
    check_single(estimator)
    if not isinstance(estimator.run_.game, GAMES):
        raise ValueError(
            f"An exported learner answers by its highest score. Got {estimator.run_.game!r:.100}, whose "
            "answers only Python knows: use the model file."
        )
    run, features = estimator.run_, int(getattr(estimator, "n_features_in_", 0))
    if run.kernel is None:
        weights = run.single_guess(estimator.predictor).weights.astype(np.float64)
        return LinearGuess(weights[:features], run.support.constant * weights[-1])
    check_formula(run.kernel)
    return _kernel_guess(run, estimator.predictor, features)


def _kernel_guess(run: Run, predictor: str, features: int) -> KernelGuess:
    support, coefficients = run.support, run.single_guess(predictor).coefficients
    used = np.flatnonzero(coefficients.any(axis=1))
    vectors: Any = support.rows.take(used).data if len(used) else np.empty((0, features))
    if sp.issparse(vectors):
        vectors = widened(vectors, features)
    return KernelGuess(support.kernel, support.constant, vectors.astype(np.float64), coefficients[used])


def check_single(estimator: Any) -> None:
    """Refuse estimators that are not fitted, and predictors that use many guesses."""
    check_is_fitted(estimator, "task_")
    if estimator.predictor not in predictors.GUESSES:
        raise ValueError(
            f"An exported learner is a single guess, {', '.join(predictors.GUESSES)}. Got "
            f"predictor={estimator.predictor!r}: set the predictor to 'average'."
        )


def check_names(estimator: Any) -> None:
    """Raise ValueError for a learner whose features have names that an export cannot make."""
    if estimator.features is not None:
        raise ValueError(
            f"An export holds no functions. Got features={estimator.features!r:.60}: learn from what it "
            "makes, lists of dicts, instead."
        )
    if estimator.hashing is not None:
        raise ValueError(
            f"Hashed features cannot be exported by name. Got hashing={estimator.hashing}: learn without."
        )


def check_formula(kernel: Kernel) -> None:
    """Raise ValueError if a kernel cannot be exported as a formula."""
    if kernel.domain == "precomputed":
        raise ValueError(
            f"A precomputed kernel has no formula that could be exported. Got {kernel!r}: learn with the "
            "kernel that the matrix came from."
        )
    strange = next((part for part in _parts(kernel) if type(part) not in FORMULAS), None)
    if strange is not None:
        raise ValueError(
            "Exported kernels are made of Linear, Polynomial, RBF, Sigmoid and Constant, with + * ** and "
            f"normalized. Got {strange!r}, which only Python evaluates: learn with one of "
            "those, or use the model file."
        )
    if kernel.domain == "objects":
        raise ValueError(f"Exported kernels compare rows of numbers. Got {kernel!r}, which looks at none.")


def _parts(kernel: Kernel) -> list[Kernel]:
    """Return a kernel and all its subexpressions."""
    made_of = [value for value in vars(kernel).values() if isinstance(value, Kernel)]
    return [kernel, *(part for one in made_of for part in _parts(one))]


def calibration_of(estimator: Any) -> Calibration | None:
    """Return what turns the exported scores into probabilities; None if they were not calibrated."""
    found: Calibration | None = getattr(estimator, "calibration_", {}).get(estimator.predictor)
    return found


def plain_classes(classes: Array) -> list[Any]:
    """Return classes as Python strings, integers, floats or booleans."""
    values: list[Any] = classes.tolist()
    strange = next((value for value in values if not isinstance(value, str | int | float)), None)
    if strange is not None:
        raise ValueError(f"Exported labels are strings or numbers. Got {strange!r:.60}.")
    return values
