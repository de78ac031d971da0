"""The command line: every command on every kind of file."""

import gzip
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from fixtures.cli_running import TAGS, WORDS, X, Y
from rosenblatt import PerceptronClassifier, kernels, load
from rosenblatt.cli import commands
from rosenblatt.data import read_svmlight, write_conll, write_svmlight
from rosenblatt.persistence import load_model


def csv_of(rows, labels, label="label", order=None):
    names = [f"f{i}" for i in range(rows.shape[1])] + [label]
    order = order or names
    columns = dict(zip(names, [*rows.T.tolist(), list(labels)], strict=True))
    lines = [",".join(order)]
    lines += [",".join(str(columns[name][i]) for name in order) for i in range(len(labels))]
    return "\n".join(lines) + "\n"


def test_fit_and_predict_run_the_example_of_the_readme(run, train):
    done = run(
        "fit",
        train,
        "-o",
        "model.rosenblatt",
        "--kernel",
        "(Linear() + 1)**3",
        "--max-iter",
        5,
        "--predictor",
        "vote",
    )
    assert done.code == 0, done.err
    assert "mistakes" in done.out
    again = load("model.rosenblatt")
    same = PerceptronClassifier(
        (kernels.Linear() + 1) ** 3, max_iter=5, predictor="vote", random_state=0
    ).fit(read_svmlight(train).X, Y)
    assert again.ledger_ == same.ledger_
    assert run("predict", "model.rosenblatt", train).out.split() == [
        str(y) for y in same.predict(read_svmlight(train).X)
    ]


def test_json_option_prints_json(run, train):
    done = run("fit", train, "-o", "m", "--json")
    assert json.loads(done.out)["rounds"] == load("m").ledger_.rounds
    result = json.loads(run("evaluate", "m", train, "--json").out)
    assert result["rows"] == 60
    assert 0.5 < result["accuracy"] <= 1
    lines = run("predict", "m", train, "--json").out.splitlines()
    assert set(json.loads(lines[0])) == {"label", "score"}
    assert json.loads(run("inspect", "m", "--json").out)["classes"] == [-1, 1]
    assert json.loads(run("certify", "m", train, "--json").out)["mistakes"] == len(load("m").ledger_.mistakes)
    result = json.loads(run("explain", "m", train, "--row", 2, "--json").out)
    contributions = sum(f["weight"] * f["value"] for f in result["features"])
    assert contributions + result["intercept"] == pytest.approx(result["score"])
    result = json.loads(run("explain", "m", train, "--row", 2, "--json", "--by", "examples").out)
    assert sum(e["importance"] * e["similarity"] for e in result["examples"]) == pytest.approx(
        result["score"]
    )


def test_fit_accepts_a_budget(run, train):
    assert (
        run("fit", train, "-o", "m", "--kernel", "RBF(gamma=0.1)", "--budget", 7, "--policy", "merging").code
        == 0
    )
    assert json.loads(run("inspect", "m", "--json").out)["stored_rows"] == 7
    assert "rows that a kernel needs" in run("fit", train, "-o", "n", "--budget", 7).err


def test_commands_print_tables(run, train):
    run("fit", train, "-o", "m")
    assert "accuracy" in run("evaluate", "m", train).out
    assert "precision" in run("evaluate", "m", train, "--predictor", "last").out
    assert "PerceptronClassifier" in run("inspect", "m").out
    assert "Theorem." in run("certify", "m", train).out
    assert "weight" in run("explain", "m", train).out
    assert "importance" in run("explain", "m", train, "--by", "examples").out
    assert run("predict", "m", train, "--scores").out.splitlines()[0].count("\t") == 1


@pytest.mark.parametrize("opener", [gzip.open, lzma.open, open], ids=["gz", "xz", "plain"])
def test_fit_reads_compressed_files(run, train, tmp_path, opener):
    with opener(tmp_path / "packed", "wb") as file:
        file.write((tmp_path / train).read_bytes())
    assert run("fit", "packed", "-o", "m").code == 0
    assert load("m").ledger_ == PerceptronClassifier(random_state=0).fit(read_svmlight(train).X, Y).ledger_


def test_fit_reads_zstandard(run, train, tmp_path):
    zstandard = pytest.importorskip("zstandard")
    (tmp_path / "packed").write_bytes(zstandard.compress((tmp_path / train).read_bytes()))
    assert run("fit", "packed", "-o", "m").code == 0


def test_fit_and_predict_use_standard_input_and_output(run, train, tmp_path):
    text = (tmp_path / train).read_bytes()
    assert run("fit", "-", "-o", "m", "--max-iter", 3, stdin=text).code == 0
    piped = run("predict", "m", "-", stdin=text).out
    assert piped == run("predict", "m", train).out
    assert run("predict", "m", train, "-o", "answers").out == ""
    assert (tmp_path / "answers").read_text() == piped


def test_predict_matches_csv_columns_by_name(run, tmp_path):
    (tmp_path / "train.csv").write_text(csv_of(X, Y, "class"))
    assert run("fit", "train.csv", "-o", "m", "--label", "class").code == 0
    assert load_model("m").names == ["f0", "f1", "f2", "f3"]
    whole = run("predict", "m", "train.csv").out
    (tmp_path / "turned.csv").write_text(csv_of(X, Y, "class", ["f3", "class", "f1", "f0", "f2"]))
    turned = run("predict", "m", "turned.csv")
    assert turned.out == whole
    assert turned.err == ""
    (tmp_path / "other.csv").write_text("f0;f1;f2;new\n1;2;3;4\n")
    other = run("predict", "m", "other.csv")
    assert other.code == 0
    assert "missing, counted as 0: f3" in other.err
    assert "new, left out: new" in other.err
    assert run("predict", "m", "other.csv", "--quiet").err == ""


def test_fit_reads_strings_and_empty_cells_of_tables(run, tmp_path):
    lines = ["size,colour,name,label", '1.5,red,"Smith, A",yes', "NA,blue,B,no", ",red,C,yes", "2,blue,D,no"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert run("fit", "t.csv", "-o", "m", "--id", "name").code == 0
    assert set(load_model("m").names) == {"size", "colour=red", "colour=blue"}
    assert run("predict", "m", "t.csv").out.splitlines()[0] == "Smith, A\tyes"
    (tmp_path / "t.tsv").write_text("\n".join(lines[0:1] + lines[2:]).replace(",", "\t"))
    assert run("predict", "m", "t.tsv").out.splitlines()[0] == "B\tno"


def test_fit_reads_json_lines(run, tmp_path):
    rows = [
        {"label": "spam", "words": {"free": 2, "win": 1}, "tags": ["a", "b"]},
        {"label": "ham", "from": "bob", "n": None},
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert run("fit", "t.jsonl", "-o", "m").code == 0
    assert load_model("m").names == ["words.free", "words.win", "tags=a", "tags=b", "from=bob"]
    assert run("predict", "m", "t.jsonl").out.split() == ["spam", "ham"]
    assert run("fit", "t.jsonl", "-o", "h", "--hash-bits", 8).code == 0
    assert load("h").n_features_in_ == 256
    assert run("predict", "h", "t.jsonl").out.split() == ["spam", "ham"]


def test_fit_reads_parquet_and_arrow(run, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pyarrow.table({"a": X[:, 0], "b": X[:, 1], "kind": ["u", "v"] * 30, "label": Y})
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.arrow", compression="uncompressed")
    for name in ("t.parquet", "t.arrow"):
        assert run("fit", name, "-o", name + ".m").code == 0
    assert load("t.parquet.m").ledger_ == load("t.arrow.m").ledger_
    assert set(load_model("t.arrow.m").names) == {"a", "b", "kind=u", "kind=v"}
    assert run("predict", "t.arrow.m", "t.parquet").code == 0


def test_commands_work_on_rankers(run, tmp_path):
    write_svmlight(
        tmp_path / "lists.svm", X, (Y + 1) // 2, np.arange(60) // 6, [f"doc{i}" for i in range(60)]
    )
    assert run("fit", "lists.svm", "-o", "m", "--game", "ranking", "--strategy", "best").code == 0
    lines = [line.split("\t") for line in run("rank", "m", "lists.svm").out.splitlines()]
    assert len(lines) == 60
    assert [line[1] for line in lines[:6]] == list("123456")
    scores = [float(line[3]) for line in lines[:6]]
    assert scores == sorted(scores, reverse=True)
    assert lines[0][4] == f"doc{int(lines[0][2]) - 1}"
    assert json.loads(run("evaluate", "m", "lists.svm", "--json").out)["queries"] == 10
    assert "Theorem." in run("certify", "m", "lists.svm").out


def test_commands_work_on_taggers(run, tmp_path):
    write_conll(tmp_path / "train.conll", WORDS, TAGS)
    (tmp_path / "t.txt").write_text("U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB\n")
    assert run("fit", "train.conll", "-o", "m", "--game", "sequence", "--template", "t.txt").code == 0
    assert load("m").templates.startswith("U00")
    done = run("tag", "m", "-", stdin=b"a\ncat\nsat\n")
    assert done.out == "a D\ncat N\nsat V\n\n"
    assert run("tag", "m", "train.conll").out.splitlines()[0] == "the D"
    assert (
        run("tag", "m", "-", "--text", stdin=b"a cat sat\n\nthe dog\n").out
        == "a/D cat/N sat/V\n\nthe/D dog/N\n"
    )
    result = json.loads(run("evaluate", "m", "train.conll", "--json").out)
    assert result["token_accuracy"] == 1
    assert "did not keep them" in run("certify", "m", "train.conll").err
    assert run("fit", "train.conll", "-o", "m", "--keep").code == 0
    assert "Theorem." in run("certify", "m", "train.conll").out


def test_fit_takes_classes_of_later_blocks(run, tmp_path, monkeypatch):
    from rosenblatt.data import sources

    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=16, **k))
    (tmp_path / "t.svm").write_text("1 1:1\n2 2:1\n1 1:2\n3 3:1\n2 2:2\n3 3:2\n")
    for options in ([], ["--classes", "1,2,3"]):
        assert run("fit", "t.svm", "-o", "m", *options).code == 0
        assert load("m").n_features_in_ == 3
        assert load("m").classes_.tolist() == [1, 2, 3]
        assert run("predict", "m", "t.svm").out.split() == list("121323")


def test_fit_in_blocks_writes_the_ledger_of_the_estimator(run, train, monkeypatch):
    from rosenblatt.data import sources

    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=200, **k))
    assert run("fit", train, "-o", "m", "--no-shuffle", "--max-iter", 4).code == 0
    same = PerceptronClassifier(shuffle=False, max_iter=4).fit(read_svmlight(train).X, Y)
    assert load("m").ledger_ == same.ledger_
    assert np.array_equal(load("m").coef_, same.coef_)


@pytest.mark.slow
def test_resume_after_kills_writes_the_same_bytes(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "fixtures.kills", tmp_path, "5"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert sum(kind["killed"] for kind in json.loads(done.stdout).values()) == 25


def test_resume_rejects_other_files_and_options(run, train, tmp_path):
    from rosenblatt.streaming import Checkpoints

    about = {}
    checkpoints = Checkpoints(tmp_path / "m.checkpoint", 1, about)
    learner = PerceptronClassifier().fit(X, Y)
    from rosenblatt.streaming import Position

    checkpoints.after(learner, Position(random=np.random.default_rng(0).bit_generator.state))
    done = run("fit", train, "-o", "m", "--checkpoint", "every=10", "--resume")
    assert done.code == 1
    assert "other data or options" in done.err


def test_help_of_every_command_has_an_example_and_fits_a_screen():
    for name in typer.main.get_command(commands.app).commands:
        shown = CliRunner(env={"COLUMNS": "110"}).invoke(commands.app, [name, "--help"]).output
        assert f"rosenblatt {name}" in shown.strip().splitlines()[-1] + shown.strip().splitlines()[-2]
        assert len(shown.splitlines()) <= 56


def test_help_names_every_predictor_and_debug_and_who_explains():
    def shown(*arguments):
        return " ".join(CliRunner(env={"COLUMNS": "110"}).invoke(commands.app, arguments).output.split())

    assert "last, best, average, vote, sample or recent." in shown("fit", "--help")
    for command in typer.main.get_command(commands.app).commands:
        assert "--debug" in shown(command, "--help")
    assert "--debug" in shown("--help")
    assert "--version" in shown("--help")
    assert "Explain the answer of a classifier" in shown("explain", "--help")


def test_commands_import_no_heavy_packages():
    code = (
        "import sys; from rosenblatt.cli import commands\n"
        "heavy = [name for name in ('numba', 'scipy', 'sklearn', 'rosenblatt.persistence') if name in sys.modules]\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_predict_tolerates_a_closed_pipe(tmp_path):
    write_svmlight(tmp_path / "t.svm", np.tile(X, (200, 1)), np.tile(Y, 200))
    command = f"{sys.executable} -m rosenblatt.cli"
    subprocess.run(
        f"{command} fit t.svm -o m --max-iter 1 -q",
        shell=True,
        cwd=tmp_path,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    done = subprocess.run(
        f"{command} predict m t.svm | head -1", shell=True, cwd=tmp_path, capture_output=True, text=True,
        check=False, env=os.environ,
    )  # fmt: skip
    assert done.stdout.strip() in ("1", "-1")
    assert "Traceback" not in done.stderr
