"""Why an online learner without a kernel says what it says: its features by name, weight × value."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.run import Run
from rosenblatt.online.reading import Reader
from rosenblatt.rows import Csr
from rosenblatt.theory.attributions import Attribution, ordered, taken_apart

BESIDE = {1: "above", -1: "below", 0: "equal"}
"""What a row is to another, by the sign of the difference of their scores."""


def of_class(
    run: Run, predictor: str, reader: Reader, x: Any, classes: list[Any], answer: Any, label: Any
) -> Attribution:
    """Return what makes the score of a class: by default the predicted one, or the second of two."""
    chosen = chosen_class(classes, answer, label)
    output, sign = (0, 2 * chosen - 1) if len(classes) == 2 else (chosen, 1)
    parts = _parts(run, predictor, reader, reader.row(x), output)
    return ordered(
        parts[0], sign * parts[1], parts[2], sign * parts[3], answer=answer, output=classes[chosen]
    )


def chosen_class(classes: list[Any], answer: Any, label: Any) -> int:
    """Return the index of the class to explain; raise ValueError if there is none."""
    if len(classes) < 2:
        raise ValueError(
            f"There is nothing to explain before two classes are known. Got {len(classes)}: call add_example."
        )
    if label is None:
        return 1 if len(classes) == 2 else classes.index(answer)
    if label not in classes:
        raise ValueError(f"label must be one of {', '.join(map(repr, classes))}. Got {label!r}.")
    return classes.index(label)


def of_row(run: Run, predictor: str, reader: Reader, x: Any, over: Any) -> Attribution:
    """Return what makes the score of a row, or of that minus another's."""
    if over is None:
        parts = _parts(run, predictor, reader, reader.row(x), 0)
        return ordered(*parts, answer=None, output="the row")
    row = _difference(reader.row(x), reader.row(over))
    named, weight, value, _ = _parts(run, predictor, reader, row, 0)
    answer = BESIDE[int(np.sign(weight @ value))]
    return ordered(named, weight, value, 0.0, answer=answer, output="the row over the other")


def _parts(
    run: Run, predictor: str, reader: Reader, row: Csr, output: int
) -> tuple[list[str], Any, Any, float]:
    """Return what makes the score of a row, as `taken_apart` does."""
    features, values = np.asarray(row.features, np.int64), np.asarray(row.values)
    names = reader.state[2].names() if reader.named else None
    return taken_apart(run, predictor, output, features, values, names)


def _difference(first: Csr, second: Csr) -> Csr:
    """Return the first row minus the second."""
    features = np.concatenate([first.features, second.features]).astype(np.int64)
    distinct, inverse = np.unique(features, return_inverse=True)
    values = np.bincount(inverse, weights=np.concatenate([first.values, -second.values]))
    return Csr(np.array([0, len(distinct)]), distinct, values.astype(np.float64), first.width)
