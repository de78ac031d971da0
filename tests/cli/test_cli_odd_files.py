"""The command line on odd files, wrong options, and models that do not fit the file."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from fixtures.cli_running import X, Y
from rosenblatt import PerceptronClassifier, load, save
from rosenblatt.data import write_svmlight
from rosenblatt.persistence import archive


def test_skip_bad_skips_and_lists_bad_lines(run, tmp_path):
    (tmp_path / "bad.svm").write_text("1 1:1\n-1 2:x\n1 1:2 3:1\n-1 2:1\n-1 0:1\n")
    refused = run("fit", "bad.svm", "-o", "m")
    assert refused.code == 1
    assert "line 2" in refused.err
    assert not (tmp_path / "m").exists()
    done = run("fit", "bad.svm", "-o", "m", "--skip-bad", 2)
    assert done.code == 0
    assert done.err.count("skipped line") == 2
    (tmp_path / "bad.csv").write_text("a,label\n1,x\n2,y,z\n3,y\n")
    assert "Line 3 of bad.csv is bad: it has 3 cells" in run("fit", "bad.csv", "-o", "c").err
    assert run("fit", "bad.csv", "-o", "c", "--skip-bad", 1).code == 0
    (tmp_path / "bad.jsonl").write_text('{"label": 1, "a": 1}\n{"label": \n{"label": 2, "a": 2}\n[1]\n')
    assert "it is not JSON" in run("fit", "bad.jsonl", "-o", "j").err
    assert run("fit", "bad.jsonl", "-o", "j", "--skip-bad", 2).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["fit", "nowhere.svm", "-o", "m"], 1, "nowhere.svm: No such file"),
        (["fit", "train.svm", "-o", "no/such/folder/m"], 1, "folder of the output must exist"),
        (["fit", "train.svm"], 2, "--output"),
        (["fit", "train.svm", "-o", "m", "--kernel", "Gauss()"], 2, "must be made of Linear"),
        (["fit", "train.svm", "-o", "m", "--rule", "Never()"], 2, "must be made of Perceptron"),
        (["fit", "train.svm", "-o", "m", "--max-iter", "0"], 2, "--max-iter"),
        (["fit", "train.svm", "-o", "m", "--predictor", "median"], 2, "median"),
        (["fit", "train.svm", "-o", "m", "--checkpoint", "often"], 2, "every=10000"),
        (["fit", "train.svm", "-o", "m", "--resume"], 2, "--checkpoint"),
        (["fit", "train.svm", "-o", "m", "--game", "sequence"], 2, "CoNLL"),
        (["fit", "train.svm", "-o", "m", "--game", "ranking"], 1, "query"),
        (["fit", "t.csv", "-o", "m", "--label", "klass"], 2, "There must be a column 'klass'"),
        (["fit", "one.svm", "-o", "m"], 1, "at least 2 classes"),
        (["fit", "empty", "-o", "m"], 1, "nothing in empty"),
        (["fit", "noise", "-o", "m"], 1, "--format"),
        (["fit", "cut.gz", "-o", "m"], 1, "broken"),
        (["fit", "many.svm", "-o", "m"], 1, "several labels"),
        (["fit", "none.svm", "-o", "m"], 1, "A line must be a label"),
        (["predict", "sets", "train.svm"], 1, "from Python"),
        (["certify", "sets", "train.svm"], 1, "from Python"),
        (["predict", "train.svm", "train.svm"], 1, "cannot be read as a model"),
        (["predict", "nowhere", "train.svm"], 1, "nowhere: No such file"),
        (["predict", "model", "t.csv"], 1, "learned from svmlight"),
        (["tag", "model", "train.svm"], 1, "tag takes a PerceptronTagger"),
        (["rank", "model", "train.svm"], 1, "rank takes a PerceptronRanker"),
        (["explain", "model", "train.svm", "--row", "99"], 2, "There are 60 rows"),
        (["explain", "model", "train.svm", "--label", "7"], 2, "--label must be one of -1, 1"),
        (["certify", "model", "half.svm"], 1, "all of them"),
        (["sing"], 2, "sing"),
    ],
)
def test_commands_report_errors_in_one_sentence(run, train, tmp_path, arguments, code, words):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,y\n")
    (tmp_path / "one.svm").write_text("1 1:1\n1 2:1\n")
    (tmp_path / "many.svm").write_text("1,3 1:1\n2 2:1\n")
    (tmp_path / "none.svm").write_text("1 1:1\n 2:1\n")
    save(PerceptronClassifier().fit([[0, 1], [1, 0]], [["a"], ["b"]]), tmp_path / "sets")
    (tmp_path / "empty").write_text("\n\n")
    (tmp_path / "noise").write_bytes(b"just some words in a line")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1 1:1\n" * 1000)[:-20])
    write_svmlight(tmp_path / "half.svm", X[:30], Y[:30])
    if "model" in arguments:
        run("fit", train, "-o", "model")
    done = run(*arguments)
    assert done.code == code, done.err
    assert words in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "m").exists()


def test_debug_shows_a_traceback(run):
    done = run("predict", "nowhere", "x", "--debug")
    assert done.code == 1
    assert "Traceback" in done.err


def test_output_must_not_replace_input(run, train, tmp_path):
    before = (tmp_path / train).read_bytes()
    assert "must not replace an input" in run("fit", train, "-o", train).err
    assert (tmp_path / train).read_bytes() == before
    run("fit", train, "-o", "m.json")
    for command in (
        ["predict", "m.json", train, "-o", "m.json"],
        ["predict", "m.json", train, "-o", train],
        ["convert", "m.json", "m.json"],
    ):
        assert "must not replace an input" in run(*command).err
    assert (tmp_path / train).read_bytes() == before
    assert "The output must be a file" in run("fit", train, "-o", ".").err


def test_predict_ignores_new_columns(run, tmp_path):
    (tmp_path / "t.csv").write_text("id,colour,size,label\na,red,1,x\nb,blue,2,y\n")
    run("fit", "t.csv", "-o", "m", "--id", "id")
    (tmp_path / "new.csv").write_text("colour,size,note\nred,1,hello\n")
    done = run("predict", "m", "new.csv")
    assert done.out.strip() == "x"
    assert "new, left out: note" in done.err
    (tmp_path / "other.jsonl").write_text('{"shape": "round"}\n')
    assert "no row has a feature that the model knows" in run("predict", "m", "other.jsonl").err
    (tmp_path / "header.csv").write_text("id,colour,size,label\n")
    assert "There is no row" in run("evaluate", "m", "header.csv").err


def test_fit_reports_strings_in_numeric_columns(run, tmp_path):
    rows = [f"{i},{'xy'[i % 2]}" for i in range(40)]
    (tmp_path / "t.csv").write_text("size,label\n" + "\n".join([*rows, "abc,x"]))
    assert run("fit", "t.csv", "-o", "m").err == (
        "column size: 40 numbers and 1 string ('abc'), read as categories (line 42)\n"
    )
    (tmp_path / "t.csv").write_text("size,label\n" + "\n".join([*rows, "inf,x"]))
    assert (
        "Line 42 of t.csv is bad: the column 'size' holds finite numbers"
        in run("fit", "t.csv", "-o", "m").err
    )
    (tmp_path / "t.csv").write_text("size,qid,label\n1,a,1\n2,,0\n")
    assert (
        "Line 3 of t.csv is bad: every row needs a query"
        in run("fit", "t.csv", "-o", "m", "--game", "ranking").err
    )


@pytest.mark.parametrize(
    ("cells", "remark"),
    [
        (["1", "2", "unknown", "3"], "3 numbers and 1 string ('unknown'), read as categories (line 4)"),
        (["?", "2", "-", "3", "NA", "4", "?"], None),
        (["?", "2", "-", "3", "NA", "4"], "3 numbers and 2 strings ('?', '-'), read as categories (line 2)"),
        (["1", "2", "3", "1,5", "", "2,5"], "3 numbers and 2 strings ('1,5', '2,5'), read as"),
        (["red", "2", "blue"], None),
        (["true", "false", "unknown"], None),
        (["1", "2", "nan", "null"], None),
    ],
)
def test_fit_remarks_on_numbers_that_become_categories(run, tmp_path, cells, remark):
    lines = [f'"{cell}",{"xy"[i % 2]}' for i, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["a,label", *lines]) + "\n")
    done = run("fit", "t.csv", "-o", "m")
    assert done.code == 0, done.err
    assert done.err.startswith(f"column a: {remark}") if remark else done.err == ""
    assert run("fit", "t.csv", "-o", "m", "--quiet").err == ""


def test_fit_repeats_remarks_on_a_file_of_several_blocks(run, tmp_path, monkeypatch):
    from rosenblatt.data import tables

    monkeypatch.setattr(tables, "ROWS", 4)
    lines = [f"{i if i != 2 else '?'},{'xy'[i % 2]}" for i in range(9)]
    (tmp_path / "t.csv").write_text("\n".join(["a,label", *lines]) + "\n")
    first = run("fit", "t.csv", "-o", "m").err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m", "t.csv"]
    assert "3 numbers and 1 string ('?')" in first
    assert run("fit", "t.csv", "-o", "m").err == first


def test_evaluate_names_the_label_that_is_missing(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,churned\n1,x\n2,y\n")
    run("fit", "t.csv", "-o", "m", "--label", "churned", "--keep")
    files = {
        "u.csv": (
            "a\n1\n",
            "There must be a column 'churned' with the label in u.csv. Got 'a': name it, with --label",
        ),
        "v.csv": ("a,churned\n1,x\n2,\n", "Line 3 of v.csv is bad: every row needs a label"),
        "u.jsonl": ('{"a": 1}\n', "Line 1 of u.jsonl is bad: it has no 'churned', which is the label"),
    }
    for name, (text, words) in files.items():
        (tmp_path / name).write_text(text)
        assert run("predict", "m", name).code == 0
        for command in ("evaluate", "certify"):
            done = run(command, "m", name)
            assert done.code == 1
            assert words in done.err


def test_predict_keeps_labels_to_the_last_digit(run, tmp_path):
    labels = [9007199254740993, 9007199254740992] * 5
    (tmp_path / "t.csv").write_text("a,label\n" + "\n".join(f"{i % 2},{y}" for i, y in enumerate(labels)))
    run("fit", "t.csv", "-o", "m")
    assert run("predict", "m", "t.csv").out.split() == [str(y) for y in labels]
    (tmp_path / "u.csv").write_text("a,label\n0,20000000000000000000\n1,20000000000000000001\n")
    run("fit", "u.csv", "-o", "u")
    assert len(load("u").classes_) == 2 if Path("u").exists() else True


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"a,label\n1,x\n\n2,y\n", "csv"),
        (b"a,label\n1,x\n2,y\n\n", "csv"),
        (b"The\tDT\r\ncat\tNN\r\n\r\nIt\tPRP\r\n", "conll"),
        (b"1\n-1 3:1\n", "svmlight"),
        (b"1 " + b" ".join(b"%d:1" % i for i in range(1, 20000)) + b"\n", "svmlight"),
        (b"The DT B-NP\ncat NN I-NP\n\n", "conll"),
        (b"# a comment\n1 2:3\n", "svmlight"),
    ],
)
def test_format_of_detects_the_content(tmp_path, text, kind):
    from rosenblatt.data.sources import format_of

    (tmp_path / "f").write_bytes(text)
    assert format_of(str(tmp_path / "f")) == kind


def test_fit_rejects_huge_feature_indices(run, tmp_path):
    (tmp_path / "t.svm").write_text("1 2000000000:1 2:1\n-1 1:1\n")
    assert "--hash-bits" in run("fit", "t.svm", "-o", "m").err
    assert run("fit", "t.svm", "-o", "m", "--hash-bits", 10).code == 0
    assert "--no-keep" in run("fit", "t.svm", "-o", "n", "--no-keep", "--predictor", "vote").err


def test_rank_keeps_lists_whole_across_blocks(run, tmp_path, monkeypatch):
    from rosenblatt.data import sources

    write_svmlight(tmp_path / "lists.svm", X, (Y + 1) // 2, np.arange(60) // 20)
    run("fit", "lists.svm", "-o", "m", "--game", "ranking", "--strategy", "best", "--predictor", "vote")
    whole = {name: run(name, "m", "lists.svm").out for name in ("rank", "predict", "evaluate")}
    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=200, **k))
    assert whole == {name: run(name, "m", "lists.svm").out for name in whole}


def test_commands_read_conllu(run, tmp_path):
    line = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    text = "".join(line.format(1, "the", "DET") + line.format(2, "cat", "NOUN") + "\n" for _ in range(4))
    (tmp_path / "t.conllu").write_text("# text\n" + text)
    assert run("fit", "t.conllu", "-o", "m", "--format", "conll", "--keep").code == 0
    assert run("tag", "m", "t.conllu").out.startswith("the DET\ncat NOUN\n")
    assert json.loads(run("evaluate", "m", "t.conllu", "--json").out)["token_accuracy"] == 1
    assert "Theorem." in run("certify", "m", "t.conllu").out


def test_options_match_the_library():
    from rosenblatt import budgets
    from rosenblatt.cli import options
    from rosenblatt.data.sources import FORMATS
    from rosenblatt.engine import predictors

    assert tuple(options.Policy) == budgets.POLICIES
    assert tuple(options.Predictor) == predictors.NAMES
    assert tuple(options.Format) == FORMATS


def test_predict_reads_a_table_for_a_json_model(run, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"label": "x", "colour": "red"}\n{"label": "y", "colour": "blue"}\n')
    run("fit", "t.jsonl", "-o", "m")
    (tmp_path / "t.csv").write_text("colour\nblue\nred\n")
    assert run("predict", "m", "t.csv").out.split() == ["y", "x"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("bits", "q"), ("label", 3), ("columns", [1]), ("dense", 1), ("texts", None), ("kind", []), (None, 5)],
)
def test_predict_rejects_forged_notes(run, tmp_path, name, value):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,y\n")
    run("fit", "t.csv", "-o", "m")
    header, arrays = archive.read(tmp_path / "m")
    header.pop("format")
    header["notes"]["table"] = value if name is None else header["notes"]["table"] | {name: value}
    archive.write(tmp_path / "m", header, arrays)
    done = run("predict", "m", "t.csv")
    assert done.code == 1
    assert "The model's note on" in done.err or "should be those of a table" in done.err
    assert "Traceback" not in done.err


def test_tag_rejects_forged_notes(run, tmp_path):
    (tmp_path / "t.conll").write_text("a X\nb Y\n\n")
    run("fit", "t.conll", "-o", "m")
    header, arrays = archive.read(tmp_path / "m")
    header.pop("format")
    header["notes"]["columns"] = "many"
    archive.write(tmp_path / "m", header, arrays)
    assert "The model's notes on columns are 'many'" in run("tag", "m", "t.conll").err


def test_fit_remarks_on_columns_of_ids_and_on_amounts(run, tmp_path):
    Path("t.csv").write_text("user,a,mood\n" + "".join(f"u{i},{i % 7},{'pq'[i % 2]}\n" for i in range(60)))
    done = run("fit", "t.csv", "-o", "m", "--label", "mood")
    assert (
        done.err == "column user: a different string in nearly every row. Try --id, --text or --ignore user\n"
    )
    assert run("fit", "t.csv", "-o", "m", "--label", "mood", "--id", "user").err == ""
    Path("p.csv").write_text("a,price\n" + "".join(f"{i % 7},{i * 977 % 60}\n" for i in range(60)))
    done = run("fit", "p.csv", "-o", "m", "--label", "price")
    assert "p.csv are 60 different numbers in the first 60 rows, and each is learned as a class" in done.err
    assert run("fit", "p.csv", "-o", "m", "--label", "price", "--quiet").err == ""


def test_fit_names_the_parameters_of_a_kernel(run, tmp_path):
    done = run("fit", "t.csv", "-o", "m", "--kernel", "RBF(gama=1)")
    assert done.code == 2
    assert "Got gama=, and RBF takes sigma, gamma, in" in done.err


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("1,1,2\n-1,0,2\n2,1,2\n1,,2\n-3,0,2\n", "Line 5 of t.csv: every row needs a label"),
        (
            "1,1,2\n-1,0,2\ninf,1,2\n2,1,2\n-3,0,2\n",
            "Line 4 of t.csv: the column 'size' holds finite numbers",
        ),
        ("1,1,2\n-1,0,2\n2,1,\n3,1,2\n-3,0,2\n", "Line 4 of t.csv: every row needs a query"),
    ],
)
def test_skip_bad_leaves_out_rows_of_tables(run, tmp_path, rows, why):
    lines = rows.splitlines()
    (tmp_path / "t.csv").write_text("size,label,qid\n" + rows)
    good = [line for line in lines if f"Line {lines.index(line) + 2} " not in why]
    (tmp_path / "good.csv").write_text("\n".join(["size,label,qid", *good]) + "\n")
    options = ("--game", "ranking")
    assert run("fit", "t.csv", "-o", "m", *options).code == 1
    skipped = run("fit", "t.csv", "-o", "m", *options, "--skip-bad", "1")
    assert skipped.code == 0
    assert why.partition(": ")[2] in skipped.err
    assert run("fit", "good.csv", "-o", "n", *options).code == 0
    assert run("rank", "m", "good.csv").out == run("rank", "n", "good.csv").out


def test_predict_skips_rows_with_strings_in_numeric_columns(run, tmp_path):
    (tmp_path / "t.csv").write_text("size,label\n1,a\n-1,b\n2,a\n-2,b\n")
    (tmp_path / "p.csv").write_text("size\n3\noops\n-3\n")
    assert run("fit", "t.csv", "-o", "m").code == 0
    assert "line 3" in run("predict", "m", "p.csv").err.lower()
    assert run("predict", "m", "p.csv", "--skip-bad", "1").out == "a\nb\n"


def test_labels_keep_their_leading_zeros(run, tmp_path):
    (tmp_path / "t.csv").write_text("size,label\n1,007\n-1,042\n2,007\n-2,042\n")
    assert run("fit", "t.csv", "-o", "m").code == 0
    assert run("predict", "m", "t.csv").out == "007\n042\n007\n042\n"
    assert run("fit", "t.csv", "-o", "n", "--classes", "007,042,100").code == 0
    (tmp_path / "u.csv").write_text("size,label\n1,7\n-1,42\n2,7\n-2,42\n")
    assert run("fit", "u.csv", "-o", "m").code == 0
    assert "Got '042' in line 3 of t.csv" in run("evaluate", "m", "t.csv").err.replace(
        "'007' in line 2", "'042' in line 3"
    )
