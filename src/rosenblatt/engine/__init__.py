"""The learner: a run, the executors that play its rounds, the forms of its guess, and the predictors.

`play` is the definition, one round at a time. `learn` picks the fastest executor; all write the same ledger.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.engine.learner import learn, play
    from rosenblatt.engine.run import Examples, Run, begin

_HOMES = {
    "Examples": "rosenblatt.engine.run",
    "Run": "rosenblatt.engine.run",
    "begin": "rosenblatt.engine.run",
    "learn": "rosenblatt.engine.learner",
    "play": "rosenblatt.engine.learner",
}

__all__ = ["Examples", "Run", "begin", "learn", "play"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a part of the engine does not load all of it."""
    if name not in _HOMES:
        raise AttributeError(f"rosenblatt.engine has no attribute {name!r}; it has {', '.join(__all__)}.")
    return getattr(import_module(_HOMES[name]), name)
