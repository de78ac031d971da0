"""The game of the sources as two players play it: legal moves, and the bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.arena_data import PLANE, contests_with_rules, played
from rosenblatt import arena
from rosenblatt.arena.strategies import margin_under

# What A does is legal, and what B does keeps to the theorem.


@given(contests_with_rules(), st.integers(0, 99))
@settings(max_examples=60)
def test_random_and_greedy_play_legal_moves_within_the_bound(game, seed):
    for strategy in (arena.Random(seed), arena.Greedy()):
        proof = arena.prove(played(*game, strategy, 25))
        slack = 1e-9 * max(1.0, proof.length_ceiling[-1])
        assert (proof.progress >= proof.progress_floor - slack).all()
        assert (proof.length_squared <= proof.length_ceiling + slack).all()
        assert proof.mistakes <= proof.bound * (1 + 1e-9)


@given(contests_with_rules(), st.integers(0, 99))
@settings(max_examples=40)
def test_greedy_shows_the_move_of_least_margin(game, seed):
    match = played(*game, arena.Random(seed), 3)
    worst = arena.Greedy(stop=False).move(match)
    match.referee.checked(worst)
    chance = arena.Random(seed + 1)
    assert all(
        margin_under(match, chance.move(match)) >= margin_under(match, worst) - 1e-9 for _ in range(50)
    )


@given(st.integers(1, 40), st.sampled_from([0.5, 1.0, 4.0]), st.integers(0, 20), st.integers(0, 99))
@settings(max_examples=40)
def test_orthogonal_reaches_the_bound(mistakes, radius, spare, seed):
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
def test_orthogonal_reaches_the_bound_rounded_down(mistakes, spare, seed):
    u = np.random.default_rng(seed).normal(size=mistakes + spare)
    match = arena.Match(arena.Classification(len(u)), arena.Rules(tuple(u), (mistakes + 0.5) ** -0.5, 1.0))
    assert match.play(arena.Orthogonal()) == mistakes
    assert all(round.wrong for round in match.rounds)


def test_orthogonal_makes_100_mistakes_on_lists_where_the_source_allows_50():
    rules = arena.Rules((1.0,) * 100, margin=0.2, radius_squared=1.0)
    match = arena.Match(arena.Ranking(100), rules)
    match.play(arena.Orthogonal())
    printed = 2 * rules.radius_squared / rules.margin**2  # Theorem 2 as it stands in the source
    assert sum(round.wrong for round in match.rounds) == 100 > printed == pytest.approx(50)
    assert arena.prove(match).bound == pytest.approx(100)


def test_orthogonal_reaches_the_bound_on_sequences():
    words, labels = tuple(f"word{i}" for i in range(20)), ("x", "y")
    contest = arena.Sequences(words, labels, 1, transitions=False)
    u = np.tile([1.0, -1.0], 20)
    match = arena.Match(contest, arena.Rules(tuple(u), (2 / 20) ** 0.5, 2.0))
    assert match.play(arena.Orthogonal()) == 20 == pytest.approx(arena.prove(match).bound)
    with pytest.raises(ValueError, match="transitions=False"):
        arena.Orthogonal().move(arena.Match(*arena.little_language()))


@given(st.integers(0, 999))
@settings(max_examples=20)
def test_random_plays_legal_sentences_within_the_bound(seed):
    match = played(*arena.little_language(), arena.Random(seed), 20)
    proof = arena.prove(match)
    assert (proof.progress >= proof.progress_floor - 1e-9).all()
    assert (proof.length_squared <= proof.length_ceiling + 1e-9).all()


def test_greedy_shows_the_sentence_of_least_margin():
    contest, rules = arena.little_language()
    match = played(contest, rules, arena.Random(3), 4)
    worst = margin_under(match, arena.Greedy(stop=False).move(match))
    chance = arena.Random(4)
    assert all(margin_under(match, chance.move(match)) >= worst for _ in range(100))


def test_size_squared_of_a_sentence_is_that_of_its_worst_labelling():
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
def test_show_rejects_illegal_moves_by_rule(point, rule):
    match = played(arena.Classification(2), PLANE, arena.Random(0), 5)
    before = arena.to_json(match.transcript)
    with pytest.raises(arena.IllegalMove, match=rule.title()) as refused:
        match.show(arena.Point(point, 1))
    assert refused.value.rule == rule
    assert arena.to_json(match.transcript) == before
