"""Forgetting: the others take over the part of a row, in every remembered guess at once.

Guesses are rows × (guesses · outputs): every step is a linear map of the rows, the same for all of them.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import allocating, compiled, fused, merged


@fused
def border(inverse, whole, size, distance):
    """Extend the inverse Gram matrix by a row, `distance` off a combination of the others.

    `whole` has the coefficients of the others in that combination, and −1 for the row itself.
    """
    for i in range(size + 1):
        inverse[i, size] = inverse[size, i] = 0.0
    for i in range(size + 1):
        factor = whole[i] / distance
        row = inverse[i]
        for j in range(size + 1):
            row[j] += factor * whole[j]


@compiled
def least_loss(guesses, inverse, size, outputs):
    """The row that the others can replace with the least loss in the current guess, the first outputs."""
    best, least = 0, np.inf
    for i in range(size):
        square = 0.0
        for o in range(outputs):
            square += guesses[i, o] ** 2
        loss = square / inverse[i, i]
        if loss < least:
            best, least = i, loss
    return best


@fused
def hand_over(guesses, inverse, size, row):
    """Project a row on the others in every guess, and remove it from the inverse."""
    line, part = inverse[row], guesses[row]  # rows that do not change here
    for i in range(size):
        share = -line[i] / line[row]
        if i != row and share != 0.0:
            mine, inner = guesses[i], inverse[i]
            for c in range(guesses.shape[1]):
                mine[c] += share * part[c]
            for j in range(size):
                inner[j] += share * line[j]


GRID = 32
"""Points between two rows at which a merger is tried for every partner."""


@allocating
def best_partner(guesses, logs, size, outputs, constant, row):
    """The row with which this one merges with the least loss, and the share of this one in the merger.

    `logs` are the logarithms of the similarities: e^(x²·log) is that at share x of the distance.
    """
    best, where, least = -1, 0.5, np.inf
    near = np.empty(GRID + 1)
    for j in range(size):
        if j == row:
            continue
        mine, theirs, both = products(guesses, outputs, row, j)
        similarities(logs[row, j], constant, near)
        whole = (mine + theirs) * (1.0 + constant) + 2.0 * both * near[GRID]
        for index in range(GRID + 1):
            first, second = near[GRID - index], near[index]
            left = mine * first**2 + theirs * second**2 + 2.0 * both * first * second
            loss = whole - left / (1.0 + constant)
            if loss < least:
                best, where, least = j, index / GRID, loss
    mine, theirs, both = products(guesses, outputs, row, best)
    low, high = max(0.0, where - 1.0 / GRID), min(1.0, where + 1.0 / GRID)
    for _ in range(30):
        left, right = low + 0.381966 * (high - low), high - 0.381966 * (high - low)
        at_left = kept(mine, theirs, both, logs[row, best], constant, left)
        if at_left > kept(mine, theirs, both, logs[row, best], constant, right):
            high = right
        else:
            low = left
    return best, 0.5 * (low + high)


@merged
def products(guesses, outputs, one, other):
    """The inner products of the current coefficients of two rows with themselves and each other."""
    mine = theirs = both = 0.0
    for o in range(outputs):
        mine += guesses[one, o] ** 2
        theirs += guesses[other, o] ** 2
        both += guesses[one, o] * guesses[other, o]
    return mine, theirs, both


@merged
def similarities(log, constant, near):
    """Write e^(x²·log) and the constant for all x of the grid; squares grow by odd numbers."""
    step = np.exp(log / GRID**2)
    value, factor = 1.0, step
    for index in range(GRID + 1):
        near[index] = value + constant
        value *= factor
        factor *= step * step


@merged
def kept(mine, theirs, both, log, constant, share):
    """The squared length of the merger of two rows at this share of the way to the first."""
    first, second = np.exp(log * (1.0 - share) ** 2) + constant, np.exp(log * share**2) + constant
    return (mine * first**2 + theirs * second**2 + 2.0 * both * first * second) / (1.0 + constant)
