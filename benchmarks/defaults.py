"""How the defaults were chosen: by cross-validation on the training parts of many data sets, and of nothing else."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks import datasets
from benchmarks.measuring import table
from rosenblatt import PerceptronClassifier
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron, compilable

ROWS, FOLDS = 6_000, 3
"""The most training rows of a set, and the folds of a cross-validation."""

SETS: dict[str, Callable[[], Any]] = {
    "a9a": datasets.a9a,
    "spambase": datasets.spambase,
    "letter": datasets.letter,
    "USPS": datasets.usps,
    "MNIST": lambda: (datasets.mnist()[0] / 255, datasets.mnist()[1], None, None),
    "20 newsgroups": datasets.newsgroups,
    "sentence polarity": datasets.polarity,
    "SMS spam": datasets.sms,
} | {
    name: partial(datasets.small, name)
    for name in (
        "sonar", "ionosphere", "breast-cancer-wisconsin", "winequality-white", "iris", "wine", "digits", "breast_cancer",
    )
}  # fmt: skip

RAW = ("spambase", "winequality-white", "wine", "breast_cancer")
"""Sets whose columns differ in scale a thousandfold: they are standardised, as `ScaleWarning` asks for."""


LARGE = 20_000
"""Training rows of MNIST, where SVC would take too long on all."""

KERNEL_SETS = tuple(name for name in SETS if name not in ("20 newsgroups", "sentence polarity"))
"""Sets for an RBF kernel: on rows of many thousand words SVC takes minutes."""


def training(name: str) -> tuple[Any, Any]:
    """Return the training rows of a set, at most ROWS of them drawn at random, and their labels."""
    X, y, *_ = SETS[name]()
    chosen = np.random.default_rng(0).permutation(len(y))[:ROWS]
    return X[chosen], y[chosen]


def scaled(name: str, X: Any, Z: Any) -> tuple[Any, Any]:
    """Return rows to learn from and rows to answer about, standardised by the former where the set asks for it."""
    if name not in RAW:
        return X, Z
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(Z)


def mean_square(X: Any) -> float:
    """Return the mean squared norm of the rows."""
    squares = X.multiply(X) if sp.issparse(X) else np.square(X, dtype=np.float64)
    return float(squares.sum() / X.shape[0]) + 1.0


@compilable
def relative_step(margin: float, norm_squared: float, cost: float, parameters: Any) -> float:
    """Take the margin to the cost, but no further than by c."""
    return min(parameters[0] * cost, cost - margin) / norm_squared if norm_squared > 0.0 else 0.0


@dataclass(frozen=True)
class Relative:
    """Passive-aggressive, each correction moving the margin by at most c, whatever the norm of the row."""

    c: float
    step = staticmethod(relative_step)
    required_margin = 1.0

    @property
    def parameters(self) -> Any:
        """The numbers that the step gets."""
        return np.array([self.c])

    def bound(self, radius_squared: float, margin: float, cost: float = 1.0) -> float:
        """Return the mistake bound of a separable run."""
        return max(1.0, 1 / self.c) * radius_squared * (cost / margin) ** 2


Candidate = Callable[[Any], Any]
RULES: dict[str, Callable[[float], Any]] = (
    {"perceptron": lambda R: Perceptron()}
    | {f"margin, β = {b:g} R": (lambda R, b=b: Margin(beta=b * R)) for b in (0.1, 0.3, 1.0, 3.0)}
    | {"passive-aggressive, C = 1": lambda R: PassiveAggressive()}
    | {
        f"passive-aggressive, C = {c:g} / R": (lambda R, c=c: PassiveAggressive(C=c / R))
        for c in (0.01, 0.03, 0.1, 0.3, 1.0)
    }
    | {f"relative, c = {c:g}": (lambda R, c=c: Relative(c)) for c in (0.01, 0.03, 0.1, 0.3, 1.0)}
)
"""Rules, given R, the mean squared norm of the rows."""


def linear() -> dict[str, Candidate]:
    return {
        f"{rule}; {epochs} epochs; {predictor}": partial(_linear, rule, epochs, predictor)
        for rule in RULES
        for epochs in (5, 10, 30)
        for predictor in ("average", "vote", "last")
        if predictor == "average"
        or (rule in ("perceptron", "passive-aggressive, C = 0.1 / R") and epochs == 10)
    }


def _linear(rule: str, epochs: int, predictor: str, X: Any) -> Any:
    return PerceptronClassifier(
        max_iter=epochs, predictor=predictor, rule=RULES[rule](mean_square(X)), random_state=0
    )


def with_kernel() -> dict[str, Candidate]:
    return {
        f"{rule}; {epochs} epochs; γ = {factor:g} scale": partial(_with_kernel, rule, epochs, factor)
        for rule in (
            "perceptron",
            "margin, β = 0.1 R",
            "margin, β = 0.3 R",
            "margin, β = 1 R",
            "passive-aggressive, C = 1",
            "relative, c = 0.1",
            "relative, c = 0.3",
            "relative, c = 1",
        )
        for epochs in (5, 10)
        for factor in (0.5, 1.0, 2.0)
        if factor == 1.0 or (rule in ("perceptron", "relative, c = 1") and epochs == 10)
    }


def _with_kernel(rule: str, epochs: int, factor: float, X: Any) -> Any:
    squares = X.multiply(X) if sp.issparse(X) else np.square(X)
    gamma = factor / (X.shape[1] * float(squares.mean() - X.mean() ** 2))
    return PerceptronClassifier("rbf", gamma=gamma, max_iter=epochs, rule=RULES[rule](1.0), random_state=0)


def errors(name: str, candidates: dict[str, Candidate]) -> list[float]:
    """Return the cross-validated errors of the candidates on the training rows of a set."""
    X, y = training(name)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y))
    found = []
    for make in candidates.values():
        wrong = []
        for train, held in folds:
            rows, others = scaled(name, X[train], X[held])
            wrong.append(np.mean(clone(make(rows)).fit(rows, y[train]).predict(others) != y[held]))
        found.append(float(np.mean(wrong)))
    return found


def compared(candidates: dict[str, Candidate], sets: tuple[str, ...]) -> str:
    """Return a table: for every candidate its error on every set, its mean rank, and its mean loss to the best."""
    by_set = []
    for name in sets:
        began = perf_counter()
        by_set.append(errors(name, candidates))
        print(f"{name}: {perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    found = np.array(by_set).T
    ranks, losses = rankdata(found, axis=0).mean(axis=1), (found - found.min(axis=0)).mean(axis=1)
    rows = [
        [name, f"{rank:.1f}", f"{100 * loss:.2f}", *(f"{100 * error:.1f}" for error in own)]
        for name, rank, loss, own in sorted(
            zip(candidates, ranks, losses, found, strict=True), key=lambda row: row[1]
        )
    ]
    return table(["candidate", "mean rank", "mean loss to the best", *sets], rows)


def report() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [
            ("Without a kernel", compared(linear(), tuple(SETS))),
            (
                "With an RBF kernel",
                compared(with_kernel(), KERNEL_SETS),
            ),
        ]
    text = "\n\n".join(f"### {title}\n\n{found}" for title, found in parts)
    return f"## Defaults\n\nErrors in %, {FOLDS}-fold cross-validation on at most {ROWS:,} training rows.\n\n{text}"
