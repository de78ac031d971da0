"""The contest of section 1: A shows a point, B says which side it is on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.arena.contests.contest import across, farthest, in_words, orthonormal, vector
from rosenblatt.arena.rules import ROUNDING, Rules
from rosenblatt.games import Binary


class Point(NamedTuple):
    """x, and y = −1 or +1."""

    x: tuple[float, ...]
    y: int


@dataclass(frozen=True)
class Classification:
    """Points with so many features, labelled −1 or +1.

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
        """One number of u for every feature."""
        return self.features

    def game(self, ties: str) -> Binary:
        """The binary game."""
        return Binary(ties)

    def rows(self, move: Point) -> Floats:
        """X."""
        return np.array([move.x])

    def truths(self, move: Point) -> Ints:
        """0 for −1, 1 for +1."""
        return np.array([move.y > 0], np.int64)

    def size_squared(self, move: Point) -> float:
        """‖x‖²."""
        return float(np.dot(move.x, move.x))

    def correction_squared(self, radius_squared: float, constant: float) -> float:
        """A correction is ±x."""
        return radius_squared + constant**2

    def check_rules(self, rules: Rules) -> None:
        """No x is farther from the origin than √R, on either side of it."""
        if rules.margin**2 > rules.radius_squared * (1 + ROUNDING):
            raise ValueError(
                f"Under these rules A has no legal move: γ = {rules.margin:g} is more than √R = "
                f"{rules.radius_squared**0.5:g}. Take a smaller margin or a larger radius."
            )

    def checked(self, move: Any) -> Point:
        """A point of as many numbers as there are features."""
        if not isinstance(move, Point):
            raise TypeError(f"A move in this contest is a Point(x, y). Got {move!r:.80}.")
        return self.from_values([move.x, move.y])

    def random(self, rules: Rules, random: np.random.Generator) -> Point:
        """Any distance from the plane between γ and √R, and any place at that distance."""
        u, radius = np.array(rules.u), rules.radius_squared**0.5
        ahead = random.uniform(rules.margin, radius)
        y = int(random.integers(2)) * 2 - 1
        x = y * (ahead * u + across(u, random, np.sqrt(max(rules.radius_squared - ahead**2, 0.0))))
        return Point(tuple(x.tolist()), y)

    def orthogonal(self, rules: Rules, number: int, weights: Floats | None) -> Point | None:
        """√R times a vector orthogonal to all before, at the distance γ from the plane, called negative.

        Every guess scores it 0, which is a mistake, or "positive".
        """
        radius = rules.radius_squared**0.5
        guess = None if weights is None else weights[:, 0]
        axis = orthonormal(np.array(rules.u), rules.margin / radius, number, guess)
        return None if axis is None else Point(tuple((-radius * axis).tolist()), -1)

    def worst(self, rules: Rules, weights: Floats, structure: Floats) -> Point:
        """The same for either label: the one that a score of 0 is wrong about."""
        z = farthest(np.array(rules.u), weights[:, 0], rules.margin, rules.radius_squared**0.5)
        return Point(tuple((-z).tolist()), -1)

    def read(self, text: str) -> Point:
        """Numbers, and + or − at the end."""
        *numbers, sign = text.split() or [""]
        if sign not in ("+", "-", "+1", "-1", "−", "−1"):
            raise ValueError(
                f"A move is {self.features} numbers and + or -, as in '0.5 1 +'. Got {text!r:.80}."
            )
        return self.from_values([numbers, 1 if sign[0] == "+" else -1])

    def shown(self, move: Point) -> str:
        """X and the sign of y."""
        return f"{in_words(move.x)} {'+' if move.y > 0 else '−'}"

    def answer(self, number: Ints) -> int:
        """−1 or +1."""
        return 1 if number[0] else -1

    def to_values(self, move: Point) -> list[Any]:
        """[x, y]."""
        return [list(move.x), move.y]

    def from_values(self, values: Any) -> Point:
        """The same back."""
        if not (isinstance(values, list | tuple) and len(values) == 2 and values[1] in (-1, 1)):
            raise ValueError(f"A move must be [x, y] with y = -1 or 1. Got {values!r:.80}.")
        return Point(vector(values[0], self.features, "x"), int(values[1]))
