"""Detection of changes of a file: its size and modification time, and a digest of all its bytes."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event


def status_of(path: str) -> dict[str, int]:
    """Return the size and modification time of a file."""
    status = os.stat(path)
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns}


class Digest:
    """The digest of a file, computed in a background thread after `begin`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._stopped = Event()
        self._pool = ThreadPoolExecutor(1)
        self._coming: Future[str] | None = None

    def __enter__(self) -> Digest:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._pool.shutdown()

    def begin(self) -> None:
        """Start the computation."""
        self._coming = self._pool.submit(self._take)

    def value(self) -> str:
        """Wait for the digest and return it."""
        assert self._coming is not None
        return self._coming.result()

    def _take(self) -> str:
        digest, buffer = hashlib.sha256(), memoryview(bytearray(2**20))
        with open(self._path, "rb", buffering=0) as file:
            while (size := file.readinto(buffer)) and not self._stopped.is_set():
                digest.update(buffer[:size])
        return digest.hexdigest()
