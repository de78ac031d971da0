"""The commands, their options and their help; what they do is imported when they are called."""

from __future__ import annotations

import errno
import gc
import os
import sys
import traceback
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.options import Given

app = typer.Typer(
    name="rosenblatt",
    help="Mistake-driven learning from the shell: the perceptron, its kernels, its ledger of mistakes.",
    epilog="Every command also takes --debug: an error then shows its traceback.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 110},
)


@app.command(
    epilog='rosenblatt fit train.svm -o model --kernel "(Linear() + 1)**3" --epochs 5 --predictor vote'
)
def fit(
    context: typer.Context,
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="A file to learn from; - for stdin.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")],
    game: Annotated[
        options.Game | None,
        typer.Option(metavar="GAME", help="classification, ranking; sequence for CoNLL files."),
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(callback=options.kernel, metavar="EXPR", help='As "RBF(sigma=2)"; linear: weights.'),
    ] = None,
    rule: Annotated[
        str, typer.Option(callback=options.rule, metavar="RULE", help='As "Margin(beta=0.1)".')
    ] = "perceptron",
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the file.")] = 10,
    predictor: Annotated[
        options.Predictor, typer.Option(metavar="NAME", help="last, best, average, vote, sample or recent.")
    ] = options.Predictor.average,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The seed of all random choices.")] = 0,
    shuffle: Annotated[bool, typer.Option(help="Draw an order in every epoch, within blocks.")] = True,
    multiclass: Annotated[
        options.Multiclass,
        typer.Option(metavar="HOW", help="argmax or one-vs-rest, for over two classes."),
    ] = options.Multiclass.argmax,
    strategy: Annotated[
        options.Strategy, typer.Option(metavar="HOW", help="pairs, best or top, of the ranking game.")
    ] = options.Strategy.pairs,
    template: Annotated[str | None, typer.Option(metavar="FILE", help="In CRF++'s language.")] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            callback=options.scheme, metavar="NAME", help="IOB1, IOB2, BILOU or BIOES: allow nothing else."
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="By default label; of CoNLL -1, the last.")
    ] = None,
    query: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="To rank the rows of each; by default qid.")
    ] = None,
    row_id: Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="The names of rows.")] = None,
    ignore: Annotated[str | None, typer.Option(metavar="A,B,…", help="Columns to leave out.")] = None,
    hash_bits: Annotated[
        int | None, typer.Option(min=1, max=30, metavar="B", help="Hash features into 2^B buckets.")
    ] = None,
    classes: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="All classes, if the first rows lack some.")
    ] = None,
    keep: Annotated[
        bool | None, typer.Option(help="Keep corrected rows, for vote, explain and certify.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Store at most N rows, with a kernel.")
    ] = None,
    policy: Annotated[
        options.Policy, typer.Option(metavar="NAME", help="projection, merging, halving, random or oldest.")
    ] = options.Policy.projection,
    kind: options.FormatOption = None,
    skip_bad: options.SkipBad = 0,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="every=N", help="Rounds between checkpoints.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume from the checkpoint.")] = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Learn from a file and write a model."""
    fitting = _imported("rosenblatt.cli.fitting")

    asked = fitting.Options(
        game=None if game is None else game.value,
        kernel=kernel,
        rule=rule,
        epochs=epochs,
        predictor=predictor.value,
        seed=seed,
        shuffle=shuffle,
        multiclass=multiclass.value,
        strategy=strategy.value,
        template=template,
        scheme=scheme,
        format=None if kind is None else kind.value,
        label=label,
        query=query,
        id=row_id,
        ignore=ignore,
        hash_bits=hash_bits,
        classes=classes,
        skip_bad=skip_bad,
        keep=keep,
        budget=budget,
        policy=policy.value,
    )
    fitting.fit(
        train,
        output,
        asked,
        every=options.every(checkpoint),
        resume=resume,
        quiet=quiet,
        as_json=as_json,
        given=Given.of(context),
    )


@app.command(epilog="rosenblatt predict model.rosenblatt new.csv -o answers.txt")
def predict(
    context: typer.Context,
    model: options.ModelFile,
    file: options.DataFile,
    output: options.Output = "-",
    kind: options.FormatOption = None,
    scores: Annotated[bool, typer.Option("--scores", help="The score beside every label.")] = False,
    skip_bad: options.SkipBad = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Predict a label for every row; with a ranker a score, with a tagger tags."""
    answering = _imported("rosenblatt.cli.answering")

    answering.predict(
        model,
        file,
        output=output,
        kind=_value(kind),
        scores=scores,
        quiet=quiet,
        as_json=as_json,
        skip_bad=skip_bad,
        given=Given.of(context),
    )


@app.command(epilog="rosenblatt evaluate model.rosenblatt test.svm --predictor vote")
def evaluate(
    context: typer.Context,
    model: options.ModelFile,
    file: options.DataFile,
    predictor: Annotated[options.Predictor | None, typer.Option(help="Instead of the model's.")] = None,
    kind: options.FormatOption = None,
    skip_bad: options.SkipBad = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare answers with the labels, grades or tags in a file."""
    answering = _imported("rosenblatt.cli.answering")

    answering.evaluate(
        model,
        file,
        kind=_value(kind),
        predictor=_value(predictor),
        quiet=quiet,
        as_json=as_json,
        skip_bad=skip_bad,
        given=Given.of(context),
    )


@app.command(epilog="rosenblatt tag chunker.rosenblatt - < sentences.conll")
def tag(
    context: typer.Context,
    model: options.ModelFile,
    file: options.DataFile,
    output: options.Output = "-",
    kind: options.FormatOption = None,
    text: Annotated[
        bool, typer.Option("--text", help="A sentence per line, its tokens between spaces.")
    ] = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Put a tag beside every token of a CoNLL file."""
    answering = _imported("rosenblatt.cli.answering")

    given = Given.of(context)
    answering.tag(
        model,
        file,
        output=output,
        kind=_value(kind),
        quiet=quiet,
        as_json=as_json,
        plain=text,
        given=given,
    )


@app.command(epilog="rosenblatt rank model.rosenblatt lists.svm")
def rank(
    context: typer.Context,
    model: options.ModelFile,
    file: options.DataFile,
    output: options.Output = "-",
    kind: options.FormatOption = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Order the rows of every query: query, rank, row, score."""
    answering = _imported("rosenblatt.cli.answering")

    given = Given.of(context)
    answering.rank(model, file, output=output, kind=_value(kind), quiet=quiet, as_json=as_json, given=given)


@app.command(epilog="rosenblatt certify model.rosenblatt train.svm")
def certify(
    context: typer.Context,
    model: options.ModelFile,
    file: options.DataFile,
    kind: options.FormatOption = None,
    as_json: options.Json = False,
) -> None:
    """Print the mistake bound of the run on the file it learned from, with the values of its proof."""
    looking = _imported("rosenblatt.cli.looking")

    looking.certify(model, file, kind=_value(kind), as_json=as_json, given=Given.of(context))


@app.command(epilog="rosenblatt explain model.rosenblatt test.csv --row 3")
def explain(
    context: typer.Context,
    model: options.ModelFile,
    file: options.DataFile,
    row: Annotated[int, typer.Option(min=1, help="Which row, counted from 1.")] = 1,
    label: Annotated[str | None, typer.Option(help="The class whose score to explain.")] = None,
    kind: options.FormatOption = None,
    as_json: options.Json = False,
) -> None:
    """Explain the answer of a classifier to a row by support vectors: importance × similarity."""
    looking = _imported("rosenblatt.cli.looking")

    given = Given.of(context)
    looking.explain(model, file, row=row, kind=_value(kind), label=label, as_json=as_json, given=given)


@app.command(epilog="rosenblatt inspect model.rosenblatt")
def inspect(context: typer.Context, model: options.ModelFile, as_json: options.Json = False) -> None:
    """Describe a model."""
    looking = _imported("rosenblatt.cli.looking")

    looking.inspect(model, as_json=as_json, given=Given.of(context))


@app.command(epilog="rosenblatt convert model.rosenblatt model.onnx --predictor average")
def convert(
    context: typer.Context,
    model: options.ModelFile,
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="The file to write, which ends in .onnx or .json.")
    ],
    to: Annotated[options.Export | None, typer.Option(help="By default the suffix of OUT.")] = None,
    predictor: Annotated[options.Predictor | None, typer.Option(help="Instead of the model's.")] = None,
    as_json: options.Json = False,
) -> None:
    """Export a model: classifiers and rankers as ONNX, all estimators as plain JSON."""
    converting = _imported("rosenblatt.cli.converting")

    given = Given.of(context)
    converting.convert(model, out, to=_value(to), predictor=_value(predictor), as_json=as_json, given=given)


@app.command(epilog="rosenblatt play")
def play(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
) -> None:
    """Serve the perceptron game as a local web page, until Ctrl-C."""
    _imported("rosenblatt.arena.server.serving").serve(port, browser=browser)


@app.command(epilog="rosenblatt demo")
def demo() -> None:
    """Show the library on digits: a table of errors, a certificate, an explanation, three pictures."""
    _imported("rosenblatt.cli.demo").main()


def _imported(name: str) -> Any:
    """Import the module of a command without garbage collection, which takes a sixth of the time."""
    gc.disable()
    module = import_module(name)
    gc.freeze()
    gc.enable()
    return module


def _value(option: StrEnum | None) -> str | None:
    return None if option is None else str(option.value)


def main() -> None:
    """Run a command; an error is one sentence, or with --debug a traceback."""
    debug = "--debug" in sys.argv[1:]
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        try:
            app(arguments, prog_name="rosenblatt")
        finally:
            _flush()
    except (ValueError, TypeError, ArithmeticError, LookupError, ImportError, MemoryError) as fault:
        _fail(str(fault) or type(fault).__name__, debug)
    except BrokenPipeError:  # the reader has closed the pipe
        sys.exit(1)
    except OSError as fault:
        # Errors of files that are written carry a name: without one, standard output is full.
        name = fault.filename or ("standard output" if fault.errno == errno.ENOSPC else None)
        _fail(f"{name}: {fault.strerror}" if name and fault.strerror else str(fault), debug)


def _flush() -> None:
    """Flush standard output while an error can still be reported."""
    try:
        sys.stdout.flush()
    except OSError:
        _abandon_output()
        raise


def _abandon_output() -> None:
    """Redirect standard output to the null device, so that the interpreter's last flush succeeds."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(what: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    print(f"rosenblatt: {what}", file=sys.stderr)
    sys.exit(1)
