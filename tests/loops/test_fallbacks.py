"""Loops on Numba's public interface alone: they write the same ledgers, and read the same numbers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
EXACT = ("engine/test_exactness.py", "data/test_svmlight_numbers.py")
CHOSEN = "writes_the_ledger or sources or feature_map or parses"
"""Those whose loops are not compiled once more for a law that rejects them."""
NO_CACHE = ("-p", "no:cacheprovider")


@pytest.mark.slow
def test_exactness_holds_on_the_fallbacks():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *NO_CACHE, "-k", CHOSEN, *(TESTS / name for name in EXACT)],
        cwd=TESTS.parent,
        env=os.environ | {"ROSENBLATT_PLAIN_LOOPS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
