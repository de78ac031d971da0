"""Published figures, on the real data, within a tolerance."""

import gzip

import numpy as np
import pytest

from rosenblatt import PerceptronClassifier, kernels


def idx(path):
    """The numbers of an IDX file, one row per item."""
    raw = gzip.decompress(path.read_bytes())
    rows = int.from_bytes(raw[4:8], "big")
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(rows, -1)


def test_freund_and_schapire_on_mnist(data):
    """Machine Learning 37 (1999), figures as recalled, d = 2, T = 1: 10,201 mistakes, 8,190 support vectors, vote 2.8 %."""
    X, Z = (
        idx(data / "mnist" / f"{part}-images-idx3-ubyte.gz").astype(np.float32) for part in ("train", "t10k")
    )
    y, t = (idx(data / "mnist" / f"{part}-labels-idx1-ubyte.gz").ravel() for part in ("train", "t10k"))
    clf = PerceptronClassifier(
        kernels.Polynomial(2), multiclass="one-vs-rest", epochs=1, fit_intercept=False, random_state=0
    ).fit(X, y)
    assert len(clf.ledger_.mistakes) == pytest.approx(10_201, rel=0.06)
    assert len(clf.support_) == pytest.approx(8_190, rel=0.06)
    errors = {
        p: 100 * np.mean(clf.set_params(predictor=p).predict(Z) != t) for p in ("vote", "last", "sample")
    }
    assert errors["vote"] == pytest.approx(2.8, abs=0.3)
    assert errors["vote"] < errors["last"] < errors["sample"]
