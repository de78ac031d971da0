"""The cache of compiled loops: what is made of other code has another name, and it can be done without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import rosenblatt
from rosenblatt import PerceptronClassifier, save
from rosenblatt.games import Argmax, Binary
from rosenblatt.loops.blocks import block_loop
from rosenblatt.loops.compiling import compilable, fingerprint
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron


def helper(x):
    return x + 1


def caller(x):
    return helper(x)


def edited(x):
    return x + 2


STEP = 1


def stepping(x):
    return x + STEP


def test_an_edited_function_has_another_fingerprint(monkeypatch):
    before = fingerprint(caller)
    assert fingerprint(caller) == before
    monkeypatch.setitem(caller.__globals__, "helper", edited)
    assert fingerprint(caller) != before


def test_an_edited_constant_has_another_fingerprint(monkeypatch):
    before = fingerprint(stepping)
    monkeypatch.setitem(stepping.__globals__, "STEP", 2)
    assert fingerprint(stepping) != before


@compilable
def half_a_step(margin, norm_squared, cost, parameters):
    return parameters[0] / 2


def test_loops_of_other_functions_have_other_names():
    loops = [
        block_loop(game.judge, step)
        for game in (Binary(), Binary(ties="positive"), Argmax(3))
        for step in (Perceptron().step, half_a_step)
    ]
    assert len({loop.py_func.__qualname__ for loop in loops}) == 6


def test_all_rules_of_the_library_share_their_loops():
    loops = {block_loop(Binary().judge, rule.step) for rule in (Perceptron(), Margin(), PassiveAggressive())}
    assert len(loops) == 1


LOAD_AND_PREDICT = """
import sys
import rosenblatt
print(rosenblatt.__file__)
print(rosenblatt.load(sys.argv[1]).predict([[0.0, 2.0], [2.0, 0.0]]).tolist())
"""


def test_where_no_cache_can_be_written_loops_are_compiled_without_one(tmp_path):
    clf = PerceptronClassifier(shuffle=False).fit([[0.0, 1.0], [1.0, 0.0]], ["up", "right"])
    save(clf, tmp_path / "model")
    package = tmp_path / "rosenblatt"
    shutil.copytree(Path(rosenblatt.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in {module.parent for module in package.rglob("*.py")}:
        (folder / "__pycache__").write_text("a file, so that not even root can make this folder")
    (tmp_path / "home").write_text("so is the home folder")
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG", "PYTHON"))
    }
    done = subprocess.run(
        [sys.executable, "-c", LOAD_AND_PREDICT, tmp_path / "model"],
        env=kept
        | {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(package / "__init__.py"), "['up', 'right']"]
    (line,) = done.stderr.splitlines()
    assert "Set NUMBA_CACHE_DIR" in line
