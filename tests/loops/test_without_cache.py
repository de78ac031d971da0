"""A read-only install with an unwritable home: loops are compiled without a cache, and one line of the log reports it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt import PerceptronClassifier, kernels

XOR, LABELS = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]

PREDICT = """
import sys, rosenblatt
learner = rosenblatt.load(sys.argv[1])
rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
print("still silent", file=sys.stderr)
print(learner.predict(rows).tolist())
for _ in range(2):
    print(learner.set_params(predictor="vote").predict(rows).tolist())
print(learner.partial_fit([[0, 0]], [0]).ledger_.rounds > 0)
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model"
    learner = PerceptronClassifier(kernels.Polynomial(2), shuffle=False, random_state=0).fit(XOR, LABELS)
    rosenblatt.save(learner, path)
    return path


@pytest.fixture
def unwritable(tmp_path):
    """A copy of the package in which nothing can be cached, and an environment without a home.

    A file where a folder should be made stops every user; mode bits do not stop root.
    """
    package = tmp_path / "site" / "rosenblatt"
    shutil.copytree(Path(rosenblatt.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("")
    dropped = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return kept | {
        "PYTHONPATH": str(package.parent),
        "HOME": "/dev/null/nowhere",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def predict(model, environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", PREDICT, model],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip


@pytest.mark.slow
def test_load_and_predict_log_one_line_without_a_cache(model, unwritable):
    done = predict(model, unwritable)
    assert done.stdout.splitlines() == [str(LABELS)] * 3 + ["True"], done.stderr
    before, line = done.stderr.splitlines()
    assert before == "still silent"
    assert "NUMBA_CACHE_DIR" in line


@pytest.mark.slow
def test_numba_cache_dir_is_used_if_writable(model, unwritable, tmp_path):
    cache = tmp_path / "cache"
    done = predict(model, unwritable | {"NUMBA_CACHE_DIR": str(cache)})
    assert "NUMBA_CACHE_DIR" not in done.stderr
    assert list(cache.rglob("*.nb[ci]"))
