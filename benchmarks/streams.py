"""Unbounded streams: memory after ten million rounds, and errors under drift, against River."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from river import linear_model

from benchmarks.measuring import table
from rosenblatt import PerceptronClassifier

FEATURES, SEEDS = 20, 6
CHANGE, AFTER, GRADUAL = 10_000, 1_000, 2_000
"""The round of the change, the rounds after it, and the rounds that a gradual change takes."""

MEMORY = """
import numpy as np
from rosenblatt import PerceptronClassifier, online

def rss():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS")) / 1024

random = np.random.default_rng(0)
X = random.normal(size=(100_000, 20))
y = (X @ random.normal(size=20) > 0) ^ (random.random(len(X)) < {flipped})
truth = (2 * y - 1).tolist()
if {online}:
    learner = online.Classifier(rule="perceptron")
    def play():
        for x, label in zip(X, truth):
            learner.add_example(x, label)
else:
    learner = PerceptronClassifier(rule="perceptron", keep_examples=False)
    def play():
        for part in range(0, len(X), 10_000):
            learner.partial_fit(X[part : part + 10_000], y[part : part + 10_000], classes=[False, True])
play()
first = rss()
for _ in range({times} - 1):
    play()
ledger = learner.ledger if {online} else learner.ledger_
print(first, rss(), ledger.rounds, ledger.errors)
"""


def report() -> str:
    return "\n\n".join(["## Streams", _memory(), _drift()])


def _memory() -> str:
    lines = []
    for name, one_by_one in (("`partial_fit`, 10,000 rows at a time", False), ("`online.Classifier`", True)):
        code = MEMORY.format(online=one_by_one, flipped=0.17, times=100)
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        first, last, rounds, errors = map(float, done.stdout.split())
        lines.append(
            [
                name,
                f"{rounds:,.0f}",
                f"{errors / rounds:.0%}",
                f"{first:.1f} MB",
                f"{last:.1f} MB",
                f"{last / first - 1:+.1%}",
            ]
        )
    head = (
        f"A linear learner on {FEATURES} dense features, `keep_examples=False`: memory of the process after 100,000 rounds "
        "and at the end (asked: within 2 %)."
    )
    return head + "\n\n" + table(["", "rounds", "mistakes", "after 100,000", "at the end", ""], lines)


def concept(kind: str, random: np.random.Generator, rounds: int) -> Any:
    """Return the weights that label the points of every round."""
    before, after = random.normal(size=(2, FEATURES))
    time = np.arange(rounds)[:, None]
    if kind == "abrupt":
        return np.where(time < CHANGE, before, after)
    share = np.clip((time - CHANGE + GRADUAL) / GRADUAL, 0, 1) if kind == "gradual" else 0 * time
    return (1 - share) * before + share * after


def ours(predictor: str) -> Callable[[Any, Any], Callable[[Any], Any]]:
    """Return a function that learns a stream with our learner and returns its `predict`."""

    def learn(X: Any, y: Any) -> Callable[[Any], Any]:
        clf = PerceptronClassifier(rule="perceptron", predictor=predictor, keep_examples=False)
        for part in range(0, len(X), 500):
            clf.partial_fit(X[part : part + 500], y[part : part + 500], classes=[False, True])
        return lambda T: clf.predict(T)

    return learn


def river(make: Callable[[], Any]) -> Callable[[Any, Any], Callable[[Any], Any]]:
    """Return a function that learns a stream with River's learner and returns its prediction function."""

    def learn(X: Any, y: Any) -> Callable[[Any], Any]:
        learner = make()
        for x, label in zip(X.tolist(), y.tolist(), strict=True):
            learner.learn_one(dict(enumerate(x)), label)
        return lambda T: np.array([bool(learner.predict_one(dict(enumerate(x)))) for x in T.tolist()])

    return learn


LEARNERS = {
    "last": ours("last"),
    "average": ours("average"),
    "recent": ours("recent"),
    "River `Perceptron`": river(linear_model.Perceptron),
    "River `LogisticRegression`": river(linear_model.LogisticRegression),
}


def _drift() -> str:
    lines, worst = [], 0.0
    for kind in ("none", "abrupt", "gradual"):
        for noise in (0.0, 0.05, 0.2):
            errors = np.mean([_errors(kind, noise, seed) for seed in range(SEEDS)], axis=0)
            worst = max(worst, errors[2] - min(errors[0], errors[1]))
            lines.append([kind, f"{noise:.0%}", *(f"{error:.1f}" for error in errors)])
    head = (
        f"Drift: {FEATURES} normal features, a hyperplane, labels flipped at random (noise). Error in % on 4,000 new points, "
        f"without noise, {AFTER:,} rounds after the change is over, at round {CHANGE:,}; a gradual one takes {GRADUAL:,} "
        f"rounds until then. One pass, defaults on both sides, means of {SEEDS} streams."
    )
    verdict = f"`recent` is at most {max(worst, 0):.1f} points above the better of last and average (asked: within 1 point)."
    return "\n\n".join([head, table(["change", "noise", *LEARNERS], lines), verdict])


def _errors(kind: str, noise: float, seed: int) -> list[float]:
    random = np.random.default_rng(seed)
    rounds = CHANGE + AFTER
    X, weights = random.normal(size=(rounds, FEATURES)), concept(kind, random, rounds)
    y = ((X * weights).sum(axis=1) > 0) ^ (random.random(rounds) < noise)
    T = random.normal(size=(4000, FEATURES))
    truth = T @ weights[-1] > 0
    return [100 * float(np.mean(learn(X, y)(T) != truth)) for learn in LEARNERS.values()]
