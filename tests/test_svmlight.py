"""svmlight files: what is read is what was written, against scikit-learn's reader, and what is refused."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from rosenblatt import data

VALUES = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(st.lists(st.tuples(VALUES, st.integers(0, 99), st.lists(VALUES, min_size=3, max_size=3)), min_size=1))
def test_what_is_read_is_what_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("svm") / "rows.svm.gz"
    y, qid, X = (np.array(column) for column in zip(*rows, strict=True))
    comments = [f"docid = {i}" for i in range(len(y))]
    data.write_svmlight(path, X, y, qid, comments)
    table = data.read_svmlight(path, n_features=3)
    assert np.array_equal(table.X.toarray(), X)
    assert np.array_equal(table.y, y)
    assert np.array_equal(table.qid, qid)
    assert table.comments == comments
    theirs, labels, queries = load_svmlight_file(str(path), n_features=3, query_id=True, zero_based=False)
    assert np.allclose(theirs.toarray(), X)
    assert np.allclose(labels, y)
    assert np.array_equal(queries, qid)


def test_blank_lines_and_comments_count_for_nothing():
    table = data.read_svmlight(["# a file", "", "1 2:3 # x", "  ", "-1 1:1"])
    assert table.X.toarray().tolist() == [[0, 3], [1, 0]]
    assert table.qid is None
    assert table.comments == ["x", ""]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1 2"], "in line 1"),
        (["1 1:2", "x 1:2"], "in line 2"),
        (["1 a:2"], "in line 1"),
        (["1,2 1:2"], "in line 1"),
        (["1 99999999999999999999:2"], "in line 1"),
        (["1 qid:99999999999999999999 1:2"], "in line 1"),
        (["1 0:2"], r"counted from 1\. Got 0"),
        (["1 qid:1 1:2", "1 1:2"], "Either every row has a query or none"),
        ([], "no row"),
        (["# nothing"], "no row"),
    ],
)
def test_what_is_no_svmlight(lines, message):
    with pytest.raises(ValueError, match=message):
        data.read_svmlight(lines)
    with pytest.raises(ValueError, match="at most n_features=2"):
        data.read_svmlight(["1 3:1"], n_features=2)


def test_what_has_an_index_is_written_in_its_order(tmp_path):
    path = tmp_path / "rows"
    data.write_svmlight(path, np.eye(3)[::-1], pd.Series([7, 8, 9], index=[2, 0, 1]))
    assert data.read_svmlight(path).y.tolist() == [7, 8, 9]
    path.write_bytes(b"\xef\xbb\xbf1 1:2\n")
    assert data.read_svmlight(path).X.toarray().tolist() == [[2]]


def test_a_truncated_file(tmp_path):
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(b"1 1:2\n" * 1000)[:30])
    with pytest.raises(ValueError, match="compressed and broken"):
        data.read_svmlight(path)


def test_nothing_is_written_where_something_is_missing(tmp_path):
    path = tmp_path / "rows"
    with pytest.raises(ValueError, match="as many labels as rows, 2"):
        data.write_svmlight(path, np.eye(2), [1])
    with pytest.raises(ValueError, match="one line"):
        data.write_svmlight(path, np.eye(1), [1], comments=["a\nb"])
    with pytest.raises(ValueError, match="whole numbers"):
        data.write_svmlight(path, np.eye(1), [1], ["a"])
    assert not path.exists()
