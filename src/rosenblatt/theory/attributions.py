"""Why a guess without a kernel answered as it did: weight × value of the features, summed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Run
from rosenblatt.rows import Rows
from rosenblatt.theory.explanations import conclusion, no_single_guess


@dataclass(frozen=True, eq=False)
class Attribution:
    """The features behind one score, the most important first.

    Parameters
    ----------
    answer
        The answer of the learner; None if a score is all there is.
    output
        The class whose score this is.
    score
        The sum of all contributions and of the intercept.
    features
        The names of the features; of arrays, their indices.
    weight
        The weight of each in the guess.
    value
        The value of each in the example.
    intercept
        The contribution of the constant feature.
    """

    answer: Any
    output: Any
    score: float
    features: list[Any]
    weight: Floats
    value: Floats
    intercept: float = 0.0

    @property
    def contribution(self) -> Floats:
        """Weight × value; these and `intercept` add up to the score."""
        return self.weight * self.value

    def __len__(self) -> int:
        return len(self.features)

    def __str__(self) -> str:
        return self.table()

    def table(self, most: int = 10) -> str:
        """Return the most important features as text."""
        width = max([len(f"{name!s:.40}") for name in self.features[:most]], default=0)
        width = max(width, len("intercept"))
        lines = [f"{'feature':>{width}}  {'weight':>11}  {'value':>11}  {'product':>11}"]
        shown = zip(self.features, self.weight, self.value, self.contribution, strict=True)
        for name, weight, value, product in list(shown)[:most]:
            lines.append(f"{name!s:>{width}.40}  {weight:>+11.5g}  {value:>11.5g}  {product:>+11.5g}")
        if len(self) > most:
            rest = self.contribution[most:].sum()
            lines.append(f"{'':>{width}}  {f'and {len(self) - most} more':>24}  {rest:>+11.5g}")
        if self.intercept:
            lines.append(f"{'intercept':>{width}}  {'':>24}  {self.intercept:>+11.5g}")
        lines.append(conclusion(self.output, self.score, self.answer))
        return "\n".join(lines)


def weights_of(run: Run, predictor: str, output: int, features: Ints) -> tuple[Floats, float]:
    """Return the weights of features in one output of a guess, 0 for unknown ones; and the intercept."""
    if predictor not in predictors.GUESSES:
        raise ValueError(no_single_guess(predictor))
    explained_by("features", run)
    weights = run.single_guess(predictor).weights[:, output].astype(np.float64)
    known = (features >= 0) & (features < len(weights) - 1)
    return np.where(known, weights[np.where(known, features, 0)], 0.0), run.support.constant * weights[-1]


def attributed(
    run: Run,
    row: Rows,
    predictor: str,
    output: int,
    names: Any = None,
    *,
    sign: int = 1,
    asked: Callable[[float], tuple[Any, Any]],
) -> Attribution:
    """Return the attribution of the score of one row, or of its negative by `sign`.

    Parameters
    ----------
    names
        The names of features, by index; None for `x[0]` and so on.
    asked
        Returns, for the score, the answer and what has the score.
    """
    data = sp.csr_array(row.data)
    weight, intercept = weights_of(run, predictor, output, data.indices)
    weight, value = sign * weight, data.data.astype(np.float64)
    contribution, intercept = weight * value, sign * float(intercept)
    order = np.argsort(-np.abs(contribution), kind="stable")
    order = order[contribution[order] != 0]
    score = float(contribution.sum() + intercept)
    answer, what = asked(score)
    return Attribution(
        answer=answer,
        output=what,
        score=score,
        features=[f"x[{i}]" if names is None else str(names[i]) for i in data.indices[order].tolist()],
        weight=weight[order],
        value=value[order],
        intercept=intercept,
    )


def explained_by(by: str | None, run: Run) -> str:
    """Return what a score is taken apart by, by default features without a kernel."""
    if by not in (None, "features", "examples"):
        raise ValueError(f"by must be one of 'features', 'examples'. Got {by!r}.")
    if by == "features" and run.kernel is not None:
        raise ValueError(
            "Features have weights in a learner without a kernel only. Got by='features' with "
            f"{run.kernel!r}: use by='examples'."
        )
    return by or ("features" if run.kernel is None else "examples")
