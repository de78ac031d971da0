"""online.Tagger: one sequence at a time, the ledger of fit, and labels that are added as they appear."""

import numpy as np
import pytest

from rosenblatt import PerceptronTagger, kernels
from rosenblatt.features import between, word
from rosenblatt.online import Tagger

SENTENCES = [
    ["the", "cat", "sat"],
    ["a", "dog", "ran"],
    ["the", "old", "dog", "sat"],
    ["dogs", "ran"],
    ["a", "cat"],
]
TAGS = [
    ["DET", "NOUN", "VERB"],
    ["DET", "NOUN", "VERB"],
    ["DET", "ADJ", "NOUN", "VERB"],
    ["NOUN", "VERB"],
    ["DET", "NOUN"],
]
LABELS = ["ADJ", "DET", "NOUN", "VERB"]


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("predictor", ["last", "best", "average"])
@pytest.mark.parametrize(
    "options", [{}, {"templates": [word, between(word)]}, {"hashing": 512}, {"rule": "margin"}], ids=str
)
def test_add_example_one_by_one_is_fit(kernel, predictor, options):
    """Sentences without tokens are rounds, too."""
    sentences, tags = ([[], *some[:3], [], *some[3:], []] for some in (SENTENCES, TAGS))
    whole = PerceptronTagger(kernel, max_iter=1, shuffle=False, predictor=predictor, **options)
    whole.fit(sentences, tags)
    online = Tagger(kernel, labels=LABELS, predictor=predictor, **options)
    for example in zip(sentences, tags, strict=True):
        online.add_example(*example)
    assert online.ledger == whole.ledger_
    assert [online.label(sentence) for sentence in sentences] == whole.predict(sentences)


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("predictor", ["last", "best", "average"])
def test_add_example_adds_labels_as_they_appear(kernel, predictor):
    """Labels that appear later get new ids, and the transitions in the ledger move with them."""
    online = Tagger(kernel, predictor=predictor)
    assert online.label(["the"]) == [None]
    for _ in range(4):
        for sentence, tags in zip(SENTENCES, TAGS, strict=True):
            online.add_example(sentence, tags)
    assert online.labels == ["DET", "NOUN", "VERB", "ADJ"]
    if predictor == "last":
        assert [online.label(sentence) for sentence in SENTENCES] == TAGS
    ledger = online.ledger
    assert ledger.rounds == 20
    # All guesses read from the ledger have the transitions under their new ids.
    first = ledger.until(1)
    moved = first.output[first.row == -1]
    assert set(moved[(moved < 16)].tolist()) <= {4 * p + c for p in range(3) for c in range(3)}
    structure = np.bincount(ledger.output[ledger.row == -1], ledger.amount[ledger.row == -1], minlength=24)
    assert np.allclose(structure, online.task.run.hypothesis.structure)


def test_label_keeps_to_the_scheme_from_the_first_answer():
    online = Tagger(scheme="IOB2", labels=["B-NP", "I-NP", "O"])
    online.add_example(["a"], ["O"])
    for length in range(1, 5):
        answer = online.label(["x"] * length)
        assert not any(
            after == "I-NP" and before == "O" for before, after in zip(["O", *answer], answer, strict=False)
        )
    with pytest.raises(ValueError, match="which scheme='IOB2' does not allow"):
        online.add_example(["a", "b"], ["O", "I-NP"])
    assert online.ledger.rounds == 1


def test_tagger_rejects_bad_input():
    online = Tagger(labels=LABELS)
    with pytest.raises(ValueError, match="before the first example"):
        _ = online.ledger
    with pytest.raises(ValueError, match="Got the label 'X' at token 0 of sequence 0"):
        online.add_example(["a"], ["X"])
    with pytest.raises(ValueError, match="Got 2 tokens and 1 labels"):
        online.add_example(["a", "b"], ["DET"])
    with pytest.raises(ValueError, match="Got 3 as token 1"):
        online.add_example(["a", 3], ["DET", "DET"])
    online.add_example([], [])
    with pytest.raises(ValueError, match="Got 'vote'"):
        Tagger(predictor="vote")
    with pytest.raises(ValueError, match="pass labels="):
        Tagger(templates=[between(word)])
    with pytest.raises(ValueError, match="Got None"):
        Tagger().add_example(["a"], [None])
