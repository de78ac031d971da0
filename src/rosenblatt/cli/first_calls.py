"""What `rosenblatt compile` does: the first calls of every part of the library, on small data.

A loop is compiled for a game, a form of rows and a predictor when it is first called with them. So the calls
here are those of users, and the loops that they need are kept. Calls in one function share parts of loops.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, online
from rosenblatt.budgets import POLICIES, Budget
from rosenblatt.data import read_svmlight, write_svmlight

FEW = 40
"""Rows for calls that take long with many."""

X = np.random.default_rng(0).integers(-3, 4, (18_000, 5)).astype(float)
"""So many rows that every loop is called, also those that are worth loading for large data only."""

TWO, SEVERAL = (X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-1, 2])
SETS = (X[:, :3] > 0).astype(int)
QUERIES = np.arange(len(X)) // 6
RBF = kernels.RBF(gamma=0.1)

WORDS = [[f"word{(i * j) % 997}" for j in range(1 + i % 7)] for i in range(300)]
TAGS = [[("A", "B", "C")[len(word) % 3] for word in words] for words in WORDS]
COLUMNS = [[[word] for word in words] for words in WORDS]
NUMBERS = [[{word: 0.5} for word in words] for words in WORDS]
PAIRS = "U0:%x[0,0]\nB0:%x[0,0]"
"""Templates of CRF++ in which pairs of labels see the words."""


def forms(rows: Any) -> list[Any]:
    """Return rows in double and in single precision."""
    return [rows, rows.astype(np.float32)]


def classify(rows: Any, labels: Any, *predictors: str, **parameters: Any) -> PerceptronClassifier:
    """Fit a classifier, and predict; by these predictors few rows only."""
    learner = PerceptronClassifier(max_iter=2, random_state=0, **parameters).fit(rows, labels)
    learner.predict(rows)
    for predictor in predictors:
        learner.set_params(predictor=predictor).predict(rows[:FEW])
    return learner


def classify_rows(rows: Any) -> None:
    """Classify rows of one form in every way."""
    for labels in (TWO, SEVERAL):
        for data in forms(rows):
            learner = classify(data, labels, "vote", "sample")
        learner.certificate(data, labels)
        learner.partial_fit(data[:FEW], labels[:FEW])
        classify(rows, labels, predictor="recent")
    for data in forms(rows):
        classify(data, SEVERAL, "vote", multiclass="ovr")
        classify(data, SETS, "vote")
    classify(rows, TWO, predictor="vote")


def classify_by_kernel() -> None:
    """Classify with a kernel in every way."""
    for few in forms(X[:FEW]):
        classify(few, TWO[:FEW], "vote", kernel=RBF).certificate(few, TWO[:FEW])
        classify(few, SEVERAL[:FEW], "vote", kernel=RBF)
        classify(few, SEVERAL[:FEW], "vote", kernel=RBF, multiclass="ovr")
        classify(few, SETS[:FEW], "vote", kernel=RBF).certificate(few, SETS[:FEW])
    for policy in POLICIES:
        classify(X[:FEW], TWO[:FEW], kernel=RBF, budget=Budget(5, policy))


def rank_rows(rows: Any) -> None:
    """Rank rows of one form in every way."""
    for data, strategy in product(forms(rows), ("pairs", "best", "top")):
        ranker = PerceptronRanker(max_iter=2, strategy=strategy, random_state=0).fit(data, TWO, QUERIES)
        ranker.decision_function(data, QUERIES)
    ranker.set_params(predictor="vote").decision_function(rows[:FEW], QUERIES[:FEW])


def rank_by_kernel() -> None:
    """Rank with a kernel."""
    for strategy in ("pairs", "best", "top"):
        ranker = PerceptronRanker(RBF, max_iter=2, strategy=strategy, random_state=0)
        ranker.fit(X[:FEW], TWO[:FEW], QUERIES[:FEW]).decision_function(X[:FEW], QUERIES[:FEW])


def tag(sentences: Any, **parameters: Any) -> PerceptronTagger:
    """Fit a tagger, and tag all sentences and one."""
    tagger = PerceptronTagger(max_iter=2, random_state=0, **parameters).fit(sentences, TAGS)
    tagger.predict(sentences)
    tagger.predict(sentences[:1])
    return tagger


def tag_sentences() -> None:
    """Tag words, features with values, and words that pairs of labels see; ask for several answers."""
    tag(WORDS, predictor="vote", keep_examples=True).certificate(WORDS, TAGS)
    tag(COLUMNS, templates=PAIRS)
    tag(NUMBERS)
    tag(WORDS, hashing=1024)
    tagger = PerceptronTagger(max_iter=1, random_state=0).fit(WORDS, TAGS).calibrate(WORDS[:20], TAGS[:20])
    tagger.n_best(WORDS[:20], 2)
    tagger.margins(WORDS[:20])
    tagger.confidence(WORDS[:20])
    tagger.predict(WORDS[:20], known=[[None] * len(words) for words in WORDS[:20]])


def classify_online() -> None:
    """Learn from one dict or array at a time."""
    named: list[tuple[Any, int]] = [({"a": 1.0}, 1), ({"b": 1.0}, -1), ({"a": 1.0}, 1)]
    arrays: list[tuple[Any, int]] = [([1.0, 0.0], 1), ([0.0, 1.0], -1)]
    for predictor, rounds in (("last", named), ("recent", named), ("last", arrays)):
        learner = online.Classifier(predictor=predictor)
        for x, y in rounds:
            learner.predict(x)
            learner.add_example(x, y)
        learner.add_example(x, 0)  # of three classes
        learner.predict(x)


def read_online() -> None:
    """Learn from one string at a time."""
    for features in ("words", "terms"):
        learner = online.Classifier(features=features)
        for text, y in (("a b", "x"), ("é", "y"), ("a c", "x"), ("b", "z")):
            learner.predict(text)
            learner.learn_one(text, y)


def rank_online() -> None:
    """Learn from one list at a time."""
    ranker = online.Ranker()
    for best in (0, 1, 0):
        ranker.rank([{"a": 1.0}, {"b": 1.0}])
        ranker.add_example([{"a": 1.0}, {"b": 1.0}], best)


def tag_online() -> None:
    """Learn from one sentence at a time."""
    tagger = online.Tagger()
    for words, tags in zip(WORDS[:6], TAGS[:6], strict=True):
        tagger.label(words)
        tagger.add_example(words, tags)


def read_file() -> None:
    """Read a file of svmlight's format."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.svm"
        write_svmlight(path, X, TWO)
        read_svmlight(path)


Call = Callable[..., None]

CALLS: dict[str, dict[str, tuple[Any, ...]]] = {
    "tagger": {"sentences": (tag_sentences,)},
    "ranker": {
        "CSR rows": (rank_rows, sp.csr_array(X)),
        "dense rows": (rank_rows, X),
        "a kernel": (rank_by_kernel,),
    },
    "classifier": {
        "CSR rows": (classify_rows, sp.csr_array(X)),
        "dense rows": (classify_rows, X),
        "a kernel": (classify_by_kernel,),
    },
    "online": {
        "rows": (classify_online,),
        "strings": (read_online,),
        "lists": (rank_online,),
        "sentences": (tag_online,),
    },
    "files": {"svmlight": (read_file,)},
}
"""A function and its arguments by part of the library and kind of work: first what takes longest."""
