"""A data set as A's moves, and the rules that it keeps to."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.arena.contests import Point
from rosenblatt.arena.rules import Rules
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.rules import Margin, Perceptron, Rule

MARGINS, EPOCHS = (100.0, 10.0, 1.0, 0.1), 1000
"""The required margins β that are tried, in units of R, and the epochs for each."""


def points(X: Any, y: Any) -> list[Point]:
    """Return rows with labels −1 and +1 as moves.

    >>> points([[0, 1], [2, 3]], [1, -1])
    [Point(x=(0.0, 1.0), y=1), Point(x=(2.0, 3.0), y=-1)]
    """
    rows, labels = np.asarray(X, float), np.asarray(y).tolist()
    if rows.ndim != 2 or len(rows) != len(labels) or not set(labels) <= {-1, 1}:
        raise ValueError(
            f"A data set is rows of numbers and a label -1 or 1 for each. Got an array of shape {rows.shape} "
            f"and {len(labels)} labels, {sorted(set(map(str, labels)))[:5]} among them."
        )
    return [Point(tuple(row), int(label)) for row, label in zip(rows.tolist(), labels, strict=True)]


def rules_for(X: Any, y: Any) -> Rules:
    """Return rules that a separable data set keeps to, with the u of the widest margin that learners find.

    >>> rules_for([[1, 0], [-1, 0], [1, 1]], [1, -1, 1]).radius_squared
    2.0
    """
    moves = points(X, y)
    if not moves:
        raise ValueError("A data set has at least one row. Got none.")
    rows, labels = np.array([move.x for move in moves]), np.array([move.y for move in moves])
    radius = max(float((rows**2).sum(axis=1).max()), 1e-12)
    tried: list[Rule] = [Perceptron(), *(Margin(beta=wide * radius) for wide in MARGINS)]
    found = max((_direction(rows, labels, rule) for rule in tried), key=lambda one: one[0])
    if found[0] <= 0:
        raise ValueError(
            f"No line through 0 that separates this data set was found in {EPOCHS} epochs: play it without "
            "rules, or, if no such line exists, with a column of ones added."
        )
    return Rules(tuple(found[1].tolist()), found[0], radius)


def _direction(rows: Floats, labels: Ints, rule: Rule) -> tuple[float, Floats]:
    """Return the margin of the last guess under a rule, and the guess."""
    options: dict[str, Any] = {
        "fit_intercept": False,
        "shuffle": False,
        "max_iter": EPOCHS,
        "predictor": "last",
    }
    if len(set(labels.tolist())) < 2:  # the mirror image of a row has the other label
        rows, labels = np.vstack([rows, -rows]), np.concatenate([labels, -labels])
    u = PerceptronClassifier(rule=rule, **options).fit(rows, labels).coef_[0]
    return float((labels * (rows @ u)).min() / max(float(np.linalg.norm(u)), 1e-300)), u
