"""
Reranking
=========

The ten best labellings of every sentence, ranked again by features that no Viterbi search can use. ::

    ROSENBLATT_DATA=… python examples/reranking.py

A tagger that sees two labels at a time proposes; a ranker that sees the whole of each labelling decides. It learns on
sentences that the tagger has not learned from, or it would only see proposals that are too good.
"""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction import DictVectorizer

from rosenblatt import PerceptronRanker, PerceptronTagger, data, metrics
from rosenblatt.features import column, word

TEMPLATES = [
    word[-1],
    word[0],
    word[1],
    column(1)[-1],
    column(1)[0],
    column(1)[1],
    column(1)[-1] & column(1)[0],
]


def whole(tokens: Any, labels: list[str], score: float, best: float) -> dict[str, float]:
    """Return the features of a labelling: its score below the best, trigrams of its chunks, and the tags of each chunk."""
    seen = {"below the best": score - best}
    tags = [token[1] for token in tokens]
    kinds = [kind for kind, _ in groupby(label.split("-")[-1] for label in labels)]
    for i in range(len(kinds)):
        name = " ".join(kinds[max(0, i - 2) : i + 1])
        seen[name] = seen.get(name, 0.0) + 1.0
    start = 0
    for end in range(1, len(labels) + 1):
        if end == len(labels) or not labels[end].startswith("I-"):
            name = f"{labels[start][2:]}: {' '.join(tags[start:end][:4])}"
            seen[name] = seen.get(name, 0.0) + 1.0
            start = end
    return seen


def proposals(tagger: Any, X: Any, y: Any, n: int = 10) -> tuple[list[Any], list[Any], Any, Any]:
    """Return the n best labellings of all sentences: features, labels, the number of correct labels, and query ids."""
    features, answers, right, qid = [], [], [], []
    for i, (tokens, truth, paths) in enumerate(zip(X, y, tagger.n_best(X, n), strict=True)):
        for labels, score in paths:
            features.append(whole(tokens, labels, score, paths[0][1]))
            answers.append(labels)
            right.append(sum(a == b for a, b in zip(labels, truth, strict=True)))
            qid.append(i)
    return features, answers, np.array(right), np.array(qid)


def chosen(answers: list[Any], scores: Any, qid: Any) -> list[Any]:
    """Return the labelling of every sentence with the highest score, the first of equals."""
    order = np.lexsort((np.arange(len(qid)), -scores, qid))
    return [answers[i] for i in order[np.unique(qid[order], return_index=True)[1]]]


def rerank(train: tuple[Any, Any], test: tuple[Any, Any], seed: int = 0) -> dict[str, float]:
    """Return F of the tagger, of the reranked labellings, and of the best among the ten."""
    X, y = train
    half = len(X) // 2
    tagger = PerceptronTagger(templates=TEMPLATES, scheme="IOB2", max_iter=5, random_state=seed).fit(
        X[:half], y[:half]
    )
    features, _, right, qid = proposals(tagger, X[half:], y[half:])
    vectors = DictVectorizer().fit(features)
    ranker = PerceptronRanker(
        strategy="best", rule="margin", max_iter=10, random_state=seed, keep_examples=False
    )
    ranker.fit(vectors.transform(features), right, qid=qid)
    features, answers, right, qid = proposals(tagger, *test)
    scores = ranker.decision_function(vectors.transform(features))
    truth = list(test[1])
    return {
        "tagger": metrics.span_f1(truth, tagger.predict(test[0])),
        "reranked": metrics.span_f1(truth, chosen(answers, scores, qid)),
        "best of ten": metrics.span_f1(truth, chosen(answers, right, qid)),
    }


def main() -> None:
    folder = Path(os.environ["ROSENBLATT_DATA"]) / "conll2000"
    train, test = (data.read_conll(folder / f"{part}.txt.gz") for part in ("train", "test"))
    for name, value in rerank(train, test).items():
        print(f"{name:12} F {100 * value:.2f}")


if __name__ == "__main__":
    main()
