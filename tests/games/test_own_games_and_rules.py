"""Games and rules from outside the package: whatever they return, a run ends in an error, never in a crash."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import rosenblatt
from fixtures.ordinal import Ordinal
from fixtures.ordinal import ballot as ordinal_ballot
from fixtures.playing import GAMES, a_run, orders_of, sparse
from rosenblatt import PerceptronClassifier, games, online, rules
from rosenblatt.engine import predictors
from rosenblatt.engine.learner import learn, play, play_blocks, play_pass
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import NO_STRUCTURE, Argmax, Binary, OneVsRest, Ranking, Sequence, compilable
from rosenblatt.kernels import Linear
from rosenblatt.loops.checking import alone, checked_judge, checked_step
from rosenblatt.rows import Rows
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron
from rosenblatt.theory.certificates import certify

FINE, OUTPUT, NEGATIVE, ROW, STRUCTURE, MANY, NONE_LEFT, AMOUNT, MARGIN, COST, PAST, RAISES = range(12)

SENTENCES = {
    OUTPUT: r"entry for output 7 of a game with 2 outputs",
    NEGATIVE: r"entry for output -3 of a game with 2 outputs",
    ROW: r"entry for row 100000 of a round with 1 rows",
    STRUCTURE: r"entry for structure weight 1 of a game with 1, from 0 on",
    MANY: r"returned 1000000 entries, and there is room for 3",
    NONE_LEFT: r"returned -1 entries",
    AMOUNT: r"entry with the amount nan",
    MARGIN: r"returned the margin nan",
    COST: r"returned the cost inf",
    PAST: r"raised IndexError",
    RAISES: r"raised ValueError: no such truth",
}


@compilable
def faulty(scores, structure, truth, head, required, where, amount):
    """Two classes, 0 and −1; any other truth is the fault to commit."""
    kind = max(truth[0], 0)
    label = 1 if truth[0] < 0 else 0
    count, margin, cost = 3, scores[0, label] - scores[0, 1 - label] + structure[0], 1.0
    where[0, 0], where[0, 1], amount[0] = 0, label, 1.0
    where[1, 0], where[1, 1], amount[1] = 0, 1 - label, -1.0
    where[2, 0], where[2, 1], amount[2] = -1, 0, 1.0
    if kind == OUTPUT:
        where[1, 1] = 7
    elif kind == NEGATIVE:
        where[1, 1] = -3
    elif kind == ROW:
        where[1, 0] = 100_000
    elif kind == STRUCTURE:
        where[2, 1] = 1
    elif kind == MANY:
        count = 1_000_000
    elif kind == NONE_LEFT:
        count = -1
    elif kind == AMOUNT:
        amount[0] = np.nan
    elif kind == MARGIN:
        margin = np.nan
    elif kind == COST:
        cost = np.inf
    elif kind == PAST:
        for a in range(1000, 100_000):
            where[a, 0] = 1
    elif kind == RAISES:
        raise ValueError("no such truth")
    return count, margin, margin <= 0.0, cost


@dataclass(frozen=True)
class Faulty:
    outputs, heads, alternatives, structure = 2, 1, 2, np.zeros(1)
    judge, ballot = staticmethod(faulty), staticmethod(ordinal_ballot)

    def most_entries(self, rows):
        return 3

    def answer(self, scores, structure, starts):
        return scores.argmax(axis=1)

    def elect(self, tally, starts):
        return tally.argmax(axis=1)


WAYS = {
    "play": (play, np.asarray, None),
    "pass": (play_pass, sparse, None),
    "blocks": (play_blocks, np.asarray, None),
    "dual": (play_blocks, np.asarray, Linear()),
}

POINTS = np.random.default_rng(0).integers(-3, 4, (40, 3)).astype(float)
LABELS = -np.random.default_rng(1).integers(0, 2, 40)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", SENTENCES)
def test_learner_reports_invalid_returns_of_a_judge(way, fault):
    player, form, kernel = WAYS[way]
    truths = LABELS.copy()
    truths[25] = fault
    run = begin(Faulty(), features=3, kernel=kernel)
    examples = Examples(run.number(form(POINTS)), truths)
    with pytest.raises(ValueError, match=rf"judge of Faulty\(\) .*{SENTENCES[fault]}.*games\.check"):
        player(run, examples, orders_of(40, 1))
    if kernel is None:  # weights cannot be rolled back: the run is the one that was played until then
        before = a_run(Faulty(), form(POINTS[:25]), LABELS[:25], epochs=1)
        assert run.ledger == before.ledger
        assert run.hypothesis.weights.tolist() == before.hypothesis.weights.tolist()
        assert run.hypothesis.structure.tolist() == before.hypothesis.structure.tolist()
    else:
        assert run.ledger.rounds == 0


@pytest.mark.parametrize("way", WAYS)
def test_learner_reports_non_finite_data(way):
    player, form, kernel = WAYS[way]
    X = POINTS.copy()
    X[25, 1] = np.nan
    with pytest.raises(ValueError, match="score of row 25 is not a finite number"):
        a_run(Faulty(), form(X), LABELS, kernel=kernel, player=player)


@pytest.mark.parametrize("way", ["pass", "blocks", "dual"])
def test_compiled_paths_write_the_ledger_of_the_definition(way):
    player, form, kernel = WAYS[way]
    options = {"epochs": 3, "seed": 0}
    definition = a_run(Faulty(), POINTS, LABELS, **options).ledger
    assert len(definition) > 10
    assert a_run(Faulty(), form(POINTS), LABELS, kernel=kernel, player=player, **options).ledger == definition


# --- rules ---


NAMES = ("nan", "divides", "short", "backwards", "plain", "fine")


@compilable
def faulty_step(margin, norm_squared, cost, parameters):
    """Return 1, but for long rows what the parameter says."""
    kind = parameters[0] if norm_squared > 20.0 else 5.0
    if kind == 0.0:
        return np.nan
    if kind == 1.0:
        return 1.0 / max(20.0 - norm_squared, 0.0)
    if kind == 2.0:
        return parameters[3]
    return -1.0 if kind == 3.0 else 1.0


@dataclass(frozen=True)
class Stepping:
    name: str
    required_margin = -np.inf
    parameters = property(lambda self: np.array([float(NAMES.index(self.name))]))

    @property
    def step(self):
        return plain_step if self.name == "plain" else faulty_step

    def bound(self, radius_squared, margin, cost=1.0):
        return radius_squared / margin**2


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


@pytest.mark.parametrize("numbers", [(np.nan, np.nan, 0.0), (1.0,), (-1.0, -1.0, 0.0)], ids=repr)
@pytest.mark.parametrize("way", WAYS)
def test_learner_reports_parameters_that_a_step_of_the_library_cannot_use(way, numbers):
    player, form, kernel = WAYS[way]
    y = np.random.default_rng(1).integers(0, 2, 40)
    with pytest.raises(ValueError, match=r"The rule Borrowing\("):
        a_run(Binary(), form(POINTS), y, rule=Borrowing(numbers=numbers), kernel=kernel, player=player)


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


@compilable
def step_of_a_string(margin, norm_squared, cost, parameters):
    return "x"


@compilable
def step_of_an_undefined_name(margin, norm_squared, cost, parameters):
    return 1.0 / norm_sqared  # noqa: F821


@compilable
def no_step(margin, norm_squared, cost, parameters):
    return 0.0


@dataclass(frozen=True)
class SteppingBy(Stepping):
    name: str = "fine"
    step = property(lambda self: globals()[self.name])
    parameters = property(lambda self: np.ones(1))


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


# --- what cannot be compiled ---


def plain_step(margin, norm_squared, cost, parameters):
    return 1.0


def plain_judge(scores, structure, truth, head, required, where, amount):
    return 0, np.inf, False, 1.0


@compilable
def calling_judge(scores, structure, truth, head, required, where, amount):
    return plain_judge(scores, structure, truth, head, required, where, amount)


@compilable
def three_values(scores, structure, truth, head, required, where, amount):
    return 0, np.inf, False


@dataclass(frozen=True)
class Plain(Faulty):
    name: str = "plain"

    @property
    def judge(self):
        return {
            "plain": plain_judge, "calling": calling_judge, "three": three_values,
            "partial": partial(plain_judge), "method": self.method,
        }[self.name]  # fmt: skip

    def method(self, scores, structure, truth, head, required, where, amount):
        return 0, np.inf, False, 1.0


@pytest.mark.parametrize(
    ("way", "name"),
    [("pass", "plain"), *(("blocks", n) for n in ("plain", "calling", "three", "partial", "method"))],
)
def test_learner_reports_a_judge_that_cannot_be_compiled(way, name):
    player, form, _ = WAYS[way]
    with pytest.raises(TypeError, match=r"module-level functions marked with @rosenblatt\.games\.compilable"):
        a_run(Plain(name=name), form(POINTS), LABELS, player=player)


@compilable
def undefined_judge(scores, structure, truth, head, required, where, amount):
    return 0, infinity, False, 1.0  # noqa: F821


@compilable
def missing_attribute(scores, structure, truth, head, required, where, amount):
    return 0, np.no_such_number, False, 1.0


@pytest.mark.parametrize(
    ("judge", "cause"),
    [
        (undefined_judge, "NameError: name 'infinity' is not defined"),
        (missing_attribute, "AttributeError: module 'numpy' has no attribute 'no_such_number'"),
    ],
)
def test_compiler_errors_begin_with_the_cause(judge, cause):
    with pytest.raises(TypeError, match=rf"\.{judge.__name__} cannot be compiled: {cause}"):
        alone(judge)(POINTS[:1], NO_STRUCTURE, LABELS[:1], 0, 0.0, np.empty((1, 2), np.int64), np.empty(1))


def test_play_needs_no_compiler():
    assert a_run(Plain(), POINTS, LABELS).ledger.rounds == 80  # the second epoch is credited


def test_learner_reports_a_rule_that_cannot_be_compiled():
    y = np.random.default_rng(1).integers(0, 2, 40)
    with pytest.raises(TypeError, match=r"test_own_games_and_rules\.plain_step cannot be compiled"):
        a_run(Binary(), POINTS, y, rule=Stepping("plain"), player=play_blocks)


def plain_ballot(scores, structure, starts, head, weight, tally):
    tally[0] += weight


@compilable
def ballot_past_the_end(scores, structure, starts, head, weight, tally):
    for i in range(100_000):
        tally[0, i] += weight


@dataclass(frozen=True)
class Voting(Ordinal):
    name: str = "plain"
    ballot = property(lambda self: plain_ballot if self.name == "plain" else ballot_past_the_end)


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("plain", TypeError, "plain_ballot cannot be compiled"),
        ("past", IndexError, "ballot_past_the_end uses an index past the end"),
    ],
)
def test_vote_reports_a_ballot_that_cannot_be_used(name, error, sentence):
    run = begin(Voting(2, name=name), features=3)
    learn(run, Examples(run.number(POINTS), -LABELS), orders_of(40, 1))
    with pytest.raises(error, match=sentence):
        predictors.decide(run, Rows(POINTS), "vote")


def test_certify_reports_a_judge_that_writes_past_the_end():
    run = begin(Faulty(), features=3)
    examples = Examples(run.number(POINTS), LABELS)
    learn(run, examples, orders_of(40, 1))
    truths = LABELS.copy()
    truths[3] = PAST
    with pytest.raises(IndexError, match="faulty uses an index past the end"):
        certify(run, Examples(Rows(POINTS), truths))


# --- saving ---


def test_save_reports_a_game_of_the_users_own(tmp_path):
    learner = PerceptronClassifier().fit(POINTS, LABELS)
    learner._run.game = Ordinal(2)
    with pytest.raises(
        ValueError, match=r"games Binary, Argmax, OneVsRest, Ranking\. Got Ordinal\(ranks=2\)"
    ):
        rosenblatt.save(learner, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_save_reports_a_rule_of_the_users_own(tmp_path):
    learner = PerceptronClassifier(rule=Stepping("fine")).fit(sparse(POINTS), LABELS)
    with pytest.raises(ValueError, match=r"a rule of this library.*Got Stepping"):
        rosenblatt.save(learner, tmp_path / "model")
    assert not list(tmp_path.iterdir())


# --- the checks ---


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
        "The game has no outputs, structure, heads, alternatives, judge, ballot, answer, elect.",
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
