"""The linear learner on dense rows of more than two classes, against scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.datasets import load_digits
from sklearn.linear_model import Perceptron

from benchmarks.datasets import dense_rows, mnist
from benchmarks.measuring import Comparison, alternating, table, where_we_lose
from rosenblatt import PerceptronClassifier

EPOCHS = 10


def report() -> str:
    lines, verdicts = [], []
    compared: list[Comparison] = []
    for name, X, y in _sets():
        times, played = _times(X, y)
        theirs = times["scikit-learn Perceptron"]
        for rival, taken in times.items():
            lines.append([name, rival, played[rival], f"{1000 * taken:.1f} ms", f"{taken / theirs:.2f}"])
        compared += [(f"{name}: {kind}", 1000 * times[kind], 1000 * theirs, "{:.1f} ms") for kind in DEFAULTS]
        defaults = [taken / theirs for rival, taken in times.items() if rival in DEFAULTS]
        verdicts.append(
            f"{name}: {defaults[0]:.2f} times the time of Perceptron with argmax, {defaults[1]:.2f} times with "
            "one-vs-rest (asked: at most 1.2)."
        )
    head = (
        f'`fit` with {EPOCHS} epochs in a drawn order on both sides, defaults otherwise: `PerceptronClassifier(rule="perceptron", max_iter='
        f"{EPOCHS})`, which keeps the corrected rows and the average, and `Perceptron(max_iter={EPOCHS}, tol=None)`, "
        "which learns one class against the rest and keeps neither. Without a tolerance it plays all epochs; ours ends "
        "after an epoch without a correction, and the table has the epochs played. Medians of 9."
    )
    shown = table(["rows", "", "epochs played", "time", "times Perceptron's"], lines)
    said = "\n".join(f"- {verdict}" for verdict in verdicts)
    lost = where_we_lose("dense rows with several classes, to Perceptron", compared)
    return "\n\n".join(["## Dense speed", head, shown, said, lost])


DEFAULTS = {"rosenblatt, argmax": "argmax", "rosenblatt, one-vs-rest": "ovr"}


def _sets() -> Iterator[tuple[str, Any, Any]]:
    yield "generated, 6,400 × 54, 5 classes", *dense_rows()
    digits = load_digits()
    yield "scikit-learn's digits, 1,797 × 64, 10 classes", digits.data, digits.target
    X, y, _, _ = mnist()
    yield "MNIST, the first 10,000 × 784, 10 classes", X[:10_000] / 255.0, y[:10_000]


def _times(X: Any, y: Any) -> tuple[dict[str, float], dict[str, int]]:
    """Return the times of all learners, and the epochs that each played."""
    learners: dict[str, Any] = {
        "scikit-learn Perceptron": Perceptron(max_iter=EPOCHS, tol=None, random_state=0)
    }
    for name, multiclass in DEFAULTS.items():
        for keep in (True, False):
            learners[name if keep else f"{name}, keep_examples=False"] = PerceptronClassifier(
                rule="perceptron", max_iter=EPOCHS, multiclass=multiclass, keep_examples=keep, random_state=0
            )
    times = alternating(
        {name: lambda learner=learner: learner.fit(X, y) for name, learner in learners.items()}, repeats=9
    )
    return times, {name: int(learner.n_iter_) for name, learner in learners.items()}
