"""Parity: every path writes the ledger of the definition, and the definition that of the sources.

Integers make every sum exact, so ledgers are compared for equality, column by column. Each law
is also shown something wrong, which it must reject.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fixtures import oracles
from fixtures.playing import (
    CUBIC,
    RULE_NAMES,
    RULES,
    SEEDS,
    Linear,
    a_run,
    games_and_points,
    labelled_points,
    orders_of,
    rejects,
    sparse,
)
from rosenblatt import PerceptronClassifier, kernels, online
from rosenblatt.engine.dual import KeptBlockScores
from rosenblatt.engine.learner import play, play_blocks, play_pass
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Binary
from rosenblatt.rows import rows_of

# The definition is what the sources print.


def is_the_sources_kernel_perceptron(player, kernel=CUBIC):
    @given(labelled_points(), st.integers(1, 3))
    def law(points, epochs):
        X, y = points
        ledger = a_run(Binary(), X, y, kernel=CUBIC, epochs=epochs, player=player).ledger
        mistakes, survived = oracles.kernel_perceptron(kernel, X, 2 * y - 1, epochs)
        assert (ledger.mistakes.tolist(), ledger.survived.tolist()) == (mistakes, survived)

    return law


def test_play_is_the_sources_kernel_perceptron():
    is_the_sources_kernel_perceptron(play)()


def test_play_blocks_is_the_sources_kernel_perceptron():
    is_the_sources_kernel_perceptron(play_blocks)()


def test_kernel_perceptron_law_rejects_another_kernel():
    rejects(is_the_sources_kernel_perceptron(play, kernel=kernels.Polynomial(2)))


def is_the_sources_perceptron(player, form=lambda X: X, **options):
    @given(labelled_points(), st.integers(1, 3))
    def law(points, epochs):
        X, y = points
        ledger = a_run(Binary(**options), form(X), y, epochs=epochs, player=player).ledger
        assert (ledger.mistakes.tolist(), ledger.survived.tolist()) == oracles.perceptron(
            X, 2 * y - 1, epochs
        )

    return law


@pytest.mark.parametrize(
    ("player", "form"),
    [(play, np.asarray), (play_blocks, np.asarray), (play_pass, sparse), (play_pass, np.asarray)],
)
def test_primal_is_the_sources_perceptron(player, form):
    is_the_sources_perceptron(player, form)()


def test_perceptron_law_rejects_ties_positive():
    rejects(is_the_sources_perceptron(play, ties="positive"))


@given(labelled_points(), st.integers(1, 3), st.sampled_from([1.0, 0.5, 0.25]))
def test_ties_positive_is_source_004(points, epochs, rate):
    X, y = points
    run = begin(Binary(ties="positive"), features=X.shape[1], rule=RULES["perceptron"].__class__(eta=rate))
    played, _ = play_blocks(run, Examples(run.number(X), y), orders_of(len(X), epochs))
    mistakes, theta = oracles.stochastic_gradient(X, y, played, rate)
    assert run.ledger.mistakes.tolist() == mistakes
    assert run.hypothesis.weights[:-1, 0].tolist() == theta.tolist()


# Blocks of any size change nothing.


def blocks_change_nothing(blocks):
    @given(games_and_points(), st.integers(1, 3), st.integers(1, 30), SEEDS, RULE_NAMES, st.booleans())
    def law(game, epochs, block, seed, rule, dual):
        game, X, y = game
        options = {
            "kernel": CUBIC if dual else None,
            "epochs": epochs,
            "seed": seed,
            "rule": RULES[rule],
            "intercept": True,
        }
        one_by_one = a_run(game, X, y, **options)
        in_blocks = a_run(game, X, y, player=blocks, block=block, **options)
        assert in_blocks.ledger == one_by_one.ledger
        assert np.array_equal(
            in_blocks.hypothesis.scores(in_blocks.number(X)),
            one_by_one.hypothesis.scores(one_by_one.number(X)),
        )

    return law


def test_play_blocks_writes_the_ledger_of_play():
    blocks_change_nothing(play_blocks)()


def test_blocks_law_rejects_lost_corrections_inside_a_block(monkeypatch):
    true_gram = KeptBlockScores.gram
    monkeypatch.setattr(
        KeptBlockScores, "gram", lambda self, block, wanted: true_gram(self, block, wanted) * 0
    )
    rejects(blocks_change_nothing(play_blocks))


def test_blocks_law_rejects_unsettled_epochs(monkeypatch):
    true_begin = KeptBlockScores.begin

    def begin_unsettled(self, order):
        self._played = []
        true_begin(self, order)

    monkeypatch.setattr(KeptBlockScores, "begin", begin_unsettled)
    rejects(blocks_change_nothing(play_blocks))


@given(labelled_points(3), st.integers(1, 12))
def test_play_blocks_writes_the_ledger_of_play_with_weights(points, block):
    X, y = points
    weights = np.arange(len(X)) % 3.0
    game = games()["ovr"]
    plain = a_run(game, X, y, kernel=CUBIC, weights=weights)
    blocks = a_run(game, X, y, kernel=CUBIC, weights=weights, player=play_blocks, block=block)
    assert blocks.ledger == plain.ledger


def games():
    from fixtures.playing import GAMES

    return {name: game for name, (game, _) in GAMES.items()}


# With the linear kernel the dual is the primal; on the feature map of a kernel the primal is the dual.


def dual_is_primal(kernel):
    @given(games_and_points(), st.integers(1, 3), SEEDS, RULE_NAMES, st.booleans())
    def law(game, epochs, seed, rule, intercept):
        game, X, y = game
        options = {
            "epochs": epochs,
            "seed": seed,
            "rule": RULES[rule],
            "intercept": intercept,
            "player": play_blocks,
        }
        assert a_run(game, X, y, kernel=kernel, **options).ledger == a_run(game, X, y, **options).ledger

    return law


def test_dual_is_primal_with_the_linear_kernel():
    dual_is_primal(Linear())()


def test_dual_is_not_primal_with_another_kernel():
    rejects(dual_is_primal(CUBIC))


def map_is_kernel(mapped):
    @given(games_and_points(), st.integers(1, 2))
    def law(game, epochs):
        game, X, y = game
        kernel = (Linear() + 1) * (Linear() + 1)
        on_map = a_run(game, mapped(kernel, X), y, epochs=epochs, player=play_blocks)
        assert on_map.ledger == a_run(game, X, y, kernel=kernel, epochs=epochs, player=play_blocks).ledger

    return law


def test_feature_map_is_the_kernel():
    map_is_kernel(lambda kernel, X: kernel.feature_map(X))()


def test_feature_map_law_rejects_missing_interactions():
    rejects(map_is_kernel(lambda kernel, X: (Linear() + 1).feature_map(X)))


@given(labelled_points(), st.integers(1, 2))
def test_feature_map_is_the_kernel_with_the_root_two_of_the_source(points, epochs):
    X, y = points
    kernel = kernels.Polynomial(2)
    dual = a_run(Binary(), X, y, kernel=kernel, epochs=epochs, player=play_blocks)
    near_zero = np.abs(dual.ledger.margin[1:]) < 1e-9
    assume(not near_zero.any())  # √2 is not exact, so a tie may fall either way
    primal = a_run(Binary(), kernel.feature_map(X), y, epochs=epochs, player=play_blocks)
    assume(not (np.abs(primal.ledger.margin[1:]) < 1e-9).any())
    assert primal.ledger.mistakes.tolist() == dual.ledger.mistakes.tolist()


# One by one, or in parts, or at once.


def one_by_one_is_fit(feed):
    @given(labelled_points(most=12), st.booleans())
    def law(points, dual):
        X, y = points
        assume(len(set(y)) == 2)
        kernel, labels = (CUBIC if dual else None), 2 * y - 1
        at_once = PerceptronClassifier(kernel, max_iter=1, shuffle=False, rule="perceptron").fit(X, labels)
        learner = online.Classifier(kernel, rule="perceptron")
        feed(learner, X, labels)
        assert learner.ledger == at_once.ledger_

    return law


def in_order(learner, X, labels):
    for x, label in zip(X, labels, strict=True):
        learner.decision_function(x)
        learner.add_example(x, label)


def backwards(learner, X, labels):
    in_order(learner, X[::-1], labels[::-1])


def test_online_classifier_is_fit():
    one_by_one_is_fit(in_order)()


def test_online_law_rejects_another_order():
    rejects(one_by_one_is_fit(backwards))


def packed_rounds_are_play(named):
    @given(labelled_points(), RULE_NAMES, st.booleans(), st.sampled_from(["mistake", "positive"]))
    def law(points, rule, intercept, ties):
        X, y = points
        run, basis = (
            a_run(Binary(ties), X, y, epochs=1, rule=RULES[rule], intercept=intercept),
            np.eye(X.shape[1]),
        )
        by = {
            "last": run.hypothesis.scores,
            "average": lambda rows: run.hypothesis.average_scores(rows, len(X)),
        }
        for predictor, scores in by.items():
            learner = online.Classifier(
                rule=RULES[rule],
                fit_intercept=intercept,
                ties=ties,
                classes=[-1, 1],
                predictor=predictor,
            )
            for x, label in zip(X, 2 * y - 1, strict=True):
                learner.decision_function(named(x))
                learner.add_example(named(x), label)
            assert learner.ledger == run.ledger
            assert [learner.decision_function({j: 1.0}) for j in range(len(basis))] == scores(rows_of(basis))[
                :, 0
            ].tolist()

    return law


def backwards_without_zeros(x):
    return {j: x[j] for j in reversed(range(len(x))) if x[j]}


def test_packed_rounds_are_play():
    packed_rounds_are_play(backwards_without_zeros)()
    packed_rounds_are_play(lambda x: dict(enumerate(x)))()


def test_packed_rounds_law_rejects_a_missing_value():
    rejects(packed_rounds_are_play(lambda x: dict(enumerate(x[1:], 1))))


@given(games_and_points(), st.integers(0, 20), st.booleans(), *[st.sampled_from([sparse, np.asarray])] * 3)
def test_partial_fit_in_parts_is_one_run(game, cut, dual, first, second, asked):
    """Parts may be dense or sparse, and so may the rows to predict."""
    game, X, y = game
    assume(len(set(y)) == (2 if isinstance(game, Binary) else 3))
    cut = min(cut, len(X))
    options = {"multiclass": "ovr" if game.heads > 1 else "argmax", "shuffle": False, "max_iter": 1}
    options["rule"] = "perceptron"
    whole = PerceptronClassifier(CUBIC if dual else None, **options).fit(X, y)
    parts = PerceptronClassifier(CUBIC if dual else None, **options)
    for form, part in ((first, slice(0, cut)), (second, slice(cut, len(X)))):
        if part.start < part.stop:
            parts.partial_fit(form(X)[part], y[part], classes=np.unique(y))
    assert parts.ledger_ == whole.ledger_
    for predictor in ("last", "best", "average", "vote"):
        theirs = [c.set_params(predictor=predictor).decision_function(asked(X)) for c in (parts, whole)]
        np.testing.assert_array_equal(*theirs)


def test_players_reject_rows_wider_than_the_weights():
    for player in (play_pass, play_blocks, play):
        run = begin(Binary(), features=3)
        examples = Examples(run.number(np.ones((4, 300))), np.array([0, 1, 0, 1]))
        with pytest.raises(ValueError, match="at most 3 features"):
            player(run, examples, orders_of(4, 1))
