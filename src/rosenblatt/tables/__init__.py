"""Where rounds are played fast: blocks of them on scores and Gram matrices, or one by one on sparse rows."""

from rosenblatt.tables.blocks import BlockTable
from rosenblatt.tables.sparse import OneRowTable, SparseTable

__all__ = ["BlockTable", "OneRowTable", "SparseTable"]
