"""What a contest is to referee, strategies and page: how a move is read, shown and measured."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.arena.rules import LARGEST, ROUNDING, Rules
from rosenblatt.games import Game
from rosenblatt.games.game import most_entries

Move = Any
"""What A shows and then reveals in one round; each contest has its own kind."""


class Contest(Protocol):
    """One of the games of the sources, as two players play it.

    A unit vector u of a contest is one line of numbers: the weights of all features, output by output for
    each of them, and then the structure weights of the game, if it has any.
    """

    @property
    def name(self) -> str:
        """What it is called in a file."""

    @property
    def features(self) -> int:
        """How many numbers a row has."""

    @property
    def dimensions(self) -> int:
        """How many numbers u has."""

    def game(self, ties: str) -> Game:
        """What the learner plays."""

    def rows(self, move: Move) -> Floats:
        """What B sees of a move (rows × features)."""

    def truths(self, move: Move) -> Ints:
        """What A reveals, as the game reads it."""

    def size_squared(self, move: Move) -> float:
        """What the rule of the radius is about: A must keep it at most R."""

    def correction_squared(self, radius_squared: float, constant: float) -> float:
        """How long, squared, Φ(truth) − Φ(answer) can be within the radius; with this constant feature."""

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules under which A has no legal move."""

    def checked(self, move: Move) -> Move:
        """The move, its numbers Python's own; what is none of this contest is refused."""

    def random(self, rules: Rules, random: np.random.Generator) -> Move:
        """A legal move."""

    def orthogonal(self, rules: Rules, number: int, weights: Floats | None) -> Move | None:
        """The legal move of this number that is orthogonal to all before it; None if there is none.

        With the weights of the guess it leans against them, so that rounding cannot make them right.
        """

    def worst(self, rules: Rules, weights: Floats, structure: Floats) -> Move | None:
        """The legal move that this guess is most wrong about; None if that is not known in closed form."""

    def read(self, text: str) -> Move:
        """A move as a person types it."""

    def shown(self, move: Move) -> str:
        """A move as a person reads it."""

    def answer(self, number: Ints) -> Any:
        """B's answer, from what the game answers to a round."""

    def to_values(self, move: Move) -> list[Any]:
        """A move as JSON's values."""

    def from_values(self, values: Any) -> Move:
        """The same back; whatever else it is gets a sentence."""


def split(contest: Contest, u: tuple[float, ...]) -> tuple[Floats, Floats]:
    """The weights (features × outputs) and the structure weights that a vector consists of."""
    outputs = contest.game("mistake").outputs
    numbers = np.asarray(u, float)
    weights = contest.features * outputs
    structure = np.zeros(len(contest.game("mistake").structure))
    structure[: len(numbers) - weights] = numbers[weights:]
    return numbers[:weights].reshape(contest.features, outputs), structure


def margin_of(contest: Contest, game: Game, move: Move, scores: Floats, structure: Floats) -> float:
    """By how much such scores keep the truth above its rivals."""
    judge = getattr(game, "guarantee", game.judge)
    truths = contest.truths(move)
    width = most_entries(game, len(scores))
    where, amount = np.empty((width, 2), np.int64), np.empty(width)
    return float(judge(scores, structure, truths, 0, 0.0, where, amount)[1])


def margin_by(contest: Contest, u: tuple[float, ...], move: Move) -> float:
    """By how much u does."""
    weights, structure = split(contest, u)
    game = contest.game("mistake")
    return margin_of(contest, game, move, contest.rows(move) @ weights, game.structure + structure)


def across(u: Floats, random: np.random.Generator, reach: float) -> Floats:
    """A vector orthogonal to u, drawn from the ball of this radius."""
    drawn = random.normal(size=len(u))
    drawn -= (drawn @ u) * u
    length = float(np.linalg.norm(drawn))
    if len(u) == 1 or length == 0:
        return np.zeros(len(u))
    return np.asarray(drawn * (reach * float(random.random()) ** (1 / (len(u) - 1)) / length))


LEAN = ROUNDING / 10
"""By how much less than rounding a move may lean against a guess."""


def orthonormal(u: Floats, cosine: float, number: int, guess: Floats | None) -> Floats | None:
    """One of the orthonormal vectors that each have this cosine to u; None if there are not so many.

    A reflection takes the vector whose first numbers are all this cosine to u; it takes the axes to them.
    """
    count = min(int((1 + 1e-9) / cosine**2), len(u))
    rest = 1 - count * cosine**2
    if count == len(u) and rest > 1e-9:  # some direction must make up for the rest of u
        count, rest = count - 1, rest + cosine**2
    if number >= count:
        return None
    target, axis = np.zeros(len(u)), np.zeros(len(u))
    target[:count], axis[number] = cosine, 1.0
    if count < len(u):
        target[count] = np.sqrt(max(rest, 0.0))
    normal = target - u
    square = float(normal @ normal)
    found = axis if square < 1e-24 else axis - (2 * normal[number] / square) * normal
    length = 0.0 if guess is None else float(np.linalg.norm(guess))
    return np.asarray(found if guess is None or length == 0 else found - guess * (LEAN / length))


def farthest(u: Floats, guess: Floats, margin: float, radius: float) -> Floats:
    """The z with u·z ≥ margin and ‖z‖ ≤ radius that has the smallest guess·z.

    It lies in the plane of u and the guess: straight against the guess where that is legal, else on the edge
    of the margin, as far from the guess as the radius lets it be.
    """
    length = float(np.linalg.norm(guess))
    if length > 0 and -(guess @ u) * radius >= margin * length:
        return -guess * (radius / length)
    rest = guess - (guess @ u) * u
    if float(np.linalg.norm(rest)) <= 1e-12 * length:
        rest = _across(u)
    aside = np.sqrt(max(radius**2 - margin**2, 0.0))
    size = float(np.linalg.norm(rest))
    return margin * u - (aside / size if size > 0 else 0.0) * rest


def _across(u: Floats) -> Floats:
    """Some vector orthogonal to u."""
    axis = np.zeros(len(u))
    axis[int(np.argmin(np.abs(u)))] = 1.0
    return axis - (axis @ u) * u


def vector(values: Any, size: int, what: str) -> tuple[float, ...]:
    """Finite numbers, as many as asked for."""
    try:
        numbers = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} must be {size} numbers. Got {values!r:.80}.") from None
    if numbers.shape != (size,) or not (np.abs(numbers) <= LARGEST).all():
        raise ValueError(
            f"{what} must be {size} finite numbers, up to {LARGEST:g}. Got {_described(numbers)}."
        )
    return tuple(numbers.tolist())


def _described(numbers: Array) -> str:
    return f"{numbers.tolist()!r:.80}" if numbers.ndim == 1 else f"an array of shape {numbers.shape}"


def in_words(numbers: tuple[float, ...]) -> str:
    """Numbers as a person reads them, the first few of many."""
    most = 4
    shown = ", ".join(f"{number:.3g}" for number in numbers[:most])
    return f"({shown}{', …' if len(numbers) > most else ''})"
