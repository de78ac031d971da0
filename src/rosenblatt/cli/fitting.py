"""`rosenblatt fit`: from a file to a model file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from rosenblatt import (
    PerceptronClassifier,
    PerceptronRanker,
    PerceptronTagger,
    __version__,
    kernels,
    rules,
    save,
)
from rosenblatt.budgets import Budget
from rosenblatt.cli.output import Bar, check_output, named_output, say, show
from rosenblatt.cli.sequences import read_sequences
from rosenblatt.data.caches import Cached
from rosenblatt.data.encoding import Schema
from rosenblatt.data.replacing import written_in_place
from rosenblatt.data.sources import STDIN, RowSource, about_rows, fingerprint, format_of
from rosenblatt.data.vocabulary import Vocabulary
from rosenblatt.streams import Checkpoints, feed_of, fit_blocks
from rosenblatt.streams.feeds import Sequences

LISTED = 10
"""Bad lines that are listed one by one."""


@dataclass
class Options:
    """What the command line was asked for."""

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
    cache: bool = True,
) -> None:
    """Learn, and write the model."""
    began, output = perf_counter(), named_output(output)
    check_output(output, train)
    if every is not None and written_in_place(output):
        raise ValueError(
            f"--checkpoint needs a model file, beside which the checkpoint is. Got {output}, which is none."
        )
    if options.keep is False and options.predictor in ("best", "vote", "sample"):
        raise ValueError(
            f"--predictor {options.predictor} needs corrected rows. Got --no-keep: leave it out."
        )
    kind = options.format or format_of(train)
    game = options.game or ("sequence" if kind == "conll" else "classification")
    estimator = _estimator(game, options, kind)
    schema = _schema(game, options, kind)
    source: Any = (
        [Sequences(*read_sequences(train))] if game == "sequence" else _rows(train, kind, schema, options)
    )
    if cache and options.epochs > 1 and isinstance(source, RowSource):
        source = Cached(
            source,
            lambda remark: say(remark, quiet=quiet),
            at_once=every is not None,
            version=__version__,
        )
    checkpoints, place = None, None
    if every is not None or resume:
        if every is None:
            raise ValueError("--resume needs the same --checkpoint every=N as the run that was stopped.")
        if train == STDIN:
            raise ValueError("A run from standard input cannot be gone on with. Give a file.")
        about = {"options": asdict(options), "data": fingerprint(train), "every": every}
        checkpoints = Checkpoints(f"{output}.checkpoint", every, about)
        if resume and (found := checkpoints.found()) is not None:
            estimator, place = found
            say(f"going on after {estimator._run.book.rounds:,} rounds", quiet=quiet)
    classes = None if options.classes is None else _classes(options.classes)
    expected = about_rows(train, kind)
    bar = Bar("learning", expected and expected * estimator.epochs, quiet=quiet)
    watched = _Watched(source, quiet)
    fit_blocks(
        feed_of(estimator, classes),
        estimator,
        watched,
        checkpoints=checkpoints,
        place=place,
        told=lambda: _tell(bar, estimator, watched),
    )
    bar.close()
    for remark in filter(None, schema.remarks):
        say(remark, quiet=quiet)
    notes = {"game": game, "format": kind, "table": schema.noted()} | _columns(game, source)
    save(estimator, output, notes, schema.vocabulary.names)
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
    """A source, of which it is told what was skipped and how many rows there are."""

    def __init__(self, source: Any, quiet: bool) -> None:
        self._source = source
        self._quiet = quiet
        self._listed: set[int] = set()
        self.rows: int | None = None

    def __iter__(self) -> Any:
        rows = 0
        for block in self._source:
            for skipped in getattr(block, "skipped", ()):
                if skipped.line not in self._listed and len(self._listed) < LISTED:
                    say(f"skipped line {skipped.line}: {skipped.reason}", quiet=self._quiet)
                self._listed.add(skipped.line)
            rows += len(block)
            yield block
        self.rows = rows


def _tell(bar: Bar, estimator: Any, watched: _Watched) -> None:
    book = estimator._run.book
    if watched.rows is not None:
        bar.expect(watched.rows * estimator.epochs)
    bar.at(book.rounds, book.total)


def _estimator(game: str, options: Options, kind: str) -> Any:
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
    if game == "sequence":
        if kind != "conll":
            raise ValueError(
                f"The sequence game reads CoNLL files. Got {kind}: say --format conll if it is one."
            )
        template = None if options.template is None else Path(options.template).read_text(encoding="utf-8")
        return PerceptronTagger(templates=template, scheme=options.scheme, **shared)
    if kind == "conll":
        raise ValueError(f"A CoNLL file is for the sequence game. Got --game {game}.")
    if game == "ranking":
        return PerceptronRanker(strategy=options.strategy, **shared)
    return PerceptronClassifier(multiclass=options.multiclass, **shared)


def _schema(game: str, options: Options, kind: str) -> Schema:
    query = options.query or ("qid" if game == "ranking" and kind != "svmlight" else None)
    return Schema(
        label=options.label or "label",
        query=query,
        id=options.id,
        vocabulary=Vocabulary(bits=options.hash_bits),
    )


def _rows(train: str, kind: str, schema: Schema, options: Options) -> Any:
    source = RowSource(train, kind, schema, options.skip_bad)
    return list(source) if train == STDIN else source


def _columns(game: str, source: Any) -> dict[str, Any]:
    """How many columns tokens have, to know where labels would be."""
    if game != "sequence":
        return {}
    token = source[0].X[0][0]
    return {"columns": 1 if isinstance(token, str) else len(token)}


def _classes(text: str) -> Any:
    names = [name.strip() for name in text.split(",") if name.strip()]
    try:
        return np.array([int(name) for name in names])
    except ValueError:
        return np.array(names)
