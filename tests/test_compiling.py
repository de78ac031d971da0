"""The cache of compiled loops: what is made of other code has another name."""

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


def test_loops_of_other_functions_have_other_names():
    loops = [
        block_loop(game.judge, rule.step)
        for game in (Binary(), Binary(ties="positive"), Argmax(3))
        for rule in (Perceptron(), PassiveAggressive())
    ]
    assert len({loop.py_func.__qualname__ for loop in loops}) == 6
    assert block_loop(Binary().judge, Margin().step) is block_loop(Binary().judge, Perceptron().step)
