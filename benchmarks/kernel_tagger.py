"""Handwritten words (Taskar's letters): kernels against the linear tagger, and transitions against none."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.datasets import folder
from benchmarks.measuring import table
from rosenblatt import PerceptronTagger, kernels
from rosenblatt.rows import starts_of

KERNELS = {"linear": None, "RBF γ = 0.05": kernels.RBF(gamma=0.05), "Polynomial(2)": kernels.Polynomial(2)}


@cache
def letters() -> tuple[Any, Any, Any, Any]:
    """Return pixels and labels of all letters, the length of every word, and its fold."""
    data = np.load(folder() / "ocr_letters" / "letters.npz")
    return data["pixels"].astype(np.float32), data["labels"], data["word_lengths"], data["folds"]


def split(chosen: Any) -> tuple[list[Any], list[Any]]:
    pixels, labels, lengths, _ = letters()
    starts = starts_of(lengths)
    words = np.flatnonzero(chosen)
    return [pixels[starts[i] : starts[i + 1]] for i in words], [
        labels[starts[i] : starts[i + 1]] for i in words
    ]


def accuracy(kernel: Any, transitions: bool, train_on_one: bool, folds: Any) -> tuple[float, float, float]:
    """Return the mean letter accuracy over folds, its standard deviation, and the time of a fit."""
    _, _, _, fold = letters()
    found, times = [], []
    for held in folds:
        one, nine = split(fold == held), split(fold != held)
        train, test = (one, nine) if train_on_one else (nine, one)
        tagger = PerceptronTagger(kernel, transitions=transitions, random_state=0)
        began = perf_counter()
        tagger.fit(*train)
        times.append(perf_counter() - began)
        found.append(100 * tagger.score(*test))
    return float(np.mean(found)), float(np.std(found)), float(np.mean(times))


def report() -> str:
    rows = []
    for one, folds in ((True, range(10)), (False, range(3))):
        base = 0.0
        for name, kernel in KERNELS.items():
            with_pairs = accuracy(kernel, True, one, folds)
            without = accuracy(kernel, False, one, folds)
            base = base or with_pairs[0]
            rows.append(
                [
                    f"{name}, train on {'one fold, test on nine' if one else 'nine folds, test on one'}",
                    f"{with_pairs[0]:.1f} ± {with_pairs[1]:.1f} %", f"{without[0]:.1f} %",
                    f"{with_pairs[0] - base:+.1f}" if kernel else "", f"{with_pairs[2]:.1f} s",
                ]
            )  # fmt: skip
    return (
        "## Kernel tagger\n\nHandwritten words, 52,152 letters of 128 pixels, 26 labels; averaged, 10 epochs. Training on one "
        "fold: mean over all ten; on nine: over the first three. Asked: a kernel at least 5 points above linear, and "
        "transitions above none.\n\n"
        + table(["", "letters right", "without transitions", "points above linear", "fit"], rows)
    )
