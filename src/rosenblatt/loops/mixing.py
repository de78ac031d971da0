"""Numbers spread evenly, for tables in which they are found by what they are."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import inlined

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ divided by the golden ratio: multiples of it spread evenly."""


@inlined
def spread(number):
    """A number whose low bits depend on all of this one's."""
    mixed = np.uint64(number) * MULTIPLIER
    return mixed ^ (mixed >> np.uint64(32))
