"""Claims of the theory page that no other test covers: bounds that are reached, expected errors, errors of the sources."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fixtures import oracles
from fixtures.playing import a_run, games_and_points, labelled_points, orders_of
from rosenblatt import PerceptronClassifier, arena, kernels, online
from rosenblatt.engine.learner import play
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Binary
from rosenblatt.rows import rows_of
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron

# Where bounds are reached.


@pytest.mark.parametrize(("contest", "constant"), [(arena.Classification(64), 1), (arena.Ranking(64), 4)])
def test_orthogonal_adversary_reaches_the_bound(contest, constant):
    """Every number of the proof is what the lemmas allow, at every k."""
    rules = arena.Rules(u=np.ones(64), margin=np.sqrt(constant) / 8, radius_squared=1.0)
    match = arena.Match(contest, rules)
    match.play(arena.Orthogonal())
    proof = arena.prove(match)
    assert proof.mistakes == len(match.rounds) == 64
    assert proof.bound == pytest.approx(64)
    np.testing.assert_allclose(proof.progress, proof.progress_floor, atol=1e-9)
    np.testing.assert_allclose(proof.length_squared, proof.length_ceiling, atol=1e-9)


def signed(**options):
    return online.Classifier(classes=[-1, 1], **options)


LEARNERS = {
    "perceptron": lambda: signed(fit_intercept=False),
    "average": lambda: signed(fit_intercept=False, predictor="average"),
    "margin": lambda: signed(fit_intercept=False, rule=Margin(beta=2.0)),
    "passive-aggressive": lambda: signed(fit_intercept=False, rule=PassiveAggressive()),
    "kernel": lambda: signed(kernel=kernels.RBF(sigma=1.0), fit_intercept=False),
}


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
def test_every_learner_errs_as_often_as_the_bound_allows(make):
    """An axis a round, with the label that was not answered: some u separates all of it with γ = √(R/n)."""
    learner, X, labels, mistakes = make(), 2.0 * np.eye(25), [], 0
    for x in X:
        score = learner.decision_function(x)
        labels.append(-1 if score > 0 else 1)
        mistakes += labels[-1] * score <= 0
        learner.add_example(x, labels[-1])
    u = np.array(labels) / 5
    assert np.linalg.norm(u) == pytest.approx(1)
    gamma = (np.array(labels) * (X @ u)).min()
    assert mistakes == 25 == pytest.approx(4.0 / gamma**2)


@given(labelled_points(), st.integers(0, 10**6), st.floats(0.1, 5.0), st.integers(1, 3))
def test_freund_and_schapires_bound_holds_for_any_direction_and_margin(points, seed, gamma, epochs):
    """Freund and Schapire's theorem for a u that knows nothing about the data; D of the rounds that were wrong is enough."""
    X, y = points
    u = np.random.default_rng(seed).normal(size=X.shape[1])
    u /= np.linalg.norm(u)
    ledger = a_run(Binary(), X, y, epochs=epochs).ledger
    assume(len(ledger))
    lacking = np.maximum(0, gamma - (2 * y - 1) * (X @ u))[ledger.example]
    radius = np.sqrt((X[ledger.example] ** 2).sum(axis=1).max())
    assert len(ledger) <= ((radius + np.sqrt((lacking**2).sum())) / gamma) ** 2 * (1 + 1e-9)


@given(
    labelled_points(),
    st.integers(0, 10**6),
    st.floats(0.1, 5.0),
    st.integers(1, 3),
    st.sampled_from([0.05, 1.0, 9.0]),
)
def test_crammers_bounds_hold_for_any_direction_and_margin(points, seed, gamma, epochs, C):
    """Theorems 4 and 5 of Crammer et al. (2006) for a u that knows nothing about the data."""
    X, y = points
    u = np.random.default_rng(seed).normal(size=X.shape[1])
    u /= np.linalg.norm(u)
    losses = np.maximum(0, 1 - (2 * y - 1) * (X @ u) / gamma)
    for variant, power in (("PA-I", 1), ("PA-II", 2)):
        ledger = a_run(Binary(), X, y, epochs=epochs, rule=PassiveAggressive(C, variant)).ledger
        assume(len(ledger))
        R = (X[ledger.example] ** 2).sum(axis=1).max()
        once = max(R, 1 / C) if power == 1 else R + 1 / (2 * C)
        most = once * (1 / gamma**2 + 2 * C * epochs * (losses**power).sum())
        assert ledger.errors <= most * (1 + 1e-9)


# Expected errors.


def test_sample_errs_k_over_m_in_expectation():
    """All sequences of four from a distribution on three examples, some of which contradict each other; exactly."""
    points = [((1, 0), 1, Fraction(1, 2)), ((1, 0), -1, Fraction(1, 6)), ((1, -2), -1, Fraction(1, 3))]
    errors, rounds, last = Fraction(0), Fraction(0), Fraction(0)
    for drawn in product(points, repeat=4):
        X, y = np.array([x for x, _, _ in drawn], float), np.array([label for _, label, _ in drawn])
        chance = np.prod([p for _, _, p in drawn])
        guesses, survived = oracles.all_guesses(X, y, 1)
        wrong = [sum(p for x, label, p in points if label * (v @ x) <= 0) for v in guesses]
        errors += chance * sum(Fraction(int(m), 4) * e for m, e in zip(survived, wrong, strict=True))
        rounds += chance * Fraction(len(guesses) - 1, 4)
        last += chance * wrong[-1]
    assert errors == rounds
    assert last != rounds  # nothing of the kind is true of the last guess


@given(games_and_points(), st.integers(1, 2))
def test_vote_errs_at_most_twice_as_often_as_sample(game, epochs):
    """On any rows: where a vote errs, guesses with half of the weight do."""
    game, X, y = game
    assume(game.heads == 1)
    run = a_run(game, X, y, epochs=epochs)
    tally = run.guess("vote").scores(rows_of(X), np.arange(len(X) + 1)).scores
    share = tally if tally.shape[1] > 1 else np.hstack([-tally, tally])
    others = np.where(np.arange(share.shape[1]) == y[:, None], -np.inf, share).max(axis=1)
    vote_errs = share[np.arange(len(y)), y] <= others
    weights, wrong = np.zeros((X.shape[1], game.outputs)), np.zeros(len(X))
    for j, m in enumerate(run.ledger.survived):
        scores = X @ weights
        scores = scores if scores.shape[1] > 1 else np.hstack([-scores, scores])
        rivals = np.where(np.arange(scores.shape[1]) == y[:, None], -np.inf, scores).max(axis=1)
        wrong += m * (scores[np.arange(len(y)), y] <= rivals)
        for e in np.flatnonzero(run.ledger.correction == j):
            weights[:, run.ledger.output[e]] += run.ledger.amount[e] * X[run.ledger.row[e]]
    assert (wrong[vote_errs] >= run.ledger.rounds / 2 - 1e-9).all()
    assert vote_errs.sum() <= 2 * wrong.sum() / run.ledger.rounds + 1e-9


# Kernels.


@given(labelled_points())
def test_feature_map_without_root_two_is_another_kernel(points):
    """H′ of source 002, with x_i instead of √2 x_i, belongs to ⟨x, z⟩² + ⟨x, z⟩ + 1."""
    X, _ = points
    pairs = (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)
    plain, rooted = (np.hstack([pairs, root * X, np.ones((len(X), 1))]) for root in (1, np.sqrt(2)))
    np.testing.assert_allclose(rooted @ rooted.T, kernels.Polynomial(2)(X), atol=1e-9)
    np.testing.assert_allclose(plain @ plain.T, (kernels.Linear() ** 2 + kernels.Linear() + 1)(X), atol=1e-9)


def test_rbf_is_a_series_of_powers():
    """exp(−‖x‖²/2σ²) exp(−‖z‖²/2σ²) Σ (⟨x, z⟩/σ²)^n / n!: a sum of kernels, each scaled by a function of x and of z."""
    X, sigma = np.random.default_rng(0).normal(size=(6, 3)), 1.5
    scale = np.exp(-(X**2).sum(axis=1) / (2 * sigma**2))
    series, term = np.zeros((6, 6)), np.ones((6, 6))
    for n in range(1, 60):
        series, term = series + term, term * (X @ X.T) / sigma**2 / n
    np.testing.assert_allclose(scale[:, None] * series * scale, kernels.RBF(sigma=sigma)(X), rtol=1e-12)


# Errors of the sources.


@given(labelled_points(), st.integers(1, 3))
def test_strict_tie_rule_never_learns(points, epochs):
    """y ⟨v, x⟩ < 0, as 002 and 003 print it, from v_0 = 0."""
    X, y = points
    v = np.zeros(X.shape[1])
    for x, label in [*zip(X, 2 * y - 1, strict=True)] * epochs:
        if label * (v @ x) < 0:
            v = v + label * x
    assert not v.any()


def source_003(X, t, eta, zero, start=0.0):
    """Rosenblatt's rule as 003 prints it, w ← w − η (o − t) x with o = sgn(w·x): mistakes, and w."""
    w, mistakes = np.full(X.shape[1], float(start)), []
    for i in range(len(X)):
        o = np.sign(w @ X[i]) or zero
        if o != t[i]:
            mistakes.append(i)
        w = w - eta * (o - t[i]) * X[i]
    return mistakes, w


def dual_003(X, t, eta):
    """The dual of the same source, a_d ← a_d + η, with a score of 0 answered "positive"."""
    a, mistakes = np.zeros(len(X)), []
    for d in range(len(X)):
        o = 1 if (a * t) @ (X @ X[d]) >= 0 else -1
        if o != t[d]:
            a[d] += eta
            mistakes.append(d)
    return mistakes, (a * t) @ X


@given(labelled_points(), st.sampled_from([0.25, 1.0]))
def test_primal_of_source_003_moves_twice_as_far_as_its_dual(points, eta):
    """From 0 they err in the same rounds all the same, and this library's η is the dual's."""
    X, y = points
    mistakes, w = source_003(X, 2 * y - 1, eta, zero=1)
    dual_mistakes, v = dual_003(X, 2 * y - 1, eta)
    assert mistakes == dual_mistakes
    assert w.tolist() == (2 * v).tolist()
    run = begin(Binary(ties="positive"), features=X.shape[1], rule=Perceptron(eta=eta))
    play(run, Examples(run.number(X), y), orders_of(len(X), 1))
    assert run.ledger.mistakes.tolist() == mistakes
    assert run.hypothesis.weights[:-1, 0].tolist() == v.tolist()


def test_source_003_moves_half_as_far_if_the_sign_of_zero_is_zero():
    """So the first step of 003 is η, and the others 2η: another learner, whatever η is."""
    X, t = np.array([[2.0, 1.0], [-1.0, 1.0], [1.0, 2.0]]), np.array([1, 1, -1])
    mistakes, w = source_003(X, t, 0.5, zero=0)
    assert mistakes == oracles.perceptron(X, t, 1)[0] == [0, 1, 2]
    assert w.tolist() == (0.5 * X[0] + X[1] - X[2]).tolist()
    random = np.random.default_rng(0)
    X = random.integers(-3, 4, (60, 3)).astype(float)
    t = np.where(X @ [1, 2, -1] >= 0, 1, -1)
    assert source_003(X, t, 0.5, zero=0)[0] != oracles.perceptron(X, t, 1)[0]


def test_source_003_depends_on_the_step_from_another_start():
    """From 0 the step scales every guess and no answer changes; from elsewhere it decides how soon the start is forgotten."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    t = np.where(X @ [1, 2, -1] >= 0, 1, -1)
    from_zero, from_one = ([source_003(X, t, eta, 1, start)[0] for eta in (0.01, 1.0)] for start in (0, 1))
    assert from_zero[0] == from_zero[1]
    assert len(from_one[0]) > len(from_one[1]) + 3


@given(labelled_points(), st.sampled_from([1.0, 0.5]))
def test_inverse_in_source_004_is_the_unit_vector_where_it_exists(points, rate):
    """K⁻¹ K(:, i) is e_i; where rows repeat there is no K⁻¹, and adding to the i-th coefficient is right all the same."""
    X, y = points
    gram = kernels.RBF(sigma=1.0)(X)
    if len(np.unique(X, axis=0)) == len(X):
        np.testing.assert_allclose(np.linalg.solve(gram, gram), np.eye(len(X)), atol=1e-6)
    else:
        assert np.linalg.matrix_rank(gram) < len(X)
    K, alpha = X @ X.T, np.zeros(len(X))  # of low rank as soon as there are more rows than features
    for i in range(len(X)):
        alpha[i] += rate * (y[i] - (K[i] @ alpha >= 0))
    assert (alpha @ X).tolist() == oracles.stochastic_gradient(X, y, 1, rate)[1].tolist()


def test_radius_bounds_the_squared_norm():
    """With ‖x‖ ≤ 2, R is 4 where it bounds squares; R/γ² with R = 2 would be broken."""
    X = 2.0 * np.eye(16)
    certificate = (
        PerceptronClassifier(fit_intercept=False, shuffle=False)
        .fit(X, np.arange(16) % 2)
        .certificate(X, np.arange(16) % 2, u=np.where(np.arange(16) % 2, 1.0, -1.0))
    )
    assert certificate.mistakes == 16 == round(certificate.radius_squared / certificate.margin**2)
    assert certificate.mistakes > np.sqrt(certificate.radius_squared) / certificate.margin**2


def test_rbf_has_two_conventions_of_width():
    """exp(−‖x − z‖²/σ²) is RBF(gamma=1/σ²), and RBF(sigma=…) with σ/√2."""
    X, sigma = np.random.default_rng(0).normal(size=(5, 2)), 1.7
    second = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / sigma**2)
    np.testing.assert_allclose(kernels.RBF(gamma=1 / sigma**2)(X), second)
    np.testing.assert_allclose(kernels.RBF(sigma=sigma / np.sqrt(2))(X), second)
    assert not np.allclose(kernels.RBF(sigma=sigma)(X), second)
