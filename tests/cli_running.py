"""Commands as the shell calls them, in a folder of their own."""

import sys

import numpy as np
import pytest

from rosenblatt.cli import commands
from rosenblatt.data import write_svmlight

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, size=(60, 4)).astype(float)
Y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
WORDS = [["the", "cat", "sat"], ["a", "dog", "ran"], ["the", "dog", "sat"]] * 3
TAGS = [["D", "N", "V"]] * 9


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command in a folder of its own, as the shell does."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, stdin=None):
        monkeypatch.setattr(sys, "argv", ["rosenblatt", *map(str, arguments)])
        if stdin is not None:
            file = tmp_path / ".stdin"
            file.write_bytes(stdin)
            stream = open(file)  # noqa: SIM115
            monkeypatch.setattr(sys, "stdin", stream)
        capsys.readouterr()
        try:
            commands.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        if stdin is not None:
            stream.close()
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture
def train(tmp_path):
    write_svmlight(tmp_path / "train.svm", X, Y)
    return "train.svm"
