"""online.Classifier: any labels, and classes that come at any round."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import labelled_points, rejects
from rosenblatt import PerceptronClassifier, kernels, online

NAMES = np.array(["d", "b", "a", "c"])
NUMBERS = np.array([7, -1, 3, 0])
KERNELS = {"weights": None, "kernel": kernels.Polynomial(2)}


def one_by_one(learner, X, labels, form=list):
    for x, label in zip(X, labels.tolist(), strict=True):
        learner.add_example(form(x), label)
    return learner


def in_parts(X, labels, **options):
    """The estimator, whose first part is the shortest that has two classes."""
    clf = PerceptronClassifier(rule="perceptron", predictor="last", shuffle=False, max_iter=1, **options)
    both = int(np.argmax(labels != labels[0])) + 1
    clf.partial_fit(X[:both], labels[:both])
    for i in range(both, len(X)):
        clf.partial_fit(X[i : i + 1], labels[i : i + 1])
    return clf


def online_is_partial_fit(feed=one_by_one):
    @given(
        labelled_points(4, most=15), st.sampled_from([NAMES, NUMBERS]), st.sampled_from(sorted(KERNELS)),
        st.sampled_from(["argmax", "ovr"]), st.booleans(), st.sampled_from([list, lambda x: dict(enumerate(x))]),
    )  # fmt: skip
    def law(points, names, kernel, multiclass, intercept, form):
        X, y = points
        labels = names[y]
        if len(set(y.tolist())) < 2 or not (intercept or X.any(axis=1).all()):
            return
        options = {"kernel": KERNELS[kernel], "multiclass": multiclass, "fit_intercept": intercept}
        clf = in_parts(X, labels, **options)
        learner = feed(online.Classifier(rule="perceptron", **options), X, labels, form)
        assert learner.ledger == clf.ledger_
        assert learner.classes == clf.classes_.tolist()
        assert [learner.predict(form(x)) for x in X] == clf.predict(X).tolist()
        scores = [learner.decision_function(form(x)) for x in X]
        np.testing.assert_allclose(scores, clf.decision_function(X), atol=1e-9)

    return law


def test_online_classifier_is_partial_fit():
    online_is_partial_fit()()


def test_law_rejects_classes_that_restart_the_run():
    def restarting(learner, X, labels, form):
        for i, label in enumerate(labels.tolist()):
            if label not in learner.classes and i:
                learner = online.Classifier(
                    learner.task.run.kernel, rule="perceptron", multiclass=learner.task.multiclass
                )
            learner.add_example(form(X[i]), label)
        return learner

    rejects(online_is_partial_fit(restarting))


@given(labelled_points(3, most=12), st.permutations([0, 1, 2]), st.sampled_from(["argmax", "ovr"]))
def test_classes_known_beforehand_change_nothing_of_two(points, order, multiclass):
    X, y = points
    labels = NAMES[np.array(order)[y]]
    known = sorted(set(labels.tolist()))
    if len(known) != 2:
        return
    late = one_by_one(online.Classifier(multiclass=multiclass), X, labels)
    early = one_by_one(online.Classifier(multiclass=multiclass, classes=known), X, labels)
    assert late.ledger == early.ledger


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["ham", "spam"], str), ([2, 5], int), ([False, True], bool), ([np.int64(2), np.int64(5)], int),
        ([np.str_("ham"), np.str_("spam")], str), ([np.True_, np.False_], bool),
    ],
    ids=repr,
)  # fmt: skip
def test_predict_returns_labels_as_python_has_them(labels, kind):
    learner = online.Classifier()
    assert learner.predict([1.0, 0.0]) is None
    learner.add_example([1.0, 0.0], labels[0])
    assert learner.predict([5.0, 5.0]) == labels[0]
    assert learner.decision_function([1.0, 0.0]) > 0
    learner.add_example([0.0, 1.0], labels[1])
    found = [learner.predict([2.0, 0.0]), learner.predict([0.0, 2.0])]
    assert found == labels
    assert {type(label) for label in found} == {kind}


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (None, "must be a string, an integer or a boolean. Got None"),
        (float("nan"), "must be a string, an integer or a boolean. Got nan"),
        (["a", "b"], "has one label: .*sets of labels are for PerceptronClassifier"),
        ({"a"}, "has one label"),
        (0.5, "looks like numbers to be predicted"),
        ("a", r"Labels must be of one kind.* Got <U1 after int64"),
        (True, None),
        (False, r"strings, numbers or booleans\. Got False after 1"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kernel", [None, kernels.Linear()], ids=repr)
def test_add_example_rejects_labels_of_no_class(y, sentence, kernel):
    learner = online.Classifier(kernel)
    learner.add_example([1.0], 1)
    learner.add_example([-1.0], 2)
    if sentence is None:  # it equals a known label
        learner.add_example([1.0], y)
        assert learner.classes == [1, 2]
        return
    before = learner.ledger
    with pytest.raises(ValueError, match=sentence):
        learner.add_example([1.0], y)
    assert learner.ledger is before
    assert learner.classes == [1, 2]


@pytest.mark.parametrize("kernel", [None, kernels.Linear()], ids=repr)
@pytest.mark.parametrize("known", [0, 1, 2, 3])
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_an_example_that_fails_admits_no_class(kernel, known):
    learner = online.Classifier(kernel)
    for i in range(known):
        learner.add_example([1e150 * (i + 1), -1.0], i)
    for x, sentence in (([np.nan, 1.0], "finite"), ([1e250, 1e250], "not a finite number")):
        if sentence == "finite" or known > 1:
            with pytest.raises(ValueError, match=sentence):
                learner.add_example(x, 9)
    assert learner.classes == list(range(known))
    assert learner.ledger.rounds == known
    learner.add_example([1.0, 2.0], 9)
    assert learner.classes == [*range(known), 9]


def test_ties_need_the_positive_class():
    with pytest.raises(ValueError, match=r"needs to know which class is positive: pass classes="):
        online.Classifier(ties="positive", rule="perceptron")
    learner = online.Classifier(ties="positive", classes=["no", "yes"], rule="perceptron")
    learner.add_example({"a": 1}, "yes")
    assert (learner.predict({"a": 1}), len(learner.ledger)) == ("yes", 0)
    with pytest.raises(ValueError, match=r"is for two classes\. Got 3"):
        learner.add_example({"a": 1}, "perhaps")
    assert learner.classes == ["no", "yes"]


def test_constructor_rejects_unknown_games():
    with pytest.raises(ValueError, match=r"multiclass must be 'argmax' or 'ovr'\. Got 'ova'"):
        online.Classifier(multiclass="ova")


def weighted_is_fit(weight_of=lambda w: w):
    @given(labelled_points(3, most=12), st.lists(st.integers(0, 3), min_size=12, max_size=12), st.booleans())
    def law(points, weights, dual):
        X, y = points
        if len(set(y.tolist())) < 2:
            return
        kernel, weights = kernels.Polynomial(2) if dual else None, np.array(weights[: len(X)], float)
        if not weights.any():
            return
        clf = PerceptronClassifier(kernel, rule="perceptron", max_iter=1, shuffle=False, fit_intercept=True)
        learner = online.Classifier(
            kernel, rule="perceptron", fit_intercept=True, classes=sorted(set(y.tolist()))
        )
        for x, label, weight in zip(X, y.tolist(), weights.tolist(), strict=True):
            learner.learn_one(x, label, weight_of(weight))
        assert learner.ledger == clf.fit(X, y, sample_weight=weights).ledger_

    return law


def test_weighted_examples_are_those_of_fit():
    weighted_is_fit()()
    rejects(weighted_is_fit(lambda w: min(w, 1.0)))


@pytest.mark.parametrize("weight", [-1.0, float("nan"), "2", None, 1e99])
def test_add_example_rejects_weights(weight):
    learner = online.Classifier()
    for label in (1, -1):
        with pytest.raises(ValueError, match="weight of an example must be a number from 0 to 1e"):
            learner.add_example([1.0], label, weight)
    assert (learner.classes, learner.ledger.rounds) == ([], 0)


def test_intercepts_are_flags_or_auto():
    for kind in (online.Classifier, online.Tagger):
        with pytest.raises(ValueError, match=r"must be 'auto', True or False\. Got 'False'"):
            kind(fit_intercept="False")
