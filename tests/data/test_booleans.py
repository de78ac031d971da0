"""Booleans mean the same in CSV, TSV, JSON lines, Parquet and Arrow: as features 1 and 0, as labels true and false."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import load
from rosenblatt.data import tables
from rosenblatt.data.schema import Schema
from rosenblatt.data.sources import RowSource
from rosenblatt.persistence import load_model

RANDOM = np.random.default_rng(5)
SPELLINGS = {"pandas": ("True", "False"), "JSON": ("true", "false"), "R": ("TRUE", "FALSE")}
FORMATS = ["csv", "tsv", "jsonl", "parquet", "arrow"]


def table(rows=60):
    """Return columns of numbers, booleans with gaps and strings, and labels that depend on them."""
    flags = RANDOM.integers(0, 2, rows).astype(bool).tolist()
    gaps = [None if i % 7 == 0 else bool(RANDOM.integers(0, 2)) for i in range(rows)]
    sizes = RANDOM.integers(-3, 4, rows).tolist()
    colours = RANDOM.choice(["red", "blue"], rows).tolist()
    label = [(size > 0) != flag for size, flag in zip(sizes, flags, strict=True)]
    return {"size": sizes, "flag": flags, "gap": gaps, "colour": colours, "label": label}


def write(folder, columns, kind, spelling="pandas"):
    """Write the table in this format and return the path."""
    path = folder / f"rows.{kind}"
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if kind in ("csv", "tsv"):
        separator = "," if kind == "csv" else "\t"
        lines = [separator.join(columns)]
        lines += [separator.join(cell(value, spelling) for value in row.values()) for row in rows]
        path.write_text("\n".join(lines) + "\n")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import feather, parquet

        write_table = parquet.write_table if kind == "parquet" else feather.write_feather
        write_table(pyarrow.table(columns), path)
    return str(path)


def cell(value, spelling):
    true, false = SPELLINGS[spelling]
    return (
        "" if value is None else {True: true, False: false}[value] if isinstance(value, bool) else str(value)
    )


def rows_of(path, schema):
    """Return the features of every row by name, and the labels."""
    rows, labels = [], []
    for block in RowSource(path, path.rpartition(".")[2], schema):
        X = sp.csr_array(block.X)
        names = schema.names
        for i in range(X.shape[0]):
            part = slice(X.indptr[i], X.indptr[i + 1])
            rows.append({names[j]: v for j, v in zip(X.indices[part], X.data[part], strict=True) if v})
        labels += block.y.tolist()
    return rows, labels


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("chunk", [7, 16_384])
@pytest.mark.parametrize("texts", [True, False], ids=["mixed", "numbers only"])
def test_booleans_are_the_same_features_and_labels_in_every_format(
    tmp_path, monkeypatch, spelling, chunk, texts
):
    monkeypatch.setattr(tables, "ROWS", chunk)
    columns = table()
    if not texts:
        del columns["colour"]
    expected = [
        {name: float(value) for name, value in row.items() if not isinstance(value, str) and value}
        | {f"{name}={value}": 1.0 for name, value in row.items() if isinstance(value, str)}
        for row in (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    ]
    for row in expected:
        row.pop("label", None)
    for kind in FORMATS:
        rows, labels = rows_of(write(tmp_path, columns, kind, spelling), Schema())
        assert rows == expected, kind
        assert labels == ["true" if label else "false" for label in columns["label"]], kind


@pytest.mark.parametrize("learned", FORMATS)
def test_booleans_make_the_same_model_and_answers_in_every_format(run, tmp_path, learned):
    columns = table()
    paths = {kind: write(tmp_path, columns, kind) for kind in FORMATS}
    for kind in {"csv", learned}:
        assert run("fit", paths[kind], "-o", f"{kind}.m", "--no-shuffle").code == 0
    model, csv = load(f"{learned}.m"), load("csv.m")
    assert model.classes_.tolist() == ["false", "true"]
    assert coefficients(f"{learned}.m") == coefficients("csv.m")
    assert model.ledger_.errors == csv.ledger_.errors
    answers = {kind: run("predict", f"{learned}.m", path) for kind, path in paths.items()}
    assert {done.code for done in answers.values()} == {0}
    assert len({done.out for done in answers.values()}) == 1
    assert {done.err for done in answers.values()} == {""}
    scores = {run("evaluate", f"{learned}.m", path, "--json").out for path in paths.values()}
    assert len(scores) == 1


def coefficients(path):
    model = load_model(path)
    weights = np.asarray(model.estimator.coef_).ravel()
    return {name: weight for name, weight in zip(model.names, weights, strict=True) if weight}


def of(text, schema=None, name="rows.csv", *, learning=None):
    """Return the rows of CSV or JSON lines, and the schema."""
    lines = [line + "\n" for line in text.splitlines()]
    schema = schema or Schema()
    blocks = (tables.csv_blocks if name.endswith("csv") else tables.json_blocks)(lines, schema, name)
    return [block.X.toarray() if sp.issparse(block.X) else block.X for block in blocks], schema


def answering(schema):
    """Return the schema as a model keeps it, for prediction."""
    return Schema.of_model(json.loads(json.dumps(schema.noted())), schema.names)


def test_csv_blocks_keep_a_column_boolean_in_every_chunk(monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 2)
    blocks, schema = of("flag,label\n,1\nNA,0\ntrue,1\nFALSE,0\n1,1\n0,0\n")
    assert np.vstack(blocks).ravel().tolist() == [0, 0, 1, 0, 1, 0]
    assert schema.names == ["flag"]
    with pytest.raises(ValueError, match=r"Line 4 .*'flag' holds.*true.*this is 'maybe'"):
        of("flag,label\ntrue,1\nfalse,0\nmaybe,1\n")
    blocks, _ = of("flag,label\nfalse,\n", answering(schema))
    assert blocks[0].tolist() == [[0.0]]


def test_csv_blocks_keep_strings_in_mixed_columns():
    _, schema = of("flag,label\nTrue,1\nFalse,0\nmaybe,1\n")
    assert schema.names == ["flag=True", "flag=False", "flag=maybe"]
    _, schema = of("word,label\nyes,1\nno,0\n")
    assert schema.names == ["word=yes", "word=no"]


def test_json_blocks_read_objects_by_the_columns_of_a_table_model():
    _, schema = of("flag,code,size,label\ntrue,17,1.5,1\nfalse,A1,2,0\nfalse,true,2,0\n")
    row, _ = of('{"flag": "TRUE", "code": 17, "size": "1.5"}', answering(schema), "rows.jsonl")
    same, _ = of("flag,code,size\ntrue,17,1.5\n", answering(schema))
    assert row[0].tolist() == same[0].tolist()
    row, _ = of('{"flag": true, "code": true, "size": 2}', answering(schema), "rows.jsonl")
    same, _ = of("flag,code,size\ntrue,true,2\n", answering(schema))
    assert row[0].tolist() == same[0].tolist()
    assert row[0].sum() == 4


def test_csv_blocks_read_a_table_by_the_names_of_a_json_model(monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 1)
    _, schema = of(
        '{"flag": "true", "code": "17", "on": true, "label": 1}\n{"flag": "false", "code": "A1", "label": 0}',
        name="rows.jsonl",
    )
    assert schema.names == ["flag=true", "code=17", "on", "flag=false", "code=A1"]
    rows, _ = of("flag,code,on\ntrue,17,True\nfalse,A1,False\n", answering(schema))
    assert np.vstack(rows).tolist() == [[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]


def labels_of(text, name, schema=None):
    schema = schema or Schema()
    lines = [line + "\n" for line in text.splitlines()]
    blocks = (tables.csv_blocks if name.endswith("csv") else tables.json_blocks)(lines, schema, name)
    return [label for block in blocks for label in block.y.tolist()]


def test_boolean_labels_become_true_and_false(monkeypatch):
    assert labels_of("a,label\n1,TRUE\n2,False\n", "r.csv") == ["true", "false"]
    assert labels_of('{"label": true}\n{"label": false}\n', "r.jsonl") == ["true", "false"]
    assert labels_of("a,label\n1,True\n2,Maybe\n", "r.csv") == ["True", "Maybe"]
    assert labels_of("a,label\n1,True\n2,1\n", "r.csv") == ["True", "1"]
    monkeypatch.setattr(tables, "ROWS", 1)
    assert labels_of("a,label\n1,True\n2,Maybe\n3,FALSE\n", "r.csv") == ["true", "Maybe", "false"]
    for later in ("true", "True"):
        with pytest.raises(ValueError, match="Labels were integers so far"):
            labels_of(f"a,label\n1,1\n2,{later}\n", "r.csv")
    with pytest.raises(ValueError, match="Labels were integers so far"):
        labels_of('{"label": 1}\n{"label": true}\n', "r.jsonl")


def test_schemas_of_older_models_keep_the_spelling_of_labels():
    schema = Schema(kind="str", learning=False, columns=["a"], dense=True)
    schema.know(["a"], [])
    assert labels_of("a,label\n1,True\n2,False\n", "r.csv", schema) == ["True", "False"]


def test_classes_option_accepts_the_spelling_of_the_file(run, tmp_path):
    (tmp_path / "rows.csv").write_text("a,label\n1,True\n-1,False\n")
    assert run("fit", "rows.csv", "-o", "m", "--classes", "True,False").code == 0
    assert load("m").classes_.tolist() == ["false", "true"]
    assert run("predict", "m", "rows.csv").out.split() == ["true", "false"]


def test_hashed_booleans_are_the_same_in_every_format(tmp_path):
    columns = table()
    seen = {}
    for kind in FORMATS:
        source = RowSource(write(tmp_path, columns, kind), kind, Schema(bits=6))
        seen[kind] = [block.X.toarray().tolist() for block in source]
    assert all(rows == seen["csv"] for rows in seen.values())
