"""What a check of a user's game or rule found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """What is wrong with a game or a rule, as far as a sample can tell.

    Parameters
    ----------
    subject
        What was checked.
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
