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
from rosenblatt.data import scales as data_scales
from rosenblatt.estimators import scales

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
    "sparse": sp.csr_array(APART),
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
    monkeypatch.setattr(data_scales, "_of_dense", lambda X: 1 / 0)
    for i in range(5):
        stream.partial_fit(APART[[i]], LABELS[[i]])


def test_predicting_and_validation_sets_do_not_warn():
    clf = learner().fit(ALIKE, LABELS, eval_set=(APART, LABELS))
    assert not warned(lambda: (clf.predict(APART), clf.score(APART, LABELS)))


def test_a_sample_of_the_rows_is_looked_at(monkeypatch):
    looked = []
    of = data_scales._of_dense
    monkeypatch.setattr(data_scales, "_of_dense", lambda X: looked.append(X.shape) or of(X))
    scales.warn_of_scales(np.tile(ALIKE, (1000, 1)))
    scales.warn_of_scales(np.zeros((50, 100_000)))
    assert looked == [(data_scales.LOOKED_AT, 3), (25, 100_000)]


def test_a_column_that_is_small_in_the_sample_only_is_silent():
    """As one that was scaled to [0, 1] by an outlier."""
    many = np.tile(ALIKE, (1000, 1))
    many[:, 0] /= 1e5
    assert warned(lambda: scales.warn_of_scales(many))
    many[17, 0] = -1.0
    assert not warned(lambda: scales.warn_of_scales(many))


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
