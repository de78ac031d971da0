"""What `fit --continue` does: the run of a model continues on another file, with the columns of the first."""

from __future__ import annotations

from typing import Any

import typer

from rosenblatt.cli.answering import check_sequences, game_of, scaling_of
from rosenblatt.cli.fitting import kept_blocks
from rosenblatt.cli.opening import format_of_rows, open_model
from rosenblatt.cli.options import NAMED, SEQUENCE, Given, rule_of
from rosenblatt.cli.output import say, some_of
from rosenblatt.cli.sequences import Layout, read_to_compare
from rosenblatt.cli.work import Options, Work
from rosenblatt.data.schema import Schema
from rosenblatt.data.sources import RowSource, name_of
from rosenblatt.persistence import Model

FREE = (
    "--output", "--continue", "--game", "--rule", "--max-iter", "--predictor", "--seed", "--shuffle",
    "--class-weight", "--format", "--skip-bad", "--checkpoint", "--resume", "--quiet", "--json", "--debug",
)  # fmt: skip
"""Options that may be given; the others are the model's."""


def work(train: str, options: Options, given: Given) -> Work:
    """Return what continues the run of the model on a file."""
    for option in given.options:
        if option not in FREE:
            raise typer.BadParameter(f"A run that continues keeps its {option}. Got another: leave it out.")
    model = open_model(str(options.continued))
    game = game_of(model)
    if options.game not in (None, game):
        raise typer.BadParameter(
            f"A run that continues keeps its game. Got --game {options.game} for a model of {game}."
        )
    _set(model.estimator, options, given)
    return (
        _sequences(train, model, options, given) if game == SEQUENCE else _rows(train, model, options, given)
    )


def _set(estimator: Any, options: Options, given: Given) -> None:
    """Set the parameters that the options change."""
    _check_predictor(estimator, options, given)
    if "--shuffle" in given and getattr(estimator, "strategy", None) == "pairs":
        raise typer.BadParameter(
            "--shuffle orders whole lists. Got a model with --strategy pairs, which draws every round: leave "
            "it out."
        )
    parameters = {
        "--rule": ("rule", options.rule and rule_of(options.rule)),
        "--max-iter": ("max_iter", options.max_iter),
        "--predictor": ("predictor", options.predictor),
        "--seed": ("random_state", options.seed),
        "--shuffle": ("shuffle", options.shuffle),
    }
    estimator.set_params(**dict(parameters[option] for option in given.options if option in parameters))
    estimator.set_params(warm_start=True)


def _check_predictor(estimator: Any, options: Options, given: Given) -> None:
    """Refuse a predictor that needs what the run has not kept."""
    hypothesis = estimator.run_.hypothesis
    if "--predictor" not in given:
        return
    if options.predictor == "recent" and hypothesis.recent is None:
        raise typer.BadParameter(
            "--predictor recent is followed from the first round on. Got a model that was learned without it."
        )
    if options.predictor in ("best", "vote", "sample") and not hypothesis.keep:
        raise typer.BadParameter(
            f"--predictor {options.predictor} needs corrected rows. Got a model that was learned without "
            "keeping them."
        )


def _sequences(train: str, model: Model, options: Options, given: Given) -> Work:
    check_sequences(train, options.format, given)
    read = read_to_compare(train, model, options.skip_bad)
    return Work(train, "conll", SEQUENCE, model.estimator, Schema(), [read], Layout.of_model(model).noted())


def _rows(train: str, model: Model, options: Options, given: Given) -> Work:
    noted = model.notes.get("table")
    if noted is None:
        raise ValueError(
            "This model was not learned from a file of rows by the command line. Continue it from Python, by "
            "partial_fit."
        )
    kind = _format(train, str(model.notes.get("format")), options.format)
    game = game_of(model)
    given.check(game, kind)
    schema = Schema.of_model(noted, model.names, labelled=True, learning=True)
    source = RowSource(train, kind, schema, options.skip_bad, scaling=scaling_of(model))
    return Work(train, kind, game, model.estimator, schema, kept_blocks(source), {}, source.scaling)


def _format(train: str, learned: str, asked: str | None) -> str:
    """Return the format of a file, which must have features of the kind that the model learned from."""
    kind = format_of_rows(train, asked, learned)
    if _features(kind) != _features(learned):
        raise ValueError(
            f"A run continues on a file like its first, {_features(learned)}. Got {name_of(train)}, which is "
            f"{kind}."
        )
    return kind


def _features(kind: str) -> str:
    """Return formats whose rows have features of the same kind."""
    return "a table" if kind in NAMED and kind != "jsonl" else kind


def finish(work: Work, quiet: bool) -> None:
    """Report columns that the file and the model do not share, and leave the estimator as it was."""
    if work.schema.absent:
        say(f"missing, counted as 0: {some_of(work.schema.absent)}", quiet=quiet)
    if work.schema.unknown:
        say(f"new, left out: {some_of(list(work.schema.unknown))}", quiet=quiet)
    work.estimator.set_params(warm_start=False)
