"""The commands predict, evaluate, rank and tag: the answers of a model to a file, and their quality."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
import typer

from rosenblatt.cli.opening import format_of_rows, open_model
from rosenblatt.cli.options import CLASSIFICATION, RANKING, SEQUENCE, Given
from rosenblatt.cli.output import (
    SkippedLines,
    answers_to,
    counted,
    list_skipped,
    say,
    show,
    show_table,
    some_of,
)
from rosenblatt.cli.sequences import Layout, read_to_compare, read_tokens
from rosenblatt.data.blocks import Block, joined
from rosenblatt.data.files import lines_of
from rosenblatt.data.schema import Schema
from rosenblatt.data.sources import RowSource, about_rows, file_of, format_of, name_of
from rosenblatt.persistence import Model

if TYPE_CHECKING:
    from rosenblatt.data.scaling import Scaling

AT_ONCE = 512
"""Sequences tagged at once; lines of plain text are tagged one by one, as they come."""


class RowsToAnswer:
    """The rows of a file in the form a model takes, and afterwards the features that did not match."""

    def __init__(
        self,
        model: Model,
        path: str,
        kind: str | None,
        given: Given,
        *,
        skip_bad: int = 0,
        quiet: bool = False,
        labelled: bool = False,
    ) -> None:
        noted = model.notes.get("table")
        if noted is None:
            raise ValueError(
                "This model was not learned from a file of rows by the command line. Use it from Python, "
                "with rosenblatt.load."
            )
        learned = model.notes.get("format")
        if kind == "conll":
            raise typer.BadParameter(
                f"A {kind_of(model.estimator)} takes rows. Got --format conll: leave it out."
            )
        kind = format_of_rows(path, kind, str(learned))
        given.check(game_of(model), kind)
        if (kind == "svmlight") != (learned == "svmlight"):
            have = "indices" if learned == "svmlight" else "names"
            raise ValueError(
                f"This model was learned from {learned}, in which features have {have}. Got {name_of(path)}, "
                f"which is {kind}."
            )
        self.format = kind
        self.schema = Schema.of_model(noted, model.names, labelled=labelled)
        width = model.estimator.n_features_in_
        self._source = RowSource(path, kind, self.schema, skip_bad, width, scaling_of(model))
        self._known = False
        self._skipped = SkippedLines(quiet)

    def __iter__(self) -> Iterator[Block]:
        for block in self._source:
            self._known |= bool(getattr(block.X, "nnz", True))
            self._skipped.add(block.skipped)
            yield block
        self._skipped.close()

    def all(self) -> Block:
        """Return all rows in one block, so that no list is cut."""
        blocks = list(self)
        if not blocks:
            raise ValueError(f"There is no row in {name_of(self._source.path)}.")
        return joined(blocks)

    def remark(self, quiet: bool) -> None:
        """Report which features are missing or new."""
        if not self._known:
            say("no row has a feature that the model knows: all answers are the same", quiet=quiet)
        if self.schema.absent:
            say(f"missing, counted as 0: {some_of(self.schema.absent)}", quiet=quiet)
        new = list(self.schema.unknown)
        if new:
            say(f"new, left out: {some_of(new)}", quiet=quiet)
        if self._source.beyond:
            say(f"new, left out: features up to {self._source.beyond}", quiet=quiet)


def scaling_of(model: Model) -> Scaling | None:
    """Return the scaling of `fit --scale`, which rows for a model need; None for none."""
    if "scaling" not in model.notes:
        return None
    from rosenblatt.data.scaling import of_notes

    table = model.notes.get("table")
    dense = isinstance(table, dict) and table.get("dense") is True
    return of_notes(model.notes["scaling"], model.estimator.n_features_in_, dense=dense)


def kind_of(estimator: Any) -> str:
    """Return the name of its class; isinstance would need an import of every estimator."""
    return type(estimator).__name__


GAMES = {
    "PerceptronClassifier": CLASSIFICATION,
    "PerceptronRanker": RANKING,
    "PerceptronTagger": SEQUENCE,
}


def game_of(model: Model) -> str:
    """Return the game that a model plays."""
    return GAMES[kind_of(model.estimator)]


def check_sequences(path: str, kind: str | None, given: Given) -> None:
    """Refuse files, formats and options that do not apply to sequences."""
    if kind not in (None, "conll"):
        raise typer.BadParameter(f"A tagger reads CoNLL files. Got --format {kind}: leave it out.")
    given.check(SEQUENCE, "conll")
    found = kind or format_of(path, expected="conll")
    if found != "conll":
        raise ValueError(
            f"A tagger reads CoNLL files. Got {name_of(path)}, which is {found}: say --format conll if it is "
            "one."
        )


def loaded(path: str, kind: str, what: str, instead: str) -> Model:
    """Load a model, and refuse it if its estimator is of another class."""
    model = open_model(path)
    if kind_of(model.estimator) != kind:
        raise ValueError(f"{what} takes a {kind}. Got {path}, a {kind_of(model.estimator)}: {instead}")
    return model


def predict(
    model_path: str,
    path: str,
    *,
    output: str,
    kind: str | None,
    scores: bool,
    quiet: bool,
    as_json: bool,
    skip_bad: int,
    given: Given,
) -> None:
    """Write a label per row, in their order; a score per row from a ranker; tags from a tagger."""
    model = open_model(model_path)
    if game_of(model) == SEQUENCE:
        check_sequences(path, kind, given)
        with answers_to(output, model_path, path) as out:
            _tag_columns(model, path, out, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
        return
    rows = RowsToAnswer(model, path, kind, given, skip_bad=skip_bad, quiet=quiet)
    estimator = model.estimator
    total = about_rows(path, rows.format)
    with answers_to(output, model_path, path) as out:
        whole = game_of(model) == RANKING and estimator.predictor in ("vote", "sample")
        blocks = [rows.all()] if whole else rows
        for block in counted(blocks, "answering", total, "rows", quiet=quiet):
            found = _answers(estimator, block, scores or as_json)
            for i, (label, score) in enumerate(found):
                name = block.ids[i] if block.ids else None
                if as_json:
                    named = {} if name is None else {"id": name}
                    print(json.dumps(named | {"label": label, "score": score}, ensure_ascii=False), file=out)
                else:
                    shown = label if not scores else f"{label}\t{score}"
                    print(shown if rows.schema.id is None or name is None else f"{name}\t{shown}", file=out)
    rows.remark(quiet)


def _answers(estimator: Any, block: Block, scores: bool) -> Iterator[tuple[Any, Any]]:
    if kind_of(estimator) == "PerceptronRanker":
        found = estimator.decision_function(block.X, block.qid).tolist()
        return iter(zip(found, found, strict=True))
    labels = estimator.predict(block.X).tolist()
    values = estimator.decision_function(block.X).tolist() if scores else [None] * len(labels)
    return iter(zip(labels, values, strict=True))


def evaluate(
    model_path: str,
    path: str,
    *,
    kind: str | None,
    predictor: str | None,
    quiet: bool,
    as_json: bool,
    skip_bad: int,
    given: Given,
) -> None:
    """Compare answers with the labels, grades or tags of a file."""
    model = open_model(model_path)
    if predictor is not None:
        model.estimator.set_params(predictor=predictor)
    if game_of(model) == SEQUENCE:
        check_sequences(path, kind, given)
        _evaluate_tags(model, path, skip_bad, quiet, as_json)
        return
    rows = RowsToAnswer(model, path, kind, given, skip_bad=skip_bad, quiet=quiet, labelled=True)
    every = rows.all()
    rows.remark(quiet)
    if game_of(model) == RANKING:
        _evaluate_order(model.estimator, every, as_json)
    else:
        _evaluate_labels(model.estimator, every.y, model.estimator.predict(every.X), as_json)


def _evaluate_labels(estimator: Any, y: Any, found: Any, as_json: bool) -> None:
    correct = found == y
    rows: list[tuple[str, Any]] = [
        ("rows", len(y)),
        ("accuracy", float(correct.mean())),
        ("errors", int((~correct).sum())),
        ("predictor", estimator.predictor),
    ]
    show("Answers against labels", rows, as_json)
    if as_json or len(estimator.classes_) > 30:
        return
    print()
    table = []
    for label in np.unique(np.concatenate([estimator.classes_, np.unique(y)])).tolist():
        both, predicted, true = (int(s.sum()) for s in (correct & (y == label), found == label, y == label))
        table.append([label, true, both / predicted if predicted else 0.0, both / true if true else 0.0])
    show_table(["label", "rows", "precision", "recall"], table)


def _evaluate_order(estimator: Any, every: Block, as_json: bool) -> None:
    from rosenblatt import metrics

    y, qid = every.y, every.qid
    if qid is None:
        raise ValueError("A ranker is judged by queries. Got rows without.")
    found = estimator.decision_function(every.X, qid)
    rows: list[tuple[str, Any]] = [("rows", len(y)), ("queries", len(np.unique(qid.astype(str))))]
    for name in ("ndcg@10", "map", "mrr", "precision@1", "pairwise"):
        rows.append((name, float(metrics.lists.named(name)(y, found, qid))))
    show("Orders against grades (queries in which nothing is better count as 0)", rows, as_json)


def _evaluate_tags(model: Model, path: str, skip_bad: int, quiet: bool, as_json: bool) -> None:
    from rosenblatt import metrics

    read = read_to_compare(path, model, skip_bad)
    list_skipped(read.skipped, quiet)
    truths, found = [list(labels) for labels in read.y], model.estimator.predict(list(read.X))
    rows: list[tuple[str, Any]] = [
        ("sequences", len(truths)),
        ("tokens", sum(map(len, truths))),
        ("token accuracy", metrics.token_accuracy(truths, found)),
        ("sequence accuracy", metrics.sequence_accuracy(truths, found)),
    ]
    with suppress(ValueError):  # labels that mark no spans
        rows.append(("span F1", metrics.span_f1(truths, found)))
    show("Tags against labels", rows, as_json)


def rank(
    model_path: str,
    path: str,
    *,
    output: str,
    kind: str | None,
    quiet: bool,
    as_json: bool,
    given: Given,
) -> None:
    """Write the rows of every query, the best first."""
    model = loaded(model_path, "PerceptronRanker", "rank", "use predict or tag.")
    rows = RowsToAnswer(model, path, kind, given)
    every = rows.all()
    rows.remark(quiet)
    if every.qid is None:
        raise ValueError(f"Rows are ranked within their query. Got rows without one in {name_of(path)}.")
    qid, scores = every.qid, model.estimator.decision_function(every.X, every.qid)
    nameless: list[Any] = [None]
    ids = every.ids or nameless * len(every)
    with answers_to(output, model_path, path) as out:
        for query in dict.fromkeys(qid.tolist()):
            mine = np.flatnonzero(qid == query)
            for position, row in enumerate(mine[np.argsort(-scores[mine], kind="stable")].tolist(), 1):
                values = {"query": query, "rank": position, "row": row + 1, "score": float(scores[row])}
                values |= {} if ids[row] is None else {"id": ids[row]}
                line = (
                    json.dumps(values, ensure_ascii=False)
                    if as_json
                    else "\t".join(map(str, values.values()))
                )
                print(line, file=out)


def tag(
    model_path: str,
    path: str,
    *,
    output: str,
    kind: str | None,
    quiet: bool,
    as_json: bool,
    plain: bool,
    given: Given,
) -> None:
    """Write tokens with their tags beside them, from a CoNLL file or from lines of plain text."""
    model = loaded(model_path, "PerceptronTagger", "tag", "use predict or rank.")
    if plain:
        _check_text(model, kind)
    else:
        check_sequences(path, kind, given)
    with answers_to(output, model_path, path) as out:
        if plain:
            _tag_lines(model, path, out, quiet=quiet, as_json=as_json)
        else:
            _tag_columns(model, path, out, skip_bad=0, quiet=quiet, as_json=as_json)


def _check_text(model: Model, kind: str | None) -> None:
    """Refuse --text beside --format, and for a model whose tokens have several columns."""
    if kind is not None:
        raise typer.BadParameter(f"--text reads plain lines, --format {kind} columns: leave one out.")
    if (columns := Layout.of_model(model).columns) > 1:
        raise typer.BadParameter(
            f"--text gives tokens of one column. Got a model of tokens of {columns}: give it a CoNLL file."
        )


def _tag_columns(model: Model, path: str, out: TextIO, *, skip_bad: int, quiet: bool, as_json: bool) -> None:
    """Tag the tokens of a CoNLL file, AT_ONCE sequences at a time."""
    read = read_tokens(path, model, skip_bad)
    list_skipped(read.skipped, quiet)
    sequences = iter(read.X)
    parts = iter(lambda: list(islice(sequences, AT_ONCE)), [])
    _tag(model, parts, _show_columns, out, quiet=quiet, as_json=as_json)


def _tag_lines(model: Model, path: str, out: TextIO, *, quiet: bool, as_json: bool) -> None:
    """Tag lines of plain text, each as it comes."""
    with lines_of(file_of(path)) as lines:
        parts = ([line.decode().split()] for line in lines)
        _tag(model, parts, _show_line, out, quiet=quiet, as_json=as_json)


def _tag(
    model: Model,
    parts: Iterable[list[Any]],
    show_one: Callable[..., None],
    out: TextIO,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    for some in counted(parts, "tagging", None, "sequences", quiet=quiet):
        for tokens, tags in zip(some, model.estimator.predict(some), strict=True):
            if as_json:
                print(json.dumps({"tokens": tokens, "tags": tags}, ensure_ascii=False), file=out)
            else:
                show_one(tokens, tags, out)


def _show_columns(tokens: Any, tags: Any, out: Any) -> None:
    for token, label in zip(tokens, tags, strict=True):
        print(*([token] if isinstance(token, str) else token), label, file=out)
    print(file=out)


def _show_line(tokens: Any, tags: Any, out: Any) -> None:
    print(*(f"{token}/{label}" for token, label in zip(tokens, tags, strict=True)), file=out)
