"""PerceptronClassifier: scikit-learn's contract, other tools, and fitted attributes."""

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

from fixtures.playing import blobs
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels

# A round is played once, whatever its weight; scikit-learn declares the first two for its own Perceptron.
SCALES = "sample_weight scales the correction of a round; it does not repeat the round"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": SCALES,
    "check_sample_weight_equivalence_on_sparse_data": SCALES,
}


@parametrize_with_checks(
    [
        PerceptronClassifier(),
        PerceptronClassifier(kernels.RBF(gamma=0.1), fit_intercept=True),
        PerceptronClassifier("rbf"),
        PerceptronClassifier(multiclass="ovr", predictor="vote", random_state=0),
    ],
    expected_failed_checks=lambda _: EXPECTED,
)
def test_classifier_passes_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("label", [-1, 1])
def test_explain_accepts_either_of_two_labels(label):
    X, y = blobs(2, rows=60, apart=0.5)
    clf = PerceptronClassifier(kernels.RBF(gamma=0.5), random_state=0).fit(X, 2 * y - 1)
    reasons = clf.explain(X[0], label=label)
    assert reasons.output == label
    assert reasons.score == pytest.approx(label * clf.decision_function(X[:1])[0])
    assert reasons.contribution.sum() == pytest.approx(reasons.score)
    for row in (sp.csr_array(X)[0], sp.csr_array(X)[[0]], sp.csr_matrix(X)[0], sp.coo_matrix(X[:1])):
        assert clf.explain(row).score == pytest.approx(clf.decision_function(X[:1])[0])
    with pytest.raises(ValueError, match=r"label must be one of -1, 1\. Got 7"):
        clf.explain(X[0], label=7)
    with pytest.raises(ValueError, match=r"one row at a time\. Got 2"):
        clf.explain(X[:2].tolist())


def test_fit_accepts_int8_labels():
    y = np.repeat(np.array([-100, 0, 100], np.int8), 100)
    X = np.eye(3)[(y.astype(int) + 100) // 100]
    assert PerceptronClassifier(random_state=0).fit(X, y).score(X, y) == 1


def test_precomputed_expressions_score_alike():
    X, y = blobs(2, rows=80, apart=0.5)
    gram, cross = X @ X.T, X[:10] @ X.T
    scores = [
        PerceptronClassifier(kernel, random_state=0).fit(gram, y).decision_function(cross)
        for kernel in (kernels.Precomputed() + 1.0, kernels.Constant(1.0) + kernels.Precomputed())
    ]
    np.testing.assert_allclose(*scores)


def test_normalized_kernel_works_on_objects():
    shared = kernels.Function(lambda a, b: float(len(set(a) & set(b)))).normalized()
    clf = PerceptronClassifier(shared, random_state=0).fit(["abba", "cab", "xyz", "zyx"], [1, 1, 0, 0])
    assert clf.predict(["baa", "zzy"]).tolist() == [1, 0]


def test_function_kernel_takes_series_and_frames():
    words = pd.Series(["abba", "cab", "xyz", "zyx"], index=[5, 6, 7, 8])
    shared = kernels.Function(lambda a, b: float(len(set(a) & set(b))))
    assert PerceptronClassifier(shared).fit(words, [1, 1, 0, 0]).predict(words).tolist() == [1, 1, 0, 0]
    frame = pd.DataFrame(np.eye(4), columns=list("abcd"))
    rows = PerceptronClassifier(kernels.Function(np.dot)).fit(frame, [0, 1, 0, 1])
    assert rows.predict(frame).tolist() == [0, 1, 0, 1]


# With other tools


def test_classifier_works_in_pipelines_and_cross_validation():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), PerceptronClassifier(kernels.RBF(sigma=1.0), random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.93


def test_grid_search_chooses_among_kernels():
    X, y = load_iris(return_X_y=True)
    grid = {"kernel": [None, kernels.Polynomial(2), kernels.RBF(gamma=0.5)], "predictor": ["last", "vote"]}
    search = GridSearchCV(PerceptronClassifier(random_state=0, max_iter=3), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_params_["kernel"] is not None
    assert clone(search.best_estimator_).kernel == search.best_params_["kernel"]


def test_cross_validation_slices_a_precomputed_kernel_in_both_directions():
    X, y = load_iris(return_X_y=True)
    kernel = kernels.RBF(gamma=0.5)
    options = {"random_state": 0, "max_iter": 3}
    direct = cross_val_score(PerceptronClassifier(kernel, **options), X, y, cv=3)
    looked_up = cross_val_score(PerceptronClassifier("precomputed", **options), kernel(X), y, cv=3)
    np.testing.assert_array_equal(direct, looked_up)


def test_fit_keeps_feature_names_of_frames():
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = PerceptronClassifier(random_state=0).fit(X, y)
    assert clf.feature_names_in_.tolist() == X.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(X[X.columns[::-1]])
    assert clf.predict(X).shape == (150,)


@pytest.mark.parametrize(
    "kernel", [DotProduct() + SklearnRBF(), SklearnRBF(3.0), lambda X, Z: (X @ Z.T + 1) ** 2]
)
def test_fit_accepts_scikit_learn_kernels_and_functions(kernel):
    X, y = blobs(2, apart=3.0)
    assert PerceptronClassifier(kernel, random_state=0).fit(X, y).score(X, y) > 0.9


def shared_characters(a, b):
    return float(len(set(a) & set(b)))


def test_function_kernel_works_on_strings():
    words = ["abba", "baba", "cab", "xyz", "zyx", "xxy"]
    clf = PerceptronClassifier(kernels.Function(shared_characters), random_state=0).fit(
        words, [1, 1, 1, 0, 0, 0]
    )
    assert clf.predict(["ab", "yz"]).tolist() == [1, 0]
    part = clf.explain("ab")
    assert part.labels.tolist() == [int(i < 3) for i in part.examples]
    assert part.contribution.sum() == pytest.approx(part.score)
    assert clf.certificate(words, [1, 1, 1, 0, 0, 0]).holds


# Fitted classifiers


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("multiclass", ["argmax", "ovr"])
def test_coef_and_dual_coef_agree_with_scores(form, multiclass):
    X, y = load_iris(return_X_y=True)
    X = form(X)
    options = {"multiclass": multiclass, "random_state": 0, "max_iter": 5, "fit_intercept": True}
    options["rule"] = "perceptron"
    clf = PerceptronClassifier(**options).fit(X, y)
    dual = PerceptronClassifier(kernels.Linear(), **options).fit(X, y)
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


def test_support_vectors_stay_float32():
    X, y = load_digits(return_X_y=True)
    clf = PerceptronClassifier(kernels.RBF(gamma=0.001), random_state=0, max_iter=2).fit(
        X.astype(np.float32), y
    )
    assert clf.support_vectors_.dtype == np.float32
    assert clf.score(X.astype(np.float32), y) > 0.99


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_polynomial_of_high_degree_does_not_overflow_on_raw_pixels(dtype):
    random = np.random.default_rng(0)
    X = random.integers(0, 256, (60, 784)).astype(dtype)
    y = (X[:, 0] > 127).astype(int)
    clf = PerceptronClassifier(kernels.Polynomial(9), random_state=0, predictor="last", max_iter=50).fit(X, y)
    assert np.isfinite(clf.decision_function(X)).all()
    assert clf.score(X, y) == 1.0


def test_fit_ends_at_convergence():
    X, y = blobs(2, apart=9.0)
    clf = PerceptronClassifier(max_iter=1000, random_state=0, predictor="last").fit(X, y)
    assert clf.converged_
    assert clf.n_iter_ < 1000
    assert clf.score(X, y) == 1.0
    assert clf.ledger_.rounds == 1000 * len(X)


def test_random_start_is_seeded():
    X, y = blobs(3, apart=1.0)
    one, two, three = (
        PerceptronClassifier(start="random", random_state=s, max_iter=2).fit(X, y) for s in (0, 0, 1)
    )
    assert one.ledger_ == two.ledger_
    assert one.ledger_ != three.ledger_
    for name in ("last", "best", "average"):
        one.set_params(predictor=name)
        np.testing.assert_allclose(one.decision_function(X), X @ one.coef_.T + one.intercept_)
    part = one.explain(X[0], predictor="last", by="examples")
    assert part.start != 0
    assert part.contribution.sum() + part.start == pytest.approx(part.score)
    features = one.explain(X[0], predictor="last")
    assert features.contribution.sum() + features.intercept == pytest.approx(features.score)
    assert features.score == pytest.approx(part.score)


def test_fit_without_random_state_follows_numpys_seed():
    X, y = blobs(3, apart=1.0)
    runs = []
    for seed in (0, 0, 1):
        np.random.seed(seed)  # noqa: NPY002
        runs.append(PerceptronClassifier().fit(X, y).ledger_)
    assert runs[0] == runs[1] != runs[2]


def test_fit_accepts_labels_of_any_type():
    X, y = blobs(2, apart=9.0)
    names = np.array(["ham", "späm"])[y]
    clf = PerceptronClassifier(random_state=0, predictor="last", max_iter=100).fit(X, names)
    assert clf.predict(X).tolist() == names.tolist()
    for labels in (y, 2 * y - 1, y.astype(bool)):
        again = PerceptronClassifier(random_state=0, predictor="last", max_iter=100).fit(X, labels)
        assert again.ledger_ == clf.ledger_


def test_explain_contributions_add_up_to_the_score():
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
    clf = PerceptronClassifier(verbose=True, max_iter=2, random_state=0).fit(X, y)
    shown = capsys.readouterr().err
    last = shown.splitlines()[-1]
    assert "400/400 rounds" in last
    assert f"{len(clf.ledger_)} mistakes" in last
    PerceptronClassifier(max_iter=2, random_state=0).fit(X, y)
    assert capsys.readouterr().err == ""


def test_keep_examples_false_leaves_last_and_average():
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


def test_fit_accepts_frames_of_mixed_dtypes():
    frame = pd.DataFrame({"a": [1, 2, -1, -2], "b": [True, False, True, False], "c": [0.5, 1, 1, 2]})
    assert (
        PerceptronClassifier(random_state=0)
        .fit(frame, ["x", "x", "o", "o"])
        .score(frame, ["x", "x", "o", "o"])
        == 1
    )


def test_explain_matches_frames_by_feature_name():
    pandas = pytest.importorskip("pandas")
    X, y = blobs(2, rows=40)
    frame = pandas.DataFrame(X, columns=[f"feature {i}" for i in range(X.shape[1])])
    clf = PerceptronClassifier(random_state=0).fit(frame, y)
    for row in (frame.iloc[[3]], frame.iloc[3]):
        assert clf.explain(row).score == pytest.approx(clf.decision_function(frame)[3])
    with pytest.raises(ValueError, match="feature names should match"):
        clf.explain(frame[frame.columns[::-1]].iloc[[3]])


@pytest.mark.parametrize("predictor", ["last", "best", "average", "vote", "sample"])
def test_predict_leaves_numpys_global_generator_alone(predictor):
    X, y = blobs(3, rows=60, apart=0.5)
    clf = PerceptronClassifier(predictor=predictor, max_iter=2).fit(X, y)
    ranker = PerceptronRanker(predictor=predictor).fit(X, y, qid=np.arange(60) // 6)
    words = [["a", "b"], ["b", "a"]]
    tagger = PerceptronTagger(predictor=predictor).fit(words, [["A", "B"], ["B", "A"]])
    before = np.random.get_state()[1:]  # noqa: NPY002
    clf.predict(X)
    clf.decision_function(X)
    ranker.predict(X)
    tagger.predict(words)
    for was, now in zip(before, np.random.get_state()[1:], strict=True):  # noqa: NPY002
        assert np.array_equal(was, now)


def test_csr_rows_of_single_precision_are_learned_from_in_double_without_a_kernel():
    X, y = blobs(2, rows=60, apart=0.5)
    single = sp.csr_array(X.astype(np.float32))
    found = PerceptronClassifier(random_state=0).fit(single, y)
    assert found.ledger_ == PerceptronClassifier(random_state=0).fit(single.astype(np.float64), y).ledger_
    assert found.run_.support.rows.data.dtype == np.float64
    kernel = PerceptronClassifier(kernels.RBF(gamma=0.5), random_state=0).fit(single, y)
    assert kernel.run_.support.rows.data.dtype == np.float32
