"""Fixtures of all tests: the real data, and a hypothesis profile without deadlines."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from fixtures.cli_running import run, train  # noqa: F401
from fixtures.special_files import fifo, full  # noqa: F401
from rosenblatt.loops.notices import NOTICES

settings.register_profile(
    "rosenblatt", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rosenblatt")


def pytest_configure():
    """Let Ctrl-C raise KeyboardInterrupt, also where the shell that started the tests ignores SIGINT.

    No test prints the line about compilation, which would be the first that needs a loop.
    """
    NOTICES.silence()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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


EXPECTED_SKIPS = (
    "ROSENBLATT_DATA does not name",
    "SCIPY_ARRAY_API is not set",
    "needs the rivals",
    "root writes anywhere",
    "on this system",
    "no device can be made",
    "sends a POSIX signal",
    "PerceptronClassifier does not have a predict_proba method",  # scikit-learn's check of those that have
)
"""Reasons to skip a test in CI. Any other skip means that something is not installed, and fails the run."""

unexpected_skips: list[str] = []


def pytest_runtest_logreport(report):
    """Collect skips in CI whose reason is not listed."""
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(known in reason for known in EXPECTED_SKIPS):
            unexpected_skips.append(f"{report.nodeid}: {reason}")


def pytest_sessionfinish(session):
    """Fail the run if a test was skipped for a reason that is not listed."""
    if unexpected_skips and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """Print the skips that are not listed."""
    for line in unexpected_skips:
        terminalreporter.write_line(f"UNEXPECTED SKIP {line}", red=True)
