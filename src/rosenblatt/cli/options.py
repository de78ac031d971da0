"""What options may be, and what they say of themselves; told without importing the library."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

Game = StrEnum("Game", ["classification", "ranking", "sequence"])
Predictor = StrEnum("Predictor", ["last", "best", "average", "vote", "sample", "recent"])
Multiclass = StrEnum("Multiclass", {"argmax": "argmax", "one_vs_rest": "one-vs-rest"})
Strategy = StrEnum("Strategy", ["pairs", "best", "top"])
Policy = StrEnum("Policy", ["projection", "merging", "halving", "random", "oldest"])
Export = StrEnum("Export", ["onnx", "json"])
Format = StrEnum("Format", ["svmlight", "csv", "tsv", "jsonl", "parquet", "arrow", "conll"])


def every(value: str | None) -> int | None:
    """`every=10000`."""
    if value is None:
        return None
    number = value.removeprefix("every=").replace("_", "")
    if not number.isdecimal() or int(number) < 1:
        raise typer.BadParameter(f"say how often, as in every=10000. Got {value!r}.")
    return int(number)


def kernel(value: str | None) -> str | None:
    """An expression that is a kernel."""
    if value is not None:
        from rosenblatt.kernels import parse

        try:
            parse(value)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


def rule(value: str) -> str:
    """A name or an expression that is a rule."""
    if value not in ("perceptron", "margin", "passive-aggressive"):
        from rosenblatt.rules import parse

        try:
            parse(value)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
DataFile = Annotated[str, typer.Argument(metavar="FILE", help="A file of rows; - for standard input.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", metavar="NAME", help="csv, jsonl, …; by default by name or content."),
]
Json = Annotated[bool, typer.Option("--json", help="For machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No remarks, no progress bar.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Instead of standard output.")]
SkipBad = Annotated[
    int, typer.Option(min=0, metavar="N", help="Go on past so many bad lines, and list them.")
]
