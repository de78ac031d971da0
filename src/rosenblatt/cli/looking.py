"""The commands inspect, certify and explain: what a model is, its bound, and the reasons for an answer."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import typer

from rosenblatt import PerceptronRanker, PerceptronTagger
from rosenblatt.cli.answering import RowsToAnswer, check_sequences, game_of, loaded
from rosenblatt.cli.options import Given
from rosenblatt.cli.output import show
from rosenblatt.cli.sequences import read_to_compare
from rosenblatt.persistence import load_model


def inspect(path: str, *, as_json: bool, given: Given) -> None:
    """Print a description of a model."""
    model = load_model(path)
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
    for name in ("game", "format"):
        if name in model.notes:
            rows.append((name, model.notes[name]))
    show(path, rows, as_json)


def certify(model_path: str, path: str, *, kind: str | None, as_json: bool, given: Given) -> None:
    """Print the mistake bound for the run that made a model, on the rows it learned from."""
    model = load_model(model_path)
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


def explain(
    model_path: str,
    path: str,
    *,
    row: int,
    kind: str | None,
    label: str | None,
    as_json: bool,
    given: Given,
) -> None:
    """Print the support vectors that decided about a row."""
    model = loaded(model_path, "PerceptronClassifier", "explain", "use a classifier.")
    seen = 0
    for block in RowsToAnswer(model, path, kind, given):
        if row <= seen + len(block):
            classes = {str(name): name for name in model.estimator.classes_.tolist()}
            if label is not None and label not in classes:
                raise typer.BadParameter(f"--label must be one of {', '.join(classes)}. Got {label}.")
            at = row - seen - 1
            found = model.estimator.explain(
                block.X[at : at + 1], label=None if label is None else classes[label]
            )
            print(json.dumps(_explained(found)) if as_json else found)
            return
        seen += len(block)
    raise typer.BadParameter(f"There are {seen} rows in {path}. Got --row {row}.")


def _explained(found: Any) -> dict[str, Any]:
    examples = zip(found.examples, found.labels, found.importance, found.similarity, strict=True)
    return {
        "answer": _plain(found.answer),
        "of": _plain(found.output),
        "score": found.score,
        "examples": [
            {"row": int(i) + 1, "label": _plain(y), "importance": float(a), "similarity": float(k)}
            for i, y, a, k in examples
        ],
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
