"""Ctrl-C: deferred while the run is not consistent, also a second one."""

import signal

import numpy as np
import pytest

from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.budgets import Budget
from rosenblatt.engine.interrupts import Interrupts

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
