"""The matches of a page, by id, and the requests about them."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any

from rosenblatt._types import Array
from rosenblatt.arena.contests import Classification, Contest, Point, Ranking, Sequences, little_language
from rosenblatt.arena.contests.ranking import LONGEST as LONGEST_LIST
from rosenblatt.arena.learners import Learner
from rosenblatt.arena.match import Match, Strategy
from rosenblatt.arena.records import (
    from_json,
    integer_in,
    read_contest,
    read_learner,
    read_rules,
    to_json,
)
from rosenblatt.arena.rules import Rules
from rosenblatt.arena.server import payloads
from rosenblatt.arena.server.toy_data import toy_data
from rosenblatt.arena.strategies import Greedy, Orthogonal, Random, Repeated
from rosenblatt.engine.predictors import FROM_LEDGER

MATCHES, ROUNDS, WIDEST, NUMBERS = 8, 20_000, 400, 1_000_000
"""Limits: matches kept, rounds of a match, features, and numbers in all the moves of a match."""

SECONDS = 10.0
"""The time after which a strategy stops for now."""

LONGEST_KERNEL = 200
"""Characters of a kernel's expression at most; a heat map evaluates it at 40,000 points."""

Values = dict[str, Any]


@dataclass
class Session:
    """A match, and the strategies that can play A in it."""

    match: Match
    points: list[Point] = field(default_factory=list)
    random: Random = field(default_factory=Random)
    greedy: Greedy = field(default_factory=Greedy)

    def strategy(self, name: Any) -> Strategy:
        """Return the strategy of this name."""
        if name == "data" and self.points:
            return Repeated(self.points)
        known: dict[Any, Strategy] = {
            "random": self.random,
            "greedy": self.greedy,
            "orthogonal": Orthogonal(),
        }
        if not isinstance(name, str) or name not in known:
            raise ValueError(
                f"Player A is random, greedy, orthogonal, or data where toy data is loaded. Got {name!r:.40}."
            )
        return known[name]


class Sessions:
    """The sessions of a page, at most MATCHES of them: a new one replaces the least recently used."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()
        self._verbs: dict[str, Callable[[Values], Any]] = {
            "new": self._new,
            "load": self._load,
            "show": self._show,
            "play": self._play,
            "undo": self._undo,
            "learner": self._learner,
            "record": self._record,
            "why": self._why,
            "support": self._support,
            "lattice": self._lattice,
            "surface": self._surface,
        }

    def ask(self, verb: str, values: Any) -> Any:
        """Answer a request: with JSON's values, or with an array for a surface. One at a time."""
        if verb not in self._verbs:
            raise ValueError(f"A request is one of {', '.join(self._verbs)}. Got {verb!r:.40}.")
        if not isinstance(values, dict):
            raise ValueError("A request must be an object with names.")
        with self._lock:
            return self._verbs[verb](values)

    def _new(self, values: Values) -> Values:
        contest, rules = _game(values)
        points = [] if values.get("scene") is None else _toy_data(contest, values["scene"])
        return self._add(Session(Match(contest, rules, _player(values.get("learner"))), points))

    def _load(self, values: Values) -> Values:
        record = values.get("record")
        if not isinstance(record, str):
            raise ValueError("A record to load must be a string.")
        match = from_json(record, _allow)
        return self._add(Session(match, _points(match)))

    def _add(self, session: Session) -> Values:
        name = secrets.token_hex(8)
        self._sessions[name] = session
        while len(self._sessions) > MATCHES:
            self._sessions.popitem(last=False)
        return self._payload(name)

    def _session(self, values: Values) -> tuple[str, Session]:
        name = values.get("id")
        if not isinstance(name, str) or name not in self._sessions:
            raise ValueError("This match is no longer here: start a new one, or load its record.")
        self._sessions.move_to_end(name)
        return name, self._sessions[name]

    def _payload(self, name: str) -> Values:
        session = self._sessions[name]
        scene = [list(point) for point in session.points]
        return {"id": name, "scene": scene} | payloads.of_match(session.match)

    def _show(self, values: Values) -> Values:
        name, session = self._session(values)
        if len(session.match.rounds) >= _most(session.match.contest):
            raise ValueError(
                f"This match may have at most {_most(session.match.contest):,} rounds here: start a new one."
            )
        session.match.show(session.match.contest.from_values(values.get("move")))
        return self._payload(name)

    def _play(self, values: Values) -> Values:
        name, session = self._session(values)
        rounds = integer_in(values, "rounds", ROUNDS, 1)
        rounds = min(rounds, max(0, _most(session.match.contest) - len(session.match.rounds)))
        strategy, end, played = session.strategy(values.get("strategy")), monotonic() + SECONDS, 0
        while played < rounds and monotonic() < end and session.match.play(strategy, 1):
            played += 1
        return self._payload(name) | {"played": played}

    def _undo(self, values: Values) -> Values:
        name, session = self._session(values)
        session.match.undo(integer_in(values, "rounds", ROUNDS))
        return self._payload(name)

    def _learner(self, values: Values) -> Values:
        """Replay the moves of a match against another learner."""
        name, session = self._session(values)
        fresh = Match(session.match.contest, session.match.rules, _player(values.get("learner")))
        end = monotonic() + SECONDS
        for round in session.match.rounds:
            fresh.show(round.move)
            if monotonic() > end:
                raise ValueError(
                    "This learner takes too long to see all the moves: choose another, or start a new match."
                )
        session.match = fresh
        return self._payload(name)

    def _record(self, values: Values) -> Values:
        _, session = self._session(values)
        return {"record": to_json(session.match.transcript)}

    def _why(self, values: Values) -> Values:
        _, session = self._session(values)
        point = Classification(2).from_values([values.get("x"), 1])
        _check_plane(session.match)
        return payloads.why(session.match, _at(values, session), _predictor(values), list(point.x))

    def _support(self, values: Values) -> Values:
        _, session = self._session(values)
        _check_plane(session.match)
        return {"support": payloads.support(session.match, _at(values, session), _predictor(values))}

    def _lattice(self, values: Values) -> Values:
        _, session = self._session(values)
        if not isinstance(session.match.contest, Sequences) or not session.match.rounds:
            raise ValueError("A lattice belongs to a round of the contest of sentences.")
        return payloads.lattice(session.match, integer_in(values, "round", len(session.match.rounds) - 1, 0))

    def _surface(self, values: Values) -> Array:
        _, session = self._session(values)
        _check_plane(session.match)
        reach = values.get("reach", 1.0)
        if not isinstance(reach, int | float) or not 0 < reach <= 1e6:
            raise ValueError(f"reach must be a number above 0. Got {reach!r:.40}.")
        side = integer_in(values, "side", 200, 8)
        return payloads.surface(session.match, _at(values, session), _predictor(values), float(reach), side)


def _game(values: Values) -> tuple[Contest, Rules | None]:
    """Return the contest and the rules of a request; those of `little_language` if it names no words."""
    asked = values.get("contest")
    if asked == {"name": "sequence"}:
        return little_language()
    contest = read_contest(asked)
    _allow(contest, Learner(), 0)
    return contest, None if values.get("rules") is None else read_rules(values["rules"])


def _allow(contest: Contest, learner: Learner, rounds: int) -> None:
    """Raise ValueError for a match or a learner that would take too much time or memory."""
    if contest.features > WIDEST or rounds > _most(contest):
        raise ValueError(
            f"The page takes matches of up to {ROUNDS:,} rounds, {WIDEST} dimensions and {NUMBERS:,} numbers."
        )
    if learner.kernel is not None:
        _short(repr(learner.kernel))


def _toy_data(contest: Contest, name: Any) -> list[Point]:
    if not isinstance(name, str) or contest != Classification(2):
        raise ValueError(f"Toy data has a name, and points with 2 features. Got {name!r:.40}.")
    return toy_data(name)


def _player(values: Any) -> Learner:
    if values is None:
        return Learner()
    if isinstance(values, dict) and isinstance(values.get("kernel"), str):
        _short(values["kernel"])
    return read_learner(values)


def _short(kernel: str) -> None:
    if len(kernel) > LONGEST_KERNEL:
        raise ValueError(f"A kernel on the page has at most {LONGEST_KERNEL} characters. Got {len(kernel)}.")


def _points(match: Match) -> list[Point]:
    """Return the distinct points of a match without rules."""
    if match.rules is not None or not isinstance(match.contest, Classification):
        return []
    return list(dict.fromkeys(round.move for round in match.rounds))


def _most(contest: Contest) -> int:
    """Return the rounds that a match may have: the fewer, the more numbers a move may have."""
    rows = LONGEST_LIST if isinstance(contest, Ranking) else 1
    return min(ROUNDS, NUMBERS // (rows * contest.features))


def _check_plane(match: Match) -> None:
    if not isinstance(match.contest, Classification) or match.contest.features != 2:
        raise ValueError("Only points with 2 features lie in the plane.")


def _at(values: Values, session: Session) -> int:
    return integer_in(values, "at", len(session.match.rounds), 0)


def _predictor(values: Values) -> str:
    name = values.get("predictor")
    if not isinstance(name, str) or name not in FROM_LEDGER:
        raise ValueError(f"A predictor is one of {', '.join(FROM_LEDGER)}. Got {name!r:.40}.")
    return name
