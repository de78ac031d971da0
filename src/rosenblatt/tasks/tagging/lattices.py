"""The lattice of a sequence: best path, n best paths, scores and marginals of labels."""

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

    def __init__(self, index: int) -> None:
        super().__init__(f"No path through sequence {index} is allowed by scheme or allowed.")
        self.round = index


@dataclass(frozen=True)
class Lattice:
    """The scores of sequences by one guess.

    Parameters
    ----------
    game
        The sequence game, which defines the paths.
    scores
        Rows × labels, as the game lays them out.
    structure
        The structure weights of every sequence's guess (sequences × structure weights).
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
        self.best()  # raises NoPath
        found = []
        for _, length, arguments in self._rounds():
            if length == 0:
                found.append((np.empty((1, 0), np.int64), np.zeros(1)))
                continue
            most = n if length > 32 else min(n, self.game.labels**length)
            paths, totals = np.empty((most, length), np.int64), np.empty(most)
            n_best_of(*arguments, paths, totals)
            exists = totals > -np.inf
            found.append((paths[exists], totals[exists]))
        return found

    def best_through(self) -> Floats:
        """The score of the best path through every label of every token (tokens × labels)."""
        return self._answers(best_through_of)

    def probabilities(self, temperature: float) -> Floats:
        """The marginals (tokens × labels) if a path has a probability ∝ exp(score / temperature)."""
        return self._answers(probable_of, temperature)

    def _answers(self, loop: Callable[..., None], *options: float) -> Floats:
        """Run a loop that fills an array (tokens × labels), sequence by sequence."""
        self.best()  # raises NoPath
        result = np.empty(self.scores.shape)
        for first, length, arguments in self._rounds():
            if length:
                loop(*arguments, result[first : first + length], *options)
        return result[self.tokens]

    def _rounds(self) -> Iterator[tuple[int, int, tuple[Floats, bool, Floats]]]:
        """Yield where each sequence begins, its length, and the arguments of a loop."""
        for i, (first, last) in enumerate(pairwise(self.starts.tolist())):
            arguments = self.scores[first:last], self.game.pairs == "seen", np.array(self.structure[i])
            yield first, self.game.length(last - first), arguments
