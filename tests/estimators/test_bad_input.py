"""Bad input: the error says why, and the state stays as it was."""

import numpy as np
import pytest
import scipy.sparse as sp

from fixtures.playing import blobs
from rosenblatt import PerceptronClassifier, kernels


def fitted():
    X, y = blobs(3, apart=2.0)
    return PerceptronClassifier(kernels.Polynomial(2), random_state=0, max_iter=2).fit(X, y), X, y


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
        (None, None, {"kernel": "laplacian"}, "Got 'laplacian'"),
        (None, None, {"kernel": "precomputed"}, r"must be square to fit\. Got shape \(200, 4\)"),
        (None, None, {"predictor": "mode"}, r"predictor must be one of 'last'.*Got 'mode'"),
        (None, None, {"multiclass": "ovo"}, "multiclass must be one of"),
        (None, None, {"max_iter": 0}, r"max_iter must be an integer ≥ 1\. Got 0"),
        (None, None, {"max_iter": 2.5}, r"Got 2\.5"),
        (None, None, {"block_size": "big"}, "block_size must be an integer"),
        (None, None, {"ties": "positive"}, r"ties='positive' is for two classes\. Got 3"),
        (None, None, {"start": "random"}, "a learner with a kernel does not have"),
        (None, None, {"keep_examples": False}, "must keep its examples"),
        (None, None, {"rule": "hinge"}, "Got 'hinge'"),
        (None, None, {"rule": "perceptron", "learning_rate": -1}, "must be a positive number"),
        (None, None, {"rule": "perceptron", "learning_rate": "a"}, "must be a positive number. Got 'a'"),
        (None, None, {"rule": 3}, "an object with required_margin, parameters, step and bound. Got 3"),
        (None, None, {"fit_intercept": "no"}, "fit_intercept must be 'auto', True or False. Got 'no'"),
        (None, None, {"random_state": -1}, "random_state must be None, an integer"),
        (None, None, {"class_weight": {0: -1.0}}, "Weights must be numbers from 0 .*Got -1"),
        (None, None, {"class_weight": {0: np.nan}}, "Weights must be numbers from 0 .*Got nan"),
        (lambda X: X * 1e160, None, {"kernel": None}, "squared norm .* numbers too large"),
        (lambda X: X * 1e160, None, {"kernel": None, "rule": "perceptron"}, "score of row .* not a finite"),
        (lambda X: X * 1e160, None, {"kernel": kernels.Linear()}, "score of row .* not a finite number"),
        (lambda X: sp.csr_matrix(X * 1e160), None, {"kernel": kernels.RBF(1.0)}, "not a finite number"),
        (None, None, {"kernel": lambda X, Z: sp.csr_array(X @ Z.T)}, "Got a sparse matrix"),
        (lambda X: dict(enumerate(X)), None, {"kernel": kernels.Function(np.dot)}, "Got dict"),
    ],
)
def test_fit_rejects_bad_input_and_keeps_the_model(X, y, options, sentence):
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


def test_partial_fit_rejects_bad_input_and_keeps_the_model():
    clf, X, y = fitted()
    before = clf.ledger_
    for bad_X, bad_y, sentence in [
        (X[:, :3], y, "expecting 4 features"),
        (with_value(X, np.nan), y, "contains NaN"),
        (X, np.full(len(y), "9"), "Labels must be of one kind"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            clf.partial_fit(bad_X, bad_y)
    with pytest.raises(ValueError, match=r"classes may grow and not shrink: .* without 2"):
        clf.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"at least 1 classes .* Got 0 classes"):
        PerceptronClassifier().partial_fit(X, y, classes=[])
    with pytest.raises(ValueError, match="would balance each chunk separately"):
        PerceptronClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])
    assert clf.ledger_ is before
    assert clf.partial_fit(X, y).ledger_.rounds == before.rounds + len(X)


def test_partial_fit_rejects_values_that_would_overflow():
    X, y = blobs(2, rows=40)
    for form in (np.asarray, sp.csr_matrix):
        clf = PerceptronClassifier().fit(form(X), y)
        before, weights = clf.ledger_, clf.coef_
        with pytest.raises(ValueError, match=r"takes values up to 1e\+75.*Got .*e\+20"):
            clf.partial_fit(form(X * 1e200), y)
        assert clf.ledger_ is before
        assert np.array_equal(clf.coef_, weights)


@pytest.mark.parametrize("feature", [-1, 20, 2**30])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"fit_intercept": False}, {"multiclass": "ovr"}, {"kernel": kernels.RBF(sigma=1.0)}],
    ids=str,
)
def test_fit_rejects_column_indices_out_of_range(parameters, feature):
    """Compiled loops would read or write out of bounds."""
    X, y = sp.random(50, 20, 0.3, format="csr", random_state=0) + sp.eye_array(50, 20), np.arange(50) % 3
    clf = PerceptronClassifier(**parameters).fit(X, y)
    before = clf.ledger_
    X.indices[40] = feature
    for learn in (clf.fit, clf.partial_fit):
        with pytest.raises(ValueError, match="column index of a sparse matrix must be from 0 to 19"):
            learn(X, y)
        assert clf.ledger_ is before


@pytest.mark.parametrize("pointer", [10**9, -5])
@pytest.mark.parametrize("kernel", [None, kernels.RBF(sigma=1.0)])
def test_fit_rejects_broken_row_pointers(kernel, pointer):
    X, y = sp.random(50, 20, 0.3, format="csr", random_state=0), np.arange(50) % 2
    X.indptr[10] = pointer
    with pytest.raises(ValueError, match="row pointer of a sparse matrix must rise from 0"):
        PerceptronClassifier(kernel).fit(X, y)


@pytest.mark.parametrize("features", [2**32 - 1, 2**40])
def test_fit_rejects_too_many_features(features):
    X = sp.csr_array(([1.0, 1.0], np.array([1, features - 1]), np.array([0, 1, 2])), shape=(2, features))
    with pytest.raises(ValueError, match=f"at most 4,294,967,294 features. Got {features:,}: hash them"):
        PerceptronClassifier().fit(X, [0, 1])


def test_fit_does_not_truncate_64_bit_column_indices():
    X = sp.csr_array(([1.0, 1.0], np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 4))
    X.indices = np.array([0, 2**32 + 1])
    with pytest.raises(ValueError, match="from 0 to 3"):
        PerceptronClassifier().fit(X, [0, 1])


@pytest.mark.parametrize("predictor", ["last", "best", "average", "vote", "sample"])
@pytest.mark.parametrize("kernel", [None, kernels.RBF(sigma=1.0), kernels.Linear()])
def test_predict_names_rows_with_non_finite_scores(kernel, predictor):
    X, y = blobs(2, rows=40)
    clf = PerceptronClassifier(kernel, predictor=predictor, random_state=0, rule="perceptron").fit(X, y)
    X[7] = [1.7e308] * X.shape[1]
    for ask in (clf.predict, clf.decision_function):
        with pytest.raises(ValueError, match="score of row 7 is not a finite number"):
            ask(X)


DAYS = np.array(["2020-01-01", "2020-01-03", "2020-02-01"], "datetime64[ns]")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (DAYS, r"column 'odd' is of type datetime64\[ns\].*days since a date"),
        (DAYS - DAYS[0], r"column 'odd' is of type timedelta64"),
        (["x", "y", "z"], "column 'odd' holds 'x'.*OneHotEncoder"),
        ([1, "y", None], "column 'odd' holds 'y'"),
    ],
)
def test_fit_names_columns_that_are_not_numbers(values, sentence):
    pd = pytest.importorskip("pandas")
    odd = pd.Series(values)
    for frame in (
        pd.DataFrame({"odd": odd}),
        pd.DataFrame({"even": [1.0, 2.0, 3.0], "odd": odd}),
        pd.DataFrame(
            {"even": [1.0, 2.0, 3.0], "odd": odd.astype("category") if odd.dtype == object else odd}
        ),
    ):
        with pytest.raises(ValueError, match=f"rows of numbers, and {sentence}"):
            PerceptronClassifier().fit(frame, [0, 1, 1])
    zoned = pd.DataFrame({"odd": pd.Series(DAYS).dt.tz_localize("UTC"), "even": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"column 'odd' is of type datetime64\[ns, UTC\]"):
        PerceptronClassifier().fit(zoned, [0, 1, 1])


def test_fit_rejects_arrays_of_dates():
    with pytest.raises(ValueError, match=r"rows of numbers, and it is of type datetime64\[ns\]"):
        PerceptronClassifier().fit(DAYS[:, None], [0, 1, 1])


def test_fit_rejects_labels_of_mixed_types():
    with pytest.raises(ValueError, match=r"Every row must have a label. Got None for row 1"):
        PerceptronClassifier().fit(np.eye(4), np.array(["a", None] * 2, object))


def test_fit_accepts_large_unsigned_labels():
    labels = np.array([0, 1, 5], np.uint64) + np.uint64(2**63)
    assert np.array_equal(PerceptronClassifier().fit(np.eye(3), labels).classes_, labels)


@pytest.mark.parametrize(
    "labels", [[1, "a"] * 10, [True, "a"] * 10, ["a", 0.5] * 10, np.array([1, "a"] * 10, object)], ids=str
)
def test_labels_of_mixed_kinds_are_refused(labels):
    with pytest.raises(ValueError, match=r"Labels must be of one kind, or they have no order\. Got .*str"):
        PerceptronClassifier().fit(np.eye(20), labels)


def test_fit_warns_of_numbers_to_be_predicted():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    with pytest.warns(UserWarning, match="different numbers in 60 rows.*numpy.digitize") as caught:
        PerceptronClassifier(random_state=0).fit(X, random.integers(0, 100_000, 60))
    assert caught[0].filename == __file__
    for labels in (np.arange(60) % 26, np.arange(60) // 4 * 1000, [f"{i}" for i in range(60)]):
        PerceptronClassifier(random_state=0).fit(X, labels)
    PerceptronClassifier(random_state=0).fit(X[:19], np.arange(19) * 1000)
