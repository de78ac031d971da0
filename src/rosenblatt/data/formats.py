"""Detection of the format of a file, from its name and its content."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from io import StringIO

from rosenblatt.data.files import BOM, PACKED, is_packed

FORMATS = ("svmlight", "csv", "tsv", "jsonl", "parquet", "arrow", "conll")

SUFFIXES = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".conll": "conll",
    ".conllu": "conll",
    ".conllx": "conll",
    ".iob": "conll",
    ".iob2": "conll",
}
"""Suffixes that name a format; with any other, such as .txt, the content decides."""

SEPARATORS = (",", ";", "\t", "|")
"""Separators of the cells of a CSV file, the likeliest first."""

COMPARED = 5
"""The number of first lines, or rows, that are examined."""

NUMBER = rb"[-+]?(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?|(?i:nan|inf|infinity))"
LABEL = re.compile(rb"\s*" + NUMBER + rb"\s*(#.*)?$")
SVMLIGHT = re.compile(
    rb"\s*" + NUMBER + rb"(?:," + NUMBER + rb")*(?:\s+(?:qid:\S+|\d++:" + NUMBER + rb"))+\s*(#.*)?$"
)
FEATURES = re.compile(rb"\s*\S+(?:\s+(?:qid|\d++):\S+)+\s*(#.*)?$")
OBJECT = re.compile(rb'\s*\{\s*(?:\}\s*$|"(?:[^"\\]|\\.)*+"\s*:)')
WABBIT = re.compile(
    rb"(?:shared\s+|(?:" + NUMBER + rb"(?::" + NUMBER + rb")*+\s+)+(?:[^\s|]+)?|'[^\s|]+)?\|[^\s|]*\s+\S"
)

ARCHIVES = (
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), "a zip archive, as .xlsx and .npz files are", "Unpack it"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "a 7-Zip archive", "Unpack it"),
    (re.compile(rb"[^\0].{256}ustar", re.DOTALL), "a tar archive", "Unpack it"),
    (re.compile(rb"\xff\xfe(?!\xff)|\xfe\xff"), "text in UTF-16", "Convert it to UTF-8"),
)
"""Magic bytes of files that are not read, what they are, and what to do."""


def suffix_of(path: str) -> str:
    """Return the suffix of a path in lower case, without that of a compression: `.csv` of `Rows.CSV.gz`.

    Examples
    --------
    >>> suffix_of("data/Rows.CSV.gz"), suffix_of("a9a")
    ('.csv', '')
    """
    name, last = os.path.splitext(os.path.basename(path).lower())
    return os.path.splitext(name)[1] if last in PACKED else last


class Sample:
    """The first bytes of a file, decompressed.

    Parameters
    ----------
    head
        The bytes.
    cut
        Whether the file continues after them.
    """

    def __init__(self, head: bytes, cut: bool) -> None:
        self.head = head
        self._text = head.removeprefix(BOM).replace(b"\r", b"").rstrip(b"\n")
        lines = [line for line in self._text.split(b"\n") if line.strip() and not _is_comment(line)]
        if cut and len(lines) > 1:
            lines.pop()
        elif cut and lines:
            lines[0] = lines[0].rpartition(b" ")[0] or lines[0]
        self.lines = lines

    @property
    def first(self) -> bytes:
        """The first line that is neither blank nor a comment."""
        return self.lines[0] if self.lines else b""

    @property
    def shown(self) -> str:
        """The first line as shown in an error, 60 bytes at most."""
        return repr(self.first[:60].decode(errors="replace"))

    @cached_property
    def apart(self) -> bool:
        """Whether blank lines separate others."""
        return b"\n\n" in self._text

    @cached_property
    def tables(self) -> dict[str, tuple[list[list[str]], str]]:
        """The rows that a CSV reader parses and the rest that it cannot parse, by separator."""
        lines = self._text.split(b"\n")
        begin = next((i for i, line in enumerate(lines) if line.strip() and not _is_comment(line)), 0)
        text = b"\n".join(lines[begin:]).decode(errors="replace")
        return {separator: _split(text, separator) for separator in SEPARATORS}

    def rows(self, separator: str) -> list[list[str]]:
        """Return the first rows that are not blank."""
        return [row for row in self.tables[separator][0] if row][:COMPARED]

    def is_table(self, separator: str) -> bool:
        """Whether each of the first three rows has several cells."""
        rows = self.rows(separator)[:3]
        return bool(rows) and all(len(row) > 1 for row in rows)

    def is_sequences(self, *, quoted: bool) -> bool:
        """Whether blank lines separate lines with tabs; `quoted` is whether quotation marks count."""
        rows, rest = self.tables["\t"]
        cells = [] if quoted else [cell for row in rows for cell in row if "\n" in cell]
        # A line break before a tab, inside quotation marks: the marks are tokens, not quotes.
        tokens = any("\t" in cell for cell in (*cells, rest.partition("\n")[2]))
        return [] in rows or (self.apart and tokens)

    def has_columns(self, lines: int | None = None) -> bool:
        """Whether all lines have the same number of columns, two or more, separated by white space."""
        return len(widths := set(map(_width, self.lines[:lines]))) == 1 and widths.pop() > 1


def _is_comment(line: bytes) -> bool:
    return line.lstrip().startswith(b"#")


def _width(line: bytes) -> int:
    return len(line.split())


def _split(text: str, separator: str) -> tuple[list[list[str]], str]:
    """Return the rows, blank lines being rows without cells, and the rest from the first broken row on."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    read = 0
    with suppress(csv.Error):
        for row in reader:
            rows.append(row)
            read = reader.line_num
    lines = text.split("\n")
    return rows or [line.split(separator) if line else [] for line in lines], "\n".join(lines[read:])


def separator_of(head: bytes) -> str:
    r"""Return the separator of a CSV file: it splits the first rows into equally many cells, and the most.

    Examples
    --------
    >>> separator_of(b"price;size;label\n1,5;2,5;yes\n")
    ';'
    """
    sample = Sample(head, cut=False)

    def evidence(separator: str) -> tuple[bool, bool, int]:
        widths = [len(row) for row in sample.rows(separator)] or [0]
        return widths[0] > 1, len(set(widths)) == 1, widths[0]

    return max(SEPARATORS, key=evidence)


def detect(path: str, name: str, head: bytes, cut: bool, expected: str | None = None) -> str:
    """Return which of FORMATS a file is in, by its name, else by its content.

    Raises ValueError if the content cannot be in the format of the name and looks like another, if it looks
    like a format that is not read, or if neither name nor content shows the format.

    Parameters
    ----------
    path
        The path, for its suffix.
    name
        The name of the file in an error.
    head, cut
        As in `Sample`.
    expected
        A format that content without a telling name is in if it can be; None to go by what it looks like.
    """
    sample, named = Sample(head, cut), SUFFIXES.get(suffix_of(path))
    binary = _binary(head)
    if binary is None:
        _refuse_other(sample, name, named)
    if not sample.lines:
        raise ValueError(f"There is nothing in {name} to learn from or to answer.")
    seen = binary or _look(sample)
    if expected is not None and binary is None and (seen is None or FITS[expected](sample)):
        seen = expected
    if named is None and seen is None:
        raise ValueError(
            f"The format of {name} cannot be detected from its name or its first line, {sample.shown}. "
            f"Give --format, one of {', '.join(FORMATS)}."
        )
    if named is None or seen is None or named == seen:
        return str(named or seen)
    if binary is None and named in FITS and FITS[named](sample):
        return named
    raise ValueError(
        f"The name of {name} says {named}, but its content looks like {seen}"
        f"{'' if binary else f' (first line {sample.shown})'}. "
        f"Choose with --format {named} or --format {seen}."
    )


def _binary(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else None


def _look(sample: Sample) -> str | None:
    """Return the format that the content looks like, or None."""
    lines = sample.lines
    if sample.first.lstrip().startswith(b"{"):
        return "jsonl"
    if any(map(SVMLIGHT.match, lines[:COMPARED])):
        return "svmlight"
    if sample.is_table("\t"):
        return "conll" if sample.is_sequences(quoted=False) else "tsv"
    if any(map(sample.is_table, SEPARATORS)):
        return "csv"
    if all(
        map(FEATURES.match, lines[:COMPARED])
    ):  # with labels that are not numbers, which its reader reports
        return "svmlight"
    if len(lines) > 1 and (sample.apart or len(set(map(_width, lines))) == 1):
        return "conll"
    return None


def _fits_svmlight(sample: Sample) -> bool:
    """Whether the first line has features, or every line is only a label."""
    return bool(FEATURES.match(sample.first)) or all(map(LABEL.match, sample.lines))


def _fits_jsonl(sample: Sample) -> bool:
    """Whether one of the first lines may be JSON."""
    return any(line.lstrip()[:1] in (b"{", b"[") for line in sample.lines[:COMPARED])


def _fits_csv(sample: Sample) -> bool:
    """Whether the first line has several cells, or the lines are not sequences of tokens."""
    if OBJECT.match(sample.first) or SVMLIGHT.match(sample.first):
        return False
    split = any(len(row) > 1 for separator in SEPARATORS for row in sample.rows(separator)[:1])
    return split or not (sample.apart and sample.has_columns())


def _fits_tsv(sample: Sample) -> bool:
    """Whether the first line has tabs and the lines are not token sequences, or has no other separator."""
    if "\t" in sample.first.decode(errors="replace"):
        return not sample.is_sequences(quoted=True)
    return _fits_csv(sample) and not (sample.is_table(",") or sample.is_table(";"))


def _fits_conll(sample: Sample) -> bool:
    """Whether lines have columns, and are neither JSON objects nor svmlight."""
    if OBJECT.match(sample.first) or all(map(SVMLIGHT.match, sample.lines[:COMPARED])):
        return False
    return sample.is_table("\t") or sample.has_columns(3)


FITS: dict[str, Callable[[Sample], bool]] = {
    "svmlight": _fits_svmlight,
    "jsonl": _fits_jsonl,
    "csv": _fits_csv,
    "tsv": _fits_tsv,
    "conll": _fits_conll,
}
"""Whether content that looks like another format may still be in this one."""


def _refuse_other(sample: Sample, name: str, named: str | None) -> None:
    """Raise ValueError for content of a format that is not read, whatever the name says."""
    what = _archive(sample.head) or _other_text(sample, named)
    if what is not None:
        says = "" if named is None else f", though its name says {named}"
        raise ValueError(
            f"{name} looks like {what[0]}{says}. {what[1]}, or give --format if it is something else."
        )


def _archive(head: bytes) -> tuple[str, str] | None:
    for pattern, what, then in ARCHIVES:
        if pattern.match(head):
            return what, f"{then}: text is read, plain or in {', '.join(PACKED)}, and Parquet and Arrow files"
    if is_packed(head):
        return "a file compressed twice", "Unpack it once"
    if b"\0" in head:
        return (
            "a binary file of another kind (it has a zero byte)",
            f"Convert it to one of {', '.join(FORMATS)}",
        )
    return None


def _other_text(sample: Sample, named: str | None) -> tuple[str, str] | None:
    tokens = named == "conll" and sample.has_columns()
    if sample.lines and not tokens and all(map(WABBIT.match, sample.lines[:COMPARED])):
        return (
            f"Vowpal Wabbit's text format (first line {sample.shown})",
            "Convert it to svmlight, if features have numbers, as in '1 3:0.5'; or to JSON lines, if they "
            """have names, as in '{"label": 1, "size": 0.5}'""",
        )
    if named != "jsonl" and re.match(rb'\s*\[\s*\{\s*"', sample.head):
        return "a JSON array", "Convert it to JSON lines, an object on every line"
    declared = next((line for line in sample.lines if not line.lstrip().startswith(b"%")), b"")
    if declared.lower().split()[:1] == [b"@relation"]:
        return "ARFF", "Convert it to CSV, whose first line names the columns"
    return None
