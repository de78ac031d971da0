"""The referee: holds u, γ and R, and refuses moves that break a rule."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.arena.contests import Contest, Move, margin_by
from rosenblatt.arena.rules import ROUNDING, IllegalMove, Rules


@dataclass(frozen=True)
class Referee:
    """The referee of a match, who checks every move of A.

    Parameters
    ----------
    contest
        The contest that is played.
    rules
        The rules that A must keep to; None for free play, in which A may show anything.

    Examples
    --------
    >>> from rosenblatt.arena import Classification, Point
    >>> referee = Referee(Classification(2), Rules(u=(1, 0), margin=0.5, radius_squared=1.0))
    >>> referee.checked(Point((0.9, 0.9), 1))
    Traceback (most recent call last):
        ...
    rosenblatt.arena.rules.IllegalMove: Radius: the squared norm must be at most R = 1. Got 1.62.
    """

    contest: Contest
    rules: Rules | None

    def __post_init__(self) -> None:
        if self.rules is None:
            return
        if not isinstance(self.rules, Rules):
            raise TypeError(
                f"The rules of a match are arena.Rules(u, margin, radius_squared). Got {self.rules!r:.80}."
            )
        if len(self.rules.u) != self.contest.dimensions:
            raise ValueError(
                f"u must have {self.contest.dimensions} numbers in this contest. Got {len(self.rules.u)}."
            )
        self.contest.check_rules(self.rules)

    def checked(self, move: Move) -> Move:
        """Return the move; raise `IllegalMove` if it breaks a rule."""
        move = self.contest.checked(move)
        if self.rules is None:
            return move
        size, most = self.contest.size_squared(move), self.rules.radius_squared
        if size > most * (1 + ROUNDING):
            raise IllegalMove(
                "radius", f"Radius: the squared norm must be at most R = {most:g}. Got {size:.6g}."
            )
        margin = margin_by(self.contest, self.rules.u, move)
        if margin < self.rules.margin - self.rules.slack:
            raise IllegalMove(
                "margin",
                f"Margin: u must keep the truth at least γ = {self.rules.margin:g} above its rivals. "
                f"Got {margin:.6g}.",
            )
        return move
