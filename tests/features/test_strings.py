"""Words and characters of strings: their definition, and what they reject."""

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.features import Characters, Words
from rosenblatt.features.strings import as_features

TEXTS = st.text("abA1_ .,-ßÉ\n", max_size=20)


def counted(names):
    found = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def words_of(text):
    """Return the words of a string, character by character."""
    found, word = [], ""
    for character in text + " ":
        if character.isalnum() or character == "_":
            word += character
        elif word:
            found.append(word)
            word = ""
    return found


@given(TEXTS, st.integers(1, 3), st.booleans())
def test_words_are_those_of_the_definition(text, ngrams, lowercase):
    words = words_of(text.lower() if lowercase else text)
    runs = [
        " ".join(words[i:j])
        for i in range(len(words))
        for j in range(i + 1, len(words) + 1)
        if j - i <= ngrams
    ]
    assert Words(ngrams, lowercase, normalized=False)(text) == counted(runs)


@given(TEXTS, st.integers(1, 3), st.integers(0, 2), st.booleans())
def test_characters_are_those_of_the_definition(text, shortest, more, lowercase):
    text_seen = text.lower() if lowercase else text
    slices = [text_seen[i:j] for i in range(len(text_seen)) for j in range(i, len(text_seen) + 1)]
    runs = [run for run in slices if shortest <= len(run) <= shortest + more]
    assert Characters(shortest, shortest + more, lowercase, normalized=False)(text) == counted(runs)


@given(TEXTS)
def test_normalized_rows_have_length_1_and_grow_with_the_logarithm(text):
    for kind in (Words, Characters):
        counts, values = kind(normalized=False)(text), kind()(text)
        raw = {name: 1 + log(n) for name, n in counts.items()}
        length = sqrt(sum(value**2 for value in raw.values()))
        assert values == pytest.approx({name: value / length for name, value in raw.items()})
        assert not values or sum(value**2 for value in values.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Words(0), "ngrams must be an integer ≥ 1. Got 0"),
        (lambda: Words(True), "ngrams must be an integer ≥ 1. Got True"),
        (lambda: Words(lowercase=2), "lowercase must be True or False. Got 2"),
        (lambda: Characters(normalized="l2"), "normalized must be True or False. Got 'l2'"),
        (lambda: Characters(3, 2), "cannot be longer than the longest. Got 3 and 2"),
        (lambda: Characters(longest=2.5), "longest must be an integer"),
        (lambda: Words()(b"bytes"), r"makes features of a string. Got b'bytes'"),
        (lambda: Characters()(None), r"makes features of a string. Got None"),
        (lambda: as_features("word"), "features must be None, 'words', 'characters', 'terms', or a function"),
    ],
)
def test_bad_arguments_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_as_features_returns_values_and_functions():
    assert as_features("characters") == Characters()
    assert as_features(str.split) is str.split
    assert as_features(None) is None
