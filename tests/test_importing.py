"""What importing costs, and what it leaves to others."""

import subprocess
import sys

import pytest


def test_importing_is_light():
    code = "import sys, rosenblatt; print([m for m in ('numba', 'sklearn', 'scipy') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.parametrize("first", ["", "import scipy.stats", "import sklearn.base"])
def test_scipy_stats_is_loaded_by_who_uses_it(first):
    code = (
        f"{first}\nimport sys; from rosenblatt import PerceptronClassifier\n"
        "print('scipy.stats' in sys.modules)\n"
        "import numpy as np; from sklearn.utils.fixes import _mode; print(_mode(np.array([1, 2, 2])).mode)\n"
        "import scipy; print(scipy.stats.norm.cdf(0.0))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, mode, half = run.stdout.split()
    assert (loaded, mode.strip("[]"), half) == (str(bool(first)), "2", "0.5")


def test_a_scikit_learn_that_needs_scipy_stats_at_once_gets_it():
    code = (
        "import sys; from rosenblatt.estimators import imports\n"
        "for name in [n for n in sys.modules if n.startswith(('sklearn', 'scipy.stats'))]: del sys.modules[name]\n"
        "true, tried = imports.import_module, []\n"
        "def picky(name):\n"
        "    tried.append('scipy.stats' in sys.modules)\n"
        "    if tried[-1]: from scipy.stats import norm\n"
        "    return true(name)\n"
        "imports.import_module = picky\n"
        "imports.import_sklearn(); print(tried, 'sklearn.base' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[True, False] True"
