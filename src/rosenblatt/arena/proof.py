"""The proof of the mistake bound with the numbers of one match."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.arena.contests import Ranking, split
from rosenblatt.arena.match import Match
from rosenblatt.rules import Perceptron
from rosenblatt.theory.certificates import Certificate, certify
from rosenblatt.theory.directions import Direction


@dataclass(frozen=True, eq=False)
class Proof:
    """For every k from 0: v_k·u, ‖v_k‖², and the bounds that the lemmas give on both.

    Parameters
    ----------
    progress, progress_floor
        v_k·u and kγ. Lemma 1: the first is never smaller. Where u does not separate the examples, kγ − √k·D.
    length_squared, length_ceiling
        ‖v_k‖² and kR. Lemma 2: the first is never larger. In the contest of lists R is the 4R that bounds
        ‖x − z‖².
    mistakes, bound
        k and R/γ², or what the rule promises instead. The theorem: the first is never larger. Where u does
        not separate the examples, that of `theorem`; ∞ if nothing is promised.
    margin, deviation
        γ and D: how far u keeps the truth above its rivals, and what the rounds lack of that together, 0 if
        none lacks anything. γ is not above 0 where u does not separate the examples and D is 0.
    plain
        Whether every correction was a mistake, and a step of 1, as in the sources: else sums of steps and
        margins replace k.
    radius
        The name of R: "4R" in the contest of lists.
    direction
        The origin of u.
    theorem
        The name and the formula of the theorem, where u does not separate the examples.
    """

    progress: Floats
    progress_floor: Floats
    length_squared: Floats
    length_ceiling: Floats
    mistakes: int
    bound: float
    margin: float
    deviation: float
    plain: bool
    radius: str
    direction: str = "the referee's"
    theorem: str = ""

    @property
    def separable(self) -> bool:
        """Whether u separates the examples."""
        return self.deviation == 0 and self.margin > 0

    def line(self, k: int) -> str:
        """Return the inequalities of the proof at one k, with their numbers."""
        if not self.separable:
            return self._line_without_margin(k)
        if not self.plain:
            return (
                f"After {k} corrections: v_k·u = {self.progress[k]:.6g} ≥ {self.progress_floor[k]:.6g}, "
                f"‖v_k‖² = {self.length_squared[k]:.6g} ≤ {self.length_ceiling[k]:.6g}; "
                f"at most {self.bound:.6g} mistakes."
            )
        return (
            f"k = {k}: (kγ)² = {self.progress_floor[k] ** 2:.6g} ≤ (v_k·u)² = {self.progress[k] ** 2:.6g} ≤ "
            f"‖v_k‖² = {self.length_squared[k]:.6g} ≤ {self._most} = {self.length_ceiling[k]:.6g}, "
            f"so k ≤ {self.bound:.6g}."
        )

    def _line_without_margin(self, k: int) -> str:
        """Return the inequalities at one k where u does not separate the examples."""
        begin = f"k = {k}" if self.plain else f"After {k} corrections"
        ceiling = f"{self._most} = " if self.plain else ""
        length = f"‖v_k‖² = {self.length_squared[k]:.6g} ≤ {ceiling}{self.length_ceiling[k]:.6g}"
        if self.bound == inf:
            return f"{begin}: {length}. No u is known that separates the examples, and nothing is promised."
        floor = "kγ − √k·D = " if self.plain else ""
        so = "k ≤" if self.plain else "the mistakes are at most"
        return (
            f"{begin}: v_k·u = {self.progress[k]:.6g} ≥ {floor}{self.progress_floor[k]:.6g}, {length}, "
            f"so {so} {self.bound:.6g} ({self.theorem}). No u is known that separates the examples: "
            f"this one misses the margin γ = {self.margin:.6g} by D = {self.deviation:.6g} in all."
        )

    @property
    def _most(self) -> str:
        return "kR" if self.radius == "R" else f"k·{self.radius}"

    def __str__(self) -> str:
        return "\n".join(self.line(k) for k in range(len(self.progress)))


def prove(match: Match) -> Proof:
    """Return the proof for a match with rules and a linear learner."""
    if match.rules is None or match.run.primal is None:
        raise ValueError(
            "prove needs the u of the rules in the space of the rows: the match must have rules, and B no "
            "kernel. Use certificate for a bound by B's own guesses."
        )
    ledger, rules = match.run.ledger, match.rules
    found = certificate(match)
    longest = match.contest.correction_squared(rules.radius_squared, match.run.support.constant)
    sizes, grown = ledger.size, np.maximum(ledger.margin, 0)
    return Proof(
        progress=_from_zero(found.progress),
        progress_floor=_from_zero(rules.margin * np.cumsum(sizes)),
        length_squared=_from_zero(found.length_squared),
        length_ceiling=_from_zero(np.cumsum(sizes * (2 * grown + sizes * longest))),
        mistakes=found.mistakes,
        margin=rules.margin,
        deviation=0.0,
        plain=match.run.rule == Perceptron() and not match.run.intercept,
        radius="4R" if isinstance(match.contest, Ranking) else "R",
        bound=match.run.rule.bound(longest, rules.margin, float(ledger.cost.max(initial=1.0))),
    )


def certificate(match: Match) -> Certificate:
    """Return the certificate of B's run, for the u of the rules, or else for the best of B's own guesses."""
    if not match.rounds:
        raise ValueError("There is nothing to certify before the first round. Play one.")
    if match.rules is None or match.run.primal is None:
        return certify(match.run, match.examples)[0]
    weights, structure = split(match.contest, match.rules.u)
    support = match.run.support
    stored = support.rows.data if len(support) else np.empty((0, match.contest.features))
    examples = match.examples
    along = Direction(
        "the referee's u", examples.rows.data @ weights, stored @ weights, structure, np.ones(1)
    )
    return certify(match.run, examples, [along])[0]


def prove_by_own(match: Match) -> Proof:
    """Return the proof with one of B's own guesses as u, for a match with a kernel or without rules."""
    found = certificate(match)
    return Proof(
        progress=_from_zero(found.progress),
        progress_floor=_from_zero(found.progress_floor),
        length_squared=_from_zero(found.length_squared),
        length_ceiling=_from_zero(found.length_ceiling),
        mistakes=found.mistakes,
        margin=found.margin,
        deviation=found.deviation,
        plain=match.run.rule == Perceptron(),
        radius="R",
        bound=found.bound,
        direction=f"along {found.direction}",
        theorem=found.theorem,
    )


def _from_zero(values: Floats) -> Floats:
    return np.concatenate([[0.0], values])
