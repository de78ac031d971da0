"""What `against_before` times: the work of the other reports, without rivals, by what both versions offer.

`python -m benchmarks.workloads NAME` prepares one of them, and prints the median seconds of a few calls for every line that
it reads.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import corpora, datasets
from rosenblatt import (
    PerceptronClassifier,
    PerceptronRanker,
    PerceptronTagger,
    budgets,
    data,
    kernels,
    online,
)

Work = Callable[[], Any]
WORK: dict[str, Callable[[], Work]] = {}
"""What prepares the data of a workload and returns what is timed, by name."""


def work(name: str) -> Callable[[Callable[[], Work]], Callable[[], Work]]:
    """Register a workload."""

    def register(prepare: Callable[[], Work]) -> Callable[[], Work]:
        WORK[name] = prepare
        return prepare

    return register


FORMER = {"max_iter": "epochs", "ovr": "one-vs-rest"}
"""What parameters and values were called before they had scikit-learn's names."""


def made(kind: Any, *arguments: Any, **parameters: Any) -> Any:
    """Return an estimator with the textbook rule, whatever the version's names and defaults are."""
    if "max_iter" not in signature(kind).parameters:
        parameters = {
            FORMER.get(name, name): FORMER.get(str(value), value) for name, value in parameters.items()
        }
    return kind(*arguments, random_state=0, rule=parameters.pop("rule", "perceptron"), **parameters)


def classifier(*arguments: Any, **parameters: Any) -> Any:
    """Return a classifier, with an intercept only where there is no kernel."""
    return made(PerceptronClassifier, *arguments, fit_intercept=not arguments, **parameters)


def fit(X: Any, y: Any, *arguments: Any, **parameters: Any) -> Work:
    return lambda: classifier(*arguments, **parameters).fit(X, y)


def predict(X: Any, y: Any, rows: Any, *arguments: Any, **parameters: Any) -> Work:
    learner = classifier(*arguments, **parameters).fit(X, y)
    return lambda: learner.predict(rows)


def normal(classes: int, rows: int = 200_000) -> tuple[Any, Any]:
    return datasets.dense_rows(rows, 50, classes)


RBF = kernels.RBF(gamma=0.02 / 255**2)


def digits() -> tuple[Any, Any, Any]:
    X, y, test, _ = datasets.mnist()
    return X[:10_000].astype(float), y[:10_000], test[:4_000].astype(float)


@work("dense rows, two classes: fit")
def _() -> Work:
    return fit(*normal(2), max_iter=2)


@work("dense rows, ten classes: fit")
def _() -> Work:
    return fit(*normal(10), max_iter=2)


@work("dense rows, ten classes, one-vs-rest: fit")
def _() -> Work:
    return fit(*normal(10, 50_000), max_iter=2, multiclass="ovr")


@work("dense rows, float32: fit")
def _() -> Work:
    X, y = normal(2)
    return fit(X.astype(np.float32), y, max_iter=2)


@work("dense rows: predict")
def _() -> Work:
    X, y = normal(10)
    return predict(X, y, X, max_iter=1)


@work("dense rows: partial_fit, blocks of 1,000")
def _() -> Work:
    X, y = normal(2, 50_000)

    def blocks() -> None:
        learner = classifier()
        for first in range(0, len(X), 1_000):
            learner.partial_fit(X[first : first + 1_000], y[first : first + 1_000], classes=[0, 1])

    return blocks


@work("dense rows: partial_fit, one at a time")
def _() -> Work:
    X, y = normal(2, 1_000)

    def rows() -> None:
        learner = classifier()
        for i in range(len(X)):
            learner.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])

    return rows


@work("CSR rows: fit")
def _() -> Work:
    return fit(*datasets.sparse_rows(100_000), max_iter=3)


@work("CSR rows, recent average: fit")
def _() -> Work:
    return fit(*datasets.sparse_rows(100_000), max_iter=2, predictor="recent")


@work("CSR rows, passive-aggressive: fit")
def _() -> Work:
    return fit(*datasets.sparse_rows(100_000), max_iter=2, rule="passive-aggressive")


@work("CSR rows, 20 newsgroups: fit")
def _() -> Work:
    X, y, *_ = datasets.newsgroups()
    return fit(X, y, max_iter=5)


@work("CSR rows, 20 newsgroups, one-vs-rest: fit")
def _() -> Work:
    X, y, *_ = datasets.newsgroups()
    return fit(X, y, max_iter=2, multiclass="ovr")


@work("CSR rows: predict by the average")
def _() -> Work:
    X, y = datasets.sparse_rows(100_000)
    return predict(X, y, X, max_iter=1)


@work("CSR rows: predict by a vote")
def _() -> Work:
    X, y = datasets.sparse_rows(10_000)
    return predict(X, y, X[:2_000], max_iter=1, predictor="vote")


@work("RBF, 10,000 digits: fit")
def _() -> Work:
    X, y, _ = digits()
    return fit(X, y, RBF, max_iter=2)


@work("RBF, 10,000 digits, one-vs-rest: fit")
def _() -> Work:
    X, y, _ = digits()
    return fit(X, y, RBF, max_iter=2, multiclass="ovr")


@work("RBF: predict 4,000 digits by the average")
def _() -> Work:
    X, y, test = digits()
    return predict(X, y, test, RBF, max_iter=2)


@work("polynomial kernel: predict 4,000 digits by a vote")
def _() -> Work:
    X, y, test = digits()
    return predict(X / 255, y, test / 255, kernels.Polynomial(4), max_iter=1, predictor="vote")


@work("RBF with a budget of 200: fit")
def _() -> Work:
    X, y, _ = digits()
    return fit(X[:2_000], y[:2_000] > 4, RBF, max_iter=2, budget=budgets.Budget(200, "oldest"))


@work("tagger, CoNLL-2000: fit")
def _() -> Work:
    X, y = corpora.chunking("train")
    return lambda: made(PerceptronTagger, max_iter=3).fit(X, y)


@work("tagger, CoNLL-2000: predict")
def _() -> Work:
    X, y = corpora.chunking("train")
    tagger = made(PerceptronTagger, max_iter=1).fit(X[:3_000], y[:3_000])
    return lambda: tagger.predict(X[3_000:6_000])


@work("tagger, CoNLL-2000, hashed: fit")
def _() -> Work:
    X, y = corpora.chunking("train")
    return lambda: made(PerceptronTagger, max_iter=2, hashing=2**18).fit(X[:4_000], y[:4_000])


@work("tagger, pairs that see words: fit")
def _() -> Work:
    X, y = corpora.chunking("train")
    templates = "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nB0:%x[0,1]"
    return lambda: made(PerceptronTagger, max_iter=1, templates=templates).fit(X[:2_000], y[:2_000])


@work("tagger, dicts of features: fit")
def _() -> Work:
    X, y = corpora.chunking("train")
    named = [corpora.named(sentence) for sentence in X[:2_000]]
    return lambda: made(PerceptronTagger, max_iter=2).fit(named, y[:2_000])


@work("tagger: ten best of 500 sentences")
def _() -> Work:
    X, y = corpora.chunking("train")
    tagger = made(PerceptronTagger, max_iter=1).fit(X[:2_000], y[:2_000])
    return lambda: tagger.n_best(X[2_000:2_500], 10)


def lists() -> tuple[Any, Any, Any]:
    X, y = normal(5, 60_000)
    return X, y, np.arange(len(X)) // 20


@work("ranker, pairs: fit")
def _() -> Work:
    X, y, queries = lists()
    return lambda: made(PerceptronRanker, max_iter=2).fit(X, y, queries)


@work("ranker, best: fit")
def _() -> Work:
    X, y, queries = lists()
    return lambda: made(PerceptronRanker, max_iter=2, strategy="best").fit(X, y, queries)


@work("ranker, top, CSR rows: fit")
def _() -> Work:
    X, y = datasets.sparse_rows(40_000)
    queries = np.arange(40_000) // 20
    return lambda: made(PerceptronRanker, max_iter=1, strategy="top").fit(X, y, queries)


@work("ranker: predict")
def _() -> Work:
    X, y, queries = lists()
    ranker = made(PerceptronRanker, max_iter=1).fit(X, y, queries)
    return lambda: ranker.predict(X, queries)


@work("online, dicts of 20 names")
def _() -> Work:
    random = np.random.default_rng(0)
    names = [f"feature {i}" for i in range(1_000)]
    rows = [
        {names[j]: float(random.normal()) for j in random.choice(1_000, 20, replace=False)}
        for _ in range(5_000)
    ]
    labels = [1 if row[next(iter(row))] > 0 else -1 for row in rows]

    learner = online.Classifier(rule="perceptron")

    def stream() -> None:
        for row, label in zip(rows, labels, strict=True):
            learner.predict(row)
            learner.add_example(row, label)

    stream()  # after it all names are known
    return stream


@work("online, sentences")
def _() -> Work:
    X, y = corpora.chunking("train")

    def stream() -> None:
        tagger = online.Tagger()
        for sentence, labels in zip(X[:1_000], y[:1_000], strict=True):
            tagger.label(sentence)
            tagger.add_example(sentence, labels)

    return stream


@work("svmlight: read")
def _() -> Work:
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "rows.svm"
    data.write_svmlight(path, *datasets.sparse_rows(20_000))

    def read() -> Any:
        return folder, data.read_svmlight(path)

    return read


@work("certificate, CSR rows")
def _() -> Work:
    X, y = datasets.sparse_rows(50_000)
    learner = classifier(max_iter=1).fit(X, y)
    return lambda: learner.certificate(X, y)


def median_seconds(call: Work, enough: float = 0.4, most: int = 100) -> float:
    """Return the median of as many calls as take a while, but not of more than `most`."""
    times: list[float] = []
    while sum(times) < enough and len(times) < most:
        gc.collect()
        began = perf_counter()
        call()
        times.append(perf_counter() - began)
    return statistics.median(times)


if __name__ == "__main__":
    prepared = WORK[sys.argv[1]]()
    for _ in sys.stdin:
        print(median_seconds(prepared), flush=True)
