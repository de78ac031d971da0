"""The names of features in a model file, with their ids."""

from __future__ import annotations

import numpy as np

from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.persistence.sections import Reader, Writer


def write_names(writer: Writer, vectoriser: Vectoriser) -> None:
    """Write the names that are known, and the strings under names."""
    flags, texts = vectoriser.known
    for name in (*flags, *texts):
        if not isinstance(name, str):
            raise ValueError(f"A model file holds features whose names are strings. Got {name!r}.")
    writer.texts("flags", flags)
    writer.array("flag_numbers", np.array(list(flags.values()), np.int64))
    writer.texts("names", texts)
    writer.array("counts", np.array([len(known) for known in texts.values()], np.int64))
    writer.texts("texts", (text for known in texts.values() for text in known))
    ids = [feature for known in texts.values() for feature in known.values()]
    writer.array("text_numbers", np.array(ids, np.int64))


def read_names(reader: Reader, vectoriser: Vectoriser) -> None:
    """Read the names into an empty vectoriser: every id below their number belongs to one."""
    flags, names, texts = different(reader, "flags"), different(reader, "names"), reader.texts("texts")
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


def different(reader: Reader, name: str) -> list[str]:
    """Return strings that are different from each other."""
    strings = reader.texts(name)
    reader.check(len(set(strings)) == len(strings), f"{name} should be different from each other")
    return strings
