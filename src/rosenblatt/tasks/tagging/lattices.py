"""Scores of sequences before anybody has chosen a path: what can be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.games import Sequence
from rosenblatt.loops.decoding import best_through_of, n_best_of, probable_of


class NoPath(ValueError):  # noqa: N818
    """All paths through a sequence are forbidden."""

    def __init__(self, number: int) -> None:
        super().__init__(f"No path through sequence {number} is allowed by scheme or allowed.")
        self.round = number


@dataclass(frozen=True)
class Lattice:
    """What one guess says about sequences.

    Parameters
    ----------
    game
        Which paths there are.
    scores
        Rows × labels, as the game lays them out.
    structure
        Those of every sequence's guess (sequences × structure weights).
    starts
        Where the rows of each sequence begin, and where the last ones end.
    tokens
        Which rows are tokens.
    """

    game: Sequence
    scores: Floats
    structure: Floats
    starts: Ints
    tokens: Ints | slice

    def best(self) -> tuple[Ints, Floats]:
        """The labels of all tokens on the best paths, and the paths' scores."""
        paths, totals = self.game.best(self.scores, self.structure, self.starts)
        if len(totals) and totals.min() == -np.inf:
            raise NoPath(int(np.argmin(totals)))
        return paths[self.tokens], totals

    def n_best(self, n: int) -> list[tuple[Ints, Floats]]:
        """For every sequence the n best paths (n × tokens), fewer if there are, and their scores."""
        self.best()  # says where there is no path
        found = []
        for _, length, question in self._rounds():
            if length == 0:
                found.append((np.empty((1, 0), np.int64), np.zeros(1)))
                continue
            most = n if length > 32 else min(n, self.game.labels**length)
            paths, totals = np.empty((most, length), np.int64), np.empty(most)
            n_best_of(*question, paths, totals)
            there = totals > -np.inf
            found.append((paths[there], totals[there]))
        return found

    def best_through(self) -> Floats:
        """The score of the best path through every label of every token (tokens × labels)."""
        return self._answers(best_through_of)

    def probabilities(self, temperature: float) -> Floats:
        """Every label's probability (tokens × labels) if a path has one ∝ exp(score / temperature)."""
        return self._answers(probable_of, temperature)

    def _answers(self, loop: Callable[..., None], *options: float) -> Floats:
        """What a loop says about every label of every token."""
        self.best()  # says where there is no path
        result = np.empty(self.scores.shape)
        for first, length, question in self._rounds():
            if length:
                loop(*question, result[first : first + length], *options)
        return result[self.tokens]

    def _rounds(self) -> Iterator[tuple[int, int, tuple[Floats, bool, Floats]]]:
        """Where each sequence begins, how long it is, and what a loop takes of it."""
        for i, (first, last) in enumerate(pairwise(self.starts.tolist())):
            question = self.scores[first:last], self.game.pairs == "seen", np.array(self.structure[i])
            yield first, self.game.length(last - first), question
