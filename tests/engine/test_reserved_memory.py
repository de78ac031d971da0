"""Memory reserved for a round: for what a game's judge can write, not for all scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import orders_of, sparse
from rosenblatt import PerceptronTagger
from rosenblatt.engine.learner import learn, play, play_blocks, play_pass
from rosenblatt.engine.passes import OneRoundDriver
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Argmax, Binary, OneVsRest, Ranking, Sequence
from rosenblatt.kernels import Linear

LABELS = 2000
MOST_ENTRIES = 10_000
"""Entries that rounds of a few rows may reserve; one per pair of labels would be four million."""


def sentences(labels, rounds=2, length=4):
    truths = np.random.default_rng(0).integers(0, labels, rounds * length)
    return sparse(np.eye(rounds * length)), truths, np.arange(0, rounds * length + 1, length)


@pytest.mark.parametrize("kernel", [None, Linear()], ids=["primal", "dual"])
def test_sequence_reserves_entries_for_tokens_not_for_pairs_of_labels(kernel):
    X, truths, starts = sentences(LABELS)
    run = begin(Sequence(LABELS), features=X.shape[1], kernel=kernel)
    learn(run, Examples(run.number(X), truths, starts), orders_of(len(starts) - 1, 2))
    assert len(run.book)
    assert len(run.book.entries) < MOST_ENTRIES


def test_one_round_driver_reserves_entries_for_tokens():
    X, truths, _ = sentences(LABELS, rounds=1)
    run = begin(Sequence(LABELS), features=X.shape[1])
    OneRoundDriver(run).play(run.number(X).csr, truths)
    assert len(run.book)
    assert len(run.book.entries) < MOST_ENTRIES


def test_tagger_with_many_labels_reserves_little():
    names = [f"w{i}" for i in range(LABELS)]
    rounds = [[name] for name in names[3:]] + [names[:3]]
    tagger = PerceptronTagger(max_iter=1).fit(rounds, rounds)
    assert len(tagger.classes_) == LABELS
    assert len(tagger.run_.book.entries) < 10 * LABELS


def test_one_vs_rest_reserves_an_entry_per_class():
    X, y = sparse(np.eye(3)), np.arange(3)
    run = begin(OneVsRest(LABELS), features=3)
    learn(run, Examples(run.number(X), y), orders_of(3, 1))
    assert len(run.book.entries) <= 4 * LABELS


GAMES = {
    "binary": (Binary(), 2, False),
    "argmax": (Argmax(3), 3, False),
    "ovr": (OneVsRest(3), 3, False),
    "best": (Ranking("best"), 3, True),
    "top": (Ranking("top"), 3, True),
    "sequence": (Sequence(3), 3, True),
    "labels": (Sequence(3, pairs="allowed"), 3, True),
    "edges": (Sequence(2, pairs="seen"), 2, True),
}


@pytest.mark.parametrize("name", GAMES)
@given(data=st.data(), rows=st.integers(1, 7), required=st.sampled_from([-np.inf, 0.0, 2.0]))
def test_most_entries_bounds_what_judges_write(name, data, rows, required):
    game, classes, lists = GAMES[name]
    rows = rows if lists else 1
    if name == "edges":
        rows += (rows - 1) * classes
    values = st.integers(-2, 2).map(float)
    scores = np.array(data.draw(st.lists(values, min_size=rows * game.outputs, max_size=rows * game.outputs)))
    structure = np.array(
        data.draw(st.lists(values, min_size=len(game.structure), max_size=len(game.structure)))
    )
    truth = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)))
    most = game.most_entries(rows)
    where, amount = np.empty((most, 2), np.int64), np.empty(most)
    for head in range(game.heads):
        scored = scores.reshape(rows, game.outputs)
        count, *_ = game.judge(
            scored, structure, truth, head, required, where, amount
        )  # IndexError if too few
        assert count <= most


@pytest.mark.parametrize("pairs", ["scored", "allowed", "seen"])
@pytest.mark.parametrize("player", [play_pass, play_blocks])
def test_players_write_the_ledger_of_the_definition(pairs, player):
    labels, random = 3, np.random.default_rng(1)
    lengths = random.integers(1, 6, 30)
    rows = lengths + (lengths - 1) * labels * (pairs == "seen")
    starts = np.concatenate([[0], np.cumsum(rows)])
    X, truths = random.integers(-2, 3, (starts[-1], 4)).astype(float), random.integers(0, labels, starts[-1])
    ledgers = []
    for way in (play, player):
        run = begin(Sequence(labels, pairs=pairs), features=4)
        way(run, Examples(run.number(sparse(X)), truths, starts), orders_of(30, 3, seed=0))
        ledgers.append(run.ledger)
    assert len(ledgers[0]) > 20
    assert ledgers[0] == ledgers[1]
