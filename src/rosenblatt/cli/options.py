"""The values and help texts of options, without an import of the library."""

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
    """Parse `every=10000` into 10000."""
    if value is None:
        return None
    number = value.removeprefix("every=").replace("_", "")
    if not number.isdecimal() or int(number) < 1:
        raise typer.BadParameter(f"give a number of rounds, as in every=10000. Got {value!r}.")
    return int(number)


def kernel(value: str | None) -> str | None:
    """Check that a value is an expression of a kernel on rows; `linear` is none, that is, weights."""
    if value == "linear":
        return None
    if value is not None:
        from rosenblatt.kernels import parse

        try:
            parse(value, without=("Precomputed",))  # a file holds rows, not their kernel matrix
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


def rule(value: str) -> str:
    """Check that a value is a name or an expression of a rule."""
    if value not in ("perceptron", "margin", "passive-aggressive"):
        from rosenblatt.rules import parse

        try:
            parse(value)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


def scheme(value: str | None) -> str | None:
    """Check that a value is the name of a scheme."""
    if value is not None:
        from rosenblatt.schemes import scheme_of

        try:
            scheme_of(value)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
DataFile = Annotated[str, typer.Argument(metavar="FILE", help="A file of rows; - for standard input.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", metavar="NAME", help="csv, jsonl, …; by default by name or content."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No remarks, no progress bar.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Instead of standard output.")]
SkipBad = Annotated[int, typer.Option(min=0, metavar="N", help="Skip up to N bad lines, and list them.")]
