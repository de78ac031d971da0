"""The transcript of a match: A's moves and B's answers, which determine the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rosenblatt.arena.contests import Contest, Move
from rosenblatt.arena.learners import Learner
from rosenblatt.arena.rules import Rules


class Round(NamedTuple):
    """A round of a match.

    `guess` is the index k of the guess v_k that answered; `scores` are its scores of all rows, flat; `wrong`
    is what the referee declared; `corrected` whether B then made a correction, which some rules do after
    correct answers, too.
    """

    guess: int
    move: Move
    scores: tuple[float, ...]
    answer: Any
    wrong: bool
    corrected: bool


@dataclass(frozen=True)
class Transcript:
    """A match as a value, which prints as the table of the sources."""

    contest: Contest
    rules: Rules | None
    learner: Learner
    rounds: tuple[Round, ...]

    def __str__(self) -> str:
        lines = [("i", "guess", "input", "result")]
        lines += [
            (str(i), f"v_{round.guess}", self.contest.shown(round.move), "✗" if round.wrong else "✓")
            for i, round in enumerate(self.rounds, 1)
        ]
        widths = [max(len(line[column]) for line in lines) for column in range(3)]
        return "\n".join(
            "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3]])
            for line in lines
        )
