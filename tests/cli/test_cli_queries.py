"""Files whose rows have queries: ranked or classified as the user says, and refused where nothing says which."""

import json

import pytest

from fixtures.cli_running import X, Y
from fixtures.option_examples import ROWS, table, write_csv, write_files
from rosenblatt import load
from rosenblatt.data import write_svmlight
from rosenblatt.persistence import load_model

REFUSAL = (
    "rosenblatt: {name} has a column '{column}'. Say --query {column} to rank the rows of each query, "
    "--ignore {column} to classify without it, or --game classification to use it as a feature.\n"
)


@pytest.fixture
def lists(run, tmp_path):
    write_files(tmp_path)
    return "lists.csv"


def write_table(path, columns):
    """Write a table in the format of the suffix."""
    if path.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table(columns), path)
    elif path.suffix == ".jsonl":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        write_csv(path, columns)
        if path.suffix == ".tsv":
            path.write_text(path.read_text().replace(",", "\t"))


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("column", ["qid", "query", "Query_ID"])
def test_fit_rejects_query_columns_unless_an_option_says_what_to_do(run, tmp_path, kind, column):
    columns = table(False) | {column: [i // 6 for i in range(48)]}
    write_table(tmp_path / f"t.{kind}", columns)
    done = run("fit", f"t.{kind}", "-o", "m")
    assert done.code == 1
    assert done.err == REFUSAL.format(name=f"t.{kind}", column=column)
    assert not (tmp_path / "m").exists()
    assert run("fit", f"t.{kind}", "-o", "m", "--query", column).code == 0
    assert type(load("m")).__name__ == "PerceptronRanker"


def test_fit_rejects_svmlight_queries_unless_an_option_says_what_to_do(run, lists):
    done = run("fit", "lists.svm", "-o", "m")
    assert done.code == 1
    assert done.err == (
        "rosenblatt: The rows of lists.svm have queries (qid:). Say --game ranking to rank the rows of each, "
        "or --game classification to classify them without.\n"
    )
    with open("lists.svm", "rb") as file:
        piped = run("fit", "-", "-o", "m", stdin=file.read())
    assert "The rows of standard input have queries" in piped.err


@pytest.mark.parametrize("arguments", [["--query", "qid"], ["--strategy", "pairs"]])
def test_fit_ranks_where_an_option_is_for_ranking_only(run, lists, arguments):
    assert run("fit", lists, "-o", "m", *arguments).code == 0
    run("fit", lists, "-o", "asked", "--game", "ranking")
    assert load("m").ledger_ == load("asked").ledger_
    assert load_model("m").notes["game"] == "ranking"


IDS = "column name: a different string in nearly every row. Try --id, --text or --ignore name"


def remarks(done):
    """Return what a command remarks on, but for the column of names, which some files have."""
    return [line for line in done.err.splitlines() if line != IDS]


def test_ignore_leaves_a_column_out(run, lists, tmp_path):
    done = run("fit", lists, "-o", "m", "--ignore", "qid,list")
    assert done.code == 0
    assert remarks(done) == []
    run("fit", "rows.csv", "-o", "without")
    assert load("m").ledger_ == load("without").ledger_
    assert load_model("m").names == load_model("without").names
    with_column, without = run("predict", "m", lists), run("predict", "m", "rows.csv")
    assert with_column.out == without.out
    assert with_column.err == without.err == ""


def test_ignore_accepts_objects_without_the_column(run, tmp_path, monkeypatch):
    from rosenblatt.data import tables

    monkeypatch.setattr(tables, "ROWS", 2)
    rows = [
        {"a": 1, "note": "x", "label": 1},
        {"a": -1, "label": 0},
        {"a": 2, "label": 1},
        {"a": -2, "label": 0},
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert run("fit", "t.jsonl", "-o", "m", "--ignore", "note").code == 0
    assert load_model("m").names == ["a"]


def test_fit_remarks_on_queries_in_classification(run, lists):
    done = run("fit", lists, "-o", "m", "--game", "classification")
    assert done.code == 0
    assert remarks(done) == ["the column 'qid' is used as a feature: --ignore qid leaves it out"]
    assert "qid" in load_model("m").names
    done = run("fit", "lists.svm", "-o", "m", "--game", "classification")
    assert done.code == 0
    assert done.err == "queries (qid:) are left out\n"
    run("fit", "rows.svm", "-o", "without")
    assert load("m").ledger_ == load("without").ledger_
    assert run("fit", lists, "-o", "m", "--game", "classification", "--quiet").err == ""


def test_fit_rejects_queries_in_a_file_of_several_blocks(run, lists, monkeypatch):
    from rosenblatt.data import tables

    monkeypatch.setattr(tables, "ROWS", 20)
    assert run("fit", lists, "-o", "m", "--game", "classification").code == 0
    done = run("fit", lists, "-o", "n")
    assert done.code == 1
    assert done.err == REFUSAL.format(name=lists, column="qid")


@pytest.mark.parametrize("strategy", ["pairs", "best", "top"])
def test_fit_rejects_lists_in_which_no_row_is_better(run, tmp_path, strategy):
    (tmp_path / "t.csv").write_text("a,qid,label\n1,p,1\n2,p,1\n1,q,0\n3,q,0\n")
    done = run("fit", "t.csv", "-o", "m", "--query", "qid", "--strategy", strategy)
    assert done.code == 1
    assert "There is nothing to learn from: in no query is one row better than another." in done.err
    assert not (tmp_path / "m").exists()


def test_fit_classifies_rows_without_queries(run, train, tmp_path):
    done = run("fit", train, "-o", "m")
    assert done.code == 0
    assert done.err == ""
    write_csv(
        tmp_path / "t.csv", {"words.query": ROWS[:, 0].tolist(), "label": [int(x > 0) for x in ROWS[:, 0]]}
    )
    assert run("fit", "t.csv", "-o", "m").code == 0


def test_fit_rejects_too_many_hash_bits_for_a_tagger(run, lists):
    done = run("fit", "words.conll", "-o", "m", "--hash-bits", 30)
    assert done.code == 1
    assert "at most 134,217,728 features" in done.err


def test_fit_rejects_queries_in_hashed_rows(run, tmp_path):
    write_table(tmp_path / "t.jsonl", table(True))
    assert run("fit", "t.jsonl", "-o", "m", "--hash-bits", 8).err == REFUSAL.format(
        name="t.jsonl", column="qid"
    )
    write_svmlight(tmp_path / "t.svm", X, Y, [0] * 60)
    assert "have queries (qid:)" in run("fit", "t.svm", "-o", "m", "--hash-bits", 8).err
