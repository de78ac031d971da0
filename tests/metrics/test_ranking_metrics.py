"""Metrics of orders: against scikit-learn's, against LETOR's scripts as they are written, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score

from rosenblatt import metrics


@st.composite
def scored(draw):
    sizes = draw(st.lists(st.integers(2, 7), min_size=1, max_size=5))
    rows = sum(sizes)
    grades = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    scores = draw(st.permutations(range(rows)))
    return np.array(grades), np.array(scores, float), np.repeat(np.arange(len(sizes)), sizes)


def by_query(grades, scores, qid):
    for query in dict.fromkeys(qid.tolist()):
        mine = np.flatnonzero(qid == query)
        yield grades[mine], scores[mine]


@given(scored(), st.integers(1, 8))
def test_ndcg_is_scikit_learns(lists, k):
    mine = metrics.ndcg(*lists, k, gain="linear", per_query=True)
    theirs = [ndcg_score([g], [s], k=k) for g, s in by_query(*lists)]
    assert mine.tolist() == pytest.approx(theirs)
    exponential = [ndcg_score([2.0**g - 1], [s], k=k) for g, s in by_query(*lists)]
    assert metrics.ndcg(*lists, k, per_query=True).tolist() == pytest.approx(exponential)


@given(scored())
def test_map_is_scikit_learns(lists):
    mine = metrics.average_precision(*lists, per_query=True)
    theirs = [average_precision_score(g > 0, s) if (g > 0).any() else 0.0 for g, s in by_query(*lists)]
    assert mine.tolist() == pytest.approx(theirs)


def letor(grades, scores, k):
    """MAP, P@1 and NDCG@k of one query, step by step as LETOR's scripts count."""
    order = sorted(range(len(grades)), key=lambda i: -scores[i])
    rates = [int(grades[i]) for i in order]
    found, precisions = 0, []
    for rank, rate in enumerate(rates, 1):
        if rate > 0:
            found += 1
            precisions.append(found / rank)

    def dcg(rates):
        total = 0.0
        for i, rate in enumerate(rates[:k]):
            gain = 2**rate - 1
            total += gain if i < 2 else gain * math.log(2) / math.log(i + 1)
        return total

    best = dcg(sorted(rates, reverse=True))
    average = sum(precisions) / found if found else 0.0
    return average, float(rates[0] > 0), dcg(rates) / best if best else 0.0


@given(scored(), st.integers(1, 8), st.booleans())
def test_metrics_are_letors(lists, k, ties):
    grades, scores, qid = lists
    scores = scores // 2 if ties else scores
    theirs = np.array([letor(g, s, k) for g, s in by_query(grades, scores, qid)])
    mine = [
        metrics.average_precision(grades, scores, qid, per_query=True),
        metrics.precision(grades, scores, qid, per_query=True),
        metrics.ndcg(grades, scores, qid, k, discount="letor", per_query=True),
    ]
    assert np.allclose(np.transpose(mine), theirs)


@given(scored())
def test_pairwise_accuracy_top_1_and_reciprocal_rank_match_their_definition(lists):
    grades, scores, qid = lists
    right, first, found = [], [], []
    for g, s in by_query(grades, scores, qid):
        pairs = [(i, j) for i in range(len(g)) for j in range(len(g)) if g[i] > g[j]]
        right.append(np.mean([s[i] > s[j] for i, j in pairs]) if pairs else 0.0)
        first.append(float(g[np.argmax(s)] == g.max()) if pairs else 0.0)
        ranks = np.argsort(np.argsort(-s))[g > 0] + 1
        found.append(1 / ranks.min() if len(ranks) else 0.0)
    assert metrics.pairwise_accuracy(grades, scores, qid, per_query=True).tolist() == pytest.approx(right)
    assert metrics.top_1(grades, scores, qid, per_query=True).tolist() == first
    assert metrics.reciprocal_rank(grades, scores, qid, per_query=True).tolist() == pytest.approx(found)


@given(scored(), st.randoms(use_true_random=False))
def test_ndcg_accepts_scattered_queries(lists, random):
    grades, scores, qid = lists
    order = list(range(len(grades)))
    random.shuffle(order)
    assert metrics.ndcg(grades[order], scores[order], qid[order]) == pytest.approx(
        metrics.ndcg(grades, scores, qid)
    )


def test_metrics_of_queries_without_relevant_rows_follow_empty():
    lists = [1, 0, 0, 0], [2.0, 1.0, 1.0, 2.0], ["a", "a", "b", "b"]
    for metric in (metrics.ndcg, metrics.average_precision, metrics.reciprocal_rank, metrics.top_1):
        assert metric(*lists) == 0.5
        assert metric(*lists, empty=1.0) == 1.0
        assert metric(*lists, empty="skip") == 1.0
        assert np.isnan(metric(*lists, empty="skip", per_query=True)[1])
    with pytest.raises(ValueError, match="no query in which there is something"):
        metrics.ndcg([0, 0], [1, 2], [1, 1], empty="skip")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 0], [1.0], [1, 1]), {}, r"as many scores as grades\. Got 1 and 2"),
        (([1, np.nan], [1, 2], [1, 1]), {}, "y must be finite"),
        (([1, 0], [1, np.inf], [1, 1]), {}, "scores must be finite"),
        (([1, 0], [1, 2], [1]), {}, "query of each of the 2 rows"),
        (([1, 0], [1, 2], [1, np.nan]), {}, "NaN or infinity in row 1"),
        (([1, 0], [1, 2], ["a", None]), {}, "Got None for row 1"),
        (([[1, 0]], [1, 2], [1]), {}, r"Got shape \(1, 2\)"),
        (([], [], []), {}, "at least one row"),
        (([-1, 0], [1, 2], [1, 1]), {}, "at least 0 to gain"),
        (([2000, 0], [1, 2], [1, 1]), {}, "grades up to 1000"),
        (([1, 0], [1, 2], [1, 1]), {"k": 0}, "k must be an integer"),
        (([1, 0], [1, 2], [1, 1]), {"gain": "double"}, "gain must be one of"),
        (([1, 0], [1, 2], [1, 1]), {"discount": "none"}, "discount must be one of"),
        (([1, 0], [1, 2], [1, 1]), {"empty": "no"}, "a number or 'skip'"),
    ],
)
def test_ndcg_rejects_bad_input(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        metrics.ndcg(*arguments, **options)
