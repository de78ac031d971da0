"""Tools around scikit-learn: tags, pandas output, HTML, clones, pickles, several processes."""

import dataclasses
import io
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr, get_tags

from fixtures.playing import blobs
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, budgets, kernels, rules
from rosenblatt.features import word

X, Y = blobs(3, rows=90, apart=2.0)
FRAME = pd.DataFrame(X, columns=list("abcd"))
VALUES = {
    "kernel": 2 * kernels.RBF(gamma=0.5) + kernels.Linear(),
    "rule": rules.PassiveAggressive(C=0.5),
    "budget": budgets.Budget(20),
}

SHARED = {
    "array_api_support": False,
    "no_validation": False,
    "non_deterministic": False,
    "regressor_tags": None,
    "requires_fit": True,
    "transformer_tags": None,
    "target_tags.required": True,
    "target_tags.one_d_labels": False,
    "target_tags.two_d_labels": False,
    "target_tags.positive_only": False,
    "target_tags.multi_output": False,
    "target_tags.single_output": True,
    "input_tags.three_d_array": False,
    "input_tags.categorical": False,
    "input_tags.positive_only": False,
    "input_tags.allow_nan": False,
    "input_tags.pairwise": False,
}
ROWS = {"input_tags.two_d_array": True, "input_tags.sparse": True, "input_tags.string": False}
OF_CLASSIFIERS = {
    "estimator_type": "classifier",
    "classifier_tags.multi_class": True,
    "classifier_tags.poor_score": False,
}
TAGS = {
    PerceptronClassifier: SHARED | ROWS | OF_CLASSIFIERS,
    PerceptronRanker: SHARED | ROWS | {"estimator_type": None, "classifier_tags": None},
    PerceptronTagger: SHARED
    | {"estimator_type": None, "classifier_tags": None}
    | {"input_tags.two_d_array": False, "input_tags.one_d_array": True, "input_tags.sparse": False}
    | {"input_tags.string": False},
}


def flat(tags, prefix=""):
    """Return the fields of tags by name, those inside others as `input_tags.sparse`."""
    found = {}
    for field in dataclasses.fields(tags):
        value = getattr(tags, field.name)
        inner = dataclasses.is_dataclass(value)
        found |= flat(value, f"{prefix}{field.name}.") if inner else {prefix + field.name: value}
    return found


@pytest.mark.parametrize("kind", TAGS, ids=lambda kind: kind.__name__)
def test_tags_say_what_an_estimator_takes(kind):
    found = flat(get_tags(kind()))
    assert {name: found[name] for name in TAGS[kind]} == TAGS[kind]
    assert not is_regressor(kind())
    assert is_classifier(kind()) == (kind is PerceptronClassifier)


def test_tags_of_kernels_that_take_other_rows():
    assert get_tags(PerceptronClassifier("precomputed")).input_tags.pairwise
    assert get_tags(PerceptronClassifier(kernels.Precomputed())).input_tags.pairwise
    tags = get_tags(PerceptronClassifier(kernels.Function(lambda a, b: 1.0))).input_tags
    assert (tags.two_d_array, tags.one_d_array, tags.sparse, tags.string) == (False, True, False, True)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output_of_a_pipeline_gives_names(output):
    pytest.importorskip(output)
    model = make_pipeline(StandardScaler(), PerceptronClassifier(random_state=0)).set_output(transform=output)
    assert model.fit(FRAME, Y)[-1].feature_names_in_.tolist() == list("abcd")
    assert model[-1].ledger_ == PerceptronClassifier(random_state=0).fit(model[0].transform(FRAME), Y).ledger_
    assert model.score(FRAME, Y) > 0.8
    assert not hasattr(PerceptronClassifier(), "set_output")  # there is nothing to transform
    assert get_config()["transform_output"] == "default"


@pytest.mark.parametrize("kind", [PerceptronClassifier, PerceptronRanker, PerceptronTagger])
def test_html_and_parameters_show_values(kind):
    estimator = kind(**VALUES)
    html = estimator_html_repr(estimator)
    for shown in ("RBF(gamma=0.5)", "PassiveAggressive(C=0.5", "Budget(size=20"):
        assert shown in html
    assert estimator.get_params()["rule__C"] == 0.5
    assert estimator.get_params(deep=False)["kernel"] == VALUES["kernel"]
    assert kind.__name__ in estimator_html_repr(make_pipeline(StandardScaler(), estimator))
    assert "PassiveAggressive(C=0.5" in repr(estimator)
    found = clone(estimator)
    assert found.get_params() == estimator.get_params()
    assert found is not estimator


def test_html_of_a_fitted_estimator():
    clf = PerceptronClassifier(**VALUES, random_state=0).fit(FRAME, Y)
    assert "Fitted" in estimator_html_repr(clf)
    tagger = PerceptronTagger(templates=[word[0], word[-1] & word[0]]).fit([["a", "b"]], [["x", "y"]])
    assert "word[0]" in estimator_html_repr(tagger)


@cache
def fitted():
    return [
        PerceptronClassifier(random_state=0).fit(FRAME, Y),
        PerceptronClassifier(lambda A, B: A @ B.T, predictor="vote", random_state=0).fit(X, Y),
        PerceptronClassifier(**VALUES, random_state=0).fit(X, Y),
        PerceptronRanker(kernels.Linear(), random_state=0).fit(X, Y, qid=np.arange(90) // 9),
    ]


ROWS_OF = [FRAME, X, X, X]


@pytest.mark.parametrize("index", [0, 2, 3])
def test_joblib_round_trip(index):
    file = io.BytesIO()
    joblib.dump(fitted()[index], file)
    file.seek(0)
    found = joblib.load(file)
    assert found.ledger_ == fitted()[index].ledger_
    assert np.array_equal(found.predict(ROWS_OF[index]), fitted()[index].predict(ROWS_OF[index]))


@pytest.mark.slow
def test_cross_validation_in_two_processes():
    for estimator in fitted()[:3]:
        one = cross_val_score(estimator, X, Y, cv=3)
        assert np.array_equal(cross_val_score(estimator, X, Y, cv=3, n_jobs=2), one)
    model = make_pipeline(StandardScaler(), PerceptronClassifier(random_state=0))
    grid = {
        "perceptronclassifier__kernel": [None, kernels.RBF()],
        "perceptronclassifier__rule__C": [0.1, 1.0],
    }
    model.set_params(perceptronclassifier__rule=rules.PassiveAggressive())
    searches = [GridSearchCV(model, grid, cv=2, n_jobs=n).fit(FRAME, Y) for n in (1, 2)]
    assert np.array_equal(*(search.cv_results_["mean_test_score"] for search in searches))
    assert np.array_equal(
        cross_val_predict(model, FRAME, Y, cv=2, n_jobs=2, method="decision_function"),
        cross_val_predict(model, FRAME, Y, cv=2, method="decision_function"),
    )
