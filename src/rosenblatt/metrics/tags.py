"""How good labels are: per token, per sequence, and per span as the shared tasks count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rosenblatt.schemes import spans

Labels = Sequence[Sequence[Any]]


def _check(y_true: Labels, y_pred: Labels) -> None:
    if len(y_true) != len(y_pred):
        raise ValueError(f"There must be as many sequences of each. Got {len(y_true)} and {len(y_pred)}.")
    for number, (true, answered) in enumerate(zip(y_true, y_pred, strict=True)):
        if isinstance(true, str) or isinstance(answered, str):
            raise ValueError(
                f"The labels of a sequence are a list. Got {true!r} and {answered!r} as sequence {number}: "
                "for one sequence, pass lists of one."
            )
        if len(true) != len(answered):
            raise ValueError(
                "A sequence must have as many true labels as answers. "
                f"Got {len(true)} and {len(answered)} in sequence {number}."
            )


def token_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """The share of tokens with the right label; 1 if there is no token."""
    _check(y_true, y_pred)
    total = sum(map(len, y_true))
    right = sum(
        t == p
        for true, answered in zip(y_true, y_pred, strict=True)
        for t, p in zip(true, answered, strict=True)
    )
    return right / total if total else 1.0


def sequence_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """The share of sequences in which all labels are right; 1 if there is no sequence."""
    _check(y_true, y_pred)
    pairs = list(zip(y_true, y_pred, strict=True))
    return sum(list(true) == list(answered) for true, answered in pairs) / len(pairs) if pairs else 1.0


@dataclass(frozen=True)
class Score:
    """How many spans there are, were answered, and were answered right."""

    there: int
    answered: int
    right: int

    @property
    def precision(self) -> float:
        """The share of the answers that are right; 0 if there is none."""
        return self.right / self.answered if self.answered else 0.0

    @property
    def recall(self) -> float:
        """The share of what is there that was found; 0 if there is nothing."""
        return self.right / self.there if self.there else 0.0

    @property
    def f1(self) -> float:
        """2 · precision · recall / (precision + recall); 0 where both are."""
        return 2 * self.right / (self.there + self.answered) if self.there + self.answered else 0.0


@dataclass(frozen=True)
class SpanReport:
    """Scores of all spans together, and of every type."""

    overall: Score
    types: dict[str, Score]

    def __str__(self) -> str:
        width = max([7, *map(len, self.types)])
        lines = [f"{'':{width}}  precision  recall      F1   there  answered"]
        for name, score in [("overall", self.overall), *sorted(self.types.items())]:
            lines.append(
                f"{name:{width}}  {score.precision:9.2%} {score.recall:7.2%} {score.f1:7.2%} "
                f"{score.there:7} {score.answered:9}"
            )
        return "\n".join(lines)


def span_report(y_true: Labels, y_pred: Labels, scheme: str | None = None) -> SpanReport:
    """Precision, recall and F1 of spans: one is right if its type and both ends are.

    Parameters
    ----------
    y_true, y_pred
        Labels of every sequence.
    scheme
        None to read labels as conlleval does; the name of a scheme to count only what it allows, as
        seqeval does in its strict mode.

    Examples
    --------
    >>> print(span_report([["B-LOC", "I-LOC", "O", "B-PER"]], [["B-LOC", "I-LOC", "O", "O"]]))
             precision  recall      F1   there  answered
    overall    100.00%  50.00%  66.67%       2         1
    LOC        100.00% 100.00% 100.00%       1         1
    PER          0.00%   0.00%   0.00%       1         0
    """
    _check(y_true, y_pred)
    there, answered, right = Counter[str](), Counter[str](), Counter[str]()
    for true, guessed in zip(y_true, y_pred, strict=True):
        expected, found = set(spans(true, scheme)), set(spans(guessed, scheme))
        there.update(span.type for span in expected)
        answered.update(span.type for span in found)
        right.update(span.type for span in expected & found)
    types = {name: Score(there[name], answered[name], right[name]) for name in there | answered}
    return SpanReport(Score(there.total(), answered.total(), right.total()), types)


def span_f1(y_true: Labels, y_pred: Labels, scheme: str | None = None) -> float:
    """The F1 of all spans together."""
    return span_report(y_true, y_pred, scheme).overall.f1


METRICS: dict[str, Callable[[Labels, Labels], float]] = {
    "token_accuracy": token_accuracy,
    "sequence_accuracy": sequence_accuracy,
    "span_f1": span_f1,
}
"""What a tagger can be scored by, and stop early by."""
