"""The rules: when they correct, how far they move, and what they promise."""

import numpy as np
import pytest

from fixtures.playing import GAMES, a_run, blobs, sparse
from rosenblatt import PerceptronClassifier
from rosenblatt.engine.learner import play, play_blocks, play_pass
from rosenblatt.engine.run import Examples
from rosenblatt.games import Argmax, Binary
from rosenblatt.kernels import Linear
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron, as_rule, step
from rosenblatt.theory.certificates import certify

VARIANTS = [PassiveAggressive(C=0.3, variant=name) for name in ("PA", "PA-I", "PA-II")]


def passive_aggressive(X, y, rule, epochs):
    """Figure 1 of Crammer et al. (2006), for labels −1 and +1."""
    w, corrected = np.zeros(X.shape[1]), []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = max(0.0, 1.0 - y[i] * (w @ X[i]))
            if loss > 0:
                square = X[i] @ X[i]
                tau = {
                    "PA": loss / square,
                    "PA-I": min(rule.C, loss / square),
                    "PA-II": loss / (square + 0.5 / rule.C),
                }
                w = w + tau[rule.variant] * y[i] * X[i]
                corrected.append(i)
    return corrected, w


@pytest.mark.parametrize("rule", VARIANTS, ids=lambda rule: rule.variant)
def test_passive_aggressive_is_the_papers(rule):
    X, y = blobs(2, apart=0.3)
    corrected, w = passive_aggressive(X, 2 * y - 1, rule, 2)
    for player, data in ((play, X), (play_blocks, X), (play_pass, sparse(X)), (play_pass, X)):
        run = a_run(Binary(), data, y, rule=rule, player=player)
        assert run.ledger.example.tolist() == corrected
        np.testing.assert_allclose(run.hypothesis.weights[:-1, 0], w, rtol=1e-9)


@pytest.mark.parametrize("rule", [*VARIANTS, Margin(beta=0.7), Perceptron(eta=0.1)], ids=repr)
@pytest.mark.parametrize("name", GAMES)
def test_every_path_follows_every_rule(rule, name):
    game, classes = GAMES[name]
    X, y = blobs(classes, rows=120, apart=0.5)
    plain = a_run(game, X, y, rule=rule).ledger
    for other in (
        a_run(game, X, y, rule=rule, player=play_blocks, block=17).ledger,
        a_run(game, sparse(X), y, rule=rule, player=play_pass).ledger,
        a_run(game, X, y, rule=rule, player=play_pass).ledger,
        a_run(game, X, y, rule=rule, kernel=Linear(), player=play_blocks, block=50).ledger,
    ):
        assert other.example.tolist() == plain.example.tolist()
        np.testing.assert_allclose(other.amount, plain.amount, rtol=1e-7)
        np.testing.assert_allclose(other.norm_squared, plain.norm_squared, rtol=1e-9)


def test_margin_corrects_right_answers_below_beta():
    X, y = np.array([[1.0], [0.5], [2.0]]), np.array([1, 1, 1])
    ledger = a_run(Binary(), X, y, rule=Margin(beta=1.0), epochs=1).ledger
    assert ledger.example.tolist() == [0, 1]  # 1·0.5 < 1 is too little, 1.5·2 is not
    assert ledger.mistakes.tolist() == [0]
    assert ledger.wrong.tolist() == [True, False]


def test_passive_aggressive_reaches_margin_one():
    X, y = blobs(2)
    run = a_run(Argmax(2), X[:1], y[:1], rule=PassiveAggressive(variant="PA"), epochs=1)
    scores = run.hypothesis.scores(run.number(X[:1]))[0]
    assert scores[y[0]] - scores[1 - y[0]] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("margin", "norm_squared", "cost", "parameters", "expected"),
    [
        (0.5, 0.25, 1.0, (0.0, np.inf, 0.0), 2.0),  # (1 − 1/2) / (1/4)
        (-0.5, 0.25, 3.0, (0.0, np.inf, 0.25), 7.0),  # (3 + 1/2) / (1/4 + 1/4)
        (0.5, 0.25, 1.0, (0.0, 1.5, 0.0), 1.5),
        (2.0, 0.25, 1.0, (0.5, np.inf, 0.0), 0.5),
        (0.0, 0.0, 1.0, (0.5, np.inf, 0.0), 0.5),  # no row moves the margin
        (0.0, 0.0, 1.0, (0.0, np.inf, 0.25), 4.0),
        (0.0, 0.25, 1.0, (3.0, 3.0, 0.0), 3.0),
    ],
)
def test_step_takes_the_margin_to_the_cost(margin, norm_squared, cost, parameters, expected):
    assert step(margin, norm_squared, cost, np.array(parameters)) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Perceptron(eta=0.25), 64),  # 4 · 4²
        (Margin(beta=0.5, eta=0.25), 256),  # (4 + 2 · 1/2 · 3 / (1/4)) · 4²
        (PassiveAggressive(C=0.125, variant="PA"), 576),  # 4 · 12²
        (PassiveAggressive(C=0.125, variant="PA-I"), 1152),  # 8 · 12²
        (PassiveAggressive(C=1.0, variant="PA-I"), 576),
        (PassiveAggressive(C=0.25, variant="PA-II"), 864),  # (4 + 2) · 12²
    ],
    ids=repr,
)
def test_bound_of_every_rule_is_its_theorems(rule, expected):
    assert rule.bound(radius_squared=4.0, margin=0.25, cost=3.0) == expected
    assert rule.bound(radius_squared=4.0, margin=0.25) == rule.bound(
        radius_squared=4.0, margin=0.25, cost=1.0
    )


@pytest.mark.parametrize("rule", [Perceptron(), Perceptron(eta=0.01), Margin(beta=5.0), *VARIANTS], ids=repr)
@pytest.mark.parametrize("name", GAMES)
def test_rules_keep_their_bounds(rule, name):
    game, classes = GAMES[name]
    X, y = blobs(classes, apart=9.0, seed=3)
    run = a_run(game, X, y, rule=rule, epochs=200, player=play_blocks, intercept=True)
    examples = Examples(run.number(X), y)
    for certificate in certify(run, examples):
        assert certificate.separable
        assert certificate.holds
        assert certificate.mistakes <= certificate.bound < np.inf


def test_sample_weight_scales_the_correction():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1])
    clf = PerceptronClassifier(
        max_iter=1, shuffle=False, fit_intercept=False, predictor="last", rule="perceptron"
    )
    clf.fit(X, y, sample_weight=[0.5, 3.0])
    assert clf.coef_.tolist() == [[-0.5, 3.0]]
    assert clf.set_params(class_weight={0: 2.0, 1: 1.0}).fit(X, y).coef_.tolist() == [[-2.0, 1.0]]
    unbalanced, labels = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [0, 0, 0, 1]
    clf.set_params(class_weight="balanced").fit(unbalanced, labels)
    assert clf.coef_.tolist() == [[-4 / 6, 4 / 2]]


def test_sample_weight_of_zero_is_played_but_not_corrected():
    X, y = np.eye(2), np.array([0, 1])
    for player, data in ((play, X), (play_blocks, X), (play_pass, sparse(X)), (play_pass, X)):
        ledger = a_run(Binary(), data, y, weights=np.array([0.0, 1.0]), epochs=1, player=player).ledger
        assert ledger.example.tolist() == [1]
        assert ledger.rounds == 2


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Perceptron(eta=0), r"learning rate eta must be a positive number\. Got 0"),
        (lambda: Perceptron(eta=float("inf")), r"learning rate eta must be a positive number\. Got inf"),
        (lambda: Margin(beta=-1), r"margin beta must be a positive number\. Got -1"),
        (lambda: PassiveAggressive(C=float("nan")), r"aggressiveness C must be a positive number\. Got nan"),
        (lambda: PassiveAggressive(variant="PA-III"), r"'PA', 'PA-I' or 'PA-II'\. Got 'PA-III'"),
        (
            lambda: as_rule("hinge"),
            r"'perceptron', 'margin', 'passive-aggressive' or a rule object.*Got 'hinge'",
        ),
        (lambda: as_rule("passive-aggressive", 0.5), r"learning_rate applies to the rules.*Got 0\.5"),
        (lambda: as_rule(Margin(), 0.5), r"set the step in the rule object"),
    ],
)
def test_rules_reject_invalid_parameters(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
