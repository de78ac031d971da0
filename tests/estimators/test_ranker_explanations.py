"""Explanations of the ranker: what makes a score, or puts a row above another, adds up to it."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import PerceptronRanker, kernels, load, save
from rosenblatt.theory.attributions import Attribution
from rosenblatt.theory.explanations import Explanation

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, size=(60, 4)).astype(float)
Y = np.digitize(X @ [2.0, -1.0, 0.0, 1.0], [-3, 3])
QID = np.repeat(np.arange(12), 5)
KERNELS = [None, kernels.Polynomial(2), kernels.RBF(sigma=2.0)]
FORMS = {"dense": np.asarray, "CSR": sp.csr_array}


def ranker(kernel=None, form=np.asarray, **options):
    return PerceptronRanker(kernel, max_iter=3, random_state=0, **options).fit(form(X), Y, qid=QID)


@cache
def fitted(kernel, form):
    """Return a ranker with one of the kernels, of rows in one of the forms."""
    return ranker(KERNELS[kernel], FORMS[form])


rows = st.lists(st.integers(-5, 5), min_size=4, max_size=4).map(np.array)


@given(
    rows,
    rows,
    st.integers(0, 2),
    st.sampled_from(sorted(FORMS)),
    st.sampled_from(["last", "best", "average"]),
)
def test_contributions_add_up(x, z, kernel, form, predictor):
    learner, form = fitted(kernel, form), FORMS[form]
    x, z = form(x[None].astype(float)), form(z[None].astype(float))
    score = {id(row): learner.decision_function(row, predictor=predictor)[0] for row in (x, z)}
    for by in ("features", "examples") if learner.kernel is None else ("examples",):
        one, two = learner.explain(x, predictor=predictor, by=by), learner.explain(x, z, predictor, by)
        for found, expected in ((one, score[id(x)]), (two, score[id(x)] - score[id(z)])):
            assert found.score == pytest.approx(expected)
            assert found.contribution.sum() == pytest.approx(expected)
            assert (np.diff(np.abs(found.contribution)) <= 1e-12).all()
        assert one.answer is None
        assert two.answer == {1: "above", -1: "below", 0: "equal"}[int(np.sign(two.score))]


@given(rows, rows)
def test_features_are_weights_times_differences(x, z):
    learner = fitted(0, "dense")
    found = learner.explain(x, over=z)
    expected = {f"x[{i}]": learner.coef_[0, i] * (x - z)[i] for i in range(4)}
    assert dict(zip(found.features, found.contribution, strict=True)) == {
        name: value for name, value in expected.items() if value
    }


def test_default_is_features_without_a_kernel_and_examples_with_one():
    assert isinstance(fitted(0, "dense").explain(X[0]), Attribution)
    assert isinstance(fitted(1, "dense").explain(X[0]), Explanation)


def test_examples_are_the_support_vectors_with_their_grades():
    learner = fitted(1, "CSR")
    found = learner.explain(sp.csr_array(X[[0]]), over=sp.csr_array(X[[7]]))
    assert found.labels.tolist() == Y[found.examples].tolist()
    gram = learner.kernel_(X[found.examples], X[[0, 7]])
    assert np.array_equal(found.similarity, gram[:, 0] - gram[:, 1])


def test_names_of_frames_are_shown():
    frame = pd.DataFrame(X, columns=["price", "near", "new", "stars"])
    learner = PerceptronRanker(random_state=0).fit(frame.assign(qid=QID), Y)
    found = learner.explain(frame.iloc[0], over=frame.iloc[[9]])
    assert set(found.features) <= set(frame.columns)
    assert str(found).splitlines()[-1] == (
        f"The score of the row over the other is {found.score:+.5g}; the answer is {found.answer}."
    )
    assert str(learner.explain(frame.iloc[0])).endswith(
        f"The score of the row is {found_score(learner, frame):+.5g}."
    )


def found_score(learner, frame):
    return learner.decision_function(frame.iloc[[0]])[0]


def test_kernels_on_objects_are_explained():
    words = ["aa", "ab", "bb", "b", "a", "abb"]
    kernel = kernels.Function(lambda a, b: float(a.count("a") * b.count("a")))
    learner = PerceptronRanker(kernel, strategy="best", shuffle=False, predictor="last").fit(
        words, [1, 0, 0, 0, 1, 0], [1] * 3 + [2] * 3
    )
    found = learner.explain("aaa", over="b")
    assert found.answer == "above"
    assert (
        found.contribution.sum()
        == learner.decision_function(["aaa"])[0] - learner.decision_function(["b"])[0]
    )


@pytest.mark.parametrize("kernel", [None, kernels.RBF(sigma=2.0)])
def test_explain_is_the_same_after_load(kernel, tmp_path):
    learner = ranker(kernel)
    save(learner, tmp_path / "ranker")
    assert str(load(tmp_path / "ranker").explain(X[0], over=X[1])) == str(learner.explain(X[0], over=X[1]))


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ({"by": "features"}, {"kernel": kernels.RBF(sigma=1.0)}, r"Got by='features' with RBF\(sigma=1.0\)"),
        ({"by": "rows"}, {}, "by must be one of 'features', 'examples'. Got 'rows'"),
        ({"predictor": "vote"}, {}, "explain takes a score apart, and 'vote' has none"),
        ({"predictor": "vote", "by": "examples"}, {}, "explain takes a score apart, and 'vote' has none"),
        ({"by": "examples"}, {"keep_examples": False}, "explain needs|keep_examples"),
        ({"over": X[:2]}, {}, "one row at a time. Got 2"),
        ({"over": X[0, :3]}, {}, "expecting 4 features"),
    ],
)
def test_explain_rejects_what_has_no_answer(arguments, options, sentence):
    learner = ranker(**options)
    with pytest.raises(ValueError, match=sentence):
        learner.explain(X[0], **arguments)


def test_a_ranker_without_examples_is_explained_by_features():
    learner = ranker(keep_examples=False)
    assert learner.explain(X[0]).score == pytest.approx(learner.decision_function(X[:1])[0])


def test_unfitted_rankers_say_so():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        PerceptronRanker().explain(X[0])
