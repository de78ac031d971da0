"""Strategies of player A: random, from data, orthogonal, greedy, or a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.arena.contests import Move
from rosenblatt.arena.contests.contest import margin_of
from rosenblatt.arena.match import Match
from rosenblatt.arena.rules import Rules
from rosenblatt.rows import rows_of


class Random:
    """Legal moves, drawn at random.

    Parameters
    ----------
    seed
        Seed of the draws.
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def move(self, match: Match) -> Move:
        """Return a legal move."""
        return match.contest.random(_rules(match), self._random)


class Replay:
    """Given moves, in their order.

    Parameters
    ----------
    moves
        Points, lists or sentences, as the contest takes them.
    """

    def __init__(self, moves: Iterable[Move]) -> None:
        self._moves = iter(moves)

    def move(self, match: Match) -> Move | None:
        """Return the next move, which may be illegal; None at the end."""
        return next(self._moves, None)


@dataclass(frozen=True)
class Repeated:
    """Given moves, repeated until B is right about all of them.

    Parameters
    ----------
    moves
        The moves to show.
    """

    moves: Sequence[Move]

    def move(self, match: Match) -> Move | None:
        """Return the next move; None after a pass over all of them without a mistake."""
        size = len(self.moves)
        latest = match.rounds[-size:]
        if len(latest) == size and not any(round.wrong for round in latest):
            return None
        return self.moves[len(match.rounds) % size]


@dataclass(frozen=True)
class Orthogonal:
    """The adversary that reaches the bound: every move is orthogonal to all before it.

    B's guess is a sum of what A has shown, so it scores every new move 0, which is a mistake, and is as long
    as Lemma 2 lets it be: ‖v_k‖² = kR. Each move is just γ from the plane, so v_k comes no nearer to u than
    Lemma 1 demands: v_k·u = kγ. The two meet at k = R/γ², and no other mistake is possible. This answers
    the second exercise of the sources: what helps A is R/γ², and as many dimensions as that.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import arena
    >>> rules = arena.Rules(u=np.ones(100), margin=0.1, radius_squared=1.0)      # R/γ² = 100
    >>> match = arena.Match(arena.Classification(100), rules)
    >>> match.play(arena.Orthogonal())
    100
    >>> sum(round.wrong for round in match.rounds)
    100
    """

    def move(self, match: Match) -> Move | None:
        """Return the next orthogonal move; None when all are used."""
        primal, rules = match.run.primal, _rules(match)
        weights = None if primal is None else primal.weights[:-1]
        move = match.contest.orthogonal(rules, len(match.rounds), weights)
        most = 1e-6 * (1 + len(match.rounds)) * rules.radius_squared
        if move is not None and abs(margin_under(match, move)) > most:
            raise ValueError(
                "Orthogonal plays from the first round on, against a linear B without an intercept: what B "
                "has seen is not orthogonal to the next move."
            )
        return move


@dataclass
class Greedy:
    """The adversary that shows the move of smallest margin under B's guess.

    Against a linear learner that is known in closed form, or found among all sentences; else it is the worst
    of some legal moves drawn at random.

    Parameters
    ----------
    tries
        How many moves to draw.
    seed
        Seed of the draws.
    stop
        Whether to end when B is right about the worst move.
    """

    tries: int = 200
    seed: int = 0
    stop: bool = True
    _random: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def move(self, match: Match) -> Move | None:
        """Return the legal move with the smallest margin; None if `stop` and B is right about it."""
        rules, primal = _rules(match), match.run.primal
        worst = None
        if primal is not None and not match.run.intercept:
            worst = match.contest.worst(rules, primal.weights[:-1], primal.structure)
        if worst is None:
            drawn = [match.contest.random(rules, self._random) for _ in range(self.tries)]
            worst = min(drawn, key=lambda move: margin_under(match, move))
        return None if self.stop and margin_under(match, worst) > 0 else worst


class Person:
    """A person who types moves; an illegal one is reported and asked for again.

    Parameters
    ----------
    ask
        A function that is called with a prompt and returns a line; an empty line, or EOFError, ends the
        match.
    tell
        A function that is called with each message.
    """

    def __init__(self, ask: Callable[[str], str] = input, tell: Callable[[str], Any] = print) -> None:
        self._ask, self._tell = ask, tell

    def move(self, match: Match) -> Move | None:
        """Return the first legal move that is typed; None at an empty line or the end of the input."""
        if match.rounds:
            last = match.rounds[-1]
            self._tell(f"B answers {last.answer}: {'a mistake' if last.wrong else 'correct'}.")
        while True:
            try:
                line = self._ask(f"Round {len(match.rounds) + 1}, your move: ")
            except EOFError:
                return None
            if not line.strip():
                return None
            try:
                return match.referee.checked(match.contest.read(line))
            except ValueError as refused:  # an illegal move among them
                self._tell(str(refused))


def margin_under(match: Match, move: Move) -> float:
    """Return the margin of a move under B's guess."""
    scores: Floats = match.run.hypothesis.scores(rows_of(match.contest.rows(move)))
    return margin_of(match.contest, match.run.game, move, scores, match.run.hypothesis.structure)


def _rules(match: Match) -> Rules:
    if match.rules is None:
        raise ValueError("This strategy keeps to rules, and the match has none: make it with rules=Rules(…).")
    return match.rules
