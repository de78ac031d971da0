"""Records of a match: its transcript, and JSON that is replayed when it is loaded."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.arena_data import PLANE, contests_with_rules, played
from rosenblatt import arena

# Transcripts.


def test_transcript_prints_the_table_of_the_sources():
    match = arena.Match(arena.Classification(1), arena.Rules((1.0,), 0.1, 1.0))
    for wrong in (True, False, False):
        assert match.show(arena.Point((0.5,), 1)).wrong == wrong
    assert str(match.transcript).split("\n") == [
        "i  guess  input    result",
        "1  v_0    (0.5) +  ✗",
        "2  v_1    (0.5) +  ✓",
        "3  v_1    (0.5) +  ✓",
    ]


@given(contests_with_rules(), st.integers(0, 99), st.integers(1, 10))
@settings(max_examples=20)
def test_undo_restores_the_shorter_match(game, seed, rounds):
    match, shorter = (played(*game, arena.Random(seed), n) for n in (10 + rounds, 10))
    match.undo(rounds)
    assert match.rounds == shorter.rounds
    assert match.run.ledger == shorter.run.ledger


MATCHES = {
    "points": lambda: played(arena.Classification(3), arena.Rules((1, 2, 2), 0.3, 4.0), arena.Random(0), 12),
    "kernel": lambda: played(
        arena.Classification(2), PLANE, arena.Random(1), 12, arena.Learner("RBF(sigma=0.5)", "margin")
    ),
    "lists": lambda: played(arena.Ranking(2), PLANE, arena.Random(2), 12),
    "sentences": lambda: played(*arena.little_language(), arena.Random(3), 12),
    "free": lambda: played(arena.Classification(2), None, arena.Replay([arena.Point((9.0, -9.0), -1)]), None),
}


@pytest.mark.parametrize("name", MATCHES)
def test_load_replays_the_saved_match(name, tmp_path):
    match = MATCHES[name]()
    arena.save(match.transcript, tmp_path / "match.json")
    again = arena.load(tmp_path / "match.json")
    assert again.transcript == match.transcript
    assert again.run.ledger == match.run.ledger
    assert arena.to_json(again.transcript) == arena.to_json(match.transcript)


@pytest.mark.parametrize("name", MATCHES)
def test_from_json_rejects_wrong_results(name):
    values = json.loads(arena.to_json(MATCHES[name]().transcript))
    values["wrong"][-1] ^= 1
    with pytest.raises(ValueError, match=r"Round \d+ is recorded as"):
        arena.from_json(json.dumps(values))


def edited(**changes):
    return json.dumps(json.loads(arena.to_json(MATCHES["points"]().transcript)) | changes)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no .format."),
        (edited(version=2), "version 2"),
        (edited(contest=None), "A contest is named"),
        (edited(contest={"name": "classification", "features": 10**9}), "from 1 to 1000"),
        (edited(contest={"name": "classification", "features": True}), "from 1 to 1000"),
        (edited(contest={"name": "ranking", "features": 2, "length": 10**9}), "from 2 to 100"),
        (edited(contest={"name": "sequence", "words": "ab", "labels": ["x", "y"]}), "list of strings"),
        (
            edited(
                contest={
                    "name": "sequence",
                    "words": ["a"],
                    "labels": [str(i) for i in range(99)],
                    "longest": 12,
                    "transitions": True,
                }
            ),
            "ways to be labelled",
        ),
        (edited(rules={"u": [1, 2], "margin": 0.1, "radius_squared": 1}), "u must have 3 numbers"),
        (edited(rules={"u": [1, 2, "x"], "margin": 0.1, "radius_squared": 1}), "must be numbers"),
        (edited(rules={"u": [0, 0, 0], "margin": 0.1, "radius_squared": 1}), "not all 0"),
        (edited(rules={"u": [1, 2, 2], "margin": -1, "radius_squared": 1}), "above 0"),
        (edited(rules={"u": [1, 2, 2], "margin": 9, "radius_squared": 1}), "no legal move"),
        (edited(rules={"u": [1.7e308, 1.7e308, 1.7e308], "margin": 0.1, "radius_squared": 1}), "finite"),
        (edited(rules={"u": [1, 2, 2], "margin": 0.1, "radius_squared": 10**400}), "finite"),
        (edited(learner={"kernel": "__import__('os')"}), "A kernel must be made of"),
        (edited(learner={"kernel": "(Linear() + 1) ** 99 ** 99 ** 99"}), "A kernel"),
        (edited(learner={"kernel": None, "rule": 3}), "expressions"),
        (edited(learner={"kernel": None, "rule": "Perceptron()", "ties": "x"}), "ties"),
        (edited(moves=[]), "of each whether"),
        (edited(moves=[[[1, 2], 1]], wrong=[1]), "Round 1 cannot be replayed. x must be 3"),
        (edited(moves=[[[1, 2, float("inf")], 1]], wrong=[1]), "finite"),
        (edited(moves=[[["a", "b", "c"], 1]], wrong=[1]), "x must be 3 numbers"),
        (edited(moves=[7], wrong=[1]), "A move must be"),
        (edited(moves=[[[10**400, 1, 1], 1]], wrong=[1]), "x must be 3 numbers"),
        (edited(rules=None, moves=[[[1e200, 1, 1], 1]], wrong=[1]), "up to 1e"),
    ],
)
def test_from_json_rejects_malformed_records(text, why):
    with pytest.raises(ValueError, match=why):
        arena.from_json(text)


def test_load_rejects_binary_and_oversized_files(tmp_path, monkeypatch):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="not UTF-8"):
        arena.load(tmp_path / "bytes")
    monkeypatch.setattr("rosenblatt.arena.records.LARGEST", 10)
    (tmp_path / "long").write_text("x" * 11)
    with pytest.raises(ValueError, match="at most 10 bytes"):
        arena.load(tmp_path / "long")
