"""The exponent of the RBF kernel from inner products, in one pass over the block."""

from __future__ import annotations

from rosenblatt._types import Array
from rosenblatt.loops.compiling import compiled


@compiled
def falling_distances(xz: Array, xx: Array, zz: Array, gamma: float) -> None:
    """Overwrite the inner products xz (n, m) by -gamma · |x - z|², never above 0.

    `xx` (n,) and `zz` (m,) are the squared norms and `gamma` is positive, all of the dtype of `xz`.
    The sum xx + zz is taken first: it is the same for (x, z) and (z, x), so the result is symmetric
    to the last bit, and |x - x|² is exactly 0 whenever the inner products are exact.
    """
    zero = gamma - gamma
    for i in range(xz.shape[0]):
        for j in range(xz.shape[1]):
            distance = (xx[i] + zz[j]) - (xz[i, j] + xz[i, j])
            # Rounding can leave a distance below 0; exp would make that a similarity above 1.
            xz[i, j] = min(-gamma * distance, zero)
