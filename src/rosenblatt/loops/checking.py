"""Checks of users' judges and steps in the loops composed of them; those of the library are trusted."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.loops.compiling import composed, is_ours, merged, viewing
from rosenblatt.loops.instructions import COUNTING

FINE, COUNT, MARGIN, COST, ROW, OUTPUT, STRUCTURE, AMOUNT = range(8)
"""The possible faults of a verdict."""


@merged
def first_fault(
    count: int, margin: float, wrong: bool, cost: float, where: Array, amount: Array,
    rows: int, outputs: int, structure: int,
) -> tuple[int, int]:  # fmt: skip
    """Return the first fault of a verdict, and the index of its entry; FINE if it can be used.

    An entry is `where[a] = (row, output)`, or `(-1, structure weight)`, with a finite `amount[a]`. A
    margin of ∞ means that nothing can go wrong.
    """
    if count < 0 or count > where.shape[0]:
        return COUNT, 0
    if not margin > -np.inf or (wrong and margin == np.inf):
        return MARGIN, 0
    if not (cost >= 0.0 and cost < np.inf):
        return COST, 0
    for a in range(count):
        row, output = where[a, 0], where[a, 1]
        if row < -1 or row >= rows:
            return ROW, a
        if row >= 0 and (output < 0 or output >= outputs):
            return OUTPUT, a
        if row < 0 and (output < 0 or output >= structure):
            return STRUCTURE, a
        if not np.isfinite(amount[a]):
            return AMOUNT, a
    return FINE, 0


@cache
def checked_judge(judge: Any) -> Any:
    """Return a judge whose margin is NaN where it raises or its verdict cannot be used: loops stop there."""
    if is_ours(judge):
        return judge

    def checked(scores, structure, truth, head, required, where, amount):
        count, margin, wrong, cost = 0, np.nan, False, 1.0
        try:
            found = judge(scores, structure, truth, head, required, where, amount)
            count, margin, wrong, cost = int(found[0]), float(found[1]), bool(found[2]), float(found[3])
        except Exception:
            margin = np.nan
        rows, outputs = scores.shape
        fault, _ = first_fault(count, margin, wrong, cost, where, amount, rows, outputs, structure.shape[0])
        if fault != FINE:
            count, margin = 0, np.nan
        return count, margin, wrong, cost

    return viewing(checked)


@cache
def checked_step(step: Any) -> Any:
    """Return a step that is NaN where it raises or is negative: loops stop there."""
    if is_ours(step):
        return step

    def checked(margin, norm, cost, parameters):
        size = np.nan
        try:
            size = float(step(margin, norm, cost, parameters))
        except Exception:
            size = np.nan
        return size if size >= 0.0 else np.nan

    return viewing(checked)


@cache
def alone(function: Any) -> Any:
    """Return a loop that only calls a user's function, to test whether it compiles and what it returns."""

    @composed(function, **COUNTING)
    def call(*arguments):
        return function(*arguments)

    return call
