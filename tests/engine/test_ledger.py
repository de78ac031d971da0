"""The ledger: the ten-round table of source 002, and what can be read from any ledger."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import oracles
from fixtures.playing import CUBIC, a_run, games_and_points, labelled_points
from rosenblatt.engine import guesses, majority, predictors, support
from rosenblatt.engine.faults import NotFiniteError
from rosenblatt.engine.learner import play_blocks
from rosenblatt.engine.run import begin
from rosenblatt.games import Argmax, Binary, OneVsRest, Sequence
from rosenblatt.ledger import Book
from rosenblatt.rows import counting, rows_of


def the_table():
    """Return the ledger of ten rounds with the results X ✓ ✓ X ✓ ✓ ✓ X ✓ X, as printed in section 2."""
    X = np.array([[1, 0], [1, 0], [1, 0], [-1, -2], [0, -1], [0, -1], [0, -1], [1, 0], [1, 0], [0, -1.0]])
    y = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    return a_run(Binary(), X, y, epochs=1).ledger


def test_ledger_of_the_ten_round_table():
    ledger = the_table()
    assert ledger.when.tolist() == [1, 4, 8, 10]
    assert ledger.survived.tolist() == [1, 3, 4, 2, 0]
    assert predictors.shares(ledger).tolist() == [1 / 10, 3 / 10, 4 / 10, 2 / 10, 0]
    assert predictors.best(ledger) == 2
    assert 1 / ledger.survived[predictors.best(ledger)] == 0.25
    errors = [0 if m == 0 else 1 / m for m in ledger.survived]  # each guess erred once, in its last round
    mixture_error = predictors.shares(ledger) @ errors
    assert mixture_error == pytest.approx(4 / 10)
    assert mixture_error == pytest.approx(len(ledger.mistakes) / ledger.rounds)


@given(games_and_points(), st.integers(1, 3))
def test_survived_of_each_head_adds_up_to_the_rounds(game, epochs):
    game, X, y = game
    ledger = a_run(game, X, y, epochs=epochs, player=play_blocks).ledger
    for head in range(ledger.heads):
        assert ledger.of(head).survived.sum() == ledger.rounds
    assert (np.diff(ledger.when) >= 0).all()


@given(labelled_points(), st.integers(1, 3))
def test_influence_is_the_mixture_of_guesses(points, epochs):
    X, y = points
    ledger = a_run(Binary(), X, y, epochs=epochs).ledger
    shares = predictors.shares(ledger)
    in_all_later_guesses = [shares[j + 1 :].sum() for j in range(len(ledger))]
    np.testing.assert_allclose(predictors.influence(ledger, "average"), in_all_later_guesses, atol=1e-12)


@given(games_and_points(), st.integers(1, 60))
def test_until_is_the_ledger_of_the_shorter_run(game, rounds):
    game, X, y = game
    whole = a_run(game, X, y, kernel=CUBIC, epochs=1).ledger
    rounds = min(rounds, len(X))
    short = a_run(game, X[:rounds], y[:rounds], kernel=CUBIC, epochs=1).ledger
    assert whole.until(rounds) == short
    with pytest.raises(ValueError, match=r"This run has \d+ rounds"):
        whole.until(whole.rounds + 1)


def test_ledger_of_one_vs_rest_splits_by_class():
    X, y = np.eye(3), np.arange(3)
    ledger = a_run(OneVsRest(3), X, y, epochs=2).ledger
    with pytest.raises(ValueError, match=r"guesses of 3 learners.*ledger\.of\(0\)"):
        _ = ledger.survived
    alone = a_run(Binary(), X, (y == 1).astype(int), epochs=2).ledger
    assert ledger.of(1).mistakes.tolist() == alone.mistakes.tolist()
    assert (ledger.of(1).heads, set(ledger.of(1).head.tolist())) == (1, {0})


def test_ledger_of_a_book_is_read_again_once_the_tally_moves():
    book = Book(heads=1)
    book.make_room(1, 0)
    before = book.ledger
    assert book.ledger is before
    book.corrections[0] = [2, 1, 0, 0, 1, 1, 1, 1]
    book.tally += (2, 1, 0)
    assert (len(before), book.ledger.rounds, book.ledger.when.tolist()) == (0, 2, [2])
    assert book.delayed_structure.tolist() == []


def test_ledgers_are_equal_only_if_all_values_are():
    X, y = np.eye(2), np.array([0, 1])
    ledger, other = (a_run(Binary(), X, y, weights=np.array([1.0, w])).ledger for w in (1, 2))
    assert ledger != other
    assert ledger == a_run(Binary(), X, y).ledger
    assert ledger != "a ledger"
    assert repr(ledger) == "<Ledger: 2 mistakes, 2 corrections, 4 rounds>"


# The five predictors against guesses that are written out.


def test_single_guess_that_stands_for_a_predictor_is_itself_or_the_average():
    names = {name: predictors.single(name) for name in predictors.NAMES}
    of_all = dict.fromkeys(("vote", "sample"), "average")
    assert names == {"last": "last", "best": "best", "average": "average", "recent": "recent"} | of_all


@pytest.mark.parametrize(
    ("what", "advice"), [("vote", ", or use 'last', 'average' or 'recent'"), ("certificate", "")]
)
def test_check_kept_names_other_predictors_to_who_asks_for_one(what, advice):
    run = a_run(Binary(), np.eye(2), np.array([0, 1]), keep=False)
    with pytest.raises(
        ValueError, match=rf"^'{what}' needs .* keep_examples=True, or --keep on the command line{advice}\.$"
    ):
        predictors.check_kept(run, what)


@given(labelled_points(), st.integers(1, 3), st.booleans())
def test_predictors_match_written_out_guesses(points, epochs, dual):
    from rosenblatt.kernels import Linear

    X, y = points
    guesses, survived = oracles.all_guesses(X, 2 * y - 1, epochs)
    run = a_run(Binary(), X, y, kernel=Linear() if dual else None, epochs=epochs, player=play_blocks)
    rows, starts = rows_of(X), np.arange(len(X) + 1)
    every = X @ guesses.T
    expected = {
        "last": every[:, -1],
        "best": every[:, np.argmax(survived)],
        "average": every @ survived / survived.sum(),
    }
    for name, scores in expected.items():
        np.testing.assert_allclose(run.guess(name).scores(rows).scores[:, 0], scores, atol=1e-9)
    votes = np.sign(every) @ survived / survived.sum()
    np.testing.assert_allclose(run.guess("vote").scores(rows, starts).scores[:, 0], votes, atol=1e-12)
    drawn = run.guess("sample", np.random.default_rng(0)).scores(rows, starts).scores[:, 0]
    assert all(score in guess_scores for score, guess_scores in zip(drawn, every, strict=True))


@given(labelled_points(3), st.integers(1, 2))
def test_votes_of_argmax_count_guesses_and_ties_abstain(points, epochs):
    X, y = points
    run = a_run(Argmax(3), X, y, epochs=epochs, player=play_blocks)
    ledger, weights, expected = run.ledger, np.zeros((X.shape[1], 3)), np.zeros((len(X), 3))
    for j, answered in enumerate(ledger.survived):
        scores = X @ weights
        for row, mine in enumerate(scores):
            if (mine == mine.max()).sum() == 1:
                expected[row, mine.argmax()] += answered
        for e in np.flatnonzero(ledger.correction == j):
            weights[:, ledger.output[e]] += ledger.amount[e] * X[ledger.row[e]]
    found = run.guess("vote").scores(rows_of(X), np.arange(len(X) + 1)).scores
    np.testing.assert_allclose(found, expected / ledger.rounds, atol=1e-12)


@pytest.mark.parametrize("game", [Binary(), Argmax(3), Sequence(2)], ids=repr)
@pytest.mark.parametrize("name", predictors.FROM_LEDGER)
def test_every_predictor_answers_before_the_first_round_with_scores_of_0(name, game):
    found = begin(game, features=2).guess(name, np.random.default_rng(0)).scores(rows_of(np.eye(2)))
    assert found.scores.shape == (2, game.alternatives)
    assert found.structure.shape == (2, len(game.structure))
    assert not found.scores.any()
    assert not found.structure.any()


@pytest.mark.parametrize(("first", "row"), [((), 1), ((5,), 6)])
def test_finite_names_the_row_of_a_score_that_is_not(first, row):
    with pytest.raises(NotFiniteError, match=f"The score of row {row} is not"):
        guesses.finite(np.array([[0.0], [np.nan], [np.inf]]), *first)


def test_sample_draws_each_guess_as_often_as_it_answered():
    X, y = np.array([[1.0], [1.0], [-1.0]]), np.array([1, 1, 1])
    run = a_run(Binary(), X, y, epochs=1)  # v_0 = 0 answers 1 round, v_1 = 1 the other two, v_2 = 0 none
    rows = rows_of(np.ones((3000, 1)))
    scores = run.guess("sample", np.random.default_rng(0)).scores(rows, np.arange(3001)).scores[:, 0]
    assert np.mean(scores == 1) == pytest.approx(2 / 3, abs=0.03)


@given(games_and_points())
def test_votes_of_one_vs_rest_are_counted_per_class(game):
    game, X, y = game
    run = a_run(game, X, y, kernel=CUBIC, player=play_blocks)
    tally = run.guess("vote").scores(rows_of(X), np.arange(len(X) + 1)).scores
    assert (np.abs(tally) <= 1 + 1e-12).all()
    if game.heads > 1:
        for head in range(game.heads):
            alone = a_run(Binary(), X, (y == head).astype(int), kernel=CUBIC, player=play_blocks)
            if alone.ledger.rounds == run.ledger.rounds:
                theirs = alone.guess("vote").scores(rows_of(X), np.arange(len(X) + 1)).scores
                np.testing.assert_allclose(tally[:, [head]], theirs, atol=1e-12)


@given(games_and_points(), st.booleans())
def test_decide_in_small_chunks_changes_nothing(game, dual):
    """Chunks of rows and of the support set are put together in order."""
    game, X, y = game
    run = a_run(game, X, y, epochs=2, kernel=CUBIC if dual else None, player=play_blocks, block=4)

    def answers():
        return [
            run.guess(name, np.random.default_rng(0)).answers(rows_of(X)) for name in predictors.FROM_LEDGER
        ]

    whole = answers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(majority, "CELLS", 7)
        patch.setattr(support, "STORED", 3)
        patch.setattr(support, "SHOWN", 2)
        assert np.array_equal(answers(), whole)


def test_faults_in_the_last_chunk_are_raised(monkeypatch):
    monkeypatch.setattr(majority, "CELLS", 4)
    run, rows = a_run(Binary(), np.ones((20, 2)), np.ones(20, int), epochs=1), np.ones((20, 2))
    rows[16:] = np.inf
    with pytest.raises(NotFiniteError, match="The score of row 16 is not"):
        run.guess("sample", np.random.default_rng(0)).scores(rows_of(rows))


def test_support_set_rejects_ids_that_it_does_not_store():
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    run = a_run(Binary(), X, y, kernel=CUBIC, epochs=1)
    assert run.support.indices(run.support.ids).tolist() == list(range(len(run.support)))
    with pytest.raises(KeyError, match="Row 99 is not in the support set"):
        run.support.indices(np.array([0, 99]))


def test_counting_keeps_one_array_for_rounds_and_their_bounds():
    rounds, bounds = counting(1000), counting(1001)
    assert np.shares_memory(rounds, bounds)
    assert np.array_equal(bounds, np.arange(1001))
    assert not bounds.flags.writeable
    assert np.shares_memory(rounds, counting(1000))


def test_a_round_is_counted_as_begun_only_if_it_was_corrected():
    run = a_run(Binary(), np.eye(2), np.array([0, 1]), epochs=1)  # both rounds are corrected
    rounds = run.book.rounds
    run.book.count_begun()
    assert run.book.rounds == rounds
    run.book.corrections[len(run.book) - 1, 0] = rounds + 1
    run.book.count_begun()
    assert run.book.rounds == rounds + 1
