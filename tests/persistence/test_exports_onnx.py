"""ONNX graphs answer what the library answers."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fixtures.export_data import (
    GUESSES,
    KERNELS,
    NEW,
    QUERIES,
    SPARSE,
    THREE,
    TWO,
    X,
    close,
    fitted,
    scored,
)
from fixtures.kernel_laws import FINITE, INNER, expressions
from rosenblatt import PerceptronClassifier, PerceptronRanker
from rosenblatt.kernels import RBF, Linear
from rosenblatt.persistence import to_json, to_onnx


def answers(learner, rows):
    """Return what a runtime outputs for the exported learner, by name."""
    checker = pytest.importorskip("onnx.checker")
    runtime = pytest.importorskip("onnxruntime")
    model = to_onnx(learner)
    checker.check_model(model, full_check=True)
    session = runtime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.ascontiguousarray(rows, np.float64)}), strict=True))


def same_answers(learner, rows=NEW):
    found = answers(learner, rows)
    expected = learner.decision_function(rows)
    assert found["scores"].shape == expected.shape
    assert found["scores"].dtype == np.float64
    close(found["scores"], expected, np.abs(expected).max())
    if "label" in found:
        assert found["label"].tolist() == learner.predict(rows).tolist()


@pytest.mark.parametrize("predictor", GUESSES)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_to_onnx_answers_as_the_library(kernel, predictor):
    for labels, multiclass in ((TWO, "argmax"), (THREE, "argmax"), (THREE, "ovr")):
        for rows in (X, SPARSE):
            same_answers(fitted(kernel, labels, rows, multiclass=multiclass, predictor=predictor))


@pytest.mark.parametrize("kernel", [None, RBF(gamma=0.5)])
@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
def test_to_onnx_has_probabilities_of_calibrated_classifiers(labels, kernel):
    learner = fitted(kernel, labels)
    assert list(answers(learner, NEW)) == ["label", "scores"]
    found = answers(learner.calibrate(X, labels), NEW)
    assert list(found) == ["label", "scores", "probabilities"]
    np.testing.assert_allclose(found["probabilities"], learner.predict_proba(NEW), rtol=1e-8)
    same_answers(learner)
    assert list(answers(learner.set_params(predictor="last"), NEW)) == ["label", "scores"]


@settings(max_examples=30)
@given(
    expressions(INNER).filter(lambda kernel: kernel.domain == "vectors"),
    hnp.arrays(np.float64, (8, 2), elements=st.integers(-3, 3)),
    st.integers(2, 3),
    st.booleans(),
)
def test_to_onnx_accepts_any_kernel_expression(kernel, rows, classes, sparse):
    learner = fitted(kernel, np.arange(8) % classes, sp.csr_array(rows) if sparse else rows, max_iter=2)
    size = np.abs(learner.dual_coef_).sum() * max(1.0, np.abs(kernel(rows)).max())
    close(answers(learner, rows)["scores"], learner.decision_function(rows), size)


@settings(max_examples=30)
@given(
    FINITE.filter(lambda kernel: kernel.domain == "vectors"),
    hnp.arrays(np.float64, (8, 2), elements=st.integers(-2, 2)),
    st.integers(2, 3),
    st.sampled_from(("last", "best")),
)
def test_to_onnx_is_exact_on_integers(kernel, rows, classes, predictor):
    learner = fitted(kernel, np.arange(8) % classes, rows, rule="perceptron", max_iter=1, predictor=predictor)
    found = answers(learner, rows)
    assert np.array_equal(found["scores"], learner.decision_function(rows))
    assert np.array_equal(found["label"], learner.predict(rows))


@pytest.mark.parametrize("kernel", [None, Linear()])
def test_to_onnx_answers_ties_as_the_library(kernel):
    rows, zero = np.array([[1.0], [-1.0]]), np.zeros((1, 1))
    for ties, answer in (("mistake", 5), ("positive", 7)):
        learner = fitted(kernel, [7, 5], rows, ties=ties, predictor="last", fit_intercept=False)
        found = answers(learner, zero)
        assert found["scores"].tolist() == [0.0]
        assert found["label"].tolist() == [answer] == learner.predict(zero).tolist()
    learner = fitted(kernel, [3, 4, 5], [[1.0], [2.0], [3.0]], predictor="last", fit_intercept=False)
    assert answers(learner, zero)["label"].tolist() == [3] == learner.predict(zero).tolist()


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({"ties": "positive"}, TWO),
        ({"fit_intercept": False}, THREE),
        ({"fit_intercept": False, "kernel": RBF(gamma=1.0)}, THREE),
        ({"start": "random"}, TWO),
        ({"start": "random", "fit_intercept": False, "predictor": "best"}, THREE),
        ({"start": "random", "predictor": "last"}, THREE),
        ({"rule": "passive-aggressive", "class_weight": "balanced"}, THREE),
        ({"keep_examples": False}, THREE),
    ],
)
def test_to_onnx_answers_as_the_library_for_any_options(options, labels):
    same_answers(fitted(labels=labels, **options))


@pytest.mark.parametrize(
    "names",
    [
        [-1, 1],
        [3, 1, 2],
        [True, False],
        [0.0, 1.0],
        ["", "ä b", "z"],
        np.array(["x", "yy"], object),
        np.uint8([7, 200]),
    ],
)
def test_to_onnx_labels_are_strings_or_integers(names):
    names = np.asarray(names)
    learner = fitted(labels=names[np.arange(60) % len(names)])
    same_answers(learner)
    assert answers(learner, NEW)["label"].dtype == (object if names.dtype.kind in "UO" else np.int64)


@pytest.mark.parametrize("predictor", GUESSES)
@pytest.mark.parametrize("kernel", KERNELS[:4], ids=repr)
@pytest.mark.parametrize("strategy", ["pairs", "best", "top"])
def test_to_onnx_of_rankers_outputs_scores(kernel, strategy, predictor):
    options = {"strategy": strategy, "predictor": predictor, "max_iter": 2, "random_state": 0}
    learner = PerceptronRanker(kernel, **options).fit(X, TWO.astype(int), qid=QUERIES)
    assert list(answers(learner, NEW)) == ["scores"]
    same_answers(learner)


def test_to_onnx_of_a_learner_without_mistakes_scores_0():
    options = {"ties": "positive", "fit_intercept": False, "rule": "perceptron"}
    learner = PerceptronClassifier(Linear(), **options).partial_fit(X, np.ones(60, int), classes=[0, 1])
    assert not len(learner.ledger_)
    same_answers(learner)
    graph = pytest.importorskip("onnx").load_from_string(to_onnx(learner)).graph
    assert all(all(constant.dims) for constant in graph.initializer)  # not all runtimes take empty ones
    assert json.loads(to_json(learner))["vectors"] == []


def test_to_onnx_includes_features_added_later():
    learner = PerceptronClassifier(RBF(gamma=1.0), random_state=0).fit(sp.csr_array(X), TWO)
    learner.n_features_in_ = 5  # as learning from blocks of files leaves it
    wide = np.hstack([NEW, NEW[:, :2]])
    found = answers(learner, wide)["scores"]
    close(found, scored(json.loads(to_json(learner)), wide)[:, 0])
    close(found, learner.decision_function(sp.csr_array(wide)))


def test_to_onnx_matches_float32_learners_to_single_precision():
    learner = fitted(RBF(gamma=0.5), THREE, X.astype(np.float32))
    np.testing.assert_allclose(
        answers(learner, NEW)["scores"], learner.decision_function(NEW.astype(np.float32)), atol=1e-5
    )


def test_to_onnx_is_deterministic():
    pytest.importorskip("onnx")
    assert to_onnx(fitted(RBF(gamma=0.5))) == to_onnx(fitted(RBF(gamma=0.5)))


def test_to_onnx_computes_equal_kernel_parts_once():
    module = pytest.importorskip("onnx")
    twice = RBF(gamma=0.5) * RBF(gamma=0.5) + Linear() ** 4
    nodes = [node.op_type for node in module.load_from_string(to_onnx(fitted(twice))).graph.node]
    assert nodes.count("Exp") == 1
    assert nodes.count("MatMul") == 2
    assert nodes.count("Mul") == 5  # x², the rate, the product, and two squarings


def test_to_onnx_rejects_named_features():
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="An ONNX graph takes rows of numbers"):
        to_onnx(PerceptronClassifier().fit([{"a": 1}, {"b": 1}], [0, 1]))
