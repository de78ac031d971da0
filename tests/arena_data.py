"""Matches for the tests of the arena."""

from hypothesis import strategies as st

from rosenblatt import arena

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
