"""Points to load that no line separates, and what a kernel makes of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.arena.contests import Point


def scene(name: str) -> list[Point]:
    """The points of a scene, within the unit circle or nearly so, in the order they are shown.

    >>> scene("xor")[0]
    Point(x=(-0.7, -0.7), y=-1)
    """
    if name not in SCENES:
        raise ValueError(f"A scene is one of {', '.join(SCENES)}. Got {name!r:.40}.")
    return SCENES[name]()


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
    places = np.random.default_rng(3).uniform(-0.95, 0.95, (160, 2))
    squares = np.floor((places + 1) * 2).astype(int).sum(axis=1)
    return [
        Point(tuple(place), 1 if square % 2 else -1)
        for place, square in zip(places.tolist(), squares, strict=True)
    ]


def _points(places: Floats) -> list[Point]:
    """Labels that take turns."""
    return [Point(tuple(place), 1 if i % 2 else -1) for i, place in enumerate(places.tolist())]


SCENES: dict[str, Callable[[], list[Point]]] = {
    "xor": _xor,
    "circles": _circles,
    "spirals": _spirals,
    "checkerboard": _checkerboard,
}
