"""The warning about columns whose scales are far apart: large ones outweigh the others in every score."""

from __future__ import annotations

import warnings
from typing import Any

from rosenblatt._types import Array
from rosenblatt.data.blocks import APART
from rosenblatt.data.scales import far_apart


class ScaleWarning(UserWarning):
    """Columns of dense rows have scales that differ by a factor above 1,000, and nothing has scaled them.

    The scale of a column is its largest magnitude; a constant column has none.
    """


def warn_of_scales(X: Array, names: Any = None, stacklevel: int = 1) -> None:
    """Warn, once for all columns, if their scales are far apart.

    Parameters
    ----------
    X
        Dense rows of finite numbers.
    names
        The names of the columns; their indices are shown if there are none.
    stacklevel
        Whose line the warning names: 1 is the caller's, 2 that of its caller, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> with warnings.catch_warnings(action="always", record=True) as caught:
    ...     warn_of_scales(np.array([[1.0, 0.0, 7.0], [5000.0, 1.0, 7.0]]))
    >>> print(str(caught[0].message).partition(". ")[0])
    The scales of columns differ by a factor above 1,000: column 0 up to 5,000, column 1 up to 1
    """
    found = far_apart(X)
    if found:
        shown = ", ".join(_described(names, column, scale) for column, scale in found)
        warnings.warn(
            f"The scales of columns differ by a factor above {APART:,.0f}: {shown}. The large ones "
            "outweigh the others in inner products and distances. Scale X, as by StandardScaler or "
            "QuantileTransformer, fitted to the training rows.",
            ScaleWarning,
            stacklevel=stacklevel + 1,
        )


def _described(names: Any, index: int, scale: float) -> str:
    """Return a column with its scale, rounded."""
    column = f"column {index}" if names is None else repr(str(names[index]))
    return f"{column} up to {float(f'{scale:.1g}'):,g}"
