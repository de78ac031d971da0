"""Metrics of label sequences and of ranked lists."""

from rosenblatt.metrics.lists import (
    average_precision,
    ndcg,
    pairwise_accuracy,
    precision,
    reciprocal_rank,
    top_1,
)
from rosenblatt.metrics.tags import (
    Score,
    SpanReport,
    sequence_accuracy,
    span_f1,
    span_report,
    token_accuracy,
)

__all__ = [
    "Score",
    "SpanReport",
    "average_precision",
    "ndcg",
    "pairwise_accuracy",
    "precision",
    "reciprocal_rank",
    "sequence_accuracy",
    "span_f1",
    "span_report",
    "token_accuracy",
    "top_1",
]
