"""The axis to draw on: the one passed, or that of a new figure; its legend and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BELOW = 40
"""The height, in points, of the tick labels and the label under an axis."""


def axis(ax: Any) -> Axes:
    """Return the axis that was passed, or that of a new figure."""
    try:
        from matplotlib.axes import Axes

        from rosenblatt.plot.figures import Picture
    except ImportError as missing:
        raise ImportError("Plots need matplotlib: pip install 'rosenblatt[plot]'") from missing
    if ax is None:
        return Picture(layout="constrained").add_subplot()
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be one matplotlib axis, or None for a new one. Got {type(ax).__name__}.")
    return ax


def legend_below(ax: Axes) -> None:
    """Add a legend under the axis and its label, where it hides nothing."""
    from matplotlib.transforms import ScaledTranslation

    under = ax.transAxes + ScaledTranslation(0, -BELOW / 72, ax.figure.dpi_scale_trans)
    columns = min(3, len(ax.get_legend_handles_labels()[1]))
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=under,
        borderaxespad=0,
        ncols=columns,
        frameon=False,
    )


def plain(text: Any) -> str:
    """Return the text with dollar signs escaped, which matplotlib takes for formulas."""
    return str(text).replace("$", r"\$")
