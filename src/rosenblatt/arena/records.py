"""Matches as JSON files, which are replayed when they are loaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from rosenblatt._atomic import replace_file
from rosenblatt.arena.contests import Classification, Contest, Ranking, Sequences
from rosenblatt.arena.contests.ranking import LONGEST as LONGEST_LIST
from rosenblatt.arena.learners import Learner
from rosenblatt.arena.match import Match
from rosenblatt.arena.rules import Rules
from rosenblatt.arena.transcript import Transcript
from rosenblatt.kernels import parse as parse_kernel
from rosenblatt.rules import parse as parse_rule

FORMAT, VERSION = "rosenblatt-match", 1
LARGEST, LONGEST, WIDEST = 32 * 2**20, 100_000, 1_000
"""Bytes of a file, rounds of a match and features of a row at most."""


def save(transcript: Transcript, path: str | PathLike[str]) -> None:
    """Write a match to a file."""
    replace_file(path, to_json(transcript).encode())


def to_json(transcript: Transcript) -> str:
    """Return a match as a JSON string; equal matches give equal strings."""
    if transcript.contest.features > WIDEST or len(transcript.rounds) > LONGEST:
        raise ValueError(
            f"A record holds up to {LONGEST:,} rounds and {WIDEST:,} features. Got "
            f"{len(transcript.rounds):,} and {transcript.contest.features:,}."
        )
    values = {
        "format": FORMAT,
        "version": VERSION,
        "contest": contest_values(transcript.contest),
        "rules": None if transcript.rules is None else rules_values(transcript.rules),
        "learner": learner_values(transcript.learner),
        "moves": [transcript.contest.to_values(round.move) for round in transcript.rounds],
        "wrong": [int(round.wrong) for round in transcript.rounds],
    }
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def load(path: str | PathLike[str]) -> Match:
    """Return the match of a file, replayed and compared with the recorded results.

    No code in the file is run. Raises ValueError if it is not a match, or if the replay gives other results.
    """
    with Path(path).open("rb") as file:
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise ValueError(f"A match must be at most {LARGEST:,} bytes long. {path} is longer.")
    try:
        return from_json(text.decode())
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not the record of a match: it is not UTF-8.") from None


def from_json(text: str, allow: Callable[[Contest, Learner, int], None] = lambda *_: None) -> Match:
    """Return the match of a JSON string, replayed; before, `allow(contest, learner, rounds)` may raise."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("This is not the record of a match: it is not JSON.") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f'This is not the record of a match: it has no "format": "{FORMAT}".')
    if values.get("version") != VERSION:
        raise ValueError(
            f"This record of a match has version {values.get('version')!r:.20}; {VERSION} can be read."
        )
    contest, learner = read_contest(values.get("contest")), read_learner(values.get("learner"))
    rules = None if values.get("rules") is None else read_rules(values["rules"])
    moves, wrong = values.get("moves"), values.get("wrong")
    if not (isinstance(moves, list) and isinstance(wrong, list) and len(moves) == len(wrong) <= LONGEST):
        raise ValueError(
            f"The record of a match has up to {LONGEST:,} moves and says of each whether it was wrong."
        )
    allow(contest, learner, len(moves))
    return _replayed(Match(contest, rules, learner), moves, wrong)


def _replayed(match: Match, moves: list[Any], wrong: list[Any]) -> Match:
    for number, (move, recorded) in enumerate(zip(moves, wrong, strict=True), 1):
        try:
            round = match.show(match.contest.from_values(move))
        except ValueError as fault:
            raise ValueError(f"Round {number} cannot be replayed. {fault}") from None
        if round.wrong != recorded:
            raise ValueError(
                f"Round {number} is recorded as {_result(bool(recorded))}, but B's answer is "
                f"{_result(round.wrong)}: this is not the record of such a match."
            )
    return match


def contest_values(contest: Contest) -> dict[str, Any]:
    """Return a contest as JSON's values."""
    if isinstance(contest, Sequences):
        words, labels = list(contest.words), list(contest.labels)
        kept = {
            "words": words,
            "labels": labels,
            "longest": contest.longest,
            "transitions": contest.transitions,
        }
    elif isinstance(contest, Ranking):
        kept = {"features": contest.features, "length": contest.length}
    else:
        kept = {"features": contest.features}
    return {"name": contest.name, **kept}


def read_contest(values: Any) -> Contest:
    """Return the contest of JSON's values, all within the limits of a record."""
    name = values.get("name") if isinstance(values, dict) else None
    if name == "classification":
        return Classification(integer_in(values, "features", WIDEST))
    if name == "ranking":
        return Ranking(integer_in(values, "features", WIDEST), integer_in(values, "length", LONGEST_LIST, 2))
    if name == "sequence":
        words, labels = (_names(values, part) for part in ("words", "labels"))
        transitions = values.get("transitions")
        if not isinstance(transitions, bool):
            raise ValueError(f"transitions must be true or false. Got {transitions!r:.40}.")
        return Sequences(words, labels, integer_in(values, "longest", 12), transitions)
    raise ValueError(f"A contest is named classification, ranking or sequence. Got {name!r:.40}.")


def read_rules(values: Any) -> Rules:
    """Return the rules of JSON's values."""
    if (
        not isinstance(values, dict)
        or not isinstance(values.get("u"), list)
        or len(values["u"]) > 100 * WIDEST
    ):
        raise ValueError("Rules have u, a list of numbers, margin and radius_squared.")
    numbers = [values.get("margin"), values.get("radius_squared"), *values["u"]]
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        raise ValueError("u, margin and radius_squared must be numbers.")
    return Rules(tuple(values["u"]), values["margin"], values["radius_squared"])


def learner_values(learner: Learner) -> dict[str, Any]:
    """Return a learner as JSON's values."""
    kernel = None if learner.kernel is None else repr(learner.kernel)
    return {
        "kernel": kernel,
        "rule": repr(learner.rule),
        "fit_intercept": learner.fit_intercept,
        "ties": learner.ties,
    }


def read_learner(values: Any) -> Learner:
    """Return the learner of JSON's values."""
    if not isinstance(values, dict):
        raise ValueError(f"A learner has kernel, rule, fit_intercept and ties. Got {values!r:.40}.")
    kernel, rule = values.get("kernel"), values.get("rule", "perceptron")
    if not isinstance(kernel, str | None) or not isinstance(rule, str):
        raise ValueError("A kernel and a rule are expressions such as RBF(sigma=1.0) and Margin(beta=0.1).")
    return Learner(
        kernel=None if kernel is None else parse_kernel(kernel),
        rule=parse_rule(rule),
        fit_intercept=bool(values.get("fit_intercept", False)),
        ties=values.get("ties", "mistake"),
    )


def rules_values(rules: Rules) -> dict[str, Any]:
    """Return rules as JSON's values."""
    return {"u": list(rules.u), "margin": rules.margin, "radius_squared": rules.radius_squared}


def integer_in(values: dict[str, Any], name: str, most: int, least: int = 1) -> int:
    """Return the integer of this name, which must be from `least` to `most`, from JSON's values."""
    value = values.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} must be an integer from {least} to {most}. Got {value!r:.40}.")
    return value


def _names(values: dict[str, Any], name: str) -> tuple[str, ...]:
    found = values.get(name)
    if not isinstance(found, list) or not all(isinstance(one, str) and len(one) < 100 for one in found):
        raise ValueError(f"{name} must be a list of strings of less than 100 characters. Got {found!r:.40}.")
    if len(found) > WIDEST:
        raise ValueError(f"There may be up to {WIDEST} {name}. Got {len(found)}.")
    return tuple(found)


def _result(wrong: bool) -> str:
    return "a mistake" if wrong else "correct"
