"""Toy data in the plane that no line separates, to be learned with a kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.arena.contests import Point


def toy_data(name: str) -> list[Point]:
    """Return the points of a toy data set in the order they are shown, all about within [−1, 1]².

    >>> toy_data("xor")[0]
    Point(x=(-0.7, -0.7), y=-1)
    """
    if name not in TOY_DATA:
        raise ValueError(f"Toy data is one of {', '.join(TOY_DATA)}. Got {name!r:.40}.")
    return TOY_DATA[name]()


def _xor() -> list[Point]:
    return [Point((x, z), -1 if x * z > 0 else 1) for x in (-0.7, 0.7) for z in (-0.7, 0.7)]


def _circles() -> list[Point]:
    random = np.random.default_rng(1)
    radius = np.where(np.arange(80) % 2, 0.85, 0.35) + random.normal(0, 0.05, 80)
    angle = random.uniform(0, 2 * np.pi, 80)
    return _points(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))


def _spirals() -> list[Point]:
    turn = np.repeat(np.linspace(0.15, 1, 60), 2)
    angle = 3.5 * np.pi * turn + np.pi * (np.arange(120) % 2)
    both = np.stack([0.95 * turn * np.cos(angle), 0.95 * turn * np.sin(angle)], axis=1)
    return [_points(both)[i] for i in np.random.default_rng(2).permutation(120).tolist()]


def _checkerboard() -> list[Point]:
    rows = np.random.default_rng(3).uniform(-0.95, 0.95, (160, 2))
    squares = np.floor((rows + 1) * 2).astype(int).sum(axis=1)
    return [
        Point(tuple(row), 1 if square % 2 else -1) for row, square in zip(rows.tolist(), squares, strict=True)
    ]


def _points(rows: Floats) -> list[Point]:
    """Return the rows as points, labelled −1 and +1 in turn."""
    return [Point(tuple(row), 1 if i % 2 else -1) for i, row in enumerate(rows.tolist())]


TOY_DATA: dict[str, Callable[[], list[Point]]] = {
    "xor": _xor,
    "circles": _circles,
    "spirals": _spirals,
    "checkerboard": _checkerboard,
}
