"""Rounds of several rows, one row or none: a game of lists, from outside the package, on every path."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import RULES, orders_of, sparse
from rosenblatt import engine
from rosenblatt.engine import learner
from rosenblatt.engine.learner import play, play_blocks, play_pass
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import NO_STRUCTURE, compilable
from rosenblatt.kernels import Linear
from rosenblatt.rows import rows_of


@compilable
def judge(scores, structure, truth, head, required, where, amount):
    """The row whose truth is 1 must be above all others."""
    best, rival = -1, -1
    for r in range(scores.shape[0]):
        if truth[r] == 1:
            best = r
        elif rival < 0 or scores[r, 0] > scores[rival, 0]:
            rival = r
    if best < 0 or rival < 0:
        return 0, np.inf, False, 1.0
    where[0, 0], where[0, 1], amount[0] = best, 0, 1.0
    where[1, 0], where[1, 1], amount[1] = rival, 0, -1.0
    margin = scores[best, 0] - scores[rival, 0]
    return 2, margin, margin <= 0.0, 1.0


@compilable
def ballot(scores, structure, starts, head, weight, tally):
    for i in range(starts.shape[0] - 1):
        if starts[i + 1] > starts[i]:
            tally[0, starts[i] + np.argmax(scores[0, starts[i] : starts[i + 1]])] += weight


@dataclass(frozen=True)
class Best:
    """Find the best row of a list."""

    outputs, heads, structure, alternatives = 1, 1, NO_STRUCTURE, 1
    judge, ballot = staticmethod(judge), staticmethod(ballot)

    def most_entries(self, rows):
        return 2

    def answer(self, scores, structure, starts):
        lists = pairwise(starts)
        return np.array([-1 if a == b else int(np.argmax(scores[a:b, 0])) for a, b in lists])

    def elect(self, tally, starts):
        return self.answer(tally, tally, starts)


@st.composite
def lists(draw):
    lengths = np.array(draw(st.lists(st.integers(0, 4), min_size=1, max_size=9)))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    seed = draw(st.integers(0, 10**6))
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (starts[-1], 3)).astype(float) * (random.random((starts[-1], 3)) < 0.7)
    truths = np.zeros(starts[-1], np.int64)
    for a, b in pairwise(starts):
        if b > a:
            truths[random.integers(a, b)] = 1
    weights = random.integers(0, 3, len(lengths)).astype(float) if seed % 2 else None
    return X, truths, starts, weights


def a_run(player, data, game, kernel=None, rule=None, epochs=3, **options):
    _, truths, starts, weights = game
    run = begin(Best(), features=3, kernel=kernel, rule=rule, intercept=True)
    for count in (epochs, 1):  # the second call continues the run
        examples = Examples(run.number(data), truths, starts, weights)
        player(run, examples, orders_of(len(starts) - 1, count, seed=1), **options)
    return run


PATHS = {
    "blocks": lambda X, game, rule: a_run(play_blocks, X, game, rule=rule, block=5),
    "sparse": lambda X, game, rule: a_run(play_pass, sparse(X), game, rule=rule),
    "dense": lambda X, game, rule: a_run(play_pass, X, game, rule=rule),
    "dual": lambda X, game, rule: a_run(play, X, game, Linear(), rule),
    "dual blocks": lambda X, game, rule: a_run(play_blocks, X, game, Linear(), rule, block=5),
    "dual blocks of CSR": lambda X, game, rule: a_run(play_blocks, sparse(X), game, Linear(), rule, block=4),
}


@pytest.mark.parametrize("path", PATHS)
@given(lists(), st.sampled_from(sorted(RULES)), st.booleans())
def test_every_path_writes_the_ledger_of_the_definition(path, game, rule, background):
    X, starts = game[0], game[2]
    definition = a_run(play, X, game, rule=RULES[rule])
    with pytest.MonkeyPatch.context() as patch:
        if background:
            patch.setattr(learner, "STRETCH", 2)
            patch.setattr(engine.passes, "COPIED", 2)
        run = PATHS[path](X, game, RULES[rule])
    assert run.ledger == definition.ledger
    for predictor in ("last", "best", "vote"):
        answers = (some.guess(predictor).answers(rows_of(X), starts) for some in (run, definition))
        assert np.array_equal(*answers)
    averages = (some.guess("average").scores(rows_of(X)).scores for some in (run, definition))
    np.testing.assert_allclose(*averages, atol=1e-12)


def test_block_driver_cuts_blocks_by_rows():
    """512 rounds of 60 rows each would be a Gram matrix of 30,720 × 30,720."""
    driver = engine.blocks.BlockDriver(
        begin(Best(), kernel=Linear()),
        Examples(rows_of(np.zeros((600, 3))), np.zeros(600, np.int64), np.arange(0, 601, 60)),
    )
    driver.begin(np.arange(10))
    assert [(part.start, part.stop) for part in driver.blocks(200)] == [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert [part.stop - part.start for part in driver.blocks(7)] == [1] * 10
