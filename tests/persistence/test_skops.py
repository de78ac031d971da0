"""skops, which MLflow stores scikit-learn models with: states are model files, and are checked on loading."""

import pickle
import sys
from copy import copy, deepcopy
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fixtures import model_data
from rosenblatt import (
    PerceptronClassifier,
    PerceptronRanker,
    PerceptronTagger,
    budgets,
    kernels,
    load,
    rules,
    save,
)
from rosenblatt.estimators.states import MODEL
from rosenblatt.persistence import TRUSTED_TYPES, ModelError

sio = pytest.importorskip("skops.io")


@cache
def models():
    """Return fitted estimators of every kind, and data to ask them about."""
    return list(model_data.every())


def again(estimator):
    """Return an estimator after a round trip in which only the listed types are trusted."""
    return sio.loads(sio.dumps(estimator), trusted=TRUSTED_TYPES)


def test_skops_round_trip_keeps_the_ledger_and_the_answers():
    for model, data in models():
        found = again(model)
        assert found.ledger_ == model.ledger_, model
        assert repr(found) == repr(model)
        assert found.run_.support.ids.tolist() == model.run_.support.ids.tolist(), model
        if data is not None:
            mine, theirs = found.predict(data[0]), model.predict(data[0])
            same = np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
            assert same, model


@pytest.mark.parametrize("kind", [PerceptronClassifier, PerceptronRanker, PerceptronTagger])
def test_skops_stores_unfitted_estimators(kind):
    kernel = kernels.RBF(gamma=0.5) + 2 * kernels.Linear()
    found = again(kind(kernel, rule=rules.Margin(2.0), budget=budgets.Budget(9), max_iter=3))
    assert type(found) is kind
    assert found.get_params()["rule"] == rules.Margin(2.0)
    assert (found.kernel, found.budget) == (kernel, budgets.Budget(9))
    assert not hasattr(found, "task_")


def test_only_estimators_need_trust():
    unknown = sio.get_untrusted_types(data=sio.dumps(models()[0][0]))
    assert unknown == ["rosenblatt.estimators.classifier.PerceptronClassifier"]
    with pytest.raises(Exception, match="Untrusted types found"):
        sio.loads(sio.dumps(models()[0][0]))


def test_loaded_learners_go_on_as_the_saved_ones():
    X, y = model_data.X, model_data.TWO
    clf = PerceptronClassifier(predictor="best", random_state=0).fit(X, y)
    assert again(clf).partial_fit(X, y).ledger_ == clf.partial_fit(X, y).ledger_


def test_pipelines_and_searches_round_trip():
    """What else needs trust is NumPy's and scikit-learn's; ours is all in the list."""
    X, y = model_data.X, model_data.TWO
    grid = {
        "perceptronclassifier__kernel": [None, "rbf", kernels.RBF(gamma=0.5), (kernels.Linear() + 1) ** 2],
        "perceptronclassifier__rule": ["perceptron", rules.PassiveAggressive(C=0.5)],
    }
    search = GridSearchCV(make_pipeline(StandardScaler(), PerceptronClassifier(random_state=0)), grid, cv=2)
    data = sio.dumps(search.fit(X, y))
    theirs = [name for name in sio.get_untrusted_types(data=data) if not name.startswith("rosenblatt")]
    found = sio.loads(data, trusted=TRUSTED_TYPES + theirs)
    assert found.best_params_ == search.best_params_
    assert np.array_equal(found.predict(X), search.predict(X))
    assert found.best_estimator_[-1].ledger_ == search.best_estimator_[-1].ledger_


def test_trusted_types_exist_and_hold_no_functions():
    for name in TRUSTED_TYPES:
        module, _, kind = name.rpartition(".")
        assert isinstance(getattr(sys.modules[module], kind), type)
    assert not {f"rosenblatt.kernels.wrappers.{name}" for name in ("Function", "Matrix", "Sklearn")} & set(
        TRUSTED_TYPES
    )


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (PerceptronClassifier(lambda X, Z: X @ Z.T), "a kernel or a rule of this library"),
        (PerceptronClassifier(random_state=np.random.default_rng(0)), "random_state must be an integer"),
        (PerceptronTagger(features=lambda sequence, index: []), "A model file holds no functions"),
    ],
)
def test_skops_refuses_what_a_model_file_cannot_hold(estimator, sentence):
    with pytest.raises(ValueError, match=sentence):
        sio.dumps(estimator)


class Mine(PerceptronClassifier):
    """A class of a user's own."""


def test_skops_refuses_classes_of_your_own_and_pickle_takes_them():
    clf = Mine(lambda X, Z: X @ Z.T)
    with pytest.raises(ValueError, match=r"A model file holds one of .* Got Mine"):
        sio.dumps(clf)
    clf = Mine().fit(model_data.X, model_data.TWO)
    assert pickle.loads(pickle.dumps(clf)).ledger_ == clf.ledger_


def test_broken_states_are_refused():
    state = models()[0][0].__getstate__()
    cut, changed = state[MODEL][:-3], bytearray(state[MODEL])
    changed[-3] ^= 1
    for broken in (cut, bytes(changed), b"", b"no model"):
        with pytest.raises(ModelError, match="The state of a PerceptronClassifier is not valid"):
            PerceptronClassifier.__new__(PerceptronClassifier).__setstate__({MODEL: broken})
    with pytest.raises(ModelError, match="should be a PerceptronRanker, and is a PerceptronClassifier"):
        PerceptronRanker.__new__(PerceptronRanker).__setstate__(state)


def test_load_refuses_a_model_file_that_is_not_fitted(tmp_path):
    path = tmp_path / "unfitted"
    path.write_bytes(PerceptronClassifier().__getstate__()[MODEL])
    with pytest.raises(ModelError, match="it should hold named values"):
        load(path)
    with pytest.raises(NotFittedError):
        save(PerceptronClassifier(), path)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_and_copies_keep_all_attributes(protocol):
    clf = PerceptronClassifier(random_state=np.random.default_rng(0)).fit(model_data.X, model_data.TWO)
    clf.note_ = "of the user"
    for found in (pickle.loads(pickle.dumps(clf, protocol)), copy(clf), deepcopy(clf)):
        assert found.note_ == "of the user"
        assert found.ledger_ == clf.ledger_
        assert set(vars(found)) == set(vars(clf))
    assert copy(clf).task_ is clf.task_
    assert deepcopy(clf).task_ is not clf.task_


def test_unpickling_loads_no_exports():
    """The classifier alone is imported, not what only model files need."""
    import subprocess

    data = pickle.dumps(PerceptronClassifier().fit(model_data.X, model_data.TWO))
    code = f"import pickle, sys; pickle.loads({data!r}); print('rosenblatt.persistence' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
