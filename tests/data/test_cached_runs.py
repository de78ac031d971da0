"""Runs that read a cache: the same models, byte for byte, also when they are killed."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from fixtures.cache_data import (
    RANDOM,
    _small_blocks,  # noqa: F401
    cache_beside,
    dense_table,
    json_lines,
    source_of,
    svmlight_hashed,
    svmlight_of_quarters,
    svmlight_with_bad_lines,
    svmlight_with_queries,
    table_of_texts,
)
from rosenblatt.cli import fitting
from rosenblatt.data import write_svmlight
from rosenblatt.data.caches import SUFFIX
from rosenblatt.data.sources import RowSource

GAMES = {
    "svmlight": (svmlight_of_quarters, {}),
    "bad lines": (svmlight_with_bad_lines, {"skip_bad": 5}),
    "hashed": (svmlight_hashed, {"hash_bits": 3}),
    "ranking": (svmlight_with_queries, {"game": "ranking"}),
    "dense": (dense_table, {"kernel": "RBF(gamma=0.5)"}),
    "texts": (table_of_texts, {"classes": "x,xx,xxx,xxxx,xxxxx", "id": "name", "ignore": "qid"}),
    "json": (json_lines, {"hash_bits": None}),
}


def fitted(folder, kind, options, name, **how):
    """Fit, and return the bytes of the model."""
    how = {"every": None, "resume": False, "quiet": True, "as_json": True} | how
    options = fitting.Options(**({"epochs": 4} | options))
    fitting.fit(source_of(folder, kind).path, str(folder / name), options, **how)
    return (folder / name).read_bytes()


@pytest.mark.parametrize(("kind", "options"), GAMES.values(), ids=GAMES)
def test_fit_writes_the_same_bytes_with_and_without_a_cache(tmp_path, monkeypatch, kind, options, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        without = fitted(tmp_path, kind, options, "without", cache=False)
        assert not list(tmp_path.glob("*" + SUFFIX))
        assert fitted(tmp_path, kind, options, "with") == without
        assert len(list(tmp_path.glob("*" + SUFFIX))) == 1
        monkeypatch.setattr(RowSource, "__iter__", None)
        assert fitted(tmp_path, kind, options, "again") == without


def test_fit_of_one_epoch_writes_no_cache(tmp_path, capsys):
    fitted(tmp_path, svmlight_of_quarters, {"epochs": 1}, "m")
    assert not list(tmp_path.glob("*" + SUFFIX))


def test_fit_remarks_on_the_cache_once_unless_quiet(tmp_path, capsys):
    source = source_of(tmp_path, svmlight_of_quarters)
    for quiet, remarks in ((False, 1), (True, 0)):
        cache_beside(source).write_bytes(b"foreign")
        fitted(tmp_path, svmlight_of_quarters, {}, "m", quiet=quiet)
        assert capsys.readouterr().err.count("is not used: it is not a cache") == remarks


KILLS = """
import sys
from fixtures import kills
from pathlib import Path
from rosenblatt.data import sources
blocks = sources.svmlight_blocks
sources.svmlight_blocks = lambda *a, **k: blocks(*a, block_bytes=20_000, **k)
kills.KINDS = {"primal": ("rows.svm", {"epochs": 10}, 1000)}
folder = Path(sys.argv[1])
kills.main(folder, 6)
print(sorted(each.name for each in folder.iterdir()))
"""


def test_resume_after_kills_writes_the_same_bytes(tmp_path):
    python_path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", KILLS, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": python_path},
    )
    assert done.returncode == 0, done.stderr
    assert "rows.svm" + SUFFIX in done.stdout


def test_resume_works_with_and_without_a_cache(tmp_path, monkeypatch, capsys):
    """A checkpoint does not record whether there was a cache."""
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
