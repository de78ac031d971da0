"""Caches beside files of rows: the same blocks bit for bit, or none; and never those of another file."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from fixtures.cache_data import (
    KINDS,
    RANDOM,
    _small_blocks,  # noqa: F401
    all_same,
    cache_beside,
    same,
    source_of,
    svmlight_with_bad_lines,
    svmlight_with_queries,
    told_and_blocks,
)
from rosenblatt.data import cache_files, caches, packing, tables
from rosenblatt.data.blocks import Block, Skipped
from rosenblatt.data.caches import SUFFIX, Cached
from rosenblatt.data.encoding import Schema
from rosenblatt.data.sources import RowSource


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_cache_yields_the_blocks_and_schema_of_the_source(tmp_path, monkeypatch, kind):
    plain = source_of(tmp_path, kind)
    blocks = list(plain)
    assert len(blocks) > 2
    first = source_of(tmp_path, kind)
    cached = Cached(first)
    assert all_same(list(cached), blocks)
    assert cache_beside(first).stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(RowSource, "__iter__", None)  # from here on nothing else is read
    assert all_same(list(cached), blocks)
    again = source_of(tmp_path, kind)
    told, read = told_and_blocks(again)
    assert told == []
    assert all_same(read, blocks)
    for source in (first, again):
        assert source.schema.noted() == plain.schema.noted()
        assert source.schema.names == plain.schema.names


def test_same_detects_every_difference():
    """The comparison of these tests detects another bit, dtype or name."""
    X = sp.csr_array(np.eye(2))
    block = Block(X, np.array([1.0, 0.0]), np.array(["a", "b"], object), ["r", "s"])
    assert same(block, Block(X.copy(), block.y, block.qid, block.ids))
    others = [
        Block(X.astype(np.float32), block.y, block.qid, block.ids),
        Block(X, np.array([1.0, -0.0]), block.qid, block.ids),
        Block(X, block.y, np.array(["a", "c"], object), block.ids),
        Block(X, block.y, None, block.ids),
        Block(X, block.y, block.qid, ["r", "t"]),
        Block(X, block.y, block.qid, block.ids, [Skipped(1, "bad")]),
        Block(X.toarray(), block.y, block.qid, block.ids),
    ]
    for other in others:
        with pytest.raises((AssertionError, ValueError)):
            same(block, other)


@pytest.mark.parametrize(
    ("numbers", "stored"),
    [
        (np.array([0.5, -0.0, 2.0**100]), "float32"),
        (np.array([0.5] * 2000 + [0.1]), "float64"),
        (np.array([1e300]), "float64"),
        (np.array([np.nan]), "float64"),
        (np.array([5e-324]), "float64"),
        (np.array([-(2**31), 2**31 - 1]), "int32"),
        (np.array([2**31]), "int64"),
    ],
)
def test_packed_narrows_dtypes_only_where_exact(numbers, stored):
    block = Block(numbers.astype(float)[:, None], numbers)
    arrays, header = packing.packed(block)
    assert json.loads(header)["parts"]["y"][1] == stored
    assert same(packing.unpacked(np.concatenate(arrays), header), block)


def test_cache_is_not_written_for_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 1000)
    source = source_of(tmp_path)
    assert len(list(Cached(source))) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


def change_size(path):
    path.write_text(path.read_text() + '99,"red",n,q9,x\n')


def change_time(path):
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def change_bytes(path):
    """Change bytes, and keep the size and the time of change."""
    status = path.stat()
    path.write_text(path.read_text().replace("c3 ", "d3 "))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)


@pytest.mark.parametrize("change", [change_size, change_time, change_bytes])
def test_cache_is_rebuilt_after_a_change(tmp_path, change):
    source = source_of(tmp_path)
    list(Cached(source))
    change(Path(source.path))
    plain = list(source_of(tmp_path))
    told, blocks = told_and_blocks(source_of(tmp_path))
    assert len(told) == 1
    assert "has changed since" in told[0]
    assert all_same(blocks, plain)
    told, blocks = told_and_blocks(source_of(tmp_path))
    assert told == []
    assert all_same(blocks, plain)


def test_cache_is_rebuilt_after_a_change_between_passes(tmp_path):
    cached = Cached(source_of(tmp_path))
    before = list(cached)
    change_size(Path(source_of(tmp_path).path))
    after = list(cached)
    assert sum(map(len, after)) == sum(map(len, before)) + 1
    assert all_same(after, list(source_of(tmp_path)))


def test_cache_of_a_large_file_raises_at_the_end_of_the_pass_if_bytes_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "SMALL", 0)
    source = source_of(tmp_path)
    list(Cached(source))
    assert told_and_blocks(source_of(tmp_path))[0] == []
    change_bytes(Path(source.path))
    blocks = iter(Cached(source_of(tmp_path)))
    assert len(next(blocks)) == 7
    with pytest.raises(ValueError, match="Restart the run"):
        list(blocks)
    assert not cache_beside(source).exists()
    assert all_same(list(Cached(source_of(tmp_path))), list(source_of(tmp_path)))


def test_cache_of_a_large_file_is_checked_first_with_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "SMALL", 0)
    source, told = source_of(tmp_path), []
    list(Cached(source))
    change_bytes(Path(source.path))
    blocks = list(Cached(source_of(tmp_path), told.append, at_once=True))
    assert "though not its size and time" in told[0]
    assert all_same(blocks, list(source_of(tmp_path)))


def test_cache_is_not_written_if_the_file_changes_meanwhile(tmp_path):
    source, told = source_of(tmp_path), []
    for number, _ in enumerate(Cached(source, told.append)):
        if number == 2:
            change_time(Path(source.path))
    assert "changed while it was read" in told[0]
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.parametrize("other", [{"skip_bad": 1}, {"bits": 4}, {"id": None}, {"query": None}])
def test_cache_is_rebuilt_for_other_options(tmp_path, other):
    list(Cached(source_of(tmp_path)))
    told, blocks = told_and_blocks(source_of(tmp_path, **other))
    assert "other options" in told[0]
    assert all_same(blocks, list(source_of(tmp_path, **other)))


def test_cache_is_rebuilt_for_another_version(tmp_path, monkeypatch):
    plain = list(source_of(tmp_path))
    list(Cached(source_of(tmp_path), version="0.0.9"))
    told, blocks = told_and_blocks(source_of(tmp_path))
    assert "another version" in told[0]
    assert all_same(blocks, plain)
    monkeypatch.setattr(cache_files, "FORMAT", cache_files.FORMAT + 1)
    assert "it has format 3, and 4 is read" in told_and_blocks(source_of(tmp_path))[0][0]
    assert told_and_blocks(source_of(tmp_path))[0] == []


def test_cache_rejects_truncated_files(tmp_path):
    source = source_of(tmp_path)
    plain = list(source_of(tmp_path))
    list(Cached(source))
    whole = cache_beside(source).read_bytes()
    for size in [0, 1, 15, 16, 40, 56, *range(57, len(whole), 997), len(whole) - 16, len(whole) - 1]:
        cache_beside(source).write_bytes(whole[:size])
        told, blocks = told_and_blocks(source_of(tmp_path))
        assert len(told) == 1, size
        assert all_same(blocks, plain)
        assert cache_beside(source).read_bytes() == whole


def test_cache_rejects_flipped_bits(tmp_path):
    source = source_of(tmp_path)
    plain = list(source_of(tmp_path))
    list(Cached(source))
    whole = cache_beside(source).read_bytes()
    ends = [*range(20), *range(len(whole) - 45, len(whole))]
    unread = range(len(whole) - 20, len(whole) - 16)  # the zero at the end
    for at in [*ends, *RANDOM.integers(0, len(whole), 60).tolist()]:
        broken = bytearray(whole)
        broken[at] ^= 1 << int(RANDOM.integers(8))
        cache_beside(source).write_bytes(broken)
        told, blocks = told_and_blocks(source_of(tmp_path))
        assert all_same(blocks, plain), at
        assert len(told) == (at not in unread), at
        assert at in unread or cache_beside(source).read_bytes() == whole, at


@pytest.mark.parametrize(
    "foreign", [b"", b"notes of mine\n" * 100, b"rosenblatt-cache" * 9, os.urandom(5000)]
)
def test_cache_rejects_other_files(tmp_path, foreign):
    source = source_of(tmp_path)
    cache_beside(source).write_bytes(foreign)
    told, blocks = told_and_blocks(source)
    assert len(told) == 1
    assert all_same(blocks, list(source_of(tmp_path)))


def a_folder(path):
    path.mkdir()
    (path / "x").touch()


@pytest.mark.parametrize("make", [a_folder, os.mkfifo, lambda path: path.symlink_to("elsewhere")])
def test_cache_rejects_folders_fifos_and_links(tmp_path, make):
    (tmp_path / "elsewhere").write_text("precious")
    source = source_of(tmp_path)
    make(cache_beside(source))
    told, blocks = told_and_blocks(source)
    assert told
    assert all_same(blocks, list(source_of(tmp_path)))
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_cache_rejects_files_of_other_users(tmp_path, monkeypatch):
    source = source_of(tmp_path)
    list(Cached(source))
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    told, _ = told_and_blocks(source_of(tmp_path))
    assert "not a regular file that this user owns" in told[0]


def refuse(*_, **__):
    raise PermissionError(13, "Permission denied")


def full(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("what", "how", "words"),
    [
        ("rosenblatt._atomic.mkstemp", refuse, "Permission denied"),
        ("os.fsync", full, "No space left"),
        ("os.replace", full, "No space left"),
        ("shutil.disk_usage", lambda _: SimpleNamespace(free=2**20), "nearly full"),
    ],
)
def test_cache_failures_fall_back_to_the_file(tmp_path, monkeypatch, what, how, words):
    plain, source, told = list(source_of(tmp_path)), source_of(tmp_path), []
    monkeypatch.setattr(what, how)
    cached = Cached(source, told.append)
    assert all_same(list(cached), plain)
    assert sum(map(len, cached)) == sum(map(len, plain))
    assert len(told) == 1
    assert words in told[0]
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


def test_cache_falls_back_to_the_file_on_a_full_disk(tmp_path):
    """A limit on the size of files fails in the middle of writing, as a full disk does."""
    source = source_of(tmp_path, svmlight_with_queries)
    code = (
        "import resource, signal, sys; from rosenblatt.data import caches, sources, encoding\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
        "blocks = sources.svmlight_blocks\n"
        "sources.svmlight_blocks = lambda *a, **k: blocks(*a, block_bytes=100, **k)\n"
        "source = sources.RowSource(sys.argv[1], 'svmlight', encoding.Schema())\n"
        "cached = caches.Cached(source, print)\n"
        "print(sum(map(len, cached)), sum(map(len, cached)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, source.path], capture_output=True, text=True, check=False
    )
    assert "is not written: File too large" in done.stdout, done.stderr
    assert "40 40" in done.stdout
    assert [each.name for each in tmp_path.iterdir()] == ["rows.svm"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_cache_falls_back_to_the_file_in_a_read_only_folder(tmp_path):
    source = source_of(tmp_path)
    tmp_path.chmod(0o500)
    try:
        told, blocks = told_and_blocks(source)
    finally:
        tmp_path.chmod(0o700)
    assert "Permission denied" in told[0]
    assert len(blocks) > 2


@pytest.mark.parametrize("taken", [1, 2, 4])
def test_cache_is_not_left_by_an_interrupted_pass(tmp_path, taken):
    source = source_of(tmp_path)
    plain, cached = list(source_of(tmp_path)), Cached(source)
    blocks = iter(cached)
    for _ in range(taken):
        next(blocks)
    blocks.close()
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]
    assert all_same(list(cached), plain)  # with the names of features as they come, from the first on
    broken_off = iter(cached)
    next(broken_off)
    broken_off.close()
    assert all_same(list(cached), plain)


def test_cache_is_not_left_by_a_bad_line(tmp_path):
    source = source_of(tmp_path, svmlight_with_bad_lines, skip_bad=2)
    for _ in range(2):
        with pytest.raises(ValueError, match="Bad lines skipped before it: 2"):
            list(Cached(source))
        assert [each.name for each in tmp_path.iterdir()] == ["rows.svm"]


def test_cache_sweeps_files_of_killed_passes(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    source = source_of(tmp_path)
    left = tmp_path / f".rows.csv{SUFFIX}.abc.{done.stdout.strip()}.part"
    left.write_bytes(b"half a cache")
    list(Cached(source))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["rows.csv", "rows.csv" + SUFFIX]


def test_cache_recovers_from_a_broken_block(tmp_path):
    """Blocks that were yielded stay; the rest comes from the file, and the cache is rebuilt."""
    source, told = source_of(tmp_path), []
    plain, cached = list(source_of(tmp_path)), Cached(source, told.append)
    list(cached)
    whole = cache_beside(source).read_bytes()
    broken = bytearray(whole)
    broken[len(whole) // 2] ^= 4
    cache_beside(source).write_bytes(broken)
    assert all_same(list(cached), plain)
    assert "checksum of a block is wrong" in told[0]
    assert cache_beside(source).read_bytes() == whole


def test_cache_is_not_written_for_prediction(tmp_path):
    learned = source_of(tmp_path)
    list(learned)
    schema = Schema.of_model(learned.schema.noted(), learned.schema.names[:5])
    source = RowSource(learned.path, "csv", schema)
    assert all_same(list(Cached(source)), list(source))
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]
