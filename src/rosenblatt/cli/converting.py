"""The command convert: export a model as an ONNX graph or as plain JSON."""

from __future__ import annotations

from typing import Any

import typer

from rosenblatt._atomic import replace_file
from rosenblatt.cli.answering import game_of
from rosenblatt.cli.opening import open_model
from rosenblatt.cli.options import Given
from rosenblatt.cli.output import check_output, named_output, show
from rosenblatt.persistence import Model, to_json, to_onnx

KINDS = ("onnx", "json")


def convert(
    model_path: str, out: str, *, to: str | None, predictor: str | None, as_json: bool, given: Given
) -> None:
    """Write the guess that a model's predictor uses."""
    to, out = to or _kind_of(out), named_output(out)
    check_output(out, model_path)
    model = open_model(model_path)
    given.check(game_of(model))
    if "scaling" in model.notes:
        raise ValueError(
            "An export holds a learner without the scaling of its rows. Got a model of fit --scale: learn "
            "from a file that is scaled already."
        )
    if (model.notes.get("table") or {}).get("text") is not None:
        raise ValueError(
            "An export holds a learner without what makes features of strings. Got a model of fit --text: "
            "use the model file."
        )
    if predictor is not None:
        model.estimator.set_params(predictor=predictor)
    data = to_onnx(model.estimator) if to == "onnx" else to_json(model.estimator, model.names).encode()
    replace_file(out, data)
    show(out, _written(model, to, len(data)), as_json, written=out)


def _kind_of(out: str) -> str:
    for kind in KINDS:
        if out.lower().endswith(f".{kind}"):
            return kind
    raise typer.BadParameter(f"OUT must end in .onnx or .json, or --to must say what to write. Got {out}.")


def _written(model: Model, to: str, size: int) -> list[tuple[str, Any]]:
    estimator = model.estimator
    kernel = estimator.run_.kernel
    return [
        ("written as", to),
        ("bytes", size),
        ("estimator", type(estimator).__name__),
        ("kernel", None if kernel is None else repr(kernel)),
        ("predictor", estimator.predictor),
    ]
