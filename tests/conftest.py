"""Fixtures of all tests: the real data, and a hypothesis profile without deadlines."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from fixtures.cli_running import run, train  # noqa: F401
from fixtures.special_files import fifo, full  # noqa: F401

settings.register_profile(
    "rosenblatt", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rosenblatt")


def pytest_runtest_setup():
    """Seed NumPy's global generator, so that tests without a seed can be repeated."""
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real data sets, or skip the test."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("ROSENBLATT_DATA does not name a folder of data sets")
    return Path(folder)
