"""A matrix as a heat map with names at its sides, and its values in the cells if there are few."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.plot.axes import plain
from rosenblatt.plot.colours import GREY, INK, counted_map, signed_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 12
"""Rows or columns up to which values fit into the cells."""


def draw_matrix(
    ax: Axes, values: Floats, rows: Iterable[Any], columns: Iterable[Any], *, signed: bool, integer: bool
) -> None:
    """Draw the values, NaN in grey: with colours around 0 or from 0, and as integers or not."""
    from matplotlib.ticker import MaxNLocator

    largest = float(np.nanmax(np.abs(values), initial=1.0 if integer else 1e-9))
    ax.set_facecolor(GREY)
    image = ax.imshow(
        values,
        cmap=signed_map() if signed else counted_map(),
        vmin=-largest if signed else 0.0,
        vmax=largest,
    )
    names = [plain(name) for name in columns]
    upright = max(map(len, names)) > 3 or len(names) > FEW
    ax.set_xticks(range(len(names)), names, rotation=90 if upright else 0)
    ax.set_yticks(range(len(values)), [plain(name) for name in rows])
    if max(values.shape) <= FEW:
        _write_values(ax, image, values, integer)
    ax.figure.colorbar(image, ax=ax, ticks=MaxNLocator(7, integer=integer))


def _write_values(ax: Axes, image: Any, values: Floats, integer: bool) -> None:
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value) and value != 0:
            text = f"{value:.0f}" if integer or abs(value) >= 10 else f"{value:.2g}"
            ax.text(j, i, text, ha="center", va="center", color=_readable_on(image, value), fontsize=9)


def _readable_on(image: Any, value: float) -> str:
    red, green, blue, _ = image.cmap(image.norm(value))
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else INK
