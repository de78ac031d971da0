"""Files that are not regular: a FIFO with a reader, and a device on which nothing can be written."""

import os
import stat
from threading import Thread

import pytest


class Fifo:
    """A FIFO, and a thread that reads it to its end."""

    def __init__(self, path):
        self.path = path
        os.mkfifo(path)
        self._got = []
        self._reader = Thread(target=self._read_all, daemon=True)
        self._reader.start()

    def _read_all(self):
        with open(self.path, "rb") as file:
            self._got.append(file.read())

    def read(self):
        """What was written to it; None if no writer opened and closed it."""
        self._reader.join(timeout=20)
        return self._got[0] if self._got else None


@pytest.fixture
def fifo(tmp_path):
    return Fifo(tmp_path / "fifo")


@pytest.fixture
def full(tmp_path):
    """A copy of /dev/full where the tests could replace the real one, else the real one."""
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full on this system")
    if os.geteuid():
        return "/dev/full"
    path = tmp_path / "full"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.stat("/dev/full").st_rdev)
        os.close(os.open(path, os.O_WRONLY))
    except OSError as fault:
        pytest.skip(f"no device can be made in the folder of the tests: {fault}")
    return str(path)
