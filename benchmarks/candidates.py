"""The learners that `fair` compares, their grids of settings, and the data sets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from benchmarks import datasets
from rosenblatt import PerceptronClassifier
from rosenblatt.kernels import RBF
from rosenblatt.rules import Margin

CANDIDATES = 12
KERNEL_ROWS = {"a9a": 8000, "MNIST": 6000}
"""Training rows where SVC would take too long on all of them; both sides get the first ones."""


@dataclass(frozen=True)
class Task:
    """A data set for learners of one kind, "linear" or "RBF"."""

    name: str
    kind: str
    X: Any
    y: Any
    Z: Any
    t: Any

    def limited(self, rows: int | None) -> Task:
        """Return the task with at most this many training rows, drawn at random."""
        if rows is None:
            return self
        drawn = np.random.default_rng(0).permutation(len(self.y))[:rows]
        return replace(self, X=self.X[drawn], y=self.y[drawn])


@dataclass(frozen=True)
class Learner:
    """A learner: its constructor, and, given the rows, its default settings and its grid."""

    name: str
    kind: str
    make: Callable[..., Any]
    default: Callable[[Any], dict[str, Any]]
    grid: Callable[[Any], dict[str, list[Any]]]
    searched: str

    @property
    def ours(self) -> bool:
        """Whether the learner is one of ours."""
        return self.make is PerceptronClassifier

    def defaults(self, X: Any) -> Any:
        """Return the learner with its defaults."""
        return self.make(**self.default(X))

    def candidates(self, X: Any) -> list[Any]:
        """Return a learner for every point of the grid."""
        grid = self.grid(X)
        return [
            self.make(**dict(zip(grid, values, strict=True))) for values in itertools.product(*grid.values())
        ]


def scale(X: Any) -> float:
    """Return the rate γ that SVC calls "scale", to three digits."""
    return float(f"{1 / (X.shape[1] * X.var()):.3g}")


def times_scale(X: Any) -> list[float]:
    return [float(f"{factor * scale(X):.3g}") for factor in (0.3, 1, 3)]


def margins(X: Any) -> list[Any]:
    """Return the default rule, and margin rules with β in proportion to the mean squared norm of the rows."""
    squares = X.multiply(X) if sp.issparse(X) else np.square(X)
    mean = float(squares.sum() / X.shape[0])
    return ["passive-aggressive", *(Margin(beta=float(f"{factor * mean:.3g}")) for factor in (0.3, 1, 3))]


seeded = {"random_state": [0]}
LEARNERS = (
    Learner(
        "rosenblatt, linear", "linear", PerceptronClassifier, lambda X: {"random_state": 0},
        lambda X: {"rule": margins(X), "max_iter": [3, 10, 30], **seeded},
        "rule: passive-aggressive, or margin with β = 0.3, 1 or 3 times the mean ‖x‖²; epochs: 3, 10, 30",
    ),
    Learner(
        "scikit-learn Perceptron", "linear", Perceptron, lambda X: {"random_state": 0},
        lambda X: {"penalty": ["l2", "l1"], "alpha": [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2], **seeded},
        "penalty: l2, l1; alpha: 10⁻⁷, 10⁻⁶ … 10⁻²",
    ),
    Learner(
        "scikit-learn SGDClassifier", "linear", SGDClassifier, lambda X: {"random_state": 0},
        lambda X: {"average": [False, True], "alpha": [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1], **seeded},
        "average: False, True; alpha: 10⁻⁶, 10⁻⁵ … 10⁻¹; loss: hinge, the default",
    ),
    Learner(
        "scikit-learn LinearSVC", "linear", LinearSVC, lambda X: {"random_state": 0},
        lambda X: {"C": [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 10.0], **seeded},
        "C: 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 10",
    ),
    Learner(
        "rosenblatt, RBF", "RBF", PerceptronClassifier, lambda X: {"kernel": "rbf", "random_state": 0},
        lambda X: {
            "kernel": [RBF(gamma=gamma) for gamma in times_scale(X)], "rule": ["perceptron", Margin(beta=1.0)],
            "max_iter": [3, 10], **seeded,
        },
        "γ: 0.3, 1 or 3 times SVC's \"scale\"; rule: perceptron, or margin with β = 1; epochs: 3, 10",
    ),
    Learner(
        "scikit-learn SVC", "RBF", SVC, lambda X: {},
        lambda X: {"gamma": times_scale(X), "C": [1.0, 3.0, 10.0, 100.0]},
        "γ: 0.3, 1 or 3 times \"scale\"; C: 1, 3, 10, 100",
    ),
)  # fmt: skip


def standardized(split: datasets.Split) -> datasets.Split:
    X, y, Z, t = split
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(Z), t


def tasks() -> Iterator[Task]:
    """Yield the data sets; a9a as CSR rows for linear learners and dense for kernels."""
    yield Task("20 newsgroups", "linear", *datasets.newsgroups())
    X, y, Z, t = datasets.a9a()
    yield Task("a9a", "linear", sp.csr_matrix(X), y, sp.csr_matrix(Z), t)
    some = KERNEL_ROWS["a9a"]
    yield Task(f"a9a, {some:,} rows", "RBF", X[:some], y[:some], Z, t)
    X, y, Z, t = datasets.mnist()
    some = KERNEL_ROWS["MNIST"]
    digits = (X[:some] / np.float32(255), y[:some], Z / np.float32(255), t)
    for name, split in (
        ("letter", standardized(datasets.letter())),
        ("USPS", datasets.usps()),
        ("spambase", standardized(datasets.spambase())),
        (f"MNIST, {some:,} rows", digits),
    ):
        for kind in ("linear", "RBF"):
            yield Task(name, kind, *split)
