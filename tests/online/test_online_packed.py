"""Packed rounds of the linear online learner: scores, names, values and errors."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import online
from rosenblatt.engine.passes import Pass
from rosenblatt.engine.primal import Primal
from rosenblatt.games import compilable
from rosenblatt.rules import Perceptron


def named_stream(rows, features, names=60, seed=0):
    """Yield dicts of some of these names, with noisy labels."""
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
            learner.decision_function(form(x))
            learner.add_example(form(x), label)
        assert learner.ledger.rounds == 20


@pytest.mark.parametrize("features", [0, 1, 2, 3, 4, 5, 8, 11])
def test_predict_returns_the_score_that_the_next_round_sees(features):
    learner = online.Classifier(classes=[-1, 1])
    predicted = []
    for x, label in named_stream(80, features):
        predicted.append(label * learner.decision_function(x))
        learner.add_example(x, label)
    ledger = learner.ledger
    assert len(ledger) > (5 if features else 0)
    assert ledger.margin.tolist() == [predicted[i] for i in ledger.example]


def test_predict_changes_nothing():
    asked, silent = online.Classifier(), online.Classifier()
    for x, label in named_stream(60, 5):
        before = asked.ledger
        asked.decision_function(x)
        asked.decision_function({f"{name} unseen": value for name, value in x.items()} | x)
        assert asked.ledger is before
        for learner in (asked, silent):
            learner.add_example(x, label)
    assert asked.ledger == silent.ledger
    assert asked._reader._vectoriser.ids == silent._reader._vectoriser.ids


def test_add_example_learns_a_dict_as_it_is_now():
    asked, silent = online.Classifier(), online.Classifier()
    for i, (x, label) in enumerate(named_stream(60, 5)):
        asked.decision_function(x)
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
    assert asked.decision_function(x) == silent.decision_function(x) != 0


def test_predict_uses_names_learned_since():
    learner = online.Classifier(fit_intercept=False, rule="perceptron")
    learner.add_example({"a": 1.0}, 1)
    x = {"a": 1.0, "b": 2.0}
    assert learner.decision_function(x) == learner.decision_function(x) == 1.0
    learner.add_example({"b": 3.0}, 1)
    assert learner.decision_function(x) == 7.0


class AnyName:
    """A name whose == raises an error, like that of pandas.NA in a condition."""

    def __eq__(self, other):
        raise TypeError("ambiguous")

    __hash__ = object.__hash__


def test_add_example_accepts_any_hashable_name():
    learner, name = online.Classifier(), AnyName()
    for x in ({"a": 1.0}, {name: 2.0}, {"a": 1.0, name: 1.0}, {3: 1.0, (1, 2): 1.0, name: 1.0}):
        learner.decision_function(x)
        learner.add_example(x, 1 if "a" in x else -1)
    assert learner.decision_function({"a": 1.0}) > 0 > learner.decision_function({name: 2.0})


def test_add_example_accepts_any_mapping_and_number():
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
        scores.append([learner.decision_function(form(x)) for x, _ in examples])
    assert scores == scores[:1] * len(forms)
    assert any(scores[0])


def test_add_example_accepts_rows_in_any_form():
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
            learner.decision_function(made(x))
            learner.add_example(made(x), label)
        scores[form] = [learner.decision_function(made(x)) for x in X.tolist()]
    assert all(found == scores["list"] for found in scores.values()), scores
    assert any(scores["list"])


def test_add_example_rejects_bad_values_and_keeps_the_state():
    learner = online.Classifier()
    learner.add_example({"a": 1.0}, 1)
    before = learner.ledger
    for value in (np.nan, np.inf, [3], object(), None):
        for name in ("a", "new"):
            for ask in (learner.decision_function, lambda x: learner.add_example(x, -1)):
                with pytest.raises(
                    ValueError, match=f"(a finite number|must hold strings).* Got .* for '{name}'"
                ):
                    ask({"a": 1.0, name: value})
    assert learner.ledger is before
    learner.add_example({"b": 1.0}, -1)
    assert learner.ledger.row.tolist() == [0, 1]
    assert learner._reader._vectoriser.ids == {"a": 0, "b": 1}


@pytest.mark.parametrize("predictor", ["last", "average"])
def test_predict_and_add_example_reject_scores_out_of_range(predictor):
    learner = online.Classifier(predictor=predictor, rule="perceptron")
    learner.add_example({"a": 1e200}, 1)
    for ask in (learner.decision_function, lambda x: learner.add_example(x, 1)):
        with pytest.raises(ValueError, match="numbers too large to be added up"):
            ask({"a": 1e200})
    assert learner.ledger.rounds == 1


def test_deepcopy_learns_independently():
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
    assert [twin.decision_function(x) for x, _ in examples] == [
        learner.decision_function(x) for x, _ in examples
    ]


def test_predict_may_be_called_from_several_threads():
    learner = online.Classifier(predictor="average")
    examples = list(named_stream(200, 5))
    for x, label in examples:
        learner.add_example(x, label)
    rows = [x for x, _ in examples] * 20
    expected = [learner.decision_function(x) for x in rows]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: [learner.decision_function(x) for x in rows], range(4)):
            assert found == expected


@compilable
def step_of_nan(margin, norm_squared, cost, parameters):
    """Return NaN for long rows."""
    return np.nan if norm_squared > 1.0 else 1.0


@dataclass(frozen=True)
class StepOfNan(Perceptron):
    """A user's rule with a fault."""

    step = staticmethod(step_of_nan)


def test_add_example_rejects_nan_steps():
    learner = online.Classifier(rule=StepOfNan())
    with pytest.raises(ValueError, match="finite"):
        learner.add_example({"a": 2.0}, 1)
    assert learner.ledger.rounds == learner.decision_function({"a": 1.0}) == 0


def test_ledger_is_that_of_the_latest_round():
    learner = online.Classifier()
    for rounds in range(1, 6):
        learner.add_example({"a": 1.0}, 1)
        assert (learner.ledger.rounds, len(learner.ledger)) == (rounds, 1)
