"""Strings one at a time: compiled code reads ASCII lines as the functions `Words` and `Terms` do."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fixtures.playing import rejects
from rosenblatt import kernels, online
from rosenblatt.features import Terms, Words, lines
from rosenblatt.features.lines import codes_of, lines_of
from rosenblatt.features.strings import features_of
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.loops import lines as loops

LETTERS = [
    "a",
    "B",
    "b",
    "free",
    "Free",
    "abcdefgh",
    "abcdefghi",
    "abcdefghj",
    "abcdefghabcdefgh",
    "A" * 40,
    "é",
    "ß",
    "İ",
    "x_1",
    "12",
]
BLANKS = [" ", "  ", "\t", "\x1c", "\x85", "\u2003", "'", "!", "\n", "\x00", "\x01", "a\x00"]
VALUES = [
    ":",
    "::",
    ":2",
    ":-0.5",
    ":1e3",
    ":.5",
    ":x",
    ":1e999",
    ":0.123456789012345678901234567890",
    ":+3",
    ":1.",
]
PIECES = st.sampled_from(LETTERS + BLANKS + VALUES)
TEXTS = st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=20)
STREAMS = st.lists(st.tuples(TEXTS, st.sampled_from(["x", "y", "z"])), max_size=12)
FUNCTIONS = {
    "words": Words(),
    "terms": Terms(),
    "capitals": Words(lowercase=False),
    "counts": Words(normalized=False),
}
PLAIN = FUNCTIONS["counts"]


NAMES = sorted(FUNCTIONS)


def play(learner, text, label, asked):
    """Return the scores and what is raised, before learning and while it."""
    found = []
    for ask in ([learner.decision_function] if asked else []) + [lambda x: learner.add_example(x, label)]:
        try:
            scores = ask(text)
            found.append(None if scores is None else np.atleast_1d(scores).tolist())
        except ValueError as fault:
            found.append(str(fault))
    return found


def fast_is_slow(names=NAMES, labels=("x", "y", "z"), change=lambda text: text):
    @given(STREAMS, st.sampled_from(names), st.sampled_from(["last", "average"]), st.booleans())
    @example([("a", "x"), ("é b a", "y"), ("b c a", "y"), ("c é", "x")], "words", "last", True)
    @example([("a:2 c::3", "x"), ("c: a", "y"), ("c a:-1", "y")], "terms", "last", True)
    def law(stream, name, predictor, asked):
        options = {"predictor": predictor, "rule": "passive-aggressive"}
        fast = online.Classifier(features=FUNCTIONS[name], **options)
        slow = online.Classifier(features=lambda text: FUNCTIONS[name](text), **options)
        for text, label in stream:
            if label in labels:
                assert play(fast, change(text), label, asked) == play(slow, text, label, asked)
        assert fast.classes == slow.classes
        assert fast.ledger == slow.ledger

    return law


def test_compiled_code_reads_lines_as_the_functions_do():
    fast_is_slow()()
    fast_is_slow(labels=("x", "y"))()
    rejects(fast_is_slow(["terms"], change=lambda text: text[::2]))
    rejects(fast_is_slow(["words"], change=lambda text: text[1:]))


def names_are_shared(vectoriser_of=lambda lines, vectoriser: (lines.share(), vectoriser)[1]):
    @given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=12))
    def law(texts):
        vectoriser, alone = Vectoriser(), Vectoriser()
        fast = lines_of(vectoriser, PLAIN)
        for text, by_hand in texts:
            if by_hand or fast.row(text, learning=True) is None:
                fast.share()
                vectoriser.ids_of(features_of(PLAIN, text), learning=True)
            alone.ids_of(features_of(PLAIN, text), learning=True)
        assert vectoriser_of(fast, vectoriser).names() == alone.names()

    return law


def test_names_of_lines_are_those_of_the_vectoriser():
    names_are_shared()()
    rejects(names_are_shared(lambda lines, vectoriser: vectoriser))


def test_lines_find_thousands_of_names():
    random = np.random.default_rng(0)
    names = [f"{'long' * int(k % 4)}{k}" for k in random.permutation(30_000)]
    fast = lines_of(Vectoriser(), PLAIN)
    for first in range(0, len(names), 70):
        features, values, width = fast.row(" ".join(names[first : first + 70]), learning=True)
        assert features.tolist() == list(range(first, min(first + 70, len(names))))
        assert set(values.tolist()) == {1.0}
        assert width == features[-1] + 1
    again = random.permutation(len(names))[:500]
    assert fast.row(" ".join(names[i] for i in again), learning=False)[0].tolist() == again.tolist()
    assert fast.row(" ".join(f"new{i}" for i in range(loops.MOST_UNKNOWN)), learning=False) is not None
    assert fast.row(" ".join(f"new{i}" for i in range(loops.MOST_UNKNOWN + 1)), learning=False) is None


def test_names_without_an_id_are_added_up_too():
    fast = lines_of(Vectoriser(), PLAIN)
    fast.row("known", learning=True)
    features, values, _ = fast.row("new other known new new", learning=False)
    assert (features.tolist(), values.tolist()) == ([loops.UNKNOWN, loops.UNKNOWN, 0], [3.0, 1.0, 1.0])


def test_words_that_come_often_are_left_to_the_definition():
    few, many = ("a " * (len(lines.LOGS) - 1) + "b", "a " * len(lines.LOGS) + "b")
    fast = lines_of(Vectoriser(), Words())
    assert fast.row(few, learning=True)[1].tolist() == list(Words()(few).values())
    assert fast.row(many, learning=True) is None


def test_long_names_with_one_hash_are_told_apart():
    """Two names whose keys agree: one is written under the key of the other."""
    fast = lines_of(Vectoriser(), PLAIN)
    fast.row("abcdefghi", learning=True)
    used = np.flatnonzero(fast._slots[:, 0])
    other = lines_of(Vectoriser(), PLAIN)
    other.row("abcdefghj", learning=True)
    key, slot = other._slots[np.flatnonzero(other._slots[:, 0]), 0], np.flatnonzero(other._slots[:, 0])
    fast._slots[used, 0] = 0
    fast._slots[slot, 0], fast._slots[slot, 1] = key, 0
    assert fast.row("abcdefghj", learning=False)[0].tolist() == [loops.UNKNOWN]


def test_ascii_lines_take_the_fast_path(monkeypatch):
    monkeypatch.setattr("rosenblatt.online.making.features_of", None)
    learner = online.Classifier(features="words", rule="perceptron")
    learner.learn_one("Free money", "spam")
    learner.learn_one("Lunch tomorrow", "ham")
    assert learner.predict_one("some free lunch for money") == "spam"
    with pytest.raises(TypeError):
        learner.predict_one("café")


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)], ids=repr)
@pytest.mark.parametrize(
    ("features", "spelled"),
    [
        (Words(normalized=False), {"free": 2, "money": 1}),
        ("words", None),
        ("characters", None),
        (Words(ngrams=2, normalized=False), {"free": 2, "money": 1, "free free": 1, "free money": 1}),
        (lambda text: {"length": len(text), "first": text[0]}, {"length": 16, "first=F": 1}),
        (lambda text: set(text.split()), {"Free,": 1, "free": 1, "money": 1}),
    ],
)
def test_features_of_strings_are_those_of_dicts(features, spelled, kernel):
    text = "Free, free money"
    learner, other = online.Classifier(kernel, features=features), online.Classifier(kernel)
    if spelled is None:
        spelled = features_of(learner._reader._features, text)
    learner.learn_one(text, 1)
    other.learn_one(spelled, 1)
    for each, (one, two) in ((learner, (text, "Free lunch")), (other, (spelled, {}))):
        each.learn_one(one, 0)
        if each is learner:
            assert each.decision_function(two) is not None
    assert learner.ledger == other.ledger
    assert learner.decision_function(text) == other.decision_function(spelled)


@pytest.mark.parametrize(
    ("features", "x", "sentence"),
    [
        ("words", 3, r"Words\(.*\) makes features of a string\. Got"),
        (len, "abc", r"a function that returns a dict, or a collection of names\. Got"),
        ("terms", 3, r"Terms\(\) makes features of a string\. Got"),
        (lambda text: [{}], "abc", r"names that can be looked up"),
    ],
)
def test_add_example_rejects_what_has_no_features(features, x, sentence):
    learner = online.Classifier(features=features)
    with pytest.raises(ValueError, match=sentence):
        learner.add_example(x, 1)
    assert (learner.classes, learner.ledger.rounds) == ([], 0)


def test_constructor_rejects_features_that_are_none():
    with pytest.raises(ValueError, match=r"features must be None, 'words', 'characters', 'terms'"):
        online.Classifier(features="letters")
    with pytest.raises(ValueError, match="need a kernel of inner products"):
        online.Classifier(kernels.Function(lambda a, b: 1.0), features="words")


@pytest.mark.parametrize("copied", [deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))])
def test_copies_learn_independently(copied):
    learner = online.Classifier(features="words")
    stream = [(f"word{i % 7} other{i % 5} more{i}", i % 3) for i in range(60)]
    for text, label in stream[:30]:
        learner.learn_one(text, label)
    twin = copied(learner)
    for text, label in stream[30:]:
        learner.learn_one(text, label)
    assert twin.ledger == learner.ledger.until(30)
    for text, label in stream[30:]:
        twin.learn_one(text, label)
    assert twin.ledger == learner.ledger


def test_terms_read_values():
    assert Terms()("a:2 b:-0.5 a:1 c http://x:80/ 12:30 d: :3") == {
        "a": 3.0, "b": -0.5, "c": 1.0, "http://x:80/": 1.0, "12": 30.0, "d:": 1.0, "": 3.0
    }  # fmt: skip
    assert codes_of(Words(ngrams=2)) is None
    assert codes_of(str.split) is None
    assert "".join(c for c in map(chr, range(128)) if c.isspace())[: len(lines.BLANKS)] == lines.BLANKS


def test_other_kinds_of_strings_are_lines_too():
    texts, labels = ["free money", "lunch noon", "free lunch", "late money"], ["a", "b", "b", "a"]
    plain, mixed = (online.Classifier(features="words") for _ in range(2))
    for i, (text, label) in enumerate(zip(texts * 3, labels * 3, strict=True)):
        plain.learn_one(text, label)
        mixed.learn_one(np.str_(text) if i % 2 else text, label)
    assert mixed.ledger == plain.ledger
    assert mixed.decision_function(np.str_("free money")) == plain.decision_function("free money")


def test_a_refused_line_brings_no_names():
    learner = online.Classifier(features="terms")
    learner.learn_one("old:2", "b")
    with pytest.raises(ValueError, match=r"."):
        learner.learn_one("new:1 other:1e999", "a")
    assert learner.reader.state[2].names() == ["old"]
    learner.learn_one("late:1 old:1", "a")
    assert learner.reader.state[2].names() == ["old", "late"]


def test_a_line_that_fails_forgets_no_name_that_was_known():
    """Its names make the table grow, after which some of the others stand behind them."""
    for trial in range(60):
        names, new = ([f"{trial}{kind}{i}" for i in range(size)] for kind, size in (("w", 460), ("new", 120)))
        fast = lines_of(Vectoriser(), Terms())
        before = fast.row(" ".join(names), learning=True)[0].tolist()
        assert fast.row(" ".join([*new, "x:1e999"]), learning=True) is None
        assert fast.row(" ".join(names), learning=False)[0].tolist() == before
