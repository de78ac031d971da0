"""The commands inspect, certify and explain: what a model is, its bound, and the reasons for an answer."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import typer

from rosenblatt import PerceptronRanker, PerceptronTagger
from rosenblatt.cli.answering import RowsToAnswer, check_sequences, game_of, loaded, scaling_of
from rosenblatt.cli.opening import open_model
from rosenblatt.cli.options import Given
from rosenblatt.cli.output import show
from rosenblatt.cli.sequences import read_to_compare
from rosenblatt.persistence import Model
from rosenblatt.theory.attributions import Attribution


def inspect(path: str, *, as_json: bool, given: Given) -> None:
    """Print a description of a model."""
    model = open_model(path)
    given.check(game_of(model))
    estimator = model.estimator
    run, ledger = estimator.run_, estimator.ledger_
    rows: list[tuple[str, Any]] = [
        ("estimator", type(estimator).__name__),
        ("written by", f"rosenblatt {model.library}"),
        ("bytes", Path(path).stat().st_size),
        ("kernel", repr(run.kernel) if run.kernel is not None else None),
        ("rule", repr(run.rule)),
        ("predictor", estimator.predictor),
        ("rounds", ledger.rounds),
        ("epochs", run.epochs),
        ("mistakes", ledger.errors),
        ("corrections", run.book.total),
        ("stored rows", len(run.support)),
        ("converged", run.converged),
    ]
    if estimator.budget is not None:
        rows.append(("budget", repr(run.budget)))
    if hasattr(estimator, "classes_"):
        rows.append(("classes", estimator.classes_.tolist()))
    if hasattr(estimator, "n_features_in_"):
        rows.append(("features", int(estimator.n_features_in_)))
    if model.names:
        rows.append(("feature names", model.names))
    if isinstance(estimator, PerceptronTagger):
        rows.append(("features", estimator.task_.encoder.width))
    if (scaling := scaling_of(model)) is not None:
        rows.append(("scaled", scaling.noted()["method"]))
    if (text := (model.notes.get("table") or {}).get("text")) is not None:
        rows.append(("text", text))
    for name in ("game", "format"):
        if name in model.notes:
            rows.append((name, model.notes[name]))
    show(path, rows, as_json)


def certify(model_path: str, path: str, *, kind: str | None, as_json: bool, given: Given) -> None:
    """Print the mistake bound for the run that made a model, on the rows it learned from."""
    model = open_model(model_path)
    estimator = model.estimator
    if isinstance(estimator, PerceptronTagger):
        check_sequences(path, kind, given)
        read = read_to_compare(path, model)
        found = estimator.certificate(read.X, read.y)
    else:
        every = RowsToAnswer(model, path, kind, given, labelled=True).all()
        qid = (every.qid,) if isinstance(estimator, PerceptronRanker) else ()
        found = estimator.certificate(every.X, every.y, *qid)
    certificates = found if isinstance(found, list) else [found]
    for certificate in certificates:
        if as_json:
            print(json.dumps(_values(certificate)))
        else:
            print(certificate)


def _values(certificate: Any) -> dict[str, Any]:
    from dataclasses import asdict

    values = {
        name: value
        for name, value in asdict(certificate).items()
        if isinstance(value, bool | int | float | str)
    }
    values |= {"bound": certificate.bound, "holds": certificate.holds}
    unbounded = [name for name, value in values.items() if isinstance(value, float) and not isfinite(value)]
    return values | dict.fromkeys(unbounded)  # JSON has no infinity


IN_PYTHON = "from Python, rosenblatt.load(path).explain(…) explains rankers and taggers, too."


def explain(
    model_path: str,
    path: str,
    *,
    row: int,
    kind: str | None,
    label: str | None,
    by: str | None,
    as_json: bool,
    given: Given,
) -> None:
    """Print the features or the support vectors that decided about a row."""
    model = loaded(model_path, "PerceptronClassifier", "explain", IN_PYTHON)
    if by == "features" and (kernel := model.estimator.run_.kernel) is not None:
        raise typer.BadParameter(
            f"--by features needs weights. Got a model with the kernel {kernel!r:.60}: say --by examples."
        )
    seen = 0
    for block in RowsToAnswer(model, path, kind, given):
        if row <= seen + len(block):
            classes = {str(name): name for name in model.estimator.classes_.tolist()}
            if label is not None and label not in classes:
                raise typer.BadParameter(f"--label must be one of {', '.join(classes)}. Got {label}.")
            at = row - seen - 1
            asked = None if label is None else classes[label]
            names = _FeatureNames(model)
            found = model.estimator.explain(block.X[at : at + 1], label=asked, by=by, names=names)
            print(json.dumps(_explained(found)) if as_json else found)
            return
        seen += len(block)
    raise typer.BadParameter(f"There are {seen} rows in {path}. Got --row {row}.")


class _FeatureNames:
    """The names of features by index: of tables the columns, of svmlight the numbers in the file."""

    def __init__(self, model: Model) -> None:
        self._names = model.names
        bits = model.notes["table"].get("bits")
        self._form, self._first = ("bucket {}", 0) if bits is not None else ("feature {}", 1)

    def __getitem__(self, index: int) -> str:
        return self._names[index] if self._names else self._form.format(index + self._first)


def _explained(found: Any) -> dict[str, Any]:
    about = {"answer": _plain(found.answer), "of": _plain(found.output), "score": found.score}
    if isinstance(found, Attribution):
        features = zip(found.features, found.weight.tolist(), found.value.tolist(), strict=True)
        listed = [{"feature": name, "weight": weight, "value": value} for name, weight, value in features]
        return about | {"intercept": found.intercept, "features": listed}
    examples = zip(found.examples, found.labels, found.importance, found.similarity, strict=True)
    return about | {
        "examples": [
            {"row": int(i) + 1, "label": _plain(y), "importance": float(a), "similarity": float(k)}
            for i, y, a, k in examples
        ],
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
