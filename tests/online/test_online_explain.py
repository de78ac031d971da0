"""Explanations of online learners: parts that add up to the score, by name."""

import numpy as np
import pytest

from fixtures import model_data
from fixtures.playing import blobs
from rosenblatt import PerceptronClassifier, kernels, online

RBF = kernels.RBF(gamma=0.5)


def score_of(learner, x, label=None):
    if isinstance(learner, online.Ranker):
        return float(learner._scores_of([x])[0])
    scores = learner.decision_function(x)
    if len(learner.classes) == 2:
        return scores * (1 if label in (None, learner.classes[1]) else -1)
    return scores[learner.classes.index(learner.predict(x) if label is None else label)]


@pytest.mark.parametrize("index", range(model_data.ONLINE_LEARNERS))
def test_parts_add_up_to_the_score(index):
    learner, rounds = model_data.online_learner(index)
    for x, _ in rounds[:8] if hasattr(learner, "explain") else ():
        x = x[0] if isinstance(learner, online.Ranker) else x
        for label in (None, *getattr(learner, "classes", ())):
            found = learner.explain(x, label) if label is not None else learner.explain(x)
            given = getattr(found, "intercept", 0.0) + found.contribution.sum()
            assert found.score == pytest.approx(given)
            assert found.score == pytest.approx(score_of(learner, x, label))
            assert str(found).count("\n") >= 1


def test_explain_names_features():
    learner = online.Classifier(features="terms", fit_intercept=False)
    learner.learn_one("free:2 money", "spam")
    learner.learn_one("lunch free", "ham")
    learner.learn_one("late train:3", "travel")
    found = learner.explain("free:3 noon train lunch", "ham")
    assert set(found.features) == {"free", "lunch", "train"}
    assert dict(zip(found.features, found.value.tolist(), strict=True)) == {
        "free": 3.0,
        "lunch": 1.0,
        "train": 1.0,
    }
    array = online.Classifier()
    array.learn_one([1.0, 2.0], 1)
    array.learn_one([2.0, -1.0], 0)
    assert set(array.explain([1.0, 1.0]).features) <= {"x[0]", "x[1]"}


def test_explain_by_support_vectors_is_that_of_fit():
    X, y = blobs(3, rows=60, apart=0.5)
    learner = online.Classifier(RBF, classes=[0, 1, 2])
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn_one(x, label)
    fitted = PerceptronClassifier(RBF, max_iter=1, shuffle=False, predictor="last").fit(X, y)
    for x in X[:5]:
        mine, theirs = learner.explain(x), fitted.explain(x)
        assert mine.examples.tolist() == theirs.examples.tolist()
        np.testing.assert_allclose(mine.contribution, theirs.contribution)


def test_ranker_explains_why_a_row_is_above_another():
    for kernel in (None, RBF):
        ranker = online.Ranker(kernel)
        for i in range(6):
            ranker.add_example([[1.0 * i, 2.0], [3.0, -1.0 * i]], i % 2)
        first, second = [1.0, 5.0], [4.0, 0.5]
        found = ranker.explain(first, over=second)
        assert found.score == pytest.approx(float(np.subtract(*ranker._scores_of([first, second]))))
        assert found.answer == ("above" if ranker.find_best([first, second]) == 0 else "below")


def test_explain_rejects_what_there_is_not():
    learner = online.Classifier()
    learner.learn_one({"a": 1}, "x")
    with pytest.raises(ValueError, match=r"nothing to explain before two classes are known\. Got 1"):
        learner.explain({"a": 1})
    learner.learn_one({"b": 1}, "y")
    with pytest.raises(ValueError, match=r"label must be one of 'x', 'y'\. Got 'z'"):
        learner.explain({"a": 1}, "z")
