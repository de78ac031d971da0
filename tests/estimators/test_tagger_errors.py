"""Bad input to a tagger: the error says why, and the state stays as it was."""

import numpy as np
import pytest
import scipy.sparse as sp

from fixtures.tagging_data import DICTS, IOB, SENTENCES, TAGS, features
from rosenblatt import PerceptronTagger, kernels, online
from rosenblatt.features import between, word


def test_predict_rejects_non_finite_scores():
    tagger = PerceptronTagger(random_state=0).fit(DICTS, TAGS)
    for huge in (1.7e308, -1.7e308):
        with pytest.raises(ValueError, match="The score of row 1 is not a finite number"):
            tagger.predict([[{}, {"long": huge, "last": "t"}]])


@pytest.mark.parametrize(
    ("part", "number"), [("indptr", 10**8), ("indptr", -(10**7)), ("indices", 10**6), ("indices", -1)]
)
def test_tagger_rejects_broken_sparse_sequences(part, number):
    whole, broken = sp.csr_array(np.eye(3)), sp.csr_array(np.eye(3))
    getattr(broken, part)[1] = number
    tagger = PerceptronTagger(random_state=0).fit([whole], [["X", "Y", "Z"]])
    for ask in (
        lambda: tagger.predict([whole, broken]),
        lambda: tagger.fit([whole, broken], [["X", "Y", "Z"]] * 2),
        lambda: tagger.partial_fit([whole, broken], [["X", "Y", "Z"]] * 2),
    ):
        with pytest.raises(ValueError, match=r"the matrix is broken. It is sequence 1"):
            ask()
    with pytest.raises(ValueError, match=r"the matrix is broken"):
        tagger.fit(broken, ["X", "Y", "Z"], lengths=[2, 1])
    assert tagger.predict([whole]) == [["X", "Y", "Z"]]


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        (SENTENCES, TAGS[:2], {}, "Got 6 sequences and 2 of labels"),
        ([["a", "b"], ["c"]], [["X", "Y"], ["X", "Y"]], {}, "Got 1 tokens and 2 labels in sequence 1"),
        ([["a"]], ["X"], {}, "labels of a sequence are a list. Got 'X' for sequence 0"),
        ([["a"], ["b"]], [["X"], [None]], {}, "Got None at token 0 of sequence 1"),
        (["a b"], [["X", "Y"]], {}, "the string 'a b' as sequence 0"),
        (3, 4, {}, "X is a list with an entry for every sequence. Got 3"),
        (iter(SENTENCES), iter(TAGS[:2]), {}, "Got a sequence and no labels as number 2"),
        (SENTENCES, TAGS, {"templates": "Unigram.txt"}, "sees nothing"),
        (SENTENCES, TAGS, {"templates": 3}, "Got 3"),
        ([["a"], ["b"]], [["X"], [["Y"]]], {}, r"Got \['Y'\] at token 0 of sequence 1"),
        ([], [], {}, "Got 0 sequences without any"),
        ([[], []], [[], []], {}, "Got 2 sequences without any"),
        ("some words", ["X"], {}, "list of sequences"),
        ([["a", "b", "c"]], None, {}, "pairs"),
        (["a b"], [["X", "Y", "Z"]], {}, "the string 'a b' as sequence 0"),
        ([[1, 2]], [["X", "Y"]], {}, "Got 1, a int"),
        (SENTENCES, TAGS, {"templates": "nonsense"}, "begin with U or B"),
        (SENTENCES, TAGS, {"templates": [3]}, "Got 3"),
        (SENTENCES, TAGS, {"templates": [word], "features": features}, "Got both"),
        (SENTENCES, TAGS, {"features": 3}, "must be a function"),
        (SENTENCES, TAGS, {"scheme": "BLAH"}, "Got 'BLAH'"),
        (SENTENCES, TAGS, {"metric": "auc"}, "Got 'auc'"),
        (SENTENCES, TAGS, {"hashing": 0}, "hashing"),
        (SENTENCES, TAGS, {"n_iter_no_change": 0}, "n_iter_no_change must be"),
        (SENTENCES, TAGS, {"class_weight": {"X": 2}}, "names 'X', which does not occur, and leaves out"),
        (SENTENCES, TAGS, {"class_weight": 3}, "class_weight"),
        (SENTENCES, TAGS, {"max_iter": 0}, "max_iter"),
        (SENTENCES, TAGS, {"predictor": "mean"}, "predictor"),
        (SENTENCES, TAGS, {"transitions": "yes"}, "transitions"),
        (SENTENCES, TAGS, {"transitions": False, "templates": [between(word)]}, "transitions"),
        (SENTENCES, TAGS, {"keep_examples": False, "kernel": kernels.Linear()}, "keep_examples"),
        (np.ones((3, 2)), ["X"] * 3, {}, "lengths"),
    ],
)  # fmt: skip
def test_fit_rejects_bad_input(X, y, options, message):
    tagger = PerceptronTagger(**options)
    before = vars(tagger).copy()
    with pytest.raises(ValueError, match=message):
        tagger.fit(X, y)
    assert vars(tagger) == before


def test_errors_count_sequences_over_all_pieces(monkeypatch):
    monkeypatch.setattr("rosenblatt.tasks.tagging.reading.AT_ONCE", 2)
    with pytest.raises(ValueError, match="token 1 of sequence 5"):
        PerceptronTagger().fit([["a"]] * 5 + [["b", 3]], [["X"]] * 5 + [["X", "Y"]])
    tagger = PerceptronTagger().fit(SENTENCES, TAGS)
    monkeypatch.setattr("rosenblatt.estimators.decoding.DECODED", 2)
    with pytest.raises(ValueError, match="token 0 of sequence 3"):
        tagger.predict([["a", "b"], ["c"], ["a"], [3]])


def test_partial_fit_rejected_late_keeps_the_tagger_usable():
    learner = PerceptronTagger(scheme="IOB2").partial_fit(SENTENCES[:2], IOB)
    answers = learner.predict(SENTENCES)
    new = [[f"word{i}" for i in range(50)]]
    with pytest.raises(ValueError, match="does not allow"):
        learner.partial_fit(new, [["O", "I-NP"] * 25])
    with pytest.raises(ValueError, match="sample_weight"):
        learner.partial_fit(new, [["O"] * 50], sample_weight=[-1])
    assert learner.predict(SENTENCES) == answers
    assert learner.coef_.shape == (3, learner.task_.encoder.width)
    assert learner.explain(new[0], 3).label
    assert learner.pruned().predict(SENTENCES) == answers
    with pytest.raises(ValueError, match="up to"):
        PerceptronTagger().fit(DICTS, TAGS).partial_fit([[{"long": 1e200}]], [["DET"]])


def test_partial_fit_takes_labels_that_come_later():
    twice = PerceptronTagger().partial_fit([["a", "b"]], [["O", "P"]], classes=["O", "O", "P", "Q"])
    assert twice.classes_.tolist() == ["O", "P", "Q"]
    twice.partial_fit([["a"]], [["Q"]], classes=["Q", "P", "O"])
    twice.partial_fit(iter([["a"]]), iter([["R"]]), classes=["Z"])
    assert twice.classes_.tolist() == ["O", "P", "Q", "R", "Z"]
    pairs = PerceptronTagger(templates="B0:%x[0,0]").fit([[("a",), ("b",)]], [["O", "P"]])
    with pytest.raises(ValueError, match=r"all labels in advance. Got the new label 'Q'"):
        pairs.partial_fit([[("a",), ("b",)]], [["O", "Q"]])
    assert pairs.classes_.tolist() == ["O", "P"]


def test_tagger_reports_sequences_without_an_allowed_path():
    tagger = PerceptronTagger(scheme="BIOES").fit([["a", "b"]], [["B-X", "E-X"]])
    for ask in (tagger.predict, tagger.n_best, tagger.margins, tagger.html):
        with pytest.raises(ValueError, match="No path through sequence 1 is allowed"):
            ask([["a", "b"], ["a"]])
    with pytest.raises(ValueError, match="No path through sequence 0"):
        tagger.explain(["a"], 0)
    with pytest.raises(ValueError, match="No path through sequence 0"):
        tagger.calibrate([["a"]], [["B-X"]])


def test_partial_fit_rejects_bad_parts_and_keeps_the_model():
    learner = PerceptronTagger().partial_fit(SENTENCES, TAGS)
    ledger, answers = learner.ledger_, learner.predict(SENTENCES)
    with pytest.raises(ValueError, match="sequence 1"):
        learner.partial_fit([["a"], ["b", "c"]], [["X"], ["DET"]])
    with pytest.raises(ValueError, match="cannot change templates"):
        learner.set_params(templates=[word]).partial_fit(SENTENCES, TAGS)
    learner.set_params(templates=None)
    with pytest.raises(ValueError, match="balanced"):
        learner.set_params(class_weight="balanced").partial_fit(SENTENCES, TAGS)
    assert learner.ledger_ == ledger
    assert learner.predict(SENTENCES) == answers


def test_tagger_refuses_a_precomputed_kernel():
    for make in (
        lambda: PerceptronTagger("precomputed").fit([["a"]], [["X"]]),
        lambda: online.Tagger("precomputed").add_example(["a"], ["X"]),
    ):
        with pytest.raises(ValueError, match=r"needs a kernel it can evaluate\. Got a precomputed one"):
            make()


def test_partial_fit_with_bad_weights_learns_no_features():
    tagger = PerceptronTagger(random_state=0).fit([["a", "b"]], [["X", "Y"]])
    before = tagger.coef_.shape
    with pytest.raises(ValueError, match="sample_weight must be a finite number"):
        tagger.partial_fit([["c", "d"]], [["X", "Y"]], sample_weight=[-1.0])
    assert tagger.coef_.shape == before
