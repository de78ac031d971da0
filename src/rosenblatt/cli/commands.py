"""The commands, their options and their help; what they do is imported when they are called."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="rosenblatt",
    help="Mistake-driven learning from the shell: the perceptron, its kernels, its ledger of mistakes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 110},
)


class Game(StrEnum):
    """What is learned."""

    classification = "classification"
    ranking = "ranking"
    sequence = "sequence"


class Predictor(StrEnum):
    """Which of the guesses answers."""

    last = "last"
    best = "best"
    average = "average"
    vote = "vote"
    sample = "sample"


class Multiclass(StrEnum):
    """How more than two classes are told apart."""

    argmax = "argmax"
    one_vs_rest = "one-vs-rest"


class Strategy(StrEnum):
    """What a round of the ranking game is."""

    pairs = "pairs"
    best = "best"
    top = "top"


class Policy(StrEnum):
    """What a learner with a budget forgets."""

    projection = "projection"
    merging = "merging"
    halving = "halving"
    random = "random"
    oldest = "oldest"


class Export(StrEnum):
    """What other programs read."""

    onnx = "onnx"
    json = "json"


class Format(StrEnum):
    """How files are written."""

    svmlight = "svmlight"
    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    arrow = "arrow"
    conll = "conll"


def _every(value: str | None) -> int | None:
    """`every=10000`."""
    if value is None:
        return None
    number = value.removeprefix("every=").replace("_", "")
    if not number.isdecimal() or int(number) < 1:
        raise typer.BadParameter(f"say how often, as in every=10000. Got {value!r}.")
    return int(number)


def _kernel(value: str | None) -> str | None:
    if value is not None:
        from rosenblatt.kernels import parse

        try:
            parse(value)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None
    return value


def _rule(value: str) -> str:
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
    typer.Option("--format", metavar="NAME", help="csv, jsonl, …; by default told by the contents."),
]
Json = Annotated[bool, typer.Option("--json", help="For machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No remarks, no progress bar.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Instead of standard output.")]
SkipBad = Annotated[
    int, typer.Option(min=0, metavar="N", help="Go on past so many bad lines, and list them.")
]


@app.command(
    epilog='rosenblatt fit train.svm -o model --kernel "(Linear() + 1)**3" --epochs 5 --predictor vote'
)
def fit(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="A file to learn from; - for stdin.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="Where the model goes.")],
    game: Annotated[
        Game | None,
        typer.Option(metavar="GAME", help="classification, ranking, or sequence as for all CoNLL files."),
    ] = None,
    kernel: Annotated[
        str | None, typer.Option(callback=_kernel, metavar="EXPR", help='As "RBF(sigma=2)"; none is linear.')
    ] = None,
    rule: Annotated[
        str, typer.Option(callback=_rule, metavar="RULE", help='As "Margin(beta=0.1)".')
    ] = "perceptron",
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="How often to go through the file.")] = 10,
    predictor: Annotated[
        Predictor, typer.Option(metavar="NAME", help="last, best, average, vote or sample.")
    ] = Predictor.average,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of all random choices.")] = 0,
    shuffle: Annotated[bool, typer.Option(help="Draw an order in every epoch, within blocks.")] = True,
    multiclass: Annotated[
        Multiclass, typer.Option(metavar="HOW", help="argmax or one-vs-rest, with more than two classes.")
    ] = Multiclass.argmax,
    strategy: Annotated[
        Strategy, typer.Option(metavar="HOW", help="pairs, best or top, of the ranking game.")
    ] = Strategy.pairs,
    template: Annotated[str | None, typer.Option(metavar="FILE", help="In CRF++'s language.")] = None,
    scheme: Annotated[
        str | None, typer.Option(metavar="NAME", help="IOB1, IOB2, BILOU or BIOES: allow nothing else.")
    ] = None,
    label: Annotated[str | None, typer.Option(metavar="COLUMN", help="By default label.")] = None,
    query: Annotated[str | None, typer.Option(metavar="COLUMN", help="By default qid.")] = None,
    row_id: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="What rows are called.")
    ] = None,
    hash_bits: Annotated[
        int | None, typer.Option(min=1, max=30, metavar="B", help="Hash features into 2^B.")
    ] = None,
    classes: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="All there are, if the first rows lack some.")
    ] = None,
    keep: Annotated[
        bool | None, typer.Option(help="Keep corrected rows, for vote, explain and certify.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Store at most N rows, with a kernel.")
    ] = None,
    policy: Annotated[
        Policy, typer.Option(metavar="NAME", help="projection, merging, halving, random or oldest.")
    ] = Policy.projection,
    kind: FormatOption = None,
    skip_bad: SkipBad = 0,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="every=N", help="Rounds between checkpoints.")
    ] = None,
    cache: Annotated[
        bool, typer.Option(help="Keep what was read beside a large file, for the next epoch.")
    ] = True,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a killed run was.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Learn from a file and write a model."""
    fitting = _imported("rosenblatt.cli.fitting")

    options = fitting.Options(
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
        options,
        every=_every(checkpoint),
        resume=resume,
        quiet=quiet,
        as_json=as_json,
        cache=cache,
    )


@app.command(epilog="rosenblatt predict model.rosenblatt new.csv -o answers.txt")
def predict(
    model: ModelFile,
    file: DataFile,
    output: Output = "-",
    kind: FormatOption = None,
    scores: Annotated[bool, typer.Option("--scores", help="The score beside every label.")] = False,
    skip_bad: SkipBad = 0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Answer: a label for every row, a score from a ranker, tags from a tagger."""
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
    )


@app.command(epilog="rosenblatt evaluate model.rosenblatt test.svm --predictor vote")
def evaluate(
    model: ModelFile,
    file: DataFile,
    predictor: Annotated[Predictor | None, typer.Option(help="Another one than the model's.")] = None,
    kind: FormatOption = None,
    skip_bad: SkipBad = 0,
    quiet: Quiet = False,
    as_json: Json = False,
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
    )


@app.command(epilog="rosenblatt tag chunker.rosenblatt - < sentences.conll")
def tag(
    model: ModelFile,
    file: DataFile,
    output: Output = "-",
    text: Annotated[
        bool, typer.Option("--text", help="A sentence per line, its tokens between spaces.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Put a tag beside every token of a CoNLL file."""
    answering = _imported("rosenblatt.cli.answering")

    answering.tag(model, file, output=output, quiet=quiet, as_json=as_json, plain=text)


@app.command(epilog="rosenblatt rank model.rosenblatt lists.svm")
def rank(
    model: ModelFile,
    file: DataFile,
    output: Output = "-",
    kind: FormatOption = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Order the rows of every query: query, rank, row, score."""
    answering = _imported("rosenblatt.cli.answering")

    answering.rank(model, file, output=output, kind=_value(kind), quiet=quiet, as_json=as_json)


@app.command(epilog="rosenblatt certify model.rosenblatt train.svm")
def certify(model: ModelFile, file: DataFile, kind: FormatOption = None, as_json: Json = False) -> None:
    """The mistake bound of the run, on the file it learned from, with the numbers of its proof."""
    looking = _imported("rosenblatt.cli.looking")

    looking.certify(model, file, kind=_value(kind), as_json=as_json)


@app.command(epilog="rosenblatt explain model.rosenblatt test.csv --row 3")
def explain(
    model: ModelFile,
    file: DataFile,
    row: Annotated[int, typer.Option(min=1, help="Which row, counted from 1.")] = 1,
    label: Annotated[str | None, typer.Option(help="The class whose score to explain.")] = None,
    kind: FormatOption = None,
    as_json: Json = False,
) -> None:
    """Which stored examples decided about a row: importance × similarity."""
    looking = _imported("rosenblatt.cli.looking")

    looking.explain(model, file, row=row, kind=_value(kind), label=label, as_json=as_json)


@app.command(epilog="rosenblatt inspect model.rosenblatt")
def inspect(model: ModelFile, as_json: Json = False) -> None:
    """What a model is."""
    looking = _imported("rosenblatt.cli.looking")

    looking.inspect(model, as_json=as_json)


@app.command(epilog="rosenblatt convert model.rosenblatt model.onnx --predictor average")
def convert(
    model: ModelFile,
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="The file to write, which ends in .onnx or .json.")
    ],
    to: Annotated[Export | None, typer.Option(help="By default told by the end of OUT.")] = None,
    predictor: Annotated[Predictor | None, typer.Option(help="Another one than the model's.")] = None,
    as_json: Json = False,
) -> None:
    """Write a model for other programs: classifiers and rankers as ONNX, all of them as plain JSON."""
    converting = _imported("rosenblatt.cli.converting")

    converting.convert(model, out, to=_value(to), predictor=_value(predictor), as_json=as_json)


@app.command(epilog="rosenblatt demo")
def demo() -> None:
    """Digits: a table of errors, a certificate, an explanation, two pictures."""
    _imported("rosenblatt.demo").main()


def _imported(name: str) -> Any:
    """What a command is made of, imported while nobody looks for garbage: that takes a sixth of the time."""
    gc.disable()
    import_module("rosenblatt.estimators")  # before others import all of scikit-learn and SciPy
    module = import_module(name)
    gc.freeze()
    gc.enable()
    return module


def _value(option: StrEnum | None) -> str | None:
    return None if option is None else str(option.value)


def main() -> None:
    """Run a command; what goes wrong is said in one sentence, and whole with --debug."""
    debug = "--debug" in sys.argv[1:]
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        app(arguments, prog_name="rosenblatt")
    except (ValueError, TypeError, ArithmeticError, LookupError, ImportError, MemoryError) as fault:
        _fail(str(fault) or type(fault).__name__, debug)
    except BrokenPipeError:  # whoever read has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as fault:
        what = f"{fault.filename}: {fault.strerror}" if fault.filename and fault.strerror else str(fault)
        _fail(what, debug)


def _fail(what: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    print(f"rosenblatt: {what}", file=sys.stderr)
    sys.exit(1)
