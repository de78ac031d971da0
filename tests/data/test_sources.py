"""Rows of files that are read several times: kept in memory if there are few, else read again."""

import numpy as np
import pytest

from rosenblatt.cli import fitting
from rosenblatt.cli.options import Given
from rosenblatt.data import sources, tables, write_svmlight
from rosenblatt.data.schema import Schema
from rosenblatt.data.sources import KeptBlocks, RowSource

RANDOM = np.random.default_rng(0)
SIZES = RANDOM.integers(-3, 4, 60)
TABLE = "size,colour,qid,name,label\n" + "".join(
    f"{x},{'red' if x > 1 else 'blue'},{i // 6},row{i},{'x' if x + RANDOM.normal() > 0 else 'xx'}\n"
    for i, x in enumerate(SIZES)
)
OBJECTS = "".join(f'{{"size": {x}, "words": ["a", "b{x}"], "label": {int(x > 0)}}}\n' for x in SIZES)
FILES = {
    "t.csv": TABLE,
    "numbers.csv": TABLE.replace(",red,", ",1,").replace(",blue,", ",2,"),
    "t.jsonl": OBJECTS,
}
RUNS = {
    "svmlight": ("t.svm", {}),
    "hashed": ("t.svm", {"hash_bits": 3}),
    "ranking": ("lists.svm", {"game": "ranking"}),
    "texts": ("t.csv", {"classes": "x,xx", "id": "name", "ignore": "qid"}),
    "numbers": ("numbers.csv", {"kernel": "RBF(gamma=0.5)", "ignore": "qid", "id": "name"}),
    "json": ("t.jsonl", {}),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write files that are read in several blocks."""
    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=400, **k))
    monkeypatch.setattr(tables, "ROWS", 24)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    X, y = RANDOM.integers(-2, 3, (60, 4)), np.where(SIZES > 0, 1, -1)
    write_svmlight(tmp_path / "t.svm", X, y)
    write_svmlight(tmp_path / "lists.svm", X, y, np.arange(60) // 6)
    return tmp_path


def source_of(folder):
    return RowSource(str(folder / "t.csv"), "csv", Schema())


def fitted(folder, name, options):
    """Fit, and return the bytes of the model."""
    how = {"every": None, "resume": False, "quiet": True, "as_json": True, "given": Given("fit")}
    fitting.fit(str(folder / name), str(folder / "model"), fitting.Options(max_iter=4, **options), **how)
    return (folder / "model").read_bytes()


@pytest.mark.parametrize(("name", "options"), RUNS.values(), ids=RUNS)
def test_fit_writes_the_same_bytes_with_and_without_kept_blocks(files, monkeypatch, name, options, capsys):
    kept = fitted(files, name, options)
    monkeypatch.setattr(sources, "KEPT", 0)
    assert fitted(files, name, options) == kept


def test_kept_blocks_read_a_small_file_once(files):
    rows = KeptBlocks(source_of(files))
    first = list(rows)
    (files / "t.csv").unlink()
    assert [block is other for block, other in zip(first, rows, strict=True)] == [True] * 3


def test_kept_blocks_read_a_large_file_in_every_pass(files, monkeypatch):
    size = sum(block.bytes_of_rows for block in source_of(files))
    for most, kept in ((size, True), (size - 1, False)):
        monkeypatch.setattr(sources, "KEPT", most)
        rows = KeptBlocks(source_of(files))
        assert [a is b for a, b in zip(list(rows), list(rows), strict=True)] == [kept] * 3


@pytest.mark.parametrize("most", [0, 2**28])
def test_kept_blocks_report_a_file_that_changes_between_passes(files, monkeypatch, most):
    monkeypatch.setattr(sources, "KEPT", most)
    rows = KeptBlocks(source_of(files))
    passes = iter(rows)
    next(passes)
    with (files / "t.csv").open("a") as file:
        file.write("1,red,9,more,x\n")
    with pytest.raises(ValueError, match=r"t\.csv has changed since the first epoch began"):
        list(passes)
    with pytest.raises(ValueError, match="has changed"):
        list(rows)


def test_fit_reports_a_large_file_that_changes_between_epochs(files, monkeypatch):
    monkeypatch.setattr(sources, "KEPT", 0)
    passes, read = [], RowSource.__iter__

    def append(source):
        yield from read(source)
        passes.append(1)
        if len(passes) == 2:
            with (files / "t.svm").open("a") as file:
                file.write("1 1:1\n")

    monkeypatch.setattr(RowSource, "__iter__", append)
    with pytest.raises(ValueError, match="has changed"):
        fitted(files, "t.svm", {})
    assert not (files / "model").exists()


def test_kept_blocks_of_an_interrupted_pass_are_read_again(files):
    rows = KeptBlocks(source_of(files))
    assert len(next(iter(rows))) == 24
    assert sum(map(len, rows)) == sum(map(len, rows)) == 60
