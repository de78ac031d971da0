"""Why a guess answered as it did: importance × similarity of the stored examples, summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Run
from rosenblatt.rows import Rows


@dataclass(frozen=True, eq=False)
class Explanation:
    """The stored examples behind one score, the most important first.

    Parameters
    ----------
    answer
        The answer of the learner; None if a score is all there is.
    output
        The class whose score this is.
    score
        The sum of all contributions and of `start`.
    examples
        The ids of the stored examples.
    labels
        Their labels.
    importance
        α_j: the coefficient of each.
    similarity
        K(x_j, x).
    start
        The contribution of v_0: 0 unless it was random.
    """

    answer: Any
    output: Any
    score: float
    examples: Ints
    labels: Array
    importance: Floats
    similarity: Floats
    start: float = 0.0

    @property
    def contribution(self) -> Floats:
        """Importance × similarity; these and `start` add up to the score."""
        return self.importance * self.similarity

    def __len__(self) -> int:
        return len(self.examples)

    def __str__(self) -> str:
        return self.table()

    def table(self, most: int = 10) -> str:
        """The most important examples as text."""
        lines = [f"{'example':>8}  {'label':>8}  {'importance':>11}  {'similarity':>11}  {'product':>11}"]
        shown = zip(
            self.examples, self.labels, self.importance, self.similarity, self.contribution, strict=True
        )
        for number, label, importance, similarity, product in list(shown)[:most]:
            lines.append(
                f"{number:>8}  {label!s:>8}  {importance:>+11.5g}  {similarity:>11.5g}  {product:>+11.5g}"
            )
        if len(self) > most:
            rest = self.contribution[most:].sum()
            lines.append(f"{'':>8}  {'':>8}  {f'and {len(self) - most} more':>24}  {rest:>+11.5g}")
        if self.start:
            lines.append(f"{'':>8}  {'':>8}  {'the random start':>24}  {self.start:>+11.5g}")
        lines.append(conclusion(self.output, self.score, self.answer))
        return "\n".join(lines)


def conclusion(output: Any, score: float, answer: Any) -> str:
    """Return the last line of a table: a score, and the answer if there is one."""
    so = "" if answer is None else f"; the answer is {answer!s}"
    return f"The score of {output!s} is {score:+.5g}{so}."


def no_single_guess(predictor: str) -> str:
    """Return the error about a predictor whose answers are no scores of one guess."""
    return (
        f"explain takes a score apart, and {predictor!r} has none: it is a choice among guesses. "
        "Ask for 'last', 'best', 'average' or 'recent', as in explain(x, predictor='average')."
    )


def parts(run: Run, row: Rows, predictor: str, output: int) -> tuple[Ints, Floats, Floats, float]:
    """Return example ids, importances and similarities behind the score of a row, and the part of v_0.

    Of two rows, it is the score of the first minus that of the second.
    """
    if predictor not in predictors.GUESSES:
        raise ValueError(no_single_guess(predictor))
    predictors.check_kept(run, "explain")
    index, outputs, amount = run.single_guess(predictor).entries
    mine = (outputs == output) & (amount != 0)
    index, amount = index[mine], amount[mine]
    support = run.support
    used = support.rows.take(index)
    similarity = _first_minus_second(support.similarities(row, used)) if len(index) else np.empty(0)
    order = np.argsort(-np.abs(amount * similarity), kind="stable")
    start = float(_first_minus_second(run.hypothesis.first_scores(row))[output])
    return used.ids[order], amount[order], similarity[order], start


def _first_minus_second(values: Floats) -> Floats:
    """Return the first line, minus the second if there is one."""
    lines = values.astype(np.float64)
    return np.asarray(lines[0] if len(lines) == 1 else lines[0] - lines[1])
