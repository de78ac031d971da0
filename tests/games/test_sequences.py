"""The sequence game: the learner against Collins's, on every path."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.all_paths import every_path, score_of
from fixtures.playing import RULES, orders_of, sparse
from rosenblatt import engine
from rosenblatt.engine import learner, predictors
from rosenblatt.engine.learner import play, play_blocks, play_pass
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Sequence
from rosenblatt.kernels import Linear, Polynomial
from rosenblatt.loops import dense as dense_loops
from rosenblatt.loops import paths
from rosenblatt.loops import sparse as sparse_loops
from rosenblatt.loops.book import norm_squared
from rosenblatt.rows import rows_of
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron
from rosenblatt.theory.certificates import certify

GAME = Sequence(3)


def collins(sequences, labels, features, epochs):
    """Return mistakes, weights and transitions of figure 2 of Collins (2002), all paths enumerated."""
    weights, steps, mistakes = np.zeros((features, labels)), np.zeros(labels * (labels + 2)), []
    for _ in range(epochs):
        for i, (rows, truth) in enumerate(sequences):
            if not len(rows):
                continue
            ranked = every_path(rows @ weights, steps)
            rivals = [pair for pair in ranked if pair[1] != tuple(truth)]
            if not rivals or score_of(truth, rows @ weights, steps) > rivals[0][0]:
                continue
            rival = np.empty(len(truth), np.int64)
            scores = rows @ weights
            paths.rival_path(scores, scores[:0], steps, truth, 0.0, rival)
            mistakes.append(i)
            for path, sign in ((truth, 1), (rival, -1)):
                for row, label in zip(rows, path, strict=True):
                    weights[:, label] += sign * row
                steps[labels * labels + path[0]] += sign
                steps[labels * (labels + 1) + path[-1]] += sign
                for before, after in pairwise(path):
                    steps[before * labels + after] += sign
    return mistakes, weights, steps


@st.composite
def sentences(draw, labels=3, seen=False):
    lengths = np.array(draw(st.lists(st.integers(0, 4), min_size=1, max_size=7)))
    lengths += np.maximum(lengths - 1, 0) * labels * seen
    starts = np.concatenate([[0], np.cumsum(lengths)])
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = random.integers(-2, 3, (starts[-1], 3)).astype(float) * (random.random((starts[-1], 3)) < 0.7)
    return X, random.integers(0, labels, starts[-1]), starts


def a_run(player, data, sequences, kernel=None, rule=None, epochs=3, game=GAME, **options):
    _, truths, starts = sequences
    run = begin(game, features=3, kernel=kernel, rule=rule, intercept=kernel is None)
    examples = Examples(run.number(data), truths, starts)
    player(run, examples, orders_of(len(starts) - 1, epochs), **options)
    return run


@given(sentences())
def test_sequence_game_is_collinss_algorithm(sequences):
    X, truths, starts = sequences
    run = begin(Sequence(3), features=3)
    play_pass(run, Examples(run.number(sparse(X)), truths, starts), orders_of(len(starts) - 1, 2))
    pairs = [(X[a:b], truths[a:b]) for a, b in pairwise(starts)]
    mistakes, weights, steps = collins(pairs, 3, 3, run.epochs)
    assert run.ledger.mistakes.tolist() == mistakes
    assert np.array_equal(run.hypothesis.weights[:-1], weights)
    assert np.array_equal(run.hypothesis.structure, steps)


PATHS = {
    "blocks": lambda X, sequences, **options: a_run(play_blocks, X, sequences, block=5, **options),
    "sparse": lambda X, sequences, **options: a_run(play_pass, sparse(X), sequences, **options),
    "dense": lambda X, sequences, **options: a_run(play_pass, X, sequences, **options),
    "dual": lambda X, sequences, **options: a_run(play, X, sequences, Linear() + 1, **options),
    "dual blocks": lambda X, sequences, **options: a_run(
        play_blocks, X, sequences, Linear() + 1, block=5, **options
    ),
}


@pytest.mark.parametrize("pairs", ["scored", "allowed", "seen"])
@pytest.mark.parametrize("path", PATHS)
@given(data=st.data(), rule=st.sampled_from(sorted(RULES)), background=st.booleans())
def test_every_path_writes_the_ledger_of_the_definition(path, pairs, data, rule, background):
    sequences, game = data.draw(sentences(seen=pairs == "seen")), Sequence(3, pairs=pairs)
    X, _, starts = sequences
    definition = a_run(play, X, sequences, rule=RULES[rule], game=game)
    with pytest.MonkeyPatch.context() as patch:
        if background:
            patch.setattr(learner, "STRETCH", 2)
            patch.setattr(engine.passes, "COPIED", 2)
        run = PATHS[path](X, sequences, rule=RULES[rule], game=game)
    assert run.ledger == definition.ledger
    for predictor in ("last", "best", "vote"):
        answers = (some.guess(predictor).answers(rows_of(X), starts) for some in (run, definition))
        assert np.array_equal(*answers)


@given(st.integers(0, 10**6), st.integers(1, 60))
def test_norms_match_the_definition(seed, count):
    random = np.random.default_rng(seed)
    X = sparse(random.integers(-2, 3, (9, 5)).astype(float))
    where = np.stack([random.integers(-1, 9, count), random.integers(0, 4, count)], axis=1)
    amount, sparse_rows = random.integers(-2, 3, count).astype(float), rows_of(X).arrays
    rows = random.permutation(9)
    gram = (X @ X.T).toarray()[np.ix_(rows, rows)] + 1.0
    with np.errstate(over="ignore"):  # which compiled code ignores
        for norm_of in (sparse_loops.norm_of_many, sparse_loops.norm_of_few):
            norm = norm_of(sparse_rows, rows, 1.0, where, amount, count, np.empty((1, 0)))
            assert norm == norm_squared(where, amount, count, gram)
    dense_rows, delta = rows_of(X.toarray()).arrays, np.empty((1, 6))
    for shown in (rows, rows[:1], rows[:0]):  # entries on those that are there, or on structure weights
        where[:, 0] = np.minimum(where[:, 0], len(shown) - 1)
        norm = dense_loops.norm_of_dense(dense_rows, shown, 1.0, where, amount, count, delta)
        assert norm == norm_squared(where, amount, count, gram)


@given(sentences(), st.sampled_from(predictors.FROM_LEDGER), st.booleans())
def test_decide_never_answers_a_forbidden_path(sequences, predictor, dual):
    """Label 1 may only follow 0, and ends nothing."""
    X, truths, starts = sequences
    truths = truths.copy()
    truths[truths == 1] = 0
    forbidden = frozenset({(1, 1), (2, 1), (3, 1), (1, 3)})
    run = a_run(
        play_blocks,
        X,
        (X, truths, starts),
        Polynomial(2) if dual else None,
        epochs=2,
        game=Sequence(3, forbidden),
    )
    answers = run.guess(predictor, np.random.default_rng(0)).answers(rows_of(X), starts)
    for a, b in pairwise(starts):
        if b > a:
            assert not forbidden & {*pairwise([3, *answers[a:b].tolist(), 3])}


@pytest.mark.parametrize("rule", [Perceptron(), Margin(beta=2.0), PassiveAggressive()], ids=str)
def test_certificate_holds_for_every_rule(rule):
    random = np.random.default_rng(0)
    lengths = random.integers(1, 7, 80)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    truths = random.integers(0, 3, starts[-1])
    X = np.eye(3)[truths] * 2 + random.normal(size=(starts[-1], 3)) * 0.3
    run = begin(Sequence(3), features=3, rule=rule)
    examples = Examples(run.number(X), truths, starts)
    play_blocks(run, examples, orders_of(len(lengths), 30))
    (certificate,) = certify(run, examples)
    assert run.ledger.cost.max() > 1
    assert certificate.margin > 0
    assert certificate.holds
    assert certificate.bound >= certificate.mistakes > 0
