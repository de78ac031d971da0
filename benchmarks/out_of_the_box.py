"""Defaults against defaults on many data sets, every learner with the arguments of its constructor as they come."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.svm import SVC, LinearSVC

from benchmarks import datasets
from benchmarks.defaults import KERNEL_SETS, LARGE, SETS, scaled
from benchmarks.measuring import seconds, table
from rosenblatt import PerceptronClassifier

OURS = "rosenblatt"
LINEAR: dict[str, Callable[[], Any]] = {
    OURS: lambda: PerceptronClassifier(random_state=0),
    "SGDClassifier": lambda: SGDClassifier(random_state=0),
    "Perceptron": lambda: Perceptron(random_state=0),
    "LogisticRegression": LogisticRegression,
    "LinearSVC": lambda: LinearSVC(random_state=0),
}
KERNEL: dict[str, Callable[[], Any]] = {
    OURS: lambda: PerceptronClassifier("rbf", random_state=0),
    "SVC": SVC,
}


def split(name: str) -> tuple[Any, Any, Any, Any]:
    """Return the training and test part of a set, standardised where the columns differ a thousandfold."""
    X, y, Z, t = datasets.mnist() if name == "MNIST" else SETS[name]()
    if name == "MNIST":
        X, y, Z = X[:LARGE] / 255, y[:LARGE], Z / 255
    return (*scaled(name, X, Z), y, t)


def measured(learners: dict[str, Callable[[], Any]], name: str) -> tuple[list[float], list[float], int]:
    """Return the test errors and the seconds to fit of learners on a set, and its training rows."""
    X, Z, y, t = split(name)
    errors, taken, some = [], [], np.random.default_rng(0).permutation(len(y))[:500]
    for make in learners.values():
        model = make().fit(X[some], y[some])  # loops are compiled
        taken.append(seconds(lambda model=model: model.fit(X, y), repeats=1, warm=False))  # type: ignore[misc]
        errors.append(float(np.mean(model.predict(Z) != t)))
    print(
        name,
        *(f"{100 * error:.2f} % in {took:.2f} s" for error, took in zip(errors, taken, strict=True)),
        file=sys.stderr,
    )
    return errors, taken, len(y)


def compared(learners: dict[str, Callable[[], Any]], sets: tuple[str, ...]) -> str:
    """Return a table of test errors and times, and the mean ranks."""
    found = [measured(learners, name) for name in sets]
    errors = np.array([each[0] for each in found])
    ranks = rankdata(errors, axis=1).mean(axis=0)
    rows = [
        [
            name, f"{size:,}",
            *(f"{'**' * (error == min(own))}{100 * error:.2f}{'**' * (error == min(own))}, {time:.2f} s" for error, time in zip(own, taken, strict=True)),
        ]
        for name, (own, taken, size) in zip(sets, found, strict=True)
    ]  # fmt: skip
    rows.append(["mean rank", "", *(f"{rank:.2f}" for rank in ranks)])
    rows.append(["mean error", "", *(f"{100 * error:.2f}" for error in errors.mean(axis=0))])
    lost = [name for name, own in zip(sets, errors, strict=True) if own[0] > own.min()]
    return f"{table(['set', 'rows', *learners], rows)}\n\nBehind the best on {len(lost)} of {len(sets)}: {', '.join(lost) or 'none'}."


def report() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linear, kernel = compared(LINEAR, tuple(SETS)), compared(KERNEL, KERNEL_SETS)
    return (
        "## Out of the box\n\nTest errors in % and seconds to fit; defaults against defaults. Where columns differ in scale a thousandfold, "
        f"all learners get them standardised.\n\n### Linear\n\n{linear}\n\n### RBF kernel\n\n{kernel}"
    )
