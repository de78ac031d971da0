"""The two-method learner: whatever an example is, and what a wrong one gets."""

import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import PerceptronClassifier, kernels, online
from rosenblatt.games import compilable
from rosenblatt.hypotheses import Primal
from rosenblatt.rules import Perceptron
from rosenblatt.tables.packed import PackedRounds
from rosenblatt.tables.passes import Pass
from test_rules import blobs


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_arrays_sparse_rows_and_dicts_are_the_same_examples(kernel):
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
            learner.predict(x)
            learner.add_example(x, label)
        ledgers[form] = learner.ledger.mistakes.tolist()
        scores[form] = [learner.predict(x) for x in examples]
    fitted = PerceptronClassifier(kernel, epochs=1, shuffle=False, predictor="last").fit(X, 2 * y - 1)
    for form in forms:
        assert ledgers[form] == fitted.ledger_.mistakes.tolist()
        np.testing.assert_allclose(scores[form], fitted.decision_function(X), atol=1e-9)


def test_a_text_is_not_taken_for_a_number():
    with pytest.raises(ValueError, match="Got '12345' for 'zip': for a category, use a name for each"):
        online.Classifier().add_example({"size": 1.0, "zip": "12345"}, 1)


def test_predicting_teaches_nothing():
    learner = online.Classifier()
    learner.add_example({"a": 1.0}, 1)
    assert learner.predict({"never seen": 5.0}) == 1.0  # the intercept alone
    learner.add_example({"b": 1.0}, 1)
    assert learner.predict({"never seen": 5.0}) == 1.0
    assert len(learner.ledger) == 1


def test_a_growing_vocabulary_keeps_what_was_learned():
    learner = online.Classifier(fit_intercept=False)
    for i in range(300):
        learner.add_example({f"word {i}": 1.0}, 1 if i % 2 else -1)
    assert [learner.predict({f"word {i}": 1.0}) for i in range(300)] == [
        1.0 if i % 2 else -1.0 for i in range(300)
    ]


def test_an_example_without_features_may_come_first():
    for empty in ({}, np.empty(0)):
        learner = online.Classifier()
        learner.add_example(empty, 1)
        assert learner.predict(empty) == 1.0  # the intercept alone


def test_objects_under_a_kernel():
    learner = online.Classifier(kernels.Function(lambda a, b: float(len(a & b))))
    learner.add_example({1, 2, 3}, 1)
    learner.add_example({7, 8}, -1)
    assert learner.predict({2, 3}) > 0 > learner.predict({7, 8})


def test_average_and_best_can_answer():
    X, y = blobs(2, rows=60, apart=0.5)
    for predictor in ("best", "average"):
        learner = online.Classifier(predictor=predictor)
        for x, label in zip(X, 2 * y - 1, strict=True):
            learner.add_example(x, label)
        fitted = PerceptronClassifier(epochs=1, shuffle=False, predictor=predictor).fit(X, y)
        np.testing.assert_allclose([learner.predict(x) for x in X], fitted.decision_function(X))


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([1.0, 2.0], 0, r"must be -1 or \+1\. Got 0"),
        ([1.0, 2.0, 3.0], 1, r"must have 2 features, as the first\. Got 3"),
        ([1.0, np.nan], 1, "finite number"),
        ([[1.0, 2.0], [3.0, 4.0]], 1, r"one row\. Got an array of shape \(2, 2\)"),
        ({"a": 1.0}, 1, r"of one kind.*Got dict"),
    ],
)
@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
def test_a_bad_example_says_why_and_changes_nothing(x, y, sentence, kernel):
    learner = online.Classifier(kernel)
    learner.add_example([1.0, 2.0], 1)
    before = learner.ledger
    with pytest.raises(ValueError, match=sentence):
        learner.add_example(x, y)
    assert learner.ledger is before
    assert learner.predict([1.0, 2.0]) > 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kernel": "precomputed"}, "can evaluate on new examples"),
        ({"kernel": kernels.Precomputed()}, "can evaluate on new examples"),
        ({"predictor": "vote"}, "Got 'vote'"),
        ({"ties": "never"}, "Got 'never'"),
    ],
)
def test_a_learner_that_makes_no_sense_is_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        online.Classifier(**options)


def test_an_example_is_the_learners_own():
    x = np.array([1.0, 2.0])
    row = sp.csr_array([[1.0, 2.0]])
    for example, values in ((x, x), (row, row.data)):
        learner = online.Classifier(predictor="best")
        for _ in range(3):
            learner.add_example(example, 1)
        values *= 100
        assert learner.predict([3.0, 1.0]) == 6.0


def test_a_value_that_is_no_number_says_what_to_do():
    learner = online.Classifier()
    with pytest.raises(ValueError, match=r"Got 'red' for 'colour'.*\{'colour=red': 1\}"):
        learner.add_example({"size": 2, "colour": "red"}, 1)
    learner.add_example([1.0], 1)  # nothing was learned of names


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_many_mistakes_one_at_a_time(kernel):
    """More pieces than wait to be put together, read now and then."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(900, 5)), random.integers(2, size=900)
    learner = online.Classifier(kernel, predictor="best")
    for i, (x, label) in enumerate(zip(X, 2 * y - 1, strict=True)):
        learner.add_example(x, label)
        if i % 111 == 0:
            learner.predict(x)
    fitted = PerceptronClassifier(kernel, epochs=1, shuffle=False, predictor="best").fit(X, y)
    assert len(learner.ledger) > 300
    assert learner.ledger.mistakes.tolist() == fitted.ledger_.mistakes.tolist()
    np.testing.assert_allclose([learner.predict(x) for x in X[:50]], fitted.decision_function(X[:50]))


@pytest.mark.parametrize("predictor", ["last", "best", "average"])
def test_an_interrupted_round_is_played_wholly_or_not_at_all(monkeypatch, predictor):
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
    assert learner.predict({"a": 1.0, "b": 2.0}) == whole.predict({"a": 1.0, "b": 2.0}) != 0


def test_a_row_of_a_sparse_array_is_an_example():
    X = sp.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    for kernel in (None, kernels.RBF(gamma=0.5)):
        learner = online.Classifier(kernel)
        learner.add_example(X[0], 1)
        learner.add_example(X[1], -1)
        assert learner.predict(X[0]) > 0 > learner.predict(X[1])


@pytest.mark.parametrize("kernel", [None, kernels.Linear(), kernels.RBF(gamma=0.5)])
def test_dense_and_sparse_rows_may_be_mixed(kernel):
    X, y = blobs(2, rows=60, apart=0.5)
    mixed, dense = online.Classifier(kernel, predictor="best"), online.Classifier(kernel, predictor="best")
    for i, (x, label) in enumerate(zip(X, 2 * y - 1, strict=True)):
        mixed.add_example(sp.csr_array(x) if i % 3 else x, label)
        dense.add_example(x, label)
        assert mixed.predict(x) == pytest.approx(dense.predict(x))
    assert mixed.ledger.mistakes.tolist() == dense.ledger.mistakes.tolist()


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        ({"a": None}, r"finite number\. Got None for 'a'\."),
        ({"a": 1, "b": 10**400}, "Got 1000.* for 'b'"),
        ({"a": float("nan")}, "Got nan for 'a'"),
    ],
)
def test_a_bad_value_is_named(x, sentence):
    with pytest.raises(ValueError, match=sentence):
        online.Classifier().add_example(x, 1)


def test_a_kernel_that_may_not_take_growing_rows_takes_no_names():
    learner = online.Classifier(lambda X, Z: X @ Z.T)
    with pytest.raises(ValueError, match="Named features need a kernel of inner products"):
        learner.add_example({"a": 1.0}, 1)


def named_stream(rows, features, names=60, seed=0):
    """Dicts of some of these names, and labels that they say little about."""
    random = np.random.default_rng(seed)
    for _ in range(rows):
        chosen = random.choice(names, features, replace=False)
        x = dict(zip(map("name {}".format, chosen), random.normal(size=features).tolist(), strict=True))
        yield x, 1 if random.random() < 0.5 + 0.3 * np.sign(sum(x.values())) else -1


@pytest.mark.parametrize("predictor", ["last", "average"])
def test_predict_and_add_example_take_the_packed_path(monkeypatch, predictor):
    def elsewhere(*_, **__):
        raise AssertionError("A row of a linear learner went another way.")

    monkeypatch.setattr(Pass, "play", elsewhere)
    monkeypatch.setattr(Primal, "scores_of", elsewhere)
    for form in (dict, lambda x: [*x.values()], lambda x: np.array([*x.values()])):
        learner = online.Classifier(predictor=predictor)
        for x, label in named_stream(20, 5):
            learner.predict(form(x))
            learner.add_example(form(x), label)
        assert learner.ledger.rounds == 20


@pytest.mark.parametrize("features", [0, 1, 2, 3, 4, 5, 8, 11])
def test_predict_returns_the_score_that_the_next_round_sees(features):
    learner = online.Classifier()
    predicted = []
    for x, label in named_stream(80, features):
        predicted.append(label * learner.predict(x))
        learner.add_example(x, label)
    ledger = learner.ledger
    assert len(ledger) > (5 if features else 0)
    assert ledger.margin.tolist() == [predicted[i] for i in ledger.example]


def test_predict_changes_nothing():
    asked, silent = online.Classifier(), online.Classifier()
    for x, label in named_stream(60, 5):
        before = asked.ledger
        asked.predict(x)
        asked.predict({f"{name} unseen": value for name, value in x.items()} | x)
        assert asked.ledger is before
        for learner in (asked, silent):
            learner.add_example(x, label)
    assert asked.ledger == silent.ledger
    assert asked._reader._columns == silent._reader._columns


def test_add_example_learns_a_dict_as_it_is_now():
    asked, silent = online.Classifier(), online.Classifier()
    for i, (x, label) in enumerate(named_stream(60, 5)):
        asked.predict(x)
        name = next(iter(x))
        if i % 3 == 0:
            x[name] *= -2.0
        elif i % 3 == 1:
            x["another name"] = x.pop(name)
        else:
            x = dict(reversed(x.items()))
        for learner in (asked, silent):
            learner.add_example(x, label)
    assert asked.ledger == silent.ledger
    assert asked.predict(x) == silent.predict(x) != 0


def test_predict_learns_of_a_name_after_it_was_unknown():
    learner = online.Classifier(fit_intercept=False)
    learner.add_example({"a": 1.0}, 1)
    x = {"a": 1.0, "b": 2.0}
    assert learner.predict(x) == learner.predict(x) == 1.0
    learner.add_example({"b": 3.0}, 1)
    assert learner.predict(x) == 7.0


class AnyName:
    """A name whose == is neither true nor false, as that of pandas.NA."""

    def __eq__(self, other):
        raise TypeError("ambiguous")

    __hash__ = object.__hash__


def test_names_may_be_anything_with_a_hash():
    learner, name = online.Classifier(), AnyName()
    for x in ({"a": 1.0}, {name: 2.0}, {"a": 1.0, name: 1.0}, {3: 1.0, (1, 2): 1.0, name: 1.0}):
        learner.predict(x)
        learner.add_example(x, 1 if "a" in x else -1)
    assert learner.predict({"a": 1.0}) > 0 > learner.predict({name: 2.0})


def test_any_mapping_and_any_number_will_do():
    forms = (
        dict,
        Counter,
        MappingProxyType,
        lambda x: {name: Decimal(value) for name, value in x.items()},
        lambda x: {name: np.float32(value) for name, value in x.items()},
        lambda x: {name: np.array(value) for name, value in x.items()},
    )
    examples = [({"a": 2, "b": True}, 1), ({"b": 1, "c": -3}, -1), ({"a": -1, "c": 0.5}, 1)]
    scores = []
    for form in forms:
        learner = online.Classifier()
        for x, label in examples:
            learner.add_example(form(x), label)
        scores.append([learner.predict(form(x)) for x, _ in examples])
    assert scores == scores[:1] * len(forms)
    assert any(scores[0])


def test_rows_of_numbers_may_have_any_form():
    X = np.array([[1, 2, 0], [-3, 1, 1], [0, 0, 1], [1, -1, 5]])
    forms = {
        "list": list,
        "tuple": tuple,
        "integers": np.array,
        "single": lambda x: np.array(x, np.float32),
        "strided": lambda x: np.repeat(np.array(x, float), 2)[::2],
        "swapped": lambda x: np.array(x, ">f8"),
        "booleans of a list": lambda x: [bool(v) if v in (0, 1) else v for v in x],
        "one row": lambda x: np.array([x], float),
        "nested": lambda x: [list(x)],
        "strings": lambda x: [str(v) for v in x],
        "sparse": lambda x: sp.csr_array([x]),
    }
    scores = {}
    for form, made in forms.items():
        learner = online.Classifier()
        for x, label in zip(X.tolist(), (1, -1, -1, 1), strict=True):
            learner.predict(made(x))
            learner.add_example(made(x), label)
        scores[form] = [learner.predict(made(x)) for x in X.tolist()]
    assert all(found == scores["list"] for found in scores.values()), scores
    assert any(scores["list"])


def test_a_bad_value_changes_nothing_whether_its_name_is_known_or_not():
    learner = online.Classifier()
    learner.add_example({"a": 1.0}, 1)
    before = learner.ledger
    for value in (np.nan, np.inf, "3", np.str_("3"), None):
        for name in ("a", "new"):
            for ask in (learner.predict, lambda x: learner.add_example(x, -1)):
                with pytest.raises(ValueError, match=f"must be a finite number. Got .* for '{name}'"):
                    ask({"a": 1.0, name: value})
    assert learner.ledger is before
    learner.add_example({"b": 1.0}, -1)
    assert learner.ledger.row.tolist() == [0, 1]
    assert learner._reader._columns == {"a": 0, "b": 1}


@pytest.mark.parametrize("predictor", ["last", "average"])
def test_a_score_out_of_range_is_refused(predictor):
    learner = online.Classifier(predictor=predictor)
    learner.add_example({"a": 1e200}, 1)
    for ask in (learner.predict, lambda x: learner.add_example(x, 1)):
        with pytest.raises(ValueError, match="numbers too large to be added up"):
            ask({"a": 1e200})
    assert learner.ledger.rounds == 1


def test_a_copy_learns_on_its_own():
    learner = online.Classifier()
    examples = list(named_stream(60, 5))
    for x, label in examples[:30]:
        learner.add_example(x, label)
    twin = deepcopy(learner)
    for x, label in examples[30:]:
        learner.add_example(x, label)
    assert twin.ledger == learner.ledger.until(30)
    for x, label in examples[30:]:
        twin.add_example(x, label)
    assert twin.ledger == learner.ledger
    assert [twin.predict(x) for x, _ in examples] == [learner.predict(x) for x, _ in examples]


def test_predict_may_be_called_from_several_threads():
    learner = online.Classifier(predictor="average")
    examples = list(named_stream(200, 5))
    for x, label in examples:
        learner.add_example(x, label)
    rows = [x for x, _ in examples] * 20
    expected = [learner.predict(x) for x in rows]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: [learner.predict(x) for x in rows], range(4)):
            assert found == expected


@compilable
def step_of_nan(margin, norm_squared, cost, parameters):
    """No step at all."""
    return np.nan


@dataclass(frozen=True)
class StepOfNan(Perceptron):
    """A rule of a user's own, with a fault."""

    step = staticmethod(step_of_nan)


def test_a_step_that_is_not_a_number_changes_nothing():
    learner = online.Classifier(rule=StepOfNan())
    with pytest.raises(ValueError, match="finite"):
        learner.add_example({"a": 1.0}, 1)
    assert learner.ledger.rounds == learner.predict({"a": 1.0}) == 0


def test_ledger_is_that_of_the_latest_round():
    learner = online.Classifier()
    for rounds in range(1, 6):
        learner.add_example({"a": 1.0}, 1)
        assert (learner.ledger.rounds, len(learner.ledger)) == (rounds, 1)
