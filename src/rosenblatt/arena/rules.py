"""The rules that make the game fair for B, and the error about a move that breaks one."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, isfinite, sqrt

ROUNDING = 1e-9
"""The amount, in units of √R, by which a move may miss a rule through rounding."""


LARGEST = 1e100
"""The largest number in rules and moves: sums of squares of larger ones could overflow."""


class IllegalMove(ValueError):  # noqa: N818
    """A move that the referee refuses.

    Attributes
    ----------
    rule
        The rule that it breaks: "margin" or "radius".
    """

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(why)
        self.rule = rule


@dataclass(frozen=True)
class Rules:
    """The rules that A must keep to; the referee and A know them, B does not.

    **Margin.** The unit vector u keeps every truth at least γ above its rivals. **Radius.** What A shows has
    squared norms of at most R. The sources ask for more than γ and less than R, and so get k < R/γ²; with
    equality allowed it is k ≤ R/γ², which A can reach.

    Parameters
    ----------
    u
        The vector, which is scaled to length 1.
    margin
        γ.
    radius_squared
        R, a bound on squared norms.

    Examples
    --------
    >>> Rules(u=(3, 4), margin=0.5, radius_squared=1.0)
    Rules(u=(0.6, 0.8), margin=0.5, radius_squared=1.0)
    """

    u: tuple[float, ...]
    margin: float
    radius_squared: float

    def __post_init__(self) -> None:
        for name in ("margin", "radius_squared"):
            value = as_float(getattr(self, name))
            if not 1 / LARGEST <= value <= LARGEST:
                raise ValueError(
                    f"{name} must be a finite number above 0, from {1 / LARGEST:g} to {LARGEST:g}. Got "
                    f"{getattr(self, name)!r:.80}."
                )
            object.__setattr__(self, name, value)
        u = tuple(as_float(number) for number in self.u)
        length = hypot(*u)
        if not (isfinite(length) and length > 0):
            raise ValueError(f"u must be finite numbers that are not all 0. Got {self.u!r:.80}.")
        scale = 1.0 if abs(length - 1) < 1e-14 else length
        object.__setattr__(self, "u", tuple(number / scale for number in u))

    @property
    def slack(self) -> float:
        """The amount by which a move may miss γ through rounding."""
        return ROUNDING * sqrt(self.radius_squared)


def as_float(number: float) -> float:
    """Return the number as a float; ∞ if it is too large for that."""
    try:
        return float(number)
    except OverflowError:
        return inf
