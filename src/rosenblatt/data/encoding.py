"""Encoding of rows with named cells as numeric rows.

A number is the value of the feature with its column's name, and so is a boolean, as 1 or 0; a string is a
feature of its own, `colour=red`. An empty cell is a feature that the row does not have, and counts as 0.
Of a column of text, each word is a feature, `review=good`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Floats
from rosenblatt.data.blocks import BadLines, Block
from rosenblatt.data.schema import Schema
from rosenblatt.features.dicts import Unreadable, expanded
from rosenblatt.features.strings import Words
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.loops.templates import UNKNOWN

WORDS = Words()
"""What makes features of a column of text."""

EMPTY = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "None"})
"""The contents of empty cells."""

FEW, MOSTLY = 20, 0.9
"""A column with more different strings than both, of all and as a share, is taken for one of ids or texts."""

BOOLEANS = {"true": 1.0, "false": 0.0}
"""Booleans as strings, in any case, and their values."""


def object_block(rows: list[tuple[int, dict[str, Any]]], schema: Schema, bad: BadLines) -> Block:
    """Encode JSON objects, each given with its line number."""
    special = schema.special()
    schema.look_at(dict.fromkeys(name for _, row in rows for name in row), bad.name)
    names: list[str] = []
    values: list[Any] = []
    amounts: list[float] = []
    ends, kept, lines = [0], list[dict[str, Any]](), list[int]()
    for number, row in rows if schema.columns is None else _as_columns(rows, schema):
        try:
            if schema.labelled and schema.label is not None and _is_empty(row.get(schema.label)):
                raise ValueError(f"it has no {schema.label!r}, which is the label")
            if schema.query is not None and row.get(schema.query) is None:
                raise ValueError(f"it has no {schema.query!r}, which is the query")
            features = list(expanded(_present({k: v for k, v in row.items() if k not in special})))
            words = {} if schema.text is None else _words(_checked_text(row.get(schema.text), schema.text))
        except Unreadable as why:
            bad.add(number, _lower(str(why)))
            continue
        except ValueError as why:
            bad.add(number, str(why))
            continue
        names += [name for name, _ in features]
        values += [value for _, value in features]
        amounts += [_amount(value) for _, value in features]
        names += [schema.text or ""] * len(words)
        values += words.keys()
        amounts += words.values()
        ends.append(len(names))
        kept.append(row)
        lines.append(number)
    X = _sparse(names, values, amounts, np.array(ends), schema)
    return Block(
        X,
        _labels([row.get(schema.label or "") for row in kept], lines, schema, bad.name),
        None if schema.query is None else np.array([_text(row.get(schema.query)) for row in kept], object),
        None if schema.id is None else [_text(row.get(schema.id, "")) for row in kept],
        bad.taken(),
    )


def _as_columns(
    rows: list[tuple[int, dict[str, Any]]], schema: Schema
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield objects with values as in the cells of a table, for a model that learned from one."""
    texts = set(schema.texts)
    numeric = set(schema.columns or ()) - texts
    for number, row in rows:
        cells = {name: _as_text(value) if name in texts else value for name, value in row.items()}
        yield number, {name: _as_number(cell) if name in numeric else cell for name, cell in cells.items()}


def _as_text(value: Any) -> Any:
    """Return the string of a number or a boolean; other values unchanged."""
    return _text(value) if isinstance(value, bool | int | float) else value


def _as_number(value: Any) -> Any:
    """Return the number that a string stands for; other values unchanged."""
    numbers = _numbers([value]) if isinstance(value, str) and not _is_empty(value) else None
    return value if numbers is None else float(numbers[0])


def _present(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without its empty values and zeros, which rows do not store."""
    found = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found[name] = _present(value)
        elif isinstance(value, list) or not (_is_null(value) or value == 0):
            found[name] = value
    return found


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in EMPTY)


def _lower(message: str) -> str:
    """Return a message that continues a sentence about a line."""
    return message[:1].lower() + message[1:]


def _amount(value: Any) -> float:
    """Return the value of a feature: that of a string is 1."""
    return 1.0 if isinstance(value, str) else float(value)


def _checked_text(value: Any, name: str) -> Any:
    """Return the text of a JSON object; raise ValueError for a list or an object."""
    if isinstance(value, list | dict):
        raise ValueError(f"its {name!r}, which is the text, must be a string, and is {value!r:.40}")
    return value


def _words(cell: Any) -> dict[str, float]:
    """Return the words of a cell of text with their values."""
    return {} if _is_empty(cell) else WORDS(_text(cell))


def _sparse(
    names: list[str], values: list[Any], amounts: Sequence[float], ends: Array, schema: Schema
) -> Any:
    """Return rows of features, each a name and a number or a string, and how much of it a row has.

    Those of row i end at `ends[i + 1]`.
    """
    ids = schema.ids(names, values)
    known = ids != UNKNOWN
    ends = np.concatenate([[0], np.cumsum(known)])[ends]
    rows = sp.csr_array(
        (np.array(amounts, np.float64)[known], ids[known], ends),
        shape=(len(ends) - 1, schema.vectoriser.width),
    )
    rows.sum_duplicates()
    return rows


def table_block(
    columns: Mapping[str, Sequence[Any]], lines: Sequence[int], schema: Schema, bad: BadLines
) -> Block:
    """Encode the rows of a table, given by columns, with their line numbers."""
    special = schema.special()
    schema.look_at(columns, bad.name)
    columns, lines = _complete(columns, lines, schema, bad)
    features = {name: cells for name, cells in columns.items() if name not in special}
    if schema.columns is None and schema.learning:
        schema.columns = list(features)
        schema.texts = [name for name, cells in features.items() if _numbers(cells) is None]
        schema.remarks = [_mixture(name, features[name], lines) for name in schema.texts]
        schema.dense = not schema.texts and schema.bits is None and schema.text is None
        if schema.dense:
            schema.ids(list(features), [1.0] * len(features))
    schema.absent = [name for name in schema.columns or () if name not in features]
    schema.absent += [name for name in (schema.text,) if name is not None and name not in columns]
    known = schema.columns is not None  # a model may have learned from objects
    as_texts = dict.fromkeys(schema.texts if known else _texts_of_objects(features, schema.vectoriser))
    learned = set(schema.columns or ())
    numeric: dict[str, Floats] = {}
    for name, cells in features.items():
        if name in as_texts:
            continue
        if known and name not in learned:  # nothing was learned from it
            schema.unknown[name] = None
            continue
        numbers = _numbers(cells)
        if numbers is None or not np.isfinite(numbers).all():
            odd = [index for index, cell in enumerate(cells) if not _is_finite(cell)]
            why = f"the column {name!r} holds finite numbers, or true and false, and this is"
            left = _without(columns, lines, {index: f"{why} {cells[index]!r:.40}" for index in odd}, bad)
            return table_block(*left, schema, bad)
        numeric[name] = numbers
    texts = {name: features[name] for name in as_texts if name in features}
    named = None if schema.label is None else columns.get(schema.label)
    return Block(
        _dense_rows(numeric, len(lines), schema)
        if schema.dense
        else _mixed_rows(numeric, texts, columns.get(schema.text or "", ()), len(lines), schema),
        None if named is None else _labels(named, lines, schema, bad.name),
        None if schema.query is None else np.array([_text(cell) for cell in columns[schema.query]], object),
        None if schema.id not in columns else [_text(cell) for cell in columns[schema.id or ""]],
        bad.taken(),
    )


Columns = Mapping[str, Sequence[Any]]


def _complete(
    columns: Columns, lines: Sequence[int], schema: Schema, bad: BadLines
) -> tuple[Columns, Sequence[int]]:
    """Return a table without rows that lack a label or a query, and its line numbers."""
    needed = {"label": schema.label if schema.labelled else None, "query": schema.query}
    for what, name in needed.items():
        cells = () if name is None else columns.get(name, ())
        empty = {
            index: f"every row needs a {what}, and its {name!r} is empty"
            for index, cell in enumerate(cells)
            if _is_empty(cell)
        }
        columns, lines = _without(columns, lines, empty, bad)
    return columns, lines


def _without(
    columns: Columns, lines: Sequence[int], faults: Mapping[int, str], bad: BadLines
) -> tuple[Columns, Sequence[int]]:
    """Return a table without the rows that have faults, and its line numbers."""
    if not faults:
        return columns, lines
    for index, why in faults.items():
        bad.add(lines[index], why)
    kept = [index for index in range(len(lines)) if index not in faults]
    left = {name: [cells[index] for index in kept] for name, cells in columns.items()}
    return left, [lines[index] for index in kept]


def _is_finite(cell: Any) -> bool:
    """Whether a cell of a column of numbers is one, or is empty."""
    number = _numbers([cell])
    return number is not None and bool(np.isfinite(number).all())


def _texts_of_objects(features: Mapping[str, Sequence[Any]], vectoriser: Vectoriser) -> list[str]:
    """Return the string columns for a model that learned from objects: known ones, or not numeric."""
    known = set(vectoriser.columns) - vectoriser.ids.keys()
    return [name for name, cells in features.items() if name in known or _numbers(cells) is None]


def _dense_rows(numeric: Mapping[str, Floats], rows: int, schema: Schema) -> Floats:
    X = np.zeros((rows, schema.vectoriser.width))
    for name, feature in zip(numeric, schema.ids(list(numeric), [1.0] * len(numeric)), strict=True):
        if feature != UNKNOWN:
            X[:, feature] = numeric[name]
    return X


def _mixed_rows(
    numeric: Mapping[str, Floats],
    texts: Mapping[str, Sequence[Any]],
    cells_of_text: Sequence[Any],
    rows: int,
    schema: Schema,
) -> Any:
    row, name_of, value, amount = [], list[str](), list[Any](), list[float]()
    for name, numbers in numeric.items():
        present = np.flatnonzero(numbers)
        row.append(present)
        name_of += [name] * len(present)
        value += numbers[present].tolist()
        amount += numbers[present].tolist()
    for name, cells in texts.items():
        present = np.array([i for i, cell in enumerate(cells) if not _is_empty(cell)], np.int64)
        row.append(present)
        name_of += [name] * len(present)
        value += [_text(cells[i]) for i in present.tolist()]
        amount += [1.0] * len(present)
    for i, cell in enumerate(cells_of_text):
        words = _words(cell)
        row.append(np.full(len(words), i))
        name_of += [schema.text or ""] * len(words)
        value += words.keys()
        amount += words.values()
    every = np.concatenate(row) if row else np.empty(0, np.int64)
    order = np.argsort(every, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(every, minlength=rows))])
    sorted_names, sorted_values = [name_of[i] for i in order], [value[i] for i in order]
    return _sparse(sorted_names, sorted_values, [amount[i] for i in order], ends, schema)


def _numbers(cells: Sequence[Any]) -> Floats | None:
    """Return a column as numbers, 0 for empty cells; None if a cell is neither a number nor a boolean."""
    try:
        return np.array([0.0 if _is_empty(cell) else _number(cell) for cell in cells])
    except (TypeError, ValueError, OverflowError):
        return None


def _number(cell: Any) -> float:
    """Return a number, or a boolean as 1 or 0, whatever else its column holds."""
    if isinstance(cell, str) and "_" in cell:
        raise ValueError
    try:
        return float(cell)
    except ValueError:
        if not _is_boolean(cell):
            raise
        return BOOLEANS[cell.strip().lower()]


def _is_boolean(cell: Any) -> bool:
    return isinstance(cell, bool) or (isinstance(cell, str) and cell.strip().lower() in BOOLEANS)


def _integers(cells: Sequence[Any]) -> Array | None:
    """Return a column as integers, exactly; None if a cell is something else."""
    try:
        found = [int(cell) if isinstance(cell, int) else _integer(str(cell)) for cell in cells]
        return np.array(found, np.int64)
    except (ValueError, OverflowError):
        return None


def _integer(cell: str) -> int:
    """Parse an integer; below 2^53 it may be written with a decimal point."""
    try:
        return int(cell)
    except ValueError:
        number = float(cell)
        if not number.is_integer() or abs(number) >= 2**53:
            raise
        return int(number)


def _mixture(name: str, cells: Sequence[Any], lines: Sequence[int]) -> str:
    """Return a remark about a string column of ids, or of more numbers than strings; else an empty string."""
    full = [(cell, line) for cell, line in zip(cells, lines, strict=True) if not _is_empty(cell)]
    odd = [(cell, line) for cell, line in full if _is_boolean(cell) or _numbers([cell]) is None]
    numbers = len(full) - len(odd)
    if not numbers and len({cell for cell, _ in full}) > max(FEW, MOSTLY * len(full)):
        return f"column {name}: a different string in nearly every row. Try --id, --text or --ignore {name}"
    if numbers <= len(odd):
        return ""
    shown = list(dict.fromkeys(f"{cell!r:.40}" for cell, _ in odd))
    strings = f"{len(odd)} string{'s' * (len(odd) > 1)} ({', '.join(shown[:3])}{', …' * (len(shown) > 3)})"
    return f"column {name}: {numbers} numbers and {strings}, read as categories (line {odd[0][1]})"


def _labels(cells: Sequence[Any], lines: Sequence[int], schema: Schema, name: str) -> Array | None:
    """Return labels as numbers if the first ones all are, else as strings (booleans "true" and "false")."""
    if not schema.labelled and any(map(_is_empty, cells)):
        return None
    if not cells:
        return np.empty(0)
    schema.kind = schema.kind or kind_of_labels(cells)
    if schema.kind in ("bool", "str"):
        return label_strings(cells, schema.kind)
    numbers = _integers if schema.kind == "int" else _numbers
    found = numbers(cells)
    if found is None or any(map(_is_no_number, cells)):
        odd = next(i for i, cell in enumerate(cells) if _is_no_number(cell) or numbers([cell]) is None)
        raise ValueError(
            f"Labels were {'integers' if schema.kind == 'int' else 'numbers'} so far. Got "
            f"{cells[odd]!r:.40} in line {lines[odd]} of {name}."
        )
    return found


PADDED = re.compile(r"\s*[+-]?0\d")
"""The beginning of a label like 007: a code, which is not the number 7."""


def _is_no_number(cell: Any) -> bool:
    return _is_boolean(cell) or (isinstance(cell, str) and PADDED.match(cell) is not None)


def kind_of_labels(cells: Sequence[Any]) -> str:
    """Return the type of labels by the first ones: "bool" if all are booleans, "str" if only some are."""
    booleans = sum(map(_is_boolean, cells))
    if any(map(_is_no_number, cells)) or _numbers(cells) is None:
        return "bool" if booleans == len(cells) else "str"
    return "float" if _integers(cells) is None else "int"


def label_strings(cells: Sequence[Any], kind: str) -> Array:
    """Return labels as strings; with kind "bool", booleans in lower case however they are spelled."""
    texts = [_text(cell) for cell in cells]
    if kind == "bool":
        texts = [text.lower() if text.lower() in BOOLEANS else text for text in texts]
    return np.array(texts)


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in EMPTY) or cell != cell


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return cell.strip() if isinstance(cell, str) else str(cell)
