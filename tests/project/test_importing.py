"""Imports: which packages are loaded, and when."""

import subprocess
import sys

import pytest


def test_import_loads_no_heavy_packages():
    code = "import sys, rosenblatt; print([m for m in ('numba', 'sklearn', 'scipy') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_import_of_plot_loads_no_matplotlib():
    assert answers("import sys, rosenblatt; rosenblatt.plot.proof; print('matplotlib' in sys.modules)") == [
        "False"
    ]


def test_import_of_an_estimator_replaces_no_modules():
    code = "import sys; from rosenblatt import PerceptronClassifier; print('rosenblatt.cli.imports' in sys.modules)"
    assert answers(code) == ["False"]


def answers(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


@pytest.mark.parametrize("first", ["", "import scipy.stats, pandas", "import sklearn.base"])
def test_import_sklearn_defers_scipy_stats_and_pandas(first):
    pytest.importorskip("pandas")
    code = (
        f"{first}\nimport sys; from rosenblatt.cli.imports import import_sklearn; import_sklearn()\n"
        "from rosenblatt import PerceptronClassifier\n"
        "print('scipy.stats' in sys.modules, 'pandas' in sys.modules)\n"
        "import numpy as np; from sklearn.utils.fixes import _mode; print(_mode(np.array([1, 2, 2])).mode[0])\n"
        "import scipy, pandas; print(scipy.stats.norm.cdf(0.0), len(pandas.DataFrame({'a': [1, 2, 3]})))\n"
        "from sklearn.utils import fixes; print(fixes.pd.DataFrame is pandas.DataFrame)"
    )
    assert answers(code) == [str(bool(first))] * 2 + ["2", "0.5", "3", "True"]


@pytest.mark.parametrize(
    "use", ["from scipy.stats import norm", "import scipy.stats._qmc", "from pandas import DataFrame"]
)
def test_import_sklearn_loads_deferred_packages_on_use(use):
    pytest.importorskip("pandas")
    code = (
        "import sys; from rosenblatt.cli import imports\n"
        "for name in [n for n in sys.modules if n.startswith(('sklearn', 'scipy', 'pandas'))]: del sys.modules[name]\n"
        "true, used = imports.import_module, []\n"
        "def eager(name):\n"
        f"    if name == 'sklearn.base':\n        {use}\n        used.append(True)\n"
        "    return true(name)\n"
        "imports.import_module = eager\n"
        "imports.import_sklearn(); print(*used, 'sklearn.base' in sys.modules)"
    )
    assert answers(code) == ["True", "True"]


def test_import_sklearn_leaves_missing_packages_missing():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from rosenblatt.cli.imports import import_sklearn; import_sklearn()\n"
        "from sklearn.utils import fixes; print(fixes.pd)"
    )
    assert answers(code) == ["None"]
