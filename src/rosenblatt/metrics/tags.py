"""Metrics of label sequences: per token, per sequence, and per span as the shared tasks count."""

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
    for index, (true, predicted) in enumerate(zip(y_true, y_pred, strict=True)):
        if isinstance(true, str) or isinstance(predicted, str):
            raise ValueError(
                f"The labels of a sequence are a list. Got {true!r} and {predicted!r} as sequence {index}: "
                "for one sequence, pass lists of one."
            )
        if len(true) != len(predicted):
            raise ValueError(
                "A sequence must have as many true labels as predicted ones. "
                f"Got {len(true)} and {len(predicted)} in sequence {index}."
            )


def token_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """Return the share of tokens with the correct label; 1 if there is no token."""
    _check(y_true, y_pred)
    total = sum(map(len, y_true))
    correct = sum(
        t == p
        for true, predicted in zip(y_true, y_pred, strict=True)
        for t, p in zip(true, predicted, strict=True)
    )
    return correct / total if total else 1.0


def sequence_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """Return the share of sequences in which all labels are correct; 1 if there is no sequence."""
    _check(y_true, y_pred)
    pairs = list(zip(y_true, y_pred, strict=True))
    return sum(list(true) == list(predicted) for true, predicted in pairs) / len(pairs) if pairs else 1.0


@dataclass(frozen=True)
class Score:
    """Counts of true spans (the support), of predicted spans, and of correctly predicted ones."""

    support: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """The share of predicted spans that are correct; 0 if none is predicted."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of true spans that are predicted; 0 if there is none."""
        return self.correct / self.support if self.support else 0.0

    @property
    def f1(self) -> float:
        """2 · precision · recall / (precision + recall); 0 if both are 0."""
        return 2 * self.correct / (self.support + self.predicted) if self.support + self.predicted else 0.0


@dataclass(frozen=True)
class SpanReport:
    """The scores of all spans together and of every type."""

    overall: Score
    types: dict[str, Score]

    def __str__(self) -> str:
        width = max([7, *map(len, self.types)])
        lines = [f"{'':{width}}  precision  recall      F1  support  predicted"]
        for name, score in [("overall", self.overall), *sorted(self.types.items())]:
            lines.append(
                f"{name:{width}}  {score.precision:9.2%} {score.recall:7.2%} {score.f1:7.2%} "
                f"{score.support:8} {score.predicted:10}"
            )
        return "\n".join(lines)


def span_report(y_true: Labels, y_pred: Labels, scheme: str | None = None) -> SpanReport:
    """Return precision, recall and F1 of spans; a span is correct if its type and both ends are.

    Parameters
    ----------
    y_true, y_pred
        Labels of every sequence.
    scheme
        None to read labels as conlleval does; the name of a scheme to count only spans that it allows, as
        seqeval does in its strict mode.

    Examples
    --------
    >>> print(span_report([["B-LOC", "I-LOC", "O", "B-PER"]], [["B-LOC", "I-LOC", "O", "O"]]))
             precision  recall      F1  support  predicted
    overall    100.00%  50.00%  66.67%        2          1
    LOC        100.00% 100.00% 100.00%        1          1
    PER          0.00%   0.00%   0.00%        1          0
    """
    _check(y_true, y_pred)
    support, predicted, correct = Counter[str](), Counter[str](), Counter[str]()
    for labels, answer in zip(y_true, y_pred, strict=True):
        expected, found = set(spans(labels, scheme)), set(spans(answer, scheme))
        support.update(span.type for span in expected)
        predicted.update(span.type for span in found)
        correct.update(span.type for span in expected & found)
    types = {name: Score(support[name], predicted[name], correct[name]) for name in support | predicted}
    return SpanReport(Score(support.total(), predicted.total(), correct.total()), types)


def span_f1(y_true: Labels, y_pred: Labels, scheme: str | None = None) -> float:
    """Return the F1 of all spans together."""
    return span_report(y_true, y_pred, scheme).overall.f1


METRICS: dict[str, Callable[[Labels, Labels], float]] = {
    "token_accuracy": token_accuracy,
    "sequence_accuracy": sequence_accuracy,
    "span_f1": span_f1,
}
"""The metrics for scoring a tagger and for its early stopping."""
