"""Saving where files have no mode bits, folders cannot be opened and signal 0 is Ctrl-C."""

import os
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt import PerceptronClassifier
from rosenblatt._atomic import replace_file, sweep

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.fixture
def windows(monkeypatch):
    """Lack and refuse what Python on Windows does."""
    opened, chmod = os.open, os.chmod

    def open_file(path, *arguments, **options):
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    def chmod_path(path, mode, **options):
        if isinstance(path, int):
            raise TypeError("chmod: path should be string, bytes or os.PathLike, not int")
        chmod(path, mode, **options)

    monkeypatch.delattr(os, "fchmod", raising=False)
    monkeypatch.setattr(os, "supports_fd", os.supports_fd - {chmod})
    monkeypatch.setattr(os, "chmod", chmod_path)
    monkeypatch.setattr(os, "open", open_file)


def test_save_works_without_fchmod_and_without_opening_folders(windows, tmp_path):
    path = tmp_path / "model"
    learner = PerceptronClassifier(shuffle=False).fit(XOR, [0, 0, 1, 1])
    for _ in range(2):  # a new file, and one that is replaced
        rosenblatt.save(learner, path)
        assert rosenblatt.load(path).predict(XOR).tolist() == learner.predict(XOR).tolist()
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_replace_file_keeps_the_mode_of_the_file(windows, tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_sweep_sends_no_signal_on_windows(tmp_path, monkeypatch):
    left = tmp_path / ".model.abc.4194304.part"
    left.write_bytes(b"")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        patch.setattr(os, "kill", lambda *_: pytest.fail("a signal was sent"))
        sweep(tmp_path / "model")
    assert left.exists()
    sweep(tmp_path / "model")
    assert not left.exists()
