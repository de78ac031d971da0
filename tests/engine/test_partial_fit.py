"""Runs that are continued: in parts and copies, interrupted, failing, read by several threads."""

import copy
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
import scipy.sparse as sp

from fixtures.playing import a_run, blobs
from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.engine import support
from rosenblatt.engine.learner import play, play_blocks
from rosenblatt.engine.run import Examples
from rosenblatt.games import Binary


def in_every_form(X):
    return {"dense": X, "CSR": sp.csr_array(X), "32 bits": X.astype(np.float32)}


@pytest.mark.parametrize("kernel", [None, kernels.Linear(), kernels.RBF(gamma=0.5)])
@pytest.mark.parametrize("first", ["dense", "CSR"])
@pytest.mark.parametrize("predictor", ["best", "vote"])
def test_partial_fit_accepts_parts_in_any_form(kernel, first, predictor):
    X = np.random.default_rng(0).integers(-3, 4, (90, 4)).astype(float)
    y = X[:, 0] + X[:, 1] ** 2 > 1
    whole = PerceptronClassifier(kernel, max_iter=1, shuffle=False, predictor=predictor).fit(X, y)
    clf = PerceptronClassifier(kernel, predictor=predictor)
    for at, form in ((0, first), (30, "CSR"), (60, "dense")):
        some = in_every_form(X[at : at + 30])[form]
        clf.partial_fit(some, y[at : at + 30], classes=[False, True])
    assert clf.ledger_.mistakes.tolist() == whole.ledger_.mistakes.tolist()
    for form in in_every_form(X).values():
        np.testing.assert_allclose(
            clf.decision_function(form), whole.decision_function(X), rtol=1e-5, atol=1e-6
        )


def test_partial_fit_compares_old_rows_by_all_their_features():
    random = np.random.default_rng(0)
    X = random.integers(-3, 4, size=(1500, 8)).astype(float)
    y = X[:, 0] + X[:, 7] > 0
    X[200:, 4:7] = 0  # features that only old rows have
    clf = PerceptronClassifier(kernels.Polynomial(2), shuffle=False, max_iter=1).fit(X, y)
    parts = PerceptronClassifier(kernels.Polynomial(2), shuffle=False, max_iter=1).fit(X[:200], y[:200])
    parts.partial_fit(X[200:], y[200:])
    assert parts.ledger_ == clf.ledger_


def test_partial_fit_can_change_the_rule_but_not_the_kernel():
    X, y = blobs(3, apart=0.5)
    clf = PerceptronClassifier(kernels.Polynomial(2), max_iter=1, random_state=0).fit(X, y)
    corrections = len(clf.ledger_)
    clf.set_params(rule="margin", learning_rate=0.5).partial_fit(X, y)
    assert (clf.ledger_.size[corrections:] == 0.5).all()
    for changed, sentence in [
        ({"kernel": kernels.Linear()}, r"cannot change kernel .fitted with Polynomial.*now Linear"),
        ({"kernel": None}, "now None"),
        ({"fit_intercept": True}, "fit_intercept .fitted with False, now True"),
        ({"multiclass": "ovr"}, "now OneVsRest"),
    ]:
        before = clf.get_params()
        with pytest.raises(ValueError, match=sentence):
            clf.set_params(**changed).partial_fit(X, y)
        clf.set_params(**before)


def test_partial_fit_without_a_kernel_stays_usable_after_a_failure():
    X, y = blobs(2, rows=60, apart=0.5)
    clf = PerceptronClassifier(learning_rate=1e200, max_iter=1, shuffle=False, rule="perceptron").fit(
        sp.csr_matrix(X), y
    )
    with pytest.raises(ValueError, match="not a finite number"):
        clf.partial_fit(sp.csr_matrix(X * 1e70), y)
    rows = clf.ledger_.row
    assert set(rows.tolist()) == set(clf.support_.tolist())
    assert clf.run_.rows_seen == 120


class Moody:
    """A kernel that raises an error after `patience` calls."""

    def __init__(self):
        self.patience = 10**9

    def __call__(self, X, Z):
        self.patience -= 1
        if self.patience < 0:
            raise RuntimeError("enough")
        return X @ Z.T


def test_partial_fit_rolls_back_if_the_kernel_fails():
    X, y = blobs(3, apart=0.5)
    moody = Moody()
    clf = PerceptronClassifier(moody, max_iter=1, shuffle=False, block_size=10).fit(X, y)
    scores, before = clf.decision_function(X), len(clf.ledger_)
    support = clf.support_.tolist()
    moody.patience = 7
    with pytest.raises(RuntimeError, match="enough"):
        clf.partial_fit(X, y)
    moody.patience = 10**9
    assert len(clf.ledger_) == before
    assert clf.support_.tolist() == support
    assert clf.decision_function(X).tolist() == scores.tolist()
    twice = PerceptronClassifier(moody, max_iter=1, shuffle=False, block_size=10).fit(X, y).partial_fit(X, y)
    assert clf.partial_fit(X, y).ledger_ == twice.ledger_


@pytest.mark.parametrize("player", [play, play_blocks])
def test_rollback_restores_the_coefficients_of_rows_stored_before(player):
    X, y = blobs(2, rows=60, apart=0.1)
    run = a_run(Binary(), X, y, kernel=kernels.Linear(), epochs=1)
    before, coefficients = run.ledger, run.hypothesis.coefficients.copy()

    def failing():
        yield np.arange(len(X))
        raise KeyboardInterrupt

    with run.counting_from(0, 0):  # the same rows under the ids they have, as in later epochs over a file
        examples = Examples(run.number(X), y)
        with pytest.raises(KeyboardInterrupt):
            player(run, examples, failing())
    assert run.ledger == before
    assert np.array_equal(run.hypothesis.coefficients, coefficients)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_partial_fit_is_atomic_under_ctrl_c(kernel):
    X, y = blobs(2, rows=30_000, apart=0.1)
    clf = PerceptronClassifier(kernel, max_iter=1, shuffle=False, block_size=64).fit(X[:500], y[:500])
    rounds = clf.ledger_.rounds
    timer = threading.Timer(0.15, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        clf.partial_fit(X, y)
        time.sleep(5)
    assert clf.ledger_.rounds in (rounds, rounds + len(X))
    assert clf.n_iter_ == (1 if clf.ledger_.rounds == rounds else 2)
    fresh = PerceptronClassifier(kernel, max_iter=1, shuffle=False, predictor="last").fit(X[:500], y[:500])
    if clf.ledger_.rounds > rounds:
        fresh.partial_fit(X, y)
    assert clf.ledger_.mistakes.tolist() == fresh.ledger_.mistakes.tolist()
    clf.set_params(predictor="last")
    np.testing.assert_allclose(clf.decision_function(X[:99]), fresh.decision_function(X[:99]), rtol=1e-6)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_interrupts_end_a_process_without_a_handler():
    code = (
        "import signal, threading, numpy as np; from rosenblatt import PerceptronClassifier\n"
        "X = np.random.default_rng(0).normal(size=(20_000, 20)); y = np.arange(20_000) % 2\n"
        "clf = PerceptronClassifier(max_iter=1).fit(X, y)\n"
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "from rosenblatt.engine.interrupts import Interrupts\n"
        "with Interrupts() as held:\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    print('held back', flush=True)\n"
        "print('too late', flush=True)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout.split("\n")[0] == "held back"
    assert "too late" not in ended.stdout
    assert ended.returncode == -signal.SIGINT


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda clf: pickle.loads(pickle.dumps(clf))])
def test_copies_continue_the_run(kernel, form, duplicate):
    X, y = blobs(3, apart=2.0)
    X = form(X)
    clf = PerceptronClassifier(kernel, random_state=0, max_iter=2).fit(X, y)
    again = duplicate(clf)
    for learner in (clf, again):
        learner.partial_fit(X, y).set_params(predictor="vote")
    assert again.ledger_ == clf.ledger_
    assert np.array_equal(again.decision_function(X), clf.decision_function(X))


def test_pickle_holds_only_what_was_learned():
    X, y = sp.random_array((5000, 40), density=0.2, format="csr", rng=0), np.arange(5000) % 50 == 0
    clf = PerceptronClassifier(max_iter=1, shuffle=False, rule="perceptron").fit(X, y)
    assert clf.support_vectors_.shape[0] == clf.partial_fit(X[:500], y[:500]).support_.searchsorted(5000)
    ledger, support = clf.ledger_, clf.support_vectors_
    needed = 56 * len(ledger) + 32 * len(ledger.row) + 12 * support.nnz + 16 * support.shape[0]
    assert len(pickle.dumps(clf)) < needed + 10_000


def test_partial_fit_rejects_read_only_memory_maps(tmp_path):
    X, y = blobs(2, rows=40)
    joblib.dump(PerceptronClassifier().fit(X, y), tmp_path / "model")
    clf = joblib.load(tmp_path / "model", mmap_mode="r")
    assert clf.score(X, y) > 0.5
    with pytest.raises(ValueError, match="loaded read-only"):
        clf.partial_fit(X, y)


def test_predict_is_thread_safe_on_first_use():
    X, y = blobs(3, rows=3000, apart=0.5)
    for _ in range(5):
        clf = PerceptronClassifier(random_state=0, max_iter=2, predictor="vote").fit(sp.csr_matrix(X), y)
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda _: clf.predict(X[:50]).tolist(), range(8)))  # noqa: B023
        assert answers == [clf.predict(X[:50]).tolist()] * 8


def test_predict_can_be_repeated_after_an_interrupt(monkeypatch):
    X, y = blobs(2, rows=200, apart=0.5)
    clf = PerceptronClassifier(random_state=0, predictor="best").fit(sp.csr_matrix(X), y)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(support, "_grown_csr", interrupted)
        with pytest.raises(KeyboardInterrupt):
            clf.predict(X)
    assert clf.predict(X).shape == (200,)
