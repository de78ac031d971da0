"""Options: their values and help texts, and the games and formats that each applies to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import Annotated, Any

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


CLASSIFICATION, RANKING, SEQUENCE = GAMES = tuple(game.value for game in Game)
FORMATS = tuple(kind.value for kind in Format)
NAMED = ("csv", "tsv", "jsonl", "parquet", "arrow")
"""Formats whose columns have names."""
LINES = ("svmlight", "csv", "tsv", "jsonl", "conll")
"""Formats that are read line by line."""


@dataclass(frozen=True)
class Scope:
    """The games and formats that an option applies to, and the reason to report for others."""

    games: tuple[str, ...] = GAMES
    formats: tuple[str, ...] = FORMATS
    why: str = ""


ANY = Scope()
SKIPPING = Scope(formats=LINES, why="Parquet and Arrow files have no lines")

SCOPES: dict[str, dict[str, Scope]] = {
    "fit": {
        "--output": ANY,
        "--game": ANY,
        "--kernel": ANY,
        "--rule": ANY,
        "--epochs": ANY,
        "--predictor": ANY,
        "--seed": ANY,
        "--shuffle": ANY,
        "--multiclass": Scope((CLASSIFICATION,), why="only classifiers have several classes"),
        "--strategy": Scope((RANKING,), why="--game ranking learns from lists"),
        "--template": Scope((SEQUENCE,), why="templates look at the tokens of CoNLL files"),
        "--scheme": Scope((SEQUENCE,), why="schemes are for the labels of CoNLL files"),
        "--label": Scope(formats=(*NAMED, "conll"), why="a line of svmlight begins with its label"),
        "--query": Scope((RANKING,), NAMED, "svmlight marks queries by qid: and --game ranking reads them"),
        "--id": Scope((CLASSIFICATION, RANKING), NAMED, "rows of svmlight are named by their comments"),
        "--ignore": Scope((CLASSIFICATION, RANKING), NAMED, "only tables and JSON have named columns"),
        "--hash-bits": ANY,
        "--classes": Scope((CLASSIFICATION,), why="only classifiers have classes to be named beforehand"),
        "--keep": ANY,
        "--budget": ANY,
        "--policy": ANY,
        "--format": ANY,
        "--skip-bad": SKIPPING,
        "--checkpoint": ANY,
        "--resume": ANY,
        "--quiet": ANY,
        "--json": ANY,
    },
    "predict": {
        "--output": ANY,
        "--format": ANY,
        "--scores": Scope((CLASSIFICATION,), why="answers of a ranker are scores, and tags have none"),
        "--skip-bad": SKIPPING,
        "--quiet": ANY,
        "--json": ANY,
    },
    "evaluate": {
        "--predictor": ANY,
        "--format": ANY,
        "--skip-bad": SKIPPING,
        "--quiet": ANY,
        "--json": ANY,
    },
    "tag": dict.fromkeys(("--output", "--format", "--text", "--quiet", "--json"), Scope((SEQUENCE,))),
    "rank": dict.fromkeys(("--output", "--format", "--quiet", "--json"), Scope((RANKING,))),
    "certify": {"--format": ANY, "--json": ANY},
    "explain": dict.fromkeys(("--row", "--label", "--format", "--json"), Scope((CLASSIFICATION,))),
    "inspect": {"--json": ANY},
    "convert": {"--to": ANY, "--predictor": ANY, "--json": ANY},
    "play": {"--port": ANY, "--browser": ANY},
    "demo": {},
}
"""All options of every command; a test compares it with the commands."""


def option_name(parameter: Any) -> str:
    """Return the key of an option in SCOPES: its first long form."""
    return next(str(name) for name in parameter.opts if name.startswith("--"))


@dataclass(frozen=True)
class Given:
    """The options of a command that were typed, without those left at their defaults."""

    command: str
    options: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, context: typer.Context) -> Given:
        """Return those of the running command."""
        typed = [
            option_name(parameter)
            for parameter in context.command.params
            if parameter.param_type_name == "option" and _was_typed(context, str(parameter.name))
        ]
        return cls(str(context.info_name), tuple(typed))

    def __contains__(self, option: str) -> bool:
        return option in self.options

    def games(self, kind: str) -> list[str]:
        """Return the games that a file of this format and these options allow."""
        if kind == "conll":
            return [SEQUENCE]
        scopes = [SCOPES[self.command][option] for option in self.options]
        return [game for game in (CLASSIFICATION, RANKING) if all(game in scope.games for scope in scopes)]

    def contradiction(self) -> str | None:
        """Return an error that names two options for different games of rows; None if there are none."""
        scopes = ((option, SCOPES[self.command][option].games) for option in self.options)
        rows = [(option, games) for option, games in scopes if {CLASSIFICATION, RANKING} & {*games}]
        for (one, games), (other, others) in combinations(rows, 2):
            if not {*games} & {*others}:
                return (
                    f"{one} applies to {_listed(games)}, and {other} to {_listed(others)}. Got both: leave "
                    "one out."
                )
        return None

    def check(self, game: str, kind: str | None = None) -> None:
        """Refuse options that have no effect on this game or format."""
        for option in self.options:
            scope = SCOPES[self.command][option]
            why = f" ({scope.why})" if scope.why else ""
            if game not in scope.games:
                raise typer.BadParameter(
                    f"{option} applies to {_listed(scope.games)}. Got {game}: leave it out{why}."
                )
            if kind is not None and kind not in scope.formats:
                raise typer.BadParameter(
                    f"{option} applies to {_listed(scope.formats)} files. Got {kind}: leave it out{why}."
                )


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
