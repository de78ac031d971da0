"""Work shared out among the cores: every core does all of it on its parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from rosenblatt.rows import parts


def cores() -> int:
    """How many cores this process may use; fewer than the machine has in a container."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def share(work: Callable[[slice], None], size: int, most: int) -> None:
    """Call `work`, which must release the GIL for most of its time, on slices of at most `most` on all cores.

    Matrix products inside run on one core each, for the others are busy.
    """
    slices = parts(size, max(1, min(most, -(-size // cores()))))
    if len(slices) < 2:
        list(map(work, slices))
        return
    with _one_core_products():
        list(_pool(os.getpid()).map(work, slices))


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked child has none of its parent's."""
    return ThreadPoolExecutor(cores(), thread_name_prefix="rosenblatt")


class _Limit:
    """The one setting of the BLAS library that all threads of a process share, and who relies on it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.context: Any = None


_LIMIT = _Limit()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def _one_core_products() -> Iterator[None]:
    """Keep matrix products on one core while anybody is in here; the first sets it, the last resets it."""
    with _LIMIT.lock:
        _LIMIT.users += 1
        if _LIMIT.users == 1:
            _LIMIT.context = _controller().limit(limits=1, user_api="blas")
            _LIMIT.context.__enter__()
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.users -= 1
            if _LIMIT.users == 0:
                _LIMIT.context.__exit__(None, None, None)
