"""One example at a time, predicted and then learned, against River and Vowpal Wabbit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from river import linear_model
from vowpalwabbit import Workspace

from benchmarks.datasets import sparse_rows
from benchmarks.measuring import Comparison, alternating, table, where_we_lose
from rosenblatt import PerceptronClassifier, online

OURS, THEIRS = "rosenblatt `online.Classifier()`, dicts", "River `linear_model.Perceptron()`, dicts"
TEXT = 'rosenblatt `online.Classifier(features="terms")`, lines of text'
ONE_CALL, ONE_CALL_OF_DICTS = "rosenblatt, one call, lines of text", "rosenblatt, one call, dicts"
WABBIT = "Vowpal Wabbit `--loss_function hinge -b 20`, through its Python binding, lines of text"
PROGRESSIVE = "Vowpal Wabbit, progressive validation: one call, lines of text"
LENGTHS = (8, 20, 75, 200)


def report() -> str:
    return "\n\n".join(["## Online speed", _lengths(), _streams()])


def _lengths(examples: int = 5_000) -> str:
    lines, ratios = [], {}
    compared: list[Comparison] = []
    for features in LENGTHS:
        dicts, labels = named_examples(examples, features)
        times = alternating(_rivals(dicts, labels))
        ratios[features] = times[OURS] / times[THEIRS]
        micro = {name: 1e6 * taken / examples for name, taken in times.items()}
        compared.append(
            (f"{features} features, to River's Perceptron", micro[OURS], micro[THEIRS], "{:.2f} µs")
        )
        lines += [
            [features, name, f"{micro[name]:.2f} µs", f"{taken / times[THEIRS]:.2f}"]
            for name, taken in times.items()
        ]
    head = (
        "Microseconds per example, `predict` and then `add_example`, of labels −1 and +1 (River: `predict_one` and then `learn_one`), over "
        f"{examples:,} examples by a fresh learner; medians of 7 runs that take turns, after one that is not counted. "
        "Features are drawn from 1,000 names, values from a normal distribution. Both sides have their defaults, but for "
        "the predictor where a line names one: the default is the last guess. Lists and arrays are the same values "
        "without the names, as rows that have all features; River takes dicts only."
    )
    said = ", ".join(f"{ratio:.2f} at {features}" for features, ratio in ratios.items())
    verdict = f"On dicts, times River's time: {said} features (asked: at most 1)."
    shown = table(["features", "", "per example", "times River"], lines)
    return "\n\n".join([head, shown, verdict, where_we_lose("dicts one at a time", compared)])


def named_examples(
    examples: int, features: int, names: int = 1_000, seed: int = 0
) -> tuple[list[dict[str, float]], list[int]]:
    """Return dicts with this many of the names each, and labels −1 and +1 by a hyperplane, with noise."""
    random = np.random.default_rng(seed)
    plane, named = random.normal(size=names), [f"feature {i}" for i in range(names)]
    dicts, labels = [], []
    for _ in range(examples):
        chosen, values = random.choice(names, features, replace=False), random.normal(size=features)
        dicts.append({named[i]: value for i, value in zip(chosen.tolist(), values.tolist(), strict=True)})
        labels.append(1 if values @ plane[chosen] + 0.3 * random.normal() > 0 else -1)
    return dicts, labels


def _rivals(dicts: list[dict[str, float]], labels: list[int]) -> dict[str, Callable[[], None]]:
    lists = [list(x.values()) for x in dicts]
    arrays = [np.array(x) for x in lists]
    booleans = [label == 1 for label in labels]
    return {
        THEIRS: lambda: _river(dicts, booleans),
        OURS: lambda: _ours(dicts, labels),
        "rosenblatt, dicts, average": lambda: _ours(dicts, labels, predictor="average"),
        "rosenblatt, lists": lambda: _ours(lists, labels),
        "rosenblatt, arrays": lambda: _ours(arrays, labels),
    }


def _ours(examples: Sequence[Any], labels: Sequence[int], **options: Any) -> None:
    learner = online.Classifier(**options)
    for x, y in zip(examples, labels, strict=True):
        learner.predict(x)
        learner.add_example(x, y)


def _learned(examples: Sequence[Any], labels: Sequence[int], **options: Any) -> int:
    """Learn only, and return the mistakes that were made before: the ledger counts them."""
    learner = online.Classifier(**options)
    for x, y in zip(examples, labels, strict=True):
        learner.learn_one(x, y)
    return learner.ledger.errors


def _river(examples: Sequence[dict[Any, float]], labels: Sequence[bool]) -> None:
    learner = linear_model.Perceptron()
    for x, y in zip(examples, labels, strict=True):
        learner.predict_one(x)
        learner.learn_one(x, y)


def _streams(rows: int = 20_000) -> str:
    """Report the speed on rows of a sparse data set: dicts, blocks of CSR rows, and Vowpal Wabbit's text."""
    X, y = sparse_rows(rows)
    dicts = [
        dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]
    signs, booleans = (2 * y - 1).tolist(), y.astype(bool).tolist()
    texts = [" ".join(f"{name}:{value:.6g}" for name, value in row.items()) for row in dicts]
    shown = [f"| {text}" for text in texts]
    labelled = [f"{sign} {text}" for sign, text in zip(signs, shown, strict=True)]

    def in_blocks() -> None:
        clf = PerceptronClassifier()
        for first in range(0, rows, 1000):
            block = slice(first, first + 1000)
            if first:
                clf.predict(X[block])
            clf.partial_fit(X[block], y[block], classes=[0, 1])

    def wabbit() -> None:
        workspace = Workspace("--quiet --loss_function hinge -b 20")
        for text, line in zip(shown, labelled, strict=True):
            workspace.predict(text)
            workspace.learn(line)
        workspace.finish()

    def progressive() -> None:
        """Use the score that `learn` computes before it updates as the prediction."""
        workspace = Workspace("--quiet --loss_function hinge -b 20")
        for line in labelled:
            example = workspace.parse(line)
            workspace.learn(example)
            example.get_simplelabel_prediction()
            workspace.finish_example(example)
        workspace.finish()

    works: dict[str, Callable[[], None]] = {
        OURS: lambda: _ours(dicts, signs),
        TEXT: lambda: _ours(texts, signs, features="terms"),
        ONE_CALL: lambda: _learned(texts, signs, features="terms"),
        ONE_CALL_OF_DICTS: lambda: _learned(dicts, signs),
        THEIRS: lambda: _river(dicts, booleans),
        "rosenblatt `PerceptronClassifier()`, `predict`, `partial_fit`, 1,000 CSR rows at a time": in_blocks,
        WABBIT: wabbit,
        PROGRESSIVE: progressive,
    }
    times = alternating(works, repeats=3)
    rates = {name: rows / taken for name, taken in times.items()}
    lines = [[name, f"{rate:,.0f}"] for name, rate in rates.items()]
    pairs = ((OURS, THEIRS), (TEXT, WABBIT), (ONE_CALL, PROGRESSIVE))
    lost = where_we_lose(
        "a stream of sparse rows one at a time, examples per second",
        more=[(f"to {theirs}", rates[ours], rates[theirs], "{:,.0f}") for ours, theirs in pairs],
    )
    head = (
        f"Examples per second of a stream of {rows:,} rows with {X.nnz / rows:.0f} of {X.shape[1]:,} features each, every one "
        "predicted before it is learned, medians of 3. With one call the prediction is the one that learning makes: its "
        "mistakes are in the ledger, and in Vowpal Wabbit's progressive validation."
    )
    return "\n\n".join([head, table(["", "examples / s"], lines), lost])
