"""fit --scale: columns are scaled by the file that is learned from, and by its numbers ever after."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import load
from rosenblatt.data import sources, write_svmlight
from rosenblatt.persistence import load_model, save

RANDOM = np.random.default_rng(5)
INCOME, AGE = RANDOM.lognormal(10, 1, 60).round(), RANDOM.integers(18, 90, 60)
YES = np.log(INCOME) + AGE / 20 + RANDOM.normal(size=60) > 12.7
TOWN = [["Rome", "Oslo"][i % 2] for i in range(60)]


def write(path, columns):
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    Path(path).write_text("\n".join(lines) + "\n")


COLUMNS = {"income": INCOME.tolist(), "age": AGE.tolist()}
LABELS = {"label": ["yes" if y else "no" for y in YES]}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("dense.csv", COLUMNS | LABELS)
    write("mixed.csv", COLUMNS | {"town": TOWN} | LABELS)
    write("lists.csv", COLUMNS | {"qid": [i // 6 for i in range(60)], "label": YES.astype(int).tolist()})
    write_svmlight("rows.svm", np.column_stack([INCOME, AGE]), YES.astype(int))
    rows = zip(INCOME.tolist(), AGE.tolist(), TOWN, LABELS["label"], strict=True)
    objects = (dict(zip(("income", "age", "town", "label"), row, strict=True)) for row in rows)
    Path("rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in objects))


FILES = ["dense.csv", "mixed.csv", "lists.csv", "rows.svm", "rows.jsonl"]


def options_of(file):
    return ["--game", "ranking"] if file == "lists.csv" else []


@pytest.mark.parametrize("scale", ["standard", "quantile"])
def test_scaling_is_that_of_scaled_columns(run, files, scale):
    """The model of a dense table is that of the table with columns scaled beforehand."""
    X = np.column_stack([INCOME, AGE])
    if scale == "standard":
        scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    else:
        below, not_above = ((X[:, None] > X).sum(axis=1), (X[:, None] >= X).sum(axis=1))
        scaled = (below + not_above + 1) / (2 * (len(X) + 1))
    write("scaled.csv", {"income": scaled[:, 0].tolist(), "age": scaled[:, 1].tolist()} | LABELS)
    assert run("fit", "dense.csv", "-o", "m", "--scale", scale).code == 0
    assert run("fit", "scaled.csv", "-o", "same").code == 0
    np.testing.assert_allclose(load("m").coef_, load("same").coef_)
    assert run("predict", "m", "dense.csv").out == run("predict", "same", "scaled.csv").out
    assert run("certify", "m", "dense.csv").code == 0


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("scale", ["standard", "quantile"])
def test_every_command_scales(run, files, file, scale):
    done = run("fit", file, "-o", "m", "--scale", scale, *options_of(file))
    assert done.code == 0, done.err
    assert done.err == ""
    model = load_model("m")
    assert np.abs(model.estimator.run_.support.rows.data).max() < 10
    commands = [["predict"], ["evaluate"], ["certify"], ["rank"] if file == "lists.csv" else ["explain"]]
    for command, *more in commands:
        done = run(command, "m", file, *more)
        assert done.code == 0, done.err
    assert json.loads(run("inspect", "m", "--json").out)["scaled"] == scale
    plain = {name: value for name, value in model.notes.items() if name != "scaling"}
    save(model.estimator, "unscaled", plain, model.names)
    shown = [run("predict", name, file, "--json").out for name in ("m", "unscaled")]
    assert shown[0] != shown[1]


@pytest.mark.parametrize("scale", ["standard", "quantile"])
def test_scaled_model_of_a_table_reads_objects_and_the_reverse(run, files, scale):
    rows = zip(INCOME.tolist(), AGE.tolist(), strict=True)
    objects = (dict(zip(("income", "age"), row, strict=True)) for row in rows)
    Path("dense.jsonl").write_text("".join(json.dumps(each | {"label": 1}) + "\n" for each in objects))
    run("fit", "dense.csv", "-o", "m", "--scale", scale)
    assert run("predict", "m", "dense.jsonl").out == run("predict", "m", "dense.csv").out
    run("fit", "rows.jsonl", "-o", "m", "--scale", scale)
    assert run("predict", "m", "mixed.csv").out == run("predict", "m", "rows.jsonl").out


def test_scaling_helps_where_columns_are_far_apart(run, files):
    def accuracy(*options):
        run("fit", "dense.csv", "-o", "m", "--max-iter", "20", *options)
        return json.loads(run("evaluate", "m", "dense.csv", "--json").out)["accuracy"]

    assert accuracy("--scale", "standard") > accuracy() + 0.1
    assert accuracy("--scale", "quantile") > accuracy() + 0.1


@pytest.mark.parametrize("file", FILES)
def test_scaling_in_blocks_from_standard_input_and_with_checkpoints_is_the_same(
    run, files, file, monkeypatch
):
    monkeypatch.setattr("rosenblatt.data.tables.ROWS", 18)
    given = ["--scale", "quantile", "--max-iter", "3", *options_of(file)]
    assert run("fit", file, "-o", "m", *given).code == 0
    format_of = {"svm": "svmlight", "csv": "csv", "jsonl": "jsonl"}[file.partition(".")[2]]
    done = run("fit", "-", "-o", "piped", "--format", format_of, *given, stdin=Path(file).read_bytes())
    assert done.code == 0, done.err
    assert Path("m").read_bytes() == Path("piped").read_bytes()
    assert run("fit", file, "-o", "saved", "--checkpoint", "every=20", *given).code == 0
    assert load("m").ledger_ == load("saved").ledger_
    assert run("predict", "m", file).out == run("predict", "saved", file).out
    monkeypatch.setattr(sources, "KEPT", 100)  # read again in every epoch
    assert run("fit", file, "-o", "again", *given).code == 0
    assert Path("m").read_bytes() == Path("again").read_bytes()


def test_strings_are_not_scaled(run, files):
    run("fit", "mixed.csv", "-o", "m", "--scale", "standard")
    model = load_model("m")
    scale = dict(zip(model.names, model.notes["scaling"]["scale"], strict=True))
    assert scale["town=Rome"] == scale["town=Oslo"] == 1
    assert scale["income"] == pytest.approx(np.sqrt(np.mean(INCOME**2)))


def test_scale_and_hash_bits_exclude_each_other(run, files):
    done = run("fit", "dense.csv", "-o", "m", "--scale", "standard", "--hash-bits", "4")
    assert done.code == 2
    assert "--scale scales every feature by itself" in " ".join(done.err.split())


def test_exports_refuse_scaled_models(run, files):
    run("fit", "dense.csv", "-o", "m", "--scale", "standard")
    for out in ("m.json", "m.onnx"):
        done = run("convert", "m", out)
        assert done.code == 1
        assert "without the scaling of its rows. Got a model of fit --scale" in done.err
        assert not Path(out).exists()


def test_forged_scaling_is_refused(run, files):
    run("fit", "dense.csv", "-o", "m", "--scale", "standard")
    model = load_model("m")
    save(model.estimator, "forged", model.notes | {"scaling": {"method": "standard"}}, model.names)
    for command in ("predict", "evaluate", "certify", "explain"):
        done = run(command, "forged", "dense.csv")
        assert done.code == 1
        assert "note on scaling" in done.err
        assert "Traceback" not in done.err
    done = run("fit", "dense.csv", "--continue", "forged", "-o", "n")
    assert "note on scaling" in done.err


REMARK = "the scales of columns differ by a factor above 1,000: "


def test_columns_that_are_far_apart_are_remarked_on(run, files):
    write("far.csv", {"income": (INCOME * 100).tolist(), "age": (AGE / 90).tolist()} | LABELS)
    done = run("fit", "far.csv", "-o", "m")
    shown = f"{REMARK}'income' up to {INCOME.max() * 100:,.6g}, 'age' up to {AGE.max() / 90:,.6g}. Try --scale standard"
    assert done.err.startswith(shown)
    assert done.err.count("\n") == 1
    write_svmlight("far.svm", np.column_stack([INCOME * 100, AGE / 90]), YES.astype(int))
    assert f"{REMARK}feature 1 up to" in run("fit", "far.svm", "-o", "m").err
    assert run("fit", "far.csv", "--continue", "n", "-o", "n").code == 1
    for silent in (["--quiet"], ["--scale", "none"], ["--scale", "standard"], ["--scale", "quantile"]):
        assert run("fit", "far.csv", "-o", "m", *silent).err == ""


def test_columns_that_are_alike_are_not_remarked_on(run, files):
    write("near.csv", {"a": (INCOME / INCOME.max()).tolist(), "b": RANDOM.normal(size=60).tolist()} | LABELS)
    assert run("fit", "near.csv", "-o", "m").err == ""
