"""The command compile: what it compiles is kept, and what users call then is not compiled again."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool

import pytest

from rosenblatt.cli import compiling, first_calls
from rosenblatt.loops.notices import NOTICES

COUNTED = """
from numba.core import event
from rosenblatt.cli.first_calls import read_file

with event.install_recorder("numba:compile") as seen:
    read_file()
print(len(seen.buffer))
"""


@pytest.fixture
def empty_cache(tmp_path):
    return os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}


def command(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "rosenblatt.cli", "compile", *arguments],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def compilations(env):
    done = subprocess.run(
        [sys.executable, "-c", COUNTED], env=env, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def gone(group):
    """Wait until no process of a group is left; False if that takes long."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_nothing_is_compiled_again_after_compile(empty_cache, tmp_path):
    process = command("files", env=empty_cache)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "files: svmlight" in err
    assert str(tmp_path / "cache") in out
    assert compilations(empty_cache) == 0


@pytest.mark.slow
def test_a_process_with_an_empty_cache_does_compile(empty_cache):
    assert compilations(empty_cache) > 0


@pytest.mark.parametrize("name", compiling.CALLS.values())
def test_first_calls_are_calls_of_this_library(name, recwarn):
    getattr(first_calls, name)()
    assert not recwarn.list


def test_compile_in_this_process_reports_every_kind(run, monkeypatch):
    monkeypatch.setattr(compiling, "compiled", lambda kinds, processes: ((kind, 1.5) for kind in kinds))
    result = run("compile", "online", "--json")
    assert result.code == 0
    assert '"kinds_of_work": 4' in result.out
    assert result.err.splitlines() == [
        f"  1.5 s  online: {what}" for what in ("strings", "rows", "lists", "sentences")
    ]
    assert run("compile", "--quiet").err == ""


def test_compile_rejects_a_part_that_it_does_not_know(run):
    result = run("compile", "tagger", "taggers")
    assert result.code == 2
    assert result.err.strip().endswith("tagger, classifier, ranker, online, files. Got 'taggers'.")


def test_compile_fails_if_no_code_can_be_kept(run, monkeypatch):
    monkeypatch.setattr(NOTICES, "fault", "/the/cache: Read-only file system")
    result = run("compile", "files")
    assert result.code == 1
    assert "cannot be kept: /the/cache: Read-only file system. Set NUMBA_CACHE_DIR" in result.err
    with pytest.raises(ValueError, match="cannot be kept"):  # as in the processes, where a disk may be full
        compiling.timed(("files", "svmlight"))


def test_compile_reports_a_killed_process(run, monkeypatch):
    def killed(*_, **__):
        raise BrokenProcessPool

    monkeypatch.setattr(compiling, "as_completed", killed)
    result = run("compile", "files")
    assert result.code == 1
    assert "--processes 1" in result.err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no process groups")
def test_ctrl_c_ends_all_processes_in_silence(empty_cache, tmp_path):
    process = command("tagger", env=empty_cache, start_new_session=True)
    while not list(tmp_path.rglob("*.nb?")) and process.poll() is None:  # the first loop is kept
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "")
    assert gone(process.pid)
