"""The time of the perceptron on a kernel's feature map and with the kernel, by degree."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.measuring import seconds, table
from rosenblatt import PerceptronClassifier, kernels


def report() -> str:
    X, y = load_digits(return_X_y=True)
    X, y = X[:1000, 18:46:2] / 16, y[:1000]
    rows = []
    for degree in range(1, 7):
        kernel = kernels.Polynomial(degree)
        options = {"max_iter": 3, "random_state": 0, "fit_intercept": False, "rule": "perceptron"}
        dual = PerceptronClassifier(kernel, **options)
        primal = PerceptronClassifier(**options)
        mapped = kernel.feature_map(X)
        with_kernel = seconds(lambda dual=dual: dual.fit(X, y), repeats=3)
        on_map = seconds(lambda primal=primal, mapped=mapped: primal.fit(mapped, y), repeats=3)
        build = seconds(lambda kernel=kernel: kernel.feature_map(X), repeats=3)
        same = np.array_equal(dual.ledger_.mistakes, primal.ledger_.mistakes)
        rows.append(
            [degree, f"{mapped.shape[1]:,}", f"{1000 * build:.0f} + {1000 * on_map:.0f} ms",
             f"{1000 * with_kernel:.0f} ms", len(dual.ledger_.mistakes), "yes" if same else "no: rounding"]
        )  # fmt: skip
    head = "## Map or kernel\n\n1,000 digits, 14 pixels each, the polynomial kernel and its explicit feature map, 3 epochs."
    return (
        head
        + "\n\n"
        + table(["degree", "features", "map + fit", "kernel", "mistakes", "same mistakes"], rows)
    )
