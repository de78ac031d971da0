"""Explanations, top features, transitions and pages of a tagger."""

import re

import numpy as np
import pytest

from fixtures.tagging_data import INPUTS, IOB, SENTENCES, TAGS
from rosenblatt import PerceptronTagger, kernels
from rosenblatt.features import between, word
from rosenblatt.tasks.tagging import views


@pytest.mark.parametrize(
    "kind",
    ["texts", "dicts", "crfpp pairs", "pairs", "arrays", "sparse", "kernel", "kernel on pairs", "hashed"],
)
@pytest.mark.parametrize("predictor", ["last", "average"])
def test_explain_reasons_add_up(kind, predictor):
    X, options = INPUTS[kind]
    tagger = PerceptronTagger(random_state=0, max_iter=3, predictor=predictor, **options).fit(X, TAGS)
    for sequence in X[:3]:
        (answer,) = tagger.predict([sequence])
        for i in range(len(answer)):
            found = tagger.explain(sequence, i)
            assert found.label == answer[i]
            assert sum(reason.amount for reason in found.reasons) == pytest.approx(found.ahead)
            changed = [*answer[:i], found.rival, *answer[i + 1 :]]
            scores = {tuple(path): score for path, score in tagger.n_best([sequence], 5**6)[0]}
            assert scores[tuple(answer)] - scores[tuple(changed)] == pytest.approx(found.ahead)


def test_explain_prints_as_text():
    tagger = PerceptronTagger(random_state=1, templates=[word[0], word[-1]]).fit(SENTENCES, TAGS)
    text = str(tagger.explain(["the", "cat"], -1))
    assert text.startswith("cat is NOUN rather than ")
    assert "word[-1]=the" in text
    assert "after DET" in text
    assert "at the end" in text
    assert "more" in tagger.explain(["the", "cat"], 1).table(most=1)


def test_explain_and_top_features_reject_bad_requests():
    tagger = PerceptronTagger(random_state=0).fit(SENTENCES, TAGS)
    with pytest.raises(ValueError, match=r"3 tokens, from 0 to 2. Got token 3"):
        tagger.explain(["a", "b", "c"], 3)
    with pytest.raises(ValueError, match="Got 'vote'"):
        tagger.explain(["a"], 0, predictor="vote")
    with pytest.raises(ValueError, match="only one label"):
        PerceptronTagger().fit([["a"]], [["X"]]).explain(["a"], 0)
    with pytest.raises(ValueError, match="Got 'X'"):
        tagger.top_features("X")
    with pytest.raises(ValueError, match="no weights of features"):
        PerceptronTagger(kernels.Linear()).fit(SENTENCES, TAGS).top_features("DET")


def test_top_features_and_transitions():
    tagger = PerceptronTagger(random_state=0, templates=[word[0], between(word[0])]).fit(SENTENCES, TAGS)
    names = [name for name, _ in tagger.top_features("DET", 2)]
    assert set(names) <= {"word[0]=the", "word[0]=a"}
    weights = [weight for _, weight in tagger.top_features("VERB", 99)]
    assert weights == sorted(weights, reverse=True)
    matrix = tagger.transitions_
    assert matrix.shape == (6, 6)
    assert np.isnan(matrix[-1, -1])
    bound = PerceptronTagger(scheme="IOB2", random_state=0).fit(SENTENCES[:2], IOB)
    labels = bound.classes_.tolist()
    assert bound.transitions_[labels.index("O"), labels.index("I-NP")] == -np.inf
    assert bound.transitions_[-1, labels.index("I-NP")] == -np.inf


def test_html_marks_spans_and_mistakes():
    tagger = PerceptronTagger(scheme="IOB2", random_state=0, max_iter=30).fit(SENTENCES[:2], IOB)
    page = tagger.html(SENTENCES[:1])
    assert page.startswith("<!doctype html>")
    assert page.count("<small>NP</small>") == 2
    assert "http" not in page
    assert "class=wrong" not in page
    wrong = tagger.html(SENTENCES[:1], [["O"] * 6])
    assert wrong.count("class=wrong") == 2
    assert "should be O O" in wrong
    tagger.calibrate(SENTENCES[:2], IOB)
    assert re.search(r"confidence \d\.\d\d", tagger.html(SENTENCES[:1]))


def test_html_rejects_missing_labels():
    with pytest.raises(ValueError, match=r"sequences of \[2\] tokens and \[1\] labels"):
        views.html([["a", "b"]], [["X"]])


def test_html_escapes_tokens_and_labels():
    page = views.html([["<script>", "b"]], [["B-<x>", "O"]], truths=[["B-<x>", "B-y"]], title="<t>")
    assert "<script>" not in page
    assert "<x>" not in page
    assert "<t>" not in page
    assert views.html([[("a", "N"), ["b"]], [{"word": "c"}]], [["N", "V"], ["N"]]).count("<mark") == 3 + 2
