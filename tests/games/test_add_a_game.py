"""The recipe "add a game", proven: ordinal regression (PRank) from outside the package, in under 40 lines.

It gets the primal, the dual, every path, every predictor and the certificate without a line of its own.
"""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import ordinal
from fixtures.ordinal import Ordinal
from fixtures.playing import a_run, labelled_points, orders_of, sparse
from rosenblatt.engine import predictors
from rosenblatt.engine.learner import learn, play_blocks, play_pass
from rosenblatt.engine.run import Examples, begin
from rosenblatt.kernels import Linear, Polynomial
from rosenblatt.rows import rows_of
from rosenblatt.rules import Margin
from rosenblatt.theory.certificates import certify


def prank(X, y, ranks, epochs):
    """Figure 1 of Crammer and Singer, Pranking with ranking (2001), with ranks counted from 0."""
    w, b, mistakes = np.zeros(X.shape[1]), np.zeros(ranks - 1), []
    for _ in range(epochs):
        clean = True
        for i in range(len(X)):
            sides = np.where(y[i] > np.arange(ranks - 1), 1.0, -1.0)
            tau = np.where((w @ X[i] - b) * sides <= 0, sides, 0.0)
            if tau.any():
                w, b, clean = w + tau.sum() * X[i], b - tau, False
                mistakes.append(i)
        if clean:
            break
    return mistakes, w, b


def test_ordinal_takes_under_forty_lines():
    game = inspect.getsource(ordinal).partition("@compilable")[2]
    assert len([line for line in game.splitlines() if line.strip()]) < 40


@given(labelled_points(4), st.integers(1, 3))
def test_ordinal_is_prank(points, epochs):
    X, y = points
    mistakes, w, b = prank(X, y, 4, epochs)
    for player, data in ((play_blocks, X), (play_pass, sparse(X)), (play_pass, X)):
        run = a_run(Ordinal(4), data, y, epochs=epochs, player=player)
        assert run.ledger.mistakes.tolist() == mistakes
        assert run.hypothesis.weights[:-1, 0].tolist() == w.tolist()
        assert run.hypothesis.structure.tolist() == b.tolist()


@given(labelled_points(4), st.integers(1, 3), st.integers(1, 20))
def test_ordinal_writes_the_same_ledger_on_every_path(points, epochs, block):
    X, y = points
    for rule in (None, Margin(beta=2.0)):
        options = {"epochs": epochs, "seed": 1, "rule": rule}
        definition = a_run(Ordinal(4), X, y, **options).ledger
        assert (
            a_run(Ordinal(4), X, y, kernel=Linear(), player=play_blocks, block=block, **options).ledger
            == definition
        )
        for data in (sparse(X), X):
            assert a_run(Ordinal(4), data, y, player=play_pass, **options).ledger == definition


def wine_like():
    """Return grades that a quadratic of the features decides, so that only a kernel separates them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    return X, np.digitize((X**2).sum(axis=1), [0.5, 1.5, 3.0])


@pytest.mark.parametrize("predictor", predictors.NAMES)
def test_predictors_answer_for_ordinal(predictor):
    X, y = wine_like()
    errors = {}
    for kernel in (None, Polynomial(2)):
        run = begin(Ordinal(4), features=2, kernel=kernel, recent=predictor == "recent")
        learn(run, Examples(run.number(X), y), orders_of(len(X), 20, seed=0))
        answers = run.guess(predictor, np.random.default_rng(0)).answers(rows_of(X))
        errors[kernel] = np.mean(np.abs(answers - y))
    assert errors[Polynomial(2)] < 0.25 < errors[None]


def test_examples_keep_float_truths():
    assert Examples(rows_of(np.ones((2, 1))), np.array([0.5, 2.0])).truths.tolist() == [0.5, 2.0]
    assert Examples(rows_of(np.ones((2, 1))), np.array([True, False])).truths.dtype == np.int64


def test_certify_holds_for_ordinal():
    X, y = wine_like()
    run = begin(Ordinal(4), features=2, kernel=Polynomial(2))
    examples = Examples(run.number(X), y)
    learn(run, examples, orders_of(len(X), 3, seed=0))
    (certificate,) = certify(run, examples)
    assert certificate.holds
    assert certificate.bound >= certificate.mistakes > 0
