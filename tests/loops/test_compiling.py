"""The cache of compiled loops: other code has another name, and the same code is found by every process."""

import os
import subprocess
import sys

import pytest

from rosenblatt.games import Argmax, Binary
from rosenblatt.loops.blocks import block_loop
from rosenblatt.loops.compiling import compilable, composed, fingerprint
from rosenblatt.loops.instructions import PLAIN
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


def test_fingerprint_changes_with_a_called_function(monkeypatch):
    before = fingerprint(caller)
    assert fingerprint(caller) == before
    monkeypatch.setitem(caller.__globals__, "helper", edited)
    assert fingerprint(caller) != before


def test_fingerprint_changes_with_a_constant(monkeypatch):
    before = fingerprint(stepping)
    monkeypatch.setitem(stepping.__globals__, "STEP", 2)
    assert fingerprint(stepping) != before


@compilable
def half_a_step(margin, norm_squared, cost, parameters):
    return parameters[0] / 2


def test_block_loop_names_differ_by_judge_and_step():
    loops = [
        block_loop(game.judge, step)
        for game in (Binary(), Binary(ties="positive"), Argmax(3))
        for step in (Perceptron().step, half_a_step)
    ]
    assert len({loop.py_func.__qualname__ for loop in loops}) == 6


def test_block_loop_is_shared_by_all_rules_of_the_library():
    loops = {block_loop(Binary().judge, rule.step) for rule in (Perceptron(), Margin(), PassiveAggressive())}
    assert len(loops) == 1


LEARN = {
    "dense": "PerceptronClassifier().fit([[0.0], [1.0]], [0, 1])",
    "tagger": "PerceptronTagger().fit([['a', 'b']], [['X', 'Y']]).predict([['a']])",
}


@pytest.mark.slow
@pytest.mark.parametrize("way", LEARN)
def test_second_process_compiles_nothing(way, tmp_path):
    code = (
        "from rosenblatt import PerceptronClassifier, PerceptronTagger\n"
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as compiled:\n"
        f"    {LEARN[way]}\n"
        "print(len(compiled.buffer))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    counts = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
        )
        counts.append((int(done.stdout), len(list(tmp_path.rglob("*.nbc")))))
    assert counts[0][0] > 0
    assert counts[1] == (0, counts[0][1])


@compilable
def doubled(x):
    return x + x


@pytest.mark.skipif(PLAIN, reason="on this system loops are compiled by Numba's public interface")
def test_parts_of_a_loop_are_translated_with_the_loop_only(monkeypatch):
    codegen = pytest.importorskip("numba.core.codegen")
    translated = []
    translate = codegen.JITCodeLibrary._finalize_specific
    monkeypatch.setattr(
        codegen.JITCodeLibrary,
        "_finalize_specific",
        lambda library: (translated.append(library.name), translate(library)),
    )

    def quadrupled(x):
        return doubled(doubled(x))

    assert composed(doubled)(quadrupled)(3) == 12
    assert any("quadrupled" in name for name in translated)
    assert not any("doubled" in name for name in translated)
