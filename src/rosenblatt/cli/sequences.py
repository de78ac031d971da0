"""Reading of sequence files by the commands: CoNLL columns, or CoNLL-U if the suffix is .conllu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from rosenblatt.data.blocks import Sequences
from rosenblatt.data.conll import CONLLU, Table, labels_of, read_table, read_words, tokens_of
from rosenblatt.data.formats import suffix_of
from rosenblatt.data.sources import file_of, name_of
from rosenblatt.persistence import Model

FORM, UPOS = "form", "upos"
"""The columns of CoNLL-U that are the tokens and, by default, the labels."""


@dataclass(frozen=True)
class Layout:
    """The columns of a file that are tokens, and the one that is the label.

    Parameters
    ----------
    columns
        How many columns tokens have.
    label
        The column of the label among those of the file: its index, or its name in CoNLL-U.
    known
        Whether this is the layout of a file; else files may have any columns after the first.
    """

    columns: int
    label: int | str
    known: bool = True

    @classmethod
    def of_model(cls, model: Model) -> Layout:
        """Return the layout of the file that a model learned from; without notes, words and then labels."""
        columns = model.notes.get("columns", 1)
        label = model.notes.get("label", columns)
        if type(columns) is not int or type(label) not in (int, str):
            raise ValueError(
                f"The model's notes on columns are {columns!r:.40} and {label!r:.40}, which no fit writes."
            )
        return cls(columns, label, "columns" in model.notes)

    def noted(self) -> dict[str, Any]:
        """Return the notes to keep with a model."""
        return {"columns": self.columns, "label": self.label}

    def tokens(self, width: int) -> list[int]:
        """Return the indices of the token columns in a file of `width` columns, with or without labels."""
        label = self.label if isinstance(self.label, int) and width > self.columns else None
        return [index for index in range(width) if index != label][: self.columns]

    def check(self, width: int, name: str, *, labelled: bool) -> None:
        """Refuse a file of another number of columns than the one learned from."""
        if not self.known or width == self.columns + 1 or (width == self.columns and not labelled):
            return
        raise ValueError(
            f"Lines must have {self.columns + 1} columns with labels, as those that the tagger learned from"
            f"{'' if labelled else f', or {self.columns} without'}. Got {_columns(width)} in {name}."
        )


def read_to_learn(path: str, label: str | None, skip_bad: int) -> tuple[Sequences, Layout]:
    """Read tokens and labels: the last column, or the one `--label` gives by index or CoNLL-U name."""
    if _is_conllu(path):
        name = _conllu_name(UPOS if label is None else label)
        table = read_words(file_of(path), skip_bad=skip_bad)
        return _labelled(table, CONLLU.index(FORM), CONLLU.index(name)), Layout(1, name)
    table = read_table(file_of(path), skip_bad=skip_bad)
    index = _index(label, table.width, name_of(path)) if label is not None else table.width - 1
    return _labelled(table, None, index), Layout(table.width - 1, index)


def read_to_compare(path: str, model: Model, skip_bad: int = 0) -> Sequences:
    """Read tokens and labels from a file with the columns of the one that a model learned from."""
    layout = Layout.of_model(model)
    if _is_conllu(path):
        layout.check(2, f"{name_of(path)}, form and the label", labelled=True)
        name = layout.label if isinstance(layout.label, str) else UPOS
        table = read_words(file_of(path), skip_bad=skip_bad)
        return _labelled(table, CONLLU.index(FORM), CONLLU.index(name))
    table = read_table(file_of(path), skip_bad=skip_bad)
    layout.check(table.width, name_of(path), labelled=True)
    return _labelled(table, None, layout.label if isinstance(layout.label, int) else table.width - 1)


def read_tokens(path: str, model: Model, skip_bad: int = 0) -> Sequences:
    """Read tokens in the form a model takes, from a file with or without labels."""
    layout = Layout.of_model(model)
    if _is_conllu(path):
        layout.check(2, f"{name_of(path)}, form and the label", labelled=True)
        table = read_words(file_of(path), skip_bad=skip_bad)
        return _unlabelled(table, [CONLLU.index(FORM)])
    table = read_table(file_of(path), skip_bad=skip_bad)
    layout.check(table.width, name_of(path), labelled=False)
    return _unlabelled(table, layout.tokens(table.width))


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _labelled(table: Table, columns: int | None, label: int) -> Sequences:
    return Sequences(tokens_of(table, columns, label), labels_of(table, label), table.skipped)


def _unlabelled(table: Table, columns: list[int]) -> Sequences:
    only = columns[0] if len(columns) == 1 else columns
    return Sequences(tokens_of(table, only, label=0), None, table.skipped)


def _index(label: str, width: int, name: str) -> int:
    """Return the index of the column that `--label` names."""
    try:
        index = int(label)
    except ValueError:
        index = width
    if not -width <= index < width:
        raise typer.BadParameter(
            f"--label must be the index of a column of {name}, from 0 to {width - 1}, or from {-width} to -1 "
            f"to count from the last: the columns of CoNLL files have no names. Got {label!r}."
        )
    return index % width


def _conllu_name(label: str) -> str:
    """Return the name of the CoNLL-U column that `--label` gives by name or index."""
    if label.removeprefix("-").isdecimal() and -len(CONLLU) <= int(label) < len(CONLLU):
        label = CONLLU[int(label)]
    if label not in CONLLU:
        raise typer.BadParameter(f"CoNLL-U has the columns {', '.join(CONLLU)}. Got --label {label}.")
    if label == FORM:
        raise typer.BadParameter("--label must be another column than form, the tokens. Got form.")
    return label


def _is_conllu(path: str) -> bool:
    return suffix_of(path) == ".conllu"
