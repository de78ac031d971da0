"""The command fit: learn from a file and write a model file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import typer

from rosenblatt import (
    PerceptronClassifier,
    PerceptronRanker,
    PerceptronTagger,
    kernels,
    rules,
    save,
)
from rosenblatt._atomic import written_in_place
from rosenblatt.budgets import Budget
from rosenblatt.cli.options import CLASSIFICATION, RANKING, SEQUENCE, Given
from rosenblatt.cli.output import SkippedLines, check_output, named_output, progress_bar, say, show
from rosenblatt.cli.sequences import read_to_learn
from rosenblatt.data.encoding import kind_of_labels, label_strings
from rosenblatt.data.schema import MissingColumnError, Schema
from rosenblatt.data.sources import STDIN, KeptBlocks, RowSource, about_rows, fingerprint, format_of, name_of
from rosenblatt.streaming import Checkpoints


@dataclass
class Options:
    """The options of the command."""

    game: str | None = None
    kernel: str | None = None
    rule: str = "perceptron"
    epochs: int = 10
    predictor: str = "average"
    seed: int = 0
    shuffle: bool = True
    multiclass: str = "argmax"
    strategy: str = "pairs"
    template: str | None = None
    scheme: str | None = None
    format: str | None = None
    label: str | None = None
    query: str | None = None
    id: str | None = None
    ignore: str | None = None
    hash_bits: int | None = None
    classes: str | None = None
    skip_bad: int = 0
    keep: bool | None = None
    budget: int | None = None
    policy: str = "projection"


def fit(
    train: str,
    output: str,
    options: Options,
    *,
    every: int | None,
    resume: bool,
    quiet: bool,
    as_json: bool,
    given: Given,
) -> None:
    """Learn from a file and write the model."""
    began, output = perf_counter(), named_output(output)
    check_output(output, train)
    if every is not None and written_in_place(output):
        raise typer.BadParameter(
            f"--checkpoint needs a model file, beside which the checkpoint is. Got {output}, which is none."
        )
    kind = options.format or format_of(train)
    choice = choose_game(options.game, kind, given)
    given.check(choice.game, kind)
    _check_together(options, choice.game, given)
    estimator = _estimator(choice.game, options)
    schema = _schema(choice.game, options, kind)
    source, layout = _source(train, kind, schema, options)
    checkpoints, position = None, None
    if every is not None or resume:
        if every is None:
            raise typer.BadParameter(
                "--resume needs the same --checkpoint every=N as the run that was stopped."
            )
        if train == STDIN:
            raise typer.BadParameter("A run from standard input cannot be resumed. Give a file.")
        about = {"options": asdict(options), "data": fingerprint(train), "every": every}
        checkpoints = Checkpoints(f"{output}.checkpoint", every, about)
        if resume and (found := checkpoints.found()) is not None:
            estimator, position = found
            say(f"resuming after {estimator.run_.book.rounds:,} rounds", quiet=quiet)
    classes = None if options.classes is None or position is not None else _classes(options.classes)
    expected = about_rows(train, kind)
    bar = progress_bar("learning", expected and expected * estimator.epochs, quiet=quiet)
    watched = _Watched(source, QueryCheck(choice, train, schema, quiet), quiet)
    if bar is not None:
        watched.when_counted = lambda rows: bar.expect(rows * estimator.epochs)
    estimator.fit_blocks(
        watched,
        classes=classes,
        checkpoints=checkpoints,
        position=position,
        progress=bar,
    )
    if bar is not None:
        bar.close()
    watched.skipped.close()
    for remark in (*filter(None, schema.remarks), *_without_effect(estimator, given)):
        say(remark, quiet=quiet)
    notes = {"game": choice.game, "format": kind, "table": schema.noted()} | layout
    save(estimator, output, notes, schema.names)
    if checkpoints is not None:
        checkpoints.done()
    ledger = estimator.ledger_
    show(
        f"{output}: {type(estimator).__name__}",
        [
            ("read as", kind),
            ("rounds", ledger.rounds),
            ("mistakes", ledger.errors),
            ("epochs", estimator.n_iter_),
            ("converged", estimator.converged_),
            ("seconds", round(perf_counter() - began, 3)),
        ],
        as_json,
        written=output,
    )


class _Watched:
    """A source that reports skipped lines, checks for queries and counts the rows of its blocks."""

    def __init__(self, source: Any, queries: QueryCheck, quiet: bool) -> None:
        self._source = source
        self._queries = queries
        self.skipped = SkippedLines(quiet)
        self.when_counted: Callable[[int], None] = lambda rows: None

    def __iter__(self) -> Any:
        rows = 0
        for block in _with_columns(self._source):
            self._queries.see(block)
            self.skipped.add(block.skipped)
            rows += len(block)
            yield block
        self.when_counted(rows)


def _with_columns(source: Any) -> Iterator[Any]:
    """Yield the blocks of a source; a column that an option names and the file lacks is a wrong call."""
    try:
        yield from source
    except MissingColumnError as missing:
        raise typer.BadParameter(str(missing)) from None


def _check_together(options: Options, game: str, given: Given) -> None:
    """Refuse options that have no effect beside others."""
    if options.keep is False and options.predictor in ("best", "vote", "sample"):
        raise typer.BadParameter(
            f"--predictor {options.predictor} needs corrected rows. Got --no-keep: leave it out."
        )
    if options.keep is False and options.kernel is not None:
        raise typer.BadParameter("A kernel needs corrected rows. Got --kernel and --no-keep: leave one out.")
    if options.budget is not None and options.kernel is None:
        raise typer.BadParameter(
            "--budget limits the rows that a kernel needs; weights take constant memory. Got no --kernel: "
            "give one, or leave --budget out."
        )
    if "--policy" in given and options.budget is None:
        raise typer.BadParameter("--policy says which rows a budget forgets. Got no --budget: give one.")
    if "--shuffle" in given and game == RANKING and options.strategy == "pairs":
        raise typer.BadParameter(
            "--shuffle orders whole lists. Got --strategy pairs, which draws every round: leave it out, or "
            "say --strategy best or top."
        )


def _without_effect(estimator: Any, given: Given) -> Iterator[str]:
    """Yield remarks on options that the labels of the file leave without effect."""
    if "--multiclass" in given and len(estimator.classes_) == 2:
        yield "--multiclass has no effect: the labels are two classes, and it is for more"


def _estimator(game: str, options: Options) -> Any:
    shared: dict[str, Any] = {
        "kernel": None if options.kernel is None else kernels.parse(options.kernel),
        "epochs": options.epochs,
        "predictor": options.predictor,
        "rule": rules.parse(options.rule),
        "shuffle": options.shuffle,
        "random_state": options.seed,
    }
    if options.budget is not None:
        shared["budget"] = Budget(options.budget, options.policy)
    if options.keep is not None:
        shared["keep_examples"] = options.keep
    if game == SEQUENCE:
        template = None if options.template is None else Path(options.template).read_text(encoding="utf-8")
        hashing = None if options.hash_bits is None else 2**options.hash_bits
        return PerceptronTagger(templates=template, scheme=options.scheme, hashing=hashing, **shared)
    if game == RANKING:
        return PerceptronRanker(strategy=options.strategy, **shared)
    return PerceptronClassifier(multiclass=options.multiclass, **shared)


def _schema(game: str, options: Options, kind: str) -> Schema:
    schema = Schema(
        label=options.label or "label",
        query=options.query or ("qid" if game == RANKING and kind != "svmlight" else None),
        id=options.id,
        bits=options.hash_bits,
        kind=None if options.classes is None else _kind_of(_names(options.classes)),
        ignored=[] if options.ignore is None else _names(options.ignore),
    )
    _check_roles(schema)
    return schema


def _check_roles(schema: Schema) -> None:
    """Refuse a column that two options name."""
    named = [("--label", schema.label), ("--query", schema.query), ("--id", schema.id)]
    roles: dict[str, str] = {}
    for option, column in (*named, *(("--ignore", column) for column in schema.ignored)):
        if column is not None and roles.setdefault(column, option) != option:
            raise typer.BadParameter(
                f"A column has one role. Got {column!r} for {roles[column]} and {option}: name another "
                "column for one of them."
            )


def _source(train: str, kind: str, schema: Schema, options: Options) -> tuple[Any, dict[str, Any]]:
    """Return the blocks of a file, and the layout of a CoNLL file for the notes of the model."""
    if kind == "conll":
        sequences, layout = read_to_learn(train, options.label, options.skip_bad)
        return [sequences], layout.noted()
    source = RowSource(train, kind, schema, options.skip_bad)
    if train == STDIN:
        return list(_with_columns(source)), {}
    return KeptBlocks(source) if options.epochs > 1 else source, {}


def _names(text: str) -> list[str]:
    """Split names at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _kind_of(names: list[str]) -> str | None:
    """Return the kind of labels with these classes; None to decide by the first rows."""
    kind = kind_of_labels(names)
    return kind if kind in ("bool", "str") else None


def _classes(text: str) -> Any:
    names = _names(text)
    try:
        return np.array([int(name) for name in names])
    except ValueError:
        return label_strings(names, _kind_of(names) or "str")


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


class QueryCheck:
    """Checks rows with queries to be classified: an error unless the user chose it, then a remark."""

    def __init__(self, choice: Choice, path: str, schema: Schema, quiet: bool) -> None:
        self._choice, self._name, self._schema, self._quiet = choice, name_of(path), schema, quiet
        self._reported = choice.game != CLASSIFICATION

    def see(self, block: Any) -> None:
        """Check a block before it is learned from."""
        column = self._schema.unnamed_query
        if self._reported or (column is None and getattr(block, "qid", None) is None):
            return
        if not self._choice.certain:
            raise ValueError(self._refusal(column))
        say(_remark(column), quiet=self._quiet)
        self._reported = True

    def _refusal(self, column: str | None) -> str:
        if column is None:
            return (
                f"The rows of {self._name} have queries (qid:). Say --game ranking to rank the rows of each, "
                "or --game classification to classify them without."
            )
        return (
            f"{self._name} has a column {column!r}. Say --query {column} to rank the rows of each query, "
            f"--ignore {column} to classify without it, or --game classification to use it as a feature."
        )


def _remark(column: str | None) -> str:
    if column is None:
        return "queries (qid:) are left out"
    return f"the column {column!r} is used as a feature: --ignore {column} leaves it out"
