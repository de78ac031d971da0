"""How estimators are stored: by pickle and copies with all attributes, by skops as a model file."""

from __future__ import annotations

from typing import Any

MODEL = "model file"
"""The only name in a state for skops: what it names are the bytes of a model file."""


def _new(kind: Any) -> Any:
    """Return a new object of a class, without a call of it."""
    return kind.__new__(kind)


class Stored:
    """An estimator that pickle, copies and skops store.

    skops takes what `__getstate__` returns and gives it to `__setstate__`. A file of skops may come from
    anywhere, so the state is a model file, which is checked on reading. Pickles are trusted anyway and hold
    any attribute, such as functions.
    """

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return what pickle and copies make a new object of: the class and all attributes."""
        return _new, (type(self),), vars(self).copy()

    def __reduce__(self) -> Any:
        """Return the same to skops, which looks whether a call of the class would do."""
        return self.__reduce_ex__(2)

    def __getstate__(self) -> Any:
        """Return the state for skops; raises ValueError for what a model file cannot hold."""
        from rosenblatt.persistence import states  # a layer above, which estimators need here only

        return {MODEL: states.state_of(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the attributes, from a pickle or from the state for skops."""
        if MODEL not in state:
            vars(self).update(state)
            return
        from rosenblatt.persistence import states

        states.restore(self, state[MODEL])
