"""A data set as A's moves, and the rules that it keeps to."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arena.contests import Point
from rosenblatt.arena.rules import Rules
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.rules import Margin

BETA, EPOCHS = 100.0, 1000
"""How wide a margin is asked for, in units of R, and how often the data is gone through for it."""


def points(X: Any, y: Any) -> list[Point]:
    """Rows with labels −1 and +1 as moves.

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
    """Rules that a separable data set keeps to: u is found by a learner that leaves a wide margin.

    >>> rules_for([[1, 0], [-1, 0], [1, 1]], [1, -1, 1]).radius_squared
    2.0
    """
    moves = points(X, y)
    rows, labels = np.array([move.x for move in moves]), np.array([move.y for move in moves])
    radius = float((rows**2).sum(axis=1).max(initial=0.0))
    rule = Margin(beta=BETA * max(radius, 1e-12))
    options: dict[str, Any] = {
        "fit_intercept": False,
        "shuffle": False,
        "epochs": EPOCHS,
        "predictor": "last",
    }
    u = PerceptronClassifier(rule=rule, **options).fit(rows, labels).coef_[0]
    margin = float((labels * (rows @ u)).min() / max(float(np.linalg.norm(u)), 1e-300))
    if margin <= 0:
        raise ValueError(
            "No line through 0 was found that separates this data set, so it keeps to no rules: play it "
            "without rules, or with a column of ones added."
        )
    return Rules(tuple(u.tolist()), margin, radius)
