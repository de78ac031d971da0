"""Tables with named columns, read in blocks: CSV and TSV, JSON lines, Parquet and Arrow."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rosenblatt.data.blocks import BadLines, Block
from rosenblatt.data.encoding import object_block, table_block
from rosenblatt.data.schema import MissingColumnError, Schema

ROWS = 16_384
"""Rows read at once."""


def csv_blocks(
    lines: Iterable[str], schema: Schema, name: str, *, separator: str = ",", skip_bad: int = 0
) -> Iterator[Block]:
    """Yield blocks of the rows of a CSV file with a header."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        header = next(reader, None)
    except csv.Error as broken:
        raise ValueError(f"The header of {name} cannot be read: {broken}.") from None
    if not header:
        raise ValueError(f"There is no header in {name}: its first line must name the columns.")
    header = [cell.strip() for cell in header]
    _check_header(header, schema, name)
    bad = BadLines(name, skip_bad)
    rows: list[tuple[int, list[str]]] = []
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as broken:
            bad.add(line, f"it cannot be read as cells ({broken})")
            continue
        if row is not None and row and len(row) != len(header):
            bad.add(line, f"it has {len(row)} cells, and the header {len(header)}")
        elif row:
            rows.append((line, row))
        if rows and (row is None or len(rows) == ROWS):
            columns = dict(zip(header, zip(*(row for _, row in rows), strict=True), strict=True))
            yield table_block(columns, [line for line, _ in rows], schema, bad)
            rows = []
        if row is None:
            return


def json_blocks(lines: Iterable[str], schema: Schema, name: str, *, skip_bad: int = 0) -> Iterator[Block]:
    """Yield blocks of the rows of JSON lines, an object on every line."""
    schema.dense = False
    bad, numbered = BadLines(name, skip_bad), enumerate(lines, 1)
    while some := list(islice(numbered, ROWS)):
        rows = [
            (number, row) for number, line in some if line.strip() and (row := _object(line, number, bad))
        ]
        if rows:
            yield object_block(rows, schema, bad)


def arrow_blocks(batches: Iterable[Any], schema: Schema, name: str) -> Iterator[Block]:
    """Yield a block of rows per record batch of Arrow."""
    first = 1
    for batch in batches:
        header = [str(column) for column in batch.schema.names]
        _check_header(header, schema, name)
        if batch.num_rows:
            columns = {column: batch.column(i).to_pylist() for i, column in enumerate(header)}
            lines = range(first, first + batch.num_rows)
            yield table_block(columns, lines, schema, BadLines(name, 0))
        first += batch.num_rows


def _check_header(header: list[str], schema: Schema, name: str) -> None:
    twice = (
        sorted({column for column in header if header.count(column) > 1})
        if len(set(header)) < len(header)
        else []
    )
    if twice:
        raise ValueError(f"The columns of {name} must have different names. Got {twice[0]!r} twice.")
    for what, column, needed in (
        ("label", schema.label, schema.labelled),
        ("query", schema.query, True),
        ("id", schema.id, schema.learning),
    ):
        if column is not None and column not in header and needed:
            shown = ", ".join(map(repr, header[:10])) + (" …" if len(header) > 10 else "")
            raise MissingColumnError(
                f"There must be a column {column!r} with the {what} in {name}. Got {shown}: name it, with "
                f"--{what} on the command line."
            )


def _object(line: str, number: int, bad: BadLines) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as broken:
        bad.add(number, f"it is not JSON ({broken!s:.60})")
        return {}
    if not isinstance(row, dict) or not row:
        bad.add(number, 'it must be a JSON object with named features, as {"label": 1, "size": 2.5}')
        return {}
    return row
