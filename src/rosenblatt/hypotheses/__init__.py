"""Where a guess lives: a weight matrix (primal), or corrected rows and a kernel (dual)."""

from rosenblatt.hypotheses.dual import Dual
from rosenblatt.hypotheses.primal import Primal

__all__ = ["Dual", "Primal"]
