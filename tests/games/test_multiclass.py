"""The multiclass games: the verdict of a judge is that of the definition, whatever the scores."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.games import Argmax, OneVsRest


@st.composite
def scored_classes(draw):
    """Draw scores with many ties, and a truth."""
    scores = draw(st.lists(st.integers(-2, 2), min_size=2, max_size=5))
    return np.array([scores], float), np.array([draw(st.integers(0, len(scores) - 1))])


def verdict(game, scores, truth, head=0):
    """Return the verdict of a game's judge, and its entries as (row, output, amount)."""
    most = game.most_entries(1)
    where, amount = np.full((most, 2), 9), np.zeros(most)
    found = game.judge(scores, game.structure, truth, head, -np.inf, where, amount)
    return found, [(row, output, a) for (row, output), a in zip(where.tolist(), amount.tolist(), strict=True)]


@given(scored_classes())
def test_argmax_corrects_the_truth_against_the_highest_other_class(drawn):
    scores, truth = drawn
    mine = truth.item()
    others = [o for o in range(scores.shape[1]) if o != mine]
    rival = max(others, key=lambda o: scores[0, o])  # the first of equals
    margin = scores[0, mine] - scores[0, rival]
    found, entries = verdict(Argmax(scores.shape[1]), scores, truth)
    assert found == (2, margin, margin <= 0, 1.0)
    assert entries == [(0, mine, 1.0), (0, rival, -1.0)]


@given(scored_classes())
def test_one_vs_rest_judges_every_class_by_its_own_score(drawn):
    scores, truth = drawn
    for head in range(scores.shape[1]):
        sign = 1.0 if head == truth else -1.0
        margin = sign * scores[0, head]
        found, entries = verdict(OneVsRest(scores.shape[1]), scores, truth, head)
        assert found == (1, margin, margin <= 0, 1.0)
        assert entries == [(0, head, sign)]
