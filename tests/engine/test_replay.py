"""A run replayed up to some round is the run that ended there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import CUBIC, RULES, a_run, games_and_points, orders_of
from fixtures.tagging_data import INPUTS, TAGS
from rosenblatt import PerceptronClassifier, PerceptronTagger, kernels
from rosenblatt.engine.learner import play
from rosenblatt.engine.replay import replayed
from rosenblatt.engine.run import Examples, begin
from rosenblatt.rows import rows_of


@given(games_and_points(), st.sampled_from([None, CUBIC]), st.sampled_from(sorted(RULES)), st.integers(0, 3))
def test_replayed_is_the_shorter_run(data, kernel, rule, epochs):
    game, X, y = data
    options = {"kernel": kernel, "rule": RULES[rule], "intercept": True}
    shorter = a_run(game, X, y, epochs=epochs, **options)
    rounds = shorter.book.rounds
    again = replayed(a_run(game, X, y, epochs=4, **options), rounds)
    assert again.ledger == shorter.ledger
    rows, starts = rows_of(X), np.arange(len(X) + 1)
    for name in ("last", "best", "average") if rounds else ():
        assert np.array_equal(again.guess(name).scores(rows).scores, shorter.guess(name).scores(rows).scores)
    assert np.array_equal(again.hypothesis.scores(rows), shorter.hypothesis.scores(rows))
    if rounds:
        assert np.array_equal(
            again.guess("vote").scores(rows, starts).scores, shorter.guess("vote").scores(rows, starts).scores
        )


def test_replayed_starts_at_random_weights():
    X, y = np.eye(3), np.array([0, 1, 2])
    run = PerceptronClassifier(start="random", random_state=0, max_iter=4).fit(X, y).run_
    assert np.array_equal(replayed(run, 0).hypothesis.weights, run.hypothesis.start)
    assert np.allclose(replayed(run, run.book.rounds).hypothesis.weights, run.hypothesis.weights)


def test_replayed_run_continues_independently():
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0]]), np.array([0, 1, 0])
    run = a_run(PerceptronClassifier().fit(X, y).run_.game, X, y, kernel=CUBIC, epochs=3)
    before, stored = run.ledger, len(run.hypothesis.support)
    again = replayed(run, 1)
    play(again, Examples(again.number(X + 1), y), orders_of(3, 2))
    assert run.ledger == before
    assert len(run.hypothesis.support) == stored


@pytest.mark.parametrize("kind", ["texts", "pairs", "kernel", "sparse"])
def test_replayed_tagger_has_its_structure_weights(kind):
    X, options = INPUTS[kind]
    run = PerceptronTagger(random_state=0, keep_examples=True, **options).fit(X, TAGS).run_
    again = replayed(run, run.book.rounds)
    assert np.array_equal(again.hypothesis.structure, run.hypothesis.structure)
    assert again.hypothesis.structure is not run.hypothesis.structure
    assert (replayed(run, 0).hypothesis.structure == run.game.structure).all()


def test_replayed_rejects_unsupported_runs():
    X, y = np.eye(3), np.array([0, 1, 0])
    with pytest.raises(ValueError, match=r"budget forgets the guesses it had.*Budget\(size=2"):
        replayed(PerceptronClassifier(kernels.RBF(1.0), budget=2).fit(X, y).run_, 1)
    with pytest.raises(ValueError, match=r"'replay' needs the corrected rows.*keep_examples=True"):
        replayed(PerceptronClassifier(keep_examples=False).fit(X, y).run_, 1)
    run = begin(PerceptronClassifier().fit(X, y).run_.game, features=3)
    with pytest.raises(ValueError, match=r"has 0 rounds. Got until\(1\)"):
        replayed(run, 1)
