"""The predictor `recent`: an average that restarts when the current guess does better, to follow drift.

Since its last restart the guess that answered the s-th round counts s times. With n rounds since then, the
average is w − z / (n (n + 1)), where z = Σ a (a + 1) · correction and a is the round of the correction, both
counted from the restart. The average and the current guess answer every round. A sum counts by how much the
average falls behind: one more where only the average is wrong, one less, down to 0, where only the current
guess is. At `loops.passes.BEHIND` the average restarts (a CUSUM test, E. S. Page, Biometrika 41, 1954).
"""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine.outputs import Outputs
from rosenblatt.loops.passes import falls_behind


class Recent:
    """The state that `recent` keeps beside a guess.

    Parameters
    ----------
    heads
        How many learners there are; if there are several, head h has output h.
    sums
        z of the guess, in the form that its hypothesis has: one row per feature, or per stored row.
    structure
        How many structure weights the game has.

    Attributes
    ----------
    since
        The round after which the average of each head was last restarted.
    behind
        How many rounds the average of each head is behind the current guess.
    structure
        z of the structure weights.
    """

    def __init__(self, heads: int, sums: Floats, structure: int) -> None:
        self.sums = sums
        self.structure: Floats = np.zeros(structure)
        self.since: Ints = np.zeros(heads, np.int64)
        self.behind: Ints = np.zeros(heads, np.int64)

    def copy(self) -> Recent:
        """Return a copy of everything."""
        return deepcopy(self)

    def with_outputs(self, outputs: Outputs, rounds: int) -> Recent:
        """Return a copy for these outputs; the average of a new head starts after this many rounds."""
        result = deepcopy(self)
        result.sums = outputs.of(self.sums)
        result.structure = outputs.of_structure(self.structure, np.zeros(len(outputs.structure)))
        result.since, result.behind = outputs.of_heads(self.since, rounds), outputs.of_heads(self.behind, 0)
        return result

    def factors(self, when: Floats, output: Ints) -> Floats:
        """Return a (a + 1) for corrections of these outputs in these rounds."""
        since = self.since[output if len(self.since) > 1 else np.zeros_like(output)]
        after = np.maximum(when - since, 0.0)
        return np.asarray(after * (after + 1))

    def shares(self, rounds: int, outputs: int) -> Floats:
        """Return 1 / (n (n + 1)) for every output; 0 before the first round since the restart."""
        after = (rounds - self.since).astype(np.float64)
        shares = np.divide(1.0, after * (after + 1), out=np.zeros(len(after)), where=after > 0)
        return np.asarray(np.broadcast_to(shares, outputs) if len(shares) == 1 else shares)

    def average_structure(self, structure: Floats, rounds: int) -> Floats:
        """Return the structure weights of the recent average, given those of the current guess."""
        return structure - self.structure * self.shares(rounds, 1) if len(structure) else structure

    def compare(self, head: int, wrong: bool, recent_wrong: bool) -> bool:
        """Count a round that both have answered; returns whether the average is to be restarted."""
        return bool(falls_behind(self.behind, head, wrong, recent_wrong))

    def restart(self, head: int, when: int) -> None:
        """Restart the average of a head after this round."""
        self.sums[..., self._outputs(head)] = 0.0
        if len(self.since) == 1:
            self.structure[:] = 0.0
        self.since[head], self.behind[head] = when, 0

    def _outputs(self, head: int) -> slice:
        return slice(None) if len(self.since) == 1 else slice(head, head + 1)
