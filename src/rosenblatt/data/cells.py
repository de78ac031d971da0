"""The parser of one svmlight line, whose errors name the column."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

LARGEST = 2**31 - 2
"""The largest feature of a CSR matrix with indices of 32 bits."""

LINE = "A line must be a label, perhaps a query as qid:3, and features as 7:0.5."
LABELS = (
    "A label must be one number: lines with several labels are not read. Write one file for each label, "
    "with 1 where a line has it and -1 where not."
)
QUERY = "A query must be an integer of at most 64 bits, as in qid:3."
HUGE = f"A feature must be at most {LARGEST}: hash the features into fewer, as with number % 2**20 + 1."

CELL = re.compile(rb"[^ \t\n\r\v\f]+")
INTEGER = re.compile(rb"([+-]?)0*(\d+)")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WIDE = 60
"""The most characters of a line that an error shows."""


class LineError(Exception):
    """An error in a line: what was expected, what was found, and at which byte, counted from 0."""

    def __init__(self, expected: str, got: object, at: int) -> None:
        super().__init__(expected, got, at)
        self.expected, self.at = expected, at
        self.got = _shown(got) if isinstance(got, bytes) else str(got)

    def in_column(self) -> str:
        """Return the message with the column only."""
        return f"{self.expected} Got {self.got} in column {self.at + 1}."

    def in_line(self, number: int, name: str, line: bytes) -> str:
        """Return the message with the file, the line, the column and an excerpt."""
        first = 0 if self.at < WIDE - 20 else self.at - 20
        return (
            f"{self.expected} Got {self.got} in line {number}, column {self.at + 1} of {name}: "
            f"{_shown(line[first : first + WIDE])}."
        )


class Line(NamedTuple):
    """The label of a line, its query, its features and their values."""

    label: float
    query: int | None
    features: list[int]
    values: list[float]


def read_line(text: bytes, n_features: int | None, with_query: bool | None) -> Line | None:
    """Parse a line; None if it is blank. `with_query`: whether the first row had a query, None before it."""
    cells = [(cell.group(), cell.start()) for cell in CELL.finditer(text.partition(b"#")[0])]
    if not cells:
        return None
    label, query = _label(*cells[0]), None
    if len(cells) > 1 and cells[1][0].startswith(b"qid:"):
        query = _query(cells[1][0][4:], cells[1][1] + 4)
    if with_query is not None and with_query != (query is not None):
        raise LineError(
            f"Either every row has a query or none, and the first has {'one' if with_query else 'none'}.",
            "none" if query is None else cells[1][0],
            cells[0 if query is None else 1][1],
        )
    features, values = [], []
    for cell, at in cells[1 if query is None else 2 :]:
        name, colon, value = cell.partition(b":")
        if not colon:
            raise LineError(LINE, cell, at)
        features.append(_feature(name, at, n_features))
        values.append(_number(value, at + len(name) + 1, "value"))
    return Line(label, query, features, values)


def _label(cell: bytes, at: int) -> float:
    if b"," in cell and all(NUMBER.fullmatch(part) for part in cell.split(b",") if part):
        raise LineError(LABELS, cell, at)
    return _number(cell, at, "label")


def _number(cell: bytes, at: int, what: str) -> float:
    """Parse a finite number into the nearest float."""
    if NUMBER.fullmatch(cell):
        number = float(cell)
    elif cell.lower().lstrip(b"+-") in (b"nan", b"inf", b"infinity"):
        number = math.nan
    else:
        raise LineError(LINE, cell, at)
    if not math.isfinite(number):
        raise LineError(f"A {what} must be a finite number.", cell, at)
    return number


def _query(cell: bytes, at: int) -> int:
    parts = INTEGER.fullmatch(cell)
    number = int(parts[1] + parts[2]) if parts and len(parts[2]) < 20 else 2**64
    if not -(2**63) <= number < 2**63:
        raise LineError(QUERY, cell, at)
    return number


def _feature(cell: bytes, at: int, n_features: int | None) -> int:
    parts = INTEGER.fullmatch(cell)
    if not parts:
        raise LineError(LINE, cell, at)
    number = int(parts[1] + parts[2]) if len(parts[2]) < 20 else 2**64
    if number < 1:
        raise LineError("Features are counted from 1.", number, at)
    if n_features is not None and number > n_features:
        raise LineError(f"There must be at most n_features={n_features} features.", cell.decode(), at)
    if number > LARGEST:
        raise LineError(HUGE, cell.decode(), at)
    return number


def _shown(text: bytes) -> str:
    shown = text.decode(errors="replace")
    return repr(shown if len(shown) <= WIDE else shown[: WIDE - 1] + "…")
