"""The multilabel game: every label is a binary perceptron of its own, on every path and for every predictor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import CUBIC, RULES, Linear, labelled_points, orders_of, quickly, sparse
from rosenblatt import games
from rosenblatt.budgets import Budget
from rosenblatt.engine.learner import learn, play, play_blocks, play_pass
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Binary, MultiLabel, OneVsRest

GUESSES = ("last", "best", "average")


def dense(X):
    return X


def small_blocks(run, examples, orders):
    return play_blocks(run, examples, orders, block=4)


PATHS = {
    "definition": (play, dense, None),
    "definition, kernel": (play, dense, CUBIC),
    "dense pass": (play_pass, dense, None),
    "CSR pass": (play_pass, sparse, None),
    "blocks": (small_blocks, dense, CUBIC),
    "blocks, linear": (small_blocks, sparse, Linear()),
}


@st.composite
def points_with_sets(draw, most=12):
    """Draw points with small integer coordinates, each with a set of labels, as an indicator matrix."""
    X, _ = draw(labelled_points(most=most))
    labels = draw(st.integers(1, 4))
    rows = st.lists(
        st.lists(st.integers(0, 1), min_size=labels, max_size=labels), min_size=len(X), max_size=len(X)
    )
    return X, np.array(draw(rows), np.int8).reshape(len(X), labels)


def a_run(game, X, truths, path, rule, *, seed=0, weights=None, recent=False, budget=None, epochs=2):
    player, form, kernel = PATHS[path]
    if recent:
        player = learn
    run = begin(
        game,
        features=X.shape[1],
        kernel=kernel,
        rule=RULES[rule],
        intercept=True,
        recent=recent,
        budget=budget,
    )
    examples = Examples(run.number(form(X)), truths, weights=weights)
    player(run, examples, orders_of(len(X), epochs, seed))
    return run


def close(found, expected):
    return np.allclose(found, expected, rtol=1e-12, atol=1e-12)


def corrections(ledger):
    names = ("rounds", "when", "example", "margin", "norm_squared", "wrong", "cost", "size", "row", "amount")
    return [np.asarray(getattr(ledger, name)).tolist() for name in names]


def alone(path="definition", shift=0):
    """Return the law: each head plays as a binary learner of its own; `shift` is a wrong column, for a mutant."""

    @given(points_with_sets(), st.sampled_from(sorted(RULES)), st.booleans(), st.integers(0, 9))
    def law(points, rule, weighted, seed):
        X, Y = points
        labels = Y.shape[1]
        weights = np.random.default_rng(seed).integers(0, 3, Y.shape).astype(float) if weighted else None
        run = a_run(MultiLabel(labels), X, Y, path, rule, seed=seed, weights=weights)
        new = run.number(PATHS[path][1](X))
        own, others = np.random.default_rng(3), np.random.default_rng(3)
        drawn = run.guess("sample", own).scores(new).scores
        for label in range(labels):
            column = (label + shift) % labels
            mine = None if weights is None else np.ascontiguousarray(weights[:, column])
            one = a_run(Binary(), X, Y[:, column].astype(np.int64), path, rule, seed=seed, weights=mine)
            assert corrections(run.ledger.of(label)) == corrections(one.ledger)
            for predictor in (*GUESSES, "vote"):
                found, expected = (each.guess(predictor) for each in (run, one))
                scores = found.scores(new).scores[:, [label]]
                same = close if predictor == "average" else np.array_equal  # a mean is rounded
                assert same(scores, expected.scores(new).scores)
                if not np.isclose(scores, 0).any():
                    assert np.array_equal(found.answers(new)[:, label], expected.answers(new))
            assert np.array_equal(drawn[:, [label]], one.guess("sample", others).scores(new).scores)

    return law


@pytest.mark.parametrize("path", PATHS)
def test_every_label_plays_as_a_binary_learner_alone(path):
    alone(path)()


def test_the_law_rejects_another_column():
    with pytest.raises(AssertionError):
        quickly(alone(shift=1))()


@pytest.mark.parametrize("path", ["dense pass", "CSR pass", "blocks"])
def test_recent_follows_every_label_by_itself(path):
    random = np.random.default_rng(0)
    X = random.integers(-3, 4, (80, 3)).astype(float)
    Y = (X @ random.integers(-2, 3, (3, 4)) > random.integers(-2, 3, (80, 4))).astype(np.int8)
    run = a_run(MultiLabel(4), X, Y, path, "perceptron", recent=True, epochs=3)
    for label in range(4):
        one = a_run(Binary(), X, Y[:, label], path, "perceptron", recent=True, epochs=3)
        new = run.number(X)
        found, expected = (each.guess("recent").scores(new).scores for each in (run, one))
        assert close(found[:, [label]], expected)
        assert corrections(run.ledger.of(label)) == corrections(one.ledger)


BUDGETS = (Budget(5), Budget(5, "projection"), Budget(6, "oldest"))


@pytest.mark.parametrize(
    ("path", "budget"),
    [(path, None) for path in PATHS] + [("definition, kernel", budget) for budget in BUDGETS],
)
def test_one_label_per_row_is_one_vs_rest(path, budget):
    random = np.random.default_rng(1)
    X, y = random.integers(-3, 4, (50, 3)).astype(float), random.integers(0, 3, 50)
    one_hot = (y[:, None] == np.arange(3)).astype(np.int8)
    run = a_run(MultiLabel(3), X, one_hot, path, "perceptron", budget=budget)
    other = a_run(OneVsRest(3), X, y, path, "perceptron", budget=budget)
    assert run.ledger == other.ledger
    new = run.number(X)
    for predictor in (*GUESSES, "vote"):
        assert np.array_equal(
            run.guess(predictor).scores(new).scores, other.guess(predictor).scores(new).scores
        )


def test_ties_positive_answers_a_score_of_0_with_yes():
    X, Y = np.zeros((3, 2)), np.array([[1, 0], [1, 0], [1, 1]], np.int8)
    for ties, wrong in (("mistake", [3, 3]), ("positive", [0, 2])):
        run = begin(MultiLabel(2, ties), features=2)
        play_pass(run, Examples(run.number(X), Y), [np.arange(3)])
        assert [run.ledger.of(label).errors for label in (0, 1)] == wrong
        assert run.guess("last").answers(run.number(X)).tolist() == [[int(ties == "positive")] * 2] * 3
        assert run.guess("vote").answers(run.number(X)).tolist() == [[int(ties == "positive")] * 2] * 3


@pytest.mark.parametrize("ties", ["mistake", "positive"])
def test_check_finds_no_fault(ties):
    truths = [[[0, 1, 0]], [[1, 1, 1]], [[0, 0, 0]]]
    assert games.check(MultiLabel(3, ties), truths).ok


def test_votes_settle_only_what_is_left_cannot_change():
    game = MultiLabel(2)
    tally, left = np.array([[3.0, -4.0], [3.0, 1.0], [-3.0, 5.0]]), np.array([2.0, 2.0])
    assert game.settled(tally, left).tolist() == [True, False, True]
    assert game.elect(tally, np.arange(4)).tolist() == [[1, 0], [1, 1], [0, 1]]


def test_the_winner_of_a_vote_is_that_of_all_votes():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 5))
    Y = (X @ random.normal(size=(5, 3)) + 0.5 * random.normal(size=(400, 3)) > 0).astype(np.int8)
    run = begin(MultiLabel(3), features=5, intercept=True)
    learn(run, Examples(run.number(X), Y), orders_of(400, 3, 0))
    new = run.number(X)
    assert np.array_equal(run.guess("vote").answers(new), run.guess("vote").scores(new).scores > 0)


@pytest.mark.parametrize("given", [{"labels": 0}, {"labels": 2.5}, {"labels": 2, "ties": "no"}])
def test_multilabel_refuses_what_is_no_game(given):
    with pytest.raises(ValueError, match="Got"):
        MultiLabel(**given)


def test_truths_and_weights_must_fit_the_game():
    X, Y = np.ones((3, 2)), np.ones((3, 4), np.int8)
    for game, truths, weights, message in (
        (MultiLabel(5), Y, None, r"must have the shape \(3, 5\). Got \(3, 4\)"),
        (MultiLabel(4), np.ones(3, int), None, r"must have the shape \(3, 4\). Got \(3,\)"),
        (OneVsRest(4), Y, None, r"must have the shape \(3,\). Got \(3, 4\)"),
        (MultiLabel(4), Y, np.ones((3, 2)), r"must have 4 columns. Got shape \(3, 2\)"),
        (Binary(), np.ones(3, int), np.ones((3, 2)), r"must have 1 columns. Got shape \(3, 2\)"),
    ):
        run = begin(game, features=2)
        for player in (play, play_pass):
            with pytest.raises(ValueError, match=message):
                player(run, Examples(run.number(X), truths, weights=weights), [np.arange(3)])
        assert not run.book.rounds


def test_examples_take_truths_of_one_number_or_a_vector():
    run = begin(MultiLabel(2), features=2)
    rows = run.number(np.ones((2, 2)))
    assert Examples(rows, np.array([[True, False], [False, False]])).truths.dtype == np.int8
    assert Examples(rows, np.array([1, 0], np.int8)).truths.dtype == np.int64
    with pytest.raises(ValueError, match=r"from -128 to 127. Got 0 to 300"):
        Examples(rows, np.array([[0, 300], [0, 0]]))
    for wrong in (np.zeros((2, 2, 2)), np.zeros((3, 2))):
        with pytest.raises(ValueError, match="one truth per row"):
            Examples(rows, wrong)
    with pytest.raises(ValueError, match="a weight per round"):
        Examples(rows, np.zeros(2, int), weights=np.ones((1, 2)))


@pytest.mark.parametrize("truth", [0, 1])
@pytest.mark.parametrize("score", [-2.0, 0.0, 3.0])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
def test_judge_and_ballot_of_a_label_are_those_of_its_question(ties, score, truth):
    game, head = MultiLabel(2, ties), 1
    where, amount = np.full((1, 2), 9), np.full(1, 9.0)
    truths, scores = np.array([[1 - truth, truth]], np.int8), np.array([[5.0, score]])
    sign = 2.0 * truth - 1.0
    wrong = sign * score <= 0 if ties == "mistake" else (score >= 0) != bool(truth)
    assert game.judge(scores, game.structure, truths, head, 0.0, where, amount) == (
        1,
        sign * score,
        wrong,
        1.0,
    )
    assert (where.tolist(), amount.tolist()) == ([[0, head]], [sign])
    if ties == "positive":
        tally = np.zeros((2, 1))
        game.ballot(scores.T, game.structure, np.array([0, 1]), head, 4.0, tally)
        assert tally.tolist() == [[0.0], [4.0 if score >= 0 else -4.0]]


def test_settled_waits_for_votes_that_can_make_a_tie():
    tally = np.array([[3.0, -3.0], [3.0, -2.0]])
    assert MultiLabel(2).settled(tally, np.array([2.0])).tolist() == [True, False]
