"""Features: templates against their definition, names, hashing, and errors."""

import sys
from collections import OrderedDict
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.features import (
    WORDS,
    ArrayEncoder,
    NameEncoder,
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
from rosenblatt.features import names as names_module
from rosenblatt.features import words as words_module
from rosenblatt.rows.columns import Columns

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


def rows_of(tokens, width):
    starts, features, values, _ = tokens.rows
    return sp.csr_array((values, features, starts), shape=(len(starts) - 1, width)).toarray()


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


# --- names ---


def test_name_encoder_encodes_dicts():
    encoder = NameEncoder()
    sentence = [{"word": "Paris", "title": True, "len": 5.0, "odd": False}, {"word": "is", "len": 2}]
    rows = rows_of(encoder.encode([sentence], learning=True), encoder.width)
    assert encoder.names() == ["word=Paris", "title", "len", "odd", "word=is"]
    assert rows.tolist() == [[1, 1, 5, 0, 0], [0, 0, 2, 0, 1]]
    unseen = encoder.encode([[{"word": "Rome", "len": 1.0}]]).rows
    assert (unseen.features.tolist(), unseen.values.tolist()) == ([-1, 2], [1.0, 1.0])


def test_name_encoder_reads_lists_as_dicts_of_true():
    encoder = NameEncoder()
    rows = rows_of(encoder.encode([[["a", "b"], {"b": True, "c": 1}, {"a"}]], learning=True), encoder.width)
    assert rows.tolist() == [[1, 1, 0], [0, 1, 1], [1, 0, 0]]


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.sampled_from(["x", "y", True, 2.5, -1]), max_size=3),
        max_size=40,
    )
)
def test_name_encoder_encodes_alike_in_batches_and_one_by_one(tokens):
    one, together = NameEncoder(), NameEncoder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.features.names.ALIKE", 10**9)
        expected = rows_of(one.encode([tokens], learning=True), one.width)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.features.names.ALIKE", 0)
        patch.setattr("rosenblatt.features.names.AT_ONCE", 7)
        found = rows_of(together.encode([tokens], learning=True), together.width)
        again = rows_of(together.encode([tokens], tidy=True), together.width)
    order = [together.names().index(name) for name in one.names()]
    assert np.array_equal(expected, found[:, order])
    assert np.array_equal(found, again)


def one_by_one(tokens, known):
    """Return features as NameEncoder documents them, one by one; new ones get the next id."""
    found = []
    for token in tokens:
        pairs = token.items() if isinstance(token, dict) else [(name, True) for name in token]
        row = []
        for name, value in pairs:
            text = isinstance(value, str)
            feature = (name, value) if text else (name,)
            row.append((known.setdefault(feature, len(known)), 1.0 if text else float(value)))
        found.append(row)
    return found


values_of_features = st.sampled_from(["x", "y", "z", True, False, 1, 0, 2.5, np.float32(0.5), np.str_("x")])
tokens_of_names = st.one_of(
    st.lists(st.sampled_from(["a", "b", "c=x", np.str_("d")]), max_size=4),
    st.lists(st.sampled_from(["a", "b", "c=x"]), max_size=3).map(tuple),
    st.dictionaries(st.sampled_from("abc"), values_of_features, max_size=3),
    st.dictionaries(st.sampled_from("abc"), values_of_features, max_size=3).map(OrderedDict),
)


@given(st.lists(tokens_of_names, max_size=30), st.lists(tokens_of_names, max_size=30))
def test_name_encoder_matches_the_definition(learned, answered):
    known, encoder = {}, NameEncoder()
    expected = one_by_one(learned, known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.features.names.ALIKE", 10**9)
        encoder.encode([[{"a": "x"}]])  # prediction assigns no ids
        found = encoder.encode([learned], learning=True)
    assert encoder.names() == ["=".join(feature) for feature in known]
    dense = np.zeros((len(learned), len(known)))
    for row, features in zip(dense, expected, strict=True):
        for feature, value in features:
            row[feature] += value
    assert np.array_equal(rows_of(found, len(known)), dense)
    for token in [*learned, *answered]:
        rows, count = encoder.encode([[token]]).rows, len(known)
        (row,) = one_by_one([token], dict(known))
        assert rows.features.tolist() == [feature if feature < count else -1 for feature, _ in row]
        assert rows.values.tolist() == [value for _, value in row]


@pytest.mark.parametrize("hashing", [None, 64])
@given(st.lists(st.lists(st.sampled_from(["a", "b", "w=Rome", "c"]), unique=True, max_size=4), max_size=30))
def test_name_encoder_encodes_lists_tuples_and_dicts_alike(hashing, tokens):
    encoders = [NameEncoder(hashing) for _ in range(4)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "rosenblatt.features.names.ALIKE", 10**9
        )  # so that dicts assign ids token by token, too
        dicts = [dict.fromkeys(token, True) for token in tokens]
        both = [token if i % 2 else dict.fromkeys(token, 1.0) for i, token in enumerate(tokens)]
        kinds = [tokens, list(map(tuple, tokens)), dicts, both]
        learned = [e.encode([kind], learning=True) for e, kind in zip(encoders, kinds, strict=True)]
        again = [e.encode([kind]) for e, kind in zip(encoders, kinds, strict=True)]
    for results in (learned, again):
        for other in results[1:]:
            assert all(map(np.array_equal, results[0].rows, other.rows))
    assert len({tuple(encoder.names()) for encoder in encoders}) == 1


def test_name_encoder_assigns_ids_name_by_name_in_batches():
    encoder = NameEncoder()
    alike = [{"w": word, "title": word.istitle(), "n": len(word)} for word in ("Rome", "fell", "at", "last")]
    encoder.encode([[*alike[:2], ["bias", "w=Rome"], *alike[2:], {"n": 7.0, "w": "last"}]], learning=True)
    assert encoder.names() == ["w=Rome", "title", "n", "w=fell", "bias", "w=Rome", "w=at", "w=last"]
    encoder = NameEncoder()
    encoder.encode([[["bias", "v"], *alike, *alike[::-1], ["u"], *alike]], learning=True)
    assert encoder.names() == ["bias", "v", "u", "w=Rome", "w=fell", "w=at", "w=last", "title", "n"]
    encoder = NameEncoder()
    encoder.encode([alike[:2]], learning=True)
    assert encoder.names() == ["w=Rome", "w=fell", "title", "n"]


@pytest.mark.parametrize("learning", [False, True])
@pytest.mark.parametrize("value", [None, "text", True, 2.5], ids=["list", "text", "flag", "number"])
def test_name_encoder_makes_no_call_per_known_name(learning, value):
    def calls(size):
        encoder, names = NameEncoder(), [f"name {i}" for i in range(size)]
        tokens = [names if value is None else dict.fromkeys(names, value)] * 3
        tokens += [[]] if value is None else [{"name 1": value}, {"name 0": value, "other": value}, {}]
        encoder.encode([tokens], learning=True)
        seen, before = [], sys.getprofile()

        def note(frame, event, argument):
            if event == "call" and frame.f_globals["__name__"] == names_module.__name__:
                seen.append(event)

        sys.setprofile(note)
        try:
            encoder.encode([tokens], learning)
        finally:
            sys.setprofile(before)
        return len(seen)

    assert calls(200) == calls(2)


def test_name_encoder_calls_the_function():
    encoder = NameEncoder(function=lambda sentence, i: {"word": sentence[i], "first": i == 0})
    encoder.encode([["a", "b"]], learning=True)
    assert sorted(encoder.names()) == ["first", "word=a", "word=b"]


def test_name_encoder_hashes_and_drops_names():
    encoder = NameEncoder(hashing=50)
    a, b = (encoder.encode([[{"word": "a"}]], learning=learning).rows.features for learning in (True, False))
    assert a.tolist() == b.tolist()
    with pytest.raises(ValueError, match="always 50"):
        encoder.keep(np.ones(50, bool))
    encoder = NameEncoder()
    encoder.encode([[["a", "b", "c"]]], learning=True)
    assert encoder.keep(np.array([True, False, True])).tolist() == [0, -1, 1]
    assert encoder.names() == ["a", "c"]


@pytest.mark.parametrize(
    ("encoder", "sentences", "message"),
    [
        (NameEncoder(), [[{}], [{"a": 1}, {"a": None}]], "Got None for 'a' in token 1 of sequence 1"),
        (NameEncoder(), [[{"a": float("nan")}]], "Got nan for 'a' in token 0 of sequence 0"),
        (NameEncoder(), [[{"a": ["x"]}]], r"Got \['x'\] for 'a' in token 0"),
        (NameEncoder(), [[{"a": True}, {"a": Decimal(1)}]], r"Got Decimal\('1'\) for 'a' in token 1"),
        (NameEncoder(), [[["a", 3]]], "must be a string. Got 3 in token 0"),
        (NameEncoder(), [[{3: True}, ["a"]], [["b"], [3]]], "must be a string. Got 3 in token 1 of sequence 1"),
        (NameEncoder(), [[["a"], [], ["b", ["c"]]]], r"must be a string. Got \['c'\] in token 2"),
        (NameEncoder(), [["word"]], "a dict, or a list of names. Got 'word' as token 0"),
        (TemplateEncoder(WORDS, []), [["a"], ["b", 3]], "Got 3 as token 1 of sequence 1"),
        (TemplateEncoder(WORDS, []), ["a sentence"], "Got the string 'a sentence' as sequence 0: split it"),
        (TemplateEncoder(WORDS, []), [7], "Got 7 as sequence 0"),
        (TemplateEncoder([column(1)[0]], []), [[("a", "N")], [("b",)]], r"row of 2 strings or more.*Got \('b',\) as token 0 of sequence 1"),
        (TemplateEncoder([column(1)[0]], []), [["a"]], "row of 2 strings or more"),
        (TemplateEncoder([column(1)[0]], []), Columns([["a"]], np.array([0, 1])), "row of 2 strings or more"),
        (ArrayEncoder(), [np.ones(3)], r"shape \(3,\) as sequence 0"),
        (ArrayEncoder(), [np.ones((2, 3)), np.ones((1, 2))], "3 features, as the first. Got 2 in sequence 1"),
        (ArrayEncoder(), [np.ones((2, 2)), np.array([[1, np.nan]])], "infinity in token 0 of sequence 1"),
    ],
)  # fmt: skip
def test_encoders_name_the_bad_token(encoder, sentences, message):
    with pytest.raises(ValueError, match=message):
        encoder.encode(sentences, learning=True)


def test_array_encoder_keeps_dtype_and_sparsity():
    encoder = ArrayEncoder()
    tokens = encoder.encode([np.ones((2, 3), np.float32), np.zeros((0, 3), np.float32)], learning=True)
    assert tokens.rows.dtype == np.float32
    assert (tokens.lengths.tolist(), encoder.width, encoder.names()) == ([2, 0], 3, ["x[0]", "x[1]", "x[2]"])
    assert sp.issparse(ArrayEncoder().encode([sp.csr_array(np.eye(2))], learning=True).rows)
    assert ArrayEncoder().encode([np.array([[1, 2]])]).rows.dtype == np.float64
