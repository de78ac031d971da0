"""CoNLL files: a token per line, in columns, and a blank line between sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, islice, repeat
from os import PathLike
from typing import Any, TextIO

import numpy as np

from rosenblatt.data.blocks import Skipped
from rosenblatt.data.files import BOM, Source, lines_of, name_of, write_text
from rosenblatt.rows import starts_of
from rosenblatt.rows.columns import Columns

CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""The columns of CoNLL-U."""

LINES = 2**15
"""Lines read at once."""

Sentences = tuple[Columns, Columns]


def read_conll(
    source: Source,
    columns: Sequence[int] | int | None = None,
    label: int = -1,
    *,
    separator: str | None = None,
    comment: str | None = None,
) -> Sentences:
    """Read sequences and their labels from a file of columns.

    Parameters
    ----------
    source
        A path or an open binary file, which may be compressed with gzip, bzip2, xz or Zstandard; or lines.
    columns
        The columns of tokens: one index for tokens that are strings, several for tuples of strings; by
        default all but the label.
    label
        The index of the label column; −1 is the last.
    separator
        The separator of columns; by default any white space.
    comment
        The prefix of lines to ignore; by default there is none.

    Examples
    --------
    >>> X, y = read_conll(["Rome NNP B-LOC", "fell VBD O", "", "It PRP O"])
    >>> X[0], y[0]
    ([('Rome', 'NNP'), ('fell', 'VBD')], ['B-LOC', 'O'])
    """
    table = read_table(source, separator=separator, comment=comment)
    return tokens_of(table, columns, label), labels_of(table, label)


def iter_conll(
    source: Source,
    columns: Sequence[int] | int | None = None,
    label: int = -1,
    *,
    separator: str | None = None,
    comment: str | None = None,
) -> Iterator[tuple[list[Any], list[str]]]:
    """Yield pairs of tokens and labels, one sequence at a time, for files of any size; see `read_conll`."""
    with lines_of(source) as lines:
        stream, rest, first, width = iter(lines), list[bytes](), 1, None
        while some := list(islice(stream, LINES)):
            rest += [line.rstrip(b"\r\n") for line in some]
            end = next((i for i in range(len(rest), 0, -1) if not rest[i - 1].strip()), 0)
            if end:
                table = _parse(rest[:end], separator, comment, name_of(source), first, width)
                if table.lengths:
                    width = table.width
                    yield from zip(tokens_of(table, columns, label), labels_of(table, label), strict=True)
                rest, first = rest[end:], first + end
        table = _parse(rest, separator, comment, name_of(source), first, width)
        if table.lengths:
            yield from zip(tokens_of(table, columns, label), labels_of(table, label), strict=True)


def read_conllu(source: Source, columns: Sequence[str] | str = "form", label: str = "upos") -> Sentences:
    """Read words and their labels from a CoNLL-U file, without word ranges (1-2) and empty words (3.1).

    Parameters
    ----------
    source
        As in `read_conll`.
    columns, label
        Names of columns: id, form, lemma, upos, xpos, feats, head, deprel, deps or misc.
    """
    wanted = [columns] if isinstance(columns, str) else list(columns)
    for column in (*wanted, label):
        if column not in CONLLU:
            raise ValueError(f"CoNLL-U has the columns {', '.join(CONLLU)}. Got {column!r}.")
    table = read_words(source)
    indices = [CONLLU.index(column) for column in wanted]
    tokens = tokens_of(table, indices[0] if isinstance(columns, str) else indices, 0)
    return tokens, labels_of(table, CONLLU.index(label))


def read_table(
    source: Source,
    *,
    separator: str | None = None,
    comment: str | None = None,
    skip_bad: int = 0,
    width: int | None = None,
) -> Table:
    """Read all cells of a file of columns, for `tokens_of` and `labels_of`.

    Parameters
    ----------
    source, separator, comment
        As in `read_conll`.
    skip_bad
        How many bad lines may be skipped, each with its whole sequence: lines with more or fewer columns
        than the first, or not in UTF-8. One more is an error.
    width
        How many columns there must be; None for as many as the first line has.
    """
    table = _parse(_all_lines(source), separator, comment, name_of(source), width=width, skip_bad=skip_bad)
    if not table.lengths:
        raise ValueError(f"There is no token in {table.name}.")
    return table


def read_words(source: Source, *, skip_bad: int = 0) -> Table:
    """Read all cells of a CoNLL-U file but those of word ranges (1-2) and empty words (3.1)."""
    table = read_table(source, separator="\t", comment="#", skip_bad=skip_bad, width=len(CONLLU))
    ids = table.cells[:: table.width]
    chosen = np.array([b"-" not in word and b"." not in word for word in ids], np.int64)
    lengths = np.add.reduceat(chosen, starts_of(table.lengths)[:-1]) if len(chosen) else chosen
    cells = list(compress(table.cells, np.repeat(chosen, table.width).tolist()))
    table = replace(table, cells=cells, lengths=[int(length) for length in lengths if length])
    if not table.lengths:
        raise ValueError(f"There is no token in {table.name}.")
    return table


def write_conll(
    target: str | PathLike[str] | TextIO, *columns: Sequence[Sequence[Any]], separator: str = " "
) -> None:
    """Write sequences in columns: tokens (strings or tuples of strings), then any number of label columns.

    A path that ends in .gz, .bz2, .xz or .zst is compressed.
    """
    text = "".join(_written(columns, separator))  # before the file is opened, which would empty it
    if not isinstance(target, str | PathLike):
        target.write(text)
        return
    write_text(target, text)


def _written(columns: Sequence[Sequence[Sequence[Any]]], separator: str) -> Iterator[str]:
    """Yield the lines of sequences."""
    if len({len(column) for column in columns}) > 1:
        raise ValueError(
            f"There must be as many sequences of each. Got {[len(column) for column in columns]}."
        )
    for number, sequence in enumerate(zip(*columns, strict=True)):
        if len({len(part) for part in sequence}) > 1:
            raise ValueError(f"Sequence {number} has parts of lengths {[len(part) for part in sequence]}.")
        for token in zip(*sequence, strict=True):
            cells = [str(c) for part in token for c in (part if isinstance(part, tuple | list) else [part])]
            for cell in cells:
                if (
                    not cell
                    or separator in cell
                    or "\n" in cell
                    or (separator.isspace() and cell.split() != [cell])
                ):
                    raise ValueError(
                        f"A cell must not be empty nor hold the separator {separator!r} or a line end. "
                        f"Got {cell!r} in sequence {number}."
                    )
            yield separator.join(cells) + "\n"
        yield "\n"


@dataclass(frozen=True)
class Table:
    """The cells of a file in row-major order, the number of rows per sequence, and the skipped lines."""

    cells: list[bytes]
    width: int
    lengths: list[int]
    name: str
    skipped: tuple[Skipped, ...] = ()


def _parse(
    lines: list[bytes],
    separator: str | None,
    comment: str | None,
    name: str,
    first: int = 1,
    width: int | None = None,
    skip_bad: int = 0,
) -> Table:
    """Parse lines into cells; `first` is the number of the first line."""
    between = None if separator is None else separator.encode()
    numbers: Sequence[int] = range(len(lines))
    if comment is not None:
        numbered = [(i, line) for i, line in enumerate(lines) if not line.startswith(comment.encode())]
        numbers, lines = [i for i, _ in numbered], [line for _, line in numbered]
    if first == 1 and lines and lines[0].startswith(BOM):
        lines = [lines[0].removeprefix(BOM), *lines[1:]]
    full = list(map(bool, map(bytes.strip, lines)))
    edges = np.flatnonzero(~np.array([False, *full, False]))
    lengths = [length for length in (np.diff(edges) - 1).tolist() if length]
    rows = list(compress(lines, full))
    glue = b" " if between is None else between
    text = glue.join(rows)
    cells = text.split(between) if rows else []
    width = width or (len(rows[0].split(between)) if rows else 1)
    # As many single spaces, or separators, in every line: all have this width. Else look closely.
    odd = between is None and (b"  " in text or any(c in text for c in b"\t\v\f") or text != text.strip())
    odd = odd or bool({*map(bytes.count, rows, repeat(glue))} - {width - 1})
    if odd or (skip_bad and not _is_utf8(text)):
        bad = list(_bad_lines(lines, between, width, check_text=skip_bad > 0))
        if len(bad) > skip_bad:
            index, _ = bad[skip_bad]
            raise ValueError(_refusal(lines[index], first + numbers[index], between, width, name, skip_bad))
        if bad:
            kept = _without_sequences(lines, [index for index, _ in bad])
            skipped = tuple(Skipped(first + numbers[index], why) for index, why in bad)
            return replace(_parse(kept, separator, None, name, 2, width), skipped=skipped)
    return Table(cells, width, lengths, name)


def _bad_lines(
    lines: list[bytes], between: bytes | None, width: int, *, check_text: bool
) -> Iterator[tuple[int, str]]:
    """Yield the index and fault of lines with another width or, if `check_text`, not in UTF-8."""
    for index, line in enumerate(lines):
        found = len(line.split(between)) if line.strip() else width
        if found != width:
            columns = "1 column" if found == 1 else f"{found} columns"
            yield index, f"it has {columns} instead of {width}; its sequence is left out"
        elif check_text and not _is_utf8(line):
            yield index, "it is not UTF-8; its sequence is left out"


def _refusal(line: bytes, number: int, between: bytes | None, width: int, name: str, skip_bad: int) -> str:
    """Return the error for a bad line, with the number of lines skipped before it."""
    where = f"in line {number} of {name}: {line.decode(errors='replace')[:60]!r}."
    found = len(line.split(between))
    message = (
        f"Every line must be UTF-8. Got other bytes {where}"
        if found == width
        else f"Every line must have {width} columns. Got {found} {where}"
    )
    return f"{message} Bad lines skipped before it: {skip_bad}." if skip_bad else message


def _without_sequences(lines: list[bytes], bad: list[int]) -> list[bytes]:
    """Return the lines with those of sequences that hold a bad line blanked."""
    kept = list(lines)
    for index in bad:
        for step in (-1, 1):
            at = index
            while 0 <= at < len(lines) and lines[at].strip():
                kept[at] = b""
                at += step
    return kept


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _column(table: Table, index: int) -> list[str]:
    """Return the strings of one column, in which equal strings are one object."""
    cells = table.cells[index % table.width :: table.width]
    try:
        strings = {cell: cell.decode() for cell in set(cells)}
    except UnicodeDecodeError as broken:
        raise ValueError(f"{table.name} is not UTF-8: {broken}.") from None
    return list(map(strings.__getitem__, cells))


def labels_of(table: Table, label: int) -> Columns:
    """Return the labels of all sequences, from one column."""
    return Columns([_column(table, label)], starts_of(table.lengths), plain=True)


def tokens_of(table: Table, columns: Sequence[int] | int | None, label: int) -> Columns:
    """Return the tokens of all sequences, from these columns."""
    width = table.width
    if columns is None:
        others = [index for index in range(width) if index != label % width]
        columns = others[0] if len(others) == 1 else others
    asked = [columns] if isinstance(columns, int) else list(columns)
    for index in (*asked, label):
        if not -width <= index < width:
            raise ValueError(
                f"The lines of {table.name} have {width} columns, from 0 to {width - 1}. Got column {index}."
            )
    if not asked:
        raise ValueError(f"The lines of {table.name} have one column, the label, and so no tokens.")
    strings = [_column(table, index) for index in asked]
    return Columns(strings, starts_of(table.lengths), plain=isinstance(columns, int))


def _all_lines(source: Source) -> list[bytes]:
    """Return all lines without their line ends."""
    with lines_of(source) as lines:
        if isinstance(source, str | PathLike):
            everything: bytes = lines.read()  # type: ignore[attr-defined]
            return everything.replace(b"\r\n", b"\n").split(b"\n")
        return [line.rstrip(b"\r\n") for line in lines]
