"""Files of rows of every kind, small, and what is made of them."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data import sources, tables
from rosenblatt.data.caches import SUFFIX, Cached
from rosenblatt.data.encoding import Schema
from rosenblatt.data.sources import RowSource
from rosenblatt.data.vocabulary import Vocabulary

RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Files of a few lines have several blocks."""
    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=100, **k))
    monkeypatch.setattr(tables, "ROWS", 7)


def svmlight_with_queries():
    lines = [
        f"{RANDOM.integers(0, 3)} qid:{10**12 + i // 4} 1:{RANDOM.normal():.4f} {i + 2}:{i / 4} # row {i} é"
        for i in range(40)
    ]
    return "rows.svm", "\n".join(lines), {}


def svmlight_of_quarters():
    return "rows.svm", "\n".join(f"{i % 2}.5 {1 + i % 5}:{i / 4} 7:-0" for i in range(40)), {}


def svmlight_with_bad_lines():
    return "rows.svm", "\n".join(f"{i % 2} {i % 9}:1 9:0.1" for i in range(40)), {"skip_bad": 5}


def svmlight_with_later_fractions():
    """The labels of the first block are whole numbers, those of a later one not."""
    return "rows.svm", "\n".join(f"{i if i < 30 else i / 4} 3:0.3" for i in range(40)), {}


def svmlight_hashed():
    return "rows.svm", "\n".join(f"{i % 2} {i + 1}:0.1 {i + 9}:2" for i in range(40)), {"bits": 3}


def dense_table():
    lines = ["a,b,label"] + [f"{i / 3},{i},{'yes' if i % 3 else 'no'}" for i in range(40)]
    return "rows.csv", "\n".join(lines), {}


def table_of_texts():
    """New texts come in every block, and the labels of blocks are not equally long."""
    lines = ["size,colour,name,qid,label"]
    lines += [f'{i},"c{i} ü",n{i},q{i // 6},{"x" * (1 + i // 9)}' for i in range(40)]
    return "rows.csv", "\n".join(lines), {"query": "qid", "id": "name"}


def table_hashed():
    name, text, options = table_of_texts()
    return name, text, options | {"bits": 5}


def json_lines():
    rows = [{"label": i % 2, "words": {f"w{i}": i, "\ud800": 0.1}, "n": 2**70} for i in range(40)]
    return "rows.jsonl", "\n".join(map(json.dumps, rows)), {}


KINDS = [
    svmlight_with_queries,
    svmlight_of_quarters,
    svmlight_with_bad_lines,
    svmlight_with_later_fractions,
    svmlight_hashed,
    dense_table,
    table_of_texts,
    table_hashed,
    json_lines,
]


def source_of(folder, kind=table_of_texts, **other):
    """A file of rows, written if it is not there, and the source that reads it."""
    name, text, options = kind()
    path = folder / name
    if not path.exists():
        path.write_text(text + "\n", encoding="utf-8")
    options = options | other
    schema = Schema(
        query=options.get("query"), id=options.get("id"), vocabulary=Vocabulary(bits=options.get("bits"))
    )
    form = {".svm": "svmlight", ".csv": "csv", ".jsonl": "jsonl"}[path.suffix]
    return RowSource(str(path), form, schema, options.get("skip_bad", 0))


def arrays_of(block):
    X = block.X
    return [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]


def same(one, other):
    """Whether two blocks cannot be told apart."""
    pairs = [*zip(arrays_of(one), arrays_of(other), strict=True), (one.y, other.y), (one.qid, other.qid)]
    assert one.X.shape == other.X.shape
    assert type(one.X) is type(other.X)
    for a, b in pairs:
        if a is None or b is None:
            assert a is b
            continue
        assert a.dtype == b.dtype
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    assert one.ids == other.ids
    assert one.skipped == other.skipped
    if sp.issparse(one.X):
        assert one.X.has_canonical_format == other.X.has_canonical_format
    return True


def all_same(some, others):
    return len(some) == len(others) and all(map(same, some, others))


def told_and_blocks(source):
    told = []
    blocks = list(Cached(source, told.append))
    return told, blocks


def cache_beside(source):
    return Path(source.path + SUFFIX)
