"""Threads: they change no value, wait for each other, and leave the process as it was."""

import multiprocessing
import sys
from threading import Barrier, Thread, get_ident
from time import sleep
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_info

from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.engine import support
from rosenblatt.engine import threads as threads_module
from rosenblatt.engine.threads import in_threads, products_in_one_thread

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, (300, 6)).astype(float)
Y = RANDOM.integers(0, 3, 300)


class Shouting(kernels.Linear):
    """A kernel from outside the package that keeps the threads by which it was called."""

    callers: ClassVar = set()

    def of_products(self, xz, xx, zz):
        self.callers.add(get_ident())
        return xz


@pytest.fixture
def divided(monkeypatch):
    """Divide all rows among three threads."""
    monkeypatch.setattr(support, "PAIRS", 1)
    monkeypatch.setattr(support, "cores", lambda: 3)


def learned(rows, kernel, n_jobs):
    learner = PerceptronClassifier(kernel, max_iter=3, random_state=0, n_jobs=n_jobs, block_size=64).fit(
        rows, Y
    )
    return learner.ledger_, learner.decision_function(rows)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("kernel", [kernels.Polynomial(2), kernels.RBF(gamma=0.5) + 1], ids=str)
def test_threads_change_no_value(divided, monkeypatch, form, kernel):
    ledger, scores = learned(form(X), kernel, 1)
    calls = []
    monkeypatch.setattr(
        support, "in_threads", lambda work, pieces: calls.append(len(pieces)) or in_threads(work, pieces)
    )
    again, same = learned(form(X), kernel, None)
    assert again == ledger
    assert np.array_equal(same, scores)
    assert max(calls) == 3


def test_kernels_of_users_are_called_by_one_thread(divided):
    learned(X, Shouting(), None)
    assert Shouting.callers == {get_ident()}


def product_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_products_have_their_threads_again_after_all_callers_have_left():
    before, barrier = product_threads(), Barrier(2, timeout=10)

    def caller():
        with products_in_one_thread():
            barrier.wait()
            barrier.wait()

    other = Thread(target=caller, daemon=True)
    with products_in_one_thread():
        assert product_threads() == {1}
        other.start()
        barrier.wait()
    barrier.wait()
    other.join()
    assert product_threads() == before


def test_products_have_their_threads_again_after_an_error():
    before = product_threads()
    broken = X.copy()
    broken[7] = 1e200
    with pytest.raises(ValueError, match="leaves the range"):
        PerceptronClassifier(kernels.Polynomial(3), random_state=0).fit(broken, Y)
    assert product_threads() == before


def test_an_error_in_a_thread_is_raised_when_all_have_ended():
    ended = []

    def work(piece):
        if piece == 0:
            raise ValueError("first")
        if piece == 1:
            raise ValueError("second")
        sleep(0.05)
        ended.append(piece)

    for pieces in ([0, 2], [1, 2], [2, 1]):
        ended.clear()
        with pytest.raises(ValueError, match="first" if 0 in pieces else "second"):
            in_threads(work, pieces)
        assert ended == [2]


def _of_fork(connection):
    done = []
    in_threads(done.append, [1, 2, 3])
    connection.send(sorted(done))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_fork_starts_threads_of_its_own():
    in_threads(lambda piece: None, [1, 2])
    assert threads_module._pools
    parent, child = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_of_fork, args=(child,))
    process.start()
    assert parent.poll(20)
    assert parent.recv() == [1, 2, 3]
    process.join()
