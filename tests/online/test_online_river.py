"""rosenblatt.online.river: River's own checks, pipelines and evaluation."""

import copy
import random
import subprocess
import sys

import pytest

pytest.importorskip("river")

from river import checks, compose, datasets, evaluate, metrics, multiclass, preprocessing, stream
from sklearn import datasets as sklearn_datasets

from rosenblatt import kernels, load, online, save
from rosenblatt.online.river import Classifier
from rosenblatt.rules import PassiveAggressive

MODELS = {
    "defaults": Classifier(),
    "average": Classifier(predictor="average", rule=PassiveAggressive(C=0.1)),
    "ovr": Classifier(multiclass="ovr"),
    "probabilities": Classifier(probabilities=True),
    "kernel": Classifier(kernels.RBF(gamma=0.1), budget=20),
}


def own_checks():
    for name, model in MODELS.items():
        for check in checks.yield_checks(model):
            rounded = name == "kernel" and check.__name__ == "check_shuffle_features_no_impact"
            if (
                check.__name__ not in model._unit_test_skips() and not rounded
            ):  # similarities of 1e-99, in sums
                yield pytest.param(model, check, id=f"{name} {check.__name__}")


@pytest.mark.slow
@pytest.mark.parametrize(("model", "check"), list(own_checks()))
def test_rivers_checks_hold(model, check):
    random.seed(0)  # River's checks draw features
    check(model.clone())


@pytest.mark.parametrize("name", MODELS)
def test_classifier_learns_in_a_pipeline(name):
    model = compose.Pipeline(preprocessing.StandardScaler(), MODELS[name].clone())
    found = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert found.get() > 0.75


def test_probabilities_can_be_scored():
    model = compose.Pipeline(
        preprocessing.StandardScaler(), Classifier(predictor="average", probabilities=True)
    )
    found = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.LogLoss())
    assert found.get() < 0.35
    with pytest.raises(NotImplementedError, match="probabilities=True"):
        evaluate.progressive_val_score(datasets.Phishing(), Classifier(), metrics.LogLoss())


def test_adapter_has_the_ledger_of_the_learner_itself():
    model, learner = Classifier(multiclass="ovr"), online.Classifier(multiclass="ovr")
    for x, y in stream.iter_sklearn_dataset(sklearn_datasets.load_iris()):
        assert model.predict_one(x) == learner.predict_one(x)
        model.learn_one(x, int(y), w=2.0)
        learner.learn_one(x, int(y), 2.0)
    assert model.learner.ledger == learner.ledger


def test_clone_has_learned_nothing():
    model = Classifier(rule=PassiveAggressive(C=0.5), predictor="average")
    model.learn_one({"a": 1.0}, "x")
    other = model.clone()
    assert (other.rule, other.predictor) == (PassiveAggressive(C=0.5), "average")
    assert other.predict_one({"a": 1.0}) is None
    assert model.clone({"predictor": "last"}).learner.predictor == "last"
    assert copy.deepcopy(model).predict_one({"a": 1.0}) == "x"


def test_classifier_can_be_wrapped():
    model = multiclass.OneVsRestClassifier(Classifier(probabilities=True))
    for x, y in stream.iter_sklearn_dataset(sklearn_datasets.load_iris()):
        model.learn_one(x, int(y))
    assert model.predict_one(x) in (0, 1, 2)


def test_learner_inside_is_saved(tmp_path):
    model = Classifier()
    model.learn_one({"a": 1.0}, "x")
    with pytest.raises(ValueError, match="save the learner inside it"):
        save(model, tmp_path / "model")
    save(model.learner, tmp_path / "model")
    assert load(tmp_path / "model").predict({"a": 1.0}) == "x"


def test_library_does_not_import_river():
    code = "import sys, rosenblatt; rosenblatt.online.Classifier(); sys.exit('river' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_error_without_river_is_the_pip_line():
    code = "import sys; sys.modules['river'] = None; import rosenblatt.online.river"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "pip install 'rosenblatt[river]'" in done.stderr
