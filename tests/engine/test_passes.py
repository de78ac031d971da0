"""Parity of passes: over rows of any kind they write the ledger of the definition, in every game and rule.

Like `test_exactness.py`, on integers, for equality, and with something broken that each law must reject.
"""

from itertools import count

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import (
    RULE_NAMES,
    RULES,
    SEEDS,
    a_run,
    games_and_points,
    games_and_wide_points,
    labelled_points,
    orders_of,
    rejects,
    sparse,
)
from rosenblatt import engine
from rosenblatt.engine import learner, primal
from rosenblatt.engine.learner import play_pass
from rosenblatt.engine.primal import Primal, score_few
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Argmax
from rosenblatt.loops import dense, passes
from rosenblatt.loops.compiling import compilable
from rosenblatt.loops.sparse import score_rows
from rosenblatt.rows import Csr, rows_of

FORMS = {
    "sparse": sparse,
    "dense": np.asarray,
    "dense, in float32": lambda X: X.astype(np.float32),
    "dense, column by column": np.asfortranarray,
    "dense, of integers": lambda X: X.astype(np.int16),
    "dense, of bytes in another order": lambda X: X.astype(">f8"),
}


def a_pass_changes_nothing(form, points=games_and_points):
    @given(points(), st.integers(1, 3), SEEDS, RULE_NAMES, *[st.booleans()] * 4)
    def law(game, epochs, seed, rule, intercept, started, weighted, keep):
        game, X, y = game
        shape = (X.shape[1] + 1, game.outputs)
        options = {
            "epochs": epochs,
            "seed": seed,
            "rule": RULES[rule],
            "intercept": intercept,
            "start": np.arange(shape[0] * shape[1]).reshape(shape) % 5 - 2.0 if started else None,
            "weights": np.arange(len(X)) % 3.0 if weighted else None,
            "keep": keep,
        }
        plain = a_run(game, X, y, **options)
        passed = a_run(game, form(X), y, player=play_pass, **options)
        assert passed.ledger == plain.ledger
        assert np.array_equal(passed.hypothesis.weights, plain.hypothesis.weights)
        assert np.array_equal(passed.hypothesis.delayed, plain.hypothesis.delayed)

    return law


@pytest.mark.parametrize("form", FORMS)
def test_play_pass_writes_the_ledger_of_play(form):
    a_pass_changes_nothing(FORMS[form])()


@pytest.mark.parametrize("form", FORMS)
def test_play_pass_over_long_rows_writes_the_ledger_of_play(form):
    a_pass_changes_nothing(FORMS[form], games_and_wide_points)()


@pytest.mark.parametrize("lost", ["add", "square"])
def test_pass_law_rejects_a_dense_pass_of_one_output(lost, monkeypatch):
    """Play the law with corrections of the first output alone, or with norms of the first row."""

    def add(rows, row, constant, output, change, weights):
        dense.add_dense(rows, row, constant, 0, change, weights)

    def square(rows, row):
        return dense.square_of_vector(rows, 0)

    part = compilable({"add": add, "square": square}[lost])
    monkeypatch.setattr(engine.passes, "DENSE", passes.DENSE._replace(**{lost: part}))
    three_classes = labelled_points(3).map(lambda points: (Argmax(3), *points))
    rejects(a_pass_changes_nothing(np.asarray, lambda: three_classes))


@pytest.fixture
def short_stretches(monkeypatch):
    """Make stretches three rounds long, and let the background worker copy two rows at a time."""
    monkeypatch.setattr(learner, "STRETCH", 3)
    monkeypatch.setattr(engine.passes, "COPIED", 2)


@pytest.mark.parametrize("form", [sparse, np.asarray])
def test_play_pass_with_a_background_worker_writes_the_ledger_of_play(short_stretches, form):
    a_pass_changes_nothing(form)()


@pytest.mark.parametrize("form", [sparse, np.asarray])
def test_pass_law_rejects_a_lost_stretch(short_stretches, monkeypatch, form):
    monkeypatch.setattr(engine.passes.Pass, "delay", lambda *arguments: None)
    rejects(a_pass_changes_nothing(form))


@given(games_and_points(), st.integers(1, 2), SEEDS, st.sampled_from([sparse, np.asarray]))
def test_background_worker_keeps_every_corrected_row_once(game, epochs, seed, form):
    game, X, y = game
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "STRETCH", 3)
        patch.setattr(engine.passes, "COPIED", 2)
        run = a_run(game, form(X), y, player=play_pass, epochs=epochs, seed=seed)
    support = run.hypothesis.support
    assert sorted(support.ids.tolist()) == sorted(set(run.ledger.row.tolist()))
    kept = sp.csr_array(support.rows.data).toarray() if len(support) else X[:0]
    assert np.array_equal(kept, X[support.ids])
    assert np.array_equal(support.ids[support.indices(run.ledger.row)], run.ledger.row)


def test_pass_law_rejects_a_lost_feature():
    rejects(a_pass_changes_nothing(lambda X: sparse(np.where(np.arange(X.shape[1]) == 0, 0, X))))


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.integers(1, 3))
def test_score_few_equals_the_compiled_loop(seed, dtype, outputs):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 7, 5)
    features = rng.integers(-1, 12, counts.sum()).astype(np.int32)  # ten of them have a weight
    rows = Csr(np.append(0, np.cumsum(counts)), features, rng.normal(size=len(features)).astype(dtype), 12)
    weights = rng.normal(size=(11, outputs)).astype(dtype)
    compiled = np.empty((5, outputs))
    score_rows(tuple(rows_of(rows).arrays), weights, 0.5, compiled)
    assert np.array_equal(score_few(rows, weights, 0.5), compiled)


def test_scores_are_compiled_after_many_calls(monkeypatch):
    asked = []
    monkeypatch.setattr(primal, "is_loaded", lambda loop: False)
    monkeypatch.setattr(primal, "FEW_CALLS", count(1))
    monkeypatch.setattr(primal, "OFTEN", 4)
    monkeypatch.setattr(primal, "score_few", lambda *given: asked.append(0) or score_few(*given))
    guess = Primal(3, 2, 1.0, np.empty(0))
    guess.weights[:] = np.arange(8).reshape(4, 2)
    rows = rows_of(sp.csr_array([[0.0, 2.0, 1.0]]))
    assert [guess.scores(rows).tolist() for _ in range(6)] == [[[14.0, 18.0]]] * 6
    assert len(asked) == 3


@given(games_and_points(), RULE_NAMES, st.booleans(), st.lists(st.booleans(), min_size=24, max_size=24))
def test_one_round_driver_plays_one_run(game, rule, keep, dense_rows):
    """Each round on dense rows or on sparse ones, which need the weights in another order in memory."""
    game, X, y = game
    whole = a_run(game, X, y, rule=RULES[rule], epochs=1, intercept=True, keep=keep)
    run = begin(game, features=0, rule=RULES[rule], intercept=True, keep=keep)
    driver = engine.passes.OneRoundDriver(run)
    for i, as_dense in enumerate(dense_rows[: len(X)]):
        driver.play(X[[i]] if as_dense else rows_of(sparse(X[[i]])).csr, y[[i]])
    run.hypothesis.narrow(X.shape[1])
    assert run.ledger == whole.ledger
    assert np.array_equal(run.hypothesis.weights, whole.hypothesis.weights)
    assert np.array_equal(run.hypothesis.delayed, whole.hypothesis.delayed)


def test_play_pass_keeps_weights_contiguous():
    """Else loops would be compiled for every order of weights in memory, and be slow in most."""
    run, X, y = begin(Argmax(3), features=4), np.eye(4), np.arange(4) % 3
    for form, order in ((np.asarray, "F"), (sparse, "C"), (np.asarray, "F")):
        play_pass(run, Examples(run.number(form(X)), y), orders_of(4, 1))
        for weights in (run.hypothesis.weights, run.hypothesis.delayed):
            assert np.isfortran(weights) == (order == "F")


@pytest.mark.parametrize("form", [sparse, np.asarray])
def test_learn_plays_passes_without_a_kernel(form, monkeypatch):
    for slower in ("play", "play_blocks"):
        monkeypatch.setattr(learner, slower, None)
    X, y = np.eye(4), np.arange(4) % 3
    expected = a_run(Argmax(3), X, y)
    assert a_run(Argmax(3), form(X), y, player=learner.learn).ledger == expected.ledger


def test_one_loop_plays_dense_rows_of_double_and_of_single_precision():
    X, y = np.eye(4), np.arange(4) % 2
    for dtype in (np.float64, np.float32):
        run = begin(Argmax(2), features=4)
        play_pass(run, Examples(run.number(X.astype(dtype)), y), [np.arange(4)])
    loop = passes.pass_loop(Argmax(2).judge, run.rule.step, passes.DENSE, True, True, False, False, False)
    assert len(loop.overloads) == 1
