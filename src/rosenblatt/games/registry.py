"""Names of games, under which model files store them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from rosenblatt.games.binary import Binary
from rosenblatt.games.game import Game
from rosenblatt.games.multiclass import Argmax, OneVsRest
from rosenblatt.games.multilabel import MultiLabel
from rosenblatt.games.ranking import Ranking

_registered: dict[str, Any] = {
    "binary": Binary,
    "argmax": Argmax,
    "ovr": OneVsRest,
    "multilabel": MultiLabel,
    "ranking": Ranking,
}


def register(name: str, game: type[Game]) -> None:
    """Let model files store a game of your own under a name.

    A file holds the name and the fields of the game. To load it, register the same class under the same name
    first: no code comes from a file.

    Parameters
    ----------
    name
        The name in the file.
    game
        A dataclass whose fields are numbers, strings, or lists or dicts of such.
    """
    if not (isinstance(game, type) and is_dataclass(game)):
        raise ValueError(
            f"A game to register is a dataclass, so that its fields are known. Got {game!r:.100}."
        )
    if not isinstance(name, str) or not name:
        raise ValueError(f"A game is registered under a name, a string. Got {name!r:.100}.")
    before = _registered.setdefault(name, game)
    if before is not game and not _redefined(before, game):
        raise ValueError(f"The name {name!r} is taken by {before!r}. Register {game!r} under another.")
    _registered[name] = game


def _redefined(before: type, game: type) -> bool:
    """Whether a class is a new version of one that was registered, as when a notebook's cell runs again."""
    return (before.__module__, before.__qualname__) == (game.__module__, game.__qualname__)


def name_of(game: Game) -> str | None:
    """Return the name under which the class of a game is registered; None if it is not."""
    return next((name for name, kind in _registered.items() if type(game) is kind), None)


def fields_of(game: Any) -> dict[str, Any]:
    """Return the arguments that make a registered game."""
    return {field.name: getattr(game, field.name) for field in fields(game) if field.init}


def registered(name: str) -> Any:
    """Return the class registered under a name; None if there is none."""
    return _registered.get(name)
