"""Published figures, on the real data, within a tolerance."""

import gzip
from itertools import pairwise

import numpy as np
import pytest

from rosenblatt import PerceptronClassifier, PerceptronTagger, kernels, metrics
from rosenblatt.data import read_conll
from rosenblatt.features import column, word
from rosenblatt.rows import starts_of


def idx(path):
    """Return the values of an IDX file, one row per item."""
    raw = gzip.decompress(path.read_bytes())
    rows = int.from_bytes(raw[4:8], "big")
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(rows, -1)


@pytest.mark.slow
def test_voted_perceptron_matches_freund_and_schapire_on_mnist(data):
    """Machine Learning 37 (1999), figures as recalled, d = 2, T = 1: 10,201 mistakes, 8,190 support vectors, vote 2.8 %."""
    X, Z = (
        idx(data / "mnist" / f"{part}-images-idx3-ubyte.gz").astype(np.float32) for part in ("train", "t10k")
    )
    y, t = (idx(data / "mnist" / f"{part}-labels-idx1-ubyte.gz").ravel() for part in ("train", "t10k"))
    clf = PerceptronClassifier(
        kernels.Polynomial(2),
        multiclass="ovr",
        max_iter=1,
        fit_intercept=False,
        random_state=0,
        rule="perceptron",
    ).fit(X, y)
    assert len(clf.ledger_.mistakes) == pytest.approx(10_201, rel=0.06)
    assert len(clf.support_) == pytest.approx(8_190, rel=0.06)
    errors = {
        p: 100 * np.mean(clf.set_params(predictor=p).predict(Z) != t) for p in ("vote", "last", "sample")
    }
    assert errors["vote"] == pytest.approx(2.8, abs=0.3)
    assert errors["vote"] < errors["last"] < errors["sample"]


pos = column(1)
CHUNKING = (
    *(word[offset] for offset in (-2, -1, 0, 1, 2)),
    *(pos[offset] for offset in (-2, -1, 0, 1, 2)),
    *(word[offset] & word[offset + 1] for offset in (-1, 0)),
    *(pos[offset] & pos[offset + 1] for offset in (-2, -1, 0, 1)),
    *(pos[offset] & pos[offset + 1] & pos[offset + 2] for offset in (-2, -1, 0)),
)


@pytest.mark.slow
def test_averaged_tagger_matches_papers_on_conll_2000(data):
    """F 93.5 with CRF++'s templates, as averaged perceptrons reach in several papers; without averages less."""
    X, y = read_conll(data / "conll2000" / "train.txt.gz")
    Z, t = read_conll(data / "conll2000" / "test.txt.gz")
    tagger = PerceptronTagger(templates=CHUNKING, scheme="IOB2", random_state=0).fit(X, y)
    average = 100 * metrics.span_f1(t, tagger.predict(Z))
    assert average == pytest.approx(93.5, abs=0.3)
    assert 100 * metrics.span_f1(t, tagger.set_params(predictor="last").predict(Z)) < average


@pytest.mark.slow
def test_kernels_and_transitions_help_on_handwritten_words(data):
    """Taskar, Guestrin and Koller (2003): kernels are far better than none, and chains than single letters."""
    letters = dict(np.load(data / "ocr_letters" / "letters.npz"))
    words, folds = list(pairwise(starts_of(letters["word_lengths"]))), letters["folds"]
    X = [letters["pixels"][first:last].astype(np.float32) for first, last in words]
    y = [letters["labels"][first:last] for first, last in words]
    train, test = np.flatnonzero(folds == 0), np.flatnonzero(folds == 1)

    def right(**options):
        tagger = PerceptronTagger(random_state=0, max_iter=5, **options)
        tagger.fit([X[i] for i in train], [y[i] for i in train])
        return 100 * tagger.score([X[i] for i in test], [y[i] for i in test])

    rbf = kernels.RBF(gamma=0.05)
    assert right(kernel=rbf) > right() + 5
    assert right(kernel=rbf) > right(kernel=rbf, transitions=False) + 3
