"""Imports: which packages are loaded, and when."""

import subprocess
import sys


def test_import_loads_no_heavy_packages():
    code = "import sys, rosenblatt; print([m for m in ('numba', 'sklearn', 'scipy') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_import_of_plot_loads_no_matplotlib():
    assert answers("import sys, rosenblatt; rosenblatt.plot.proof; print('matplotlib' in sys.modules)") == [
        "False"
    ]


def answers(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
