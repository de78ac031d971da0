"""`games.check` and `rules.check`: they accept what the learner can use, and name every other fault."""

from dataclasses import dataclass

import numpy as np
import pytest

from fixtures.faulty import (
    SENTENCES,
    Faulty,
    Stepping,
    SteppingBy,
    faulty,
    plain_judge,
)
from fixtures.ordinal import Ordinal
from fixtures.playing import GAMES
from rosenblatt import games, rules
from rosenblatt.games import NO_STRUCTURE, Argmax, Binary, OneVsRest, Ranking, Sequence, compilable
from rosenblatt.loops.checking import checked_judge, checked_step
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron


def test_checked_judge_and_checked_step_trust_the_library():
    for game in (Binary(), Binary("positive"), Argmax(3), OneVsRest(3), Ranking("top"), Sequence(3)):
        assert checked_judge(game.judge) is game.judge
    assert checked_step(Perceptron().step) is Perceptron().step
    assert checked_judge(faulty) is not faulty


@pytest.mark.parametrize(
    ("game", "truths"),
    [
        *((game, range(classes)) for game, classes in GAMES.values()),
        (Binary("positive"), [0, 1]),
        (Ranking("best"), [[0, 1], [2, 1, 0, 2]]),
        (Ranking("top"), [[0, 1], [2, 1, 0, 2]]),
        (Sequence(3, frozenset({(0, 1), (3, 2)})), [[0, 2, 1], [1]]),
        (Ordinal(4), range(4)),
        (Faulty(), [0, -1]),
    ],
    ids=repr,
)
def test_games_check_accepts_valid_games(game, truths):
    found = games.check(game, truths)
    assert found.ok, str(found)
    assert "no fault" in str(found)


@pytest.mark.parametrize("fault", SENTENCES)
def test_games_check_finds_invalid_returns_of_a_judge(fault):
    found = games.check(Faulty(), [0, fault])
    assert not found.ok
    assert SENTENCES[fault].replace("\\", "") in str(found)


@compilable
def margin_of_another(scores, structure, truth, head, required, where, amount):
    where[0, 0], where[0, 1], amount[0] = 0, 0, 1.0
    return 1, scores[0, 0] - 1.0, True, 1.0


@compilable
def changing_judge(scores, structure, truth, head, required, where, amount):
    scores[0, 0] = 0.0
    return 0, np.inf, False, 1.0


@compilable
def no_entry(scores, structure, truth, head, required, where, amount):
    return 0, -1.0, True, 1.0


@dataclass(frozen=True)
class Wrong:
    name: str
    outputs, alternatives, structure = 1, 1, NO_STRUCTURE
    ballot = staticmethod(Binary().ballot)

    def most_entries(self, rows):
        return 4

    @property
    def judge(self):
        return {
            "margin": margin_of_another, "pure": changing_judge, "entries": no_entry,
            "plain": plain_judge, "heads": Binary().judge, "ballot": Binary().judge,
        }[self.name]  # fmt: skip

    @property
    def heads(self):
        return 2 if self.name == "heads" else 1

    def answer(self, scores, structure, starts):
        return np.zeros(len(scores) + (self.name == "ballot"))

    def elect(self, tally, starts):
        return np.zeros(len(tally))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("margin", "its entries make"),
        ("pure", "write to where and amount only"),
        ("entries", "writes no entry that corrects it"),
        ("plain", "plain_judge cannot be compiled"),
        ("heads", "share an output"),
        ("ballot", "answer must return one answer per round or row. Got 4"),
    ],
)
def test_games_check_finds_broken_laws(name, sentence):
    found = games.check(Wrong(name), [0, 1, 0])
    assert sentence in str(found)
    assert not found.ok


def test_games_check_names_missing_members():
    assert games.check(object(), [0]).faults == (
        "The game has no outputs, structure, heads, alternatives, judge, ballot, answer, elect, most_entries.",
    )


@pytest.mark.parametrize(
    "rule", [Perceptron(), Perceptron(0.1), Margin(), PassiveAggressive(variant="PA-II")], ids=repr
)
def test_rules_check_accepts_valid_rules(rule):
    assert rules.check(rule).ok
    assert rules.check(Stepping("fine")).ok


@dataclass(frozen=True)
class WrongRule(Stepping):
    required_margin = np.nan
    parameters = (1.0,)

    def bound(self, radius_squared, margin, cost=1.0):
        return np.nan


@dataclass(frozen=True)
class Bounded(Stepping):
    """A rule with this bound, and a required margin that no answer reaches."""

    limit: object = 0.0
    required_margin = np.inf

    def bound(self, radius_squared, margin, cost=1.0):
        return 1.0 / self.limit if radius_squared > 0 and margin > 0 else np.nan


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(
    ("rule", "sentences"),
    [
        (Stepping("nan"), ["moves by nan", "squared norm 50"]),
        (Stepping("divides"), ["raised ZeroDivisionError"]),
        (Stepping("short"), ["raised IndexError"]),
        (Stepping("backwards"), ["moves by -1.0", "must be a finite number ≥ 0"]),
        (SteppingBy("no_step"), ["step is 0 in all 40 cases"]),
        (SteppingBy("step_of_a_string"), ["returned 'x'"]),
        (SteppingBy("step_without_end"), ["moves by inf"]),
        (Bounded("fine", 0.0), ["below ∞, or −∞. Got inf", "bound raised ZeroDivisionError"]),
        (Bounded("fine", -1.0), ["bound returned -1.0"]),
        (Stepping("plain"), ["plain_step cannot be compiled"]),
        (
            WrongRule("plain"),
            ["required margin of a rule must be a number", "array of float64", "bound returned nan"],
        ),
        (object(), ["has no required_margin, parameters, step, bound"]),
    ],
)
def test_rules_check_finds_faults(rule, sentences):
    found = rules.check(rule)
    assert not found.ok
    for sentence in sentences:
        assert sentence in str(found)


@pytest.mark.parametrize("limit", [np.inf, 2.0], ids=["0", "0.5"])
def test_rules_check_accepts_any_bound_from_0(limit):
    assert "bound" not in str(rules.check(Bounded("fine", limit)))


def test_rules_check_counts_no_cases_of_a_rule_that_lacks_members():
    assert rules.check(object()).cases == 0


def test_rules_check_tries_only_what_a_rule_corrects():
    tried = set()

    def recording(margin, norm_squared, cost, parameters):
        tried.add((margin, norm_squared, cost))
        return 1.0

    @dataclass(frozen=True)
    class Recording(Stepping):
        required_margin, step = 4.0, staticmethod(recording)

    assert rules.check(Recording("fine")).cases == 40
    assert len(tried) == 40
    assert all(margin < 4.0 * cost for margin, _, cost in tried)
    assert max(margin for margin, _, _ in tried) > 4.0
    assert {np.sign(margin) for margin, _, _ in tried} == {-1, 0, 1}
    assert {np.sign(norm_squared) for _, norm_squared, _ in tried} == {0, 1}
    assert {cost > 1 for _, _, cost in tried} == {False, True}


@pytest.mark.filterwarnings("ignore:invalid value")
def test_numbers_of_tries_the_step_of_a_users_rule_before_loops_are_compiled():
    with pytest.raises(ValueError, match=r"returned .x."):
        rules.numbers_of(SteppingBy("step_of_a_string"))
    assert rules.numbers_of(Stepping("fine"))[1].shape == np.shape(Stepping("fine").parameters)
