"""svmlight files: round trips, comparison with scikit-learn's reader, and errors."""

import gzip
import lzma
import os
import sys
import threading
import tracemalloc
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from fixtures.svmlight_reading import VALUES, small  # noqa: F401
from rosenblatt import PerceptronClassifier, data
from rosenblatt.data import svmlight


def plainly(lines):
    """Return the rows, labels, queries and comments of lines, read one by one."""
    y, qid, rows, comments = [], [], [], []
    for line in lines:
        text, _, comment = line.partition("#")
        label, *cells = text.split() or [None]
        if label is None:
            continue
        if cells and cells[0].startswith("qid:"):
            qid.append(int(cells.pop(0)[4:]))
        rows.append({})
        for feature, value in (cell.split(":") for cell in cells):
            rows[-1][int(feature)] = rows[-1].get(int(feature), 0.0) + float(value)
        y.append(float(label))
        comments.append(comment.strip())
    features = [feature for row in rows for feature in row]
    if not y or len(qid) not in (0, len(y)) or min([1, *features]) < 1 or max([1, *features]) > 2**31 - 2:
        raise ValueError
    if not np.all(np.isfinite([*y, *(value for row in rows for value in row.values())])):
        raise ValueError
    return rows, y, qid or None, comments


def as_read(table):
    """Return the rows, labels, queries and comments of a table."""
    X = table.X
    assert X.has_canonical_format
    assert sp.csr_array((X.data, X.indices, X.indptr), shape=X.shape).has_canonical_format
    ends = X.indptr.tolist()
    features, values = (X.indices + 1).tolist(), X.data.tolist()
    rows = [dict(zip(features[a:b], values[a:b], strict=True)) for a, b in pairwise(ends)]
    return rows, table.y.tolist(), None if table.qid is None else table.qid.tolist(), table.comments


def joined(blocks):
    """Return blocks as one table, and what was skipped."""
    blocks = list(blocks)
    parts = [as_read(block) for block in blocks]
    rows, y, qid, comments = (
        None if part[0] is None else [one for some in part for one in some]
        for part in zip(*parts, strict=True)
    )
    return (rows, y, qid, comments), [one for block in blocks for one in block.skipped]


BLANKS = st.sampled_from([" ", " ", " ", "  ", "\t", " \t "])
NUMBERS = st.sampled_from(
    ["1", "-1", "+1", "0", "2.5", "-0.25", "12345678", "1e2", ".5", "5.", "1234567890123"]
)
FEATURES = st.one_of(st.integers(1, 30), st.sampled_from([7, 12345678, 123456789, 2**31 - 2]))


@st.composite
def texts(draw):
    """Draw valid lines in all their spellings."""
    queries, lines = draw(st.booleans()), []
    for _ in range(draw(st.integers(1, 12))):
        cells = [draw(NUMBERS)]
        cells += [f"qid:{draw(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9))}"] if queries else []
        cells += [
            f"{f}:{v}" for f, v in draw(st.lists(st.tuples(FEATURES, NUMBERS), max_size=6))
        ]  # in any order, and perhaps more than once
        line = draw(st.sampled_from(["", "", " "])) + "".join(cell + draw(BLANKS) for cell in cells[:-1])
        lines.append(line + cells[-1] + draw(st.sampled_from(["", " ", "# a: comment", " #", "\t#é #"])))
        lines += draw(st.sampled_from([[], [], [""], ["# 1 1:1"], ["  "]]))
    return lines


@given(st.lists(st.tuples(VALUES, st.integers(0, 99), st.lists(VALUES, min_size=3, max_size=3)), min_size=1))
def test_read_svmlight_reads_what_was_written(tmp_path_factory, rows):
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


def test_read_svmlight_skips_blank_lines_and_comments():
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
        (
            ["1 1:2", "# 1", "1 2:3 x:4"],
            r"must be a label.* Got 'x' in line 3, column 7 of lines: '1 2:3 x:4'\.",
        ),
        (["1 2:3  0:4"], r"counted from 1\. Got 0 in line 1, column 8"),
        (["1 2:3 -4:4"], r"counted from 1\. Got -4 in line 1, column 7"),
        (["1 2:3 4:"], r"Got '' in line 1, column 9"),
        (["1 2:3 4:nan"], r"A value must be a finite number\. Got 'nan' in line 1, column 9"),
        (["1 2:3 4:1e999"], r"A value must be a finite number\. Got '1e999' in line 1, column 9"),
        (["1 2:3 4:1.8e308"], r"A value must be a finite number\. Got '1.8e308' in line 1, column 9"),
        (["-179769313486231590e291 2:3"], r"A label must be a finite number\. Got '-179769313486231590e291'"),
        (["-inf 2:3"], r"A label must be a finite number\. Got '-inf' in line 1, column 1"),
        (
            ["1 1:1", "1,3 2:0.5"],
            r"several labels are not read\. Write one file.* Got '1,3' in line 2, column 1",
        ),
        (["1 3000000000:1"], r"at most 2147483646: hash the features.* Got 3000000000 in line 1, column 3"),
        (["1 2147483647:1"], r"at most 2147483646: hash the features"),
        (["1 qid:1 1:2", "1 1:2"], r"the first has one\. Got none in line 2, column 1"),
        (["1 1:2", "# x", "1 qid:1 1:2"], r"the first has none\. Got 'qid:1' in line 3, column 3"),
        (["1 qid:x 1:2"], r"A query must be an integer.* Got 'x' in line 1, column 7"),
        (["1qid:3 1:2"], r"Got '1qid:3' in line 1, column 1"),
        (["1 qid:3a 1:2"], r"Got '3a' in line 1, column 7"),
        (["1 qid:123456789012345671:2"], r"Got '123456789012345671:2' in line 1, column 7"),
        (["1 1:2a"], r"Got '2a' in line 1, column 5"),
        (["1 1:2.5.5:3"], r"Got '2.5.5:3' in line 1, column 5"),
        (["1 1:2+3:4"], r"Got '2\+3:4' in line 1, column 5"),
        (["1 1:1e"], r"Got '1e' in line 1, column 5"),
        (["1 00000000000000000000:1"], r"counted from 1\. Got 0"),
        (["1 1_0:2"], r"Got '1_0' in line 1, column 3"),
        (["1 1:1_0"], r"Got '1_0' in line 1, column 5"),
        (["1 " + "1:1 " * 50 + "1:x"], r"Got 'x' in line 1, column 205 of lines: '[1: ]+x'\."),
        (["\ufeff1 1:1 x"], r"Got 'x' in line 1, column 7"),
        (["x" * 100], r"Got 'x{59}…' in line 1, column 1 of lines: 'x{60}'\."),
    ],
)
def test_read_svmlight_names_the_bad_line(lines, message):
    with pytest.raises(ValueError, match=message):
        data.read_svmlight(lines)
    if "no row" not in message:
        with pytest.raises(ValueError, match=message):
            list(data.svmlight_blocks(lines, block_bytes=4))
    with pytest.raises(ValueError, match=r"at most n_features=2 features\. Got 3 in line 1, column 3"):
        data.read_svmlight(["1 3:1"], n_features=2)


@given(
    texts(), st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["1 0:1", "x", "1 1:nan", "2,3 1:1"])))
)
def test_skip_bad_skips_and_lists_bad_lines(lines, bad):
    mixed = list(lines)
    for at, line in bad:
        mixed.insert(at, line)
    numbers = [i for i, line in enumerate(mixed, 1) if line in ("1 0:1", "x", "1 1:nan", "2,3 1:1")]
    table = data.read_svmlight(mixed, skip_bad=len(bad))
    assert as_read(table) == plainly(lines)
    assert [skipped.line for skipped in table.skipped] == numbers
    for size in (5, 40):
        blocks = data.svmlight_blocks(mixed, block_bytes=size, skip_bad=len(bad))
        assert joined(blocks) == (plainly(lines), table.skipped)
    if len(bad) > 1:
        message = f"in line {numbers[-1]}, column .* Bad lines skipped before it: {len(bad) - 1}\\."
        with pytest.raises(ValueError, match=message):
            data.read_svmlight(mixed, skip_bad=len(bad) - 1)
        with pytest.raises(ValueError, match=message):
            list(data.svmlight_blocks(mixed, block_bytes=5, skip_bad=len(bad) - 1))


def test_skip_bad_records_the_reason():
    table = data.read_svmlight(["x 9:1", "1 qid:3 2:1", "1 2:1", "1 qid:3 0:1"], skip_bad=3)
    assert table.X.shape == (1, 2)
    assert table.skipped[2] == data.Skipped(4, "Features are counted from 1. Got 0 in column 9.")
    with pytest.raises(ValueError, match="no row"):
        data.read_svmlight(["x"], skip_bad=1)
    assert list(data.svmlight_blocks(["x"], skip_bad=1)) == []
    with pytest.raises(ValueError, match=r"at least 0\. Got -1"):
        data.read_svmlight(["1"], skip_bad=-1)
    with pytest.raises(ValueError, match=r"n_features is .* at least 0\. Got -1"):
        data.read_svmlight(["1"], n_features=-1)
    with pytest.raises(TypeError, match="float"):
        data.read_svmlight(["1"], n_features=2.0)
    with pytest.raises(ValueError, match=r"at least 1 byte\. Got 0"):
        data.svmlight_blocks(["1"], block_bytes=0)


@given(texts(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_read_svmlight_matches_the_plain_reader(tmp_path_factory, lines, end, last, mark):
    expected = plainly(lines)
    assert as_read(data.read_svmlight(lines)) == expected
    assert as_read(data.read_svmlight([line + end for line in lines])) == expected
    path = tmp_path_factory.mktemp("svm") / "rows"
    text = "\ufeff" * mark + end.join(lines) + end * last
    path.write_bytes(text.encode())
    assert as_read(data.read_svmlight(path)) == expected


@given(texts(), st.integers(1, 200), st.sampled_from(["plain", "gz", "xz", "zst", "file", "lines"]))
def test_svmlight_blocks_join_to_the_whole(tmp_path_factory, lines, size, kind):
    text = "\n".join(lines).encode()
    path = tmp_path_factory.mktemp("svm") / "rows"
    if kind == "zst":
        compress = pytest.importorskip("zstandard").compress
    else:
        compress = {"gz": gzip.compress, "xz": lzma.compress}.get(kind, bytes)
    path.write_bytes(compress(text))
    if kind == "file":
        with open(path, "rb") as file:
            blocks = list(data.svmlight_blocks(file, block_bytes=size))
    else:
        blocks = list(data.svmlight_blocks(lines if kind == "lines" else path, block_bytes=size))
    assert joined(blocks) == (plainly(lines), [])
    assert all(block.X.shape == (len(block.y), max([0, *block.X.indices + 1])) for block in blocks)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
def test_svmlight_blocks_have_the_size_asked_for(tmp_path, compress):
    path = tmp_path / "rows"
    path.write_bytes(compress(b"1 1:2 3:4\n" * 1000))
    sizes = [len(block.y) for block in data.svmlight_blocks(path, block_bytes=1005)]
    assert sum(sizes) == 1000
    assert {*sizes[:-1]} <= {100, 101}


JUNK = st.text("0123456789.:+-eE #,\t\r\n_infqd\v\0é", max_size=12)


@given(JUNK, JUNK, JUNK)
@example("", " 1:1e309", "")
@example("", " 1:0x1", "")
@example("", " 1:1e", "")
@example("", " 0000000000000000000000000000001:2", "")
@example("", " 2147483647:1", "")
def test_read_svmlight_rejects_what_the_plain_reader_rejects(before, between, after):
    lines = ["-1 2:0.5", *f"{before}1 3:4{between} 5:6{after}".split("\n")]
    try:
        expected = plainly(lines)
        if any("_" in line.partition("#")[0] for line in lines):
            raise ValueError
    except ValueError:
        with pytest.raises(ValueError, match=r"Got .* in line \d+, column \d+ of lines: "):
            data.read_svmlight(lines)
    else:
        assert as_read(data.read_svmlight(lines)) == expected


def test_write_svmlight_ignores_the_index_of_a_series(tmp_path):
    path = tmp_path / "rows"
    data.write_svmlight(path, np.eye(3)[::-1], pd.Series([7, 8, 9], index=[2, 0, 1]))
    assert data.read_svmlight(path).y.tolist() == [7, 8, 9]
    path.write_bytes(b"\xef\xbb\xbf1 1:2\n")
    assert data.read_svmlight(path).X.toarray().tolist() == [[2]]


def test_read_svmlight_reports_truncated_files(tmp_path):
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(b"1 1:2\n" * 1000)[:30])
    with pytest.raises(ValueError, match="compressed and broken"):
        data.read_svmlight(path)
    with pytest.raises(ValueError, match="compressed and broken"):
        list(data.svmlight_blocks(path))


def test_read_svmlight_reads_zstandard(tmp_path, monkeypatch):
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "rows.zst"
    packed = zstandard.compress("".join(f"{i} 1:{i * i}\n" for i in range(20_000)).encode())
    path.write_bytes(packed + packed)
    assert data.read_svmlight(path).y.tolist() == [*range(20_000)] * 2
    for cut in (packed[:-1], packed + packed[:-1], packed[:100] + b"x" * 100, packed[:4] + b"\xff" * 50):
        path.write_bytes(cut)
        with pytest.raises(ValueError, match="compressed and broken"):
            data.read_svmlight(path)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ImportError, match=r"pip install 'rosenblatt\[tables\]'"):
        data.read_svmlight(path)


def test_read_svmlight_reads_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[b"1 1:2\n" * 10_000])
    writer.start()
    assert data.read_svmlight(path).X.sum() == 20_000
    writer.join()


def test_svmlight_blocks_take_the_memory_of_a_few_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "SMALL", 0)
    path = tmp_path / "rows"
    path.write_bytes(b"1 1:2 3:4.5 7:1\n" * 500_000)
    data.read_svmlight(["1 1:1"])
    peaks = []
    for source in (path, (b"1 1:2 3:4.5 7:1\n" for _ in range(500_000))):
        tracemalloc.start()
        assert sum(len(block.y) for block in data.svmlight_blocks(source, block_bytes=2**16)) == 500_000
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 2**21 < path.stat().st_size / 3


def test_svmlight_blocks_read_one_block_ahead():
    reached = [threading.Event() for _ in range(50)]

    def lines():
        for event in reached:
            event.set()
            yield "1 1:1\n"

    blocks = data.svmlight_blocks(lines(), block_bytes=6)
    next(blocks)
    assert reached[2].wait(10)
    blocks.close()
    assert not reached[10].is_set()


def test_partial_fit_on_svmlight_blocks_is_one_run(tmp_path):
    random = np.random.default_rng(0)
    X, path = sp.random_array((300, 20), density=0.3, rng=random, format="csr"), tmp_path / "rows"
    data.write_svmlight(path, X, np.where(X.sum(axis=1) > 3, 1, -1))
    whole, parts = (PerceptronClassifier(keep_examples=False) for _ in range(2))
    table = data.read_svmlight(path, n_features=20)
    whole.partial_fit(table.X, table.y, classes=[-1, 1])
    for block in data.svmlight_blocks(path, block_bytes=1000, n_features=20):
        parts.partial_fit(block.X, block.y, classes=[-1, 1])
    assert np.array_equal(whole.coef_, parts.coef_)


def test_write_svmlight_rejects_bad_input(tmp_path):
    path = tmp_path / "rows"
    with pytest.raises(ValueError, match="as many labels as rows, 2"):
        data.write_svmlight(path, np.eye(2), [1])
    with pytest.raises(ValueError, match="one line"):
        data.write_svmlight(path, np.eye(1), [1], comments=["a\nb"])
    with pytest.raises(ValueError, match="integers"):
        data.write_svmlight(path, np.eye(1), [1], ["a"])
    assert not path.exists()
