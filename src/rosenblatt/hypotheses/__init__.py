"""Where a guess lives: a weight matrix (primal), or corrected rows and a kernel (dual, or in a budget)."""

from rosenblatt.hypotheses.budgeted import Budgeted
from rosenblatt.hypotheses.dual import Dual
from rosenblatt.hypotheses.primal import Primal

Hypothesis = Primal | Dual | Budgeted

__all__ = ["Budgeted", "Dual", "Hypothesis", "Primal"]
