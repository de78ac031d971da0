"""The figure behind an axis that nobody passed. Imported where a picture is drawn, for matplotlib's sake."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure that pyplot does not know: it is gone with its last name, and `ax.figure` shows it.

    A notebook shows it as the last value of a cell, with pyplot or without.
    """

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()
