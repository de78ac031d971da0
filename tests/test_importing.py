"""What importing costs, and what it leaves to others."""

import subprocess
import sys

import pytest


def test_importing_is_light():
    code = "import sys, rosenblatt; print([m for m in ('numba', 'sklearn', 'scipy') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_matplotlib_waits_for_a_picture():
    assert answers("import sys, rosenblatt; rosenblatt.plot.proof; print('matplotlib' in sys.modules)") == [
        "False"
    ]


def answers(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


@pytest.mark.parametrize("first", ["", "import scipy.stats, pandas", "import sklearn.base"])
def test_what_scikit_learn_does_not_use_is_loaded_by_who_does(first):
    pytest.importorskip("pandas")
    code = (
        f"{first}\nimport sys; from rosenblatt import PerceptronClassifier\n"
        "print('scipy.stats' in sys.modules, 'pandas' in sys.modules)\n"
        "import numpy as np; from sklearn.utils.fixes import _mode; print(_mode(np.array([1, 2, 2])).mode[0])\n"
        "import scipy, pandas; print(scipy.stats.norm.cdf(0.0), len(pandas.DataFrame({'a': [1, 2, 3]})))\n"
        "from sklearn.utils import fixes; print(fixes.pd.DataFrame is pandas.DataFrame)"
    )
    assert answers(code) == [str(bool(first))] * 2 + ["2", "0.5", "3", "True"]


@pytest.mark.parametrize(
    "use", ["from scipy.stats import norm", "import scipy.stats._qmc", "from pandas import DataFrame"]
)
def test_a_scikit_learn_that_uses_it_at_once_gets_it(use):
    pytest.importorskip("pandas")
    code = (
        "import sys; from rosenblatt.estimators import imports\n"
        "for name in [n for n in sys.modules if n.startswith(('sklearn', 'scipy', 'pandas'))]: del sys.modules[name]\n"
        "true, used = imports.import_module, []\n"
        "def eager(name):\n"
        f"    if name == 'sklearn.base':\n        {use}\n        used.append(True)\n"
        "    return true(name)\n"
        "imports.import_module = eager\n"
        "imports.import_sklearn(); print(*used, 'sklearn.base' in sys.modules)"
    )
    assert answers(code) == ["True", "True"]


def test_what_is_not_installed_stays_so():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from rosenblatt import PerceptronClassifier; from sklearn.utils import fixes; print(fixes.pd)"
    )
    assert answers(code) == ["None"]
