"""The cache of compiled loops: what is made of other code has another name."""

import subprocess
import sys

from rosenblatt.games import Argmax, Binary
from rosenblatt.loops.blocks import block_loop
from rosenblatt.loops.compiling import fingerprint
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron


def helper(x):
    return x + 1


def caller(x):
    return helper(x)


def edited(x):
    return x + 2


def test_an_edited_function_has_another_fingerprint(monkeypatch):
    before = fingerprint(caller)
    assert fingerprint(caller) == before
    monkeypatch.setitem(caller.__globals__, "helper", edited)
    assert fingerprint(caller) != before


def test_loops_of_other_functions_have_other_names():
    loops = [
        block_loop(game.judge, rule.step)
        for game in (Binary(), Binary(ties="positive"), Argmax(3))
        for rule in (Perceptron(), PassiveAggressive())
    ]
    assert len({loop.py_func.__qualname__ for loop in loops}) == 6
    assert block_loop(Binary().judge, Margin().step) is block_loop(Binary().judge, Perceptron().step)


COMPILE = """
import sys, numpy as np
from rosenblatt import PerceptronClassifier, rules
X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 1.0], [0.5, 0.5]])
for name in sys.argv[1:]:
    rule = {"perceptron": rules.Perceptron(), "pa": rules.PassiveAggressive(C=0.25)}[name]
    clf = PerceptronClassifier(rule=rule, shuffle=False, epochs=1, predictor="last").fit(X, [0, 1, 0, 1])
    print(clf.ledger_.size.tolist())
"""


def run(tmp_path, *rules):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PATH": ""}
    found = subprocess.run(
        [sys.executable, "-c", COMPILE, *rules], capture_output=True, text=True, env=environment, check=True
    )
    return found.stdout.splitlines()


def test_loops_compiled_in_different_processes_live_in_one(tmp_path):
    """Machine code gets names that two processes may both give; the second must not run the first's."""
    alone = run(tmp_path, "perceptron") + run(tmp_path, "pa")
    assert alone[0] != alone[1]
    assert run(tmp_path, "perceptron", "pa") == alone
    assert run(tmp_path, "pa", "perceptron") == alone[::-1]
