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
from sklearn.feature_extraction.text import TfidfVectorizer

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


def newsgroups(**options: Any) -> Split:
    """Return 20 newsgroups by date: sublinear tf-idf of all words, or with other options, and the groups."""
    texts, labels = [], []
    for part in ("train", "test"):
        with lzma.open(folder() / "newsgroups20" / f"{part}.jsonl.xz", "rt", encoding="utf-8") as lines:
            documents = [json.loads(line) for line in lines]
        texts.append([document["text"] for document in documents])
        labels.append(np.array([document["label"] for document in documents]))
    words = TfidfVectorizer(sublinear_tf=True, **options)
    return words.fit_transform(texts[0]), labels[0], words.transform(texts[1]), labels[1]


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
