"""Convergence: epochs that are not played are credited, and the ledger is that of the full run."""

import numpy as np
import pytest
import scipy.sparse as sp

from fixtures import oracles
from fixtures.playing import CUBIC, a_run, blobs
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels
from rosenblatt.data.blocks import Block
from rosenblatt.engine.learner import play, play_blocks, play_pass
from rosenblatt.engine.run import Orders
from rosenblatt.games import Binary

X, Y = blobs(2, rows=40, apart=4.0)
EPOCHS = 30


@pytest.mark.parametrize(
    ("player", "kernel", "form"),
    [
        (play, None, np.asarray),
        (play_pass, None, np.asarray),
        (play_pass, None, sp.csr_array),
        (play_blocks, None, np.asarray),
        (play_blocks, CUBIC, np.asarray),
        (play, kernels.Linear(), np.asarray),
    ],
)
def test_learn_credits_the_epochs_after_convergence(player, kernel, form):
    rows = np.rint(X)
    run = a_run(Binary(), form(rows), Y, kernel=kernel, epochs=EPOCHS, player=player)
    assert run.converged
    assert run.epochs < EPOCHS
    oracle = oracles.perceptron if kernel is None else lambda *data: oracles.kernel_perceptron(kernel, *data)
    mistakes, survived = oracle(rows, 2 * Y - 1, EPOCHS)
    assert (run.ledger.mistakes.tolist(), run.ledger.survived.tolist()) == (mistakes, survived)


def test_predictors_of_a_converged_run_are_those_of_the_full_run():
    rows = np.rint(X)
    guesses, survived = oracles.all_guesses(rows, 2 * Y - 1, EPOCHS)
    clf = PerceptronClassifier(max_iter=EPOCHS, shuffle=False, fit_intercept=False, rule="perceptron").fit(
        rows, Y
    )
    assert clf.n_iter_ < EPOCHS
    expected = {
        "last": guesses[-1],
        "best": guesses[np.argmax(survived)],
        "average": survived @ guesses / survived.sum(),
    }
    for predictor, weights in expected.items():
        np.testing.assert_allclose(clf.set_params(predictor=predictor).coef_[0], weights)
    votes = np.sign(rows @ guesses.T) @ survived / survived.sum()
    np.testing.assert_allclose(clf.set_params(predictor="vote").decision_function(rows), votes)


def test_orders_are_drawn_only_for_epochs_that_are_played():
    random = np.random.default_rng(0)
    orders = Orders(5, 4, random)
    next(orders)
    assert orders.skip() == 15
    assert list(orders) == []
    assert random.integers(1000) == _after_one_permutation(5)
    assert [order.tolist() for order in Orders(2, 2, None)] == [[0, 1], [0, 1]]


def _after_one_permutation(rounds):
    random = np.random.default_rng(0)
    random.permutation(rounds)
    return random.integers(1000)


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("size", [7, 40])
def test_fit_blocks_credits_the_epochs_after_convergence(kernel, size):
    whole = PerceptronClassifier(kernel, max_iter=EPOCHS, shuffle=False, rule="perceptron").fit(X, Y)
    found = PerceptronClassifier(kernel, max_iter=EPOCHS, shuffle=False, rule="perceptron")
    source = [Block(X[i : i + size], Y[i : i + size], None) for i in range(0, len(X), size)]
    found.fit_blocks(source, classes=np.array([0, 1]))
    assert found.converged_
    assert found.ledger_.rounds == EPOCHS * len(X)
    assert (found.ledger_, found.n_iter_) == (whole.ledger_, whole.n_iter_)


def test_early_stopping_scores_the_epochs_that_are_credited():
    words, tags = [["a", "b"], ["b", "a", "a"]], [["A", "B"], ["B", "A", "A"]]
    full = PerceptronTagger(max_iter=9, random_state=0).fit(words, tags)
    tagger = PerceptronTagger(max_iter=9, early_stopping=True, n_iter_no_change=4, random_state=0)
    scores = tagger.fit(words, tags, eval_set=(words, tags)).evals_result_["valid_0"]["token_accuracy"]
    assert full.converged_
    assert full.n_iter_ < len(scores)
    assert scores[-4:] == [1.0] * 4
    assert tagger.n_iter_ == len(scores) - 4  # its patience


def test_ranker_of_pairs_credits_nothing():
    ranker = PerceptronRanker(max_iter=5, random_state=0).fit(X, Y, qid=np.arange(40) // 4)
    assert not ranker.converged_
    assert (ranker.n_iter_, ranker.ledger_.rounds) == (5, 5 * len(X))


def test_partial_fit_credits_nothing():
    clf = PerceptronClassifier(max_iter=EPOCHS, random_state=0).fit(X, Y)
    rounds = clf.ledger_.rounds
    assert clf.partial_fit(X, Y).ledger_.rounds == rounds + len(X)
