"""Progress on a terminal: shown when there is something to wait for, and not otherwise."""

import io
import sys

import pytest

from rosenblatt.cli import output
from rosenblatt.engine import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_bar_appears_after_a_second_with_rate_mistakes_and_time_left(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", Terminal())
    bar = output.progress_bar("learning", 1000, quiet=False)
    clock[0] = 0.5
    bar.at(100, 7)
    assert sys.stderr.getvalue() == ""
    clock[0] = 2.0
    bar.at(250, 9)
    shown = sys.stderr.getvalue()
    assert "[#####...............]" in shown
    for words in ("250/1,000 rounds", "125 rounds/s", "9 mistakes", "6 s left"):
        assert words in shown
    bar.close()
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


def test_bar_is_hidden_in_a_pipe_or_when_quiet(monkeypatch, clock):
    for stream, quiet in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert output.progress_bar("learning", None, quiet=quiet) is None
        parts = output.counted([[1, 2], [3]], "answering", None, "rows", quiet=quiet)
        for _ in parts:
            clock[0] += 10
        assert stream.getvalue() == ""
