"""Probabilities of online.Classifier: as often right as they say, before an example is learned."""

import numpy as np
import pytest

from rosenblatt import kernels, load, online, save
from rosenblatt.theory.online_calibration import OnlineCalibration


def stream(classes, seed=0, rounds=2500, noise=0.1, apart=0.8):
    """Blobs that overlap, with a share of labels at random."""
    random = np.random.default_rng(seed)
    centres, y = random.normal(size=(classes, 10)), random.integers(0, classes, rounds)
    X = apart * centres[y] + random.normal(size=(rounds, 10))
    flipped = random.random(rounds) < noise
    y[flipped] = random.integers(0, classes, flipped.sum())
    return X, y


def calibration_error(learner, X, y, skip=500):
    """Return the expected calibration error of the answers, each before its example is learned."""
    sure, right = [], []
    for x, label in zip(X, y.tolist(), strict=True):
        found = learner.predict_proba_one(x)
        if found:
            assert sum(found.values()) == pytest.approx(1.0)
            best = max(found, key=found.get)
            sure.append(found[best])
            right.append(best == label)
        learner.learn_one(x, label)
    sure, right = np.array(sure[skip:]), np.array(right[skip:])
    bins = np.minimum((10 * sure).astype(int), 9)
    return sum(
        abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins.tolist())
    )


def probabilities_are_honest(classes, predictor, rule, noise):
    def law():
        learner = online.Classifier(predictor=predictor, rule=rule, probabilities=True)
        assert calibration_error(learner, *stream(classes, noise=noise)) < 0.04

    return law


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("rule", ["perceptron", "passive-aggressive"])
@pytest.mark.parametrize("predictor", ["last", "average"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_probabilities_are_honest(classes, predictor, rule, noise):
    probabilities_are_honest(classes, predictor, rule, noise)()


def test_law_rejects_scores_that_are_not_calibrated(monkeypatch):
    monkeypatch.setattr(OnlineCalibration, "update", lambda *_: None)
    for classes in (3, 5):
        with pytest.raises(AssertionError):
            probabilities_are_honest(classes, "last", "perceptron", 0.1)()


def test_probabilities_follow_a_stream_that_changes():
    X, y = stream(3)
    Z, t = stream(3, seed=5, noise=0.2)
    learner = online.Classifier(predictor="recent", probabilities=True)
    assert calibration_error(learner, X, y) < 0.04
    assert calibration_error(learner, Z, t, skip=1000) < 0.06


def test_probabilities_are_of_all_classes_known():
    learner = online.Classifier(probabilities=True)
    assert learner.predict_proba_one({"a": 1}) == {}
    learner.learn_one({"a": 1}, "x")
    assert learner.predict_proba_one({"a": 1}) == {"x": 1.0}
    learner.learn_one({"b": 1}, "y")
    assert list(learner.predict_proba_one({"a": 1})) == ["x", "y"]
    learner.learn_one({"c": 1}, "w")
    assert list(learner.predict_proba_one({"a": 1})) == ["w", "x", "y"]
    assert max(learner.predict_proba_one({"c": 1}).items(), key=lambda pair: pair[1])[0] == "w"


@pytest.mark.parametrize("options", [{}, {"kernel": kernels.RBF(gamma=0.1)}, {"predictor": "recent"}])
def test_asking_changes_nothing(options, tmp_path):
    X, y = stream(3, rounds=80)
    asked, silent = (online.Classifier(probabilities=True, **options) for _ in range(2))
    plain = online.Classifier(**options)
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        asked.predict_proba_one(x)
        for learner in (asked, silent, plain):
            learner.learn_one(x, label, 1.0 + i % 3)
        if i == 40:
            save(silent, tmp_path / "model")
            silent = load(tmp_path / "model")
    assert asked.ledger == silent.ledger == plain.ledger
    assert asked.predict_proba_one(X[0]) == silent.predict_proba_one(X[0])


def test_a_learner_without_probabilities_says_what_to_do():
    with pytest.raises(ValueError, match=r"Scores have no scale .* begin one with probabilities=True"):
        online.Classifier().predict_proba_one({"a": 1})


@pytest.mark.parametrize("scores", [[0.0, 0.0], [1e200, -1e200], [0.0, 1e-300]])
def test_odd_scores_leave_probabilities(scores):
    calibration = OnlineCalibration()
    for truth in (0, 1, 1, 0):
        calibration.update(np.array(scores), truth, 1e75)
        calibration.update(np.array([1.0, 2.0]), truth)
    assert np.isfinite(calibration.state).all()
    assert calibration.probabilities(np.array(scores)).sum() == pytest.approx(1.0)
