"""Encoders of named features and of arrays: ids by name, dicts and lists alike, and what they reject."""

import sys
from collections import OrderedDict
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures.tagging_data import rows_of
from rosenblatt.features import (
    WORDS,
    ArrayEncoder,
    NameEncoder,
    TemplateEncoder,
    column,
)
from rosenblatt.features import vectoriser as names_module
from rosenblatt.rows.columns import Columns


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
        patch.setattr("rosenblatt.features.vectoriser.ALIKE", 10**9)
        expected = rows_of(one.encode([tokens], learning=True), one.width)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.features.vectoriser.ALIKE", 0)
        patch.setattr("rosenblatt.features.vectoriser.AT_ONCE", 7)
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
            feature = f"{name}={value}" if text else name
            row.append((known.setdefault(feature, len(known)), 1.0 if text else float(value)))
        found.append(row)
    return found


values_of_features = st.sampled_from(["x", "y", "z", True, False, 1, 0, 2.5, np.float32(0.5), np.str_("x")])
tokens_of_names = st.one_of(
    st.lists(st.sampled_from(["a", "b", "c=x", "a=y", np.str_("d")]), max_size=4),
    st.lists(st.sampled_from(["a", "b", "c=x"]), max_size=3).map(tuple),
    st.dictionaries(st.sampled_from("abc"), values_of_features, max_size=3),
    st.dictionaries(st.sampled_from("abc"), values_of_features, max_size=3).map(OrderedDict),
)


@given(st.lists(tokens_of_names, max_size=30), st.lists(tokens_of_names, max_size=30))
def test_name_encoder_matches_the_definition(learned, answered):
    known, encoder = {}, NameEncoder()
    expected = one_by_one(learned, known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(names_module, "_in_turn", lambda examples, starts, missing: missing)
        encoder.encode([[{"a": "x"}]])  # prediction assigns no ids
        found = encoder.encode([learned], learning=True)
    assert encoder.names() == list(known)
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
            "rosenblatt.features.vectoriser.ALIKE", 10**9
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
    assert encoder.names() == ["w=Rome", "title", "n", "w=fell", "bias", "w=at", "w=last"]
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
        (NameEncoder(), [[{"b": 1}, {"a": ["x", 3]}]], "must hold strings. Got 3 in the list for 'a' in token 1"),
        (NameEncoder(), [[{"b": ["x"]}, {"a": {"c": None}}]], r"Got None for 'a\.c' in token 1"),
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
        (ArrayEncoder(), [np.ones((2, 3)), np.ones((1, 2))], "Sequence 1 of X has 2 features, but it is expecting 3"),
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


def test_hashing_remembers_no_more_than_its_limit(monkeypatch):
    monkeypatch.setattr(names_module, "REMEMBERED", 10)
    vectoriser = names_module.Vectoriser(2**10)
    for i in range(100):
        vectoriser.feature(f"column {i}", "x", learning=True)
    assert len(vectoriser._strings) == 10
