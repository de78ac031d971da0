"""A match: A shows, B answers, the referee declares, B learns."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from rosenblatt.arena.contests import Contest, Move
from rosenblatt.arena.learners import Learner, as_learner
from rosenblatt.arena.referee import Referee
from rosenblatt.arena.rules import Rules
from rosenblatt.arena.transcript import Round, Transcript
from rosenblatt.engine.learner import play
from rosenblatt.engine.run import Examples, Run
from rosenblatt.loops.book import CORRECTION
from rosenblatt.rows import rows_of

WRONG = CORRECTION.index("wrong")
FIRST = [np.zeros(1, np.int64)]


class Strategy(Protocol):
    """Player A. It sees the whole match: the rules, the rounds, and B's guess."""

    def move(self, match: Match) -> Move | None:
        """Return the next move; None if there is none."""


class Match:
    """Two players and a referee.

    Parameters
    ----------
    contest
        The contest that is played.
    rules
        The rules that A must keep to and B does not know; None for free play.
    b
        The learner: a `Learner`, or an estimator or an online learner, of which the settings are used.

    Attributes
    ----------
    rounds
        The rounds played.
    run
        B's run: its game, its guess, its book.

    Examples
    --------
    >>> from rosenblatt import arena
    >>> match = arena.Match(arena.Classification(2), arena.Rules(u=(1, 0), margin=0.5, radius_squared=1.0))
    >>> match.show(arena.Point((0.6, 0.8), 1)).wrong                # v_0 = 0 knows nothing
    True
    >>> match.show(arena.Point((-0.6, 0.8), -1)).answer             # v_1 = (0.6, 0.8) takes it for positive
    1
    >>> print(match.transcript)                                     # doctest: +NORMALIZE_WHITESPACE
    i  guess  input          result
    1  v_0    (0.6, 0.8) +   ✗
    2  v_1    (-0.6, 0.8) −  ✗
    """

    def __init__(self, contest: Contest, rules: Rules | None = None, b: Any = None) -> None:
        self.referee = Referee(contest, rules)
        self.contest = contest
        self.rules = rules
        self.learner = Learner() if b is None else as_learner(b)
        self.run: Run = self.learner.begin(contest)
        self.rounds: list[Round] = []

    def show(self, move: Move) -> Round:
        """Play one round; an illegal move raises `IllegalMove` and leaves the match as it was."""
        return self._play(self.referee.checked(move))

    def play(self, a: Strategy, rounds: int | None = None) -> int:
        """Play this many rounds of a strategy, or until it has no more moves; return the number played.

        Some strategies, such as `Random`, never run out of moves.
        """
        if rounds is not None and (not isinstance(rounds, int) or rounds < 0):
            raise ValueError(f"rounds must be an integer ≥ 0. Got {rounds!r}.")
        played = 0
        while rounds is None or played < rounds:
            move = a.move(self)
            if move is None:
                break
            self.show(move)
            played += 1
        return played

    def undo(self, rounds: int = 1) -> None:
        """Undo the last rounds: those before are replayed, which gives the same guesses."""
        if not isinstance(rounds, int) or rounds < 0:
            raise ValueError(f"rounds must be an integer ≥ 0. Got {rounds!r}.")
        kept = [round.move for round in self.rounds[: max(0, len(self.rounds) - rounds)]]
        self.run, self.rounds = self.learner.begin(self.contest), []
        for move in kept:
            self._play(move)

    @property
    def transcript(self) -> Transcript:
        """The transcript of the rounds so far."""
        return Transcript(self.contest, self.rules, self.learner, tuple(self.rounds))

    @property
    def examples(self) -> Examples:
        """All moves as one set of examples."""
        moves = [round.move for round in self.rounds]
        rows = [self.contest.rows(move) for move in moves]
        truths = [self.contest.truths(move) for move in moves]
        return Examples(
            rows_of(np.vstack([np.empty((0, self.contest.features)), *rows])),
            np.concatenate([np.empty(0, np.int64), *truths]),
            np.cumsum([0, *(len(some) for some in rows)]),
        )

    def _play(self, move: Move) -> Round:
        run, before = self.run, self.run.book.total
        rows, truths = self.contest.rows(move), self.contest.truths(move)
        examples = Examples(run.number(rows), truths, np.array([0, len(rows)]))
        scores = run.hypothesis.scores(examples.rows)
        answer = run.game.answer(scores, run.hypothesis.structure[None], examples.starts)
        try:
            play(run, examples, FIRST)
        except BaseException:
            self.undo(0)
            raise
        corrected = run.book.total > before
        wrong = corrected and bool(run.book.corrections[before, WRONG])
        round = Round(
            before, move, tuple(scores.ravel().tolist()), self.contest.answer(answer), wrong, corrected
        )
        self.rounds.append(round)
        return round
