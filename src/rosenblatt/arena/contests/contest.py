"""The interface of a contest: how moves are read, shown, measured and drawn at random."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.arena.rules import LARGEST, ROUNDING, Rules
from rosenblatt.games import Game

Move = Any
"""What A shows and then reveals in one round; each contest has its own type."""


class Contest(Protocol):
    """One of the games of the sources, as two players play it.

    A unit vector u of a contest is flat: the weights (features × outputs, row by row), then the structure
    weights of the game, if it has any.
    """

    @property
    def name(self) -> str:
        """The name of the contest in a record."""

    @property
    def features(self) -> int:
        """The number of features of a row."""

    @property
    def dimensions(self) -> int:
        """The number of components of u."""

    def game(self, ties: str) -> Game:
        """Return the game that the learner plays."""

    def rows(self, move: Move) -> Floats:
        """Return the rows of a move, which B sees (rows × features)."""

    def truths(self, move: Move) -> Ints:
        """Return the truths of a move, as the game reads them."""

    def size_squared(self, move: Move) -> float:
        """Return the squared norm that the radius rule bounds by R."""

    def correction_squared(self, radius_squared: float, constant: float) -> float:
        """Return a bound on ‖Φ(truth) − Φ(answer)‖² within the radius, with this constant feature."""

    def check_rules(self, rules: Rules) -> None:
        """Raise ValueError if A has no legal move under these rules."""

    def checked(self, move: Move) -> Move:
        """Return the move with Python's own numbers; raise if it is not a move of this contest."""

    def random(self, rules: Rules, random: np.random.Generator) -> Move:
        """Return a legal move, drawn at random."""

    def orthogonal(self, rules: Rules, number: int, weights: Floats | None) -> Move | None:
        """Return legal move `number`, from 0, orthogonal to all before it; None if there is none.

        Given the weights of the guess, it is tilted slightly against them: rounding cannot make them right.
        """

    def worst(self, rules: Rules, weights: Floats, structure: Floats) -> Move | None:
        """Return the legal move of smallest margin under this guess; None if there is no closed form."""

    def read(self, text: str) -> Move:
        """Read a move that a person typed."""

    def shown(self, move: Move) -> str:
        """Return a move as text for a person."""

    def answer(self, number: Ints) -> Any:
        """Return B's answer, given what the game answers in a round."""

    def to_values(self, move: Move) -> list[Any]:
        """Return a move as JSON's values."""

    def from_values(self, values: Any) -> Move:
        """Return the move of these values; raise ValueError if there is none."""


def split(contest: Contest, u: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return the weights (features × outputs) and the structure weights of u."""
    outputs = contest.game("mistake").outputs
    numbers = np.asarray(u, float)
    weights = contest.features * outputs
    structure = np.zeros(len(contest.game("mistake").structure))
    structure[: len(numbers) - weights] = numbers[weights:]
    return numbers[:weights].reshape(contest.features, outputs), structure


def margin_of(contest: Contest, game: Game, move: Move, scores: Floats, structure: Floats) -> float:
    """Return the margin of a move under these scores: the truth's above its rivals'."""
    judge = getattr(game, "guarantee", game.judge)
    truths = contest.truths(move)
    width = game.most_entries(len(scores))
    where, amount = np.empty((width, 2), np.int64), np.empty(width)
    return float(judge(scores, structure, truths, 0, 0.0, where, amount)[1])


def margin_by(contest: Contest, u: tuple[float, ...], move: Move) -> float:
    """Return the margin of a move under u."""
    weights, structure = split(contest, u)
    game = contest.game("mistake")
    return margin_of(contest, game, move, contest.rows(move) @ weights, game.structure + structure)


def across(u: Floats, random: np.random.Generator, radius: float) -> Floats:
    """Return a vector orthogonal to u, drawn from the ball of this radius."""
    drawn = random.normal(size=len(u))
    drawn -= (drawn @ u) * u
    length = float(np.linalg.norm(drawn))
    if len(u) == 1 or length == 0:
        return np.zeros(len(u))
    return np.asarray(drawn * (radius * float(random.random()) ** (1 / (len(u) - 1)) / length))


TILT = ROUNDING / 10
"""The tilt of an orthogonal move against a guess: less than a move may miss a rule by."""


def orthonormal(u: Floats, cosine: float, index: int, guess: Floats | None) -> Floats | None:
    """Return one of the orthonormal vectors that each have this cosine to u; None if there are fewer.

    A reflection maps the vector whose first components are all this cosine to u, and the axes to the result.
    """
    count = min(int((1 + 1e-9) / cosine**2), len(u))
    rest = 1 - count * cosine**2
    if count == len(u) and rest > 1e-9:  # some direction must make up for the rest of u
        count, rest = count - 1, rest + cosine**2
    if index >= count:
        return None
    target, axis = np.zeros(len(u)), np.zeros(len(u))
    target[:count], axis[index] = cosine, 1.0
    if count < len(u):
        target[count] = np.sqrt(max(rest, 0.0))
    normal = target - u
    square = float(normal @ normal)
    found = axis if square < 1e-24 else axis - (2 * normal[index] / square) * normal
    length = 0.0 if guess is None else float(np.linalg.norm(guess))
    return np.asarray(found if guess is None or length == 0 else found - guess * (TILT / length))


def farthest(u: Floats, guess: Floats, margin: float, radius: float) -> Floats:
    """Return the z with u·z ≥ margin and ‖z‖ ≤ radius that has the smallest guess·z.

    It lies in the plane of u and the guess: opposite to the guess where that is legal, else at u·z = margin,
    as far from the guess as the radius allows.
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
    """Return a vector orthogonal to u."""
    axis = np.zeros(len(u))
    axis[int(np.argmin(np.abs(u)))] = 1.0
    return axis - (axis @ u) * u


def vector(values: Any, size: int, what: str) -> tuple[float, ...]:
    """Return the values as `size` finite numbers."""
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


def shortened(numbers: tuple[float, ...]) -> str:
    """Return the numbers to three digits, the first four of many."""
    most = 4
    shown = ", ".join(f"{number:.3g}" for number in numbers[:most])
    return f"({shown}{', …' if len(numbers) > most else ''})"
