"""Options: their values and help texts, and the games and formats that each applies to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from math import isfinite
from typing import Annotated, Any

import typer

Game = StrEnum("Game", ["classification", "ranking", "sequence"])
Predictor = StrEnum("Predictor", ["last", "best", "average", "vote", "sample", "recent"])
Multiclass = StrEnum("Multiclass", ["argmax", "ovr"])
Strategy = StrEnum("Strategy", ["pairs", "best", "top"])
Policy = StrEnum("Policy", ["projection", "merging", "halving", "random", "oldest"])
Scale = StrEnum("Scale", ["standard", "quantile", "none"])
KERNELS = ("rbf", "poly", "sigmoid")
By = StrEnum("By", ["features", "examples"])
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
    """Check that a value names or describes a kernel on rows; `linear` is none, that is, weights."""
    if value == "linear":
        return None
    if value is not None and value not in KERNELS:
        from rosenblatt.kernels import parse

        try:
            parse(value, without=("Precomputed",))  # a file holds rows, not their kernel matrix
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


def rule(value: str | None) -> str | None:
    """Check that a value is a name or an expression of a rule."""
    if value not in (None, "auto"):
        from rosenblatt.rules import parse

        try:
            parse(value)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


def rule_of(text: str) -> Any:
    """Return the rule of a name or an expression; "auto" is for the learner."""
    from rosenblatt.rules import parse

    return text if text == "auto" else parse(text)


def scheme(value: str | None) -> str | None:
    """Check that a value is the name of a scheme."""
    if value is not None:
        from rosenblatt.schemes import scheme_of

        try:
            scheme_of(value)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


def class_weight(value: str | None) -> str | None:
    """Check that a value is `balanced` or names classes with weights; see `weights_by_name`."""
    if value not in (None, "balanced"):
        weights_by_name(str(value))
    return value


def weights_by_name(value: str) -> dict[str, float]:
    """Parse `A=2,B=0.5` into weights by the names of classes."""
    found: dict[str, float] = {}
    for part in value.split(","):
        name, _, weight = (cell.strip() for cell in part.rpartition("="))
        try:
            number = float(weight)
        except ValueError:
            number = -1.0
        if name in found:
            raise typer.BadParameter(f"a class has one weight. Got two of {name!r}.")
        found[name] = number
        if not name or not isfinite(number) or number < 0:
            raise typer.BadParameter(
                "give balanced, or a weight of at least 0 for each class, as in A=2,B=0.5. "
                f"Got {part.strip()!r}."
            )
    return found


def version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        from rosenblatt.version import __version__

        print(f"rosenblatt {__version__}")
        raise typer.Exit


def debug(context: typer.Context, asked: bool) -> None:
    """Take note that errors shall show their tracebacks."""
    context.ensure_object(dict)["debug"] = asked or context.ensure_object(dict).get("debug", False)


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
Version = Annotated[
    bool,
    typer.Option("--version", callback=version, is_eager=True, expose_value=False, help="Print the version."),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug", callback=debug, is_eager=True, expose_value=False, help="Show the traceback of an error."
    ),
]

TrainFile = Annotated[str, typer.Argument(metavar="TRAIN", help="A file to learn from; - for stdin.")]
NewModel = Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")]
Continued = Annotated[
    str | None, typer.Option("--continue", metavar="MODEL", help="Continue the run of a model, on this file.")
]
GameOption = Annotated[
    Game | None, typer.Option(metavar="GAME", help="classification, ranking; sequence for CoNLL files.")
]
KernelOption = Annotated[
    str | None, typer.Option(callback=kernel, metavar="EXPR", help='rbf, poly, …, or as "RBF(sigma=2)".')
]
RuleOption = Annotated[
    str | None,
    typer.Option(
        callback=rule,
        metavar="RULE",
        help='As "Margin(beta=0.1)" or perceptron.',
    ),
]
MaxIter = Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the file.")]
PredictorOption = Annotated[
    Predictor, typer.Option(metavar="NAME", help="last, best, average, vote, sample or recent.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="The seed of all random choices.")]
Shuffle = Annotated[bool, typer.Option(help="Draw an order in every epoch, within blocks.")]
Intercept = Annotated[bool | None, typer.Option(help="A constant feature; by default without a kernel.")]
ScaleOption = Annotated[
    Scale, typer.Option(metavar="HOW", help="standard, quantile or none: columns of numbers.")
]
MulticlassOption = Annotated[
    Multiclass, typer.Option(metavar="HOW", help="argmax or ovr (one-vs-rest), for over two classes.")
]
ClassWeight = Annotated[
    str | None,
    typer.Option(callback=class_weight, metavar="A=2,…", help="Weights of classes, or balanced."),
]
StrategyOption = Annotated[
    Strategy, typer.Option(metavar="HOW", help="pairs, best or top, of the ranking game.")
]
Template = Annotated[str | None, typer.Option(metavar="FILE", help="In CRF++'s language.")]
Scheme = Annotated[
    str | None,
    typer.Option(callback=scheme, metavar="NAME", help="IOB1, IOB2, BILOU or BIOES: allow nothing else."),
]
Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="By default label; of CoNLL -1, the last.")]
Target = Annotated[str | None, typer.Option(metavar="COLUMN", help="The same as --label.")]
Query = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="To rank the rows of each; by default qid.")
]
RowId = Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="The names of rows.")]
Ignore = Annotated[str | None, typer.Option(metavar="A,B,…", help="Columns to leave out.")]
Text = Annotated[str | None, typer.Option(metavar="COLUMN", help="Its words are features.")]
HashBits = Annotated[
    int | None, typer.Option(min=1, max=30, metavar="B", help="Hash features into 2^B buckets.")
]
Classes = Annotated[str | None, typer.Option(metavar="A,B,…", help="Classes that the first rows may lack.")]
Keep = Annotated[bool | None, typer.Option(help="Keep corrected rows, for vote, explain and certify.")]
BudgetOption = Annotated[
    int | None, typer.Option(min=2, metavar="N", help="Store at most N rows, with a kernel.")
]
PolicyOption = Annotated[
    Policy, typer.Option(metavar="NAME", help="projection, merging, halving, random or oldest.")
]
Checkpoint = Annotated[str | None, typer.Option(metavar="every=N", help="Rounds between checkpoints.")]
Resume = Annotated[bool, typer.Option("--resume", help="Resume from the checkpoint.")]


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
ROWS = (CLASSIFICATION, RANKING)
SKIPPING = Scope(formats=LINES, why="Parquet and Arrow files have no lines")
LABELLING = Scope(formats=(*NAMED, "conll"), why="a line of svmlight begins with its label")

SCOPES: dict[str, dict[str, Scope]] = {
    "fit": {
        "--output": ANY,
        "--continue": ANY,
        "--game": ANY,
        "--kernel": ANY,
        "--rule": ANY,
        "--max-iter": ANY,
        "--predictor": ANY,
        "--seed": ANY,
        "--shuffle": ANY,
        "--intercept": Scope((CLASSIFICATION, SEQUENCE), why="a constant moves all rows of a list alike"),
        "--scale": Scope(ROWS, why="tokens have no columns of numbers"),
        "--multiclass": Scope((CLASSIFICATION,), why="only classifiers have several classes"),
        "--class-weight": Scope((CLASSIFICATION, SEQUENCE), why="a ranker has grades, and no classes"),
        "--strategy": Scope((RANKING,), why="--game ranking learns from lists"),
        "--template": Scope((SEQUENCE,), why="templates look at the tokens of CoNLL files"),
        "--scheme": Scope((SEQUENCE,), why="schemes are for the labels of CoNLL files"),
        "--label": LABELLING,
        "--target": LABELLING,
        "--query": Scope((RANKING,), NAMED, "svmlight marks queries by qid: and --game ranking reads them"),
        "--id": Scope(ROWS, NAMED, "rows of svmlight are named by their comments"),
        "--ignore": Scope(ROWS, NAMED, "only tables and JSON have named columns"),
        "--text": Scope(ROWS, NAMED, "only tables and JSON have named columns"),
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
        "--debug": ANY,
    },
    "predict": {
        "--output": ANY,
        "--format": ANY,
        "--scores": Scope((CLASSIFICATION,), why="answers of a ranker are scores, and tags have none"),
        "--skip-bad": SKIPPING,
        "--quiet": ANY,
        "--json": ANY,
        "--debug": ANY,
    },
    "evaluate": {
        "--predictor": ANY,
        "--format": ANY,
        "--skip-bad": SKIPPING,
        "--quiet": ANY,
        "--json": ANY,
        "--debug": ANY,
    },
    "tag": dict.fromkeys(
        ("--output", "--format", "--text", "--quiet", "--json", "--debug"), Scope((SEQUENCE,))
    ),
    "rank": dict.fromkeys(("--output", "--format", "--quiet", "--json", "--debug"), Scope((RANKING,))),
    "certify": {"--format": ANY, "--json": ANY, "--debug": ANY},
    "explain": dict.fromkeys(
        ("--row", "--label", "--by", "--format", "--json", "--debug"), Scope((CLASSIFICATION,))
    ),
    "inspect": {"--json": ANY, "--debug": ANY},
    "convert": {"--to": ANY, "--predictor": ANY, "--json": ANY, "--debug": ANY},
    "compile": dict.fromkeys(("--processes", "--quiet", "--json", "--debug"), ANY),
    "play": {"--port": ANY, "--browser": ANY, "--debug": ANY},
    "demo": {"--debug": ANY},
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
                cure = "say --format conll if it is one, or " if scope.games == (SEQUENCE,) else ""
                raise typer.BadParameter(
                    f"{option} applies to {_listed(scope.games)}. Got {game}: {cure}leave it out{why}."
                )
            if kind is not None and kind not in scope.formats:
                raise typer.BadParameter(
                    f"{option} applies to {_listed(scope.formats)} files. Got {kind}: leave it out{why}."
                )


@dataclass(frozen=True)
class Choice:
    """A game, and whether the user's options chose it."""

    game: str
    certain: bool


def choose_game(asked: str | None, kind: str, given: Given) -> Choice:
    """Return the game of `--game`, else the only one the other options apply to, else classification.

    Options that apply to different games are refused.
    """
    if asked is not None:
        if (asked == SEQUENCE) != (kind == "conll"):
            raise typer.BadParameter(_mismatch(asked, kind))
        return Choice(asked, True)
    games = given.games(kind)
    if not games and (contradiction := given.contradiction()):
        raise typer.BadParameter(contradiction)
    return Choice(games[0], True) if len(games) == 1 else Choice(CLASSIFICATION, False)


def _mismatch(game: str, kind: str) -> str:
    if game == SEQUENCE:
        return f"The sequence game reads CoNLL files. Got {kind}: say --format conll if it is one."
    return f"A CoNLL file is for the sequence game. Got --game {game}."


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
