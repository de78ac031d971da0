"""Features: templates against their definition, names, hashing, and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.tagging_data import rows_of
from rosenblatt.features import (
    WORDS,
    TemplateEncoder,
    between,
    column,
    crfpp,
    has_digit,
    lower,
    prefix,
    shape,
    suffix,
    word,
)
from rosenblatt.features import words as words_module

TEMPLATES = (
    word[0],
    lower[-1] & lower[0] & word[1],
    suffix(2)[0],
    column(1)[-2] & word[0],
    shape[1],
    prefix(1) & has_digit,
)
TOKEN = st.tuples(st.text("aAbB1", min_size=1, max_size=3), st.sampled_from(["N", "V"]))
SENTENCES = st.lists(st.lists(TOKEN, max_size=5), min_size=1, max_size=5)


def looks(sentence, i, template):
    """Return what a template sees at a token, as a string: the definition."""
    seen = []
    for offset, view in template.parts:
        j = i + offset
        inside = 0 <= j < len(sentence)
        seen.append(
            view.of(sentence[j][view.column])
            if inside
            else ("before", j)
            if j < 0
            else ("after", j - len(sentence))
        )
    return repr((template, seen))


@given(SENTENCES, SENTENCES)
def test_template_encoder_ids_match_the_definition(learned, others):
    encoder = TemplateEncoder(TEMPLATES, [])
    tokens, seen, ids = encoder.encode(learned, learning=True), [], {}
    for sentence in learned:
        for i in range(len(sentence)):
            seen.append([ids.setdefault(looks(sentence, i, template), len(ids)) for template in TEMPLATES])
    assert encoder.width == len(ids)
    expected = np.array(seen).reshape(-1, len(TEMPLATES))
    found = np.sort(tokens.rows.features.reshape(-1, len(TEMPLATES)))
    assert np.array_equal(found, np.sort(expected))
    names = encoder.names()
    assert len({*names}) == len(names) == len(ids)
    # Unseen features have no id, and all others keep theirs.
    mine = encoder.encode(others).rows.features.reshape(-1, len(TEMPLATES))
    theirs = [
        [ids.get(looks(sentence, i, template), -1) for template in TEMPLATES]
        for sentence in others
        for i in range(len(sentence))
    ]
    assert mine.tolist() == theirs
    tidy = encoder.encode(others, tidy=True).rows
    assert np.diff(tidy.starts).tolist() == [sum(n >= 0 for n in row) for row in theirs]


@given(SENTENCES)
def test_template_encoder_tables_grow(sentences):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words_module, "SMALLEST_TABLE", 1)
        small = TemplateEncoder(TEMPLATES, [])
    large = TemplateEncoder(TEMPLATES, [])
    for part in (sentences, sentences[::-1]):
        mine, theirs = (encoder.encode(part, learning=True).rows for encoder in (small, large))
        assert np.array_equal(mine.features, theirs.features)


def test_rehash_is_needed_when_tables_grow(monkeypatch):
    monkeypatch.setattr(words_module, "SMALLEST_TABLE", 1)
    monkeypatch.setattr(words_module.loops, "rehash", lambda old, table: None)
    encoder = TemplateEncoder([word[-1] & word[0]], [])
    encoder.encode([["a", "b"], ["c"], ["a", "b", "d", "e", "f"], ["a"]], learning=True)
    assert encoder.width > 6


def test_crfpp_parses_templates():
    text = "# words\nU00:%x[-1,0]\nU01:%x[0,0]/%x[1,1]\n\nB\nB01:%x[0,0]\n"
    one, two, labels, pairs = crfpp(text)
    assert (one.parts, two.parts) == (word[-1].parts, (word[0] & column(1)[1]).parts)
    assert labels.transition
    assert not labels.parts
    assert pairs.transition
    assert pairs.parts == word[0].parts
    assert repr(pairs) == "between(word[0])"


def test_crfpp_shares_features_across_columns():
    """Also across columns: to CRF++ a feature is a string."""
    bag = TemplateEncoder(crfpp("U:%x[0,0]\nU:%x[0,1]"), [])
    rows = rows_of(bag.encode([[("dog", "NN"), ("NN", "dog"), ("cat", "NN")]], learning=True), bag.width)
    assert rows.tolist() == [[1, 1, 0], [1, 1, 0], [0, 1, 1]]
    assert sorted(bag.names()) == ["word[0]=NN", "word[0]=cat", "word[0]=dog"]


def test_crfpp_shares_features_of_templates_without_an_id():
    bag = TemplateEncoder(crfpp("U:%x[-1,0]\nU:%x[0,0]\nU:%x[1,0]"), [])
    rows = rows_of(bag.encode([["a", "a", "b"]], learning=True), bag.width)
    assert sorted(rows[1].tolist()) == [0.0, 0.0, 1.0, 2.0]  # a twice, b once, and two ends elsewhere
    apart = TemplateEncoder(crfpp("U0:%x[-1,0]\nU1:%x[0,0]"), [])
    apart.encode([["a", "a"]], learning=True)
    assert apart.width == 3


@pytest.mark.parametrize(
    "text", ["X:%x[0,0]", "U:%x[a,0]", "U:%x[0]", "U:%x[0,-1]", "", "# nothing", "U:%x[9999,0]"]
)
def test_crfpp_rejects_malformed_templates(text):
    with pytest.raises(ValueError, match="template"):
        crfpp(text)


@pytest.mark.parametrize(
    "wrong",
    [lambda: word["a"], lambda: word[1.5], lambda: word.suffix(0), lambda: column(-1), lambda: word[5000]],
)
def test_views_reject_invalid_arguments(wrong):
    with pytest.raises(ValueError, match="Got"):
        wrong()
    with pytest.raises(TypeError, match="one column"):
        list(word)


def test_templates_are_values():
    assert word[-1] & word[0] == word[-1] & word
    assert hash(word.lower.suffix(3)) == hash(lower.suffix(3))
    assert repr(WORDS[0]) == "word.lower[-2]"
    assert (word.is_title.of("Rome"), word.is_upper.of("Rome"), word.has_hyphen.of("a-b")) == (
        "yes",
        "no",
        "yes",
    )


def test_between_makes_a_feature_per_previous_label():
    encoder = TemplateEncoder([word[0], between(word[0])], ["N", "V"])
    tokens = encoder.encode([["a", "b"], [], ["a"]], learning=True)
    assert tokens.lengths.tolist() == [2, 0, 1]
    assert tokens.starts.tolist() == [0, 4, 4, 5]
    rows = rows_of(tokens, encoder.width)
    names = encoder.names()
    assert [[names[f] for f in np.flatnonzero(row)] for row in rows] == [
        ["word[0]=a"],
        ["word[0]=b"],
        ["word[0]=b after N"],
        ["word[0]=b after V"],
        ["word[0]=a"],
    ]
    assert np.arange(5)[tokens.of_tokens()].tolist() == [0, 1, 4]


def test_keep_drops_features():
    encoder = TemplateEncoder([word[0], between(word[0])], ["N", "V"])
    tokens = encoder.encode([["a", "b", "a"]], learning=True)
    names = encoder.names()
    chosen = np.array([name in ("word[0]=a", "word[0]=b after V") for name in names])
    ids = encoder.keep(chosen)
    kept = [name for name, new in zip(names, ids, strict=True) if new >= 0]
    assert kept == encoder.names()
    assert sorted(kept) == ["word[0]=a", "word[0]=b after N", "word[0]=b after V"]
    assert encoder.encode([["b", "c"]]).rows.features.tolist()[:2] == [-1, -1]
    assert tokens.renumbered(ids, 3).rows.starts.tolist() == [0, 1, 1, 2, 3, 4, 4, 4]


def test_hashing_fixes_the_number_of_features():
    encoder = TemplateEncoder(WORDS, ["N", "V"], hashing=64)
    assert encoder.width == 64
    learned = encoder.encode([["the", "cat", "sat"]], learning=True)
    again = encoder.encode([["the", "cat", "sat"]], tidy=True)
    assert np.array_equal(learned.rows.features, again.rows.features)
    assert rows_of(again, 64).sum(axis=1).tolist() == [len(WORDS)] * 3
    assert len(encoder.names()) == 64
    other = TemplateEncoder(WORDS, ["N", "V"], hashing=64)
    assert np.array_equal(other.encode([["the", "cat", "sat"]], tidy=True).rows.features, again.rows.features)


def test_hashing_is_stable_after_strings_are_evicted(monkeypatch):
    monkeypatch.setattr("rosenblatt.features.texts.REMEMBERED", 2)
    encoder = TemplateEncoder([word[0]], [], hashing=1000)
    first = encoder.encode([["a", "b", "c", "d"]], learning=True).rows.features
    encoder.encode([["e", "f", "g"]], learning=True)
    assert np.array_equal(first, encoder.encode([["a", "b", "c", "d"]], learning=True).rows.features)
