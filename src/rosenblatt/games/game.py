"""The interface of a game: a few sizes, two compiled functions, and two methods that return answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from rosenblatt._types import Floats, Ints

NO_STRUCTURE: Floats = np.zeros(0)


class Game(Protocol):
    """The interface between the learner and what it plays.

    A round shows some rows; a guess scores them with a matrix (rows × outputs). A game may own
    *structure weights*, learned numbers that see no row, such as thresholds or transition scores. Its outputs
    may form independent *heads*, each with its own survivals; heads never share an output.

    The truth about a row is one number; a game in which it is a vector has its length, `truth_columns`, and a
    judge that reads `truth[row, column]`.
    """

    @property
    def outputs(self) -> int:
        """How many scores each row gets."""

    @property
    def structure(self) -> Floats:
        """The structure weights of v_0; −∞ stays −∞."""

    @property
    def heads(self) -> int:
        """How many learners play side by side."""

    @property
    def alternatives(self) -> int:
        """How many columns the tally of a vote has."""

    @property
    def judge(self) -> Callable[..., tuple[int, float, bool, float]]:
        """A `compilable` function `(scores, structure, truth, head, required, where, amount)`.

        It writes Φ(truth) − Φ(rival) as entries, `where[a] = (row, output)` or `(-1, structure weight)` with
        `amount[a]`, and returns how many there are, the margin ⟨v, Φ(truth) − Φ(rival)⟩, whether the
        answer is wrong, and the rival's cost: how wrong it is, 1 if all rivals cost the same.

        The rule asks for a margin of `required` · cost. The rival is the one that falls short of it the most:
        the answer if that is wrong and all cost the same, else the most dangerous one. A round without a
        rival has no entries and the margin ∞; so may one that is right if `required` is −∞, when no rule
        asks by how much.

        Where several truths are accepted, and which of them is corrected depends on the guess, a game has a
        second such function, `guarantee`: its margin is the least that any of them has.

        """

    def most_entries(self, rows: int) -> int:
        """The most entries that `judge` writes for one head of a round of this many rows.

        This much memory is reserved before a round is played. If it does not grow with the rows, passes are
        composed for rounds of one row, and for few entries.
        """

    @property
    def ballot(self) -> Callable[..., Any]:
        """A `compilable` function `(scores, structure, starts, head, weight, tally)`.

        It lets one guess vote on rounds `starts[i]:starts[i + 1]` with this weight. Here scores are
        (outputs × rows) and the tally (alternatives × rows), so that loops over rows are fast.
        """

    def answer(self, scores: Floats, structure: Floats, starts: Ints) -> Ints:
        """The answers to rounds `starts[i]:starts[i + 1]` of the scores (rows × outputs).

        `structure` is (rounds × structure weights): the guess drawn may differ from round to round.
        """

    def elect(self, tally: Floats, starts: Ints) -> Ints:
        """The answers that won the vote, from the tally (rows × alternatives)."""
