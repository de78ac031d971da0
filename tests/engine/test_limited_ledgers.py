"""Ledgers with a limit: the latest corrections and the counts of all, in memory that does not grow."""

import numpy as np
import pytest
import scipy.sparse as sp

from fixtures.playing import blobs
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, load, online, save
from rosenblatt.engine.learner import play, play_blocks, play_pass
from rosenblatt.engine.run import LISTED, Examples, begin
from rosenblatt.games import Argmax, Binary
from rosenblatt.ledger import Book
from rosenblatt.loops.book import STRUCTURE

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, (9000, 6)).astype(float)
TWO, THREE = RANDOM.integers(0, 2, 9000), RANDOM.integers(0, 3, 9000)  # nothing to be learned: many mistakes


def latest(ledger, lines):
    """Return the counts of a ledger, and its last corrections."""
    first = len(ledger) - lines
    mine = ledger.correction >= first
    counts = (len(ledger), ledger.errors, ledger.rounds)
    return counts, ledger.when[first:].tolist(), ledger.amount[mine].tolist(), ledger.row[mine].tolist()


@pytest.mark.parametrize("game", [Binary(), Argmax(3)])
@pytest.mark.parametrize(
    ("player", "form"), [(play, np.asarray), (play_blocks, np.asarray), (play_pass, sp.csr_array)]
)
def test_limited_ledger_lists_the_latest_corrections(player, form, game):
    rows, y = form(X[:4000]), (TWO if isinstance(game, Binary) else THREE)[:4000]
    full, limited = (begin(game, features=6, keep=False, limited=limited) for limited in (False, True))
    for run in (full, limited):
        player(run, Examples(run.number(rows), y), [np.arange(4000)] * 2)
    book = limited.book
    assert LISTED <= len(book) < 2 * LISTED < len(full.book)
    assert book.total == len(full.book)
    (corrections, errors, rounds), *lines = latest(full.ledger, len(book))
    assert (book.total, limited.ledger.errors, book.rounds) == (corrections, errors, rounds)
    assert latest(limited.ledger, len(book))[1:] == tuple(lines)
    np.testing.assert_array_equal(limited.hypothesis.weights, full.hypothesis.weights)
    np.testing.assert_array_equal(limited.hypothesis.delayed, full.hypothesis.delayed)


def test_trimmed_ledger_keeps_stretches_of_the_background_worker():
    rows, y = sp.csr_array(np.tile(X, (10, 1))), np.tile(TWO, 10)  # several stretches
    kept, limited = (
        PerceptronClassifier(shuffle=False, max_iter=1, keep_examples=keep).fit(rows, y)
        for keep in (True, False)
    )
    assert len(limited.ledger_) < 2 * LISTED + 2**14
    assert limited.ledger_.errors == kept.ledger_.errors
    np.testing.assert_allclose(limited.coef_, kept.coef_)


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["binary", "argmax"])
def test_partial_fit_without_examples_takes_constant_memory(labels):
    clf = PerceptronClassifier(keep_examples=False)
    sizes = []
    for _ in range(12):
        clf.partial_fit(X, labels, classes=np.unique(labels))
        sizes.append(clf.run_.book.corrections.nbytes + clf.run_.book.entries.nbytes)
    line = 8 * 8 + 2 * 4 * 8  # a correction and its two entries
    assert max(sizes) < (2 * LISTED + len(X)) * line * 2  # arrays grow by doubling
    assert clf.run_.book.total * line > 4 * max(sizes)  # and the full ledger would need far more


def test_online_learners_list_the_latest_corrections():
    learner = online.Classifier()
    for x, y in zip(X[:5000], 2 * TWO - 1, strict=False):
        learner.add_example(x, y)
    assert LISTED <= len(learner.ledger) < 2 * LISTED
    whole = PerceptronClassifier(max_iter=1, shuffle=False).fit(X[:5000], TWO[:5000]).ledger_
    assert learner.ledger.errors == whole.errors
    assert learner.ledger.mistakes[-100:].tolist() == whole.mistakes[-100:].tolist()


def test_structure_weights_are_averaged_over_dropped_corrections(monkeypatch):
    monkeypatch.setattr("rosenblatt.engine.run.LISTED", 8)
    words = [[f"w{i}" for i in RANDOM.integers(0, 30, 5)] for _ in range(60)]
    tags = [[f"t{i}" for i in RANDOM.integers(0, 3, 5)] for _ in range(60)]
    kept, limited = (
        PerceptronTagger(shuffle=False, max_iter=3, keep_examples=keep).fit(words, tags)
        for keep in (True, False)
    )
    assert limited.ledger_.unlisted > 0
    np.testing.assert_allclose(limited.transitions_, kept.transitions_)
    assert limited.predict(words) == kept.predict(words)


def test_save_keeps_a_limited_ledger(tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.engine.run.LISTED", 8)
    words = [[f"w{i}" for i in RANDOM.integers(0, 30, 5)] for _ in range(60)]
    tags = [[f"t{i}" for i in RANDOM.integers(0, 3, 5)] for _ in range(60)]
    tagger = PerceptronTagger(shuffle=False, max_iter=4, keep_examples=False).fit(words, tags)
    save(tagger, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.ledger_ == tagger.ledger_
    assert again.ledger_.unlisted > 0
    np.testing.assert_array_equal(again.transitions_, tagger.transitions_)
    assert again.partial_fit(words, tags).ledger_ == tagger.partial_fit(words, tags).ledger_


def test_ranker_without_examples_stores_no_pairs():
    rows, y = blobs(2, rows=400, apart=0.5)
    ranker = PerceptronRanker(keep_examples=False).fit(rows, y, qid=np.arange(400) // 4)
    assert ranker.task_.shown == []
    with pytest.raises(ValueError, match="did not keep them"):
        ranker.certificate(rows, y, qid=np.arange(400) // 4)


def test_trim_drops_whole_corrections_and_renumbers_entries():
    book = Book(heads=1, structure=2, limit=2)
    lines = np.array([[when, 0, 0, 0, 1, 1, 1, 1] for when in (1, 2, 4, 5)], float)
    entries = np.array(
        [[0, STRUCTURE, 1, 2.0], [0, 3, 0, 1.0], [1, 4, 0, -1.0], [2, STRUCTURE, 0, 1.0], [3, 5, 0, 1.0]]
    )
    book.add(6, lines, entries)
    assert (len(book), book.total, book.rounds) == (2, 4, 6)
    assert book.ledger.when.tolist() == [4, 5]
    assert book.ledger.correction.tolist() == [0, 1]
    assert book.unlisted_delays.tolist() == [0, 2]
    assert book.delayed_structure.tolist() == [4, 2]
    assert book.ledger.of(0) == book.ledger.until(6) == book.ledger


def test_trim_waits_for_twice_the_limit():
    book = Book(heads=1, limit=2)
    for when, listed in ((1, 1), (2, 2), (3, 3), (4, 2), (5, 3)):
        book.add(1, np.array([[when, 0, 0, 0, 1, 1, 1, 1.0]]), np.empty((0, 4)))
        assert (len(book), book.total) == (listed, when)
    assert book.ledger.when.tolist() == [3, 4, 5]


def test_snapshot_restores_corrections_that_were_dropped_since():
    book = Book(heads=1, structure=1, limit=2)
    lines = np.array([[when, 0, 0, 0, 1, 1, 1, 1] for when in (1, 2, 3)], float)
    entries = np.array([[c, STRUCTURE, 0, 1.0] for c in range(3)])
    book.add(3, lines, entries)
    before, restore = book.ledger, book.snapshot()
    lines[:, 0] += 3
    book.add(3, lines, entries)
    assert book.ledger.unlisted == 4
    restore()
    assert book.ledger == before
    assert book.delayed_structure.tolist() == [6]


def test_limited_ledger_rejects_queries_about_dropped_corrections():
    clf = PerceptronClassifier(multiclass="ovr", keep_examples=False, max_iter=2).fit(X[:3000], THREE[:3000])
    two = PerceptronClassifier(keep_examples=False, max_iter=2).fit(X[:5000], TWO[:5000])
    for ask in (lambda: clf.ledger_.of(0), lambda: two.ledger_.survived, lambda: two.ledger_.until(100)):
        with pytest.raises(ValueError, match=r"lists its latest \d+ of \d+: learn with keep_examples=True"):
            ask()
    assert two.ledger_.until(two.ledger_.rounds) == two.ledger_


def test_verbose_counts_unlisted_corrections(capsys):
    clf = PerceptronClassifier(keep_examples=False, max_iter=2, verbose=True).fit(X[:5000], TWO[:5000])
    assert f"{clf.run_.book.total:,} mistakes" in capsys.readouterr().err
