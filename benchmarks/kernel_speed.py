"""Learning and predicting with a kernel on MNIST, against LIBSVM and the limit of the matrix product."""

from __future__ import annotations

import subprocess
import sys
from copy import copy

import numpy as np
from sklearn.svm import SVC

from benchmarks.datasets import mnist
from benchmarks.measuring import alternating, float32_rate, seconds, table, where_we_lose
from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.rules import Margin

GAMMA = 0.02


def learner() -> PerceptronClassifier:
    return PerceptronClassifier(
        kernels.RBF(gamma=GAMMA), multiclass="ovr", max_iter=4, fit_intercept=False, random_state=0
    )


def pixels() -> tuple[np.ndarray, ...]:
    X, y, Z, t = mnist()
    return (X / 255).astype(np.float32), y, (Z / 255).astype(np.float32), t


def error(clf: object, X: np.ndarray, y: np.ndarray) -> float:
    return 100 * float(np.mean(clf.predict(X) != y))  # type: ignore[attr-defined]


def peak_memory() -> float:
    """Return the peak memory, in MB, of a fresh process that loads MNIST and learns from all of it."""
    code = (
        "import resource; from benchmarks.kernel_speed import learner, pixels; X, y, *_ = pixels(); "
        "learner().fit(X, y); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    return float(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )


def report() -> str:
    X, y, Z, t = pixels()
    return "\n\n".join(
        [
            "## Kernel speed: MNIST, RBF γ = 0.02, one-vs-rest, 4 epochs",
            _floor(X, y, Z, t),
            _rival(X, y, Z, t),
        ]
    )


def _floor(X: np.ndarray, y: np.ndarray, Z: np.ndarray, t: np.ndarray) -> str:
    clf = learner()
    learner().fit(X[:2000], y[:2000])
    rates, times = [], []
    for _ in range(5):
        rates.append(float32_rate())
        times.append(seconds(lambda: clf.fit(X, y), repeats=1, warm=False))
    rate, taken = float(np.median(rates)), float(np.median(times))
    ledger = clf.ledger_
    visits = len(np.unique(ledger.when))
    floor, distinct = (2 * len(X) * rows * X.shape[1] / rate for rows in (visits, len(clf.support_)))
    mistakes = np.diff([0, *(len(ledger.until(len(X) * epoch).mistakes) for epoch in (1, 2, 3, 4))])
    errors = {
        name: error(clf.set_params(predictor=name), Z, t)
        for name in ("last", "best", "average", "vote", "sample")
    }
    rows = [
        ["fit, median of 5", f"{taken:.2f} s"],
        ["float32 product in the same run", f"{rate / 1e9:.0f} GFLOP/s"],
        [f"floor: 2·n·m·d operations, m = {visits} rows corrected, counted once per visit", f"{floor:.2f} s"],
        ["**fit / floor** (asked: at most 1.45)", f"**{taken / floor:.2f}**"],
        [f"fit / the same floor with m = {len(clf.support_)} distinct rows", f"{taken / distinct:.2f}"],
        ["peak memory of the process (asked: under 1,500 MB)", f"{peak_memory():.0f} MB"],
        ["mistakes per epoch", ", ".join(map(str, mistakes))],
        ["test error in %", ", ".join(f"{name} {value:.2f}" for name, value in errors.items())],
    ]
    return "All 60,000 rows.\n\n" + table(["", ""], rows)


def _rival(X: np.ndarray, y: np.ndarray, Z: np.ndarray, t: np.ndarray) -> str:
    clf, svc = learner(), SVC(C=10, gamma=GAMMA, cache_size=1000)
    ours = seconds(lambda: clf.fit(X, y), repeats=3)
    theirs = seconds(lambda: svc.fit(X, y), repeats=1, warm=False)
    some = Z[:2000]
    predict_theirs = seconds(lambda: svc.decision_function(some), repeats=1, warm=False)
    support = len(svc.support_)
    all_corrected = learner().set_params(max_iter=1, rule=Margin(beta=1e6))
    same = all_corrected.fit(svc.support_vectors_.astype(np.float32), y[svc.support_])
    assert len(same.support_) == support
    average = seconds(lambda: same.set_params(predictor="average").decision_function(some))
    our_error, their_error = error(clf.set_params(predictor="average"), Z, t), error(svc, Z, t)
    vote, mean = _votes(clf, Z)
    vote_argmax, mean_argmax = _votes(learner().set_params(multiclass="argmax").fit(X, y), Z)
    rows = [
        ["fit", f"{ours:.2f} s", f"{theirs:.1f} s", f"**{theirs / ours:.0f}** times (asked: 30)"],
        [
            "test error, ours averaged",
            f"{our_error:.2f} %",
            f"{their_error:.2f} %",
            "(asked: within 0.3 points)",
        ],
        [
            f"decision_function of 2,000 rows, {support} support vectors each",
            f"{average:.3f} s",
            f"{predict_theirs:.2f} s",
            f"**{predict_theirs / average:.0f}** times (asked: 20)",
        ],
        [
            "vote against average, 10,000 rows, one-vs-rest",
            f"{vote:.2f} s",
            f"{mean:.2f} s (ours)",
            f"**{vote / mean:.2f}** (asked: at most 1.5)",
        ],
        [
            "vote against average, 10,000 rows, argmax",
            f"{vote_argmax:.2f} s",
            f"{mean_argmax:.2f} s (ours)",
            f"**{vote_argmax / mean_argmax:.2f}** (asked: at most 1.5)",
        ],
    ]
    head = (
        "All 60,000 rows again, against scikit-learn's SVC (LIBSVM). Neither side has its defaults here: γ is the same, "
        "the rest was chosen."
    )
    heads = [
        "",
        "rosenblatt, one-vs-rest, 4 epochs, no intercept",
        "SVC, C = 10, cache_size = 1000, one-vs-one",
        "",
    ]
    lost = where_we_lose(
        "MNIST, 60,000 rows, RBF",
        less=[
            ("fit", ours, theirs, "{:.2f} s"),
            ("test error", our_error, their_error, "{:.2f} %"),
            ("scores of 2,000 rows", average, predict_theirs, "{:.2f} s"),
        ],
    )
    return "\n\n".join([head, table(heads, rows), lost])


def _votes(clf: PerceptronClassifier, Z: np.ndarray) -> tuple[float, float]:
    """Return the times of a vote and of an average over the same rows, measured in turn."""
    vote, mean = (copy(clf).set_params(predictor=name) for name in ("vote", "average"))
    works = {"vote": lambda: vote.decision_function(Z), "average": lambda: mean.decision_function(Z)}
    times = alternating(works, repeats=5)
    return times["vote"], times["average"]
