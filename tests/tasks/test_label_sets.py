"""Sets of labels: what they are read from, what they are returned as, and what is refused."""

from collections import UserString

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tasks.label_sets import NO_SET, has_sets, in_form, label_sets

Y = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 1]])
SETS = [["b", "a"], (), {"c"}, frozenset(["a"])]


@pytest.mark.parametrize(
    ("y", "sets"),
    [
        (np.array([0, 1]), False),
        (np.array(["a", "b"]), False),
        (np.array(["a", "b"], object), False),
        (["a", "b"], False),
        ([0, 1], False),
        ((0, 1), False),
        ("ab", False),
        ({"a": 1}, False),
        (None, False),
        (3, False),
        ([], False),
        (np.zeros((2, 1)), False),
        (np.zeros((2, 3)), True),
        (np.zeros((2, 0)), True),
        (np.zeros((2, 3, 2)), False),
        (sp.csr_array(Y), True),
        (sp.coo_matrix(Y[:, :1]), True),
        ([[], ["a"]], True),
        ([("a",), ()], True),
        ([{"a"}, set()], True),
        ([np.array([0, 1]), np.array([1, 1])], True),
        (np.array([["a"], ["b", "c"]], object), True),
    ],
    ids=repr,
)
def test_has_sets_tells_sets_from_single_labels(y, sets):
    assert has_sets(y) is sets


INTEGERS, FLOATS = (bool, np.int8, np.int64, np.uint8), (np.float32, float)
FORMS = {
    np.asarray: (*INTEGERS, *FLOATS, object),
    np.asfortranarray: (*INTEGERS, *FLOATS, object),
    list: INTEGERS,
}
FORMS |= dict.fromkeys((sp.csr_array, sp.csc_matrix, sp.coo_array), (*INTEGERS, *FLOATS))


@pytest.mark.parametrize(("form", "dtype"), [(form, dtype) for form in FORMS for dtype in FORMS[form]])
def test_label_sets_reads_indicator_matrices(form, dtype):
    found = label_sets(form(Y.astype(dtype)))
    assert found.labels is None
    assert found.indicator.dtype == np.int8
    assert found.indicator.flags.c_contiguous
    assert np.array_equal(found.indicator, Y)


def test_label_sets_reads_lists():
    found = label_sets(SETS)
    assert found.form == "lists"
    assert found.labels.tolist() == ["a", "b", "c"]
    assert found.indicator.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_label_sets_reads_frames(package):
    frames = pytest.importorskip(package)
    found = label_sets(frames.DataFrame({"z": [1, 0], "a": [True, True]}))
    assert found.form == "dense"
    assert found.labels.tolist() == ["z", "a"]
    assert found.indicator.tolist() == [[1, 1], [0, 1]]


def test_label_sets_reads_missing_values_as_an_error():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64"), "b": [0, 1]})
    with pytest.raises(ValueError, match=r"indicator matrix of 0 and 1.*Got the value"):
        label_sets(frame)
    with pytest.raises(ValueError, match=r"different labels. Got \['a', 'a'\]"):
        label_sets(pandas.DataFrame([[0, 1]], columns=["a", "a"]))


def test_lists_of_0_and_1_are_an_indicator_matrix_unless_labels_are_known_to_be_listed():
    y = [[0, 1], [1, 1]]
    assert label_sets(y).form == "dense"
    with pytest.raises(ValueError, match=r"each of its labels once. Got \[1, 1\] for row 1"):
        label_sets(y, lists=True)
    assert label_sets([[0, 1], [1, 0]], lists=True).labels.tolist() == [0, 1]
    assert label_sets([{0, 1}, {1, 0}]).form == "lists"
    assert label_sets([[0], [1]]).form == "lists"


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([[0, 2], [1, 0]]), "indicator matrix of 0 and 1.* Got the value 2"),
        (np.array([[0, np.nan], [1, 0]]), "Got the value nan"),
        (np.array([["a", "b"]]), "Got the value 'a'"),
        (sp.csr_array([[0, 3.0]]), "Got the value 3.0"),
        ([["a"], ["b", "b"]], r"once. Got \['b', 'b'\] for row 1"),
        ([["a", 1]], "of one kind, or they have no order. Got int, str"),
        ([[1.5]], "strings, integers or booleans. Got float"),
        ([[None]], "strings, integers or booleans. Got NoneType"),
        ([[("a", "b")]], "strings, integers or booleans. Got tuple"),
        ([[("a", "b"), ("c",)]], "strings, integers or booleans. Got tuple"),
        ([["a"], "b"], "list, tuple or set of labels for every row. Got 'b'"),
        ([["a"], None], "Got None"),
        ("ab", "Got 'ab'"),
        (None, "Got None"),
        (np.array([0, 1]), "Got 0|Got np.int64"),
        (UserString("a"), "Got 'a'"),
    ],
    ids=repr,
)
def test_label_sets_refuses(y, message):
    with pytest.raises(ValueError, match=message):
        label_sets(y)


@given(st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=9))
def test_in_form_returns_what_label_sets_reads(sets):
    found = label_sets(sets)
    answers = found.indicator.astype(np.int64)
    assert list(map(set, in_form(answers, "lists", found.labels))) == sets
    assert in_form(answers, "dense", found.labels) is answers
    for form in ("csr_array", "csr_matrix"):
        sparse = in_form(answers, form, found.labels)
        assert (sparse.format, sp.isspmatrix(sparse)) == ("csr", form == "csr_matrix")
        assert label_sets(sparse).form == form
        assert np.array_equal(label_sets(sparse).indicator, answers)


def test_by_column_gives_every_known_label_its_column():
    known = np.array(["c", "a", "b"])
    assert label_sets([["a"], ["b", "c"], []]).by_column(known).tolist() == [[0, 1, 0], [1, 0, 1], [0, 0, 0]]
    assert label_sets([["a"], ["x", "c"]]).by_column(known).tolist() == [[0, 1, 0], [NO_SET] * 3]
    assert label_sets(Y).by_column(known).tolist() == Y.tolist()
    with pytest.raises(ValueError, match=r"each of the 3 labels. Got 2 columns"):
        label_sets(Y[:, :2]).by_column(known)


def test_by_column_refuses_a_frame_without_a_known_label():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"b": [1], "c": [0]})
    with pytest.raises(ValueError, match=r"each of the 3 labels. Got none for 'a'"):
        label_sets(frame).by_column(np.array(["c", "a", "b"]))
    assert label_sets(frame.assign(a=[0])).by_column(np.array(["c", "a", "b"])).tolist() == [[0, 0, 1]]
