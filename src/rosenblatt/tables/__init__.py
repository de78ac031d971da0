"""Where rounds are played fast: blocks of them on scores and Gram matrices, or one by one on sparse rows."""

from rosenblatt.tables.blocks import BlockTable
from rosenblatt.tables.packed import Packed, PackedRounds, PackedScores
from rosenblatt.tables.passes import OneRoundTable, PassTable

__all__ = ["BlockTable", "OneRoundTable", "Packed", "PackedRounds", "PackedScores", "PassTable"]
