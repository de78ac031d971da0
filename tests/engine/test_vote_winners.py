"""Votes counted from the end: the winner is that of all votes, and sparse products are those of dense rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import CUBIC, a_run, blobs, games_and_points, rejects, sparse
from rosenblatt import PerceptronClassifier
from rosenblatt.engine import guesses, majority
from rosenblatt.games import Argmax, Binary, OneVsRest
from rosenblatt.rows import inner_products, rows_of


def elects_the_winner_of_all_votes(form=sparse):
    @given(games_and_points(), st.integers(1, 6), st.integers(0, 99))
    def law(game, epochs, seed):
        game, X, y = game
        run = a_run(game, form(X), y, epochs=epochs, seed=seed)
        asked, starts = rows_of(form(X)), np.arange(len(X) + 1)
        assert majority.can_settle(run, starts)
        expected = run.game.elect(run.guess("vote").scores(asked, starts).scores, starts)
        assert run.guess("vote").answers(asked).tolist() == expected.tolist()

    return law


@pytest.mark.parametrize("form", [sparse, np.asarray])
def test_decide_elects_the_winner_of_all_votes(form):
    elects_the_winner_of_all_votes(form)()


@pytest.mark.parametrize("game", [Binary, Argmax, OneVsRest])
def test_majority_law_rejects_votes_settled_too_early(game, monkeypatch):
    monkeypatch.setattr(game, "settled", lambda *_: np.ones(len(_[1]), bool))
    monkeypatch.setattr(majority, "COVERED", (0.1,))
    rejects(elects_the_winner_of_all_votes())


@pytest.mark.parametrize(
    ("game", "tally", "settled"),
    [
        (Binary(), [[3], [-3], [4], [-4]], [False, False, True, True]),
        (Argmax(3), [[5, 2, 0], [0, 6, 2], [6, 6, 0], [8, 1, 9]], [False, True, False, False]),
        (OneVsRest(3), [[5, -1, -2], [-1, 6, -2], [9, 9, -9]], [False, True, False]),
    ],
    ids=repr,
)
def test_winner_is_settled_if_three_votes_left_cannot_make_a_tie(game, tally, settled):
    assert game.settled(np.array(tally, float), np.full(game.heads, 3.0)).tolist() == settled


def test_winner_of_many_classes_is_not_settled_while_the_second_is_near():
    random, left = np.random.default_rng(0), np.full(1, 3.0)
    tallies = np.stack([random.permutation(1000.0 + np.arange(1000)) for _ in range(20)])
    assert not Argmax(1000).settled(tallies, left).any()
    assert Argmax(1000).settled(np.where(tallies == 1999, 2002, tallies), left).all()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multiclass", ["argmax", "ovr"])
def test_settled_votes_needs_few_guesses(classes, multiclass, monkeypatch):
    monkeypatch.setattr(majority, "FEW_ROWS", 50)  # several threads
    X, y = blobs(classes, rows=400, apart=4.0)
    clf = PerceptronClassifier(max_iter=20, random_state=0, predictor="vote", multiclass=multiclass).fit(X, y)
    run, asked = clf.run_, rows_of(X)
    entries, last = guesses.entries_of(run, run.ledger), run.hypothesis.scores(asked)
    _, settled = majority.settled_votes(run, asked, last, entries)
    assert settled.mean() > 0.5
    shares = clf.decision_function(X)
    expected = clf.classes_[(shares > 0).astype(int) if classes == 2 else shares.argmax(axis=1)]
    assert clf.predict(X).tolist() == expected.tolist()


def test_can_settle_is_false_with_a_kernel():
    X, y = blobs(2, rows=40)
    run = a_run(Binary(), X, y, kernel=CUBIC)
    assert not majority.can_settle(run, np.arange(41))


@st.composite
def two_matrices(draw):
    width, shapes = draw(st.integers(1, 12)), [draw(st.integers(1, 30)) for _ in range(2)]
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtypes = [draw(st.sampled_from([np.float32, np.float64])) for _ in range(2)]
    return [
        (random.integers(-3, 4, (n, width)) * (random.random((n, width)) < random.random(width))).astype(
            dtype
        )
        for n, dtype in zip(shapes, dtypes, strict=True)
    ]


@given(two_matrices(), st.booleans())
def test_products_of_sparse_rows_are_those_of_dense_rows(matrices, many):
    X, Z = matrices
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inner_products, "MANY", 0)
        patch.setattr(inner_products, "MANY_ROWS", 0 if many else 1024)
        found = inner_products.products(sp.csr_array(X), sp.csr_array(Z))
    assert found.dtype == np.result_type(X, Z)
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, X @ Z.T)


def test_products_of_rows_of_different_width_are_those_of_the_wider(monkeypatch):
    monkeypatch.setattr(inner_products, "MANY", 0)
    X, Z = np.arange(6.0).reshape(2, 3), np.arange(8.0).reshape(2, 4)
    found = inner_products.products(sp.csr_array(X), sp.csr_array(Z))
    np.testing.assert_array_equal(found, X @ Z[:, :3].T)
