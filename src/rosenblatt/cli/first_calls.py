"""What `rosenblatt compile` does: the first calls of every part of the library, on small data.

A loop is compiled for a game, a form of rows and a predictor when it is first called with them. So the calls
here are those of users, and the loops that they need are kept. Calls in one function share parts of loops.
"""

from __future__ import annotations

from collections.abc import Sequence
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

SINGLE, CSR = X.astype(np.float32), sp.csr_array(X)

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


def classify(rows: Any, labels: Any, *predictors: str, **parameters: Any) -> PerceptronClassifier:
    """Fit a classifier, and predict; by these predictors few rows only."""
    learner = PerceptronClassifier(max_iter=2, random_state=0, **parameters).fit(rows, labels)
    learner.predict(rows)
    for predictor in predictors:
        learner.set_params(predictor=predictor).predict(rows[:FEW])
    return learner


def classify_rows(forms: Sequence[Any]) -> None:
    """Classify rows in these forms in every way."""
    for labels in (TWO, SEVERAL):
        for rows in forms:
            learner = classify(rows, labels, "vote", "sample")
        learner.certificate(rows, labels)
        learner.partial_fit(rows[:FEW], labels[:FEW])
        classify(forms[0], labels, predictor="recent")
    for rows in forms:
        classify(rows, SEVERAL, "vote", multiclass="ovr")
        classify(rows, SETS, "vote")
    classify(forms[0], TWO, predictor="vote")


def classify_by_kernel() -> None:
    """Classify with a kernel in every way."""
    for few in (X[:FEW], SINGLE[:FEW]):
        classify(few, TWO[:FEW], "vote", kernel=RBF).certificate(few, TWO[:FEW])
        classify(few, SEVERAL[:FEW], "vote", kernel=RBF)
        classify(few, SEVERAL[:FEW], "vote", kernel=RBF, multiclass="ovr")
        classify(few, SETS[:FEW], "vote", kernel=RBF).certificate(few, SETS[:FEW])
    for policy in POLICIES:
        classify(X[:FEW], TWO[:FEW], kernel=RBF, budget=Budget(5, policy))


def classify_sparse_rows() -> None:
    """Classify CSR rows."""
    classify_rows([CSR])


def classify_dense_rows() -> None:
    """Classify dense rows, in double and in single precision."""
    classify_rows([X, SINGLE])


def rank_sparse_rows() -> None:
    """Rank CSR rows."""
    rank_rows([CSR])


def rank_dense_rows() -> None:
    """Rank dense rows, in double and in single precision."""
    rank_rows([X, SINGLE])


def rank_rows(forms: Sequence[Any]) -> None:
    """Rank rows in these forms in every way."""
    for rows, strategy in product(forms, ("pairs", "best", "top")):
        ranker = PerceptronRanker(max_iter=1, strategy=strategy, random_state=0)
        ranker.fit(rows, TWO, QUERIES).decision_function(rows, QUERIES)
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
