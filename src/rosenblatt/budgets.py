"""Budgets: how many support vectors a kernel learner may store, and what it forgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt._expressions import Value

__all__ = ["POLICIES", "Budget"]

POLICIES = ("projection", "merging", "halving", "random", "oldest")


@dataclass(frozen=True)
class Budget(Value):
    """A bound on the number of stored rows, and a policy for when there would be one more.

    Parameters
    ----------
    size
        How many rows may be stored, at least 2.
    policy
        "projection": a new row that the stored ones nearly span is written as a combination of them; else the
        row that the others can replace with the least loss is removed, its part going to the others
        (after the Projectron of Orabona, Keshet and Caputo). Any kernel.
        "merging": the row that counts least and the one that suits it best become one between them (Wang,
        Crammer and Vucetic), with an id below 0. RBF kernels on vectors only, and the fastest of those
        that lose little.
        "halving": the half that counts least is written as a combination of the others (Ahpatron; Liu and
        others). Any kernel.
        "random": any row goes (Cavallanti, Cesa-Bianchi and Gentile). "oldest": the first that came goes, as
        in the Forgetron of Dekel, Shalev-Shwartz and Singer, without its shrinking.
    tolerance
        For "projection": the share of a row's squared length outside of what the stored ones span up to which
        it is not stored.
    seed
        The seed of the choices of "random".

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier, kernels
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 10, [0, 1, 0, 1] * 10
    >>> learner = PerceptronClassifier(kernels.RBF(sigma=0.5), budget=2, random_state=0).fit(X, y)
    >>> len(learner.support_)
    2
    """

    size: int
    policy: str = "projection"
    tolerance: float = 1e-3
    seed: int = 0

    def __post_init__(self) -> None:
        is_integer = isinstance(self.size, int | np.integer) and not isinstance(self.size, bool)
        if not is_integer or self.size < 2:
            raise ValueError(f"A budget must be an integer number of rows, at least 2. Got {self.size!r}.")
        object.__setattr__(self, "size", int(self.size))
        if self.policy not in POLICIES:
            raise ValueError(f"A budget's policy is one of {', '.join(POLICIES)}. Got {self.policy!r}.")
        if not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise ValueError(f"The seed of a budget must be an integer of at least 0. Got {self.seed!r}.")
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"The tolerance of a budget is a share from 0 to 1. Got {self.tolerance!r}.")


def as_budget(budget: Any) -> Budget | None:
    """Return the budget of a parameter: a number of rows, or a budget itself."""
    if budget is None or isinstance(budget, Budget):
        return budget
    if isinstance(budget, int | np.integer):
        return Budget(int(budget) if not isinstance(budget, bool) else budget)
    raise ValueError(f"budget must be None, a number of rows or a Budget. Got {budget!r}.")
