"""PerceptronClassifier: scikit-learn's contract, its attributes, and what bad input gets."""

import copy
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.gaussian_process.kernels import RBF as SklearnRBF  # noqa: N811
from sklearn.gaussian_process.kernels import DotProduct
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import PerceptronClassifier, kernels, storage
from test_rules import blobs

# A round is played once, whatever its weight, and the constant feature of the intercept is 1, so an
# intercept of 60 takes longer than 10 epochs. scikit-learn's own Perceptron fails the last one, too.
SCALES = "sample_weight scales the correction of a round; it does not repeat the round"
SLOW = "on unscaled data the averaged intercept needs more than the default 10 epochs"
WITH_A_KERNEL = {
    "check_sample_weight_equivalence_on_dense_data": SCALES,
    "check_sample_weight_equivalence_on_sparse_data": SCALES,
}
WITHOUT = WITH_A_KERNEL | {"check_class_weight_classifiers": SLOW}


@parametrize_with_checks(
    [
        PerceptronClassifier(),
        PerceptronClassifier(kernels.RBF(gamma=0.1)),
        PerceptronClassifier(multiclass="one-vs-rest", predictor="vote", random_state=0),
    ],
    expected_failed_checks=lambda estimator: WITHOUT if estimator.kernel is None else WITH_A_KERNEL,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def in_every_form(X):
    return {"dense": X, "CSR": sp.csr_array(X), "32 bits": X.astype(np.float32)}


@pytest.mark.parametrize("kernel", [None, kernels.Linear(), kernels.RBF(gamma=0.5)])
@pytest.mark.parametrize("first", ["dense", "CSR"])
@pytest.mark.parametrize("predictor", ["best", "vote"])
def test_parts_of_a_run_may_come_in_any_form(kernel, first, predictor):
    X = np.random.default_rng(0).integers(-3, 4, (90, 4)).astype(float)
    y = X[:, 0] + X[:, 1] ** 2 > 1
    whole = PerceptronClassifier(kernel, epochs=1, shuffle=False, predictor=predictor).fit(X, y)
    clf = PerceptronClassifier(kernel, predictor=predictor)
    for at, form in ((0, first), (30, "CSR"), (60, "dense")):
        some = in_every_form(X[at : at + 30])[form]
        clf.partial_fit(some, y[at : at + 30], classes=[False, True])
    assert clf.ledger_.mistakes.tolist() == whole.ledger_.mistakes.tolist()
    for form in in_every_form(X).values():
        np.testing.assert_allclose(
            clf.decision_function(form), whole.decision_function(X), rtol=1e-5, atol=1e-6
        )


def test_what_would_overflow_does_not_come_into_a_run():
    X, y = blobs(2, rows=40)
    for form in (np.asarray, sp.csr_matrix):
        clf = PerceptronClassifier().fit(form(X), y)
        before, weights = clf.ledger_, clf.coef_
        with pytest.raises(ValueError, match=r"takes numbers up to 1e\+75.*Got .*e\+20"):
            clf.partial_fit(form(X * 1e200), y)
        assert clf.ledger_ is before
        assert np.array_equal(clf.coef_, weights)


def test_a_failure_that_cannot_be_taken_back_leaves_a_run_that_can_go_on():
    X, y = blobs(2, rows=60, apart=0.5)
    clf = PerceptronClassifier(learning_rate=1e200, epochs=1, shuffle=False).fit(sp.csr_matrix(X), y)
    with pytest.raises(ValueError, match="not a finite number"):
        clf.partial_fit(sp.csr_matrix(X * 1e70), y)
    rows = clf.ledger_.row
    assert set(rows.tolist()) == set(clf.support_.tolist())
    assert clf._run.rows_seen == 120


@pytest.mark.parametrize("label", [-1, 1])
def test_either_of_two_classes_can_be_explained(label):
    X, y = blobs(2, rows=60, apart=0.5)
    clf = PerceptronClassifier(kernels.RBF(gamma=0.5), random_state=0).fit(X, 2 * y - 1)
    reasons = clf.explain(X[0], label=label)
    assert reasons.output == label
    assert reasons.score == pytest.approx(label * clf.decision_function(X[:1])[0])
    assert reasons.contribution.sum() == pytest.approx(reasons.score)
    assert clf.explain(sp.csr_array(X)[0]).score == pytest.approx(clf.decision_function(X[:1])[0])
    with pytest.raises(ValueError, match="label 7, which is not one of the classes -1, 1"):
        clf.explain(X[0], label=7)
    with pytest.raises(ValueError, match=r"one row at a time\. Got 2"):
        clf.explain(X[:2].tolist())


def test_labels_in_few_bits():
    y = np.repeat(np.array([-100, 0, 100], np.int8), 100)
    X = np.eye(3)[(y.astype(int) + 100) // 100]
    assert PerceptronClassifier(random_state=0).fit(X, y).score(X, y) == 1


def test_expressions_of_a_precomputed_matrix_predict_alike():
    X, y = blobs(2, rows=80, apart=0.5)
    gram, cross = X @ X.T, X[:10] @ X.T
    scores = [
        PerceptronClassifier(kernel, random_state=0).fit(gram, y).decision_function(cross)
        for kernel in (kernels.Precomputed() + 1.0, kernels.Constant(1.0) + kernels.Precomputed())
    ]
    np.testing.assert_allclose(*scores)


def test_a_normalized_kernel_on_objects():
    shared = kernels.Function(lambda a, b: float(len(set(a) & set(b)))).normalized()
    clf = PerceptronClassifier(shared, random_state=0).fit(["abba", "cab", "xyz", "zyx"], [1, 1, 0, 0])
    assert clf.predict(["baa", "zzy"]).tolist() == [1, 0]


def test_objects_of_a_series_and_rows_of_a_frame():
    words = pd.Series(["abba", "cab", "xyz", "zyx"], index=[5, 6, 7, 8])
    shared = kernels.Function(lambda a, b: float(len(set(a) & set(b))))
    assert PerceptronClassifier(shared).fit(words, [1, 1, 0, 0]).predict(words).tolist() == [1, 1, 0, 0]
    frame = pd.DataFrame(np.eye(4), columns=list("abcd"))
    rows = PerceptronClassifier(kernels.Function(np.dot)).fit(frame, [0, 1, 0, 1])
    assert rows.predict(frame).tolist() == [0, 1, 0, 1]


def test_a_learner_that_was_loaded_read_only_says_so(tmp_path):
    X, y = blobs(2, rows=40)
    joblib.dump(PerceptronClassifier().fit(X, y), tmp_path / "model")
    clf = joblib.load(tmp_path / "model", mmap_mode="r")
    assert clf.score(X, y) > 0.5
    with pytest.raises(ValueError, match="loaded read-only"):
        clf.partial_fit(X, y)


def test_many_threads_may_read_a_run_that_nobody_has_read_yet():
    X, y = blobs(3, rows=3000, apart=0.5)
    for _ in range(5):
        clf = PerceptronClassifier(random_state=0, epochs=2, predictor="vote").fit(sp.csr_matrix(X), y)
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda _: clf.predict(X[:50]).tolist(), range(8)))  # noqa: B023
        assert answers == [clf.predict(X[:50]).tolist()] * 8


def test_reading_that_was_interrupted_can_be_done_again(monkeypatch):
    X, y = blobs(2, rows=200, apart=0.5)
    clf = PerceptronClassifier(random_state=0, predictor="best").fit(sp.csr_matrix(X), y)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(storage, "_grown_csr", interrupted)
        with pytest.raises(KeyboardInterrupt):
            clf.predict(X)
    assert clf.predict(X).shape == (200,)


# In the company of other tools


def test_pipeline_and_cross_validation():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), PerceptronClassifier(kernels.RBF(sigma=1.0), random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.93


def test_grid_search_over_a_list_of_kernels():
    X, y = load_iris(return_X_y=True)
    grid = {"kernel": [None, kernels.Polynomial(2), kernels.RBF(gamma=0.5)], "predictor": ["last", "vote"]}
    search = GridSearchCV(PerceptronClassifier(random_state=0, epochs=3), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_params_["kernel"] is not None
    assert clone(search.best_estimator_).kernel == search.best_params_["kernel"]


def test_a_precomputed_kernel_is_cut_in_both_directions_by_cross_validation():
    X, y = load_iris(return_X_y=True)
    kernel = kernels.RBF(gamma=0.5)
    options = {"random_state": 0, "epochs": 3}
    direct = cross_val_score(PerceptronClassifier(kernel, **options), X, y, cv=3)
    looked_up = cross_val_score(PerceptronClassifier("precomputed", **options), kernel(X), y, cv=3)
    np.testing.assert_array_equal(direct, looked_up)


def test_data_frames_keep_their_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = PerceptronClassifier(random_state=0).fit(X, y)
    assert clf.feature_names_in_.tolist() == X.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(X[X.columns[::-1]])
    assert clf.predict(X).shape == (150,)


@pytest.mark.parametrize(
    "kernel", [DotProduct() + SklearnRBF(), SklearnRBF(3.0), lambda X, Z: (X @ Z.T + 1) ** 2]
)
def test_other_peoples_kernels(kernel):
    X, y = blobs(2, apart=3.0)
    assert PerceptronClassifier(kernel, random_state=0).fit(X, y).score(X, y) > 0.9


def shared_letters(a, b):
    return float(len(set(a) & set(b)))


def test_a_kernel_on_words():
    words = ["abba", "baba", "cab", "xyz", "zyx", "xxy"]
    clf = PerceptronClassifier(kernels.Function(shared_letters), random_state=0).fit(
        words, [1, 1, 1, 0, 0, 0]
    )
    assert clf.predict(["ab", "yz"]).tolist() == [1, 0]
    part = clf.explain("ab")
    assert part.labels.tolist() == [int(i < 3) for i in part.examples]
    assert part.contribution.sum() == pytest.approx(part.score)
    assert clf.certificate(words, [1, 1, 1, 0, 0, 0]).holds


# What a fitted one can be asked


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("multiclass", ["argmax", "one-vs-rest"])
def test_attributes_and_predictors_agree(form, multiclass):
    X, y = load_iris(return_X_y=True)
    X = form(X)
    clf = PerceptronClassifier(multiclass=multiclass, random_state=0, epochs=5).fit(X, y)
    dual = PerceptronClassifier(kernels.Linear(), multiclass=multiclass, random_state=0, epochs=5).fit(X, y)
    assert clf.n_iter_ == 5
    assert not clf.converged_
    for name in ("last", "best", "average"):
        clf.set_params(predictor=name)
        dual.set_params(predictor=name)
        np.testing.assert_allclose(clf.decision_function(X), X @ clf.coef_.T + clf.intercept_)
        np.testing.assert_allclose(clf.dual_coef_ @ clf.support_vectors_, clf.coef_, atol=1e-9)
        np.testing.assert_allclose(dual.decision_function(X), clf.decision_function(X), atol=1e-8)
    for name in ("vote", "sample"):
        clf.set_params(predictor=name)
        dual.set_params(predictor=name)
        np.testing.assert_allclose(dual.decision_function(X), clf.decision_function(X), atol=1e-8)
    assert set(clf.support_) == set(clf.ledger_.example)


def test_float32_stays_float32():
    X, y = load_digits(return_X_y=True)
    clf = PerceptronClassifier(kernels.RBF(gamma=0.001), random_state=0, epochs=2).fit(
        X.astype(np.float32), y
    )
    assert clf.support_vectors_.dtype == np.float32
    assert clf.score(X.astype(np.float32), y) > 0.99


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_raw_pixels_under_a_high_degree_do_not_overflow(dtype):
    random = np.random.default_rng(0)
    X = random.integers(0, 256, (60, 784)).astype(dtype)
    y = (X[:, 0] > 127).astype(int)
    clf = PerceptronClassifier(kernels.Polynomial(9), random_state=0, predictor="last", epochs=50).fit(X, y)
    assert np.isfinite(clf.decision_function(X)).all()
    assert clf.score(X, y) == 1.0


def test_convergence_ends_the_run():
    X, y = blobs(2, apart=9.0)
    clf = PerceptronClassifier(epochs=1000, random_state=0, predictor="last").fit(X, y)
    assert clf.converged_
    assert clf.n_iter_ < 1000
    assert clf.score(X, y) == 1.0
    assert clf.ledger_.rounds == clf.n_iter_ * len(X)


def test_a_random_start_is_small_and_seeded():
    X, y = blobs(3, apart=1.0)
    one, two, three = (
        PerceptronClassifier(start="random", random_state=s, epochs=2).fit(X, y) for s in (0, 0, 1)
    )
    assert one.ledger_ == two.ledger_
    assert one.ledger_ != three.ledger_
    for name in ("last", "best", "average"):
        one.set_params(predictor=name)
        np.testing.assert_allclose(one.decision_function(X), X @ one.coef_.T + one.intercept_)
    part = one.explain(X[0], predictor="last")
    assert part.start != 0
    assert part.contribution.sum() + part.start == pytest.approx(part.score)


def test_labels_may_be_anything():
    X, y = blobs(2, apart=9.0)
    names = np.array(["ham", "späm"])[y]
    clf = PerceptronClassifier(random_state=0, predictor="last", epochs=100).fit(X, names)
    assert clf.predict(X).tolist() == names.tolist()
    for labels in (y, 2 * y - 1, y.astype(bool)):
        again = PerceptronClassifier(random_state=0, predictor="last", epochs=100).fit(X, labels)
        assert again.ledger_ == clf.ledger_


def test_explanations_add_up():
    X, y = load_iris(return_X_y=True)
    clf = PerceptronClassifier(kernels.RBF(gamma=0.5), random_state=0).fit(X, y)
    for name in ("last", "best", "average"):
        for x in X[::30]:
            part = clf.explain(x, predictor=name)
            clf.set_params(predictor=name)
            assert part.contribution.sum() == pytest.approx(part.score)
            assert part.score == pytest.approx(clf.decision_function([x]).max())
            assert part.answer == clf.predict([x])[0]
            assert (np.diff(np.abs(part.contribution)) <= 1e-12).all()
    assert np.array_equal(part.labels, y[part.examples])
    assert f"The score of {part.output}" in str(part)
    other = clf.explain(X[0], label=2)
    assert other.output == 2
    assert other.score == pytest.approx(clf.decision_function(X[:1])[0, 2])


def test_verbose_shows_mistakes(capsys):
    X, y = blobs(2, apart=0.5)
    clf = PerceptronClassifier(verbose=True, epochs=2, random_state=0).fit(X, y)
    shown = capsys.readouterr().err
    assert f"400/400 rounds, {len(clf.ledger_)} mistakes" in shown
    PerceptronClassifier(epochs=2, random_state=0).fit(X, y)
    assert capsys.readouterr().err == ""


def test_without_the_examples_only_last_and_average_answer():
    X, y = blobs(3, apart=1.0)
    clf = PerceptronClassifier(keep_examples=False, random_state=0).fit(X, y)
    kept = PerceptronClassifier(random_state=0).fit(X, y)
    assert len(clf.support_) == 0
    for name in ("last", "average"):
        theirs = [c.set_params(predictor=name).decision_function(X) for c in (clf, kept)]
        np.testing.assert_array_equal(*theirs)
    for name in ("best", "vote", "sample"):
        with pytest.raises(ValueError, match=f"'{name}' needs the corrected rows.*keep_examples=True"):
            clf.set_params(predictor=name).predict(X)


# Bad input: a sentence, and the state as it was


def fitted():
    X, y = blobs(3, apart=2.0)
    return PerceptronClassifier(kernels.Polynomial(2), random_state=0, epochs=2).fit(X, y), X, y


def with_value(X, value):
    X = X.copy()
    X[3, 1] = value
    return X


@pytest.mark.parametrize(
    ("X", "y", "options", "sentence"),
    [
        (lambda X: with_value(X, np.nan), None, {}, "contains NaN"),
        (lambda X: with_value(X, np.inf), None, {}, "contains infinity"),
        (lambda X: sp.csr_matrix(with_value(X, np.nan)), None, {}, "contains NaN"),
        (lambda X: sp.csr_matrix(with_value(X, np.nan)), None, {"kernel": None}, "row 3 .* contains NaN"),
        (lambda X: sp.csr_matrix(with_value(X, -np.inf)), None, {"kernel": None}, "row 3 .* or infinity"),
        (lambda X: sp.csr_matrix(X * 1e307), None, {"kernel": None}, "numbers too large"),
        (lambda X: X[:0], lambda y: y[:0], {}, "0 sample"),
        (lambda X: X[:, :0], None, {}, "0 feature"),
        (lambda X: X[0], lambda y: y[:1], {}, "Expected 2D array"),
        (lambda X: X[:5], None, {}, r"one value of y per row\. Got 5 rows and 200"),
        (lambda X: np.full(X.shape, "a", object), None, {}, "could not convert string to float"),
        (None, lambda y: 0 * y, {}, r"at least 2 classes.*1 class only: .*0"),
        (None, lambda y: y + 0.5, {}, "Unknown label type"),
        (None, lambda y: None, {}, "requires y to be passed.*a label per row"),
        (
            lambda X: with_value(0 * X, 1.0),
            None,
            {"kernel": None, "fit_intercept": False},
            "Row 0 is a zero vector",
        ),
        (
            lambda X: 0 * X,
            None,
            {"kernel": kernels.Linear(), "fit_intercept": False},
            r"Row 0 has k\(x, x\) = 0",
        ),
        (None, None, {"kernel": lambda X, Z: X @ Z.T + np.nan}, "nan"),
        (None, None, {"kernel": lambda X, Z: X}, "shape"),
        (None, None, {"kernel": "rbf"}, "'rbf'"),
        (None, None, {"kernel": "precomputed"}, r"must be square to fit\. Got shape \(200, 4\)"),
        (None, None, {"predictor": "mode"}, r"predictor must be one of 'last'.*Got 'mode'"),
        (None, None, {"multiclass": "ovo"}, "multiclass must be one of"),
        (None, None, {"epochs": 0}, r"epochs must be a whole number of at least 1\. Got 0"),
        (None, None, {"epochs": 2.5}, r"Got 2\.5"),
        (None, None, {"block_size": "big"}, "block_size must be a whole number"),
        (None, None, {"ties": "positive"}, r"ties='positive' is for two classes\. Got 3"),
        (None, None, {"start": "random"}, "a learner with a kernel does not have"),
        (None, None, {"keep_examples": False}, "is the examples it keeps"),
        (None, None, {"rule": "hinge"}, "Got 'hinge'"),
        (None, None, {"learning_rate": -1}, "must be a positive number"),
        (None, None, {"learning_rate": "a"}, "must be a positive number. Got 'a'"),
        (None, None, {"rule": 3}, "an object with reach, parameters, step and bound. Got 3"),
        (None, None, {"fit_intercept": "no"}, "fit_intercept must be True or False. Got 'no'"),
        (None, None, {"random_state": -1}, "random_state must be None, a whole number"),
        (None, None, {"class_weight": {0: -1.0}}, "Weights must be numbers from 0 .*Got -1"),
        (None, None, {"class_weight": {0: np.nan}}, "Weights must be numbers from 0 .*Got nan"),
        (lambda X: X * 1e160, None, {"kernel": None}, "score of row .* not a finite number"),
        (lambda X: X * 1e160, None, {"kernel": kernels.Linear()}, "score of row .* not a finite number"),
        (lambda X: sp.csr_matrix(X * 1e160), None, {"kernel": kernels.RBF(1.0)}, "not a finite number"),
        (None, None, {"kernel": lambda X, Z: sp.csr_array(X @ Z.T)}, "Got a sparse matrix"),
        (lambda X: dict(enumerate(X)), None, {"kernel": kernels.Function(np.dot)}, "Got dict"),
    ],
)
def test_a_bad_fit_says_why_and_changes_nothing(X, y, options, sentence):
    clf, good_X, good_y = fitted()
    before, answers = clf.ledger_, clf.predict(good_X)
    parameters = clf.get_params()
    clf.set_params(**options)
    with pytest.raises((ValueError, TypeError), match=sentence):
        clf.fit(X(good_X) if X else good_X, y(good_y) if y else good_y)
    clf.set_params(**parameters)
    assert clf.ledger_ is before
    assert clf.predict(good_X).tolist() == answers.tolist()
    assert clf.n_features_in_ == 4


def test_a_bad_partial_fit_says_why_and_changes_nothing():
    clf, X, y = fitted()
    before = clf.ledger_
    for bad_X, bad_y, sentence in [
        (X[:, :3], y, "expecting 4 features"),
        (X, y + 7, r"Row 0 has the label .*not one of the classes"),
        (with_value(X, np.nan), y, "contains NaN"),
        (X, np.full(len(y), 9), "label 9, which is not one of the classes 0, 1, 2"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            clf.partial_fit(bad_X, bad_y)
    with pytest.raises(ValueError, match="classes must stay"):
        clf.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="first call of partial_fit needs classes"):
        PerceptronClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"at least 2 classes .* Got 0 classes"):
        PerceptronClassifier().partial_fit(X, y, classes=[])
    with pytest.raises(ValueError, match="would balance every part by itself"):
        PerceptronClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])
    assert clf.ledger_ is before
    assert clf.partial_fit(X, y).ledger_.rounds == before.rounds + len(X)


def test_a_run_goes_on_with_another_rule_but_not_with_another_kernel():
    X, y = blobs(3, apart=0.5)
    clf = PerceptronClassifier(kernels.Polynomial(2), epochs=1, random_state=0).fit(X, y)
    corrections = len(clf.ledger_)
    clf.set_params(rule="margin", learning_rate=0.5).partial_fit(X, y)
    assert (clf.ledger_.size[corrections:] == 0.5).all()
    for changed, sentence in [
        ({"kernel": kernels.Linear()}, r"begun with kernel = Polynomial.*Got Linear"),
        ({"kernel": None}, "Got None"),
        ({"fit_intercept": False}, "fit_intercept = True. Got False"),
        ({"multiclass": "one-vs-rest"}, "Got OneVsRest"),
    ]:
        before = clf.get_params()
        with pytest.raises(ValueError, match=sentence):
            clf.set_params(**changed).partial_fit(X, y)
        clf.set_params(**before)


class Moody:
    """A kernel that works until it does not."""

    def __init__(self):
        self.patience = 10**9

    def __call__(self, X, Z):
        self.patience -= 1
        if self.patience < 0:
            raise RuntimeError("enough")
        return X @ Z.T


def test_a_kernel_that_fails_in_the_middle_leaves_the_run_as_it_was():
    X, y = blobs(3, apart=0.5)
    moody = Moody()
    clf = PerceptronClassifier(moody, epochs=1, shuffle=False, block_size=10).fit(X, y)
    scores, before = clf.decision_function(X), len(clf.ledger_)
    support = clf.support_.tolist()
    moody.patience = 7
    with pytest.raises(RuntimeError, match="enough"):
        clf.partial_fit(X, y)
    moody.patience = 10**9
    assert len(clf.ledger_) == before
    assert clf.support_.tolist() == support
    assert clf.decision_function(X).tolist() == scores.tolist()
    twice = PerceptronClassifier(moody, epochs=1, shuffle=False, block_size=10).fit(X, y).partial_fit(X, y)
    assert clf.partial_fit(X, y).ledger_ == twice.ledger_


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_ctrl_c_in_the_middle_of_partial_fit_leaves_a_whole_run(kernel):
    X, y = blobs(2, rows=30_000, apart=0.1)
    clf = PerceptronClassifier(kernel, epochs=1, shuffle=False, block_size=64).fit(X[:500], y[:500])
    rounds = clf.ledger_.rounds
    timer = threading.Timer(0.15, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        clf.partial_fit(X, y)
        time.sleep(5)
    assert clf.ledger_.rounds in (rounds, rounds + len(X))
    assert clf.n_iter_ == (1 if clf.ledger_.rounds == rounds else 2)
    fresh = PerceptronClassifier(kernel, epochs=1, shuffle=False, predictor="last").fit(X[:500], y[:500])
    if clf.ledger_.rounds > rounds:
        fresh.partial_fit(X, y)
    assert clf.ledger_.mistakes.tolist() == fresh.ledger_.mistakes.tolist()
    clf.set_params(predictor="last")
    np.testing.assert_allclose(clf.decision_function(X[:99]), fresh.decision_function(X[:99]), rtol=1e-6)


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda clf: pickle.loads(pickle.dumps(clf))])
def test_a_copy_goes_on_where_the_run_was(kernel, form, duplicate):
    X, y = blobs(3, apart=2.0)
    X = form(X)
    clf = PerceptronClassifier(kernel, random_state=0, epochs=2).fit(X, y)
    again = duplicate(clf)
    for learner in (clf, again):
        learner.partial_fit(X, y).set_params(predictor="vote")
    assert again.ledger_ == clf.ledger_
    assert np.array_equal(again.decision_function(X), clf.decision_function(X))


def test_a_copy_holds_what_was_learned_and_no_more():
    X, y = sp.random_array((5000, 40), density=0.2, format="csr", rng=0), np.arange(5000) % 50 == 0
    clf = PerceptronClassifier(epochs=1, shuffle=False).fit(X, y)
    assert clf.support_vectors_.shape[0] == clf.partial_fit(X[:500], y[:500]).support_.searchsorted(5000)
    ledger, support = clf.ledger_, clf.support_vectors_
    needed = 56 * len(ledger) + 32 * len(ledger.row) + 12 * support.nnz + 16 * support.shape[0]
    assert len(pickle.dumps(clf)) < needed + 10_000


def test_importing_is_light():
    code = "import sys, rosenblatt; print([m for m in ('numba', 'sklearn', 'scipy') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_columns_of_a_frame_may_be_of_any_number_type():
    frame = pd.DataFrame({"a": [1, 2, -1, -2], "b": [True, False, True, False], "c": [0.5, 1, 1, 2]})
    assert (
        PerceptronClassifier(random_state=0)
        .fit(frame, ["x", "x", "o", "o"])
        .score(frame, ["x", "x", "o", "o"])
        == 1
    )


def test_partial_fit_meets_old_rows_with_all_their_features():
    random = np.random.default_rng(0)
    X = random.integers(-3, 4, size=(1500, 8)).astype(float)
    y = X[:, 0] + X[:, 7] > 0
    X[200:, 4:7] = 0  # features that only old rows have
    clf = PerceptronClassifier(kernels.Polynomial(2), shuffle=False, epochs=1).fit(X, y)
    parts = PerceptronClassifier(kernels.Polynomial(2), shuffle=False, epochs=1).fit(X[:200], y[:200])
    parts.partial_fit(X[200:], y[200:])
    assert parts.ledger_ == clf.ledger_


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_ends_a_process_that_does_not_handle_it():
    code = (
        "import signal, threading, numpy as np; from rosenblatt import PerceptronClassifier\n"
        "X = np.random.default_rng(0).normal(size=(20_000, 20)); y = np.arange(20_000) % 2\n"
        "clf = PerceptronClassifier(epochs=1).fit(X, y)\n"
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "from rosenblatt.interrupts import Interrupts\n"
        "with Interrupts() as held:\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    print('held back', flush=True)\n"
        "print('too late', flush=True)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout.split("\n")[0] == "held back"
    assert "too late" not in ended.stdout
    assert ended.returncode == -signal.SIGINT


@pytest.mark.parametrize("first", ["", "import scipy.stats", "import sklearn.base"])
def test_scipy_stats_is_loaded_by_who_uses_it(first):
    code = (
        f"{first}\nimport sys; from rosenblatt import PerceptronClassifier\n"
        "print('scipy.stats' in sys.modules)\n"
        "import numpy as np; from sklearn.utils.fixes import _mode; print(_mode(np.array([1, 2, 2])).mode)\n"
        "import scipy; print(scipy.stats.norm.cdf(0.0))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, mode, half = run.stdout.split()
    assert (loaded, mode.strip("[]"), half) == (str(bool(first)), "2", "0.5")


def test_a_scikit_learn_that_needs_scipy_stats_at_once_gets_it():
    code = (
        "import sys; from rosenblatt.estimators import imports\n"
        "for name in [n for n in sys.modules if n.startswith(('sklearn', 'scipy.stats'))]: del sys.modules[name]\n"
        "true, tried = imports.import_module, []\n"
        "def picky(name):\n"
        "    tried.append('scipy.stats' in sys.modules)\n"
        "    if tried[-1]: from scipy.stats import norm\n"
        "    return true(name)\n"
        "imports.import_module = picky\n"
        "imports.import_sklearn(); print(tried, 'sklearn.base' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[True, False] True"
