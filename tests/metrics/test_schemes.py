"""Schemes of spans: forbidden transitions, spans of labels, conversion and metrics."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import metrics, schemes
from rosenblatt.schemes import Span, convert, forbidden, spans

NAMES = ("IOB1", "IOB2", "BILOU", "BIOES")


@st.composite
def spans_of(draw):
    """Draw the number of tokens, and spans among them, some of them adjacent."""
    length, at, found = draw(st.integers(0, 12)), 0, []
    while at < length:
        size = draw(st.integers(0, 3))
        if size and at + size <= length:
            found.append(Span(draw(st.sampled_from(["LOC", "PER"])), at, at + size))
        at += max(size, 1)
    return length, found


def written(length, found, scheme):
    """Return the labels of these spans by the definition of the scheme."""
    labels, before = ["O"] * length, None
    for span in found:
        tags = ["I"] * (span.end - span.start)
        if scheme == "IOB2" or (
            scheme == "IOB1" and before and before.end == span.start and before.type == span.type
        ):
            tags[0] = "B"
        elif scheme in ("BILOU", "BIOES"):
            tags[0], tags[-1] = "B", "L" if scheme == "BILOU" else "E"
            if len(tags) == 1:
                tags = ["U" if scheme == "BILOU" else "S"]
        labels[span.start : span.end] = [f"{tag}-{span.type}" for tag in tags]
        before = span
    return labels


@given(spans_of(), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_convert_keeps_the_spans(case, scheme, other):
    length, found = case
    labels = written(length, found, scheme)
    assert spans(labels) == spans(labels, scheme) == found
    assert convert(labels, other) == written(length, found, other)


def all_labels(scheme):
    return ["O", *(f"{tag}-{kind}" for tag in schemes.TAGS[scheme] if tag != "O" for kind in ("LOC", "PER"))]


@pytest.mark.parametrize("scheme", NAMES)
def test_forbidden_allows_exactly_the_paths_of_the_scheme(scheme):
    labels = all_labels(scheme)
    bad = forbidden(labels, scheme)
    for length in (1, 2, 3):
        for path in product(range(len(labels)), repeat=length):
            named = [labels[label] for label in path]
            allowed = not bad & {*pairwise([len(labels), *path, len(labels)])}
            assert allowed == (written(length, spans(named), scheme) == named), named


def test_schemes_reject_unknown_names_and_labels():
    with pytest.raises(ValueError, match=r"one of IOB1, IOB2, BIO, BILOU, BIOES, IOBES. Got 'CRAZY'"):
        forbidden(["O"], "CRAZY")
    with pytest.raises(ValueError, match="Got 'NN'"):
        spans(["NN"])
    with pytest.raises(ValueError, match="Got 'E-LOC'"):
        forbidden(["O", "E-LOC"], "IOB2")
    with pytest.raises(ValueError, match="Got 3"):
        spans([3])


def test_spans_rejects_tags_of_two_characters():
    with pytest.raises(ValueError, match="Got 'BI-LOC'"):
        spans(["BI-LOC"])


def test_spans_is_strict_with_iob1():
    assert spans(["B-LOC", "I-LOC"], "IOB1") == []
    assert spans(["I-LOC", "B-LOC"], "IOB1") == [Span("LOC", 0, 1), Span("LOC", 1, 2)]


def test_token_accuracy_rejects_flat_labels():
    with pytest.raises(ValueError, match=r"labels of a sequence are a list. Got 'NN'"):
        metrics.token_accuracy(["NN", "VB"], ["NN", "VC"])


def test_spans_accepts_types_with_dashes():
    assert spans(["B-work-of-art", "I-work-of-art"]) == [Span("work-of-art", 0, 2)]


# --- metrics ---

TAGS = st.sampled_from(["O", "B-LOC", "I-LOC", "B-PER", "I-PER", "E-LOC", "S-PER", "I-MISC"])
CASES = st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=8), min_size=1, max_size=5)


@given(CASES)
def test_span_report_matches_seqeval(cases):
    seqeval = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
    true, answered = ([[pair[side] for pair in case] for case in cases] for side in (0, 1))
    report = metrics.span_report(true, answered)
    theirs = [
        measure(true, answered, zero_division=0)
        for measure in (seqeval.precision_score, seqeval.recall_score, seqeval.f1_score)
    ]
    mine = (report.overall.precision, report.overall.recall, report.overall.f1)
    assert mine == pytest.approx(tuple(theirs))
    if not report.types:
        return
    per_type = seqeval.classification_report(true, answered, output_dict=True, zero_division=0)
    for name, score in report.types.items():
        assert score.f1 == pytest.approx(per_type[name]["f1-score"])
        assert score.support == per_type[name]["support"]


@pytest.mark.parametrize("scheme", ["IOB2", "IOBES", "BILOU"])
@given(st.data())
def test_span_report_matches_seqeval_in_strict_mode(scheme, data):
    seqeval = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
    from seqeval import scheme as theirs

    kinds = {"IOB2": theirs.IOB2, "IOBES": theirs.IOBES, "BILOU": theirs.BILOU}
    tag = st.sampled_from(all_labels(schemes.SCHEMES[scheme]))
    cases = data.draw(st.lists(st.lists(st.tuples(tag, tag), min_size=1, max_size=8), min_size=1, max_size=4))
    true, answered = ([[pair[side] for pair in case] for case in cases] for side in (0, 1))
    score = metrics.span_report(true, answered, scheme).overall
    found = [
        measure(true, answered, mode="strict", scheme=kinds[scheme], zero_division=0)
        for measure in (seqeval.precision_score, seqeval.recall_score, seqeval.f1_score)
    ]
    assert (score.precision, score.recall, score.f1) == pytest.approx(tuple(found))


def test_token_and_sequence_accuracy_count_matches():
    true, answered = [["A", "B"], ["A"], []], [["A", "A"], ["A"], []]
    assert metrics.token_accuracy(true, answered) == 2 / 3
    assert metrics.sequence_accuracy(true, answered) == 2 / 3
    assert metrics.token_accuracy([], []) == metrics.sequence_accuracy([], []) == 1.0


def test_metrics_reject_answers_of_another_length():
    with pytest.raises(ValueError, match="Got 2 and 1 in sequence 1"):
        metrics.token_accuracy([["A"], ["A", "B"]], [["A"], ["A"]])
    with pytest.raises(ValueError, match="Got 1 and 2"):
        metrics.span_f1([["O"]], [["O"], ["O"]])
