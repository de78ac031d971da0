"""The binary game: what the sign of a score answers and votes for, and what a score of exactly 0 does."""

import numpy as np
import pytest

from rosenblatt.games import Binary

SCORES, STARTS = np.array([[-0.5, 0.0, 0.5]]), np.arange(4)
BY_TIES = [("mistake", [0, 0, 1], [-2, 0, 2]), ("positive", [0, 1, 1], [-2, 2, 2])]


@pytest.mark.parametrize(("ties", "answers", "votes"), BY_TIES)
def test_binary_answers_and_votes_by_the_sign(ties, answers, votes):
    game, tally = Binary(ties=ties), np.zeros((1, 3))
    assert game.answer(SCORES.T, game.structure, STARTS).tolist() == answers
    assert game.elect(SCORES.T, STARTS).tolist() == answers
    game.ballot(SCORES, game.structure, STARTS, 0, 2.0, tally)
    assert tally[0].tolist() == votes


@pytest.mark.parametrize(("ties", "wrong"), [("mistake", (True, True)), ("positive", (True, False))])
def test_binary_judges_a_score_of_exactly_0(ties, wrong):
    game, where, amount = Binary(ties=ties), np.full((1, 2), 9), np.zeros(1)
    for truth in (0, 1):
        verdict = game.judge(SCORES[:, [1]], game.structure, np.array([truth]), 0, -np.inf, where, amount)
        assert verdict == (1, 0.0, wrong[truth], 1.0)
        assert (where.tolist(), amount.tolist()) == ([[0, 0]], [2 * truth - 1])


def test_binary_has_two_classes():
    assert Binary().classes == 2
