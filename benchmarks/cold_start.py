"""Cold start: importing, and a process that imports, fits 1,000 rows and ends."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from time import perf_counter

from benchmarks.measuring import table

FIT = (
    "import numpy as np; from rosenblatt import PerceptronClassifier; "
    "random = np.random.default_rng(0); X = random.normal(size=(1000, 20)); y = (X[:, 0] > 0).astype(int); "
    "PerceptronClassifier().fit(X, y)"
)
FIT_KERNEL = FIT.replace("import PerceptronClassifier", "import PerceptronClassifier, kernels").replace(
    "PerceptronClassifier()", "PerceptronClassifier(kernels.RBF(sigma=1.0))"
)
NO_PANDAS = "import sys; sys.modules['pandas'] = None; "


def process(code: str, repeats: int = 5, **environment: str) -> float:
    """Return the median time of a fresh Python process that runs this code."""
    times = []
    for _ in range(repeats):
        began = perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
        times.append(perf_counter() - began)
    return statistics.median(times)


def cold(code: str) -> float:
    """Return the time of such a process with an empty cache of compiled loops."""
    with tempfile.TemporaryDirectory() as empty:
        return process(code, repeats=1, NUMBA_CACHE_DIR=empty)


def report() -> str:
    for code in (FIT, FIT_KERNEL):
        process(code, repeats=1)
    bare, with_numpy, ours = (process(code) for code in ("pass", "import numpy", "import rosenblatt"))
    both = process("import numpy, rosenblatt")
    rows = [
        ["`import numpy`", f"{1000 * (with_numpy - bare):.0f} ms", ""],
        ["`import rosenblatt` alone", f"{1000 * (ours - bare):.0f} ms", ""],
        [
            "`import numpy, rosenblatt`, beyond `import numpy`",
            f"{1000 * (both - with_numpy):.0f} ms",
            "at most 60 ms",
        ],
        [
            "`import sklearn.base, numba` and nothing else",
            f"{process('import sklearn.base, numba'):.2f} s",
            "",
        ],
        ["a process that imports, fits 1,000 × 20 rows and ends", f"{process(FIT):.2f} s", "under 2 s"],
        [
            "the same where pandas, which scikit-learn imports if it can, is not installed",
            f"{process(NO_PANDAS + FIT):.2f} s",
            "under 2 s",
        ],
        ["the same with an RBF kernel", f"{process(FIT_KERNEL):.2f} s", "under 2 s"],
        ["the first of these with an empty Numba cache", f"{cold(FIT):.2f} s", "stated"],
        ["the second with an empty Numba cache", f"{cold(FIT_KERNEL):.2f} s", "stated"],
    ]
    return "## Cold start\n\n" + table(["", "median of 5", "asked"], rows)
