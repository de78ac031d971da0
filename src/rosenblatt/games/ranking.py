"""The ranking game: a list of rows, each with a grade; the answer is the row with the highest score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.games.game import NO_STRUCTURE
from rosenblatt.loops.compiling import compilable


@compilable
def judge_best(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a list: +1 at the best row, −1 at the highest other one, unless the best is strictly above it.

    Of several that are equally good the one with the highest score counts.
    """
    rows = scores.shape[0]
    top = truth[0] if rows > 0 else 0
    for r in range(rows):
        top = max(truth[r], top)
    best, rival = -1, -1
    for r in range(rows):
        if truth[r] == top:
            if best < 0 or scores[r, 0] > scores[best, 0]:
                best = r
        elif rival < 0 or scores[r, 0] > scores[rival, 0]:
            rival = r
    if rival < 0:
        return 0, np.inf, False, 1.0
    margin = scores[best, 0] - scores[rival, 0]
    where[0, 0], where[0, 1], amount[0] = best, 0, 1.0
    where[1, 0], where[1, 1], amount[1] = rival, 0, -1.0
    return 2, margin, margin <= 0.0, 1.0


@compilable
def judge_every_best(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a list by the lowest of several best rows: the margin that holds for each of them."""
    lowest = np.empty_like(scores)
    rows = scores.shape[0]
    top = truth[0] if rows > 0 else 0
    for r in range(rows):
        top = max(truth[r], top)
    least = np.inf
    for r in range(rows):
        least = min(least, scores[r, 0]) if truth[r] == top else least
    for r in range(rows):
        lowest[r, 0] = least if truth[r] == top else scores[r, 0]
    return judge_best(lowest, structure, truth, head, required, where, amount)


@compilable
def judge_top(
    scores: Array,
    structure: Array,
    truth: Array,
    head: int,
    required: float,
    where: Array,
    amount: Array,
) -> tuple[int, float, bool, float]:
    """Judge a list: +1 at each row not above the highest-scoring worse one, −1 at that; one correction.

    The cost is how many such pairs there are. If all rows are above, the pair that is closest counts.
    """
    order = np.argsort(truth, kind="mergesort")
    count, total, closest, wrong = 0, 0.0, np.inf, False
    near, far, worse, highest = -1, -1, -1, -1  # worse: of all with lower grades; highest: of all so far
    for i in range(order.shape[0]):
        r = order[i]
        if i > 0 and truth[r] > truth[order[i - 1]]:
            worse = highest
        if worse >= 0:
            margin = scores[r, 0] - scores[worse, 0]
            if not margin >= closest:
                closest, near, far = margin, r, worse
            if margin <= 0.0 or margin < required:
                where[count, 0], where[count, 1], amount[count] = r, 0, 1.0
                where[count + 1, 0], where[count + 1, 1], amount[count + 1] = worse, 0, -1.0
                count, total, wrong = count + 2, total + margin, wrong or margin <= 0.0
        if highest < 0 or scores[r, 0] > scores[highest, 0]:
            highest = r
    if near < 0:
        return 0, np.inf, False, 1.0
    if count == 0:
        where[0, 0], where[0, 1], amount[0] = near, 0, 1.0
        where[1, 0], where[1, 1], amount[1] = far, 0, -1.0
        return 2, closest, False, 1.0
    return count, total, wrong, count / 2.0


@compilable
def ballot_best(
    scores: Array, structure: Array, starts: Array, head: int, weight: float, tally: Array
) -> None:
    """A vote for the row of each list with the highest score; a tie for the top abstains."""
    for i in range(starts.shape[0] - 1):
        highest, holders = starts[i], 0
        for r in range(starts[i], starts[i + 1]):
            if scores[0, r] > scores[0, highest]:
                highest = r
        for r in range(starts[i], starts[i + 1]):
            holders += 1 if scores[0, r] == scores[0, highest] else 0
        if holders == 1:
            tally[0, highest] += weight


JUDGES = {"best": judge_best, "top": judge_top}


@dataclass(frozen=True)
class Ranking:
    """The ranking game; truths are grades, one per row, higher is better; answers are indices in the list.

    Parameters
    ----------
    strategy
        "best": the answer is wrong if it is not one of the rows with the highest grade; a tie for the top
        is a mistake, too. "top": it is wrong if any row is not above all rows with lower grades, and each
        such row is corrected against the highest of those.
    """

    strategy: str = "best"
    outputs = 1
    alternatives = 1
    heads = 1
    structure = NO_STRUCTURE
    ballot = staticmethod(ballot_best)

    def __post_init__(self) -> None:
        if self.strategy not in JUDGES:
            raise ValueError(f"strategy must be 'best' or 'top'. Got {self.strategy!r:.100}.")

    @property
    def judge(self) -> Callable[..., tuple[int, float, bool, float]]:
        """The judge of the strategy."""
        return JUDGES[self.strategy]

    @property
    def guarantee(self) -> Callable[..., tuple[int, float, bool, float]]:
        """The judge of a guarantee: a vector must keep every one of the best rows above the others."""
        return judge_every_best if self.strategy == "best" else self.judge

    def most_entries(self, rows: int) -> int:
        """Return 2 per pair that is corrected: one pair, or one for every row."""
        return 2 if self.strategy == "best" else 2 * rows

    def answer(self, scores: Floats, structure: Floats, starts: Ints) -> Ints:
        """Return the index of the highest score in every list, the first of equals."""
        lists = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        return np.array([int(np.argmax(scores[a:b, 0])) for a, b in lists], np.int64)

    def elect(self, tally: Floats, starts: Ints) -> Ints:
        """Return the index with the most votes in every list, the first of equals."""
        return self.answer(tally, tally, starts)
