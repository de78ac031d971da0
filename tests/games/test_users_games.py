"""Games from outside the package: whatever they return, a run ends in an error, never in a crash."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import rosenblatt
from fixtures.faulty import LABELS, PAST, POINTS, SENTENCES, WAYS, Faulty, Stepping, plain_judge
from fixtures.ordinal import Ordinal
from fixtures.playing import a_run, orders_of, sparse
from rosenblatt import PerceptronClassifier
from rosenblatt.engine.learner import learn, play_blocks
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import NO_STRUCTURE, Binary, compilable, verdicts
from rosenblatt.loops.checking import alone
from rosenblatt.rows import rows_of
from rosenblatt.theory.certificates import certify


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


@dataclass(frozen=True)
class Sided(Faulty):
    heads: int = 2


@pytest.mark.parametrize(("game", "side"), [(Sided(), " on head 1"), (Faulty(), "")])
def test_refused_names_the_head_where_there_are_several(game, side):
    error = verdicts.refused(game, "returned nothing", np.array([3]), 1)
    assert f"returned nothing. It was given the truth [3]{side}. Correct" in str(error)


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
    with pytest.raises(TypeError, match=r"faulty\.plain_step cannot be compiled"):
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
        run.guess("vote").answers(rows_of(POINTS))


def test_certify_reports_a_judge_that_writes_past_the_end():
    run = begin(Faulty(), features=3)
    examples = Examples(run.number(POINTS), LABELS)
    learn(run, examples, orders_of(40, 1))
    truths = LABELS.copy()
    truths[3] = PAST
    with pytest.raises(IndexError, match="faulty uses an index past the end"):
        certify(run, Examples(rows_of(POINTS), truths))


def test_save_reports_a_rule_of_the_users_own(tmp_path):
    learner = PerceptronClassifier(rule=Stepping("fine")).fit(sparse(POINTS), LABELS)
    with pytest.raises(ValueError, match=r"a rule of this library.*Got Stepping"):
        rosenblatt.save(learner, tmp_path / "model")
    assert not list(tmp_path.iterdir())
