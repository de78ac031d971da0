"""Check a user's game for what the learner relies on, by a sample of rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.checks import Check
from rosenblatt.games.game import Game
from rosenblatt.games.verdicts import Verdict, verdict
from rosenblatt.loops.checking import alone

MEMBERS = (
    "outputs", "structure", "heads", "alternatives", "judge", "ballot", "answer", "elect", "most_entries"
)  # fmt: skip
"""What a game must have."""

REQUIRED = (-np.inf, 0.0, 1.0)
"""The margins that rules require: none (mistakes only), 0, and 1."""

Judged = tuple[Verdict, Ints, Floats]
"""A verdict and the entries that were written: where, and the amounts."""


def check(game: Game, truths: Sequence[Any], *, draws: int = 8, seed: int = 0) -> Check:
    """Check a game for what the learner relies on, in rounds with these truths and drawn scores.

    The judge must write entries for rows, outputs and structure weights that exist, and its margin must be
    the sum of their scores. It must change nothing else, and be deterministic. Heads must not share an
    output. Judge and ballot must compile, and then return the same. A sample can refute a game and never
    prove one.

    Parameters
    ----------
    game
        The game to check.
    truths
        The truth of each round: one value, or a list with one for each of its rows, which may be vectors.
    draws
        How often to draw scores for each round.
    seed
        The seed of the random scores.

    Examples
    --------
    >>> from rosenblatt import games
    >>> games.check(games.Argmax(3), [0, 1, 2]).ok
    True
    >>> print(games.check(games.Ranking("top"), [[2, 0, 1], [0, 0]]))
    Ranking(strategy='top'): no fault in 48 cases
    """
    missing = [name for name in MEMBERS if not hasattr(game, name)]
    if missing:
        return Check(f"{game!r:.100}", 0, (f"The game has no {', '.join(missing)}.",))
    trial = _Trial(game, [_as_truths(each) for each in truths], np.random.default_rng(seed))
    for truth in trial.truths:
        for _ in range(draws):
            trial.judge(truth)
    trial.check_heads()
    trial.vote()
    return Check(f"{game!r:.100}", trial.cases, tuple(trial.faults.values()))


def _as_truths(truth: Any) -> Array:
    """The truths of one round, in the types that loops are compiled for."""
    values = np.atleast_1d(np.asarray(truth))
    if values.dtype.kind not in "biu":
        return values
    return values.astype(np.int8 if values.ndim == 2 else np.int64)


class _Trial:
    """A game tried in some rounds; of every kind of fault the first is kept."""

    def __init__(self, game: Game, truths: list[Array], random: np.random.Generator) -> None:
        self.game, self.truths, self._random = game, truths, random
        self.cases = 0
        self.faults: dict[str, str] = {}
        self._outputs: dict[int, set[int]] = {}
        self._learned: set[int] = set()

    def judge(self, truth: Array) -> None:
        """Try the judge in one round, on every head and for every required margin."""
        scores, structure = self._drawn(len(truth))
        for head in range(self.game.heads):
            for required in REQUIRED:
                self.cases += 1
                self._judge(scores, structure, truth, head, required)

    def _drawn(self, rows: int) -> tuple[Floats, Floats]:
        """Draw scores and the structure weights that entries moved: small integers, or any numbers."""
        shape, structure = (rows, self.game.outputs), np.array(self.game.structure, float)
        learned = sorted(self._learned)
        if self._random.random() < 0.5:
            structure[learned] += self._random.integers(-2, 3, len(learned))
            return self._random.integers(-2, 3, shape).astype(float), structure
        structure[learned] += self._random.normal(size=len(learned))
        return self._random.normal(size=shape), structure

    def _judge(self, scores: Floats, structure: Floats, truth: Array, head: int, required: float) -> None:
        given = (scores.copy(), structure.copy(), truth.copy())
        try:
            first = self._written(verdict, *given, head, required)
            again = self._written(verdict, *given, head, required)
        except ValueError as fault:
            self.faults.setdefault("judge", str(fault))
            return
        if not _same(first, again) or not all(map(np.array_equal, given, (scores, structure, truth))):
            self._note("pure", "judge must write to where and amount only, and return the same for the same")
            return
        self._check_entries(scores, structure, head, first)
        try:
            compiled = self._written(lambda game, *rest: alone(game.judge)(*rest), *given, head, required)
        except Exception as fault:  # of the judge, or of the compiler
            self.faults.setdefault("compiled", str(fault))
            return
        if not _same(first, compiled):
            self._note("compiled", f"judge returns {compiled[0]} if it is compiled and {first[0]} if not")

    def _written(self, judge: Callable[..., Verdict], *given: Any) -> Judged:
        most = self.game.most_entries(len(given[0]))
        where, amount = np.empty((most, 2), np.int64), np.empty(most)
        found = judge(self.game, *given, where, amount)
        return found, where[: found[0]], amount[: found[0]]

    def _check_entries(self, scores: Floats, structure: Floats, head: int, judged: Judged) -> None:
        """Check that the entries add up to the margin; record the outputs and structure weights moved."""
        (count, margin, wrong, _), where, amount = judged
        on_rows = where[:, 0] >= 0
        row, output = where[on_rows].T
        self._outputs.setdefault(head, set()).update(output.tolist())
        self._learned.update(where[~on_rows, 1].tolist())
        if wrong and not count:
            self._note("entries", "judge calls an answer wrong and writes no entry that corrects it")
        total = scores[row, output] @ amount[on_rows] + structure[where[~on_rows, 1]] @ amount[~on_rows]
        if count and np.isfinite(total) and not np.isclose(margin, total, rtol=1e-9, atol=1e-9):
            self._note("margin", f"judge returns the margin {margin:.6g}, and its entries make {total:.6g}")

    def check_heads(self) -> None:
        """Check that no two heads moved the same output."""
        moved = [output for outputs in self._outputs.values() for output in outputs]
        if len(moved) > len(set(moved)):
            self._note("heads", "heads of the game share an output, and must not")

    def vote(self) -> None:
        """Try ballot, answer and elect on all rounds together."""
        starts = np.cumsum([0, *map(len, self.truths)]).astype(np.int64)
        scores, structure = self._drawn(int(starts[-1]))
        try:
            tally = self._tally(self.game.ballot, scores, structure, starts)
            if not np.array_equal(tally, self._tally(alone(self.game.ballot), scores, structure, starts)):
                self._note("compiled ballot", "ballot counts other votes if it is compiled")
            rounds = np.tile(structure, (len(starts) - 1, 1))
            self._check_answers("answer", self.game.answer(scores, rounds, starts), starts)
            self._check_answers("elect", self.game.elect(tally.T, starts), starts)
        except Exception as fault:  # of the game, or of the compiler
            self._note(
                "ballot", f"ballot, answer or elect of the game raised {type(fault).__name__}: {fault}"
            )

    def _tally(self, ballot: Callable[..., Any], scores: Floats, structure: Floats, starts: Ints) -> Floats:
        tally, given = np.zeros((self.game.alternatives, len(scores))), np.ascontiguousarray(scores.T)
        for head in range(self.game.heads):
            ballot(given, structure.copy(), starts, head, 1.0, tally)
        if not np.array_equal(given.T, scores) or not np.isfinite(tally).all():
            self._note("ballot", "ballot must add finite votes to the tally and change nothing else")
        return tally

    def _check_answers(self, name: str, answers: Any, starts: Ints) -> None:
        if len(answers) not in (len(starts) - 1, starts[-1]):
            self._note(name, f"method {name} must return one answer per round or row. Got {len(answers)}")

    def _note(self, kind: str, what: str) -> None:
        self.faults.setdefault(kind, f"The {what}.")


def _same(first: Judged, second: Judged) -> bool:
    """Whether two verdicts with their entries are the same, up to rounding."""
    (verdict, where, amount), (other, elsewhere, differently) = first, second
    return (
        verdict[0] == other[0]
        and np.allclose(verdict, other, rtol=1e-9, atol=1e-12)
        and np.array_equal(where, elsewhere)
        and np.allclose(amount, differently, rtol=1e-9, atol=1e-12)
    )
