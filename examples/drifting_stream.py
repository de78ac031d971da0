"""
A stream that changes
=====================

What is learned first becomes wrong, and a learner that cannot forget has to unlearn it. ::

    python examples/drifting_stream.py [stream.png]

Points in the plane have one of two classes, told apart by a ring that moves slowly and, halfway, jumps. Every learner
predicts each point before it learns its class. One keeps every row it was ever corrected on; the others keep 100.
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

import numpy as np

from rosenblatt import budgets, kernels, online
from rosenblatt.rules import PassiveAggressive

POLICIES = ("none", "projection", "merging", "halving", "oldest", "random")


def points(rounds: int, seed: int = 0) -> tuple[Any, Any]:
    """Return points in the plane and their classes, −1 or +1: inside of a ring that moves, and halfway jumps."""
    random = np.random.default_rng(seed)
    time = np.arange(rounds) / rounds
    angle = 2 * np.pi * (time + (time > 0.5) * 0.5)
    centre = 0.8 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X = random.uniform(-2, 2, size=(rounds, 2))
    inside = np.sum((X - centre) ** 2, axis=1) < 1
    return X, np.where(inside ^ (random.random(rounds) < 0.02), 1, -1)


def simulate(rounds: int, size: int = 100, seed: int = 0) -> dict[str, Any]:
    """Return for each learner whether it erred in every round, its support vectors at the end, and seconds."""
    X, y = points(rounds, seed)
    found: dict[str, Any] = {}
    for policy in POLICIES:
        budget = None if policy == "none" else budgets.Budget(size, policy)
        learner = online.Classifier(kernels.RBF(gamma=2.0), rule=PassiveAggressive(C=1.0), budget=budget)
        wrong, began = np.empty(rounds, bool), perf_counter()
        for i in range(rounds):
            wrong[i] = learner.predict(X[i]) != y[i]
            learner.add_example(X[i], int(y[i]))
        stored = len(learner.task.run.hypothesis.support)
        found[policy] = {"wrong": wrong, "stored": stored, "seconds": perf_counter() - began}
    return found


def plot(found: dict[str, Any], path: str, window: int = 300) -> None:
    """Plot the error over time, as the mean of a window of rounds."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for policy, run in found.items():
        mean = np.convolve(run["wrong"], np.ones(window) / window, mode="valid")
        axes.plot(np.arange(len(mean)) + window, mean, label=policy, linewidth=2 if policy == "none" else 1)
    axes.set_xlabel("round")
    axes.set_ylabel(f"error in the last {window} rounds")
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Print errors by quarter, and draw them if a file is named."""
    found = simulate(8000)
    print(f"{'policy':>12}  {'rows':>6}  {'seconds':>8}  error in each quarter")
    for policy, run in found.items():
        quarters = "  ".join(f"{part.mean():.3f}" for part in np.array_split(run["wrong"], 4))
        print(f"{policy:>12}  {run['stored']:>6}  {run['seconds']:>8.1f}  {quarters}")
    if len(sys.argv) > 1:
        plot(found, sys.argv[1])
        print(f"wrote {sys.argv[1]}")


if __name__ == "__main__":
    main()
