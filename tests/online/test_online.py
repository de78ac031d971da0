"""online.Classifier: forms of examples, and errors."""

import pickle
import signal

import numpy as np
import pytest
import scipy.sparse as sp

from fixtures.playing import blobs
from rosenblatt import PerceptronClassifier, kernels, online
from rosenblatt.engine.packed import PackedRounds
from rosenblatt.engine.passes import Pass


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_add_example_treats_arrays_sparse_rows_and_dicts_alike(kernel):
    X, y = blobs(2, rows=60, apart=0.5)
    X[np.abs(X) < 0.5] = 0
    names = ["alpha", "beta", "gamma", "delta"]
    forms = {
        "array": list(X),
        "list": X.tolist(),
        "sparse": [sp.csr_matrix(x) for x in X],
        "dict": [{n: v for n, v in zip(names, x, strict=True) if v} for x in X],
    }
    ledgers, scores = {}, {}
    for form, examples in forms.items():
        learner = online.Classifier(kernel)
        for x, label in zip(examples, 2 * y - 1, strict=True):
            learner.decision_function(x)
            learner.add_example(x, label)
        ledgers[form] = learner.ledger.mistakes.tolist()
        scores[form] = [learner.decision_function(x) for x in examples]
    fitted = PerceptronClassifier(kernel, max_iter=1, shuffle=False, predictor="last").fit(X, 2 * y - 1)
    for form in forms:
        assert ledgers[form] == fitted.ledger_.mistakes.tolist()
        np.testing.assert_allclose(scores[form], fitted.decision_function(X), atol=1e-9)


NAMED = [
    {"size": 2.0, "colour": "red"},
    {"size": 1.0, "colour": "blue", "tags": ["old", "small"]},
    {"colour": "red", "at": {"x": 1.0, "side": "left"}},
    {"tags": {"old"}, "big": True},
]
SPELLED = [
    {"size": 2.0, "colour=red": 1},
    {"size": 1.0, "colour=blue": 1, "tags=old": 1, "tags=small": 1},
    {"colour=red": 1, "at.x": 1.0, "at.side=left": 1},
    {"tags=old": 1, "big": 1},
]


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
@pytest.mark.parametrize("predict", [False, True])
def test_add_example_reads_strings_lists_and_dicts_as_features(kernel, predict):
    learners = [online.Classifier(kernel) for _ in range(3)]
    for _ in range(3):
        for i, (named, spelled) in enumerate(zip(NAMED, SPELLED, strict=True)):
            mixed = named if i % 2 else spelled
            if predict:
                scores = [
                    learner.decision_function(x)
                    for learner, x in zip(learners, (named, spelled, mixed), strict=True)
                ]
                assert len(set(scores)) == 1
            for learner, x in zip(learners, (named, spelled, mixed), strict=True):
                learner.add_example(x, 1 if i % 2 else -1)
    assert learners[0].ledger == learners[1].ledger == learners[2].ledger
    assert learners[0].decision_function({"size": 3.0, "colour": "green"}) == learners[1].decision_function(
        {"size": 3.0, "colour=green": 1}
    )


def test_add_example_adds_up_features_that_print_alike():
    both, once = online.Classifier(rule="passive-aggressive"), online.Classifier(rule="passive-aggressive")
    for label in (1, -1):
        both.add_example({"a=b": 2.0, "a": "b", "c": 1.0}, label)
        once.add_example({"a=b": 3.0, "c": 1.0}, label)
    assert both.ledger.amount.tolist() == once.ledger.amount.tolist()


def test_predict_learns_nothing():
    learner = online.Classifier(rule="perceptron")
    learner.add_example({"a": 1.0}, 1)
    assert learner.decision_function({"never seen": 5.0}) == 1.0  # the intercept alone
    learner.add_example({"b": 1.0}, 1)
    assert learner.decision_function({"never seen": 5.0}) == 1.0
    assert len(learner.ledger) == 1


def test_add_example_keeps_weights_as_the_vocabulary_grows():
    learner = online.Classifier(fit_intercept=False)
    for i in range(300):
        learner.add_example({f"word {i}": 1.0}, 1 if i % 2 else -1)
    assert [learner.decision_function({f"word {i}": 1.0}) for i in range(300)] == [
        1.0 if i % 2 else -1.0 for i in range(300)
    ]


def test_add_example_accepts_an_empty_first_example():
    for empty in ({}, np.empty(0)):
        learner = online.Classifier()
        learner.add_example(empty, 1)
        assert learner.decision_function(empty) == 1.0  # the intercept alone


def test_classifier_learns_objects_with_a_kernel():
    learner = online.Classifier(kernels.Function(lambda a, b: float(len(a & b))))
    learner.add_example({1, 2, 3}, 1)
    learner.add_example({7, 8}, -1)
    assert learner.decision_function({2, 3}) > 0 > learner.decision_function({7, 8})


def test_predict_by_average_and_best_matches_fit():
    X, y = blobs(2, rows=60, apart=0.5)
    for predictor in ("best", "average"):
        learner = online.Classifier(predictor=predictor)
        for x, label in zip(X, 2 * y - 1, strict=True):
            learner.add_example(x, label)
        fitted = PerceptronClassifier(max_iter=1, shuffle=False, predictor=predictor).fit(X, y)
        np.testing.assert_allclose([learner.decision_function(x) for x in X], fitted.decision_function(X))


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([1.0, 2.0], None, r"must be a string, an integer or a boolean\. Got None"),
        ([1.0, np.nan], "new", "Labels must be of one kind|finite number"),
        ([1.0, np.nan], 7, "finite number"),
        ([1.0, 2.0, 3.0], 1, r"must have 2 features, as the first\. Got 3"),
        ([1.0, np.nan], 1, "finite number"),
        ([[1.0, 2.0], [3.0, 4.0]], 1, r"one row\. Got an array of shape \(2, 2\)"),
        ({"a": 1.0}, 1, r"of one kind.*Got dict"),
    ],
)
@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
def test_add_example_rejects_bad_examples_and_keeps_the_state(x, y, sentence, kernel):
    learner = online.Classifier(kernel)
    learner.add_example([1.0, 2.0], 1)
    before = learner.ledger
    with pytest.raises(ValueError, match=sentence):
        learner.add_example(x, y)
    assert learner.ledger is before
    assert learner.decision_function([1.0, 2.0]) > 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kernel": "precomputed"}, "can evaluate on new examples"),
        ({"kernel": kernels.Precomputed()}, "can evaluate on new examples"),
        ({"predictor": "vote"}, "Got 'vote'"),
        ({"ties": "never"}, "Got 'never'"),
    ],
)
def test_classifier_rejects_invalid_options(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        online.Classifier(**options)


def test_add_example_copies_the_example():
    x = np.array([1.0, 2.0])
    row = sp.csr_array([[1.0, 2.0]])
    for example, values in ((x, x), (row, row.data)):
        learner = online.Classifier(predictor="best", rule="perceptron")
        for _ in range(3):
            learner.add_example(example, 1)
        values *= 100
        assert learner.decision_function([3.0, 1.0]) == 6.0


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_add_example_matches_fit_over_many_mistakes(kernel):
    """More corrections than are buffered, with predictions in between."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(900, 5)), random.integers(2, size=900)
    learner = online.Classifier(kernel, predictor="best")
    for i, (x, label) in enumerate(zip(X, 2 * y - 1, strict=True)):
        learner.add_example(x, label)
        if i % 111 == 0:
            learner.decision_function(x)
    fitted = PerceptronClassifier(kernel, max_iter=1, shuffle=False, predictor="best").fit(X, y)
    assert len(learner.ledger) > 300
    assert learner.ledger.mistakes.tolist() == fitted.ledger_.mistakes.tolist()
    np.testing.assert_allclose(
        [learner.decision_function(x) for x in X[:50]], fitted.decision_function(X[:50])
    )


@pytest.mark.parametrize("predictor", ["last", "best", "average"])
def test_add_example_is_atomic_under_ctrl_c(monkeypatch, predictor):
    examples = [({"a": 1.0}, 1), ({"a": 1.0}, 1), ({"a": 1.0}, 1), ({"b": 1.0}, -1), ({"a": -3.0}, 1)]
    whole, learner = online.Classifier(predictor=predictor), online.Classifier(predictor=predictor)
    driver = Pass if predictor == "best" else PackedRounds
    true_play = driver.play

    def interrupted(self, *arguments, **options):
        true_play(self, *arguments, **options)
        signal.raise_signal(signal.SIGINT)

    for x, label in examples:
        whole.add_example(x, label)
        with monkeypatch.context() as patch:
            patch.setattr(driver, "play", interrupted)
            with pytest.raises(KeyboardInterrupt):
                learner.add_example(x, label)
    assert learner.ledger == whole.ledger
    assert (
        learner.decision_function({"a": 1.0, "b": 2.0}) == whole.decision_function({"a": 1.0, "b": 2.0}) != 0
    )


def test_add_example_accepts_rows_of_sparse_arrays():
    X = sp.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    for kernel in (None, kernels.RBF(gamma=0.5)):
        learner = online.Classifier(kernel)
        learner.add_example(X[0], 1)
        learner.add_example(X[1], -1)
        assert learner.decision_function(X[0]) > 0 > learner.decision_function(X[1])


@pytest.mark.parametrize("kernel", [None, kernels.Linear(), kernels.RBF(gamma=0.5)])
def test_add_example_accepts_mixed_dense_and_sparse_rows(kernel):
    X, y = blobs(2, rows=60, apart=0.5)
    mixed, dense = online.Classifier(kernel, predictor="best"), online.Classifier(kernel, predictor="best")
    for i, (x, label) in enumerate(zip(X, 2 * y - 1, strict=True)):
        mixed.add_example(sp.csr_array(x) if i % 3 else x, label)
        dense.add_example(x, label)
        assert mixed.decision_function(x) == pytest.approx(dense.decision_function(x))
    assert mixed.ledger.mistakes.tolist() == dense.ledger.mistakes.tolist()


@pytest.mark.parametrize(
    ("began", "kernel"),
    [(name, None) for name in ("last", "best", "average", "recent")] + [("last", kernels.RBF(gamma=0.5))],
)
def test_predictor_can_be_changed_while_learning(began, kernel):
    X, y = blobs(2, rows=60, apart=0.5)
    learner = online.Classifier(kernel, predictor=began)
    others = {name: online.Classifier(kernel, predictor=name) for name in ("last", "best", "average")}
    for x, label in zip(X, 2 * y - 1, strict=True):
        for each in (learner, *others.values()):
            each.add_example(x, label)
    for name, other in others.items():
        if name != "best" or began == "best" or kernel is not None:
            learner.predictor = name
            assert learner.predictor == name
            np.testing.assert_allclose(
                [learner.decision_function(x) for x in X], [other.decision_function(x) for x in X]
            )


@pytest.mark.parametrize("learner", [online.Classifier(), online.Ranker(), online.Tagger()])
def test_predictor_rejects_what_it_cannot_answer_by(learner):
    for predictor, sentence in [
        ("vote", r"predictor must be one of last, best, average, recent\. Got 'vote'"),
        ("best", r"'best' needs a record .*Begin one with predictor='best'"),
        ("recent", r"'recent' needs a record .*Begin one with predictor='recent'"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            learner.predictor = predictor
    assert learner.predictor == "last"


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize("kernel", [None, kernels.Linear()], ids=repr)
@pytest.mark.parametrize("predictor", ["last", "best", "average", "recent"])
def test_values_that_overflow_are_reported_as_the_examples(kernel, predictor):
    learner = online.Classifier(kernel, predictor=predictor, rule="perceptron")
    for _ in range(3):  # the best guess is the second, after the first was wrong
        learner.add_example([1e150, 1.0], 1)
    for ask in (learner.decision_function, lambda x: learner.add_example(x, -1)):
        with pytest.raises(
            ValueError, match=r"score of this example is not a finite number.*Scale the values"
        ):
            ask([1e200, 1.0])
    ranker = online.Ranker(kernel, predictor=predictor, rule="perceptron")
    lists = [[1e200, 1.0], [0.0, 0.0]]
    for _ in range(3):
        ranker.add_example([[1e150, 1.0], [0.0, 0.0]], 0)
    for ask in (ranker.rank, lambda x: ranker.add_example(x, 1)):
        with pytest.raises(
            ValueError, match=r"score of this example is not a finite number.*Scale the values"
        ):
            ask(lists)
    with pytest.raises(ValueError, match="must be made of finite numbers"):
        ranker.add_example([[np.nan, 1.0], [0.0, 0.0]], 0)


@pytest.mark.parametrize("predictor", ["last", "best", "average", "recent"])
@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_pickled_learner_continues(kernel, predictor):
    X, y = blobs(2, rows=60, apart=0.5)
    learner = online.Classifier(kernel, predictor=predictor)
    for x, label in zip(X[:30], 2 * y - 1, strict=False):
        learner.add_example(x, label)
    again = pickle.loads(pickle.dumps(learner))
    for x, label in zip(X[30:], 2 * y[30:] - 1, strict=True):
        learner.add_example(x, label)
        again.add_example(x, label)
    assert again.ledger == learner.ledger
    assert [again.decision_function(x) for x in X] == [learner.decision_function(x) for x in X]


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        ({"a": None}, r"finite number.* Got None for 'a'\."),
        ({"a": 1, "b": 10**400}, "Got 1000.* for 'b'"),
        ({"a": float("nan")}, "Got nan for 'a'"),
    ],
)
def test_add_example_names_the_bad_value(x, sentence):
    with pytest.raises(ValueError, match=sentence):
        online.Classifier().add_example(x, 1)


def test_add_example_rejects_names_for_functions_as_kernels():
    learner = online.Classifier(lambda X, Z: X @ Z.T)
    with pytest.raises(ValueError, match="Named features need a kernel of inner products"):
        learner.add_example({"a": 1.0}, 1)
