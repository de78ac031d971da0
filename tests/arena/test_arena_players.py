"""Players of the arena: the library's learners, data sets and people."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

import rosenblatt
from fixtures.arena_data import PLANE, contests_with_rules, played
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, arena, kernels, online
from rosenblatt.arena.learners import as_learner
from rosenblatt.arena.proof import prove_by_own
from rosenblatt.rules import Perceptron

# B is the library's learner.


@given(st.integers(0, 99), st.sampled_from([None, "Polynomial(2)", "RBF(sigma=1.0)"]))
@settings(max_examples=20)
def test_match_writes_the_ledger_of_fit(seed, kernel):
    match = played(arena.Classification(2), PLANE, arena.Random(seed), 20, arena.Learner(kernel=kernel))
    X = np.array([round.move.x for round in match.rounds])
    y = np.array([round.move.y for round in match.rounds])
    if len(set(y.tolist())) == 2:
        options = {"max_iter": 1, "shuffle": False, "fit_intercept": False, "rule": "perceptron"}
        clf = PerceptronClassifier(None if kernel is None else kernels.parse(kernel), **options).fit(X, y)
        assert match.run.ledger.mistakes.tolist() == clf.ledger_.mistakes.tolist()
        assert match.run.ledger.survived.tolist() == clf.ledger_.survived.tolist()


@pytest.mark.parametrize(
    "player",
    [
        PerceptronClassifier(kernels.Polynomial(2), rule="margin", fit_intercept=False),
        online.Classifier(kernels.Polynomial(2), rule="margin", fit_intercept=False),
    ],
)
def test_match_accepts_any_learner_as_b(player):
    match = arena.Match(arena.Classification(2), PLANE, player)
    assert match.learner == arena.Learner(kernel="Polynomial(2)", rule="margin")


class Lazy(Perceptron):
    """A rule that no record can name."""


def test_match_rejects_unsupported_learners():
    contest = arena.Classification(2)
    with pytest.raises(ValueError, match="forgets nothing"):
        arena.Match(contest, PLANE, PerceptronClassifier(kernels.RBF(sigma=1.0), budget=10))
    with pytest.raises(ValueError, match="forgets nothing"):
        arena.Match(contest, PLANE, online.Classifier(kernels.RBF(sigma=1.0), budget=10))
    for stranger in ("perceptron", SVC()):
        with pytest.raises(TypeError, match="Player B is"):
            arena.Match(contest, PLANE, stranger)
    with pytest.raises(ValueError, match="rule must be one of the library's"):
        arena.Learner(rule=Lazy())
    with pytest.raises(ValueError, match="about vectors"):
        arena.Learner(kernel=kernels.as_kernel(lambda X, Z: X @ Z.T))
    with pytest.raises(ValueError, match="intercept"):
        arena.Match(arena.Ranking(2), PLANE, arena.Learner(fit_intercept=True))
    assert (
        arena.Match(arena.Ranking(2), PLANE, PerceptronRanker(rule="perceptron")).learner == arena.Learner()
    )


def test_show_rolls_back_a_failed_round():
    match = arena.Match(arena.Classification(1), None, arena.Learner("Polynomial(4)"))
    match.show(arena.Point((1.0,), 1))
    with pytest.raises(ValueError, match="range"):
        match.show(arena.Point((1e90,), 1))
    assert (len(match.rounds), match.run.rows_seen, match.run.book.rounds) == (1, 1, 1)
    match.show(arena.Point((-1.0,), -1))


@pytest.mark.parametrize("rule", ["margin", "passive-aggressive"])
def test_prove_counts_corrections_under_margin_rules(rule):
    match = played(arena.Classification(2), PLANE, arena.Random(0), 60, arena.Learner(rule=rule))
    proof = arena.prove(match)
    assert proof.line(3).startswith("After 3 corrections")
    assert (proof.progress >= proof.progress_floor - 1e-9).all()
    assert (proof.length_squared <= proof.length_ceiling + 1e-9).all()
    assert proof.mistakes <= proof.bound


@given(contests_with_rules(), st.integers(0, 99), st.sampled_from([1e-13, 1e13]))
@settings(max_examples=20)
def test_worst_is_invariant_to_the_scale_of_the_guess(game, seed, scale):
    contest, rules = game
    guess = np.random.default_rng(seed).normal(size=(contest.features, 1))
    worst, scaled = (contest.worst(rules, guess * by, np.zeros(0)) for by in (1.0, scale))
    np.testing.assert_allclose(contest.rows(worst), contest.rows(scaled), atol=1e-6)


def test_orthogonal_rejects_started_matches_and_intercepts():
    rules = arena.Rules((1.0,) * 9, 0.2, 1.0)
    match = played(arena.Classification(9), rules, arena.Random(0), 3)
    with pytest.raises(ValueError, match="from the first round on"):
        match.play(arena.Orthogonal())
    with pytest.raises(ValueError, match="without an intercept"):
        arena.Match(arena.Classification(9), rules, arena.Learner(fit_intercept=True)).play(
            arena.Orthogonal()
        )


@pytest.mark.parametrize("y", [1, np.int64(1)])
@pytest.mark.parametrize("form", [np.array, np.float32, list])
def test_show_stores_moves_as_python_numbers(form, y):
    x = form([0.5, 0.25])
    match = arena.Match(arena.Classification(2), PLANE)
    match.show(arena.Point(x, y))
    x[0] = 9.0
    assert match.rounds[0].move.x == (0.5, 0.25)
    assert arena.from_json(arena.to_json(match.transcript)).rounds == match.rounds
    lists = arena.Match(arena.Ranking(2), None)
    lists.show(arena.Choice(np.eye(2), np.int64(1)))
    assert lists.rounds[0].move == arena.Choice(((1.0, 0.0), (0.0, 1.0)), 1)


@pytest.mark.parametrize(
    "broken",
    [
        lambda: arena.Match(arena.Classification(2), (1, 2)),
        lambda: arena.Match(arena.Classification(2), PLANE).show(arena.Point(None, 1)),
        lambda: arena.Match(arena.Classification(2), PLANE).show(arena.Point((10**400, 1), 1)),
        lambda: arena.certificate(arena.Match(arena.Classification(2))),
        lambda: arena.Rules((1, 0), 1e200, 1),
        lambda: arena.Rules((1, 0), 1e-200, 1),
        lambda: arena.Match(arena.Classification(2), PLANE).play(arena.Random(), 1.5),
        lambda: arena.Match(arena.Classification(2), PLANE).undo(-1),
        lambda: arena.rules_for(np.empty((0, 2)), []),
        lambda: arena.to_json(arena.Match(arena.Classification(1001)).transcript),
    ],
)
def test_arena_rejects_invalid_arguments(broken):
    with pytest.raises((ValueError, TypeError), match=r"\.$"):
        broken()


def xor_match(learner, rounds=40):
    match = arena.Match(arena.Classification(2), None, learner)
    corners = [arena.Point((x, z), -1 if x == z else 1) for x in (-1.0, 1.0) for z in (-1.0, 0.9)]
    match.play(arena.Repeated(corners), rounds)
    return match


def test_prove_by_own_uses_freund_and_schapire_on_inseparable_data():
    proof = prove_by_own(xor_match(arena.Learner("Linear()")))
    found = arena.certificate(xor_match(arena.Learner("Linear()")))
    assert (proof.margin, proof.deviation, proof.bound) == (found.margin, found.deviation, found.bound)
    assert not proof.separable
    assert (proof.progress >= proof.progress_floor).all()
    assert (proof.length_squared <= proof.length_ceiling).all()
    assert found.corrections > 20
    shown = proof.line(20)
    assert "v_k·u" in shown
    assert "kγ − √k·D = " in shown
    assert f"k ≤ {found.bound:.6g} (Freund and Schapire's ((√R + D)/γ)²)" in shown
    assert "No u is known that separates" in shown
    assert "(kγ)²" not in str(proof)


def test_prove_by_own_promises_nothing_for_rules_without_a_bound():
    assert prove_by_own(xor_match(arena.Learner("Linear()", rule="passive-aggressive"))).bound < np.inf
    proof = prove_by_own(xor_match(arena.Learner("Linear()", rule="margin")))
    assert not proof.separable
    assert proof.bound == np.inf
    shown = proof.line(20)
    assert shown.startswith("After 20 corrections: ‖v_k‖² = ")
    assert "v_k·u" not in shown
    assert "nothing is promised" in shown


def test_certificate_of_free_play_uses_bs_own_guesses():
    match = arena.Match(arena.Classification(2), None, arena.Learner(kernel="Polynomial(2)"))
    xor = [arena.Point((x, z), -1 if x == z else 1) for x in (0.0, 1.0) for z in (0.0, 1.0)]
    match.play(arena.Replay(xor * 10))
    found = arena.certificate(match)
    assert found.holds
    assert found.separable
    with pytest.raises(ValueError, match="must have rules"):
        arena.prove(match)
    with pytest.raises(ValueError, match="the match has none"):
        match.play(arena.Random(0), 1)


# Data sets.


@given(st.integers(0, 99))
@settings(max_examples=10)
def test_rules_for_fits_the_data_set(seed):
    given_rules = arena.Rules((1.0, -2.0, 0.5), 0.3, 2.0)
    drawn = played(arena.Classification(3), given_rules, arena.Random(seed), 40)
    X, y = zip(*(round.move for round in drawn.rounds), strict=True)
    rules = arena.rules_for(X, y)
    assert rules.margin >= given_rules.margin / 2
    match = arena.Match(arena.Classification(3), rules)
    assert match.play(arena.Replay(arena.points(X, y))) == 40


@pytest.mark.parametrize("seed", range(3))
def test_rules_for_finds_narrow_margins(seed):
    X = np.random.default_rng(seed).normal(size=(200, 3))
    assert arena.rules_for(X, np.sign(X @ [1, 2, 3])).margin > 0


def test_rules_for_accepts_one_class():
    assert arena.rules_for([[1.0, 0.0, 2.0]] * 3, [1] * 3).margin == pytest.approx(5**0.5)


def test_rules_for_rejects_inseparable_data():
    with pytest.raises(ValueError, match="No line through 0"):
        arena.rules_for([[0, 1], [0, 1]], [1, -1])
    for X, y in ([[1, 2]], [3]), ([1, 2], [1, -1]), ([[1], [2]], [1]):
        with pytest.raises(ValueError, match="A data set is"):
            arena.points(X, y)


# People.


def test_person_is_prompted_again_after_illegal_moves():
    typed, printed = iter(["0.1 0 +", "nonsense", "1 0 +", "-0.8 0.6 -", ""]), []
    match = arena.Match(arena.Classification(2), PLANE)
    assert match.play(arena.Person(lambda question: next(typed), printed.append)) == 2
    assert [message.split()[0] for message in printed] == ["Margin:", "A", "B", "B"]
    assert match.rounds[0].wrong


@pytest.mark.parametrize(
    ("contest", "text"),
    [
        (arena.Classification(2), "0.5 −1 x"),
        (arena.Classification(2), "0.5 +"),
        (arena.Ranking(2), "1 0; 0 1"),
        (arena.Ranking(2), "1 0; 0 1 > 3"),
        (arena.Ranking(2), "1 0 > 1"),
        (arena.little_language()[0], "the dog"),
        (arena.little_language()[0], "the/D cat/N"),
        (arena.little_language()[0], "the/D the/D the/D the/D the/D the/D"),
    ],
)
def test_read_rejects_malformed_moves(contest, text):
    with pytest.raises(ValueError, match=r"Got|is not one of"):
        contest.read(text)


@given(contests_with_rules(), st.integers(0, 99))
@settings(max_examples=20)
def test_moves_round_trip_through_values(game, seed):
    contest, rules = game
    move = contest.random(rules, np.random.default_rng(seed))
    assert contest.from_values(json.loads(json.dumps(contest.to_values(move)))) == move


def test_arena_is_exported_by_the_package():
    assert rosenblatt.arena is arena


def test_match_reads_what_auto_stands_for():
    for kernel, rule in ((None, "passive-aggressive"), (kernels.Polynomial(2), "perceptron")):
        match = arena.Match(arena.Classification(2), None, PerceptronClassifier(kernel))
        assert match.learner == arena.Learner(kernel, rule=rule, fit_intercept=kernel is None)


@pytest.mark.parametrize(
    "player",
    [
        PerceptronClassifier("rbf", gamma=0.1),
        PerceptronClassifier("poly", degree=2, gamma=1.0),
        PerceptronTagger(),
    ],
    ids=repr,
)
def test_as_learner_has_the_settings_that_the_estimator_would_learn_with(player):
    found, options = as_learner(player), player.new_task().options
    assert (found.kernel, found.rule) == (options["kernel"], options["rule"])
    assert found.fit_intercept == bool(options.get("intercept"))
