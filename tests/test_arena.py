"""The game of the sources as two players play it: legal moves, the bound, and records of matches."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

import rosenblatt
from rosenblatt import PerceptronClassifier, PerceptronRanker, arena, kernels, online
from rosenblatt.arena.strategies import margin_under
from rosenblatt.rules import Perceptron

PLANE = arena.Rules(u=(1.0, 0.0), margin=0.5, radius_squared=1.0)


@st.composite
def contests_with_rules(draw, most=6):
    """A contest of points or lists, and rules under which there is a legal move."""
    features = draw(st.integers(1, most))
    contest = draw(st.sampled_from([arena.Classification(features), arena.Ranking(features, 3)]))
    u = draw(st.lists(st.integers(-3, 3), min_size=features, max_size=features).filter(any))
    radius = draw(st.sampled_from([0.25, 1.0, 9.0]))
    share = draw(st.sampled_from([0.05, 0.3, 0.7, 1.0]))
    return contest, arena.Rules(tuple(u), share * radius**0.5, radius)


def played(contest, rules, strategy, rounds, b=None):
    match = arena.Match(contest, rules, b)
    match.play(strategy, rounds)
    return match


# What A does is legal, and what B does keeps to the theorem.


@given(contests_with_rules(), st.integers(0, 99))
@settings(max_examples=60)
def test_chance_and_greed_keep_to_the_rules_and_the_theorem_holds(game, seed):
    for strategy in (arena.Random(seed), arena.Greedy()):
        proof = arena.prove(played(*game, strategy, 25))
        slack = 1e-9 * max(1.0, proof.length_ceiling[-1])
        assert (proof.progress >= proof.progress_floor - slack).all()
        assert (proof.length_squared <= proof.length_ceiling + slack).all()
        assert proof.mistakes <= proof.bound * (1 + 1e-9)


@given(contests_with_rules(), st.integers(0, 99))
@settings(max_examples=40)
def test_nothing_legal_is_worse_than_what_greed_shows(game, seed):
    match = played(*game, arena.Random(seed), 3)
    worst = arena.Greedy(stop=False).move(match)
    match.referee.checked(worst)
    chance = arena.Random(seed + 1)
    assert all(
        margin_under(match, chance.move(match)) >= margin_under(match, worst) - 1e-9 for _ in range(50)
    )


@given(st.integers(1, 40), st.sampled_from([0.5, 1.0, 4.0]), st.integers(0, 20), st.integers(0, 99))
@settings(max_examples=40)
def test_orthogonal_examples_force_every_mistake_of_the_bound(mistakes, radius, spare, seed):
    u = np.random.default_rng(seed).normal(size=mistakes + spare)
    rules = arena.Rules(tuple(u), (radius / mistakes) ** 0.5, radius)
    match = arena.Match(arena.Classification(len(u)), rules)
    assert match.play(arena.Orthogonal()) == mistakes
    proof = arena.prove(match)
    assert all(round.wrong for round in match.rounds)
    assert proof.bound == pytest.approx(mistakes)
    np.testing.assert_allclose(proof.progress, proof.progress_floor, atol=1e-9)
    np.testing.assert_allclose(proof.length_squared, proof.length_ceiling, atol=1e-9)


@given(st.integers(1, 20), st.integers(1, 5), st.integers(0, 99))
@settings(max_examples=20)
def test_where_the_bound_is_no_whole_number_the_one_below_is_reached(mistakes, spare, seed):
    u = np.random.default_rng(seed).normal(size=mistakes + spare)
    match = arena.Match(arena.Classification(len(u)), arena.Rules(tuple(u), (mistakes + 0.5) ** -0.5, 1.0))
    assert match.play(arena.Orthogonal()) == mistakes
    assert all(round.wrong for round in match.rounds)


def test_where_the_source_allows_fifty_mistakes_on_lists_a_hundred_are_made():
    rules = arena.Rules((1.0,) * 100, margin=0.2, radius_squared=1.0)
    match = arena.Match(arena.Ranking(100), rules)
    match.play(arena.Orthogonal())
    printed = 2 * rules.radius_squared / rules.margin**2  # Theorem 2 as it stands in the source
    assert sum(round.wrong for round in match.rounds) == 100 > printed == pytest.approx(50)
    assert arena.prove(match).bound == pytest.approx(100)


def test_words_never_seen_force_every_mistake_of_the_bound():
    words, labels = tuple(f"word{i}" for i in range(20)), ("x", "y")
    contest = arena.Sequences(words, labels, 1, transitions=False)
    u = np.tile([1.0, -1.0], 20)
    match = arena.Match(contest, arena.Rules(tuple(u), (2 / 20) ** 0.5, 2.0))
    assert match.play(arena.Orthogonal()) == 20 == pytest.approx(arena.prove(match).bound)
    with pytest.raises(ValueError, match="transitions=False"):
        arena.Orthogonal().move(arena.Match(*arena.little_language()))


@given(st.integers(0, 999))
@settings(max_examples=20)
def test_sentences_keep_to_the_rules_and_the_theorem_holds(seed):
    match = played(*arena.little_language(), arena.Random(seed), 20)
    proof = arena.prove(match)
    assert (proof.progress >= proof.progress_floor - 1e-9).all()
    assert (proof.length_squared <= proof.length_ceiling + 1e-9).all()


def test_the_greedy_sentence_is_the_worst_of_all():
    contest, rules = arena.little_language()
    match = played(contest, rules, arena.Random(3), 4)
    worst = margin_under(match, arena.Greedy(stop=False).move(match))
    chance = arena.Random(4)
    assert all(margin_under(match, chance.move(match)) >= worst for _ in range(100))


def test_the_radius_of_a_sentence_is_that_of_its_worst_labelling():
    contest, _ = arena.little_language()
    move = contest.read("the/D dog/N the/D")
    # The farthest labels differ everywhere and repeat where the truth does not: 2·(2² + 1) for the words …
    words = 2 * (2**2 + 1**2)
    # … and for D N D against V V V: DN, ND against VV twice, the first and the last label.
    pairs = 1 + 1 + 2**2 + 2 + 2
    assert contest.size_squared(move) == words + pairs


@pytest.mark.parametrize(
    ("point", "rule"), [((0.4, 0.0), "margin"), ((-0.9, 0.0), "margin"), ((0.9, 0.9), "radius")]
)
def test_an_illegal_move_is_refused_by_name_and_changes_nothing(point, rule):
    match = played(arena.Classification(2), PLANE, arena.Random(0), 5)
    before = arena.to_json(match.transcript)
    with pytest.raises(arena.IllegalMove, match=rule.title()) as refused:
        match.show(arena.Point(point, 1))
    assert refused.value.rule == rule
    assert arena.to_json(match.transcript) == before


# B is the library's learner.


@given(st.integers(0, 99), st.sampled_from([None, "Polynomial(2)", "RBF(sigma=1.0)"]))
@settings(max_examples=20)
def test_a_match_writes_the_ledger_of_fit(seed, kernel):
    match = played(arena.Classification(2), PLANE, arena.Random(seed), 20, arena.Learner(kernel=kernel))
    X = np.array([round.move.x for round in match.rounds])
    y = np.array([round.move.y for round in match.rounds])
    if len(set(y.tolist())) == 2:
        options = {"epochs": 1, "shuffle": False, "fit_intercept": False}
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
def test_any_learner_can_be_b(player):
    match = arena.Match(arena.Classification(2), PLANE, player)
    assert match.learner == arena.Learner(kernel="Polynomial(2)", rule="margin")


class Lazy(Perceptron):
    """A rule that no record can name."""


def test_who_cannot_be_b_is_told_why():
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
    assert arena.Match(arena.Ranking(2), PLANE, PerceptronRanker()).learner == arena.Learner()


def test_a_round_that_fails_was_never_played():
    match = arena.Match(arena.Classification(1), None, arena.Learner("Polynomial(4)"))
    match.show(arena.Point((1.0,), 1))
    with pytest.raises(ValueError, match="range"):
        match.show(arena.Point((1e90,), 1))
    assert (len(match.rounds), match.run.rows_seen, match.run.book.rounds) == (1, 1, 1)
    match.show(arena.Point((-1.0,), -1))


@pytest.mark.parametrize("rule", ["margin", "passive-aggressive"])
def test_rules_that_also_correct_right_answers_have_a_line_of_their_own(rule):
    match = played(arena.Classification(2), PLANE, arena.Random(0), 60, arena.Learner(rule=rule))
    proof = arena.prove(match)
    assert proof.line(3).startswith("After 3 corrections")
    assert (proof.progress >= proof.progress_floor - 1e-9).all()
    assert (proof.length_squared <= proof.length_ceiling + 1e-9).all()
    assert proof.mistakes <= proof.bound


@given(contests_with_rules(), st.integers(0, 99), st.sampled_from([1e-13, 1e13]))
@settings(max_examples=20)
def test_what_is_worst_does_not_depend_on_how_long_the_guess_is(game, seed, scale):
    contest, rules = game
    guess = np.random.default_rng(seed).normal(size=(contest.features, 1))
    worst, scaled = (contest.worst(rules, guess * by, np.zeros(0)) for by in (1.0, scale))
    np.testing.assert_allclose(contest.rows(worst), contest.rows(scaled), atol=1e-6)


def test_orthogonal_moves_are_refused_where_they_are_not():
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
def test_moves_are_kept_as_pythons_own_numbers(form, y):
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
def test_what_cannot_be_gets_a_sentence(broken):
    with pytest.raises((ValueError, TypeError), match=r"\.$"):
        broken()


def test_free_play_is_certified_by_bs_own_guesses():
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
def test_a_data_set_keeps_to_the_rules_found_for_it(seed):
    given_rules = arena.Rules((1.0, -2.0, 0.5), 0.3, 2.0)
    drawn = played(arena.Classification(3), given_rules, arena.Random(seed), 40)
    X, y = zip(*(round.move for round in drawn.rounds), strict=True)
    rules = arena.rules_for(X, y)
    assert rules.margin >= given_rules.margin / 2


@pytest.mark.parametrize("seed", range(3))
def test_rules_are_found_for_narrow_margins(seed):
    X = np.random.default_rng(seed).normal(size=(200, 3))
    assert arena.rules_for(X, np.sign(X @ [1, 2, 3])).margin > 0


def test_a_data_set_is_replayed_under_its_rules():
    X, y = [[1.0, 0.0, 2.0]] * 40, [1] * 40
    rules = arena.rules_for(X, y)
    match = arena.Match(arena.Classification(3), rules)
    assert match.play(arena.Replay(arena.points(X, y))) == 40


def test_a_data_set_that_no_line_separates_has_no_rules():
    with pytest.raises(ValueError, match="No line through 0"):
        arena.rules_for([[0, 1], [0, 1]], [1, -1])
    for X, y in ([[1, 2]], [3]), ([1, 2], [1, -1]), ([[1], [2]], [1]):
        with pytest.raises(ValueError, match="A data set is"):
            arena.points(X, y)


# Transcripts.


def test_a_match_prints_as_the_table_of_the_sources():
    match = arena.Match(arena.Classification(1), arena.Rules((1.0,), 0.1, 1.0))
    for wrong in (True, False, False):
        assert match.show(arena.Point((0.5,), 1)).wrong == wrong
    assert str(match.transcript).split("\n") == [
        "i  guess  input    result",
        "1  v_0    (0.5) +  ✗",
        "2  v_1    (0.5) +  ✓",
        "3  v_1    (0.5) +  ✓",
    ]


@given(contests_with_rules(), st.integers(0, 99), st.integers(1, 10))
@settings(max_examples=20)
def test_what_is_taken_back_was_never_played(game, seed, rounds):
    match, shorter = (played(*game, arena.Random(seed), n) for n in (10 + rounds, 10))
    match.undo(rounds)
    assert match.rounds == shorter.rounds
    assert match.run.ledger == shorter.run.ledger


MATCHES = {
    "points": lambda: played(arena.Classification(3), arena.Rules((1, 2, 2), 0.3, 4.0), arena.Random(0), 12),
    "kernel": lambda: played(
        arena.Classification(2), PLANE, arena.Random(1), 12, arena.Learner("RBF(sigma=0.5)", "margin")
    ),
    "lists": lambda: played(arena.Ranking(2), PLANE, arena.Random(2), 12),
    "sentences": lambda: played(*arena.little_language(), arena.Random(3), 12),
    "free": lambda: played(arena.Classification(2), None, arena.Replay([arena.Point((9.0, -9.0), -1)]), None),
}


@pytest.mark.parametrize("name", MATCHES)
def test_a_record_is_played_again_as_it_was(name, tmp_path):
    match = MATCHES[name]()
    arena.save(match.transcript, tmp_path / "match.json")
    again = arena.load(tmp_path / "match.json")
    assert again.transcript == match.transcript
    assert again.run.ledger == match.run.ledger
    assert arena.to_json(again.transcript) == arena.to_json(match.transcript)


@pytest.mark.parametrize("name", MATCHES)
def test_a_record_that_says_otherwise_is_refused(name):
    values = json.loads(arena.to_json(MATCHES[name]().transcript))
    values["wrong"][-1] ^= 1
    with pytest.raises(ValueError, match=r"Round \d+ is said to be"):
        arena.from_json(json.dumps(values))


def edited(**changes):
    return json.dumps(json.loads(arena.to_json(MATCHES["points"]().transcript)) | changes)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no .format."),
        (edited(version=2), "version 2"),
        (edited(contest=None), "A contest is named"),
        (edited(contest={"name": "classification", "features": 10**9}), "from 1 to 1000"),
        (edited(contest={"name": "classification", "features": True}), "from 1 to 1000"),
        (edited(contest={"name": "ranking", "features": 2, "length": 10**9}), "from 2 to 100"),
        (edited(contest={"name": "sequence", "words": "ab", "labels": ["x", "y"]}), "list of short texts"),
        (
            edited(
                contest={
                    "name": "sequence",
                    "words": ["a"],
                    "labels": [str(i) for i in range(99)],
                    "longest": 12,
                    "transitions": True,
                }
            ),
            "ways to be labelled",
        ),
        (edited(rules={"u": [1, 2], "margin": 0.1, "radius_squared": 1}), "u must have 3 numbers"),
        (edited(rules={"u": [1, 2, "x"], "margin": 0.1, "radius_squared": 1}), "must be numbers"),
        (edited(rules={"u": [0, 0, 0], "margin": 0.1, "radius_squared": 1}), "not all 0"),
        (edited(rules={"u": [1, 2, 2], "margin": -1, "radius_squared": 1}), "above 0"),
        (edited(rules={"u": [1, 2, 2], "margin": 9, "radius_squared": 1}), "no legal move"),
        (edited(rules={"u": [1.7e308, 1.7e308, 1.7e308], "margin": 0.1, "radius_squared": 1}), "finite"),
        (edited(rules={"u": [1, 2, 2], "margin": 0.1, "radius_squared": 10**400}), "finite"),
        (edited(learner={"kernel": "__import__('os')"}), "A kernel must be made of"),
        (edited(learner={"kernel": "(Linear() + 1) ** 99 ** 99 ** 99"}), "A kernel"),
        (edited(learner={"kernel": None, "rule": 3}), "expressions"),
        (edited(learner={"kernel": None, "rule": "Perceptron()", "ties": "x"}), "ties"),
        (edited(moves=[]), "of each whether"),
        (edited(moves=[[[1, 2], 1]], wrong=[1]), "Round 1 cannot be played again. x must be 3"),
        (edited(moves=[[[1, 2, float("inf")], 1]], wrong=[1]), "finite"),
        (edited(moves=[[["a", "b", "c"], 1]], wrong=[1]), "x must be 3 numbers"),
        (edited(moves=[7], wrong=[1]), "A move must be"),
        (edited(moves=[[[10**400, 1, 1], 1]], wrong=[1]), "x must be 3 numbers"),
        (edited(rules=None, moves=[[[1e200, 1, 1], 1]], wrong=[1]), "up to 1e"),
    ],
)
def test_what_is_not_the_record_of_a_match_gets_a_sentence(text, why):
    with pytest.raises(ValueError, match=why):
        arena.from_json(text)


def test_files_that_are_too_long_or_no_text_are_refused(tmp_path, monkeypatch):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="not a text"):
        arena.load(tmp_path / "bytes")
    monkeypatch.setattr("rosenblatt.arena.records.LARGEST", 10)
    (tmp_path / "long").write_text("x" * 11)
    with pytest.raises(ValueError, match="at most 10 bytes"):
        arena.load(tmp_path / "long")


# People.


def test_a_person_is_told_which_rule_a_move_breaks_and_asked_again():
    typed, told = iter(["0.1 0 +", "nonsense", "1 0 +", "-0.8 0.6 -", ""]), []
    match = arena.Match(arena.Classification(2), PLANE)
    assert match.play(arena.Person(lambda question: next(typed), told.append)) == 2
    assert [said.split()[0] for said in told] == ["Margin:", "A", "B", "B"]
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
def test_what_cannot_be_read_gets_a_sentence(contest, text):
    with pytest.raises(ValueError, match=r"Got|is not one of"):
        contest.read(text)


@given(contests_with_rules(), st.integers(0, 99))
@settings(max_examples=20)
def test_moves_as_values_come_back(game, seed):
    contest, rules = game
    move = contest.random(rules, np.random.default_rng(seed))
    assert contest.from_values(json.loads(json.dumps(contest.to_values(move)))) == move


def test_the_arena_is_part_of_the_package():
    assert rosenblatt.arena is arena
