"""Colours that most people can tell apart, also when printed in grey.

References
----------
M. Okabe and K. Ito, Color universal design: how to make figures and presentations that are friendly to
colorblind people (2008).
"""

from __future__ import annotations

from typing import Any

BLUE, VERMILION = "#0072b2", "#d55e00"
GREEN, PURPLE, ORANGE, SKY, YELLOW = "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"
INK, GREY = "#222222", "#c4c4c4"

SEVERAL = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, YELLOW)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def of_classes(count: int) -> list[Any]:
    """Return a colour for each of `count` classes; with very many, neighbours look alike."""
    if count <= len(SEVERAL):
        return list(SEVERAL[:count])
    from matplotlib import colormaps

    return [colormaps["viridis"](i / (count - 1)) for i in range(count)]


def lightened(colour: Any, share: float) -> tuple[float, float, float]:
    """Return the colour mixed with this share of white."""
    from matplotlib.colors import to_rgb

    red, green, blue = (part + share * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def signed_map() -> Any:
    """Return a colour map from blue, below 0, through white to vermilion."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signed", [BLUE, "white", VERMILION])


def counted_map() -> Any:
    """Return a colour map from white, for 0, to blue."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("counted", ["white", BLUE])
