"""The contest of section 3: A shows a list, B picks the best candidate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.arena.contests.contest import across, farthest, orthonormal, shortened, vector
from rosenblatt.arena.rules import ROUNDING, Rules
from rosenblatt.games import Ranking as Game

LONGEST = 100
"""Candidates in a list at most."""


class Choice(NamedTuple):
    """Candidates, and the index of the best one."""

    candidates: tuple[tuple[float, ...], ...]
    best: int


@dataclass(frozen=True)
class Ranking:
    """Lists of points with a given number of features, one of which is the best.

    Parameters
    ----------
    features
        Features of a candidate.
    length
        Candidates in a list that a strategy draws.

    Examples
    --------
    >>> Ranking(2).read("1 0; 0 1; -1 0 > 2")
    Choice(candidates=((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)), best=1)
    """

    features: int = 2
    length: int = 4
    name = "ranking"

    @property
    def dimensions(self) -> int:
        """The number of components of u: one per feature."""
        return self.features

    def game(self, ties: str) -> Game:
        """Return the ranking game, in which a tie for the top is a mistake."""
        return Game("best")

    def rows(self, move: Choice) -> Floats:
        """Return the candidates as rows."""
        return np.array(move.candidates)

    def truths(self, move: Choice) -> Ints:
        """Return 1 for the best, 0 for the others."""
        return np.asarray(np.arange(len(move.candidates)) == move.best, np.int64)

    def size_squared(self, move: Choice) -> float:
        """Return the largest ‖x‖² of the list."""
        return float((self.rows(move) ** 2).sum(axis=1).max())

    def correction_squared(self, radius_squared: float, constant: float) -> float:
        """Return 4R: a correction is a difference of two rows, ‖x − z‖² ≤ (√R + √R)², reached by z = −x.

        The source has 2R, from ‖x + z‖² ≤ ‖x‖² + ‖z‖², which does not hold where the two point the same way.
        """
        return 4 * radius_squared

    def check_rules(self, rules: Rules) -> None:
        """Raise ValueError if γ > 2√R: no two candidates are farther apart than 2√R."""
        if rules.margin**2 > 4 * rules.radius_squared * (1 + ROUNDING):
            raise ValueError(
                f"Under these rules A has no legal move: γ = {rules.margin:g} is more than 2√R = "
                f"{2 * rules.radius_squared**0.5:g}. Take a smaller margin or a larger radius."
            )

    def checked(self, move: Any) -> Choice:
        """Return the move, at least two points and the index of one."""
        if not isinstance(move, Choice):
            raise TypeError(f"A move in this contest is a Choice(candidates, best). Got {move!r:.80}.")
        return self.from_values([list(move.candidates), move.best])

    def random(self, rules: Rules, random: np.random.Generator) -> Choice:
        """Return a legal list: a best candidate, and others at least γ below it."""
        u, radius = np.array(rules.u), rules.radius_squared**0.5
        top = random.uniform(rules.margin - radius, radius)
        heights = [top, *random.uniform(-radius, top - rules.margin, self.length - 1)]
        rows = [
            height * u + across(u, random, np.sqrt(max(rules.radius_squared - height**2, 0.0)))
            for height in heights
        ]
        order = random.permutation(self.length)
        return Choice(tuple(tuple(rows[i].tolist()) for i in order), int(np.argmin(order)))

    def orthogonal(self, rules: Rules, number: int, weights: Floats | None) -> Choice | None:
        """Return a vector orthogonal to all before and its opposite: this forces all 4R/γ² mistakes."""
        radius = rules.radius_squared**0.5
        guess = None if weights is None else weights[:, 0]
        axis = orthonormal(np.array(rules.u), rules.margin / (2 * radius), number, guess)
        return None if axis is None else _against(2 * radius * axis)

    def worst(self, rules: Rules, weights: Floats, structure: Floats) -> Choice:
        """Return the legal pair of candidates of smallest margin under the guess."""
        radius = 2 * rules.radius_squared**0.5
        return _against(farthest(np.array(rules.u), weights[:, 0], rules.margin, radius))

    def read(self, text: str) -> Choice:
        """Read candidates with ; between them, and after > the number of the best, from 1."""
        candidates, sign, best = text.partition(">")
        if not sign or not best.strip().isdecimal():
            raise ValueError(f"A move is a list and its best, as in '1 0; 0 1 > 2'. Got {text!r:.80}.")
        return self.from_values([[part.split() for part in candidates.split(";")], int(best) - 1])

    def shown(self, move: Choice) -> str:
        """Return the list as text, the best in brackets."""
        names = [shortened(x) for x in move.candidates[:6]]
        shown = [f"[{name}]" if i == move.best else name for i, name in enumerate(names)]
        return " ".join(shown) + (f" … best: {move.best + 1}" if len(move.candidates) > 6 else "")

    def answer(self, number: Ints) -> int:
        """Return the index of B's choice."""
        return int(number[0])

    def to_values(self, move: Choice) -> list[Any]:
        """Return [candidates, best]."""
        return [[list(x) for x in move.candidates], move.best]

    def from_values(self, values: Any) -> Choice:
        """Return the move of [candidates, best]."""
        if not (
            isinstance(values, list | tuple) and len(values) == 2 and isinstance(values[0], list | tuple)
        ):
            raise ValueError(f"A move must be [candidates, best]. Got {values!r:.80}.")
        candidates, best = values
        if not 2 <= len(candidates) <= LONGEST:
            raise ValueError(f"A list has 2 to {LONGEST} candidates. Got {len(candidates)}.")
        if (
            isinstance(best, bool)
            or not isinstance(best, int | np.integer)
            or not 0 <= best < len(candidates)
        ):
            raise ValueError(f"best must be an index from 0 to {len(candidates) - 1}. Got {best!r}.")
        return Choice(tuple(vector(x, self.features, "A candidate") for x in candidates), int(best))


def _against(difference: Floats) -> Choice:
    """Return two opposite candidates with this difference; the second is the best."""
    half = difference / 2
    return Choice((tuple((-half).tolist()), tuple(half.tolist())), 1)
