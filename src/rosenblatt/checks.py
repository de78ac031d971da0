"""The result of a check of a user's game or rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """The faults of a game or a rule that a sample shows.

    Parameters
    ----------
    subject
        The game or rule that was checked.
    cases
        How many cases were tried.
    faults
        A sentence for every kind of fault.
    """

    subject: str
    cases: int
    faults: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    def __str__(self) -> str:
        if self.ok:
            return f"{self.subject}: no fault in {self.cases} cases"
        return "\n- ".join([f"{self.subject}: {len(self.faults)} faults in {self.cases} cases", *self.faults])
