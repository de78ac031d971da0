"""svmlight files: a label, a query if there is one, features as number:value, and a comment per line."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Floats, Ints
from rosenblatt.data.files import BOM, Source, lines_of, name_of, write_text


class Svmlight(NamedTuple):
    """What a file holds: rows as CSR, a label per row, its query or None, and comments."""

    X: Any
    y: Floats
    qid: Ints | None
    comments: list[str]


def read_svmlight(source: Source, *, n_features: int | None = None) -> Svmlight:
    """Rows, labels, queries and comments from a file, which may be compressed with gzip or xz; or from lines.

    Features are counted from 1, as in the files of LETOR and LIBSVM.

    Examples
    --------
    >>> table = read_svmlight(["2 qid:1 1:0.5 3:1 # first", "0 qid:1 2:1"])
    >>> table.X.toarray().tolist(), table.y.tolist(), table.qid.tolist(), table.comments
    ([[0.5, 0.0, 1.0], [0.0, 1.0, 0.0]], [2.0, 0.0], [1, 1], ['first', ''])
    """
    labels: list[float] = []
    queries: list[int] = []
    comments: list[str] = []
    features: list[int] = []
    values: list[float] = []
    ends = [0]
    with lines_of(source) as lines:
        for number, line in enumerate(lines, 1):
            text, _, comment = line.removeprefix(BOM if number == 1 else b"").partition(b"#")
            cells = text.split()
            if not cells:
                continue
            try:
                labels.append(float(cells[0]))
                first = 1
                if len(cells) > 1 and cells[1].startswith(b"qid:"):
                    queries.append(int(cells[1][4:]))
                    first = 2
                for cell in cells[first:]:
                    feature, value = cell.split(b":")
                    features.append(int(feature))
                    values.append(float(value))
                if max([*features[ends[-1] :], *queries[-1:]], default=0) >= 2**63:
                    raise ValueError
            except ValueError:
                raise ValueError(
                    "A line must be a label, perhaps a query as qid:3, and features as 7:0.5. "
                    f"Got {line.decode(errors='replace').strip()[:60]!r} in line {number} of "
                    f"{name_of(source)}."
                ) from None
            ends.append(len(features))
            comments.append(comment.decode(errors="replace").strip())
    if not labels:
        raise ValueError(f"There is no row in {name_of(source)}.")
    if len(queries) not in (0, len(labels)):
        raise ValueError(
            f"Either every row has a query or none. Got {len(queries)} in {len(labels)} rows of "
            f"{name_of(source)}."
        )
    return Svmlight(
        _rows(features, values, ends, n_features, name_of(source)),
        np.array(labels),
        np.array(queries, np.int64) if queries else None,
        comments,
    )


def _rows(features: list[int], values: list[float], ends: list[int], width: int | None, name: str) -> Any:
    columns, numbers = np.array(features, np.int64), np.array(values)
    if len(columns) and columns.min() < 1:
        raise ValueError(f"Features are counted from 1. Got {columns.min()} in {name}.")
    most = int(columns.max(initial=0))
    if width is not None and most > width:
        raise ValueError(f"There must be at most n_features={width} features. Got {most} in {name}.")
    rows = sp.csr_array((numbers, columns - 1, ends), shape=(len(ends) - 1, width or most))
    rows.sum_duplicates()
    return rows


def write_svmlight(
    target: str | PathLike[str], X: Any, y: Any, qid: Any = None, comments: Sequence[str] | None = None
) -> None:
    """Write rows with their labels, queries and comments; a path that ends in .gz or .xz is compressed."""
    rows = sp.csr_array(X)
    rows.sort_indices()
    y, qid = np.asarray(y), None if qid is None else np.asarray(qid)
    comments = None if comments is None else list(comments)
    if qid is not None and qid.dtype.kind not in "iu":
        raise ValueError(f"Queries in svmlight files are whole numbers. Got {qid.dtype}.")
    for what, given in (("labels", y), ("queries", qid), ("comments", comments)):
        if given is not None and len(given) != rows.shape[0]:
            raise ValueError(f"There must be as many {what} as rows, {rows.shape[0]}. Got {len(given)}.")
    lines = []
    for i in range(rows.shape[0]):
        a, b = rows.indptr[i], rows.indptr[i + 1]
        cells = [f"{y[i]:.17g}", *([f"qid:{qid[i]}"] if qid is not None else [])]
        cells += [
            f"{f + 1}:{v!r}" for f, v in zip(rows.indices[a:b].tolist(), rows.data[a:b].tolist(), strict=True)
        ]
        if comments is not None and comments[i]:
            if "\n" in comments[i]:
                raise ValueError(f"A comment must be one line. Got {comments[i]!r} for row {i}.")
            cells.append(f"# {comments[i]}")
        lines.append(" ".join(cells) + "\n")
    write_text(target, "".join(lines))
