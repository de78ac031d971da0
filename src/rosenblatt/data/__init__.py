"""Readers and writers of data files: svmlight, CoNLL, tables and JSON lines."""

from rosenblatt.data.blocks import Skipped
from rosenblatt.data.conll import iter_conll, read_conll, read_conllu, write_conll
from rosenblatt.data.svmlight import Svmlight, read_svmlight, svmlight_blocks, write_svmlight

__all__ = [
    "Skipped",
    "Svmlight",
    "iter_conll",
    "read_conll",
    "read_conllu",
    "read_svmlight",
    "svmlight_blocks",
    "write_conll",
    "write_svmlight",
]
