"""The hash of an integer, for hash tables."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import merged

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ divided by the golden ratio (Fibonacci hashing)."""


@merged
def hash_of(key):
    """Return a hash of an integer; its low bits depend on all bits of the key."""
    product = np.uint64(key) * MULTIPLIER
    return product ^ (product >> np.uint64(32))
