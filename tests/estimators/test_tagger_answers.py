"""Queries to a tagger: paths, margins, confidence, known labels."""

from itertools import pairwise, product

import numpy as np
import pytest
from sklearn.base import clone

from fixtures.tagging_data import IOB, SENTENCES, TAGS
from rosenblatt import PerceptronTagger, kernels, metrics


@pytest.fixture(scope="module")
def tagger():
    return PerceptronTagger(random_state=0, max_iter=3).fit(SENTENCES, TAGS)


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("predictor", ["last", "average", "best", "vote", "sample"])
def test_predict_never_breaks_the_scheme(kernel, predictor):
    tagger = PerceptronTagger(kernel, scheme="IOB2", predictor=predictor, max_iter=1, random_state=0)
    tagger.fit(SENTENCES[:2], IOB)
    for answers in tagger.predict(SENTENCES):
        assert all(after != "I-NP" or before != "O" for before, after in pairwise(["O", *answers]))
    if predictor in ("last", "average"):
        for paths in tagger.n_best(SENTENCES, 5):
            assert all(
                after != "I-NP" or before != "O"
                for path, _ in paths
                for before, after in pairwise(["O", *path])
            )


def test_allowed_pairs_restrict_answers_and_labels():
    """Verbs follow nouns only, and nothing ends with a determiner."""
    allowed = [*product(["DET", "NOUN", "ADJ", "ADP"], ["DET", "NOUN", "ADJ", "ADP"]), ("NOUN", "VERB")]
    allowed += [("VERB", label) for label in ("ADP", "DET")]
    allowed += [(label, None) for label in ("NOUN", "VERB", "ADP")]
    tagger = PerceptronTagger(allowed=allowed, random_state=0).fit(SENTENCES, TAGS)
    for answer in tagger.predict([["sat"] * 5, ["ran"], ["the", "the"]]):
        assert answer[-1] != "DET"
        assert {*pairwise(answer)} <= {*allowed}
    with pytest.raises(
        ValueError, match=r"Got 'VERB' after 'NOUN' at token 2 of sequence 0, which allowed does not"
    ):
        PerceptronTagger(allowed=[("DET", "NOUN")]).fit(SENTENCES, TAGS)
    with pytest.raises(ValueError, match=r"Got 'DET' as the first label at token 0 of sequence 0"):
        PerceptronTagger(allowed=[(None, "NOUN"), *allowed]).fit(SENTENCES, TAGS)
    with pytest.raises(ValueError, match="made of pairs"):
        PerceptronTagger(allowed="DET").fit(SENTENCES, TAGS)


def test_fit_names_labels_that_break_the_scheme():
    with pytest.raises(
        ValueError, match=r"Got 'I-NP' after 'O' at token 1 of sequence 1, which scheme='IOB2' does not"
    ):
        PerceptronTagger(scheme="IOB2").fit([["a"], ["b", "c"]], [["B-NP"], ["O", "I-NP"]])


def test_n_best_and_margins_agree(tagger):
    (paths,) = tagger.n_best([["the", "saw", "ran"]], 4)
    scores = [score for _, score in paths]
    assert scores == sorted(scores, reverse=True)
    assert paths[0][0] == tagger.predict([["the", "saw", "ran"]])[0]
    assert tagger.margins([["the", "saw", "ran"]])[0] == pytest.approx(scores[0] - scores[1])
    assert len(tagger.n_best([["the"]], 99)[0]) == len(tagger.classes_)
    assert tagger.n_best([[]], 3) == [[([], 0.0)]]
    assert tagger.margins([[]])[0] == np.inf


def test_predict_keeps_known_labels(tagger):
    sentence = ["the", "saw", "ran"]
    for label in tagger.classes_:
        (answer,) = tagger.predict([sentence], known=[[None, label, None]])
        assert answer[1] == label
        best = max(
            path
            for path in tagger.n_best([sentence], 125)[0]
            if path[0][1] == label
            and path[1]
            == max(score for other, score in tagger.n_best([sentence], 125)[0] if other[1] == label)
        )
        assert answer == best[0]
    assert tagger.predict([sentence, sentence], known=[None, [None] * 3]) == tagger.predict([sentence] * 2)
    with pytest.raises(ValueError, match="Got the known label 'X' at token 1 of sequence 0"):
        tagger.predict([sentence], known=[[None, "X", None]])
    with pytest.raises(ValueError, match="Got 1 for the 3 tokens of sequence 0"):
        tagger.predict([sentence], known=[[None]])
    with pytest.raises(ValueError, match=r"a list for every sequence, 1. Got 2"):
        tagger.predict([sentence], known=[None, None])


def test_predict_rejects_known_labels_without_a_path():
    tagger = PerceptronTagger(scheme="IOB2").fit(SENTENCES[:2], IOB)
    with pytest.raises(ValueError, match="No path through sequence 1 is allowed, with its known labels"):
        tagger.predict(SENTENCES[:2], known=[None, ["O", "I-NP", None, None, None]])


def test_confidence_is_a_probability(tagger):
    with pytest.raises(ValueError, match="call calibrate"):
        clone(tagger).fit(SENTENCES, TAGS).confidence(SENTENCES)
    tagger.calibrate(SENTENCES[3:], [["NOUN", "VERB"], ["DET", "NOUN", "NOUN", "ADP"], TAGS[5]])
    found = tagger.confidence([*SENTENCES, [], ["zzz"]])
    assert [len(each) for each in found] == [*map(len, SENTENCES), 0, 1]
    assert all(((each > 0) & (each <= 1)).all() for each in found)
    assert found[-1][0] < found[0][0]
    assert tagger.confidence([]) == []


def test_confidence_works_with_vote():
    tagger = PerceptronTagger(predictor="vote", random_state=0).fit(SENTENCES, TAGS)
    found = np.concatenate(tagger.confidence(SENTENCES))
    assert (found <= 1).all()
    assert found.max() > 0.5


def test_n_jobs_changes_no_answer(tagger, monkeypatch):
    monkeypatch.setattr("rosenblatt.estimators.decoding.DECODED", 3)
    expected = tagger.predict(SENTENCES * 50)
    assert clone(tagger).set_params(n_jobs=4).fit(SENTENCES, TAGS).predict(SENTENCES * 50) == expected
    assert expected[:6] == tagger.predict(SENTENCES)
    with pytest.raises(ValueError, match="n_jobs"):
        clone(tagger).set_params(n_jobs=0).fit(SENTENCES, TAGS).predict(SENTENCES)


def test_predict_handles_unknown_long_and_single_label_input(tagger):
    assert tagger.predict([["неизвестно", "🙂", ""]])[0]
    long = ["the", "cat", "sat"] * 33_334
    assert len(tagger.predict([long])[0]) == 100_002
    assert PerceptronTagger(max_iter=1).fit([long], [["A", "B", "C"] * 33_334]).predict([["the"]]) == [["A"]]
    one = PerceptronTagger().fit([["a"]], [["X"]])
    assert one.predict([["a", "b", "c"]]) == [["X"] * 3]
    assert metrics.token_accuracy([["NEW"]], tagger.predict([["the"]])) == 0.0
