"""How many threads a call may use: those of matrix products, votes and decoding."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST = min(4, os.cpu_count() or 1)
"""Threads of a vote without a limit: more wait for the memory."""

_limit: ContextVar[int | None] = ContextVar("limit", default=None)


def threads(otherwise: int = MOST) -> int:
    """Return the limit that is in force, or `otherwise` without one."""
    limit = _limit.get()
    return otherwise if limit is None else limit


@contextmanager
def limited_to(n_jobs: int | None) -> Iterator[None]:
    """Use at most this many threads, those of matrix products included; None to set no limit.

    −1 is one per core, −2 all cores but one, and so on.
    """
    if n_jobs is None:
        yield
        return
    from threadpoolctl import threadpool_limits  # here: most calls set no limit

    limit = n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    token = _limit.set(limit)
    try:
        with threadpool_limits(limit):
            yield
    finally:
        _limit.reset(token)
