"""The sequence game: the learner against Collins's, on every path."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
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
from rosenblatt.loops.book import STRUCTURE, norm_squared
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


# The judge and the ballot against all paths through two labels.


def passed(path, pairs):
    """Return what a path passes, as (row, output), in the row −1 the structure weights."""
    found = list(enumerate(path))
    if pairs != "allowed" and path:
        found += [(-1, 4 + path[0]), (-1, 6 + path[-1])]
        found += [(-1, 2 * before + after) for before, after in pairwise(path)]
    if pairs == "seen":
        found += [(len(path) + 2 * i + step[0], step[1]) for i, step in enumerate(pairwise(path))]
    return found


def two_labels(pairs, rows, seed):
    """Return a game, the scores of one round, structure weights, truths, and the score of every path."""
    random, game = np.random.default_rng(seed), Sequence(2, pairs=pairs)
    lines = rows + 2 * max(rows - 1, 0) * (pairs == "seen")
    scores = random.integers(-2, 3, (lines, 2)).astype(float)
    structure = random.integers(-2, 3, 8).astype(float) * (pairs != "allowed")
    totals = {
        path: sum(structure[o] if row < 0 else scores[row, o] for row, o in passed(path, pairs))
        for path in product(range(2), repeat=rows)
    }
    return game, scores, structure, random.integers(0, 2, lines), totals


@pytest.mark.parametrize("pairs", ["scored", "allowed", "seen"])
@settings(max_examples=150)
@given(rows=st.integers(0, 3), seed=st.integers(0, 10**6), required=st.sampled_from([-np.inf, 1.0, 2.0]))
def test_judge_corrects_the_truth_against_its_best_rival(pairs, rows, seed, required):
    game, scores, structure, truths, totals = two_labels(pairs, rows, seed)
    most, truth = game.most_entries(len(scores)), tuple(truths[:rows].tolist())
    where, amount = np.full((most, 2), 9), np.zeros(most)
    found = game.judge(scores, structure, truths, 0, required, where, amount)
    gaps = {path: totals[truth] - total for path, total in totals.items() if path != truth}
    if not gaps or (required < 0 and pairs != "seen" and min(gaps.values()) > 0):
        assert found == (0, np.inf, False, 1.0)
        return
    costs = {path: sum(a != b for a, b in zip(path, truth, strict=True)) for path in gaps}
    left = {path: gap - max(required, 0) * costs[path] for path, gap in gaps.items()}
    sums = Counter()
    for entry, a in zip(where[: found[0]].tolist(), amount, strict=False):
        sums[tuple(entry)] += a
    possible = []
    for path in (path for path in left if left[path] == min(left.values())):
        change, steps = (
            Counter(passed(truth, pairs)),
            zip(passed(truth, pairs), passed(path, pairs), strict=True),
        )
        count = 2 * sum(mine != other for mine, other in steps)
        change.subtract(passed(path, pairs))
        possible.append(((count, gaps[path], min(gaps.values()) <= 0, costs[path]), change))
    assert any(found == verdict and sums == change for verdict, change in possible)


@pytest.mark.parametrize("pairs", ["scored", "allowed", "seen"])
@given(rows=st.integers(0, 3), seed=st.integers(0, 10**6))
def test_ballot_votes_for_every_label_of_the_best_path(pairs, rows, seed):
    game, scores, structure, _, totals = two_labels(pairs, rows, seed)
    twice, lines = np.concatenate([scores, scores]), len(scores)
    starts, tally = np.array([0, lines, 2 * lines]), np.ones((2, 2 * lines))
    game.ballot(np.ascontiguousarray(twice.T), structure, starts, 0, 2.0, tally)
    best = min(totals, key=lambda path: (-totals[path], path[::-1]))
    expected = np.ones((2, lines))
    expected[list(best), np.arange(rows)] += 2.0
    assert tally.tolist() == np.tile(expected, 2).tolist()
    paths, scores_of_best = game.best(twice, np.stack([structure, structure]), starts)
    assert paths.reshape(2, lines)[:, :rows].tolist() == [list(best)] * 2
    assert scores_of_best.tolist() == [totals[best]] * 2


@pytest.mark.parametrize(("pairs", "lines", "entries"), [("allowed", 3, 3), ("scored", 3, 7), ("seen", 7, 9)])
def test_most_entries_are_those_of_two_paths_that_share_nothing(pairs, lines, entries):
    assert Sequence(2, pairs=pairs).most_entries(lines) == 2 * entries == 2 * len(passed((0, 0, 0), pairs))


def test_structure_forbids_pairs_first_labels_and_last_ones():
    structure = Sequence(2, frozenset({(0, 1), (2, 0), (1, 2)})).structure
    assert np.isneginf(structure).tolist() == [False, True, False, False, True, False, False, True]
    assert not structure[np.isfinite(structure)].any()


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


@given(sentences())
def test_structure_of_every_guess_is_that_of_its_mixture(sequences):
    X, _, starts = sequences
    run = a_run(play, X, sequences)
    ledger, every = run.ledger, np.zeros((len(run.ledger) + 1, 15))
    assume(ledger.rounds)
    for j, row, output, amount in zip(
        ledger.correction, ledger.row, ledger.output, ledger.amount, strict=True
    ):
        every[j + 1 :, output] += amount * (row == STRUCTURE)
    shares = ledger.survived / ledger.rounds
    expected = {"last": every[-1], "best": every[shares.argmax()], "average": shares @ every}
    for name, structure in expected.items():
        np.testing.assert_allclose(run.guess(name).structure, structure, atol=1e-12)
    for name in (*expected, "sample"):
        one, same = (run.guess(name, np.random.default_rng(0)) for _ in range(2))
        answers = GAME.answer(*one.scores(rows_of(X), starts), starts)
        assert same.answers(rows_of(X), starts).tolist() == answers.tolist()


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
