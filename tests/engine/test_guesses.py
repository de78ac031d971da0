"""What answers for a run: each guess against the definition, on small data, and what it keeps alive."""

import gc
import weakref

import numpy as np
import pytest

from fixtures.playing import sparse
from rosenblatt.engine.learner import play
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Argmax, Sequence
from rosenblatt.kernels import Linear
from rosenblatt.rows import rows_of

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, (24, 5)).astype(float)
Y = RANDOM.integers(0, 3, 24)
SENTENCES = np.arange(0, 25, 4)
TAGS = Sequence(3, frozenset({(0, 1), (3, 2)}))


def played(game=None, X=X, starts=None, **options):
    """A run of two epochs with the recent average, played by the definition."""
    run = begin(game or Argmax(3), features=5, recent=True, **options)
    examples = Examples(run.number(X), Y, starts)
    play(run, examples, [np.arange(len(examples))] * 2)
    return run


def allowed_path():
    """Labels of sentences that break no rule of TAGS."""
    return np.tile([0, 2, 1, 0], 6)


@pytest.fixture
def tagged(monkeypatch):
    monkeypatch.setitem(globals(), "Y", allowed_path())
    return played(TAGS, starts=SENTENCES)


@pytest.mark.parametrize("predictor", ["last", "average", "recent", "best"])
@pytest.mark.parametrize("form", [np.asarray, sparse])
def test_scores_of_few_rows_are_those_of_the_weights(predictor, form):
    run = played(X=form(X))
    expected = X @ run.guess(predictor).weights[:-1]
    run.forget_guesses()
    few = run.guess(predictor).scores(rows_of(form(X[:1])))
    assert few.scores == pytest.approx(expected[:1])
    assert few.structure.shape == (1, 0)
    many = run.guess(predictor).scores(rows_of(form(X)), np.arange(25))
    assert many.scores == pytest.approx(expected)
    assert many.structure.shape == (24, 0)


@pytest.mark.parametrize("predictor", ["last", "average", "recent", "best"])
def test_answers_are_by_default_to_one_row_each(predictor):
    guess = played().guess(predictor)
    expected = (X @ guess.weights[:-1]).argmax(axis=1)
    assert guess.answers(rows_of(X)).tolist() == expected.tolist()


def test_votes_are_counted_where_they_are_not_settled():
    run = played(X=sparse(X))
    rows = rows_of(sparse(X))
    expected = run.game.elect(run.guess("vote").scores(rows, np.arange(25)).scores, np.arange(25))
    assert run.guess("vote").answers(rows).tolist() == expected.tolist()
    assert len(run.guess("vote").scores(rows).scores) == 24


@pytest.mark.parametrize("predictor", ["last", "average", "recent", "best"])
def test_the_dual_form_is_the_guess(predictor):
    run = played(kernel=Linear())
    in_primal = played().guess(predictor).weights[:-1]
    index, output, amount = run.guess(predictor).entries
    weights = np.zeros((5, 3))
    np.add.at(weights.T, output, amount[:, None] * run.support.rows.data[index])
    assert weights == pytest.approx(in_primal)


@pytest.mark.parametrize("predictor", ["last", "average", "recent", "best"])
def test_structure_moved_is_what_was_learned(predictor, tagged):
    guess = tagged.guess(predictor)
    forbidden = TAGS.structure == -np.inf
    assert guess.structure_moved[forbidden].tolist() == [0, 0]
    assert guess.structure_moved[~forbidden] == pytest.approx(guess.structure[~forbidden])
    assert guess.structure_moved.any()


def test_best_needs_rows_that_were_kept_and_others_do_not():
    run = played(keep=False)
    for predictor in ("last", "average", "recent"):
        run.guess(predictor)
    with pytest.raises(ValueError, match="best"):
        run.guess("best")


def test_what_is_computed_of_a_guess_is_kept_until_the_run_moves():
    run = played()
    weights = run.guess("average").weights
    assert run.guess("average").weights is weights
    play(run, Examples(run.number(-X), Y), [np.arange(24)])
    assert run.guess("average").weights is not weights


def test_a_run_that_is_dropped_is_freed_at_once():
    run = played()
    weights = run.guess("average").weights
    run.guess("best").scores(rows_of(X))
    seen = weakref.ref(run)
    gc.disable()
    try:
        del run, weights
        assert seen() is None
    finally:
        gc.enable()
