"""Ctrl-C: deferred while the run is not consistent, also a second one."""

import signal

import numpy as np
import pytest

from rosenblatt import PerceptronClassifier, kernels, online
from rosenblatt.budgets import Budget
from rosenblatt.data.blocks import Block
from rosenblatt.engine import learner as engine_learner
from rosenblatt.engine.interrupts import Interrupts
from rosenblatt.streaming import Checkpoints

X = np.random.default_rng(0).integers(-3, 4, (40, 2)).astype(float)
Y = (X[:, 0] * X[:, 1] > 0).astype(int)


def press():
    signal.raise_signal(signal.SIGINT)


def test_check_raises_a_deferred_ctrl_c():
    reached = []
    with pytest.raises(KeyboardInterrupt), Interrupts() as interrupts:  # noqa: PT012
        press()
        reached.append("deferred")
        interrupts.check()
        reached.append("not raised")
    assert reached == ["deferred"]


def test_second_ctrl_c_does_not_interrupt_what_restores_the_state():
    restored = []
    with pytest.raises(KeyboardInterrupt), Interrupts() as interrupts:  # noqa: PT012
        press()
        try:
            interrupts.check()
        finally:
            press()
            restored.append(True)
    assert restored
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("policy", ["projection", "oldest"])
def test_ctrl_c_waits_for_a_budget_with_a_kernel_in_python(policy):
    pressed = []

    def similarity(a, b):
        if pressed == ["now"]:
            pressed.append("done")
            press()
        return (float(a @ b) + 1) ** 2

    learner = PerceptronClassifier(kernels.Function(similarity), budget=Budget(6, policy), random_state=0)
    learner.partial_fit(list(X[:20]), Y[:20], classes=[0, 1])
    twin = PerceptronClassifier(kernels.Function(similarity), budget=Budget(6, policy), random_state=0)
    twin.partial_fit(list(X[:20]), Y[:20], classes=[0, 1]).partial_fit(list(X[20:]), Y[20:])
    pressed.append("now")
    with pytest.raises(KeyboardInterrupt):
        learner.partial_fit(list(X[20:]), Y[20:])
    assert pressed == ["now", "done"]
    assert learner.ledger_ == twin.ledger_
    assert learner.predict(list(X)).tolist() == twin.predict(list(X)).tolist()


@pytest.mark.parametrize(
    "kernel", [kernels.RBF(gamma=0.5), kernels.Function(lambda a, b: (float(a @ b) + 1) ** 2)]
)
def test_ctrl_c_rolls_back_an_example_of_an_online_learner_with_a_kernel(kernel, monkeypatch):
    whole, learner = online.Classifier(kernel), online.Classifier(kernel)
    play_round = engine_learner._play_round

    def interrupted(*arguments):
        play_round(*arguments)
        press()

    for x, y in zip(X, 2 * Y - 1, strict=True):
        whole.add_example(x, y)
        before = learner.ledger
        with monkeypatch.context() as patch:
            patch.setattr(engine_learner, "_play_round", interrupted)
            with pytest.raises(KeyboardInterrupt):
                learner.add_example(x, y)
        assert learner.ledger == before
        learner.add_example(x, y)
    assert learner.ledger == whole.ledger
    assert learner.decision_function(X[0]) == whole.decision_function(X[0]) != 0


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
@pytest.mark.parametrize("at", [0, 1])
def test_ctrl_c_during_fit_blocks_leaves_the_estimator_as_it_was(kernel, at, monkeypatch, tmp_path):
    learner = PerceptronClassifier(kernel, max_iter=2, random_state=0).fit(X, Y)
    ledger, scores = learner.ledger_, learner.decision_function(X).tolist()
    take_in, calls = engine_learner.Run.take_in, []

    def interrupted(run, examples):
        calls.append(len(examples))
        if len(calls) == at + 1:
            press()
        take_in(run, examples)

    monkeypatch.setattr(engine_learner.Run, "take_in", interrupted)
    blocks = [Block(X[:30], 1 - Y[:30]), Block(X[30:], 1 - Y[30:])]
    with pytest.raises(KeyboardInterrupt):
        learner.fit_blocks(blocks, checkpoints=Checkpoints(tmp_path / "checkpoint", 1000, {}))
    assert len(calls) == at + 1
    assert learner.ledger_ == ledger
    assert learner.decision_function(X).tolist() == scores
