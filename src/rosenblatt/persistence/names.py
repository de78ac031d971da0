"""The names of features in a model file, with their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.persistence.sections import Reader, Writer


def write_names(writer: Writer, vectoriser: Vectoriser) -> None:
    """Write the names that are known, and the strings under names."""
    flags, texts = vectoriser.known
    if not all(isinstance(name, str) for name in (*flags, *texts)):
        writer["integer_names"] = True
        writer.array("flag_is_integer", np.array([_is_integer(name) for name in flags], bool))
        writer.array("name_is_integer", np.array([_is_integer(name) for name in texts], bool))
    writer.texts("flags", map(str, flags))
    writer.array("flag_numbers", np.array(list(flags.values()), np.int64))
    writer.texts("names", map(str, texts))
    writer.array("counts", np.array([len(known) for known in texts.values()], np.int64))
    writer.texts("texts", (text for known in texts.values() for text in known))
    ids = [feature for known in texts.values() for feature in known.values()]
    writer.array("text_numbers", np.array(ids, np.int64))


def read_names(reader: Reader, vectoriser: Vectoriser) -> None:
    """Read the names into an empty vectoriser: every id below their number belongs to one."""
    flags, names, texts = _names(reader, "flag"), _names(reader, "name"), reader.texts("texts")
    width = len(flags) + len(texts)
    reader.check(vectoriser.hashing is None or not width, "hashed names should not be listed")
    of_flags = reader.integers("flag_numbers", 0, width - 1, len(flags))
    of_texts = reader.integers("text_numbers", 0, width - 1, len(texts))
    counts = reader.integers("counts", 0, len(texts), len(names))
    reader.check(counts.sum() == len(texts), "strings should belong to names")
    every = np.concatenate([of_flags, of_texts])
    reader.check(np.array_equal(np.sort(every), np.arange(width)), "every feature should have an id")
    edges = np.concatenate([[0], np.cumsum(counts)]).tolist()
    pairs = list(zip(texts, of_texts.tolist(), strict=True))
    known = {name: dict(pairs[a:b]) for name, a, b in zip(names, edges[:-1], edges[1:], strict=True)}
    reader.check(sum(map(len, known.values())) == len(texts), "the strings of a name should be different")
    vectoriser.known = dict(zip(flags, of_flags.tolist(), strict=True)), known


def _is_integer(name: Any) -> bool:
    """Whether a name is an integer, and no string; raise ValueError if it is neither."""
    if isinstance(name, str):
        return False
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return True
    raise ValueError(
        f"A model file holds features whose names are strings or integers. Got {name!r:.100}: learn from "
        "names that are, as str(name)."
    )


def _names(reader: Reader, what: str) -> list[Any]:
    """Return names that are different from each other; those that were integers are again."""
    found: list[Any] = reader.texts(f"{what}s")
    if "integer_names" in reader:
        whole = reader.array(f"{what}_is_integer", np.bool_, len(found)).tolist()
        try:
            found = [int(name) if integer else name for name, integer in zip(found, whole, strict=True)]
        except ValueError:
            reader.refuse(f"{what}s should be integers where {what}_is_integer is true")
    _check_different(reader, found, f"{what}s")
    return found


def _check_different(reader: Reader, names: Sequence[Any], what: str) -> None:
    reader.check(len(set(names)) == len(names), f"{what} should be different from each other")


def different(reader: Reader, name: str) -> list[str]:
    """Return strings that are different from each other."""
    strings = reader.texts(name)
    _check_different(reader, strings, name)
    return strings
