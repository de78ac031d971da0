"""The commands, their options and their help; what they do is imported when they are called."""

from __future__ import annotations

import csv
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
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 110},
)


@app.callback()
def rosenblatt(version: options.Version = False, debug: options.Debug = False) -> None:
    """Mistake-driven learning from the shell: the perceptron, its kernels, its ledger of mistakes."""


@app.command(
    epilog='rosenblatt fit train.svm -o model --kernel "(Linear() + 1)**3" --max-iter 5 --predictor vote'
)
def fit(
    context: typer.Context,
    train: options.TrainFile,
    output: options.NewModel,
    continued: options.Continued = None,
    game: options.GameOption = None,
    kernel: options.KernelOption = None,
    rule: options.RuleOption = None,
    max_iter: options.MaxIter = 10,
    predictor: options.PredictorOption = options.Predictor.average,
    seed: options.Seed = 0,
    shuffle: options.Shuffle = True,
    intercept: options.Intercept = None,
    scale: options.ScaleOption = options.Scale.none,
    multiclass: options.MulticlassOption = options.Multiclass.argmax,
    class_weight: options.ClassWeight = None,
    strategy: options.StrategyOption = options.Strategy.pairs,
    template: options.Template = None,
    scheme: options.Scheme = None,
    label: options.Label = None,
    target: options.Target = None,
    query: options.Query = None,
    row_id: options.RowId = None,
    ignore: options.Ignore = None,
    text: options.Text = None,
    hash_bits: options.HashBits = None,
    classes: options.Classes = None,
    keep: options.Keep = None,
    budget: options.BudgetOption = None,
    policy: options.PolicyOption = options.Policy.projection,
    kind: options.FormatOption = None,
    skip_bad: options.SkipBad = 0,
    checkpoint: options.Checkpoint = None,
    resume: options.Resume = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Learn from a file and write a model."""
    fitting = _imported("rosenblatt.cli.fitting")

    fitting.fit(
        train,
        output,
        fitting.options_of(context.params),
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
    debug: options.Debug = False,
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
    debug: options.Debug = False,
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
    debug: options.Debug = False,
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
    debug: options.Debug = False,
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
    debug: options.Debug = False,
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
    by: Annotated[
        options.By | None, typer.Option(metavar="WHAT", help="features (without a kernel) or examples.")
    ] = None,
    kind: options.FormatOption = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Explain the answer of a classifier to a row: weight × value of features, or by support vectors."""
    looking = _imported("rosenblatt.cli.looking")

    looking.explain(
        model,
        file,
        row=row,
        kind=_value(kind),
        label=label,
        by=_value(by),
        as_json=as_json,
        given=Given.of(context),
    )


@app.command(epilog="rosenblatt inspect model.rosenblatt")
def inspect(
    context: typer.Context,
    model: options.ModelFile,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
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
    debug: options.Debug = False,
) -> None:
    """Export a model: classifiers and rankers as ONNX, all estimators as plain JSON."""
    converting = _imported("rosenblatt.cli.converting")

    given = Given.of(context)
    converting.convert(model, out, to=_value(to), predictor=_value(predictor), as_json=as_json, given=given)


@app.command("compile", epilog="rosenblatt compile classifier tagger")
def compile_ahead(
    parts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART]…", help="classifier, ranker, tagger, online, files; by default all."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many at once; by default as many as cores.")
    ] = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Compile all loops ahead, as for a container or a CI cache, and keep them."""
    compiling = _imported("rosenblatt.cli.compiling")

    compiling.compile_ahead(parts or [], processes, quiet=quiet, as_json=as_json)


@app.command(epilog="rosenblatt play")
def play(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
    debug: options.Debug = False,
) -> None:
    """Serve the perceptron game as a local web page, until Ctrl-C."""
    _imported("rosenblatt.arena.server.serving").serve(port, browser=browser)


@app.command(epilog="rosenblatt demo")
def demo(debug: options.Debug = False) -> None:
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


LONGEST_CELL = 2**30
"""The most characters of a cell in a CSV file; Python's default is too few for texts."""


def main() -> None:
    """Run a command; an error is one sentence, or with --debug a traceback."""
    asked: dict[str, bool] = {}
    csv.field_size_limit(LONGEST_CELL)
    try:
        try:
            app(sys.argv[1:], prog_name="rosenblatt", obj=asked)
        finally:
            _flush()
    except (ValueError, TypeError, ArithmeticError, LookupError, ImportError, MemoryError) as fault:
        _fail(str(fault) or type(fault).__name__, asked.get("debug", False))
    except BrokenPipeError:  # the reader has closed the pipe
        sys.exit(1)
    except OSError as fault:
        # Errors of files that are written carry a name: without one, standard output is full.
        name = fault.filename or ("standard output" if fault.errno == errno.ENOSPC else None)
        what = f"{name}: {fault.strerror}" if name and fault.strerror else str(fault)
        _fail(what, asked.get("debug", False))


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
