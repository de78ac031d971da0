"""The option --text: the words of a column are features, in `fit` and in all that answers by its model."""

import csv
import io
import json

import numpy as np
import pytest

from rosenblatt import PerceptronClassifier, load
from rosenblatt.features import Words
from rosenblatt.persistence import load_model

REVIEWS = ["good, really good!", "bad food", "", "really GOOD food", "Bad bad bad", "food: good 42"]
STARS = [5, 1, 3, 4, 1, 5]
LABELS = ["yes", "no", "no", "yes", "no", "yes"]
ROWS = [
    {"stars": stars, "review": review, "label": label}
    for stars, review, label in zip(STARS, REVIEWS, LABELS, strict=True)
]


def write(path, rows):
    """Write rows in the format of the suffix."""
    if path.endswith("jsonl"):
        text = "".join(json.dumps({k: v for k, v in row.items() if v != ""}) + "\n" for row in rows)
    elif path.endswith("parquet"):
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        return
    else:
        out = io.StringIO()
        writer = csv.DictWriter(out, rows[0], delimiter="\t" if path.endswith("tsv") else ",")
        writer.writeheader()
        writer.writerows(rows)
        text = out.getvalue()
    with open(path, "w") as file:
        file.write(text)


def examples_of(rows):
    """Return rows as dicts of features, as the option defines them."""
    return [
        {"stars": row["stars"]} | {f"review={word}": value for word, value in Words()(row["review"]).items()}
        for row in rows
    ]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_words_of_a_column_are_features(run, suffix):
    write(f"t.{suffix}", ROWS * 3)
    done = run("fit", f"t.{suffix}", "-o", "m", "--text", "review", "--no-shuffle", "--predictor", "last")
    assert done.code == 0, done.err
    learner = PerceptronClassifier(shuffle=False, predictor="last").fit(examples_of(ROWS * 3), LABELS * 3)
    assert load("m").ledger_ == learner.ledger_
    names = load_model("m").names
    assert set(names) == set(learner.vocabulary_)
    order = [learner.vocabulary_[name] for name in names]
    assert load("m").coef_ == pytest.approx(learner.coef_[:, order])
    new = [
        {"stars": 2, "review": "unheard of, but good", "label": "yes"},
        {"stars": 9, "review": "", "label": "no"},
    ]
    write(f"new.{suffix}", new)
    done = run("predict", "m", f"new.{suffix}", "--scores")
    scores = [float(line.split("\t")[1]) for line in done.out.splitlines()]
    assert scores == pytest.approx(learner.decision_function(examples_of(new)).tolist())
    assert "new, left out" not in done.err
    assert json.loads(run("evaluate", "m", f"t.{suffix}", "--json").out)["accuracy"] == 1
    assert json.loads(run("certify", "m", f"t.{suffix}", "--json").out)["mistakes"] == learner.ledger_.errors
    assert json.loads(run("inspect", "m", "--json").out)["text"] == "review"
    assert "Got a model of fit --text" in run("convert", "m", "m.json").err
    features = json.loads(run("explain", "m", f"new.{suffix}", "--json").out)["features"]
    ours = learner.explain(examples_of(new)[0])
    assert [f["feature"] for f in features] == ours.features
    assert np.allclose([f["value"] for f in features], ours.value)


def test_text_goes_with_other_options(run):
    write("t.csv", [row | {"colour": "red" if row["stars"] > 3 else "blue"} for row in ROWS])
    options = ["t.csv", "-o", "m", "--text", "review"]
    assert run("fit", *options, "--ignore", "stars,colour").code == 0
    assert all(name.startswith("review=") for name in load_model("m").names)
    assert run("fit", *options, "--scale", "standard").code == 0
    assert run("evaluate", "m", "t.csv").code == 0
    assert run("fit", *options, "--kernel", "rbf", "--hash-bits", "4").code == 0
    assert run("predict", "m", "t.csv").out.split() == LABELS
    assert run("fit", *options).code == 0
    write("more.csv", [{"stars": 1, "review": "dreadful", "label": "no", "colour": "green"}])
    done = run("fit", "more.csv", "-o", "n", "--continue", "m")
    assert done.code == 0, done.err
    assert "review=dreadful" in load_model("n").names
    write("without.csv", [{"stars": 1, "label": "no", "colour": "green"}])
    assert "missing, counted as 0: review" in run("predict", "n", "without.csv").err


def test_text_of_lists_ranks(run):
    write("lists.csv", [row | {"qid": i // 3, "label": STARS[i]} for i, row in enumerate(ROWS)])
    assert run("fit", "lists.csv", "-o", "m", "--query", "qid", "--text", "review").code == 0
    assert "review=good" in load_model("m").names
    assert len(run("rank", "m", "lists.csv").out.splitlines()) == 6


@pytest.mark.parametrize("value", [["a", "b"], {"a": 1}])
def test_text_of_an_object_is_a_string(run, value):
    write("t.jsonl", [*ROWS, {"review": value, "label": "yes"}])
    done = run("fit", "t.jsonl", "-o", "m", "--text", "review")
    assert done.code == 1
    assert "Line 7 of t.jsonl is bad: its 'review', which is the text, must be a string" in done.err
    assert run("fit", "t.jsonl", "-o", "m", "--text", "review", "--skip-bad", "1").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["t.csv", "--text", "nothing"], "There must be a column 'nothing' with the text in t.csv"),
        (["t.jsonl", "--text", "nothing"], "There must be a column 'nothing' with the text in t.jsonl"),
        (["t.csv", "--text", "label"], "A column has one role. Got 'label' for --label and --text"),
        (["t.csv", "--text", "review", "--ignore", "review"], "Got 'review' for --text and --ignore"),
        (["t.csv", "--text", "review", "--id", "review"], "Got 'review' for --id and --text"),
        (["t.svm", "--text", "review"], "--text applies to csv"),
        (["t.conll", "--text", "0"], "--text applies to classification"),
        (["t.csv", "--continue", "m", "--text", "stars"], "A run that continues keeps its --text"),
    ],
)
def test_text_is_refused_where_it_makes_no_sense(run, tmp_path, arguments, words):
    write("t.csv", ROWS)
    write("t.jsonl", ROWS)
    (tmp_path / "t.svm").write_text("1 1:2\n0 2:1\n")
    (tmp_path / "t.conll").write_text("a X\nb Y\n\nb Y\n")
    assert run("fit", "t.csv", "-o", "m", "--text", "review").code == 0
    done = run("fit", *arguments, "-o", "n")
    assert done.code == 2
    assert words in done.err
