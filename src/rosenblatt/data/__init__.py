"""Readers and writers."""

from rosenblatt.data.conll import iter_conll, read_conll, read_conllu, write_conll
from rosenblatt.data.svmlight import Svmlight, read_svmlight, write_svmlight

__all__ = [
    "Svmlight",
    "iter_conll",
    "read_conll",
    "read_conllu",
    "read_svmlight",
    "write_conll",
    "write_svmlight",
]
