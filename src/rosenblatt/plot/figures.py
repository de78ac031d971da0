"""The figure of a new axis. Imported only when drawing, because it imports matplotlib."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure that pyplot does not hold: it is freed with its last reference, and `ax.figure` shows it.

    A notebook shows it as the last value of a cell, with pyplot or without.
    """

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()
