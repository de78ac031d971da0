"""Rules from outside the package: whatever they return, a run ends in an error that names the rule."""

from dataclasses import dataclass

import numpy as np
import pytest

from fixtures.faulty import (
    LABELS,
    POINTS,
    WAYS,
    Stepping,
    SteppingBy,
)
from fixtures.playing import a_run, sparse
from rosenblatt import PerceptronClassifier, online
from rosenblatt.engine.learner import play_pass
from rosenblatt.games import Binary
from rosenblatt.rules import Perceptron, as_rule, compilable


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero")
@pytest.mark.parametrize("name", ["nan", "divides", "short", "backwards"])
@pytest.mark.parametrize("way", WAYS)
def test_learner_reports_a_rule_that_does_not_step_by_a_finite_number(way, name):
    player, form, kernel = WAYS[way]
    y = np.random.default_rng(1).integers(0, 2, 40)
    with pytest.raises(
        ValueError, match=rf"The rule Stepping\(name='{name}'\) (moves by|raised).*rules\.check"
    ):
        a_run(Binary(), form(POINTS), y, rule=Stepping(name), kernel=kernel, player=player)


@dataclass(frozen=True)
class Borrowing(Perceptron):
    numbers: tuple = ()
    parameters = property(lambda self: np.array(self.numbers, float))


@pytest.mark.parametrize("numbers", [(np.nan, np.nan, 0.0), (1.0, 1.0), (-1.0, -1.0, 0.0)], ids=repr)
@pytest.mark.parametrize("way", WAYS)
def test_learner_reports_parameters_that_a_step_of_the_library_cannot_use(way, numbers):
    player, form, kernel = WAYS[way]
    y = np.random.default_rng(1).integers(0, 2, 40)
    with pytest.raises(ValueError, match=r"The rule Borrowing\("):
        a_run(Binary(), form(POINTS), y, rule=Borrowing(numbers=numbers), kernel=kernel, player=player)


@dataclass(frozen=True)
class Requiring(Perceptron):
    required_margin: float = np.nan


def test_learner_reports_a_required_margin_that_is_nan():
    with pytest.raises(ValueError, match="a required margin that is not NaN"):
        a_run(Binary(), sparse(POINTS), np.zeros(40, int), rule=Requiring(), player=play_pass)


@pytest.mark.parametrize("rule", [Perceptron, 3, object()], ids=["a class", "an integer", "an object"])
def test_as_rule_rejects_what_is_no_rule(rule):
    with pytest.raises(TypeError, match="required_margin, parameters, step and bound"):
        as_rule(rule)


@compilable
def step_of_one(margin, norm_squared, cost, parameters):
    return 1.0


@dataclass(frozen=True)
class Free(Borrowing):
    step = staticmethod(step_of_one)


@pytest.mark.parametrize("numbers", [(), (-1.0,)], ids=repr)
def test_learner_leaves_the_parameters_of_a_users_step_to_it(numbers):
    played = a_run(Binary(), sparse(POINTS), -LABELS, rule=Free(numbers=numbers), player=play_pass).ledger
    assert played == a_run(Binary(), POINTS, -LABELS).ledger


def test_fit_names_the_rule_and_not_the_data():
    with pytest.raises(ValueError, match=r"The rule Stepping\(name='nan'\) moves by nan"):
        PerceptronClassifier(rule=Stepping("nan")).fit(sparse(10 * POINTS), LABELS)


def test_online_names_the_rule_and_not_the_data():
    learner = online.Classifier(rule=Stepping("nan"))
    with pytest.raises(ValueError, match=r"The rule Stepping\(name='nan'\) moves by nan"):
        learner.add_example({"a": 30.0}, 1)
    assert learner.ledger.rounds == 0


def test_online_reports_a_rule_that_steps_backwards():
    learner = online.Classifier(rule=Stepping("backwards"))
    with pytest.raises(ValueError, match=r"The rule Stepping\(name='backwards'\) moves by -1\.0"):
        learner.add_example({"a": 30.0}, 1)
    assert learner.ledger.rounds == 0


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("step_of_a_string", r"returned 'x', given"),
        ("step_of_an_undefined_name", r"raised NameError \(name 'norm_sqared' is not defined\)"),
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_learner_reports_a_step_that_is_no_number(way, name, sentence):
    player, form, kernel = WAYS[way]
    y = np.random.default_rng(1).integers(0, 2, 40)
    with pytest.raises(ValueError, match=rf"The rule SteppingBy\(name='{name}'\) {sentence}"):
        a_run(Binary(), form(POINTS), y, rule=SteppingBy(name), kernel=kernel, player=player)
