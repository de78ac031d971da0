"""Where to draw: the axis that was passed, or one of a new figure; and how to write on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BELOW = 40
"""How far under an axis, in points, its numbers and its label end."""


def axis(ax: Any) -> Axes:
    """The axis that was passed, or that of a new figure."""
    try:
        from matplotlib.axes import Axes

        from rosenblatt.plot.figures import Picture
    except ImportError as missing:
        raise ImportError("Pictures need matplotlib: pip install 'rosenblatt[plot]'") from missing
    if ax is None:
        return Picture(layout="constrained").add_subplot()
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be one matplotlib axis, or None for a new one. Got {type(ax).__name__}.")
    return ax


def legend_below(ax: Axes) -> None:
    """A legend where it hides nothing: under the axis and its label."""
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
    """The text as it is: to matplotlib, what stands between two dollars is a formula."""
    return str(text).replace("$", r"\$")
