"""An example of every option of every command, with what it must change where it applies."""

import json
from dataclasses import dataclass

import numpy as np

from rosenblatt import load
from rosenblatt.data import write_svmlight
from rosenblatt.persistence import load_model

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.integers(-3, 4, size=(48, 4)).astype(float)
GRADES = np.clip(ROWS[:, 0] + ROWS[:, 1] + RANDOM.integers(-1, 2, 48), -1, 1).astype(int) + 1
"""Three classes, or grades, that no line separates."""

SETTINGS = {
    ("classification", "csv"): "rows.csv",
    ("classification", "svmlight"): "rows.svm",
    ("classification", "parquet"): "rows.parquet",
    ("ranking", "csv"): "lists.csv",
    ("ranking", "svmlight"): "lists.svm",
    ("sequence", "conll"): "words.conll",
}
"""Games and formats, each with the file that is learned from."""


def table(query):
    """Columns by name."""
    columns = {f"f{i}": ROWS[:, i].tolist() for i in range(4)}
    columns |= {"name": [f"row{i}" for i in range(48)], "label": GRADES.tolist()}
    columns |= {"other": ((ROWS[:, 2] > 0) + 0).tolist()}
    queries = {"qid": [i // 6 for i in range(48)], "list": [i // 12 for i in range(48)]}
    return columns | (queries if query else {})


def write_csv(path, columns, bad=False):
    lines = [",".join(columns)] + [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([*lines, *(["1,2"] if bad else [])]) + "\n")


def write_files(folder):
    """All files of the settings, and beside each, where lines can be bad, one with a bad line."""
    for name, query in (("rows", False), ("lists", True)):
        write_csv(folder / f"{name}.csv", table(query))
        write_csv(folder / f"bad_{name}.csv", table(query), bad=True)
        write_svmlight(folder / f"{name}.svm", ROWS, GRADES, np.arange(48) // 6 if query else None)
        text = (folder / f"{name}.svm").read_text()
        (folder / f"bad_{name}.svm").write_text(text + "1 qid:1 x\n")
    columns = table(False)
    objects = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    text = "\n".join(map(json.dumps, objects)) + "\n"
    (folder / "rows.jsonl").write_text(text)
    (folder / "bad_rows.jsonl").write_text(text + "{\n")
    write_parquet(folder / "rows.parquet")
    write_parquet(folder / "bad_rows.parquet")
    lines = []
    for _ in range(24):
        for word in RANDOM.integers(0, 3, 3).tolist():
            lines.append(f"w{word} {'B-X' if word == RANDOM.integers(3) else 'O'}")
        lines.append("")
    (folder / "words.conll").write_text("\n".join(lines) + "\n")
    (folder / "bad_words.conll").write_text("\n".join(lines) + "\nodd\n\n")
    (folder / "template").write_text("U00:%x[0,0]\n")


def write_parquet(path):
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return
    parquet.write_table(pyarrow.table(table(False)), path)


def ledger(model):
    return load(model).ledger_


def parameters(model):
    return {name: repr(value) for name, value in load(model).get_params().items()}


def names(model):
    return load_model(model).names


def classes(model):
    return load(model).classes_.tolist()


def stored(model):
    return len(load(model)._run.hypothesis.support)


def width(model):
    estimator = load(model)
    return estimator._labeller.encoder.width if hasattr(estimator, "_labeller") else estimator.n_features_in_


def ids(model):
    return load_model(model).notes["table"]["id"]


@dataclass(frozen=True)
class Example:
    """How an option is given, and what it must change.

    Parameters
    ----------
    arguments
        The option and its value; or these by game or by format.
    beside
        Options that are given also where this one is left out for comparison; or these by game.
    effect
        A function of the model that is written; "shown" for what is printed, "written" for the file that is
        written, "mends" for a command that fails without it; None where it must only be accepted.
    """

    arguments: object
    effect: object
    beside: object = ()


def by(given, game, kind):
    """The arguments for a game and a format."""
    return [*(given.get(game, given.get(kind, ())) if isinstance(given, dict) else given)]


KERNEL = ("--kernel", "RBF(gamma=0.1)")
FORMAT = Example({kind: ("--format", kind) for _, kind in SETTINGS}, None)
QUIET, JSON = Example(["--quiet"], None), Example(["--json"], "shown")
SKIP_BAD = Example(["--skip-bad", "1"], "mends")
OUTPUT = Example(["--output", "out"], "shown")

EXAMPLES = {
    "fit": {
        "--output": Example(["--output", "m"], None),
        "--game": Example({game: ("--game", game) for game, _ in SETTINGS}, None),
        "--kernel": Example(KERNEL, ledger),
        "--rule": Example(["--rule", "Margin(beta=50)"], ledger),
        "--epochs": Example(["--epochs", "1"], ledger),
        "--predictor": Example(["--predictor", "last"], parameters),
        "--seed": Example(["--seed", "7"], ledger),
        "--shuffle": Example(["--no-shuffle"], ledger, {"ranking": ("--strategy", "best")}),
        "--multiclass": Example(["--multiclass", "one-vs-rest"], ledger),
        "--strategy": Example(["--strategy", "best"], ledger),
        "--template": Example(["--template", "template"], ledger),
        "--scheme": Example(["--scheme", "IOB2"], parameters),
        "--label": Example(
            {"sequence": ("--label", "0")}
            | dict.fromkeys(("classification", "ranking"), ("--label", "other")),
            ledger,
        ),
        "--query": Example(["--query", "list"], ledger),
        "--id": Example(["--id", "name"], ids),
        "--ignore": Example(["--ignore", "f0,f3"], names),
        "--hash-bits": Example(["--hash-bits", "3"], width),
        "--classes": Example(["--classes", "0,1,2,3"], classes),
        "--keep": Example(
            {"sequence": ("--keep",)} | dict.fromkeys(("classification", "ranking"), ("--no-keep",)), stored
        ),
        "--budget": Example(["--budget", "3"], stored, KERNEL),
        "--policy": Example(["--policy", "oldest"], parameters, (*KERNEL, "--budget", "3")),
        "--format": FORMAT,
        "--skip-bad": SKIP_BAD,
        "--checkpoint": Example(["--checkpoint", "every=1000"], None),
        "--cache": Example(["--no-cache"], None),
        "--resume": Example(["--resume"], None, ("--checkpoint", "every=1000")),
        "--quiet": QUIET,
        "--json": JSON,
    },
    "predict": {
        "--output": OUTPUT,
        "--format": FORMAT,
        "--scores": Example(["--scores"], "shown"),
        "--skip-bad": SKIP_BAD,
        "--quiet": QUIET,
        "--json": JSON,
    },
    "evaluate": {
        "--predictor": Example(["--predictor", "last"], "shown"),
        "--format": FORMAT,
        "--skip-bad": SKIP_BAD,
        "--quiet": QUIET,
        "--json": JSON,
    },
    "tag": {"--output": OUTPUT, "--text": Example(["--text"], "shown"), "--quiet": QUIET, "--json": JSON},
    "rank": {"--output": OUTPUT, "--format": FORMAT, "--quiet": QUIET, "--json": JSON},
    "certify": {"--format": FORMAT, "--json": JSON},
    "explain": {
        "--row": Example(["--row", "2"], "shown"),
        "--label": Example(["--label", "0"], "shown", ("--row", "3")),
        "--format": FORMAT,
        "--json": JSON,
    },
    "inspect": {"--json": JSON},
    "convert": {
        "--to": Example(["--to", "json"], None),
        "--predictor": Example(["--predictor", "last"], "written"),
        "--json": JSON,
    },
}
"""Of every command that takes a model or a file, an example of every option."""
