"""Readers and writers."""

from rosenblatt.data.conll import iter_conll, read_conll, read_conllu, write_conll

__all__ = ["iter_conll", "read_conll", "read_conllu", "write_conll"]
