"""Sequences from files as the commands read them: CoNLL columns, or CoNLL-U by its name."""

from __future__ import annotations

from typing import Any

from rosenblatt.data import read_conll, read_conllu
from rosenblatt.data.sources import file_of

PACKED = (".gz", ".xz", ".zst")


def read_sequences(path: str) -> Any:
    """Tokens and their labels, which are the last column, or the universal tag in CoNLL-U."""
    return read_conllu(file_of(path)) if _is_conllu(path) else read_conll(file_of(path))


def read_tokens(path: str, columns: int) -> list[Any]:
    """Tokens of so many columns; what more there is, such as labels, is left out."""
    if _is_conllu(path):
        return list(read_conllu(file_of(path))[0])
    wanted: Any = 0 if columns == 1 else list(range(columns))
    return list(read_conll(file_of(path), wanted, label=0)[0])


def _is_conllu(path: str) -> bool:
    for ending in PACKED:
        path = path.removesuffix(ending)
    return path.endswith(".conllu")
