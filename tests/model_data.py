"""Fitted estimators of every kind, small, to be written to files."""

import numpy as np
import scipy.sparse as sp

from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
TWO = X[:, 0] > 0
THREE = np.array(["a", "b", "ç"])[RANDOM.integers(0, 3, 60)]
QUERIES = np.repeat(np.arange(12), 5)
WORDS = [["the", "cat", "sat"], ["a", "dog", "rän"], ["cat"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N"]]
NAMED = [[{"w": word, "size": 1.5, word: True} for word in words] for words in WORDS]
ARRAYS = [RANDOM.normal(size=(4, 3)) for _ in range(5)]
CRFPP = "U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB01:%x[0,0]\nB"


def classifiers():
    for kernel in (None, kernels.RBF(gamma=0.5), (kernels.Linear() + 1) ** 3):
        for rows in (X, sp.csr_array(X), X.astype(np.float32)):
            for labels, multiclass in ((TWO, "argmax"), (THREE, "argmax"), (THREE, "one-vs-rest")):
                learner = PerceptronClassifier(
                    kernel, multiclass=multiclass, predictor="vote", epochs=2, random_state=0
                )
                yield learner.fit(rows, labels), (rows, labels)
    learner = PerceptronClassifier(
        rule="passive-aggressive", start="random", class_weight={True: 2.0, False: 1.0}
    )
    yield learner.set_params(random_state=1).fit(X, TWO), (X, TWO)
    yield PerceptronClassifier(keep_examples=False, epochs=2).fit(X, THREE), (X, THREE)
    yield PerceptronClassifier("precomputed", epochs=2).fit(X @ X.T, THREE), None


def rankers():
    for kernel in (None, kernels.RBF(gamma=0.5)):
        for strategy in ("pairs", "best", "top"):
            learner = PerceptronRanker(kernel, strategy=strategy, epochs=2, random_state=0)
            yield learner.fit(X, TWO.astype(int), qid=QUERIES), (X, TWO.astype(int), QUERIES)


def taggers():
    options = (
        {},
        {"predictor": "vote"},
        {"hashing": 512},
        {"templates": CRFPP},
        {"kernel": kernels.RBF(gamma=1.0)},
        {"allowed": [("D", "N"), ("N", "V")]},
        {"class_weight": {"D": 2.0}, "rule": "margin"},
    )
    for chosen in options:
        yield PerceptronTagger(epochs=2, random_state=0, **chosen).fit(WORDS, TAGS), (WORDS, TAGS)
    yield PerceptronTagger(epochs=2, random_state=0).fit(NAMED, TAGS), (NAMED, TAGS)
    yield (
        PerceptronTagger(epochs=2, random_state=0).fit(ARRAYS, [list("abca")] * 5),
        (ARRAYS, [list("abca")] * 5),
    )
    yield PerceptronTagger(epochs=2, random_state=0).fit(WORDS, TAGS).pruned(), None


def every():
    yield from classifiers()
    yield from rankers()
    yield from taggers()
