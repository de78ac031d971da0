"""The warning about columns whose scales are far apart: which data causes it, and which must not."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.ensemble import VotingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, QuantileTransformer, StandardScaler

from rosenblatt import PerceptronClassifier, PerceptronRanker, ScaleWarning, kernels
from rosenblatt.estimators import inputs

RANDOM = np.random.default_rng(0)
ROWS = 200
ALIKE = RANDOM.uniform(-3.0, 3.0, size=(ROWS, 3))
ALIKE[0] = 3.0
APART = ALIKE * [1.0, 7000.0, 20.0]
LABELS = ALIKE[:, 0] > 0
QUERIES = np.repeat(np.arange(ROWS // 10), 10)


def learner(**options):
    return PerceptronClassifier(max_iter=2, random_state=0, **options)


def warned(call):
    """Return the texts of the scale warnings of a call; other warnings are errors."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", ScaleWarning)
        call()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("kernel", [None, kernels.RBF(sigma=1.0), "poly", kernels.Linear() + 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fit_warns_once_and_names_the_columns(kernel, dtype):
    frame = pd.DataFrame(APART.astype(dtype), columns=["age", "income", "hours"])
    (text,) = warned(lambda: learner(kernel=kernel).fit(frame, LABELS))
    assert "differ by a factor above 1,000: 'income' up to 20,000, 'hours' up to 60, 'age' up to 3. " in text
    assert "StandardScaler" in text
    assert "QuantileTransformer" in text
    (text,) = warned(lambda: learner(kernel=kernel).fit(APART, LABELS))
    assert "column 1 up to 20,000, column 2 up to 60, column 0 up to 3." in text


def test_sparse_rows_and_dicts_are_looked_at():
    names = ["age", "income", "hours"]
    (text,) = warned(lambda: learner().fit(sp.csr_array(APART), LABELS))
    assert "column 1 up to 20,000, column 2 up to 60, column 0 up to 3." in text
    dicts = [dict(zip(names, row, strict=True)) | {"job": "clerk"} for row in APART.tolist()]
    (text,) = warned(lambda: learner().fit(dicts, LABELS))
    assert "'income' up to 20,000, 'hours' up to 60, 'job=clerk' up to 1." in text
    whole = [{"age": 20 + i % 60, "income": 1000 * (i % 90)} for i in range(ROWS)]
    (text,) = warned(lambda: learner().fit(whole, LABELS))
    assert "'income' up to 90,000, 'age' up to 80." in text


def test_a_sparse_column_that_is_small_in_the_sample_only_is_silent():
    many = np.tile(APART, (1000, 1))
    many[17, [0, 2]] = 1000.0
    assert not warned(lambda: inputs.warn_of_scales(sp.csr_array(many)))


def test_not_a_number_in_sparse_rows_is_left_to_the_pass():
    rows = sp.csr_array(APART)
    rows.data[7] = np.nan
    with pytest.raises(ValueError, match=r"row 2 .* contains NaN"):
        learner().fit(rows, LABELS)


def test_warning_points_at_the_line_that_called_fit():
    for fit in (learner().fit, learner().partial_fit):
        with pytest.warns(ScaleWarning) as caught:
            fit(APART, LABELS)
        assert caught[0].filename == __file__
    with pytest.warns(ScaleWarning) as caught:
        PerceptronRanker(random_state=0).fit(APART, LABELS.astype(int), qid=QUERIES)
    assert caught[0].filename == __file__


def test_ranker_warns_too():
    frame = pd.DataFrame(APART, columns=["near", "price", "stars"]).assign(qid=QUERIES * 10**6)
    (text,) = warned(lambda: PerceptronRanker(max_iter=1).fit(frame, LABELS.astype(int)))
    assert "'price' up to 20,000, 'stars' up to 60, 'near' up to 3" in text
    assert "training rows" in text


def one_hot(columns):
    """Return indicator columns, the last of them rare."""
    rare = np.minimum(np.arange(ROWS), columns - 1)[::-1]
    return OneHotEncoder(sparse_output=False).fit_transform(rare[:, None])


SILENT = {
    "alike": ALIKE,
    "constant columns": np.hstack([ALIKE, np.full((ROWS, 1), 1e6), np.full((ROWS, 1), 1e-6)]),
    "only one column varies": np.hstack([np.ones((ROWS, 1)), 1e5 * ALIKE[:, :1]]),
    "all constant": np.ones((ROWS, 3)),
    "indicators beside standardised columns": np.hstack([StandardScaler().fit_transform(APART), one_hot(30)]),
    "dense counts": RANDOM.poisson([0.01, 0.1, 1.0, 300.0], size=(ROWS, 4)),
    "pixels": RANDOM.integers(0, 256, size=(ROWS, 9)) * RANDOM.random(9),
    "sparse counts": sp.csr_array(RANDOM.poisson([0.01, 0.1, 1.0, 300.0], size=(ROWS, 4)) * [1, 1, 1, 9]),
    "sparse rows, of which few have small values": sp.csr_array(
        np.hstack([ALIKE, np.eye(ROWS, 19, -3) * 1e-5])
    ),
    "rounding errors of constants": np.hstack([ALIKE, ALIKE[:, :1] * 1e-15, ALIKE[:, :1] * 1e-10]),
    "few rows": APART[:19],
    "a rare outlier beside standardised columns": np.hstack([ALIKE, np.eye(ROWS, 1, -3) * 14.0 - 0.07]),
    "booleans": ALIKE > 0,
}


@pytest.mark.parametrize("name", SILENT)
def test_fit_is_silent(name):
    X = SILENT[name]
    y = LABELS[: X.shape[0]]
    for kernel in (None, kernels.RBF(sigma=1.0)):
        assert not warned(lambda kernel=kernel: learner(kernel=kernel).fit(X, y))
    assert not warned(
        lambda: PerceptronRanker(random_state=0).fit(X, y.astype(int), qid=QUERIES[: X.shape[0]])
    )


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), QuantileTransformer(n_quantiles=50)])
def test_pipelines_that_scale_are_silent(scaler):
    heavy = np.hstack([APART, np.exp(4 * ALIKE[:, :1]), np.eye(ROWS, 1, -5)])
    assert not warned(lambda: make_pipeline(scaler, learner()).fit(heavy, LABELS))
    assert not warned(lambda: make_pipeline(scaler, learner(kernel="rbf")).fit(heavy, LABELS))


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        ("precomputed", APART @ APART.T),
        (lambda A, B: A @ B.T, APART),
        (kernels.Function(lambda a, b: float(a @ b)), list(APART)),
    ],
)
def test_kernels_that_weigh_columns_themselves_are_silent(kernel, X):
    assert not warned(lambda: learner(kernel=kernel).fit(X, LABELS))


def test_partial_fit_looks_once_at_the_first_rows_that_are_enough():
    stream = learner()
    assert not warned(lambda: stream.partial_fit(APART[:1], LABELS[:1], classes=[False, True]))
    assert len(warned(lambda: stream.partial_fit(APART[1:100], LABELS[1:100]))) == 1
    assert not warned(lambda: stream.partial_fit(APART[100:], LABELS[100:]))
    assert len(warned(lambda: stream.fit(APART, LABELS))) == 1
    assert not warned(lambda: stream.partial_fit(APART, LABELS))


def test_partial_fit_of_a_row_looks_at_no_column(monkeypatch):
    stream = learner().partial_fit(ALIKE, LABELS)
    monkeypatch.setattr(inputs, "_of_dense", lambda X: 1 / 0)
    for i in range(5):
        stream.partial_fit(APART[[i]], LABELS[[i]])


def test_predicting_and_validation_sets_do_not_warn():
    clf = learner().fit(ALIKE, LABELS, eval_set=(APART, LABELS))
    assert not warned(lambda: (clf.predict(APART), clf.score(APART, LABELS)))


def test_a_sample_of_the_rows_is_looked_at(monkeypatch):
    looked = []
    of = inputs._of_dense
    monkeypatch.setattr(inputs, "_of_dense", lambda X: looked.append(X.shape) or of(X))
    inputs.warn_of_scales(np.tile(ALIKE, (1000, 1)))
    inputs.warn_of_scales(np.zeros((50, 100_000)))
    assert looked == [(inputs.LOOKED_AT, 3), (2 * inputs.ENOUGH, 100_000)]


def of_large(rows, columns, large, form=np.asarray):
    """Rows of which the first column is large in some."""
    X = np.random.default_rng(1).uniform(0.1, 1.0, (rows, columns))
    X[large, 0] *= 1e5
    return form(X)


@pytest.mark.parametrize(
    "X",
    [
        of_large(3000, 9000, slice(600, 1200)),  # one of five groups
        of_large(9910, 4, np.arange(9910) % 100 >= 10),
        of_large(99_010, 4, np.arange(99_010) % 1000 >= 10),
        of_large(40_000, 4, slice(0, 4000)),
        of_large(40_000, 4, slice(20_000, 24_000)),
        of_large(40_000, 4, slice(36_000, 40_000)),
        *(
            of_large(2000, columns, slice(None), lambda X: sp.csr_array(X * (X > 0.19)))
            for columns in (20, 330, 900)
        ),
    ],
    ids=lambda X: f"{X.shape[0]}x{X.shape[1]}",
)
def test_large_values_are_found_wherever_they_are(X):
    assert inputs.far_apart(X)[0][0] == 0


def test_a_column_that_is_small_in_the_sample_only_is_silent():
    """As one that was scaled to [0, 1] by an outlier."""
    many = np.tile(ALIKE, (1000, 1))
    many[:, 0] /= 1e5
    assert warned(lambda: inputs.warn_of_scales(many))
    many[17, 0] = -1.0
    assert not warned(lambda: inputs.warn_of_scales(many))


def test_warning_is_an_error_if_asked_for():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ScaleWarning)
        clf = learner().fit(ALIKE, LABELS)
        before = clf.ledger_
        with pytest.raises(ScaleWarning):
            clf.fit(APART, LABELS)
        assert clf.ledger_ is before
        with pytest.raises(ScaleWarning):
            VotingClassifier([("p", learner())]).fit(APART, LABELS)


def test_calibration_warns_once():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2)) * [1.0, 1e5]
    with warnings.catch_warnings(action="always", record=True) as caught:
        PerceptronClassifier(calibration=0.2, random_state=0).fit(X, X[:, 0] > 0)
    assert len([each for each in caught if issubclass(each.category, ScaleWarning)]) == 1


def test_far_apart_names_the_largest_columns_and_the_smallest():
    small = RANDOM.uniform(0.5, 1, size=(30, 1))
    X = np.hstack([small, small * 5000, small * 20, np.full((30, 1), 1e9)])
    assert [column for column, _ in inputs.far_apart(X)] == [1, 2, 0]
    assert [column for column, _ in inputs.far_apart(sp.csr_array(X[:, :3]))] == [1, 2, 0]
    assert [column for column, _ in inputs.far_apart(X[:19])] == [1, 2, 0]
    assert inputs.far_apart(X[:, [0, 2]]) == []
    assert inputs.far_apart(np.zeros((30, 0))) == []


def test_far_apart_is_silent_for_sparse_counts_and_rare_features():
    counts = RANDOM.integers(0, 2, size=(30, 4)) * [1, 1, 1, 5000]
    assert inputs.far_apart(sp.csr_array(counts.astype(float))) == []
    assert inputs.far_apart(counts.astype(float)) != []
    rare = RANDOM.uniform(0.5, 1, size=(30, 2))
    rare[1:, 1], rare[0, 1] = 0, 1e-5
    assert inputs.far_apart(sp.csr_array(rare)) == []
