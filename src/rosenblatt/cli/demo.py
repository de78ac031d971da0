"""`make demo`: what the ledger of one run shows, on scikit-learn's digits, in under a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import train_test_split

from rosenblatt import PerceptronClassifier, kernels, plot
from rosenblatt._types import Array
from rosenblatt.engine.predictors import FROM_LEDGER
from rosenblatt.rules import Margin

SHADES = " .:-=+*#%@"


def main() -> None:
    """Print a table, a certificate and an explanation, and write three pictures."""
    X, y = load_digits(return_X_y=True)
    train, test, labels, truth = train_test_split(X / 16, y, test_size=0.4, random_state=0)
    print(f"Handwritten digits: {len(train)} to learn from, {len(test)} to be tested on, 3 epochs each.\n")
    print_errors(train, labels, test, truth)
    even = PerceptronClassifier(kernels.Polynomial(3), max_iter=100, random_state=0).fit(train, labels % 2)
    careful = clone(even).set_params(rule=Margin(beta=1e4), predictor="last").fit(train, labels % 2)
    certificate = even.certificate(train, labels % 2, u=careful)
    print(f"\nOdd or even, with {even.kernel!r} until no mistake is left, beside a learner that leaves")
    print(f"a wide margin:\n\n{certificate}\n")
    print_explanation(train, labels, test)
    save(plot.mistakes(even, certificate), "demo-mistakes.png")
    save(plot.proof(certificate), "demo-proof.png")
    moons, sides = make_moons(300, noise=0.25, random_state=0)
    bent = PerceptronClassifier(kernels.RBF(sigma=0.5), random_state=0).fit(moons, sides)
    save(plot.decision_surface(bent, moons, sides), "demo-surface.png")


def print_errors(train: Array, labels: Array, test: Array, truth: Array) -> None:
    """Print the errors of all predictors of one run, for each degree of the polynomial kernel."""
    print("errors in %".ljust(12), *(name.rjust(8) for name in FROM_LEDGER), "mistakes", "support", sep="  ")
    for degree in range(1, 6):
        clf = PerceptronClassifier(kernels.Polynomial(degree), max_iter=3, random_state=0).fit(train, labels)
        errors = [100 * (1 - clf.set_params(predictor=name).score(test, truth)) for name in FROM_LEDGER]
        cells = [f"{error:8.2f}" for error in errors]
        print(
            f"degree {degree}".ljust(12),
            *cells,
            f"{len(clf.ledger_.mistakes):8}",
            f"{len(clf.support_):7}",
            sep="  ",
        )


def print_explanation(train: Array, labels: Array, test: Array) -> None:
    """Print one prediction with its most important support vectors, the first of them beside it."""
    clf = PerceptronClassifier(kernels.Polynomial(3), max_iter=3, random_state=0).fit(train, labels)
    reasons: Any = clf.explain(test[0], by="examples")
    print(f"Why the digit on the left is taken for a {reasons.answer}:\n")
    shown = [test[0], *train[reasons.examples[:3]]]
    for line in zip(*(picture(digit) for digit in shown), strict=True):
        print("   ".join(line))
    print(f"\n{reasons.table(6)}\n")


def picture(digit: Array) -> list[str]:
    """Return a digit as eight lines of characters."""
    shades = np.clip((digit * len(SHADES)).astype(int), 0, len(SHADES) - 1)
    return ["".join(2 * SHADES[shade] for shade in line) for line in shades.reshape(8, 8)]


def save(ax: Any, name: str) -> None:
    """Save the figure of an axis in the current folder."""
    ax.figure.savefig(name, dpi=110)
    print(f"wrote {Path(name).resolve().name}")


if __name__ == "__main__":
    main()
