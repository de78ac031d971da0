"""The forms of a guess: a weight matrix (primal), or corrected rows and a kernel (dual, or in a budget)."""

from rosenblatt.engine.budgeted import Budgeted
from rosenblatt.engine.dual import Dual
from rosenblatt.engine.primal import Primal

Hypothesis = Primal | Dual | Budgeted

__all__ = ["Budgeted", "Dual", "Hypothesis", "Primal"]
