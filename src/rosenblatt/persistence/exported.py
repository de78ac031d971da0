"""The one guess of an estimator that is exported: weights, or rows with a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from rosenblatt import kernels
from rosenblatt._types import Array, Data, Floats
from rosenblatt.engine import predictors
from rosenblatt.engine.hypotheses import Primal
from rosenblatt.engine.run import Run
from rosenblatt.kernels import Kernel
from rosenblatt.rows import widened

FORMULAS = (
    kernels.Linear,
    kernels.Polynomial,
    kernels.RBF,
    kernels.Constant,
    kernels.Sum,
    kernels.Product,
    kernels.Scaled,
    kernels.Power,
    kernels.Normalized,
)
"""The kernels that are formulas of ⟨x, z⟩, ⟨x, x⟩ and ⟨z, z⟩ known outside of this library."""


@dataclass(frozen=True)
class LinearGuess:
    """Scores are X @ weights + intercepts.

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
    """Scores are (k(X, vectors) + constant) @ coefficients.

    Parameters
    ----------
    kernel, constant
        What similarity is, and what is added to it: 1 for an intercept, else 0.
    vectors
        The rows that count for something, as a dense or a CSR array of float64.
    coefficients
        Vectors × outputs.
    """

    kernel: Kernel
    constant: float
    vectors: Data
    coefficients: Floats


def guess_of(estimator: Any) -> LinearGuess | KernelGuess:
    """The guess that answers for a classifier or a ranker."""
    check_single(estimator)
    run, features = estimator._run, int(getattr(estimator, "n_features_in_", 0))
    if isinstance(run.hypothesis, Primal):
        weights = predictors.guess_weights(run, estimator.predictor).astype(np.float64)
        return LinearGuess(weights[:features], run.hypothesis.support.constant * weights[-1])
    check_formula(run.hypothesis.support.kernel)
    return _kernel_guess(run, estimator.predictor, features)


def _kernel_guess(run: Run, predictor: str, features: int) -> KernelGuess:
    support = run.hypothesis.support
    index, output, amount, _ = predictors.guess(run, predictor)
    coefficients = np.zeros((len(support), run.game.outputs))
    coefficients[index, output] = amount
    used = np.flatnonzero(coefficients.any(axis=1))
    vectors: Any = support.rows.take(used).data if len(used) else np.empty((0, features))
    if sp.issparse(vectors):
        vectors = widened(vectors, features)
    return KernelGuess(support.kernel, support.constant, vectors.astype(np.float64), coefficients[used])


def check_single(estimator: Any) -> None:
    """Refuse what is not fitted, and predictors that ask many guesses."""
    check_is_fitted(estimator, "_run")
    if estimator.predictor not in predictors.GUESSES:
        raise ValueError(
            f"An exported learner is a single guess, {', '.join(predictors.GUESSES)}. Got "
            f"predictor={estimator.predictor!r}: set the predictor to 'average'."
        )


def check_formula(kernel: Kernel) -> None:
    """Refuse kernels of which nobody else knows the formula."""
    if kernel.domain == "precomputed":
        raise ValueError(
            f"A precomputed kernel has no formula that could be exported. Got {kernel!r}: learn with the "
            "kernel that the matrix came from."
        )
    strange = next((part for part in _parts(kernel) if type(part) not in FORMULAS), None)
    if strange is not None:
        raise ValueError(
            "Exported kernels are made of Linear, Polynomial, RBF and Constant, with + * ** and normalized. "
            f"Got {strange!r}, which only Python evaluates: learn with one of those, or use the model file."
        )
    if kernel.domain == "objects":
        raise ValueError(f"Exported kernels compare rows of numbers. Got {kernel!r}, which looks at none.")


def _parts(kernel: Kernel) -> list[Kernel]:
    """A kernel and all that it is made of."""
    made_of = [value for value in vars(kernel).values() if isinstance(value, Kernel)]
    return [kernel, *(part for one in made_of for part in _parts(one))]


def plain_classes(classes: Array) -> list[Any]:
    """Classes as texts, whole numbers, other numbers or truth values of Python."""
    values: list[Any] = classes.tolist()
    strange = next((value for value in values if not isinstance(value, str | int | float)), None)
    if strange is not None:
        raise ValueError(f"Exported labels are texts or numbers. Got {strange!r:.60}.")
    return values
