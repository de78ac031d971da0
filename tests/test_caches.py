"""Caches beside files of rows: the same blocks bit for bit, or none; and never those of another file."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.cli import fitting
from rosenblatt.data import cache_files, caches, packing, sources, tables, write_svmlight
from rosenblatt.data.blocks import Block, Skipped
from rosenblatt.data.caches import SUFFIX, Cached
from rosenblatt.data.encoding import Schema
from rosenblatt.data.sources import RowSource
from rosenblatt.data.vocabulary import Vocabulary

RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Files of a few lines have several blocks."""
    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=100, **k))
    monkeypatch.setattr(tables, "ROWS", 7)


def svmlight_with_queries():
    lines = [
        f"{RANDOM.integers(0, 3)} qid:{10**12 + i // 4} 1:{RANDOM.normal():.4f} {i + 2}:{i / 4} # row {i} é"
        for i in range(40)
    ]
    return "rows.svm", "\n".join(lines), {}


def svmlight_of_quarters():
    return "rows.svm", "\n".join(f"{i % 2}.5 {1 + i % 5}:{i / 4} 7:-0" for i in range(40)), {}


def svmlight_with_bad_lines():
    return "rows.svm", "\n".join(f"{i % 2} {i % 9}:1 9:0.1" for i in range(40)), {"skip_bad": 5}


def svmlight_with_later_fractions():
    """The labels of the first block are whole numbers, those of a later one not."""
    return "rows.svm", "\n".join(f"{i if i < 30 else i / 4} 3:0.3" for i in range(40)), {}


def svmlight_hashed():
    return "rows.svm", "\n".join(f"{i % 2} {i + 1}:0.1 {i + 9}:2" for i in range(40)), {"bits": 3}


def dense_table():
    lines = ["a,b,label"] + [f"{i / 3},{i},{'yes' if i % 3 else 'no'}" for i in range(40)]
    return "rows.csv", "\n".join(lines), {}


def table_of_texts():
    """New texts come in every block, and the labels of blocks are not equally long."""
    lines = ["size,colour,name,qid,label"]
    lines += [f'{i},"c{i} ü",n{i},q{i // 6},{"x" * (1 + i // 9)}' for i in range(40)]
    return "rows.csv", "\n".join(lines), {"query": "qid", "id": "name"}


def table_hashed():
    name, text, options = table_of_texts()
    return name, text, options | {"bits": 5}


def json_lines():
    rows = [{"label": i % 2, "words": {f"w{i}": i, "\ud800": 0.1}, "n": 2**70} for i in range(40)]
    return "rows.jsonl", "\n".join(map(json.dumps, rows)), {}


KINDS = [
    svmlight_with_queries,
    svmlight_of_quarters,
    svmlight_with_bad_lines,
    svmlight_with_later_fractions,
    svmlight_hashed,
    dense_table,
    table_of_texts,
    table_hashed,
    json_lines,
]


def source_of(folder, kind=table_of_texts, **other):
    """A file of rows, written if it is not there, and the source that reads it."""
    name, text, options = kind()
    path = folder / name
    if not path.exists():
        path.write_text(text + "\n", encoding="utf-8")
    options = options | other
    schema = Schema(
        query=options.get("query"), id=options.get("id"), vocabulary=Vocabulary(bits=options.get("bits"))
    )
    form = {".svm": "svmlight", ".csv": "csv", ".jsonl": "jsonl"}[path.suffix]
    return RowSource(str(path), form, schema, options.get("skip_bad", 0))


def arrays_of(block):
    X = block.X
    return [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]


def same(one, other):
    """Whether two blocks cannot be told apart."""
    pairs = [*zip(arrays_of(one), arrays_of(other), strict=True), (one.y, other.y), (one.qid, other.qid)]
    assert one.X.shape == other.X.shape
    assert type(one.X) is type(other.X)
    for a, b in pairs:
        if a is None or b is None:
            assert a is b
            continue
        assert a.dtype == b.dtype
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    assert one.ids == other.ids
    assert one.skipped == other.skipped
    if sp.issparse(one.X):
        assert one.X.has_canonical_format == other.X.has_canonical_format
    return True


def all_same(some, others):
    return len(some) == len(others) and all(map(same, some, others))


def told_and_blocks(source):
    told = []
    blocks = list(Cached(source, told.append))
    return told, blocks


def cache_beside(source):
    return Path(source.path + SUFFIX)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_blocks_and_schema_are_those_of_the_source(tmp_path, monkeypatch, kind):
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
        assert source.schema.vocabulary.names == plain.schema.vocabulary.names


def test_what_makes_a_difference():
    """The comparison these tests rest on sees a bit, a dtype and a name."""
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
def test_numbers_are_narrowed_only_where_that_is_exact(numbers, stored):
    block = Block(numbers.astype(float)[:, None], numbers)
    arrays, sheet = packing.packed(block)
    assert json.loads(sheet)["parts"]["y"][1] == stored
    assert same(packing.unpacked(np.concatenate(arrays), sheet), block)


def test_a_file_of_one_block_has_no_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 1000)
    source = source_of(tmp_path)
    assert len(list(Cached(source))) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


def change_size(path):
    path.write_text(path.read_text() + '99,"red",n,q9,x\n')


def change_time(path):
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def change_bytes(path):
    """With the size and the time of before."""
    status = path.stat()
    path.write_text(path.read_text().replace("c3 ", "d3 "))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)


@pytest.mark.parametrize("change", [change_size, change_time, change_bytes])
def test_a_changed_file_is_read_anew(tmp_path, change):
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


def test_a_file_that_changes_between_two_passes_is_read_anew(tmp_path):
    cached = Cached(source_of(tmp_path))
    before = list(cached)
    change_size(Path(source_of(tmp_path).path))
    after = list(cached)
    assert sum(map(len, after)) == sum(map(len, before)) + 1
    assert all_same(after, list(source_of(tmp_path)))


def test_other_bytes_in_a_large_file_end_the_first_pass_in_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "SMALL", 0)
    source = source_of(tmp_path)
    list(Cached(source))
    assert told_and_blocks(source_of(tmp_path))[0] == []
    change_bytes(Path(source.path))
    blocks = iter(Cached(source_of(tmp_path)))
    assert len(next(blocks)) == 7
    with pytest.raises(ValueError, match="Begin anew"):
        list(blocks)
    assert not cache_beside(source).exists()
    assert all_same(list(Cached(source_of(tmp_path))), list(source_of(tmp_path)))


def test_other_bytes_in_a_large_file_are_seen_at_once_if_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "SMALL", 0)
    source, told = source_of(tmp_path), []
    list(Cached(source))
    change_bytes(Path(source.path))
    blocks = list(Cached(source_of(tmp_path), told.append, at_once=True))
    assert "though not its size and time" in told[0]
    assert all_same(blocks, list(source_of(tmp_path)))


def test_a_file_that_changes_while_it_is_read_has_no_cache(tmp_path):
    source, told = source_of(tmp_path), []
    for number, _ in enumerate(Cached(source, told.append)):
        if number == 2:
            change_time(Path(source.path))
    assert "changed while it was read" in told[0]
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.parametrize("other", [{"skip_bad": 1}, {"bits": 4}, {"id": None}, {"query": None}])
def test_other_options_make_another_cache(tmp_path, other):
    list(Cached(source_of(tmp_path)))
    told, blocks = told_and_blocks(source_of(tmp_path, **other))
    assert "other options" in told[0]
    assert all_same(blocks, list(source_of(tmp_path, **other)))


def test_another_version_of_library_or_format_makes_it_anew(tmp_path, monkeypatch):
    plain = list(source_of(tmp_path))
    list(Cached(source_of(tmp_path), version="0.0.9"))
    told, blocks = told_and_blocks(source_of(tmp_path))
    assert "another version" in told[0]
    assert all_same(blocks, plain)
    monkeypatch.setattr(cache_files, "FORMAT", 2)
    assert "it has format 1, and 2 is read" in told_and_blocks(source_of(tmp_path))[0][0]
    assert told_and_blocks(source_of(tmp_path))[0] == []


def test_no_cut_is_taken_for_a_cache(tmp_path):
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


def test_no_flipped_bit_is_taken_for_a_cache(tmp_path):
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
def test_a_foreign_file_is_not_read(tmp_path, foreign):
    source = source_of(tmp_path)
    cache_beside(source).write_bytes(foreign)
    told, blocks = told_and_blocks(source)
    assert len(told) == 1
    assert all_same(blocks, list(source_of(tmp_path)))


def a_folder(path):
    path.mkdir()
    (path / "x").touch()


@pytest.mark.parametrize("make", [a_folder, os.mkfifo, lambda path: path.symlink_to("elsewhere")])
def test_what_is_no_file_is_not_read(tmp_path, make):
    (tmp_path / "elsewhere").write_text("precious")
    source = source_of(tmp_path)
    make(cache_beside(source))
    told, blocks = told_and_blocks(source)
    assert told
    assert all_same(blocks, list(source_of(tmp_path)))
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_the_cache_of_another_user_is_not_read(tmp_path, monkeypatch):
    source = source_of(tmp_path)
    list(Cached(source))
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    told, _ = told_and_blocks(source_of(tmp_path))
    assert "no file of this user's" in told[0]


def refuse(*_, **__):
    raise PermissionError(13, "Permission denied")


def full(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("what", "how", "words"),
    [
        ("rosenblatt.data.replacing.mkstemp", refuse, "Permission denied"),
        ("os.fsync", full, "No space left"),
        ("os.replace", full, "No space left"),
        ("shutil.disk_usage", lambda _: SimpleNamespace(free=2**20), "nearly full"),
    ],
)
def test_where_no_cache_can_be_written_the_file_is_read_again(tmp_path, monkeypatch, what, how, words):
    plain, source, told = list(source_of(tmp_path)), source_of(tmp_path), []
    monkeypatch.setattr(what, how)
    cached = Cached(source, told.append)
    assert all_same(list(cached), plain)
    assert sum(map(len, cached)) == sum(map(len, plain))
    assert len(told) == 1
    assert words in told[0]
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


def test_a_disk_that_gets_full_half_way(tmp_path):
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
def test_a_folder_that_must_not_be_written(tmp_path):
    source = source_of(tmp_path)
    tmp_path.chmod(0o500)
    try:
        told, blocks = told_and_blocks(source)
    finally:
        tmp_path.chmod(0o700)
    assert "Permission denied" in told[0]
    assert len(blocks) > 2


@pytest.mark.parametrize("taken", [1, 2, 4])
def test_a_pass_that_is_broken_off_leaves_nothing(tmp_path, taken):
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


def test_a_bad_line_in_the_first_pass_leaves_nothing(tmp_path):
    source = source_of(tmp_path, svmlight_with_bad_lines, skip_bad=2)
    for _ in range(2):
        with pytest.raises(ValueError, match="Bad lines skipped before it: 2"):
            list(Cached(source))
        assert [each.name for each in tmp_path.iterdir()] == ["rows.svm"]


def test_what_killed_passes_leave_is_swept(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    source = source_of(tmp_path)
    left = tmp_path / f".rows.csv{SUFFIX}.abc.{done.stdout.strip()}.part"
    left.write_bytes(b"half a cache")
    list(Cached(source))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["rows.csv", "rows.csv" + SUFFIX]


def test_a_block_that_breaks_while_others_are_out(tmp_path):
    """What was handed out stays; the rest comes from the file, and the cache is made anew."""
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


def test_rows_to_be_answered_are_not_cached(tmp_path):
    learned = source_of(tmp_path)
    list(learned)
    schema = Schema.of_model(learned.schema.noted(), learned.schema.vocabulary.names[:5])
    source = RowSource(learned.path, "csv", schema)
    assert all_same(list(Cached(source)), list(source))
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


GAMES = {
    "svmlight": (svmlight_of_quarters, {}),
    "bad lines": (svmlight_with_bad_lines, {"skip_bad": 5}),
    "hashed": (svmlight_hashed, {"hash_bits": 3}),
    "ranking": (svmlight_with_queries, {"game": "ranking"}),
    "dense": (dense_table, {"kernel": "RBF(gamma=0.5)"}),
    "texts": (table_of_texts, {"classes": "x,xx,xxx,xxxx,xxxxx", "id": "name"}),
    "json": (json_lines, {"hash_bits": None}),
}


def fitted(folder, kind, options, name, **how):
    """The bytes of the model."""
    how = {"every": None, "resume": False, "quiet": True, "as_json": True} | how
    options = fitting.Options(**({"epochs": 4} | options))
    fitting.fit(source_of(folder, kind).path, str(folder / name), options, **how)
    return (folder / name).read_bytes()


@pytest.mark.parametrize(("kind", "options"), GAMES.values(), ids=GAMES)
def test_models_are_the_same_bytes_with_and_without(tmp_path, monkeypatch, kind, options, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        without = fitted(tmp_path, kind, options, "without", cache=False)
        assert not list(tmp_path.glob("*" + SUFFIX))
        assert fitted(tmp_path, kind, options, "with") == without
        assert len(list(tmp_path.glob("*" + SUFFIX))) == 1
        monkeypatch.setattr(RowSource, "__iter__", None)
        assert fitted(tmp_path, kind, options, "again") == without


def test_one_epoch_makes_no_cache(tmp_path, capsys):
    fitted(tmp_path, svmlight_of_quarters, {"epochs": 1}, "m")
    assert not list(tmp_path.glob("*" + SUFFIX))


def test_remarks_come_once_and_can_be_hushed(tmp_path, capsys):
    source = source_of(tmp_path, svmlight_of_quarters)
    for quiet, said in ((False, 1), (True, 0)):
        cache_beside(source).write_bytes(b"foreign")
        fitted(tmp_path, svmlight_of_quarters, {}, "m", quiet=quiet)
        assert capsys.readouterr().err.count("is not used: it is no cache") == said


KILLS = """
import sys
import kills
from pathlib import Path
from rosenblatt.data import sources
blocks = sources.svmlight_blocks
sources.svmlight_blocks = lambda *a, **k: blocks(*a, block_bytes=20_000, **k)
kills.KINDS = {"primal": ("rows.svm", {"epochs": 10}, 1000)}
folder = Path(sys.argv[1])
kills.main(folder, 6)
print(sorted(each.name for each in folder.iterdir()))
"""


def test_killed_runs_go_on_to_the_same_bytes(tmp_path):
    place = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", KILLS, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": place},
    )
    assert done.returncode == 0, done.stderr
    assert "rows.svm" + SUFFIX in done.stdout


def test_a_run_without_a_cache_is_gone_on_with_by_one_with(tmp_path, monkeypatch, capsys):
    """What a checkpoint is about does not hold whether there was a cache."""
    X = RANDOM.normal(size=(60, 3)).round(2)
    write_svmlight(tmp_path / "t.svm", X, np.where(X[:, 0] > 0.3 * RANDOM.normal(size=60), 1, -1))
    options, output = fitting.Options(epochs=4), str(tmp_path / "m")
    fit = {"every": 20, "quiet": True, "as_json": True}
    fitting.fit(str(tmp_path / "t.svm"), output, options, resume=False, cache=False, **fit)
    whole = Path(output).read_bytes()

    def kill(*_):
        raise KeyboardInterrupt

    for before, after in ((False, True), (True, False), (True, True)):
        with monkeypatch.context() as patch:
            patch.setattr(fitting, "save", kill)  # all epochs are played, and the last checkpoint is there
            with pytest.raises(KeyboardInterrupt):
                fitting.fit(str(tmp_path / "t.svm"), output, options, resume=False, cache=before, **fit)
        Path(output).unlink()
        assert Path(output + ".checkpoint").exists()
        fitting.fit(str(tmp_path / "t.svm"), output, options, resume=True, cache=after, **fit)
        assert Path(output).read_bytes() == whole
