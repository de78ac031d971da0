"""Certificates: the mistake bound of a run, and what the run did."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Examples, Run
from rosenblatt.ledger import Ledger
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.loops.margins import margin_loop
from rosenblatt.rules import Perceptron
from rosenblatt.theory import inseparable
from rosenblatt.theory.directions import Direction, own_directions

ROUNDING = 1e-6
"""How far, in relative terms, two sums of the same numbers may differ before a promise counts as broken."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """The mistake bound of one learner's run, with every number of its proof.

    Parameters
    ----------
    direction
        The name of u.
    rounds, mistakes, corrections
        How many there were.
    examples, first_mistakes
        How many examples there are, and how many mistakes the first pass over them had.
    drawn
        Whether the examples are pairs that were drawn from lists, each for one round.
    radius_squared
        R: the largest ‖Φ(truth) − Φ(answer)‖² among the corrections.
    margin
        γ: how far u keeps the truth of every example above its rivals, u having length 1. If u does
        not separate the data, the γ for which the bound is smallest.
    deviation
        D: 0 if u separates the data with margin γ, else √Σ d² over all rounds, where d is by how much
        the round falls short of γ.
    bound
        The most mistakes there can be; ∞ if nothing is promised.
    unbounded
        Why no theorem applies, if none does; then `bound` is infinite.
    theorem
        The name and the formula of the theorem, where u does not separate the data.
    progress, progress_floor
        v_k · u after every correction, and its lower bound: kγ for steps of 1, less √k · D where u does not
        separate the data.
    length_squared, length_ceiling
        ‖v_k‖² after every correction, and its upper bound.
    """

    direction: str
    rounds: int
    mistakes: int
    corrections: int
    examples: int
    first_mistakes: int
    drawn: bool
    radius_squared: float
    margin: float
    deviation: float
    bound: float
    unbounded: str
    theorem: str
    progress: Floats
    progress_floor: Floats
    length_squared: Floats
    length_ceiling: Floats

    @property
    def separable(self) -> bool:
        """Whether u separates the data."""
        return self.deviation == 0 and self.margin > 0

    @property
    def holds(self) -> bool | None:
        """Whether all bounds held; None if `bound` is infinite and there are none."""
        if self.bound == inf:
            return None
        slack = 1 + ROUNDING
        kept = self.mistakes <= self.bound * slack
        kept &= bool(np.all(self.length_squared <= self.length_ceiling * slack))
        missing = self.progress_floor - self.progress
        return kept & bool(np.all(missing <= ROUNDING * np.abs(self.progress)))

    @property
    def sample_error_bound(self) -> float:
        """k/m of the first pass: the expected error of `sample` after it on independent examples."""
        return min(1.0, self.first_mistakes / self.examples)

    @property
    def vote_error_bound(self) -> float:
        """2k/m: `vote` errs only where at least half of the weight of all guesses does."""
        return min(1.0, 2 * self.first_mistakes / self.examples)

    def __str__(self) -> str:
        return "\n".join([*self._premises(), *self._proof(), self._conclusion(), self._forecast()])

    def _premises(self) -> list[str]:
        if self.separable:
            promise = f"keeps every truth at least γ = {self.margin:.6g} above its rivals"
        elif self.bound < inf:
            promise = f"misses the margin γ = {self.margin:.6g} by D = {self.deviation:.6g} in all"
        else:
            promise = f"leaves some truth {abs(self.margin):.6g} below a rival"
        return [
            f"{self.mistakes} mistakes and {self.corrections} corrections in {self.rounds} rounds.",
            f"Radius.  Every correction has ‖Φ(truth) − Φ(answer)‖² ≤ R = {self.radius_squared:.6g}.",
            f"Margin.  The unit vector u along {self.direction} {promise}.",
        ]

    def _proof(self) -> list[str]:
        if not self.corrections:
            return []
        k = self.corrections
        lemma_1 = (
            f"Lemma 1. Each correction moves v towards u: v_{k}·u = {self.progress[-1]:.6g} "
            f"≥ {self.progress_floor[-1]:.6g}."
        )
        lemma_2 = (
            f"Lemma 2. Each correction lengthens v by little: ‖v_{k}‖² = {self.length_squared[-1]:.6g} "
            f"≤ {self.length_ceiling[-1]:.6g}."
        )
        return [lemma_1, lemma_2] if self.separable else [lemma_2]

    def _conclusion(self) -> str:
        if self.bound == inf:
            return f"Theorem. Nothing is promised: {self.unbounded or 'the bound of the rule is infinite'}."
        why = "As (v_k·u)² ≤ ‖v_k‖²" if self.separable else f"By {self.theorem}"
        seen = "It holds" if self.holds else "IT DOES NOT HOLD"
        return f"Theorem. {why}, there are at most {self.bound:.6g} mistakes. {seen}: {self.mistakes}."

    def _forecast(self) -> str:
        shown = f"first epoch had {self.first_mistakes} mistakes on {self.examples} examples"
        another = "a new one"
        if self.drawn:
            shown = f"{self.examples} pairs drawn in all epochs had {self.first_mistakes} mistakes"
            another = "another pair drawn from the same lists"
        return (
            f"Forecast. The {shown}. If these are independent, its guesses err on {another} with an expected "
            f"probability of at most k/m = {self.sample_error_bound:.4g} by sample and "
            f"2k/m = {self.vote_error_bound:.4g} by vote."
        )


def certify(run: Run, examples: Examples, directions: list[Direction] | None = None) -> list[Certificate]:
    """Return a certificate per head, for a direction that separates the data, if there is one.

    Without directions, the run's own guesses are tried. Of several, the one with the smallest bound is taken.
    """
    if run.primal is not None and run.primal.start is not None:
        raise ValueError(
            "The mistake bound is about a learner that starts at 0. This one started at random weights."
        )
    if run.kernel is not None and not run.kernel.definite:
        raise ValueError(
            f"The mistake bound is about kernels that are inner products. Got {run.kernel!r}, which is none."
        )
    predictors.check_kept(run, "certificate")
    candidates = directions or own_directions(run, examples)
    margins = [_margins(run, examples, direction) for direction in candidates]
    return [
        min(
            (_certificate(run, d, m, t, examples.repeats) for d, m in zip(candidates, margins, strict=True)),
            key=lambda c: (not c.separable, c.bound),
        )
        for t in range(run.game.heads)
    ]


def check_learned_from(run: Run, examples: Examples) -> None:
    """Raise ValueError if examples are not the run's: as many, and those corrected unchanged."""
    if run.budget is not None:
        raise ValueError(
            "A certificate is about a learner that forgets nothing: with a budget the theorem does not hold. "
            f"Got {run.budget!r}."
        )
    if len(examples) != run.examples_seen:
        raise ValueError(
            f"A certificate is about the {run.examples_seen} examples that were learned from, all of them "
            f"and in their order. Got {len(examples)}."
        )
    check_row_count(run, len(examples.rows))
    support = run.support
    stored = support.rows
    if len(stored) and stored.width and not examples.rows.take(support.ids).same_as(stored):
        raise ValueError(
            "A certificate is about the examples that were learned from, in their order. Got others: some "
            "rows that were corrected are not what they were."
        )


def check_row_count(run: Run, rows: int) -> None:
    """Raise ValueError unless there are as many rows as the run learned from."""
    if rows != run.rows_seen:
        raise ValueError(
            f"A certificate is about the {run.rows_seen} rows that were learned from, all of them and in "
            f"their order. Got {rows}."
        )


def check_labels(truths: Ints, ids: Ints, learned: Any, what: str = "row") -> None:
    """Raise ValueError if the truth about one of these rows, or tokens, is not the one that was learned."""
    other = truths[ids] != np.asarray(learned, np.int64)
    others = np.flatnonzero(other.any(axis=1) if other.ndim == 2 else other)
    if len(others):
        raise ValueError(
            "A certificate is about the examples that were learned from, with their labels. Got others: the "
            f"label of {what} {ids[others[0]]}, which was corrected, is not what it was."
        )


def check_grades(ledger: Ledger, grades: Ints) -> None:
    """Raise ValueError if a row that the ranking game moved up is not better than the one it moved down."""
    better, worse = ledger.row.reshape(-1, 2).T
    others = np.flatnonzero(grades[better] <= grades[worse])
    if len(others):
        raise ValueError(
            "A certificate is about the lists that were learned from, with their grades. Got others: "
            f"row {better[others[0]]} was better than row {worse[others[0]]} when they were corrected."
        )


def _margins(run: Run, examples: Examples, direction: Direction) -> Floats:
    """How far u keeps the truth above its rivals in every round, in units of its length (rounds × heads)."""
    loop = margin_loop(getattr(run.game, "guarantee", run.game.judge))
    structure, heads = run.game.structure + direction.structure, run.game.heads
    truths, scores = examples.truths[examples.index], direction.on_examples[examples.index]
    raw = loop(examples.starts, truths, scores, structure, heads, run.game.most_entries(examples.longest))
    length = np.sqrt(np.maximum(direction.norms_squared, 0))
    return np.asarray(np.divide(raw, length, out=np.zeros_like(raw), where=length > 0))


def _certificate(run: Run, direction: Direction, all_margins: Floats, head: int, drawn: bool) -> Certificate:
    ledger, margins = run.ledger.of(head), all_margins[:, head]
    radius_squared = float(np.max(ledger.norm_squared, initial=0.0))
    unbounded = _unbounded(run, margins) if len(ledger) else ""
    margin, deviation, bound = _theorem(run, ledger, margins, radius_squared, unbounded)
    length = sqrt(max(direction.norms_squared[head], 0.0))
    moves = _moves(run, direction, head)  # of a vector of length 0 they are rounding errors
    progress = np.cumsum(moves) / length if length > 0 else np.zeros(len(moves))
    growth = ledger.size * (2 * ledger.margin + ledger.size * ledger.norm_squared)
    most = ledger.size * (2 * np.maximum(ledger.margin, 0) + ledger.size * radius_squared)
    # A step s adds at least s(γ − d) to v·u, and Σ s·d ≤ √Σ s² · D by Cauchy and Schwarz.
    lacking = deviation * np.sqrt(np.cumsum(ledger.size**2))
    return Certificate(
        direction=direction.name,
        rounds=ledger.rounds,
        mistakes=int(ledger.wrong.sum()),
        corrections=len(ledger),
        examples=len(margins),
        first_mistakes=len(ledger.until(min(ledger.rounds, len(margins))).mistakes),
        drawn=drawn,
        radius_squared=radius_squared,
        margin=margin,
        deviation=deviation,
        bound=bound,
        unbounded=unbounded,
        theorem=inseparable.source(run.rule) if deviation > 0 else "",
        progress=progress,
        progress_floor=margin * np.cumsum(ledger.size) - lacking,
        length_squared=np.cumsum(growth),
        length_ceiling=np.cumsum(most),
    )


def _moves(run: Run, direction: Direction, head: int) -> Floats:
    """⟨Δ_j, u⟩ for every correction of a head."""
    ledger = run.ledger
    free = ledger.row == STRUCTURE
    parts = np.empty(len(ledger.row))
    support_index = run.support.indices(ledger.row[~free])
    parts[~free] = ledger.amount[~free] * direction.on_support[support_index, ledger.output[~free]]
    parts[free] = ledger.amount[free] * direction.structure[ledger.output[free]]
    moves = predictors.summed(ledger.correction, parts, len(ledger))
    return np.asarray(moves[ledger.head == head])


def _unbounded(run: Run, margins: Floats) -> str:
    """Why no theorem applies to the run with this u; empty if one does."""
    plain, smallest = isinstance(run.rule, Perceptron), float(margins.min(initial=inf))
    if run.ruled_otherwise:
        return "the rule was changed during the run, and bounds are about one rule"
    if run.weighted and not plain:
        return "rules other than the perceptron's have bounds only for examples without weights"
    if smallest > 0:
        return ""
    if not inseparable.is_bounded(run.rule):
        return f"{run.rule!r:.60} has a bound only for data that u separates"
    if run.weighted:
        return "examples with weights have a bound only if u separates them"
    return "" if np.any(margins > 0) else "u keeps no truth above its rivals"


def _theorem(
    run: Run, ledger: Ledger, margins: Floats, radius_squared: float, unbounded: str
) -> tuple[float, float, float]:
    """γ, D and the bound: the rule's own if u separates the data, else one for any data."""
    smallest = float(margins.min(initial=inf))
    if not len(ledger):
        return smallest, 0.0, 0.0
    if unbounded:
        return smallest, 0.0, inf
    if smallest > 0:
        promised = run.rule.bound(radius_squared, smallest, float(ledger.cost.max()))
        return smallest, 0.0, promised * (_spread(ledger.size) if isinstance(run.rule, Perceptron) else 1.0)
    most = inseparable.bound(
        run.rule, margins, radius_squared, float(ledger.cost.max()), ledger.rounds / len(margins)
    )
    return most.margin, most.deviation, most.mistakes


def _spread(sizes: Floats) -> float:
    """K Σ s² / (Σ s)² of the steps s, which is 1 if they are equal.

    With weights, γ Σ s ≤ v·u and ‖v‖² ≤ R Σ s² bound (Σ s)² / Σ s² by R/γ², and so k by this times that.
    """
    return float(len(sizes) * (sizes**2).sum() / sizes.sum() ** 2)
