"""The first call with an empty cache, before and after; `rosenblatt compile`; a fresh clone; a warm process."""

from __future__ import annotations

import io
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.measuring import table

ROOT = Path(__file__).parents[1]

BEFORE = "47bbe33"
"""The last commit at which parts were written into loops before types were inferred."""

DATA = """
import numpy as np, scipy.sparse as sp
from time import perf_counter
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels
X = np.random.default_rng(0).integers(-3, 4, (1000, 20)).astype(float)
two, three, queries = (X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-1, 2]), np.arange(1000) // 10
words = [[f"word{(i * j) % 97}" for j in range(1 + i % 9)] for i in range(300)]
tags = [[("A", "B", "C")[len(word) % 3] for word in sentence] for sentence in words]
began = perf_counter()
"""
FIRST_CALLS = {
    "classifier, dense": ("PerceptronClassifier().fit(X, two).predict(X)", 1.8),
    "classifier, CSR": ("PerceptronClassifier().fit(sp.csr_array(X), two).predict(sp.csr_array(X))", 2.5),
    "classifier, CSR, three classes": (
        "PerceptronClassifier().fit(sp.csr_array(X), three).predict(sp.csr_array(X))",
        3.0,
    ),
    "classifier, RBF": ("PerceptronClassifier(kernels.RBF(gamma=0.1)).fit(X, two).predict(X)", 1.5),
    "ranker, pairs": ("PerceptronRanker().fit(X, two, queries).predict(X, queries)", 2.0),
    "tagger": ("PerceptronTagger().fit(words, tags).predict(words)", 6.0),
}
"""What is called first by what is measured, and the seconds asked for."""

WARM = (
    "import numpy as np; from rosenblatt import PerceptronClassifier; "
    "X = np.random.default_rng(0).normal(size=(1000, 20)); PerceptronClassifier().fit(X, (X[:, 0] > 0).astype(int))"
)
IMPORTS = "import sklearn.base, numba"
"""What any library of compiled estimators imports."""

FROM_CLONE = {"`make demo`": ("demo", 30), "`make test`": ("test", 210)}


def output(*command: str, **environment: str) -> str:
    """Return what a command prints."""
    env = os.environ | environment
    return subprocess.run(command, check=True, env=env, cwd=ROOT, capture_output=True, text=True).stdout


def took(*command: str, cwd: Path = ROOT, **environment: str) -> float:
    """Return the seconds that a command takes."""
    began = perf_counter()
    subprocess.run(command, check=True, env=os.environ | environment, cwd=cwd, capture_output=True)
    return perf_counter() - began


def unpacked(commit: str, folder: Path) -> str:
    """Return where the sources of a commit are, in this folder."""
    packed = subprocess.run(["git", "archive", commit, "src"], check=True, cwd=ROOT, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return str(folder / "src")


def first_call(call: str, source: str) -> float:
    """Return the seconds of a call in a fresh process with an empty cache, imports not counted."""
    with tempfile.TemporaryDirectory() as empty:
        code = f"{DATA}{call}\nprint(perf_counter() - began)"
        return float(output(sys.executable, "-c", code, NUMBA_CACHE_DIR=empty, PYTHONPATH=source))


def all_compiled() -> float:
    """Return the seconds of `rosenblatt compile` with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        return took(sys.executable, "-m", "rosenblatt.cli", "compile", NUMBA_CACHE_DIR=empty)


def from_clone(target: str) -> float:
    """Return the seconds that `make TARGET` takes in a fresh clone, install included."""
    with tempfile.TemporaryDirectory() as folder:
        clone, empty = Path(folder) / "main", str(Path(folder) / "cache")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        return took("make", target, cwd=clone, NUMBA_CACHE_DIR=empty)


def installed(folder: Path) -> str:
    """Return the Python of an environment with rosenblatt and what it needs, and nothing else."""
    python = str(folder / "bin" / "python")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    install = (python, "-m", "pip", "--quiet", "install", "--constraint", "constraints.txt", ".")
    subprocess.run(install, check=True, cwd=ROOT)
    return python


def warm(python: str, sources: tuple[str, str]) -> list[float]:
    """Return the seconds of a process that compiles nothing, with the sources before and now, and of imports."""
    calls = [(WARM, sources[0]), (WARM, sources[1]), (IMPORTS, "")]
    runs = [[took(python, "-c", code, PYTHONPATH=source) for code, source in calls] for _ in range(10)]
    return [statistics.median(times) for times in zip(*runs[1:], strict=True)]


def report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        sources = (unpacked(BEFORE, Path(folder)), str(ROOT / "src"))
        first = {
            name: [statistics.median(first_call(call, source) for _ in range(3)) for source in sources]
            for name, (call, _) in FIRST_CALLS.items()
        }
        small, large = warm(installed(Path(folder) / "env"), sources), warm(sys.executable, sources)
    rows = [
        [f"{name}: first fit + predict", f"{before:.2f} s", f"{now:.2f} s", f"{FIRST_CALLS[name][1]} s"]
        for name, (before, now) in first.items()
    ]
    everything = statistics.median(all_compiled() for _ in range(3))
    rows.append(["`rosenblatt compile`, everything", "–", f"{everything:.1f} s", "25 s"])
    for name, (target, asked) in FROM_CLONE.items():
        rows.append(
            [f"{name} in a fresh clone, install included", "–", f"{from_clone(target):.0f} s", f"{asked} s"]
        )
    what = "a warm process: imports, fits 1,000 × 20 rows, ends (median of nine)"
    rows.append([what, f"{small[0]:.2f} s", f"{small[1]:.2f} s", "1.0 s"])
    rows.append([f"of it, `{IMPORTS}`", "–", f"{small[2]:.2f} s", "–"])
    what = "the same where pandas is installed, too, which scikit-learn imports"
    rows.append([what, f"{large[0]:.2f} s", f"{large[1]:.2f} s", "–"])
    rows.append([f"of it, `{IMPORTS}`", "–", f"{large[2]:.2f} s", "–"])
    return (
        f"## The first call\n\nWith an empty cache; before is commit {BEFORE}, with the same packages. Medians of three; "
        f"the two from a clone once. The version before replaced modules of others while it imported; this one replaces none.\n\n"
        + table(["", "before", "now", "asked: at most"], rows)
    )
