"""Probabilities of the classifier in scikit-learn's tools, and in model files."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fixtures.playing import blobs
from fixtures.probability_data import DATA, NEW, NEW_THREE, NEW_Y, THREE, X, Y, made
from rosenblatt import PerceptronClassifier, load, save
from rosenblatt.persistence import ModelError, archive

SCALES = "sample_weight scales the correction of a round; it does not repeat the round"
SETS = "sets of labels are refused: probabilities of classes exclude each other, labels of a set do not"
BORDER = "Platt's offset moves the border between two classes, and predict keeps to the score"
REFUSED = "partial_fit learns from all examples and says that it holds none out"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": SCALES,
    "check_sample_weight_equivalence_on_sparse_data": SCALES,
    "check_classifiers_train": BORDER,
    "check_fit_score_takes_y": REFUSED,
    "check_n_features_in_after_fitting": REFUSED,
    "check_estimators_partial_fit_n_features": REFUSED,
    "check_classifiers_multilabel_representation_invariance": SETS,
    "check_classifiers_multilabel_output_format_predict": SETS,
    "check_classifiers_multilabel_output_format_predict_proba": SETS,
    "check_classifiers_multilabel_output_format_decision_function": SETS,
}


@parametrize_with_checks(
    [PerceptronClassifier(calibration=0.3, random_state=0)],
    expected_failed_checks=lambda _: EXPECTED,
)
def test_calibrated_classifier_passes_scikit_learns_checks(estimator, check):
    check(estimator)


def test_other_tools_use_probabilities_where_there_are():
    learner = PerceptronClassifier(random_state=0, calibration=0.3)
    pipeline = make_pipeline(StandardScaler(), learner)
    found = cross_val_predict(pipeline, X, THREE, cv=3, method="predict_proba")
    assert found.shape == (300, 3)
    assert get_scorer("neg_log_loss")(pipeline.fit(X, THREE), NEW, NEW_THREE) < 0
    soft = VotingClassifier([("a", learner), ("b", clone(learner))], voting="soft").fit(X, THREE)
    assert soft.predict_proba(NEW).shape == (200, 3)
    assert StackingClassifier([("a", learner)]).fit(X, THREE).stack_method_ == ["predict_proba"]
    plain = clone(learner).set_params(calibration=None)
    assert StackingClassifier([("a", plain)]).fit(X, THREE).stack_method_ == ["decision_function"]
    assert CalibratedClassifierCV(plain, cv=3).fit(X, THREE).predict_proba(NEW).shape == (200, 3)
    with pytest.raises(AttributeError, match="predict_proba"):
        get_scorer("neg_log_loss")(plain.fit(X, THREE), NEW, NEW_THREE)
    assert get_scorer("roc_auc")(clone(plain).fit(X, Y), NEW, NEW_Y) > 0.5


@pytest.mark.parametrize("rows", ["dense", "kernel"])
def test_probabilities_are_calibrated_on_new_rows(rows):
    """Of rows from the distribution learned from, those said to be right with probability p are in p of cases."""
    X, y = blobs(3, rows=6000, apart=0.7)
    learner = PerceptronClassifier(DATA[rows][2].get("kernel"), random_state=0, calibration=0.3)
    found = learner.fit(X[:3000], y[:3000]).predict_proba(X[3000:])
    top, right = found.max(axis=1), found.argmax(axis=1) == y[3000:]
    bins = np.minimum((10 * top).astype(int), 9)
    off = [abs(right[bins == b].sum() - top[bins == b].sum()) for b in range(10)]
    assert sum(off) / 3000 < 0.04
    assert abs(right.mean() - top.mean()) < 0.03


# Model files


@pytest.mark.parametrize(
    "name", [name for name in DATA if name != "objects"]
)  # model files hold no functions
def test_load_restores_probabilities(name, tmp_path):
    learner, rows, labels = made(name, calibration=0.3)
    save(learner.fit(rows, labels), tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.calibration_ == learner.calibration_
    assert np.array_equal(again.predict_proba(rows), learner.predict_proba(rows))


def test_load_rejects_forged_probabilities(tmp_path):
    path = tmp_path / "model"
    learner = PerceptronClassifier(random_state=0, calibration=0.3).fit(X, THREE)
    cases = {
        "should be different predictors": lambda h, a: h["fitted"].update(calibrated=["average", "average"]),
        "should be different": lambda h, a: h["fitted"].update(calibrated=["worst"]),
        "calibrated should be": lambda h, a: h["fitted"].update(calibrated=7),
        "should have probabilities": lambda h, a: h["fitted"].update(calibrated=["sample"]),
        "is missing": lambda h, a: h["fitted"].update(calibrated=["last"]),
        "NaN or infinity": lambda h, a: a.update({"fitted.calibration.average": np.full(3, np.nan)}),
        "noise should be a share": lambda h, a: a.update({"fitted.calibration.average": np.ones(3)}),
        "should be an array of 3": lambda h, a: a.update({"fitted.calibration.average": np.ones(2)}),
    }
    for words, change in cases.items():
        save(learner, path)
        header, arrays = archive.read(path)
        change(header, arrays)
        path.write_bytes(archive.packed(header, arrays))
        with pytest.raises(ModelError, match=words):
            load(path)
