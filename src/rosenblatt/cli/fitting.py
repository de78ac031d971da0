"""The command fit: learn from a file and write a model file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from rosenblatt import (
    PerceptronClassifier,
    PerceptronRanker,
    PerceptronTagger,
    kernels,
    save,
)
from rosenblatt.budgets import Budget
from rosenblatt.cli.options import (
    CLASSIFICATION,
    KERNELS,
    RANKING,
    SEQUENCE,
    Choice,
    Given,
    choose_game,
    rule_of,
)
from rosenblatt.cli.output import SkippedLines, check_output, named_output, progress_bar, say, show
from rosenblatt.cli.sequences import read_to_learn
from rosenblatt.cli.work import Options, Work
from rosenblatt.data.blocks import APART, Block
from rosenblatt.data.schema import MissingColumnError, Schema
from rosenblatt.data.sources import STDIN, KeptBlocks, RowSource, about_rows, format_of, name_of

if TYPE_CHECKING:
    from rosenblatt.streaming import Checkpoints

RENAMED = {"kind": "format", "row_id": "id"}
"""Parameters of the command whose names would hide others, and their options."""


def options_of(parameters: dict[str, Any]) -> Options:
    """Return the options among the parameters of the command."""
    values = {RENAMED.get(name, name): value for name, value in parameters.items()}
    plain: dict[str, Any] = {name: v.value if isinstance(v, StrEnum) else v for name, v in values.items()}
    return Options(**{field.name: plain[field.name] for field in fields(Options)})


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
    checkpoints = None
    if every is not None or resume:
        from rosenblatt.cli.resuming import checkpoints_of

        checkpoints = checkpoints_of(train, output, options, every)
    try:
        begun = _work if options.continued is None else _continued
        work = begun(train, options, given)
        _learn(work, options, given, checkpoints, resume=resume, quiet=quiet)
        save(work.estimator, output, _notes(work), work.schema.names)
    except KeyboardInterrupt:
        from rosenblatt.cli.resuming import last_words

        say(last_words(checkpoints), quiet=quiet)
        raise
    if checkpoints is not None:
        checkpoints.done()
    show(
        f"{output}: {type(work.estimator).__name__}",
        [*_results(work), ("seconds", round(perf_counter() - began, 3))],
        as_json,
        written=output,
    )


def _notes(work: Work) -> dict[str, Any]:
    """Return what the model notes besides the estimator."""
    scaled = {} if work.scaling is None else {"scaling": work.scaling.noted()}
    return {"game": work.game, "format": work.kind, "table": work.schema.noted()} | work.layout | scaled


def _results(work: Work) -> list[tuple[str, Any]]:
    run = work.estimator.task_.run
    return [
        ("read as", work.kind),
        ("rounds", run.ledger.rounds),
        ("mistakes", run.ledger.errors),
        ("epochs", run.epochs),
        ("converged", run.converged),
    ]


def _work(train: str, options: Options, given: Given) -> Work:
    """Return what begins a run."""
    kind = options.format or format_of(train)
    choice = choose_game(options.game, kind, given)
    given.check(choice.game, kind)
    _check_together(options, choice.game, given)
    estimator, schema = _estimator(choice.game, options), _schema(choice.game, options, kind, given)
    source, layout = _source(train, kind, schema, options)
    work = Work(train, kind, choice.game, estimator, schema, source, layout)
    work.queries = QueryCheck(choice, train, schema)
    return work


def _continued(train: str, options: Options, given: Given) -> Work:
    """Return what continues the run of a model."""
    from rosenblatt.cli.continuing import work

    return work(train, options, given)


def _learn(
    work: Work, options: Options, given: Given, checkpoints: Checkpoints | None, *, resume: bool, quiet: bool
) -> None:
    """Play the run."""
    position = None
    if resume and checkpoints is not None and (found := checkpoints.found()) is not None:
        work.estimator, position = found
        say(f"resuming after {work.estimator.run_.book.rounds:,} rounds", quiet=quiet)
    watched = _Watched(work, options, quiet, unscaled="--scale" not in given)
    if options.scale != "none" or options.class_weight or getattr(work.estimator, "class_weight", None):
        from rosenblatt.cli.preparing import prepare

        prepare(work, watched, options)
    classes = None
    if options.classes is not None and position is None:
        from rosenblatt.cli.preparing import classes_of

        classes = classes_of(options.classes)
    _fit_blocks(work, watched, quiet, classes=classes, checkpoints=checkpoints, position=position)
    watched.skipped.close()
    for remark in (*filter(None, work.schema.remarks), *_without_effect(work.estimator, given)):
        say(remark, quiet=quiet)
    if options.continued is not None:
        from rosenblatt.cli.continuing import finish

        finish(work, quiet)


def _fit_blocks(work: Work, watched: _Watched, quiet: bool, **others: Any) -> None:
    """Fit the estimator, behind a progress bar."""
    estimator = work.estimator
    continues = others["position"] is None and hasattr(estimator, "task_")
    before = estimator.run_.book.rounds if continues else 0
    expected = about_rows(work.train, work.kind)
    bar = progress_bar("learning", expected and before + expected * estimator.max_iter, quiet=quiet)
    if bar is not None:
        watched.when_counted = lambda rows: bar.expect(before + rows * estimator.max_iter)
    try:
        estimator.fit_blocks(watched, progress=bar, **others)
    finally:
        if bar is not None:
            bar.close()


class _Watched:
    """A source that reports skipped lines, looks at the first block and counts the rows.

    With `unscaled`, scales of columns that differ are remarked on.
    """

    def __init__(self, work: Work, options: Options, quiet: bool, *, unscaled: bool) -> None:
        self._work, self._options, self._quiet = work, options, quiet
        self._unscaled = unscaled and options.continued is None and options.hash_bits is None
        self.skipped = SkippedLines(quiet)
        self.when_counted: Callable[[int], None] = lambda rows: None

    def __iter__(self) -> Any:
        rows = 0
        for block in _with_columns(self._work.source):
            if self._work.queries is not None:
                self._work.queries.see(block, self._quiet)
            self.skipped.add(block.skipped)
            if rows == 0 and self._work.game != SEQUENCE:
                self._look_at(block)
            if self._needs_values:
                self._check_zero_rows(block, rows)
            rows += len(block)
            yield block
        self.when_counted(rows)

    @property
    def _needs_values(self) -> bool:
        """Whether rows of zeros can never be learned: by weights, without an intercept."""
        work = self._work
        return work.game == CLASSIFICATION and not (work.estimator.fit_intercept or work.estimator.kernel)

    def _check_zero_rows(self, block: Block, before: int) -> None:
        from rosenblatt.cli.preparing import check_zero_rows

        check_zero_rows(self._work, block, before)

    def _look_at(self, block: Block) -> None:
        """Look at the first rows: labels should be classes, and columns should have scales that are alike."""
        kind = block.y.dtype.kind if self._work.game == CLASSIFICATION else ""
        if kind == "f" or (kind == "i" and len(np.unique(block.y)) > FEW_CLASSES):
            from rosenblatt.cli.preparing import check_classes, many_numbers

            check_classes(self._work, block.y, self._options)
            for remark in many_numbers(self._work, block.y, self._options):
                say(remark, quiet=self._quiet)
        if self._unscaled and _spread(block.X) > APART:
            from rosenblatt.cli.preparing import uneven_columns

            for remark in uneven_columns(self._work, block.X):
                say(remark, quiet=self._quiet)
        self._unscaled = False


FEW_CLASSES = 20
"""So many different integers are classes, whatever they are."""


def _spread(X: Any) -> float:
    """Return the ratio of the largest magnitude to the smallest above 0; 0 if there is none."""
    values = abs(X.data if hasattr(X, "indptr") else X)
    values = values[values > 0]
    return float(values.max() / values.min()) if values.size else 0.0


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
    if options.label is not None and options.target is not None:
        raise typer.BadParameter("--target is another name of --label. Got both: leave one out.")
    if options.scale != "none" and options.hash_bits is not None:
        raise typer.BadParameter(
            "--scale scales every feature by itself, and --hash-bits adds several up in a bucket. Got both: "
            "leave one out."
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
        "kernel": options.kernel if options.kernel in (None, *KERNELS) else kernels.parse(options.kernel),
        "max_iter": options.max_iter,
        "predictor": options.predictor,
        "shuffle": options.shuffle,
        "random_state": options.seed,
    }
    if options.rule is not None:
        shared["rule"] = rule_of(options.rule)
    if options.budget is not None:
        shared["budget"] = Budget(options.budget, options.policy)
    if options.keep is not None:
        shared["keep_examples"] = options.keep
    if options.intercept is not None:
        shared["fit_intercept"] = options.intercept
    if game == SEQUENCE:
        template = None if options.template is None else Path(options.template).read_text(encoding="utf-8")
        hashing = None if options.hash_bits is None else 2**options.hash_bits
        return PerceptronTagger(templates=template, scheme=options.scheme, hashing=hashing, **shared)
    if game == RANKING:
        return PerceptronRanker(strategy=options.strategy, **shared)
    return PerceptronClassifier(multiclass=options.multiclass, **shared)


def _schema(game: str, options: Options, kind: str, given: Given) -> Schema:
    labels = None
    if options.classes is not None:
        from rosenblatt.cli.preparing import kind_of_classes

        labels = kind_of_classes(options.classes)
    schema = Schema(
        label=options.label or options.target or "label",
        query=options.query or ("qid" if game == RANKING and kind != "svmlight" else None),
        id=options.id,
        bits=options.hash_bits,
        kind=labels,
        ignored=[] if options.ignore is None else names_in(options.ignore),
        text=options.text,
    )
    _check_roles(schema, "--target" if "--target" in given else "--label")
    return schema


def _check_roles(schema: Schema, label: str) -> None:
    """Refuse a column that two options name; `label` is the option of the label."""
    named = [(label, schema.label), ("--query", schema.query), ("--id", schema.id), ("--text", schema.text)]
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
        label = options.target if options.label is None else options.label
        sequences, layout = read_to_learn(train, label, options.skip_bad)
        return [sequences], layout.noted()
    source = RowSource(train, kind, schema, options.skip_bad)
    once = options.max_iter == 1 and options.scale == "none" and options.class_weight is None
    return source if once and train != STDIN else kept_blocks(source), {}


def kept_blocks(source: RowSource) -> KeptBlocks:
    """Return the blocks of a file for several passes."""
    try:
        return KeptBlocks(source)
    except MissingColumnError as missing:
        raise typer.BadParameter(str(missing)) from None


def names_in(text: str) -> list[str]:
    """Split names at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


class QueryCheck:
    """Checks rows with queries to be classified: an error unless the user chose it, then a remark."""

    def __init__(self, choice: Choice, path: str, schema: Schema) -> None:
        self._choice, self._name, self._schema = choice, name_of(path), schema
        self._reported = choice.game != CLASSIFICATION

    def see(self, block: Any, quiet: bool) -> None:
        """Check a block before it is learned from."""
        column = self._schema.unnamed_query
        if self._reported or (column is None and getattr(block, "qid", None) is None):
            return
        from rosenblatt.cli.preparing import query_refusal, query_remark

        if not self._choice.certain:
            raise ValueError(query_refusal(self._name, column))
        say(query_remark(column), quiet=quiet)
        self._reported = True
