"""Mistake bounds for data that u does not separate: Freund and Schapire's, and those of Crammer et al."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.rules import PassiveAggressive, Perceptron, Rule

TRIED = 200
"""How many margins γ are tried."""


class Bound(NamedTuple):
    """The most mistakes, and the γ and the D of u for which there are so few."""

    mistakes: float
    margin: float
    deviation: float


def is_bounded(rule: Rule) -> bool:
    """Whether a theorem is about a rule on any data: not for the margin perceptron, nor for PA without C."""
    return isinstance(rule, Perceptron) or (isinstance(rule, PassiveAggressive) and rule.variant != "PA")


def source(rule: Rule) -> str:
    """Return the name and the formula of the theorem about a rule that is bounded."""
    if isinstance(rule, Perceptron):
        return "Freund and Schapire's ((√R + D)/γ)²"
    if isinstance(rule, PassiveAggressive) and rule.variant == "PA-II":
        return "Crammer and others' (R + 1/2C)((c/γ)² + 2C Σℓ²)"
    return "Crammer and others' max(R, 1/C)((c/γ)² + 2C Σℓ)"


def bound(rule: Rule, margins: Floats, radius_squared: float, cost: float, epochs: float) -> Bound:
    """Return the smallest bound among those for several γ.

    Parameters
    ----------
    margins
        How far u keeps the truth of every example above its rivals; some must be above 0.
    cost
        The largest cost c of a rival.
    epochs
        How often every example was played.
    """
    tried = np.geomspace(margins[margins > 0].min(), 10 * margins.max(), TRIED)
    deviations = np.array([sqrt(epochs * _sum_of_lacks(g, margins, 2)) for g in tried])
    if isinstance(rule, Perceptron):
        bounds = ((sqrt(radius_squared) + deviations) / tried) ** 2
    else:
        bounds = _passive_aggressive(rule, margins, radius_squared, cost, epochs, tried)
    at = int(np.argmin(bounds))
    return Bound(float(bounds[at]), float(tried[at]), float(deviations[at]))


def _passive_aggressive(
    rule: Rule, margins: Floats, radius_squared: float, cost: float, epochs: float, tried: Floats
) -> Floats:
    """Theorems 4 (PA-I) and 5 (PA-II) of Crammer et al. (2006), for (c/γ) u, whose losses are c (γ − m)/γ."""
    assert isinstance(rule, PassiveAggressive)
    power = 2 if rule.variant == "PA-II" else 1
    losses = np.array([(cost / g) ** power * epochs * _sum_of_lacks(g, margins, power) for g in tried])
    once = rule.bound(radius_squared, 1.0)
    return np.asarray(once * ((cost / tried) ** 2 + 2 * rule.C * losses))


def _sum_of_lacks(margin: float, margins: Floats, power: int) -> float:
    """Return the sum, over all examples, of a power of what they lack of a margin."""
    return float((np.maximum(0, margin - margins) ** power).sum())
