"""Compressed files: from a path, an open file or standard input, and written."""

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from contextlib import contextmanager

import pytest

from fixtures.format_data import SUFFIXES, SVMLIGHT, found
from rosenblatt import data
from rosenblatt.data.files import lines_of
from rosenblatt.data.schema import Schema
from rosenblatt.data.sources import RowSource, file_of, format_of


def zst(content):
    return pytest.importorskip("zstandard").compress(content)


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zst, "plain": bytes}


@contextmanager
def piped(monkeypatch, *pieces):
    """Make standard input a pipe into which these pieces are written, one by one."""
    out, into = os.pipe()

    def write():
        with os.fdopen(into, "wb", buffering=0) as pipe:
            for piece in pieces:
                pipe.write(piece)
                empty.wait(0.05)

    empty = threading.Event()
    writer = threading.Thread(target=write)
    with io.TextIOWrapper(io.BufferedReader(io.FileIO(out))) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        writer.start()
        yield
        writer.join()


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "svmlight", "conll"])
def test_readers_accept_compressed_files_and_standard_input(tmp_path, monkeypatch, kind, packer):
    content = SUFFIXES[kind][0] * (1 if kind == "csv" else 5000)
    packed = PACKERS[packer](content)
    (tmp_path / "rows").write_bytes(packed)
    seen = []
    for path in (str(tmp_path / "rows"), "-"):
        with piped(monkeypatch, packed[:50], packed[50:]):
            assert format_of(path) == kind
            if path != "-":
                sys.stdin.buffer.read()
            seen.append(read(path, kind))
    assert seen[0] == seen[1]


def read(path, kind):
    if kind == "conll":
        X, y = data.read_conll(file_of(path))
        return list(X), list(y)
    blocks = list(RowSource(path, kind, Schema()))
    return [block.X.tolist() if kind == "csv" else block.X.toarray().tolist() for block in blocks]


def test_readers_accept_standard_input_in_pieces(monkeypatch):
    with piped(monkeypatch, b"Rome ", b"NNP\n", b"fell VBD\n\n", b"It PRP\n"):
        assert format_of("-") == "conll"
        assert len(read("-", "conll")[0]) == 2
    with piped(monkeypatch, b"size", b",lab", b"el\n1,x\n", b"2,y\n"):
        assert read("-", "csv") == [[[1.0], [2.0]]]


def test_lines_of_yields_standard_input_line_by_line(monkeypatch):
    out, into = os.pipe()
    read_first, open_when_read = threading.Event(), []

    def write():
        with os.fdopen(into, "wb", buffering=0) as pipe:
            pipe.write(b"first\n")
            open_when_read.append(read_first.wait(10))
            pipe.write(b"second\n")

    writer = threading.Thread(target=write)
    with (
        io.TextIOWrapper(io.BufferedReader(io.FileIO(out))) as stdin,
        lines_of_input(monkeypatch, stdin, writer) as lines,
    ):
        assert next(lines) == b"first\n"
        read_first.set()
        assert list(lines) == [b"second\n"]
    writer.join()
    assert open_when_read == [True]


@contextmanager
def lines_of_input(monkeypatch, stdin, writer):
    monkeypatch.setattr(sys, "stdin", stdin)
    writer.start()
    with lines_of(file_of("-")) as lines:
        yield iter(lines)


def test_head_of_standard_input_consumes_nothing(monkeypatch):
    text = b"".join(b"%d\n" % i for i in range(5000))
    with piped(monkeypatch, text):
        source = file_of("-")
        assert source.head(4) == text[:4]
        assert source.readline() == b"0\n"
        assert source.head(100) == text[:4]
        assert source.read() == text[2:]


@pytest.mark.parametrize("packer", ["gz", "bz2", "xz", "zst"])
def test_readers_report_broken_compression(tmp_path, monkeypatch, packer):
    packed = PACKERS[packer](b"".join(b"%d 1:%d\n" % (i % 2, i * i) for i in range(20_000)))
    for broken in (packed[:-5], packed[: len(packed) // 2], packed[:20] + b"x" * 100):
        (tmp_path / "rows").write_bytes(broken)
        with pytest.raises(ValueError, match="rows is compressed and broken"):
            data.read_svmlight(tmp_path / "rows")
        with (
            piped(monkeypatch, broken),
            pytest.raises(ValueError, match="standard input is compressed and broken"),
        ):
            read("-", format_of("-"))


@pytest.mark.parametrize("packer", PACKERS)
def test_read_svmlight_decompresses_open_files(tmp_path, packer):
    packed = PACKERS[packer](SVMLIGHT)
    (tmp_path / "rows").write_bytes(packed)
    with open(tmp_path / "rows", "rb") as file:
        assert data.read_svmlight(file).y.tolist() == [1, -1, 1]
        assert not file.closed
    assert data.read_svmlight(held := io.BytesIO(packed)).y.tolist() == [1, -1, 1]
    assert not held.closed


@pytest.mark.parametrize(
    ("suffix", "magic"),
    [(".gz", b"\x1f\x8b"), (".bz2", b"BZh"), (".xz", b"\xfd7zXZ"), (".zst", b"(\xb5/\xfd")],
)
def test_write_svmlight_compresses_by_suffix(tmp_path, suffix, magic):
    pytest.importorskip("zstandard")
    data.write_svmlight(tmp_path / f"rows.svm{suffix}", [[1.0, 2.0]], [1])
    assert (tmp_path / f"rows.svm{suffix}").read_bytes().startswith(magic)
    assert data.read_svmlight(tmp_path / f"rows.svm{suffix}").X.toarray().tolist() == [[1.0, 2.0]]


def test_read_svmlight_reads_bzip2_of_several_streams(tmp_path):
    (tmp_path / "rows.bz2").write_bytes(bz2.compress(SVMLIGHT) + bz2.compress(SVMLIGHT))
    assert len(data.read_svmlight(tmp_path / "rows.bz2").y) == 6
    assert data.read_conll([b"BZh9 X\n"])[0][0] == ["BZh9"]
    assert found(tmp_path, "rows.csv", b"BZh9,label\n1,x\n") == "csv"
