"""What all tests share: where the real data is, and how hypothesis behaves next to a compiler."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from cli_running import run, train  # noqa: F401
from special_files import fifo, full  # noqa: F401

settings.register_profile(
    "rosenblatt", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rosenblatt")


def pytest_runtest_setup():
    """What is drawn without a seed is drawn from NumPy's own generator: the same in every run of a test."""
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets, or a skip that says what is missing."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("ROSENBLATT_DATA does not name a folder of data sets")
    return Path(folder)
