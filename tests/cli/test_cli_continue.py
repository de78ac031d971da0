"""fit --continue: the run of a model continues with another file, as if the two had been one."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import load
from rosenblatt.data import write_svmlight
from rosenblatt.persistence import load_model

RANDOM = np.random.default_rng(3)
COLOURS = ["red", "green", "blue", "grey", "pink"]


def table(header, rows, separator=","):
    return "\n".join(separator.join(map(str, row)) for row in [header, *rows]) + "\n"


def rows_of(count, colours):
    """Rows of two numbers, a colour and a label that both are about."""
    made = []
    for _ in range(count):
        a, b, colour = *RANDOM.integers(-3, 4, 2).tolist(), colours[RANDOM.integers(len(colours))]
        made.append([a, b, colour, "yes" if a + b + 2 * (colour == "red") > RANDOM.integers(-1, 2) else "no"])
    return made


def svmlight(path, count, features, queries=False):
    X = RANDOM.integers(-2, 3, size=(count, features)).astype(float)
    y = np.clip(X[:, 0] + X[:, 1] + RANDOM.integers(-1, 2, count), 0, 2).astype(int)
    write_svmlight(path, X, y, 100 * (features == 6) + np.arange(count) // 5 if queries else None)
    return Path(path).read_text()


def conll(count, words):
    lines = []
    for _ in range(count):
        for word in RANDOM.integers(0, words, 4).tolist():
            lines.append(f"w{word}\t{'XYZ'[(word + RANDOM.integers(2)) % 3]}")
        lines.append("")
    return "\n".join(lines) + "\n"


def written(name):
    """Write files a, b, and ab, which is both together; return their suffix and the options to learn with."""
    if name in ("svmlight", "ranking", "kernel"):
        a, b = (svmlight(f"{part}.svm", 40, 4 + 2 * (part == "b"), name == "ranking") for part in "ab")
        Path("ab.svm").write_text(a + b)
        more = {
            "ranking": ["--game", "ranking", "--strategy", "best"],
            "kernel": ["--kernel", "Polynomial(2)", "--rule", "perceptron"],
        }
        return ".svm", more.get(name, [])
    if name == "conll":
        a, b = conll(20, 6), conll(20, 9)
        Path("a.conll").write_text(a)
        Path("b.conll").write_text(b)
        Path("ab.conll").write_text(a + b)
        return ".conll", ["--keep"]
    a, b = rows_of(40, COLOURS[:3]), rows_of(40, COLOURS)
    header = ["a", "b", "colour", "label"]
    for part, rows in (("a", a), ("b", b), ("ab", a + b)):
        if name == "csv":
            Path(f"{part}.csv").write_text(table(header, rows))
        elif name == "numbers":
            Path(f"{part}.csv").write_text(table(["a", "b", "label"], [[r[0], r[1], r[3]] for r in rows]))
        else:
            objects = (dict(zip(header, row, strict=True)) for row in rows)
            Path(f"{part}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in objects))
    return (".jsonl" if name == "jsonl" else ".csv"), []


KINDS = ["svmlight", "kernel", "ranking", "csv", "numbers", "jsonl", "conll"]


@pytest.mark.parametrize("name", KINDS)
def test_continued_run_is_that_over_both_files(run, tmp_path, name):
    suffix, options = written(name)
    once = ["--max-iter", "1"]
    for made in (
        run("fit", f"a{suffix}", "-o", "m", "--no-shuffle", *once, *options)
        if name != "ranking"
        else run("fit", f"a{suffix}", "-o", "m", *once, *options, "--no-shuffle"),
        run("fit", f"b{suffix}", "--continue", "m", "-o", "both", *once),
        run("fit", f"ab{suffix}", "-o", "whole", "--no-shuffle", *once, *options),
    ):
        assert made.code == 0, made.err
    both, whole = load_model("both"), load_model("whole")
    assert both.estimator.ledger_ == whole.estimator.ledger_
    assert both.names == whole.names
    assert both.notes == whole.notes
    assert both.estimator.get_params() == whole.estimator.get_params()
    shown = {model: run("predict", model, f"ab{suffix}").out for model in ("both", "whole")}
    assert shown["both"] == shown["whole"]
    if name != "kernel":
        assert run("certify", "both", f"ab{suffix}").out == run("certify", "whole", f"ab{suffix}").out


@pytest.mark.parametrize(
    "options", [["--kernel", "rbf"], ["--kernel", "rbf", "--budget", "9"], ["--predictor", "recent"]]
)
def test_continued_run_keeps_its_kernel_and_what_it_follows(run, tmp_path, options):
    written("csv")
    assert run("fit", "a.csv", "-o", "m", *options).code == 0
    done = run("fit", "b.csv", "--continue", "m", "-o", "n")
    assert done.code == 0, done.err
    first, second = load("m"), load("n")
    assert second.run_.kernel == first.run_.kernel
    assert second.ledger_.rounds == 2 * first.ledger_.rounds
    assert run("evaluate", "n", "b.csv").code == 0


def test_continued_model_may_be_replaced(run, tmp_path):
    written("csv")
    assert run("fit", "a.csv", "-o", "m").code == 0
    before = load("m").ledger_.rounds
    assert run("fit", "b.csv", "--continue", "m", "-o", "m").code == 0
    assert load("m").ledger_.rounds > before
    assert load("m").warm_start is False


def test_continued_run_plays_as_many_epochs_as_before_or_those_that_are_asked_for(run, tmp_path):
    written("csv")
    run("fit", "a.csv", "-o", "m", "--max-iter", "3")
    run("fit", "b.csv", "--continue", "m", "-o", "same")
    run("fit", "b.csv", "--continue", "m", "-o", "five", "--max-iter", "5")
    assert [load(model).ledger_.rounds for model in ("m", "same", "five")] == [120, 240, 320]
    assert load("five").max_iter == 5


def test_continued_run_reads_standard_input(run, tmp_path):
    written("csv")
    run("fit", "a.csv", "-o", "m")
    run("fit", "b.csv", "--continue", "m", "-o", "file")
    done = run("fit", "-", "--continue", "m", "-o", "piped", stdin=Path("b.csv").read_bytes())
    assert done.code == 0, done.err
    assert Path("file").read_bytes() == Path("piped").read_bytes()


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        (["--rule", "perceptron"], "rule"),
        (["--predictor", "last"], "predictor"),
        (["--seed", "7"], "random_state"),
        (["--no-shuffle"], "shuffle"),
        (["--class-weight", "yes=3"], "class_weight"),
    ],
)
def test_continued_run_honours_options_that_may_change(run, tmp_path, options, changed):
    written("csv")
    run("fit", "a.csv", "-o", "m")
    for model, more in (("plain", []), ("other", options)):
        done = run("fit", "b.csv", "--continue", "m", "-o", model, *more)
        assert done.code == 0, done.err
    plain, other = load("plain"), load("other")
    assert repr(plain.get_params()[changed]) != repr(other.get_params()[changed])
    if changed != "predictor":
        assert not np.array_equal(plain.ledger_.when, other.ledger_.when)


@pytest.mark.parametrize(
    "options",
    [
        ["--kernel", "rbf"], ["--multiclass", "ovr"], ["--no-intercept"], ["--scale", "standard"], ["--budget", "5"],
        ["--policy", "oldest"], ["--hash-bits", "4"], ["--classes", "yes,no"], ["--keep"], ["--label", "a"],
        ["--target", "a"], ["--id", "a"], ["--ignore", "a"], ["--query", "a"], ["--strategy", "best"],
        ["--template", "t"], ["--scheme", "IOB2"],
    ],
)  # fmt: skip
def test_continued_run_refuses_options_of_the_model(run, tmp_path, options):
    written("csv")
    run("fit", "a.csv", "-o", "m")
    done = run("fit", "b.csv", "--continue", "m", "-o", "n", *options)
    assert done.code == 2
    option = options[0].replace("--no-", "--")
    assert f"A run that continues keeps its {option}. Got another: leave it out." in " ".join(
        done.err.split()
    )
    assert not Path("n").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["b.csv", "--continue", "m", "--game", "ranking"],
            2,
            "keeps its game. Got --game ranking for a model of",
        ),
        (
            ["b.jsonl", "--continue", "m"],
            1,
            "on a file like its first, a table. Got b.jsonl, which is jsonl.",
        ),
        (["b.svm", "--continue", "m"], 1, "on a file like its first, a table. Got b.svm, which is svmlight."),
        (["b.csv", "--continue", "l"], 1, "on a file like its first, svmlight. Got b.csv, which is csv."),
        (["b.csv", "--continue", "s"], 1, "A tagger reads CoNLL files. Got b.csv, which is csv"),
        (["b.csv", "--continue", "s", "--format", "csv"], 2, "A tagger reads CoNLL files. Got --format csv"),
        (["b.csv", "--continue", "nowhere"], 1, "nowhere: No such file or directory"),
        (["b.csv", "--continue", "b.csv"], 1, "b.csv cannot be read as a model"),
        (["b.svm", "--continue", "l", "--shuffle"], 2, "Got a model with --strategy pairs"),
        (
            ["b.svm", "--continue", "l", "--class-weight", "0=2"],
            2,
            "--class-weight applies to classification",
        ),
        (["b.csv", "--continue", "m", "--predictor", "recent"], 2, "is followed from the first round on"),
        (
            ["b.csv", "--continue", "forgets", "--predictor", "vote"],
            2,
            "--predictor vote needs corrected rows",
        ),
        (["c.csv", "--continue", "m"], 2, "There must be a column 'label' with the label in c.csv"),
        (["d.csv", "--continue", "m"], 1, "the column 'b' holds finite numbers"),
        (["b.csv", "--continue", "m", "--checkpoint", "every=9", "-o", "m"], 2, "until the run ends"),
        (["-", "--continue", "m", "--checkpoint", "every=9"], 2, "standard input cannot be resumed"),
    ],
)
def test_continued_run_refuses_other_files(run, tmp_path, arguments, code, words):
    for name in ("jsonl", "ranking", "conll", "csv"):
        written(name)
    Path("c.csv").write_text("a,b,colour\n1,2,red\n")
    Path("d.csv").write_text("a,b,colour,label\n1,x,red,yes\n")
    assert run("fit", "a.csv", "-o", "m").code == 0
    assert run("fit", "a.csv", "-o", "forgets", "--no-keep").code == 0
    assert run("fit", "a.svm", "-o", "l", "--game", "ranking").code == 0
    assert run("fit", "a.conll", "-o", "s").code == 0
    before = Path("m").read_bytes()
    given = arguments if "-o" in arguments else [*arguments, "-o", "n"]
    done = run("fit", *given)
    assert done.code == code, done.err
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert not Path("n").exists()
    assert Path("m").read_bytes() == before


def test_continued_run_needs_a_model_of_rows_from_the_command_line(run, tmp_path):
    from rosenblatt import PerceptronClassifier, save

    written("csv")
    save(PerceptronClassifier().fit([[0.0], [1.0]], ["no", "yes"]), "m")
    done = run("fit", "b.csv", "--continue", "m", "-o", "n")
    assert done.code == 1
    assert "was not learned from a file of rows by the command line" in done.err


def test_continued_table_reports_missing_and_new_columns(run, tmp_path):
    written("csv")
    run("fit", "a.csv", "-o", "m")
    Path("b.csv").write_text("a,size,colour,label\n1,5,red,yes\n-2,5,red,no\n")
    done = run("fit", "b.csv", "--continue", "m", "-o", "n")
    assert done.err == "missing, counted as 0: b\nnew, left out: size\n"
    assert load_model("n").names == load_model("m").names
    assert run("fit", "b.csv", "--continue", "m", "-o", "n", "--quiet").err == ""


def test_continued_run_keeps_the_weights_of_classes_and_gives_new_ones_1(run, tmp_path):
    Path("a.csv").write_text("x,label\n1,p\n2,q\n3,p\n")
    Path("b.csv").write_text("x,label\n1,r\n2,r\n")
    run("fit", "a.csv", "-o", "m", "--class-weight", "p=2,q=3")
    done = run("fit", "b.csv", "--continue", "m", "-o", "n")
    assert done.code == 0, done.err
    assert load("n").class_weight == {"p": 2.0, "q": 3.0}
    assert load("n").classes_.tolist() == ["p", "q", "r"]


@pytest.mark.parametrize("scale", ["standard", "quantile"])
@pytest.mark.parametrize("name", ["numbers", "csv", "svmlight"])
def test_continued_run_scales_as_the_first(run, tmp_path, scale, name):
    suffix, options = written(name)
    run("fit", f"a{suffix}", "-o", "m", "--scale", scale, *options)
    done = run("fit", f"b{suffix}", "--continue", "m", "-o", "n")
    assert done.code == 0, done.err
    assert load_model("n").notes["scaling"] == load_model("m").notes["scaling"]
    assert run("evaluate", "n", f"b{suffix}").code == 0


def test_continued_run_has_checkpoints(run, tmp_path):
    written("csv")
    run("fit", "a.csv", "-o", "m")
    run("fit", "b.csv", "--continue", "m", "-o", "plain")
    done = run("fit", "b.csv", "--continue", "m", "-o", "saved", "--checkpoint", "every=30")
    assert done.code == 0, done.err
    assert load("plain").ledger_ == load("saved").ledger_
    assert load_model("plain").notes == load_model("saved").notes
    assert load("plain").get_params() == load("saved").get_params()
    assert not Path("saved.checkpoint").exists()


def test_continued_run_does_not_resume_another_model(run, tmp_path, monkeypatch):
    from rosenblatt.streaming import Checkpoints

    written("csv")
    run("fit", "a.csv", "-o", "m")
    monkeypatch.setattr(Checkpoints, "done", lambda self: None)
    given = ["fit", "b.csv", "--continue", "m", "-o", "n", "--checkpoint", "every=30"]
    assert run(*given).code == 0
    shutil.copy("n", "whole")
    done = run(*given, "--resume")
    assert done.code == 0, done.err
    assert "resuming after" in done.err
    assert Path("n").read_bytes() == Path("whole").read_bytes()
    run("fit", "a.csv", "-o", "m", "--seed", "1")
    assert "other data or options" in run(*given, "--resume").err
