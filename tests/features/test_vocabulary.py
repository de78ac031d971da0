"""The vocabulary: rows by the definition, unknown names, and names that are forgotten."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.named_data import named_examples
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.features.vocabulary import Vocabulary, are_named

VALUES = st.integers(-2, 2) | st.sampled_from(["x", "y"]) | st.lists(st.sampled_from(["x", "y"]), unique=True)
EXAMPLES = st.lists(
    st.dictionaries(st.sampled_from(("a", "b", "a=x")), VALUES | st.dictionaries(st.just("c"), VALUES))
    | st.lists(st.sampled_from(("a", "a=x", "b=y", "b.c")), max_size=4),
    min_size=1,
    max_size=8,
)


def features_of(example, prefix=""):
    """Return the features of an example by the names that they print, as `Vectoriser` defines them."""
    found = {}
    for name in example:
        value = example[name] if isinstance(example, dict) else 1
        pairs = {prefix + name: value}
        if isinstance(value, dict):
            pairs = features_of(value, f"{prefix}{name}.")
        elif isinstance(value, str | list):
            pairs = {f"{prefix}{name}={each}": 1 for each in ([value] if isinstance(value, str) else value)}
        for printed, amount in pairs.items():
            found[printed] = found.get(printed, 0) + amount
    return found


def without_zeros(features):
    return {name: value for name, value in features.items() if value}


def read(rows, names):
    """Return rows as dicts of what is not 0."""
    return [without_zeros(dict(zip(names, row, strict=True))) for row in rows.toarray().tolist()]


@pytest.mark.parametrize("part", [1, 3, 512])
@given(EXAMPLES, EXAMPLES)
def test_rows_are_those_of_the_definition(part, learned, asked):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.features.vectoriser.AT_ONCE", part)
        vocabulary = Vocabulary()
        rows = vocabulary.rows(learned, learning=True)
        names = vocabulary.vectoriser.names()
        expected = [features_of(example) for example in learned]
        assert read(rows, names) == [*map(without_zeros, expected)]
        assert set(names) == {name for features in expected for name in features}
        some = vocabulary.rows(asked)
        answers = [features_of(example) for example in asked]
        known = [{name: value for name, value in f.items() if name in names} for f in answers]
        assert read(some, names) == [*map(without_zeros, known)]
        every = vocabulary.rows(asked, unknown=True)
        assert (every.toarray()[:, : len(names)] == some.toarray()).all()
        expected_squares = [sum(value**2 for value in f.values()) for f in answers]
        assert (every.multiply(every).sum(axis=1) == expected_squares).all()
        assert vocabulary.vectoriser.names() == names
        assert vocabulary.names_in(asked) == {names.index(name): name for f in known for name in f}


@given(EXAMPLES, EXAMPLES)
def test_forget_leaves_what_there_was(first, second):
    vectoriser, fresh = Vectoriser(), Vectoriser()
    for each in (vectoriser, fresh):
        each.rows(first, learning=True)
    vectoriser.rows(second, learning=True)
    vectoriser.forget(fresh.width)
    assert vectoriser.known == fresh.known
    assert vectoriser.width == fresh.width
    assert (
        vectoriser.rows(second, learning=True).features.tolist() == fresh.rows(second, True).features.tolist()
    )


@given(named_examples(), st.integers(1, 4))
def test_hashed_rows_are_sums_of_the_columns_of_names(data, buckets):
    examples, _ = data
    hashed, free = Vocabulary(None, buckets), Vocabulary()
    rows, names = free.rows(examples, learning=True).toarray(), free.vectoriser.names()
    columns = [hashed.vectoriser.feature(name) for name in names]
    expected = np.zeros((len(examples), buckets))
    np.add.at(expected.T, columns, rows.T)
    assert (hashed.rows(examples).toarray() == expected).all()
    for column, shared in hashed.names_in(examples).items():
        assert shared == ", ".join(name for name, at in zip(names, columns, strict=True) if at == column)


def test_names_in_other_forms_are_known_in_any_company():
    for learned, asked in (
        ([{"colour": "red"}], [["colour=red"], {"size": 1}]),
        ([["colour=red"]], [{"colour": "red"}, ["size"]]),
        ([{"colour": "red"}], [{"colour=red": True, "size": 2}]),
    ):
        vocabulary = Vocabulary()
        vocabulary.rows(learned, learning=True)
        assert vocabulary.rows(asked).toarray()[0].tolist() == [1]


def test_are_named_looks_at_the_first_example_that_is_not_empty():
    assert all(
        map(are_named, ([{}], [[], ["a"]], ({"a": 1},), [set()], [frozenset("a")], np.array([{"a": 1}])))
    )
    assert not any(map(are_named, ([], [[]], [[1, 2]], ["a"], np.eye(2), [np.array([1.0])], "ab", {"a": 1})))
