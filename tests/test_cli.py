"""The command line: every command on every kind of file, and what it says when something is wrong."""

import gzip
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rosenblatt import PerceptronClassifier, kernels, load
from rosenblatt.cli import commands
from rosenblatt.data import read_svmlight, write_conll, write_svmlight
from rosenblatt.models import load_model

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, size=(60, 4)).astype(float)
Y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
WORDS = [["the", "cat", "sat"], ["a", "dog", "ran"], ["the", "dog", "sat"]] * 3
TAGS = [["D", "N", "V"]] * 9


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command in a folder of its own, as the shell does."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, stdin=None):
        monkeypatch.setattr(sys, "argv", ["rosenblatt", *map(str, arguments)])
        if stdin is not None:
            file = tmp_path / ".stdin"
            file.write_bytes(stdin)
            stream = open(file)  # noqa: SIM115
            monkeypatch.setattr(sys, "stdin", stream)
        capsys.readouterr()
        try:
            commands.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        if stdin is not None:
            stream.close()
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture
def train(tmp_path):
    write_svmlight(tmp_path / "train.svm", X, Y)
    return "train.svm"


def csv_of(rows, labels, label="label", order=None):
    names = [f"f{i}" for i in range(rows.shape[1])] + [label]
    order = order or names
    columns = dict(zip(names, [*rows.T.tolist(), list(labels)], strict=True))
    lines = [",".join(order)]
    lines += [",".join(str(columns[name][i]) for name in order) for i in range(len(labels))]
    return "\n".join(lines) + "\n"


def test_the_example_of_the_readme(run, train):
    done = run(
        "fit",
        train,
        "-o",
        "model.rosenblatt",
        "--kernel",
        "(Linear() + 1)**3",
        "--epochs",
        5,
        "--predictor",
        "vote",
    )
    assert done.code == 0, done.err
    assert "mistakes" in done.out
    again = load("model.rosenblatt")
    same = PerceptronClassifier((kernels.Linear() + 1) ** 3, epochs=5, predictor="vote", random_state=0).fit(
        read_svmlight(train).X, Y
    )
    assert again.ledger_ == same.ledger_
    assert run("predict", "model.rosenblatt", train).out.split() == [
        str(y) for y in same.predict(read_svmlight(train).X)
    ]


def test_results_for_machines(run, train):
    done = run("fit", train, "-o", "m", "--json")
    assert json.loads(done.out)["rounds"] == load("m").ledger_.rounds
    told = json.loads(run("evaluate", "m", train, "--json").out)
    assert told["rows"] == 60
    assert 0.5 < told["accuracy"] <= 1
    lines = run("predict", "m", train, "--json").out.splitlines()
    assert set(json.loads(lines[0])) == {"label", "score"}
    assert json.loads(run("inspect", "m", "--json").out)["classes"] == [-1, 1]
    assert json.loads(run("certify", "m", train, "--json").out)["mistakes"] == len(load("m").ledger_.mistakes)
    told = json.loads(run("explain", "m", train, "--row", 2, "--json").out)
    assert sum(e["importance"] * e["similarity"] for e in told["examples"]) == pytest.approx(told["score"])


def test_a_budget(run, train):
    assert (
        run("fit", train, "-o", "m", "--kernel", "RBF(gamma=0.1)", "--budget", 7, "--policy", "merging").code
        == 0
    )
    assert json.loads(run("inspect", "m", "--json").out)["stored_rows"] == 7
    assert "learner with a kernel" in run("fit", train, "-o", "n", "--budget", 7).err


def test_tables_for_people(run, train):
    run("fit", train, "-o", "m")
    assert "accuracy" in run("evaluate", "m", train).out
    assert "precision" in run("evaluate", "m", train, "--predictor", "last").out
    assert "PerceptronClassifier" in run("inspect", "m").out
    assert "Theorem." in run("certify", "m", train).out
    assert "importance" in run("explain", "m", train).out
    assert run("predict", "m", train, "--scores").out.splitlines()[0].count("\t") == 1


@pytest.mark.parametrize("opener", [gzip.open, lzma.open, open], ids=["gz", "xz", "plain"])
def test_compressed_files_are_read_as_they_are(run, train, tmp_path, opener):
    with opener(tmp_path / "packed", "wb") as file:
        file.write((tmp_path / train).read_bytes())
    assert run("fit", "packed", "-o", "m").code == 0
    assert load("m").ledger_ == PerceptronClassifier(random_state=0).fit(read_svmlight(train).X, Y).ledger_


def test_zstandard(run, train, tmp_path):
    zstandard = pytest.importorskip("zstandard")
    (tmp_path / "packed").write_bytes(zstandard.compress((tmp_path / train).read_bytes()))
    assert run("fit", "packed", "-o", "m").code == 0


def test_standard_input_and_output(run, train, tmp_path):
    text = (tmp_path / train).read_bytes()
    assert run("fit", "-", "-o", "m", "--epochs", 3, stdin=text).code == 0
    piped = run("predict", "m", "-", stdin=text).out
    assert piped == run("predict", "m", train).out
    assert run("predict", "m", train, "-o", "answers").out == ""
    assert (tmp_path / "answers").read_text() == piped


def test_csv_columns_are_matched_by_name(run, tmp_path):
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


def test_texts_and_empty_cells_in_tables(run, tmp_path):
    lines = ["size,colour,name,label", '1.5,red,"Smith, A",yes', "NA,blue,B,no", ",red,C,yes", "2,blue,D,no"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert run("fit", "t.csv", "-o", "m", "--id", "name").code == 0
    assert set(load_model("m").names) == {"size", "colour=red", "colour=blue"}
    assert run("predict", "m", "t.csv").out.splitlines()[0] == "Smith, A\tyes"
    (tmp_path / "t.tsv").write_text("\n".join(lines[0:1] + lines[2:]).replace(",", "\t"))
    assert run("predict", "m", "t.tsv").out.splitlines()[0] == "B\tno"


def test_json_lines_of_named_features(run, tmp_path):
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


def test_parquet_and_arrow(run, tmp_path):
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


def test_ranking(run, tmp_path):
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


def test_sequences(run, tmp_path):
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
    told = json.loads(run("evaluate", "m", "train.conll", "--json").out)
    assert told["token_accuracy"] == 1
    assert "did not keep them" in run("certify", "m", "train.conll").err
    assert run("fit", "train.conll", "-o", "m", "--keep").code == 0
    assert "Theorem." in run("certify", "m", "train.conll").out


def test_bad_lines_are_skipped_and_listed(run, tmp_path):
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
        (["fit", "train.svm", "-o", "no/such/folder/m"], 1, "folder of what is written must exist"),
        (["fit", "train.svm"], 2, "--output"),
        (["fit", "train.svm", "-o", "m", "--kernel", "Gauss()"], 2, "must be made of Linear"),
        (["fit", "train.svm", "-o", "m", "--rule", "Never()"], 2, "must be made of Perceptron"),
        (["fit", "train.svm", "-o", "m", "--epochs", "0"], 2, "--epochs"),
        (["fit", "train.svm", "-o", "m", "--predictor", "median"], 2, "median"),
        (["fit", "train.svm", "-o", "m", "--checkpoint", "often"], 2, "every=10000"),
        (["fit", "train.svm", "-o", "m", "--resume"], 1, "--checkpoint"),
        (["fit", "train.svm", "-o", "m", "--game", "sequence"], 1, "CoNLL"),
        (["fit", "train.svm", "-o", "m", "--game", "ranking"], 1, "query"),
        (["fit", "t.csv", "-o", "m", "--label", "klass"], 1, "There must be a column 'klass'"),
        (["fit", "one.svm", "-o", "m"], 1, "at least 2 classes"),
        (["fit", "empty", "-o", "m"], 1, "nothing in empty"),
        (["fit", "noise", "-o", "m"], 1, "--format"),
        (["fit", "cut.gz", "-o", "m"], 1, "broken"),
        (["fit", "many.svm", "-o", "m"], 1, "several labels"),
        (["predict", "train.svm", "train.svm"], 1, "cannot be read as a model"),
        (["predict", "nowhere", "train.svm"], 1, "nowhere: No such file"),
        (["predict", "model", "t.csv"], 1, "learned from svmlight"),
        (["tag", "model", "train.svm"], 1, "tag takes a PerceptronTagger"),
        (["rank", "model", "train.svm"], 1, "rank takes a PerceptronRanker"),
        (["explain", "model", "train.svm", "--row", "99"], 1, "There are 60 rows"),
        (["explain", "model", "train.svm", "--label", "7"], 1, "--label must be one of -1, 1"),
        (["certify", "model", "half.svm"], 1, "all of them"),
        (["sing"], 2, "sing"),
    ],
)
def test_what_goes_wrong_is_said_in_a_sentence(run, train, tmp_path, arguments, code, words):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,y\n")
    (tmp_path / "one.svm").write_text("1 1:1\n1 2:1\n")
    (tmp_path / "many.svm").write_text("1,3 1:1\n2 2:1\n")
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


def test_debug_shows_where_it_went_wrong(run):
    done = run("predict", "nowhere", "x", "--debug")
    assert done.code == 1
    assert "Traceback" in done.err


def test_a_new_label_in_a_later_block_asks_for_the_classes(run, tmp_path, monkeypatch):
    from rosenblatt.data import sources

    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=16, **k))
    (tmp_path / "t.svm").write_text("1 1:1\n2 2:1\n1 1:2\n3 3:1\n2 2:2\n3 3:2\n")
    assert "Name all classes" in run("fit", "t.svm", "-o", "m").err
    assert run("fit", "t.svm", "-o", "m", "--classes", "1,2,3").code == 0
    assert load("m").n_features_in_ == 3
    assert run("predict", "m", "t.svm").out.split() == list("121323")


def test_a_run_in_blocks_is_the_run_of_fit(run, train, monkeypatch):
    from rosenblatt.data import sources

    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=200, **k))
    assert run("fit", train, "-o", "m", "--no-shuffle", "--epochs", 4).code == 0
    same = PerceptronClassifier(shuffle=False, epochs=4).fit(read_svmlight(train).X, Y)
    assert load("m").ledger_ == same.ledger_
    assert np.array_equal(load("m").coef_, same.coef_)


def test_killed_runs_are_gone_on_with_to_the_same_bytes(tmp_path):
    script = Path(__file__).with_name("kills.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path, "5"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sum(kind["killed"] for kind in json.loads(done.stdout).values()) == 25


def test_another_file_or_option_is_not_gone_on_with(run, train, tmp_path):
    from rosenblatt.streams import Checkpoints

    about = {}
    checkpoints = Checkpoints(tmp_path / "m.checkpoint", 1, about)
    learner = PerceptronClassifier().fit(X, Y)
    from rosenblatt.streams import Place

    checkpoints.after(1, learner, Place(random=np.random.default_rng(0).bit_generator.state))
    done = run("fit", train, "-o", "m", "--checkpoint", "every=10", "--resume")
    assert done.code == 1
    assert "other data or options" in done.err


def test_help_of_every_command_has_an_example_and_fits_a_screen():
    for name in (
        "fit", "predict", "evaluate", "tag", "rank", "certify", "explain", "inspect", "convert", "demo"
    ):  # fmt: skip
        shown = CliRunner(env={"COLUMNS": "110"}).invoke(commands.app, [name, "--help"]).output
        assert f"rosenblatt {name}" in shown.strip().splitlines()[-1] + shown.strip().splitlines()[-2]
        assert len(shown.splitlines()) <= 48


def test_help_imports_next_to_nothing():
    code = (
        "import sys; from rosenblatt.cli import commands\n"
        "heavy = [name for name in ('numba', 'scipy', 'sklearn', 'rosenblatt.models') if name in sys.modules]\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_reader_that_has_enough_is_no_error(tmp_path):
    write_svmlight(tmp_path / "t.svm", np.tile(X, (200, 1)), np.tile(Y, 200))
    command = f"{sys.executable} -m rosenblatt.cli"
    subprocess.run(
        f"{command} fit t.svm -o m --epochs 1 -q",
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


def test_nothing_that_is_read_is_overwritten(run, train, tmp_path):
    before = (tmp_path / train).read_bytes()
    assert "must not replace what is read" in run("fit", train, "-o", train).err
    assert (tmp_path / train).read_bytes() == before
    run("fit", train, "-o", "m.json")
    for command in (
        ["predict", "m.json", train, "-o", "m.json"],
        ["predict", "m.json", train, "-o", train],
        ["convert", "m.json", "m.json"],
    ):
        assert "must not replace what is read" in run(*command).err
    assert (tmp_path / train).read_bytes() == before
    assert "What is written goes to a file" in run("fit", train, "-o", ".").err


def test_columns_that_were_not_learned_from_are_left_out(run, tmp_path):
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


def test_a_column_of_numbers_with_a_text_in_it_is_remarked_on(run, tmp_path):
    rows = [f"{i},{'xy'[i % 2]}" for i in range(40)]
    (tmp_path / "t.csv").write_text("size,label\n" + "\n".join([*rows, "abc,x"]))
    assert "'size' is taken for texts, because of 'abc' in line 42" in run("fit", "t.csv", "-o", "m").err
    (tmp_path / "t.csv").write_text("size,label\n" + "\n".join([*rows, "inf,x"]))
    assert "finite numbers. Got infinity in line 42" in run("fit", "t.csv", "-o", "m").err
    (tmp_path / "t.csv").write_text("size,qid,label\n1,a,1\n2,,0\n")
    assert (
        "Every row needs a query. Got none in line 3"
        in run("fit", "t.csv", "-o", "m", "--game", "ranking").err
    )


def test_labels_are_kept_to_the_last_digit(run, tmp_path):
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
def test_formats_are_told_by_what_is_in_a_file(tmp_path, text, kind):
    from rosenblatt.data.sources import format_of

    (tmp_path / "f").write_bytes(text)
    assert format_of(str(tmp_path / "f")) == kind


def test_huge_features_are_refused_at_once(run, tmp_path):
    (tmp_path / "t.svm").write_text("1 2000000000:1 2:1\n-1 1:1\n")
    assert "--hash-bits" in run("fit", "t.svm", "-o", "m").err
    assert run("fit", "t.svm", "-o", "m", "--hash-bits", 10).code == 0
    assert "--no-keep" in run("fit", "t.svm", "-o", "n", "--no-keep", "--predictor", "vote").err


def test_lists_are_ranked_whole_wherever_blocks_end(run, tmp_path, monkeypatch):
    from rosenblatt.data import sources

    write_svmlight(tmp_path / "lists.svm", X, (Y + 1) // 2, np.arange(60) // 20)
    run("fit", "lists.svm", "-o", "m", "--game", "ranking", "--strategy", "best", "--predictor", "vote")
    whole = {name: run(name, "m", "lists.svm").out for name in ("rank", "predict", "evaluate")}
    blocks = sources.svmlight_blocks
    monkeypatch.setattr(sources, "svmlight_blocks", lambda *a, **k: blocks(*a, block_bytes=200, **k))
    assert whole == {name: run(name, "m", "lists.svm").out for name in whole}


def test_conllu_is_read_by_every_command(run, tmp_path):
    line = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    text = "".join(line.format(1, "the", "DET") + line.format(2, "cat", "NOUN") + "\n" for _ in range(4))
    (tmp_path / "t.conllu").write_text("# text\n" + text)
    assert run("fit", "t.conllu", "-o", "m", "--format", "conll", "--keep").code == 0
    assert run("tag", "m", "t.conllu").out.startswith("the DET\ncat NOUN\n")
    assert json.loads(run("evaluate", "m", "t.conllu", "--json").out)["token_accuracy"] == 1
    assert "Theorem." in run("certify", "m", "t.conllu").out


def test_options_are_those_of_the_library():
    from rosenblatt import budgets, predictors
    from rosenblatt.cli import options
    from rosenblatt.data.sources import FORMATS

    assert tuple(options.Policy) == budgets.POLICIES
    assert tuple(options.Predictor) == predictors.NAMES
    assert tuple(options.Format) == FORMATS


def test_a_model_of_objects_can_be_asked_about_a_table(run, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"label": "x", "colour": "red"}\n{"label": "y", "colour": "blue"}\n')
    run("fit", "t.jsonl", "-o", "m")
    (tmp_path / "t.csv").write_text("colour\nblue\nred\n")
    assert run("predict", "m", "t.csv").out.split() == ["y", "x"]
