"""Choose the game for a file, by the options, else by its format and whether its rows have queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from rosenblatt.cli.output import say
from rosenblatt.cli.scopes import CLASSIFICATION, SEQUENCE, Given
from rosenblatt.data.encoding import Schema
from rosenblatt.data.sources import name_of


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
