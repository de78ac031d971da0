"""What a budgeted guess does when its support set is full: policies that free at least one slot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.engine.slots import SupportSlots, between
from rosenblatt.kernels import RBF
from rosenblatt.ledger import STRUCTURE
from rosenblatt.loops import budgets as loops
from rosenblatt.rows import Rows, products

if TYPE_CHECKING:
    from rosenblatt.engine.budgeted import Budgeted

RIDGE = 1e-8
"""Added to the Gram matrix, as a share of the first row's squared length, before it is inverted."""


def drop_oldest(guess: Budgeted) -> None:
    """Drop the row that was stored first."""
    guess.vacate(int(np.argmin(guess.age[: len(guess.support)])))


def drop_any(guess: Budgeted) -> None:
    """Drop a row at random."""
    draw = np.random.default_rng([guess.budget.seed, guess.stored])
    guess.vacate(int(draw.integers(len(guess.support))))


def merge(guess: Budgeted) -> None:
    """Merge the row that counts least with its best partner (Wang, Crammer and Vucetic 2012)."""
    size = len(guess.support)
    flat = guess.guesses.reshape(len(guess.guesses), -1)
    row = int(np.argmin((guess.coefficients**2).sum(axis=1)))
    constant = guess.support.constant
    other, share = loops.best_partner(flat, guess.matrix, size, guess.outputs, constant, row)
    log = guess.matrix[row, other]
    first, second = np.exp(log * (1 - share) ** 2), np.exp(log * share**2)
    flat[other] = ((first + constant) * flat[row] + (second + constant) * flat[other]) / (1 + constant)
    logs = share * guess.matrix[row] + (1 - share) * guess.matrix[other] - share * (1 - share) * log
    guess.matrix[other] = guess.matrix[:, other] = np.minimum(logs, 0.0)
    guess.matrix[other, other] = 0.0
    guess.merged += 1
    guess.slots.put(between(guess.support.rows, row, other, share, STRUCTURE - guess.merged), other)
    guess.vacate(row)


def log_similarities(support: SupportSlots, row: Rows, size: int) -> Floats:
    """The logarithms of a row's similarities to the first stored ones: −γ times squared distances."""
    kernel, stored = support.kernel, support.rows.take(slice(0, size))
    assert isinstance(kernel, RBF)
    if not stored.sparse:
        apart = stored.data.astype(np.float64) - row.data.astype(np.float64)
        return np.asarray(-kernel.rate * np.einsum("ij,ij->i", apart, apart))
    inner = products(stored.data, row.data)[:, 0].astype(np.float64)
    return np.asarray(-kernel.rate * np.maximum(stored.squares + row.squares[0] - 2 * inner, 0.0))


def halve(guess: Budgeted) -> None:
    """Project the weaker half of the rows onto the stronger one, and drop it."""
    size = len(guess.support)
    strength = (guess.coefficients**2).sum(axis=1)
    order = np.argsort(-strength, kind="stable")
    kept, gone = np.sort(order[: size // 2]), np.sort(order[size // 2 :])
    rows = guess.support.rows
    gram = guess.support.similarities(rows, rows).astype(np.float64)
    inner = gram[np.ix_(kept, kept)]
    inner[np.diag_indices(len(kept))] += RIDGE * np.trace(inner) / len(kept)
    shares = np.linalg.solve(inner, gram[np.ix_(kept, gone)])
    flat = guess.guesses.reshape(len(guess.guesses), -1)
    flat[kept] += shares @ flat[gone]
    for slot in gone[::-1].tolist():
        guess.vacate(slot)


FORGET: dict[str, Callable[[Budgeted], None]] = {
    "oldest": drop_oldest,
    "random": drop_any,
    "merging": merge,
    "halving": halve,
}
"""The policies by name; projection needs none of them, it never stores too many rows."""
