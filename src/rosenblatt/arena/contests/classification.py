"""The contest of section 1: A shows a point, B classifies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.arena.contests.contest import across, farthest, orthonormal, shortened, vector
from rosenblatt.arena.rules import ROUNDING, Rules
from rosenblatt.games import Binary


class Point(NamedTuple):
    """A point x with its label y, −1 or +1."""

    x: tuple[float, ...]
    y: int


@dataclass(frozen=True)
class Classification:
    """Points with a given number of features, labelled −1 or +1.

    Examples
    --------
    >>> contest = Classification(2)
    >>> contest.read("0.5 -1 +")
    Point(x=(0.5, -1.0), y=1)
    """

    features: int = 2
    name = "classification"

    @property
    def dimensions(self) -> int:
        """The number of components of u: one per feature."""
        return self.features

    def game(self, ties: str) -> Binary:
        """Return the binary game."""
        return Binary(ties)

    def rows(self, move: Point) -> Floats:
        """Return x as a matrix of one row."""
        return np.array([move.x])

    def truths(self, move: Point) -> Ints:
        """Return 0 for −1, 1 for +1."""
        return np.array([move.y > 0], np.int64)

    def size_squared(self, move: Point) -> float:
        """Return ‖x‖²."""
        return float(np.dot(move.x, move.x))

    def correction_squared(self, radius_squared: float, constant: float) -> float:
        """Return R + constant²: a correction is ±x."""
        return radius_squared + constant**2

    def check_rules(self, rules: Rules) -> None:
        """Raise ValueError if γ > √R: no x within the radius has such a margin."""
        if rules.margin**2 > rules.radius_squared * (1 + ROUNDING):
            raise ValueError(
                f"Under these rules A has no legal move: γ = {rules.margin:g} is more than √R = "
                f"{rules.radius_squared**0.5:g}. Take a smaller margin or a larger radius."
            )

    def checked(self, move: Any) -> Point:
        """Return the move, a point with the contest's number of features."""
        if not isinstance(move, Point):
            raise TypeError(f"A move in this contest is a Point(x, y). Got {move!r:.80}.")
        return self.from_values([move.x, move.y])

    def random(self, rules: Rules, random: np.random.Generator) -> Point:
        """Return a legal point: its distance from the plane, from γ to √R, then its position are drawn."""
        u, radius = np.array(rules.u), rules.radius_squared**0.5
        ahead = random.uniform(rules.margin, radius)
        y = int(random.integers(2)) * 2 - 1
        x = y * (ahead * u + across(u, random, np.sqrt(max(rules.radius_squared - ahead**2, 0.0))))
        return Point(tuple(x.tolist()), y)

    def orthogonal(self, rules: Rules, number: int, weights: Floats | None) -> Point | None:
        """Return √R times a vector orthogonal to all before, at distance γ from the plane, labelled −1.

        Every guess scores it 0, which is a mistake, or the answer +1 with ties="positive".
        """
        radius = rules.radius_squared**0.5
        guess = None if weights is None else weights[:, 0]
        axis = orthonormal(np.array(rules.u), rules.margin / radius, number, guess)
        return None if axis is None else Point(tuple((-radius * axis).tolist()), -1)

    def worst(self, rules: Rules, weights: Floats, structure: Floats) -> Point:
        """Return the legal point of smallest margin, labelled −1: so a score of 0 is always a mistake."""
        z = farthest(np.array(rules.u), weights[:, 0], rules.margin, rules.radius_squared**0.5)
        return Point(tuple((-z).tolist()), -1)

    def read(self, text: str) -> Point:
        """Read a point: its features, and + or − at the end."""
        *numbers, sign = text.split() or [""]
        if sign not in ("+", "-", "+1", "-1", "−", "−1"):
            raise ValueError(
                f"A move is {self.features} numbers and + or -, as in '0.5 1 +'. Got {text!r:.80}."
            )
        return self.from_values([numbers, 1 if sign[0] == "+" else -1])

    def shown(self, move: Point) -> str:
        """Return x and the sign of y, as text."""
        return f"{shortened(move.x)} {'+' if move.y > 0 else '−'}"

    def answer(self, number: Ints) -> int:
        """Return −1 or +1."""
        return 1 if number[0] else -1

    def to_values(self, move: Point) -> list[Any]:
        """Return [x, y]."""
        return [list(move.x), move.y]

    def from_values(self, values: Any) -> Point:
        """Return the point of [x, y]."""
        if not (isinstance(values, list | tuple) and len(values) == 2 and values[1] in (-1, 1)):
            raise ValueError(f"A move must be [x, y] with y = -1 or 1. Got {values!r:.80}.")
        return Point(vector(values[0], self.features, "x"), int(values[1]))
