"""The lines about compilation: each at most once per process, and none where they are unwanted."""

import logging
import os
import subprocess
import sys
import threading
import warnings

import pytest

from rosenblatt.engine import progress
from rosenblatt.engine.progress import Progress
from rosenblatt.loops.instructions import PLAIN
from rosenblatt.loops.notices import Notices

SOON, LATE = 0.0, 60.0
FOLDER = "/the/cache"


def play_pass():
    """Stand for a loop."""


@pytest.fixture
def lines(caplog):
    """What returns the lines that were logged so far."""
    caplog.set_level(logging.WARNING, "rosenblatt")
    return lambda: caplog.messages


def compile_for_long(notices):
    """Compile until the timer has fired, if there is one."""
    notices.began(play_pass, FOLDER)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(5)
    notices.ended()


def test_a_long_compilation_is_reported_once(lines):
    notices = Notices(SOON)
    compile_for_long(notices)
    (line,) = lines()
    assert "play_pass" in line
    assert FOLDER in line
    assert "rosenblatt compile" in line
    compile_for_long(notices)
    assert lines() == [line]


def test_short_compilations_are_not_reported(lines):
    notices = Notices(LATE)
    for _ in range(3):
        notices.began(play_pass, FOLDER)
        notices.ended()
    assert lines() == []
    assert not any(
        isinstance(thread, threading.Timer) and not thread.finished.is_set()
        for thread in threading.enumerate()
    )


def test_many_short_compilations_are_one_long_one(lines):
    notices = Notices(0.05)
    for _ in range(3):
        notices.began(play_pass, FOLDER)
        threading.Event().wait(0.03)
        notices.ended()
    assert len(lines()) == 1


def test_code_that_cannot_be_kept_is_reported_once_and_in_place_of_the_other_line(lines):
    notices = Notices(SOON)
    for _ in range(2):
        notices.not_kept("/a: read-only")
        compile_for_long(notices)
    (line,) = lines()
    assert "/a: read-only" in line
    assert "NUMBA_CACHE_DIR" in line


def test_silenced_notices_report_nothing(lines):
    notices = Notices(SOON)
    notices.silence()
    compile_for_long(notices)
    notices.not_kept("read-only")
    assert lines() == []


def test_nothing_is_reported_where_warnings_are_off(lines):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile_for_long(Notices(SOON))
    assert lines() == []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)
        compile_for_long(Notices(SOON))
    assert len(lines()) == 1


def test_the_line_stands_above_a_bar_that_shows_it(monkeypatch, capsys):
    notices = Notices(SOON)
    monkeypatch.setattr(progress, "NOTICES", notices)
    bar, hidden = Progress("fitting", 100), Progress("hidden", 100, shown=False)
    bar.at(1)
    handler = logging.StreamHandler(sys.stderr)
    logging.getLogger("rosenblatt").addHandler(handler)
    try:
        compile_for_long(notices)
    finally:
        logging.getLogger("rosenblatt").removeHandler(handler)
    shown = capsys.readouterr().err.split(progress.CLEAR)
    assert shown[1].startswith("fitting  [")
    assert shown[2].startswith("rosenblatt is compiling")
    assert shown[2].endswith("\n")
    assert shown[3] == "fitting  compiling loops"
    bar.close()
    hidden.close()
    compile_for_long(notices)
    assert "compiling" not in capsys.readouterr().err


FIT = """
from rosenblatt import PerceptronClassifier
from rosenblatt.loops.notices import NOTICES
NOTICES._left = 0
PerceptronClassifier().fit([[0.0], [1.0]], [0, 1])
"""


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="on this system loops are compiled by Numba's public interface")
@pytest.mark.parametrize(("options", "expected"), [((), 1), (("-W", "ignore"), 0)])
def test_a_first_fit_prints_one_line(options, expected, tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, *options, "-c", FIT]
    for lines in (expected, 0):  # the second process compiles nothing
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert len(done.stderr.splitlines()) == lines, done.stderr
