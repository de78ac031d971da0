"""The classifier with sets of labels: L binary perceptrons on the same rows in the same order, under one roof."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given as drawn
from hypothesis import strategies as st

from fixtures.label_set_data import NAMES, PREDICTORS, RANDOM, X, Y, corrections, listed, same_as_alone
from fixtures.playing import labelled_points, rejects, sparse
from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.budgets import Budget
from rosenblatt.engine import Examples, begin, learn
from rosenblatt.games import Binary
from rosenblatt.kernels import Linear
from rosenblatt.rows import rows_of
from rosenblatt.rules import Margin


@pytest.mark.parametrize("rule", ["perceptron", "margin"])
@pytest.mark.parametrize("kernel", [None, "linear", kernels.Polynomial(2)], ids=repr)
@pytest.mark.parametrize("form", [np.asarray, sparse, np.float32])
def test_labels_are_binary_learners_of_their_own(rule, kernel, form):
    same_as_alone(PerceptronClassifier(kernel, rule=rule, max_iter=3, random_state=1), form(X), Y)


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)], ids=repr)
def test_labels_learn_by_the_passive_aggressive_rule(kernel):
    learner = PerceptronClassifier(kernel, rule="passive-aggressive", max_iter=3, random_state=1).fit(X, Y)
    for label, truth in enumerate(Y.T):  # its steps are rounded
        one = PerceptronClassifier(kernel, rule="passive-aggressive", max_iter=3, random_state=1).fit(
            X, truth
        )
        assert np.allclose(learner.decision_function(X)[:, label], one.decision_function(X))


@pytest.mark.parametrize(
    "options",
    [
        {"predictor": "recent", "max_iter": 4},
        {"ties": "positive", "fit_intercept": False},
        {"rule": "perceptron", "learning_rate": 0.5, "shuffle": False},
        {"multiclass": "ovr"},
        {"n_jobs": 1, "block_size": 7, "kernel": kernels.Polynomial(3)},
    ],
    ids=repr,
)
def test_options_apply_to_every_label(options):
    same_as_alone(PerceptronClassifier(random_state=2, **options), X, Y)


@pytest.mark.parametrize("kernel", [None, Linear()])
def test_sample_weight_applies_to_every_label(kernel):
    weights = RANDOM.integers(0, 4, len(X)).astype(float)
    same_as_alone(PerceptronClassifier(kernel, random_state=2), X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    "options", [{}, {"kernel": Linear()}, {"kernel": Linear(), "predictor": "recent"}], ids=repr
)
def test_class_weight_balances_every_label_by_itself(options):
    rows, weights = RANDOM.normal(size=X.shape), RANDOM.integers(0, 4, len(X)).astype(float)  # no scores of 0
    for weight in (None, weights):
        learner = PerceptronClassifier(class_weight="balanced", rule="perceptron", random_state=2, **options)
        learner.fit(rows, Y, sample_weight=weight)
        for label, truth in enumerate(Y.T):
            one = PerceptronClassifier(class_weight="balanced", rule="perceptron", random_state=2, **options)
            one.fit(rows, truth, sample_weight=weight)
            mine = learner.ledger_.of(label)
            assert mine.when.tolist() == one.ledger_.when.tolist()
            assert mine.size.tolist() == one.ledger_.size.tolist()
            assert np.allclose(learner.decision_function(rows)[:, label], one.decision_function(rows))


@pytest.mark.parametrize("kernel", [None, Linear()])
def test_class_weight_has_factors_for_rows_with_a_label(kernel):
    factors = {"b": 3.0, "a": 0.0, "c": 1.0}
    learner = PerceptronClassifier(kernel, class_weight=factors, random_state=0).fit(X, listed(Y))
    for column, label in enumerate(learner.classes_.tolist()):
        truth = Y[:, NAMES.tolist().index(label)]
        one = PerceptronClassifier(kernel, class_weight={0: 1.0, 1: factors[label]}, random_state=0).fit(
            X, truth
        )
        assert corrections(learner.ledger_.of(column)) == corrections(one.ledger_)
    with pytest.raises(ValueError, match="class_weight"):
        PerceptronClassifier(class_weight={"x": 2.0}).fit(X, listed(Y))
    with pytest.raises(ValueError, match="Weights must be numbers from 0"):
        PerceptronClassifier(class_weight={"b": -2.0}).fit(X, listed(Y))
    with pytest.raises(ValueError, match="class_weight"):
        PerceptronClassifier(class_weight="some").fit(X, Y)


def test_weights_by_label_forbid_no_bound_of_the_plain_perceptron():
    learner = PerceptronClassifier(class_weight="balanced", max_iter=200, random_state=0, rule="perceptron")
    rows = np.hstack([Y * 2.0 - 1, X])  # so that every label is separable
    found = learner.fit(rows, Y).certificate(rows, Y)
    assert [one.holds for one in found] == [True] * 3


def test_predict_answers_in_the_form_of_fit():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(Y, columns=NAMES)
    given_and_expected = [
        (Y, np.ndarray, [0, 1, 2]),
        (Y.astype(bool), np.ndarray, [0, 1, 2]),
        (Y.tolist(), np.ndarray, [0, 1, 2]),
        (sp.csr_array(Y), sp.csr_array, [0, 1, 2]),
        (sp.csc_matrix(Y), sp.csr_matrix, [0, 1, 2]),
        (frame, np.ndarray, NAMES.tolist()),
        (frame.astype(bool), np.ndarray, NAMES.tolist()),
        (listed(Y), list, sorted(NAMES)),
        ([set(row) for row in listed(Y)], list, sorted(NAMES)),
        (pandas.Series([list(row) for row in listed(Y)]), list, sorted(NAMES)),
    ]
    for given, kind, classes in given_and_expected:
        learner = PerceptronClassifier(random_state=0).fit(X, given)
        assert learner.classes_.tolist() == classes
        found = learner.predict(X)
        assert type(found) is kind
        scores = learner.decision_function(X)
        assert scores.shape == Y.shape
        if kind is list:
            assert found == listed(scores > 0, learner.classes_)
        else:
            dense = found if kind is np.ndarray else found.toarray()
            assert dense.dtype == np.int64
            assert np.array_equal(dense, scores > 0)
        assert 0 < learner.score(X, given) <= 1


def test_score_is_subset_accuracy_in_every_form():
    learner = PerceptronClassifier(max_iter=1, random_state=0).fit(X, Y)
    right = (learner.predict(X) == Y).all(axis=1)
    assert 0 < right.mean() < 1
    weights = RANDOM.integers(0, 3, len(X))
    for given in (Y, sp.csr_matrix(Y), Y.tolist()):
        assert learner.score(X, given) == right.mean()
    assert learner.score(X, Y, weights) == np.average(right, weights=weights)
    names = PerceptronClassifier(max_iter=1, random_state=0).fit(X, listed(Y))
    expected = np.mean(
        [found == tuple(sorted(row)) for found, row in zip(names.predict(X), listed(Y), strict=True)]
    )
    assert names.score(X, listed(Y)) == expected
    some = listed(Y)
    some[0] = (*some[0], "unknown")
    assert names.score(X, some) in (expected, expected - 1 / len(X))
    assert names.score(X[:1], some[:1]) == 0


def test_a_single_label_and_a_label_of_all_rows_are_learned():
    for given in (sp.csr_array(Y[:, :1]), [("a",) if row else () for row in Y[:, 0]]):
        learner = PerceptronClassifier(random_state=0).fit(X, given)
        assert learner.decision_function(X).shape == (len(X), 1)
        one = PerceptronClassifier(random_state=0).fit(X, Y[:, 0])
        assert np.array_equal(learner.decision_function(X)[:, 0], one.decision_function(X))
        assert isinstance(learner.certificate(X, given), list)
        assert (
            learner.explain(X[0], label=learner.classes_[0]).score == learner.decision_function(X[:1])[0, 0]
        )
    learner = PerceptronClassifier().fit(X, np.ones((len(X), 2), int))
    assert learner.predict(X).all()


def test_a_column_of_y_stays_single_label():
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning):
        learner = PerceptronClassifier(random_state=0).fit(X, Y[:, :1])
    assert learner.decision_function(X).ndim == 1


# --- labels that come later


def late_labels(oracle_weight=0.0):
    """Return the law: a late label is a binary learner for which earlier rounds weigh nothing."""

    @drawn(labelled_points(16, most=20), st.integers(1, 12), st.sampled_from([None, Linear()]), st.booleans())
    def law(points, cut, kernel, numbered):
        rows, y = points
        indicator = y[:, None] >> np.arange(4) & 1
        edges = sorted({0, min(cut, len(rows)), min(2 * cut, len(rows)), len(rows)})
        learner = PerceptronClassifier(kernel, rule=Margin(3.0), fit_intercept=True)
        since = {}
        for part, (a, b) in enumerate(pairwise(edges)):
            if numbered:
                width = 2 + part if part < 3 else 4
                learner.partial_fit(rows[a:b], indicator[a:b, :width])
                known = range(min(width, 4))
            else:
                if part == 0 and not indicator[a:b].any():
                    return
                learner.partial_fit(rows[a:b], [set(np.flatnonzero(row).tolist()) for row in indicator[a:b]])
                known = learner.classes_.tolist()
            for label in known:
                since.setdefault(label, a)
        assert sorted(learner.classes_.tolist()) == sorted(since)
        for column, label in enumerate(learner.classes_.tolist()):
            weights = np.where(np.arange(len(rows)) < since[label], oracle_weight, 1.0)
            one = begin(Binary(), features=rows.shape[1], kernel=kernel, rule=Margin(3.0), intercept=True)
            for a, b in pairwise(edges):
                examples = Examples(one.number(rows[a:b]), indicator[a:b, label], weights=weights[a:b])
                learn(one, examples, [np.arange(b - a)])
            assert corrections(learner.ledger_.of(column)) == corrections(one.ledger)
            for predictor in PREDICTORS:
                found = learner.decision_function(rows, predictor)[:, column]
                expected = one.guess(predictor).scores(rows_of(rows)).scores[:, 0]
                assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)

    return law


def test_late_labels_play_from_the_call_that_brings_them():
    late_labels()()


def test_the_law_of_late_labels_rejects_a_label_that_played_before():
    rejects(late_labels(1.0))


@pytest.mark.parametrize("options", [{}, {"kernel": Linear()}, {"kernel": Linear(), "budget": 12}], ids=repr)
@pytest.mark.parametrize("predictor", [*PREDICTORS, "recent", "sample"])
def test_every_predictor_answers_after_late_labels(options, predictor):
    learner = PerceptronClassifier(predictor=predictor, random_state=0, **options)
    learner.partial_fit(X[:40], [row[:1] for row in listed(Y[:40])]).partial_fit(X[40:], listed(Y[40:]))
    assert len(learner.classes_) == 3
    assert len(learner.predict(X)) == len(X)
    assert learner.decision_function(X).shape == Y.shape
    assert learner.n_support_.shape == (3,)


@pytest.mark.parametrize(
    "options", [{}, {"kernel": Linear()}, {"kernel": kernels.RBF(gamma=0.1), "budget": 12}], ids=repr
)
def test_support_vectors_keep_their_labels_after_late_ones(options):
    learner = PerceptronClassifier(**options)
    learner.partial_fit(X[:40], listed(Y[:40, :1], NAMES[:1]))
    learner.partial_fit(X[40:], listed(Y[40:], NAMES))
    assert learner.classes_.tolist() == ["b", "a", "c"]
    truths = Y[:, [0, 2, 1]].copy()
    truths[:40, 1:] = 0
    assert learner.n_support_.tolist() == truths[learner.support_].sum(axis=0).tolist()
    assert learner.run_.support.truths.tolist() == truths[learner.support_].tolist()


def test_merged_support_vectors_have_no_truth_after_late_labels():
    learner = PerceptronClassifier(kernels.RBF(gamma=0.1), budget=Budget(6, "merging"))
    learner.partial_fit(X, listed(Y)).partial_fit(X[:1], [("z",)])
    merged = learner.support_ < 0
    assert merged.any()
    assert (learner.run_.support.truths[merged] == -1).all()
    assert not (learner.run_.support.truths[~merged] == -1).any()


def test_late_labels_keep_the_columns_of_the_others():
    learner = PerceptronClassifier(predictor="last").partial_fit(X[:40], [("m",), ("k", "m")] * 20)
    assert learner.classes_.tolist() == ["k", "m"]
    before = learner.decision_function(X)
    learner.partial_fit(X[:1], [("a",)], classes=["a", "k", "m"], sample_weight=[1e-300])
    assert learner.classes_.tolist() == ["k", "m", "a"]
    assert np.array_equal(learner.decision_function(X)[:, :2], before)


def test_partial_fit_takes_all_labels_beforehand():
    known = PerceptronClassifier().partial_fit(X[:40], listed(Y[:40]), classes=["a", "b", "c", "z"])
    assert known.classes_.tolist() == ["a", "b", "c", "z"]
    assert not known.predict(X)[0].count("z")
    numbered = PerceptronClassifier().partial_fit(X, Y, classes=[0, 1, 2])
    assert numbered.ledger_ == PerceptronClassifier().partial_fit(X, Y).ledger_
    numbered.partial_fit(X, np.hstack([Y, Y]), classes=range(6))
    assert numbered.classes_.tolist() == list(range(6))
    with pytest.raises(ValueError, match="may grow and not shrink"):
        numbered.partial_fit(X, Y, classes=[0, 1])
