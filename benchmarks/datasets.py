"""The data sets of ROSENBLATT_DATA, and generated ones, as the benchmarks use them."""

from __future__ import annotations

import gzip
import json
import lzma
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import datasets as bundled
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

from rosenblatt import data

Split = tuple[Any, Any, Any, Any]


def folder() -> Path:
    """Return the folder of the data sets."""
    name = os.environ.get("ROSENBLATT_DATA")
    if not name or not Path(name).is_dir():
        raise SystemExit("Benchmarks need real data: set ROSENBLATT_DATA to the folder of data sets.")
    return Path(name)


def _idx(name: str) -> Any:
    raw = gzip.decompress((folder() / "mnist" / name).read_bytes())
    rows = int.from_bytes(raw[4:8], "big")
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(rows, -1)


def mnist() -> Split:
    """Return MNIST: train and test pixels 0–255 and digits."""
    parts = [
        _idx(f"{part}-{kind}")
        for part in ("train", "t10k")
        for kind in ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz")
    ]
    return parts[0], parts[1].ravel().astype(int), parts[2], parts[3].ravel().astype(int)


def a9a() -> Split:
    """Return Adult: 123 features of 0 and 1, dense, and labels −1 and 1."""
    train, test = (
        data.read_svmlight(folder() / "a9a" / f"{part}.gz", n_features=123) for part in ("a9a", "a9a.t")
    )
    return train.X.toarray(), train.y.astype(int), test.X.toarray(), test.y.astype(int)


def letter() -> Split:
    """Return letter recognition: 16 features from 0 to 1; the first 16,000 rows are the training set."""
    text = gzip.decompress((folder() / "letter" / "letter-recognition.data.gz").read_bytes()).decode()
    cells = [line.split(",") for line in text.split()]
    X, y = np.array([line[1:] for line in cells], float) / 15, np.array([line[0] for line in cells])
    return X[:16_000], y[:16_000], X[16_000:], y[16_000:]


def usps() -> Split:
    """Return USPS: 256 pixels from 0 to 1, and digits."""
    with np.load(folder() / "usps" / "usps.npz") as arrays:
        return arrays["X_train"], arrays["y_train"], arrays["X_test"], arrays["y_test"]


def spambase() -> Split:
    """Return spambase: 57 frequencies and lengths, and whether it is spam; Hastie, Tibshirani and Friedman's split."""
    rows, chosen = (np.loadtxt(folder() / "spambase" / f"spam.{kind}.gz") for kind in ("data", "traintest"))
    X, y, test = rows[:, :-1], rows[:, -1].astype(int), chosen.astype(bool)
    return X[~test], y[~test], X[test], y[test]


def newsgroup_texts() -> tuple[list[list[str]], list[Any]]:
    """Return the messages of 20 newsgroups, those to learn from and later ones to test, and their groups."""
    texts, labels = [], []
    for part in ("train", "test"):
        with lzma.open(folder() / "newsgroups20" / f"{part}.jsonl.xz", "rt", encoding="utf-8") as lines:
            documents = [json.loads(line) for line in lines]
        texts.append([document["text"] for document in documents])
        labels.append(np.array([document["label"] for document in documents]))
    return texts, labels


def newsgroups(by_date: bool = True, **options: Any) -> Split:
    """Return 20 newsgroups: sublinear tf-idf of all words, or with other options, and the groups.

    Messages to be tested are later ones, or else drawn from all.
    """
    texts, labels = newsgroup_texts()
    if not by_date:
        order = np.random.default_rng(0).permutation(len(texts[0]) + len(texts[1]))
        parts, known, every = np.split(order, [len(texts[0])]), np.concatenate(labels), texts[0] + texts[1]
        texts, labels = [[every[i] for i in part] for part in parts], [known[part] for part in parts]
    words = TfidfVectorizer(sublinear_tf=True, **options)
    return words.fit_transform(texts[0]), labels[0], words.transform(texts[1]), labels[1]


def polarity_texts() -> tuple[list[str], Any]:
    """Return the sentences of sentence polarity, and whether each is positive."""
    texts = [
        gzip.decompress((folder() / "sentence_polarity" / f"rt-polarity.{kind}.gz").read_bytes())
        .decode()
        .splitlines()
        for kind in ("neg", "pos")
    ]
    return texts[0] + texts[1], np.repeat([0, 1], [len(texts[0]), len(texts[1])])


def polarity() -> Split:
    """Return sentence polarity: sublinear tf-idf of words and pairs of words, and whether a review is positive."""
    return _of_texts(*polarity_texts(), ngram_range=(1, 2))


def sms_texts() -> tuple[list[str], Any]:
    """Return the messages of SMS spam, and their labels."""
    text = gzip.decompress((folder() / "sms_spam" / "SMSSpamCollection.gz").read_bytes()).decode()
    labels, texts = zip(*(line.split("\t", 1) for line in text.splitlines()), strict=True)
    return list(texts), np.array(labels)


def sms() -> Split:
    """Return SMS spam: sublinear tf-idf of words, and whether it is spam."""
    return _of_texts(*sms_texts())


def _of_texts(texts: list[str], labels: Any, **options: Any) -> Split:
    train, test, y, z = train_test_split(texts, labels, test_size=1 / 3, random_state=0, stratify=labels)
    words = TfidfVectorizer(sublinear_tf=True, **options)
    return words.fit_transform(train), y, words.transform(test), z


def small(name: str) -> Split:
    """Return a small set of UCI, or one that scikit-learn brings, a third of it for tests."""
    if name in ("iris", "wine", "digits", "breast_cancer"):
        X, y = getattr(bundled, f"load_{name}")(return_X_y=True)
    else:
        text = gzip.decompress((folder() / "uci_small" / f"{name}.csv.gz").read_bytes()).decode()
        separator = ";" if name == "winequality-white" else ","
        cells = [
            line.split(separator) for line in text.splitlines() if "?" not in line and "quality" not in line
        ]
        X, y = np.array([line[:-1] for line in cells], float), np.array([line[-1] for line in cells])
    X, Z, y, t = train_test_split(X, y, test_size=1 / 3, random_state=0, stratify=y)
    return X, y, Z, t


def sparse_rows(
    rows: int = 200_000, features: int = 50_000, filled: int = 75, telling: int = 50_000
) -> tuple[Any, Any]:
    """Return generated text-like rows: few common features, many rare ones, and noisy labels of a hidden hyperplane.

    Only the first, most common `telling` features determine the label: the fewer, the sooner they are learned.
    """
    random = np.random.default_rng(0)
    columns = (features * random.random((rows, filled)) ** 3).astype(np.int32)
    columns.sort(axis=1)
    indptr = np.arange(rows + 1, dtype=np.int32) * filled
    X = sp.csr_matrix((random.random(rows * filled), columns.ravel(), indptr), shape=(rows, features))
    X.sum_duplicates()
    hidden = np.where(np.arange(features) < telling, random.normal(size=features), 0)
    score = X @ hidden
    return X, (score + 0.3 * score.std() * random.normal(size=rows) > 0).astype(int)


def dense_rows(
    rows: int = 6_400, features: int = 54, classes: int = 5, apart: float = 0.35
) -> tuple[Any, Any]:
    """Return generated dense rows: a Gaussian around the centre of each class, overlapping with the others."""
    random = np.random.default_rng(0)
    centres, y = apart * random.normal(size=(classes, features)), random.integers(0, classes, rows)
    return centres[y] + random.normal(size=(rows, features)), y
