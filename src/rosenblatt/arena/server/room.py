"""Matches that the page plays, by number, and what may be asked of them."""

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
    read_contest,
    read_learner,
    read_rules,
    to_json,
    whole_number,
)
from rosenblatt.arena.rules import Rules
from rosenblatt.arena.server import sights
from rosenblatt.arena.server.scenes import scene
from rosenblatt.arena.strategies import Greedy, Orthogonal, Random, Repeated
from rosenblatt.engine.predictors import FROM_LEDGER

MATCHES, ROUNDS, WIDEST, NUMBERS = 8, 20_000, 400, 1_000_000
"""Matches in a room, rounds of one, dimensions, and numbers in all the moves of a match, at most."""

SECONDS = 10.0
"""After so long a strategy stops for now."""

LONGEST_KERNEL = 200
"""Letters of a kernel on the page, which is asked about 40,000 points at once."""

Values = dict[str, Any]


@dataclass
class Table:
    """A match, and who plays A at it."""

    match: Match
    points: list[Point] = field(default_factory=list)
    random: Random = field(default_factory=Random)
    greedy: Greedy = field(default_factory=Greedy)

    def strategy(self, name: Any) -> Strategy:
        """Player A by name."""
        if name == "data" and self.points:
            return Repeated(self.points)
        known: dict[Any, Strategy] = {
            "random": self.random,
            "greedy": self.greedy,
            "orthogonal": Orthogonal(),
        }
        if not isinstance(name, str) or name not in known:
            raise ValueError(
                f"Player A is random, greedy, orthogonal, or data where a scene is loaded. Got {name!r:.40}."
            )
        return known[name]


class Room:
    """Some matches; where there is no room for another, the one that was asked about the longest ago goes."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, Table] = OrderedDict()
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
        """One request at a time: values for most verbs, an array for a surface."""
        if verb not in self._verbs:
            raise ValueError(f"A request is one of {', '.join(self._verbs)}. Got {verb!r:.40}.")
        if not isinstance(values, dict):
            raise ValueError("A request must be an object with names.")
        with self._lock:
            return self._verbs[verb](values)

    def _new(self, values: Values) -> Values:
        contest, rules = _game(values)
        points = [] if values.get("scene") is None else _scene(contest, values["scene"])
        return self._seat(Table(Match(contest, rules, _player(values.get("learner"))), points))

    def _load(self, values: Values) -> Values:
        record = values.get("record")
        if not isinstance(record, str):
            raise ValueError("A record to load must be a text.")
        match = from_json(record, _allow)
        return self._seat(Table(match, _points(match)))

    def _seat(self, table: Table) -> Values:
        name = secrets.token_hex(8)
        self._tables[name] = table
        while len(self._tables) > MATCHES:
            self._tables.popitem(last=False)
        return self._told(name)

    def _table(self, values: Values) -> tuple[str, Table]:
        name = values.get("id")
        if not isinstance(name, str) or name not in self._tables:
            raise ValueError("This match is no longer here: begin a new one, or load its record.")
        self._tables.move_to_end(name)
        return name, self._tables[name]

    def _told(self, name: str) -> Values:
        table = self._tables[name]
        return {"id": name, "scene": [list(point) for point in table.points]} | sights.whole(table.match)

    def _show(self, values: Values) -> Values:
        name, table = self._table(values)
        if len(table.match.rounds) >= _most(table.match.contest):
            raise ValueError(
                f"This match may have at most {_most(table.match.contest):,} rounds here: begin a new one."
            )
        table.match.show(table.match.contest.from_values(values.get("move")))
        return self._told(name)

    def _play(self, values: Values) -> Values:
        name, table = self._table(values)
        rounds = whole_number(values, "rounds", ROUNDS, 1)
        rounds = min(rounds, max(0, _most(table.match.contest) - len(table.match.rounds)))
        strategy, end, played = table.strategy(values.get("strategy")), monotonic() + SECONDS, 0
        while played < rounds and monotonic() < end and table.match.play(strategy, 1):
            played += 1
        return self._told(name) | {"played": played}

    def _undo(self, values: Values) -> Values:
        name, table = self._table(values)
        table.match.undo(whole_number(values, "rounds", ROUNDS))
        return self._told(name)

    def _learner(self, values: Values) -> Values:
        """The same moves, shown to another B."""
        name, table = self._table(values)
        fresh = Match(table.match.contest, table.match.rules, _player(values.get("learner")))
        end = monotonic() + SECONDS
        for round in table.match.rounds:
            fresh.show(round.move)
            if monotonic() > end:
                raise ValueError(
                    "This B takes too long to see all the moves: take another one, or begin anew."
                )
        table.match = fresh
        return self._told(name)

    def _record(self, values: Values) -> Values:
        _, table = self._table(values)
        return {"record": to_json(table.match.transcript)}

    def _why(self, values: Values) -> Values:
        _, table = self._table(values)
        point = Classification(2).from_values([values.get("x"), 1])
        _check_plane(table.match)
        return sights.why(table.match, _at(values, table), _predictor(values), list(point.x))

    def _support(self, values: Values) -> Values:
        _, table = self._table(values)
        _check_plane(table.match)
        return {"support": sights.support(table.match, _at(values, table), _predictor(values))}

    def _lattice(self, values: Values) -> Values:
        _, table = self._table(values)
        if not isinstance(table.match.contest, Sequences) or not table.match.rounds:
            raise ValueError("A lattice belongs to a round of the contest of sentences.")
        return sights.lattice(table.match, whole_number(values, "round", len(table.match.rounds) - 1, 0))

    def _surface(self, values: Values) -> Array:
        _, table = self._table(values)
        _check_plane(table.match)
        reach = values.get("reach", 1.0)
        if not isinstance(reach, int | float) or not 0 < reach <= 1e6:
            raise ValueError(f"reach must be a number above 0. Got {reach!r:.40}.")
        side = whole_number(values, "side", 200, 8)
        return sights.surface(table.match, _at(values, table), _predictor(values), float(reach), side)


def _game(values: Values) -> tuple[Contest, Rules | None]:
    """The contest and the rules that a page asks for; a little language where it names no words."""
    asked = values.get("contest")
    if asked == {"name": "sequence"}:
        return little_language()
    contest = read_contest(asked)
    _allow(contest, Learner(), 0)
    return contest, None if values.get("rules") is None else read_rules(values["rules"])


def _allow(contest: Contest, learner: Learner, rounds: int) -> None:
    """Refuse what would take a page too long, or too much room."""
    if contest.features > WIDEST or rounds > _most(contest):
        raise ValueError(
            f"The page takes matches of up to {ROUNDS:,} rounds, {WIDEST} dimensions and {NUMBERS:,} numbers."
        )
    if learner.kernel is not None:
        _short(repr(learner.kernel))


def _scene(contest: Contest, name: Any) -> list[Point]:
    if not isinstance(name, str) or contest != Classification(2):
        raise ValueError(f"A scene is named, and of points with 2 features. Got {name!r:.40}.")
    return scene(name)


def _player(values: Any) -> Learner:
    if values is None:
        return Learner()
    if isinstance(values, dict) and isinstance(values.get("kernel"), str):
        _short(values["kernel"])
    return read_learner(values)


def _short(kernel: str) -> None:
    if len(kernel) > LONGEST_KERNEL:
        raise ValueError(f"A kernel on the page has at most {LONGEST_KERNEL} letters. Got {len(kernel)}.")


def _points(match: Match) -> list[Point]:
    """The points that a match without rules went through, each once."""
    if match.rules is not None or not isinstance(match.contest, Classification):
        return []
    return list(dict.fromkeys(round.move for round in match.rounds))


def _most(contest: Contest) -> int:
    """Rounds that a match may have: the fewer, the more numbers a move may have."""
    rows = LONGEST_LIST if isinstance(contest, Ranking) else 1
    return min(ROUNDS, NUMBERS // (rows * contest.features))


def _check_plane(match: Match) -> None:
    if not isinstance(match.contest, Classification) or match.contest.features != 2:
        raise ValueError("Only points with 2 features lie in the plane.")


def _at(values: Values, table: Table) -> int:
    return whole_number(values, "at", len(table.match.rounds), 0)


def _predictor(values: Values) -> str:
    name = values.get("predictor")
    if not isinstance(name, str) or name not in FROM_LEDGER:
        raise ValueError(f"A predictor is one of {', '.join(FROM_LEDGER)}. Got {name!r:.40}.")
    return name
