"""What makes the score of a class: features, weight × value, or support vectors, importance × similarity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.engine.run import Run
from rosenblatt.rows import Rows
from rosenblatt.tasks.label_sets import shown
from rosenblatt.theory import explanations
from rosenblatt.theory.attributions import Attribution, attributed


class Explained:
    """The explanations of a task of classification."""

    run: Run
    classes: Array
    answers: Callable[..., Any]
    support_labels: Callable[[], Array]

    def explain(self, row: Rows, predictor: str, label: Any = None) -> explanations.Explanation:
        """Explain the score of one row for a class by support vectors.

        The class is by default the predicted one, or the second of two.
        """
        answer, chosen, output, sign = self.asked(row, predictor, label)
        ids, importance, similarity, start = explanations.parts(self.run, row, predictor, output)
        return explanations.Explanation(
            answer=answer,
            output=self.classes[chosen],
            score=sign * float(self.run.single_guess(predictor).scores(row).scores[0, output]),
            examples=ids,
            labels=self.support_labels()[self.run.support.indices(ids)],
            importance=sign * importance,
            similarity=similarity,
            start=sign * start,
        )

    def attribution(self, row: Rows, predictor: str, label: Any = None, names: Any = None) -> Attribution:
        """Explain the same score by the features that count; `names` has their names by index."""
        answer, chosen, output, sign = self.asked(row, predictor, label)
        about = answer, self.classes[chosen]
        return attributed(self.run, row, predictor, output, names, sign=sign, asked=lambda _: about)

    def asked(self, row: Rows, predictor: str, label: Any) -> tuple[Any, int, int, int]:
        """Return the answer, and a class, the output with its score, and the sign of the class in that."""
        answer = self.answers(row, predictor)[0]
        return answer, *self._to_explain(answer, label)

    def _to_explain(self, answer: Any, label: Any) -> tuple[int, int, int]:
        """Return a class, the output with its score, and the sign of the class in that output."""
        classes = self.classes.tolist()
        if label is not None and label not in classes:
            raise ValueError(f"label must be one of {shown(self.classes)}. Got {label!r}.")
        outputs = self.run.game.outputs
        if outputs == 1 and len(classes) == 2:
            chosen = 1 if label is None else classes.index(label)
            return chosen, 0, 2 * chosen - 1
        if outputs == 1 and label is None:  # one score decides among all classes
            return classes.index(answer), 0, 1
        if outputs != len(classes):
            raise ValueError(
                f"A game must have a score of the class {(answer if label is None else label)!r} to explain "
                f"it. Got {self.run.game!r:.100}, with {outputs} scores for {len(classes)} classes."
            )
        chosen = int(np.flatnonzero(self.classes == answer)[0]) if label is None else classes.index(label)
        return chosen, chosen, 1
