"""The predictor `recent`: its definition, every way to compute it, and what drift does to it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures.ordinal import Ordinal
from fixtures.playing import CUBIC, Linear, blobs, games_and_points, labelled_points, sparse
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, load, online, save
from rosenblatt.budgets import Budget
from rosenblatt.engine.learner import learn, play, play_blocks
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Binary
from rosenblatt.loops import passes


def restarting_average(X, y, epochs):
    """Return the weights of `recent` by its definition, the last restart and all restarts: the s-th guess since counts s times."""
    guess, total, since, behind, restarts = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0, 0, []
    for t, i in enumerate(list(range(len(X))) * epochs, 1):
        answer = total if t - 1 > since else guess
        wrong, recent_wrong = y[i] * (guess @ X[i]) <= 0, y[i] * (answer @ X[i]) <= 0
        behind = max(0, behind + int(recent_wrong and not wrong) - int(wrong and not recent_wrong))
        total = total + (t - since) * guess
        if wrong:
            guess = guess + y[i] * X[i]
        if behind >= passes.BEHIND:
            total, since, behind = np.zeros_like(guess), t, 0
            restarts.append(t)
    rounds = t - since
    return guess if not rounds else total / (rounds * (rounds + 1) / 2), since, restarts


def a_run(game, X, y, player=play, kernel=None, epochs=3, **options):
    run = begin(game, features=X.shape[1], kernel=kernel, recent=True, **options)
    player(run, Examples(run.number(X), y), [np.arange(X.shape[0])] * epochs)
    return run


def turning(rows=400, width=3):
    """Return integer points whose labels flip half-way, so that the average falls behind and must restart."""
    random = np.random.default_rng(0)
    X = random.integers(-3, 4, (rows, width)).astype(float)
    y = (X @ np.arange(1, width + 1) > 0).astype(int)
    y[rows // 2 :] = 1 - y[rows // 2 :]
    return X, y


@given(labelled_points(), st.integers(1, 3))
def test_recent_is_its_definition(points, epochs):
    X, y = points
    run = a_run(Binary(), X, y, epochs=epochs)
    weights, since, _ = restarting_average(X, 2 * y - 1, epochs)
    np.testing.assert_allclose(run.single_guess("recent").weights[:-1, 0], weights, atol=1e-9)
    assert run.hypothesis.recent.since.tolist() == [since]


@pytest.mark.parametrize("behind", [1, 3, 10])
def test_recent_restarts_when_it_falls_behind(behind, monkeypatch):
    monkeypatch.setattr(passes, "BEHIND", behind)
    X, y = turning()
    run = a_run(Binary(), X, y, epochs=1)
    weights, since, restarts = restarting_average(X, 2 * y - 1, 1)
    assert any(restart > len(X) // 2 for restart in restarts)
    assert run.hypothesis.recent.since.tolist() == [since]
    np.testing.assert_allclose(run.single_guess("recent").weights[:-1, 0], weights, atol=1e-9)


def state(run):
    kept = run.hypothesis.recent
    return kept.since.tolist(), kept.behind.tolist(), kept.structure.tolist()


@given(games_and_points(), st.integers(1, 3), st.booleans())
def test_learn_follows_recent_as_play_does(game, epochs, as_csr):
    game, X, y = game
    defined = a_run(game, X, y, epochs=epochs)
    found = a_run(game, sparse(X) if as_csr else X, y, player=learn, epochs=epochs)
    assert found.ledger == defined.ledger
    assert state(found) == state(defined)
    np.testing.assert_array_equal(found.hypothesis.recent.sums, defined.hypothesis.recent.sums)


@pytest.mark.parametrize("form", [np.asarray, sparse])
def test_learn_restarts_as_play_does(form):
    X, y = turning()
    runs = [a_run(Binary(), form(X), y, player=player, epochs=2) for player in (play, learn)]
    assert runs[0].hypothesis.recent.since[0] > 0
    assert state(runs[0]) == state(runs[1])
    np.testing.assert_array_equal(*(run.hypothesis.recent.sums for run in runs))


@given(games_and_points(), st.integers(1, 3))
def test_recent_in_the_dual_is_recent_in_the_primal(game, epochs):
    game, X, y = game
    primal, dual = (a_run(game, X, y, kernel=kernel, epochs=epochs) for kernel in (None, Linear()))
    assert state(primal) == state(dual)
    rows = primal.number(X)
    for one, two in ((primal, dual), (primal, primal)):
        np.testing.assert_allclose(
            one.guess("recent").scores(rows).scores,
            two.guess("recent").scores(rows).scores,
            atol=1e-9,
        )


@given(games_and_points())
def test_recent_is_read_from_a_ledger_that_is_kept(game):
    game, X, y = game
    run = a_run(game, X, y)
    index, output, amount = run.single_guess("recent").entries
    weights = np.zeros_like(run.hypothesis.weights)
    if len(index):
        run.hypothesis.spread(weights, run.hypothesis.support.rows.data, index, output, amount)
    np.testing.assert_allclose(weights, run.single_guess("recent").weights, atol=1e-9)


def test_recent_with_a_large_budget_is_recent_without():
    X, y = turning(200)
    X = X + np.arange(200)[:, None] * 1e-3  # no row twice
    free, within = (
        PerceptronClassifier(
            kernels.RBF(gamma=0.1), max_iter=2, shuffle=False, predictor="recent", budget=budget
        ).fit(X, y)
        for budget in (None, Budget(400, "oldest"))
    )
    assert free.run_.hypothesis.recent.since[0] > 0
    np.testing.assert_allclose(free.decision_function(X), within.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("policy", ["projection", "oldest", "random", "halving", "merging"])
def test_recent_survives_what_a_budget_forgets(policy):
    X, y = turning(600)
    learner = PerceptronClassifier(
        kernels.RBF(gamma=0.1), max_iter=1, shuffle=False, predictor="recent", budget=Budget(40, policy)
    ).fit(X, y)
    assert learner.run_.hypothesis.recent.since[0] > 300
    assert learner.score(X[450:], y[450:]) > 0.8


def test_recent_follows_a_run_from_its_first_round():
    X, y = blobs(3, rows=30, apart=0.5)
    clf = PerceptronClassifier(predictor="recent", max_iter=1, shuffle=False).fit(X, y)
    assert clf.coef_.shape == (3, 4)
    unfollowed = PerceptronClassifier(max_iter=1).fit(X, y).set_params(predictor="recent")
    for ask in (unfollowed.predict, unfollowed.decision_function):
        with pytest.raises(ValueError, match="did not follow it: learn with predictor='recent'"):
            ask(X)


def test_play_blocks_rejects_recent():
    X, y = blobs(2, rows=20)
    with pytest.raises(ValueError, match="do not follow the predictor 'recent'"):
        a_run(Binary(), X, y, player=play_blocks, kernel=CUBIC)


WORDS = [[f"w{i}" for i in np.random.default_rng(j).integers(0, 20, 4)] for j in range(40)]
TAGS = [[f"t{int(word[1:]) % 3}" if j < 20 else "t0" for word in words] for j, words in enumerate(WORDS)]


@pytest.mark.parametrize(("kernel", "keep"), [(None, True), (None, False), (kernels.Polynomial(2), True)])
def test_recent_continues_after_save_and_load(tmp_path, keep, kernel):
    X, y = turning()
    options = {"predictor": "recent", "keep_examples": keep, "max_iter": 1, "shuffle": False}
    clf = PerceptronClassifier(kernel, **options).fit(X, y)
    save(clf, tmp_path / "model")
    again = load(tmp_path / "model")
    for learner in (clf, again):
        learner.partial_fit(X, y)
    assert state(clf.run_) == state(again.run_)
    np.testing.assert_array_equal(clf.decision_function(X), again.decision_function(X))


def test_recent_answers_for_every_estimator_and_online_learner():
    X, y = blobs(2, rows=60, apart=2.0)
    ranker = PerceptronRanker(predictor="recent", strategy="best", random_state=0).fit(
        X, y, qid=np.arange(60) // 6
    )
    assert ranker.predict(X).shape == (60,)
    tagger = PerceptronTagger(predictor="recent", random_state=0).fit(WORDS, TAGS)
    assert tagger.score(WORDS, TAGS) > 0.9
    assert tagger.transitions_.shape == (4, 4)
    one_by_one = online.Classifier(predictor="recent")
    for x, label in zip(X, 2 * y - 1, strict=True):
        one_by_one.add_example(x, label)
    whole = PerceptronClassifier(predictor="recent", max_iter=1, shuffle=False).fit(X, y)
    np.testing.assert_allclose([one_by_one.decision_function(x) for x in X], whole.decision_function(X))
    labelling = online.Tagger(predictor="recent")
    for words, tags in zip(WORDS, TAGS, strict=True):
        labelling.add_example(words, tags)
    assert labelling.label(WORDS[-1]) == TAGS[-1]


def test_recent_recovers_from_drift_and_keeps_the_average_without():
    random = np.random.default_rng(0)
    X = random.normal(size=(9000, 10))
    before, after = random.normal(size=(2, 10))
    flip = random.random(9000) < 0.1
    T = random.normal(size=(4000, 10))
    for change in (6000, 9000):
        now = np.where(np.arange(9000)[:, None] < change, before, after)
        y = ((X * now).sum(axis=1) > 0) ^ flip
        error = {}
        for predictor in ("last", "average", "recent"):
            clf = PerceptronClassifier(predictor=predictor, keep_examples=False)
            for part in range(0, min(change + 1000, 9000), 500):
                clf.partial_fit(
                    sp.csr_array(X[part : part + 500]), y[part : part + 500], classes=[False, True]
                )
            error[predictor] = np.mean(clf.predict(T) != (T @ now[min(change + 999, 8999)] > 0))
        assert error["recent"] <= min(error["last"], error["average"]) + 0.01, (change, error)


@pytest.mark.parametrize("form", [sparse, np.asarray])
def test_learn_restarts_the_structure_weights_of_a_users_game_as_play_does(form):
    X, _ = turning(width=2)
    y = np.digitize(X[:, 0], [-1.5, 0.5, 1.5])
    y[200:] = 3 - y[200:]
    runs = [a_run(Ordinal(4), form(X), y, player=player, epochs=2) for player in (play, learn)]
    assert runs[0].hypothesis.recent.since[0] > 0
    assert state(runs[0]) == state(runs[1])
    np.testing.assert_array_equal(*(run.hypothesis.recent.sums for run in runs))


def test_recent_plays_the_epochs_after_convergence():
    X, y = blobs(2, rows=40, apart=4.0)
    rows = np.rint(X)
    clf = PerceptronClassifier(
        max_iter=30, shuffle=False, fit_intercept=False, predictor="recent", rule="perceptron"
    ).fit(rows, y)
    weights, since, _ = restarting_average(rows, 2 * y - 1, 30)
    assert clf.converged_
    assert clf.n_iter_ == 30
    assert clf.run_.hypothesis.recent.since.tolist() == [since]
    np.testing.assert_allclose(clf.coef_[0], weights)
