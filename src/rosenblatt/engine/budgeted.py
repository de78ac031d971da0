"""A guess in a bounded number of stored rows: memory and time per round stay bounded.

Forgetting is a linear map of the stored rows' coefficients, applied to every remembered guess alike. So all
predictors stay defined: they are those of the guesses as they are remembered now.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.budgets import Budget
from rosenblatt.engine.block_scores import BlockScores
from rosenblatt.engine.forgetting import FORGET, RIDGE, log_similarities
from rosenblatt.engine.outputs import Outputs
from rosenblatt.engine.recent import Recent
from rosenblatt.engine.slots import SupportSlots
from rosenblatt.engine.support import SupportSet
from rosenblatt.kernels import RBF, Kernel
from rosenblatt.ledger import STRUCTURE, Book, Ledger, assembled
from rosenblatt.loops import budgets as loops
from rosenblatt.rows import Rows

GROUPS = 16
"""Groups of consecutive guesses that are remembered, each by its average."""

CURRENT, BEST = 0, 1
"""Indices of the current and the best guess among those remembered; the groups come after them."""

RECENT = 2 + GROUPS
"""Index of z of the recent average, if it is followed, so that what is forgotten is forgotten there, too."""


class Budgeted:
    """The kernel learner's guess with a bounded number of stored rows.

    Besides the current guess it remembers the best one, and all others in groups of consecutive ones, each
    by its average and the rounds its guesses answered. When there are too many groups, the two neighbours
    with the fewest rounds become one.

    Parameters
    ----------
    kernel, constant, outputs, structure
        As for `Dual`.
    heads
        How many learners play side by side; if there are several, head h has output h.
    budget
        The most rows, and what to do when there are more.
    """

    keep = True

    def __init__(
        self, kernel: Kernel, constant: float, outputs: int, structure: Floats, heads: int, budget: Budget
    ) -> None:
        if budget.policy == "merging" and not isinstance(kernel, RBF):
            raise ValueError(
                "Merging takes an RBF kernel on vectors, which knows what lies between two rows. "
                f"Got {kernel!r}: use policy='projection'."
            )
        if not kernel.definite:
            raise ValueError(
                f"A budget needs a kernel that is an inner product. Got {kernel!r}, which is none."
            )
        self.budget = budget
        self.kernel: Kernel | None = kernel
        self.slots = SupportSlots(kernel, constant, budget.size + 1)
        self.support: SupportSet = self.slots
        self.outputs = outputs
        self.heads = heads
        self.guesses = np.zeros((0, 2 + GROUPS, outputs))
        self.guess_structure = np.repeat(structure[None], 2 + GROUPS, axis=0)
        self.order: Ints = np.full((heads, GROUPS), -1, np.int64)
        self.rounds: Floats = np.zeros((heads, GROUPS))
        self.longest: Floats = np.full(heads, -1.0)
        self.since: Floats = np.zeros(heads)
        self.age: Ints = np.zeros(0, np.int64)
        self.stored = 0
        self.merged = 0
        self.matrix: Array = np.zeros((0, 0))
        self.ridge = 0.0
        self.recent: Recent | None = None
        self._seen: tuple[Rows, Array] | None = None

    @property
    def structure(self) -> Floats:
        """The structure weights of the current guess."""
        current: Floats = self.guess_structure[CURRENT]
        return current

    @property
    def coefficients(self) -> Floats:
        """α: the coefficient of each stored row in each output of the current guess."""
        return self.guesses[: len(self.support), CURRENT]

    def scores(self, rows: Rows) -> Floats:
        """The scores (rows × outputs) of the current guess."""
        if not len(self.support):
            return self.first_scores(rows)
        gram = self.support.similarities(rows)
        self._seen = rows, gram
        return np.asarray(gram @ self.coefficients)

    def first_scores(self, rows: Rows) -> Floats:
        """The scores of v_0, which is 0."""
        return np.zeros((len(rows), self.outputs))

    def follow_recent(self, heads: int) -> None:
        """Keep the sums of the predictor `recent` beside the guess."""
        self.guesses = np.zeros((0, RECENT + 1, self.outputs))
        self.recent = Recent(heads, self.guesses[:, RECENT], len(self.structure))

    def recent_scores(self, rows: Rows, rounds: int) -> Floats:
        """The scores of the recent average."""
        if not len(self.support):
            return self.first_scores(rows)
        assert self.recent is not None
        gram, sums = self.support.similarities(rows), self.guesses[: len(self.support), RECENT]
        shares = self.recent.shares(rounds, self.outputs)
        return np.asarray(gram @ self.coefficients - (gram @ sums) * shares)

    def restart_recent(self, head: int, when: int) -> None:
        """Restart the recent average of a head."""
        assert self.recent is not None
        self.recent.sums = self.guesses[:, RECENT]  # the array of all guesses may have grown
        self.recent.restart(head, when)

    def _recent(self, rounds: int) -> Floats:
        assert self.recent is not None
        sums = self.guesses[: len(self.support), RECENT]
        return np.asarray(self.coefficients - sums * self.recent.shares(rounds, self.outputs))

    def end_guess(self, when: float, head: int) -> None:
        """Remember the current guess of a head, which this round has refuted."""
        survived, mine = when - self.since[head], self._outputs_of(head)
        self.since[head] = when
        if survived > self.longest[head]:
            self.longest[head] = survived
            self._write(BEST, mine, self.guesses[:, CURRENT, mine], self.structure)
        slot = self._free_slot(head, mine)
        self._write(2 + slot, mine, self.guesses[:, CURRENT, mine], self.structure)
        used = int((self.order[head] >= 0).sum())
        self.order[head, used], self.rounds[head, slot] = slot, survived

    def add(self, rows: Rows, index: Ints, output: Ints, amount: Floats, when: Floats) -> None:
        """Add entries to the guess: amount · φ(rows[index]) to each output."""
        touched, inverse = np.unique(index, return_inverse=True)
        change = np.zeros((len(touched), self.guesses.shape[1], self.outputs))
        np.add.at(change[:, CURRENT], (inverse, output), amount)
        if self.recent is not None:
            later = amount * self.recent.factors(when, output)
            np.add.at(change[:, RECENT], (inverse, output), later)
        for i, which in enumerate(touched.tolist()):
            row = rows.take(slice(which, which + 1))
            known = np.flatnonzero(self.support.ids == row.ids[0])
            if len(known):
                self.guesses[known[0]] += change[i]
            else:
                gram = None
                if self._seen is not None and self._seen[0] is rows and i == 0:
                    gram = np.ascontiguousarray(self._seen[1][which], np.float64)
                self._take_in(row, change[i], gram)
        self._seen = None

    def _take_in(self, row: Rows, change: Floats, gram: Array | None) -> None:
        """Store a row, and forget another if there are too many; or project it on the others."""
        size, row = len(self.support), self.slots.plain(row)
        if gram is None:
            gram = self.support.similarities(row)[0].astype(np.float64) if size else np.empty(0)
        if self.budget.policy == "projection":
            self._project(row, change, gram)
            return
        self._store(row, change)
        if self.budget.policy == "merging":
            logs = log_similarities(self.slots, row, size)
            self.matrix[size, :size] = self.matrix[:size, size] = logs
            self.matrix[size, size] = 0.0
        if size == self.budget.size:
            FORGET[self.budget.policy](self)

    def make_room(self, rows: int) -> None:
        """Reserve memory for this many rows, and at least twice what there was if it must grow."""
        before = len(self.guesses)
        if rows <= before:
            return
        more = min(max(rows, 2 * before, 64), self.budget.size + 1) - before
        self.guesses = np.pad(self.guesses, ((0, more), (0, 0), (0, 0)))
        self.age = np.pad(self.age, (0, more))
        if self.budget.policy in ("projection", "merging"):
            self.matrix = np.pad(self.matrix, ((0, more), (0, more)))

    def _store(self, row: Rows, change: Floats) -> None:
        size = len(self.support)
        self.make_room(size + 1)
        self.slots.put(row, size)
        self.guesses[size] = change
        self.age[size] = self.stored
        self.stored += 1

    def _project(self, row: Rows, change: Floats, gram: Array) -> None:
        size = len(self.support)
        length = float(self.support.similarities(row, row)[0, 0])
        self.ridge = self.ridge or RIDGE * length
        found = self.matrix[:size, :size] @ gram
        outside = length + self.ridge - float(found @ gram)
        if outside <= self.budget.tolerance * length or outside <= self.ridge:
            moved = [CURRENT] if self.recent is None else [CURRENT, RECENT]
            self.guesses[:size, moved] += found[:, None, None] * change[moved]
            return
        self._store(row, change)
        loops.border(self.matrix, np.append(found, -1.0), size, outside)
        if size < self.budget.size:
            return
        flat = self.guesses.reshape(len(self.guesses), -1)
        gone = loops.least_loss(flat, self.matrix, size + 1, self.outputs)
        loops.hand_over(flat, self.matrix, size + 1, gone)
        self.vacate(gone)

    def vacate(self, slot: int) -> None:
        """Let the last row take the slot of one that is gone."""
        last = len(self.support) - 1
        self.slots.remove(slot)
        self.guesses[slot], self.age[slot] = self.guesses[last], self.age[last]
        self.guesses[last] = 0.0
        if self.matrix.size and slot != last:
            self.matrix[slot, :last] = self.matrix[last, :last]
            self.matrix[:last, slot] = self.matrix[:last, last]
            self.matrix[slot, slot] = self.matrix[last, last]

    def _outputs_of(self, head: int) -> slice:
        return slice(None) if self.heads == 1 else slice(head, head + 1)

    def _write(self, which: int, mine: slice, guess: Floats, structure: Floats) -> None:
        self.guesses[:, which, mine] = guess
        self.guess_structure[which] = structure

    def _free_slot(self, head: int, mine: slice) -> int:
        """Return a free group, after merging two neighbours if there is none."""
        order, rounds = self.order[head], self.rounds[head]
        used = order[order >= 0]
        if len(used) < GROUPS:
            return int(next(slot for slot in range(GROUPS) if slot not in used))
        first = int(np.argmin(rounds[used[:-1]] + rounds[used[1:]]))
        one, two = int(used[first]), int(used[first + 1])
        share = rounds[two] / (rounds[one] + rounds[two])
        self.guesses[:, 2 + one, mine] += share * (
            self.guesses[:, 2 + two, mine] - self.guesses[:, 2 + one, mine]
        )
        with np.errstate(invalid="ignore"):
            mixed = (1 - share) * self.guess_structure[2 + one] + share * self.guess_structure[2 + two]
        self.guess_structure[2 + one] = mixed
        rounds[one] += rounds[two]
        order[first + 1 : -1], order[-1] = order[first + 2 :].copy(), -1
        return two

    def single(self, predictor: str, rounds: int) -> tuple[Floats, Floats]:
        """The coefficients and structure weights of one of the single guesses."""
        size = len(self.support)
        if predictor == "last" or not rounds:
            return self.coefficients.copy(), self.structure.copy()
        if predictor == "recent":
            assert self.recent is not None
            return self._recent(rounds), self.recent.average_structure(self.structure, rounds)
        if predictor == "best":
            guess, structure = self.guesses[:size, BEST].copy(), self.guess_structure[BEST].copy()
            for head in range(self.heads):
                if rounds - self.since[head] > self.longest[head]:
                    mine = self._outputs_of(head)
                    guess[:, mine], structure = self.coefficients[:, mine], self.structure.copy()
            return guess, structure
        guess, structure = np.zeros((size, self.outputs)), np.zeros(len(self.structure))
        for head in range(self.heads):
            mine = self._outputs_of(head)
            for which, answered in self._answered(head, rounds):
                if not answered:  # 0 times a forbidden pair's −∞ is NaN
                    continue
                share = answered / rounds
                guess[:, mine] += share * self.guesses[:size, which, mine]
                structure = structure + share * self.guess_structure[which] if head == 0 else structure
        return guess, structure

    def _answered(self, head: int, rounds: int) -> list[tuple[int, float]]:
        """The indices of a head's guesses in order, each with the rounds that it answered."""
        used = self.order[head][self.order[head] >= 0].tolist()
        found = [(2 + slot, float(self.rounds[head, slot])) for slot in used]
        return [*found, (CURRENT, rounds - float(self.since[head]))]

    def remembered(self, rounds: int, first_structure: Floats) -> Ledger:
        """Return a ledger of the remembered guesses: a correction leads from one group to the next."""
        lines: list[tuple[float, ...]] = []
        entries: list[Floats] = []
        for head in range(self.heads):
            mine = self._outputs_of(head)
            before, structure, when = np.zeros_like(self.coefficients[:, mine]), first_structure, 0.0
            for which, answered in self._answered(head, rounds) if rounds else []:
                guess, moved = self.guesses[: len(self.support), which, mine], self.guess_structure[which]
                entries += self._steps(len(lines), guess, before, mine.start or 0, moved, structure)
                lines.append((when, 0.0, head, 0.0, 0.0, 0.0, 1.0, 1.0))
                before, structure, when = guess, moved, when + answered
        return assembled(self.heads, rounds, lines, entries)

    def _steps(
        self,
        line: int,
        guess: Floats,
        before: Floats,
        first: int,
        structure: Floats,
        structure_before: Floats,
    ) -> list[Floats]:
        """The entries that lead from one guess to another."""
        index, output = np.nonzero(guess != before)
        change = guess[index, output] - before[index, output]
        moved = np.flatnonzero(structure != structure_before)
        on_structure = structure[moved] - structure_before[moved]
        return [
            np.column_stack([np.full(len(index), line), self.support.ids[index], first + output, change]),
            np.column_stack([np.full(len(moved), line), np.full(len(moved), STRUCTURE), moved, on_structure]),
        ]

    def block_scores(self, rows: Rows, lasting: bool) -> BlockScores:
        """Return block scores by the current guess: the stored rows change with every correction."""
        return BlockScores(self, rows)

    def with_outputs(self, outputs: Outputs, rounds: int) -> Budgeted:
        """Return a copy with these outputs, new ones with coefficients of 0."""
        result = deepcopy(self)
        result.guesses = outputs.of(self.guesses)
        first = np.repeat(outputs.structure[None], len(self.guess_structure), axis=0)
        result.guess_structure = outputs.of_structure(self.guess_structure, first)
        result.order, result.rounds = outputs.of_heads(self.order, -1), outputs.of_heads(self.rounds, 0.0)
        result.longest, result.since = outputs.of_heads(self.longest, -1.0), outputs.of_heads(self.since, 0.0)
        result.recent = None if self.recent is None else self.recent.with_outputs(outputs, rounds)
        result.outputs, result.heads = len(outputs.source), len(outputs.heads)
        return result

    def widen(self, features: int) -> None:
        """Nothing to do: rows may get longer as features come in."""

    def narrow(self, features: int) -> None:
        """Nothing to do: there is no room for features."""

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores the present state."""
        state = deepcopy({name: value for name, value in vars(self).items() if name != "_seen"})

        def restore() -> None:
            vars(self).update(deepcopy(state))

        return restore

    def savepoint(self, book: Book) -> None:
        """Return None: forgetting cannot be rolled back."""
