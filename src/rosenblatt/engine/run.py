"""Examples, and a run over them at one moment, which the learner moves forward."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.budgets import Budget
from rosenblatt.engine.budgeted import Budgeted
from rosenblatt.engine.dual import Dual
from rosenblatt.engine.guesses import Guess, Sampled, SingleGuess, Vote
from rosenblatt.engine.hypotheses import Hypothesis
from rosenblatt.engine.primal import Primal
from rosenblatt.engine.support import SupportSet
from rosenblatt.games import Game
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import Book, Ledger
from rosenblatt.rows import Rows, counting, rows_of
from rosenblatt.rules import Perceptron, Rule

LISTED = 1024
"""Corrections that a run with a limited ledger lists at least, the latest; those before are counted."""


@dataclass(frozen=True, eq=False)
class Examples:
    """The rows that player A shows, and the truths that A then reveals.

    Parameters
    ----------
    rows
        All rows.
    truths
        The truth about every row, as the game reads it: a number, or a vector of them.
    starts
        Where the rows of each round begin, and where the last ones end; one row per round by default.
    weights
        The weight of the corrections of each round, or of each round and head; 1 by default.
    index
        Which rows are shown, round by round: those of round i are `index[starts[i]:starts[i + 1]]`. By
        default all of them, one after the other.
    repeats
        Whether a row may be shown more than once in an epoch.

    Attributes
    ----------
    longest
        How many rows the longest round has.
    """

    rows: Rows
    truths: Array
    starts: Ints = field(default=None)  # type: ignore[arg-type]
    weights: Floats | None = None
    index: Ints = field(default=None)  # type: ignore[arg-type]
    repeats: bool = False
    longest: int = field(init=False, default=1)

    def __post_init__(self) -> None:
        if not isinstance(self.rows, Rows):
            raise ValueError(f"Examples have rows, as run.number(X) makes. Got {type(self.rows).__name__}.")
        truths = np.asarray(self.truths)
        if truths.shape[:1] != (len(self.rows),) or truths.ndim > 2:
            raise ValueError(
                f"There must be one truth per row, shape {(len(self.rows),)}. Got shape {truths.shape}."
            )
        object.__setattr__(self, "truths", _as_truths(truths))
        if self.index is None:
            object.__setattr__(self, "index", counting(len(self.rows)))
        else:
            _check_indices("index", self.index, len(self.rows))
        if self.starts is None:
            object.__setattr__(self, "starts", counting(len(self.index) + 1))
        else:
            object.__setattr__(self, "longest", _longest(self.starts, len(self.index)))
        shape = () if self.weights is None else np.shape(self.weights)
        if self.weights is not None and (shape[:1] != (len(self),) or len(shape) > 2):
            raise ValueError(f"There must be a weight per round, shape {(len(self),)}. Got shape {shape}.")

    def __len__(self) -> int:
        return len(self.starts) - 1

    def weights_of(self, rounds: Ints, heads: int) -> Floats:
        """Return the weights of these rounds (rounds × heads)."""
        if self.weights is None:
            return np.ones((len(rounds), heads))
        found = self.weights[rounds]
        return found if found.ndim == 2 else np.repeat(found[:, None], heads, axis=1)


def _as_truths(truths: Array) -> Array:
    """Return truths in the types that loops are compiled for: int64, and int8 where they are vectors."""
    if truths.dtype.kind not in "biu":
        return truths if truths.ndim == 1 else np.ascontiguousarray(truths)
    if truths.ndim == 1:
        return truths.astype(np.int64, copy=False)
    found = np.ascontiguousarray(truths, np.int8)
    if truths.dtype not in (np.int8, np.bool_) and not np.array_equal(found, truths):
        raise ValueError(
            "Where the truth about a row is a vector, its numbers must be from -128 to 127. Got "
            f"{truths.min()} to {truths.max()}."
        )
    return found


def truth_shape(game: Game) -> tuple[int, ...]:
    """Return the shape of the truth about one row: () for a number, or the length of a vector."""
    columns: int | None = getattr(game, "truth_columns", None)
    return () if columns is None else (columns,)


def _longest(starts: Ints, shown: int) -> int:
    """Return how many rows the longest round has; raise ValueError if rounds do not begin where they must."""
    lengths = np.diff(starts)
    if not len(starts) or starts[0] != 0 or starts[-1] != shown or (lengths < 0).any():
        raise ValueError(f"starts must rise from 0 to the {shown} rows shown. Got {starts!r:.100}.")
    return int(np.max(lengths, initial=1))


def _check_indices(name: str, indices: Any, size: int) -> None:
    """Raise ValueError unless all are from 0 to size − 1: compiled code would read past its arrays."""
    if len(indices) and not (np.min(indices) >= 0 and np.max(indices) < size):
        raise ValueError(
            f"{name} must hold integers from 0 to {size - 1}. Got {np.min(indices)} to {np.max(indices)}."
        )


def checked_order(order: Any, examples: Examples) -> Ints:
    """Return the order of the rounds of an epoch as an array; raise ValueError for rounds there are not."""
    rounds = np.asarray(order, np.int64)
    _check_indices("An order of rounds", rounds, len(examples))
    return rounds


class Orders(Iterator[Ints]):
    """The order of the rounds in every epoch, each drawn only when its epoch is played.

    Parameters
    ----------
    rounds, epochs
        How many rounds an epoch has, and how many epochs there are.
    random
        The generator that draws a new order for every epoch; None to keep the order given.
    """

    def __init__(self, rounds: int, epochs: int, random: np.random.Generator | None) -> None:
        self.rounds = rounds
        self._left = epochs
        self._random = random

    def __next__(self) -> Ints:
        if not self._left:
            raise StopIteration
        self._left -= 1
        if self._random is None:
            return counting(self.rounds)
        return self._random.permutation(self.rounds)

    def skip(self) -> int:
        """Skip the epochs that are left, without drawing their orders; returns their rounds."""
        skipped, self._left = self._left * self.rounds, 0
        return skipped


@dataclass(eq=False)
class Run:
    """The state of a run at one moment: the game, the rule, the current guess and the book.

    Besides, what was played so far: how many rows, examples and epochs; whether the last epoch was without
    a correction; whether examples had weights, or an earlier part followed another rule.
    """

    game: Game
    rule: Rule
    hypothesis: Hypothesis
    book: Book
    rows_seen: int = 0
    examples_seen: int = 0
    epochs: int = 0
    converged: bool = False
    weighted: bool = False
    ruled_otherwise: bool = False
    _computed: tuple[Any, dict[str, dict[str, Any]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.forget_guesses()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, which computes its own guesses."""
        return vars(self) | {"_computed": (None, {})}

    def guess(self, predictor: str, random: np.random.Generator | None = None) -> Guess:
        """Return what answers for the run by a predictor; `random` draws the guesses of "sample"."""
        if predictor == "vote":
            return Vote(self)
        if predictor == "sample":
            return Sampled(self, random or np.random.default_rng())
        return self.single_guess(predictor)

    def single_guess(self, predictor: str) -> SingleGuess:
        """Return one of the single guesses; what is computed of it is kept until the run moves.

        The run does not keep the guess itself, which refers to it: a run that is dropped is freed at once.
        Several threads may ask: the moment and what is known then are replaced together.
        """
        moment, known = self._computed
        if moment != self.moment:
            known = {}
        if predictor not in known:
            known = known | {predictor: {}}
            self._computed = self.moment, known
        return SingleGuess(self, predictor, known[predictor])

    def forget_guesses(self) -> None:
        """Forget what was computed of guesses: the current one was changed outside of a round."""
        self._computed = (None, {})

    def widen(self, features: int) -> None:
        """Reserve memory for features never seen before."""
        self.hypothesis.widen(features)
        self.forget_guesses()

    def narrow(self, features: int) -> None:
        """Free the memory reserved for features that never came."""
        self.hypothesis.narrow(features)
        self.forget_guesses()

    def take_in(self, examples: Examples) -> None:
        """Count these examples as seen: rows keep their ids, and the support set learns their truths."""
        self.support.learn_truths(examples.truths, self.rows_seen)
        self.rows_seen += len(examples.rows)
        self.examples_seen += len(examples)
        self.weighted |= examples.weights is not None and bool((examples.weights != 1).any())

    def pass_over(self, rounds: int) -> None:
        """Count rounds without rows, in which nothing can go wrong."""
        self.book.credit(rounds)
        self.examples_seen += rounds

    def follow(self, rule: Rule) -> None:
        """Continue with this rule."""
        self.ruled_otherwise |= bool(self.book.rounds) and rule != self.rule
        self.rule = rule

    @contextmanager
    def following(self, rule: Rule) -> Iterator[None]:
        """Continue with this rule; restore the former one if an error occurs before a round is played."""
        before, otherwise, rounds = self.rule, self.ruled_otherwise, self.book.rounds
        self.follow(rule)
        try:
            yield
        except BaseException:
            if self.book.rounds == rounds:
                self.rule, self.ruled_otherwise = before, otherwise
            raise

    def check_fits(self, examples: Examples) -> None:
        """Raise ValueError unless truths and weights have the form that the game reads: loops trust them."""
        expected = len(examples.truths), *truth_shape(self.game)
        if examples.truths.shape != expected:
            raise ValueError(
                f"Truths for {self.game!r:.100} must have the shape {expected}. Got {examples.truths.shape}."
            )
        heads = self.game.heads
        if examples.weights is not None and examples.weights.shape[1:] not in ((), (heads,)):
            raise ValueError(
                f"Weights by head must have {heads} columns. Got shape {examples.weights.shape}."
            )

    def check_writeable(self) -> None:
        """Raise ValueError if the run's arrays are mapped from a file that may not be written."""
        if not self.book.tally.flags.writeable:
            raise ValueError(
                "This learner was loaded read-only and cannot continue learning. Load it without mmap_mode."
            )

    @contextmanager
    def counting_from(self, rows: int, examples: int) -> Iterator[None]:
        """Count ids of rows and examples that are played in this context from here: they were seen before."""
        seen = self.rows_seen, self.examples_seen
        self.rows_seen, self.examples_seen = rows, examples
        try:
            yield
        finally:
            self.rows_seen = max(seen[0], self.rows_seen)
            self.examples_seen = max(seen[1], self.examples_seen)

    @property
    def primal(self) -> Primal | None:
        """The guess as weights; None if there is a kernel."""
        return self.hypothesis if isinstance(self.hypothesis, Primal) else None

    @property
    def budgeted(self) -> Budgeted | None:
        """The guess in a budget of rows; None if there is no budget."""
        return self.hypothesis if isinstance(self.hypothesis, Budgeted) else None

    @property
    def kernel(self) -> Kernel | None:
        """The kernel; None in the primal."""
        return self.hypothesis.kernel

    @property
    def budget(self) -> Budget | None:
        """The budget of the support set; None if it may grow."""
        return self.hypothesis.budget

    @property
    def intercept(self) -> bool:
        """Whether a constant feature is learned."""
        return bool(self.support.constant)

    @property
    def support(self) -> SupportSet:
        """The corrected rows that are stored."""
        return self.hypothesis.support

    @property
    def moment(self) -> tuple[int, int]:
        """The key of this moment of the run: rounds and corrections so far."""
        return self.book.rounds, self.book.total

    @property
    def ledger(self) -> Ledger:
        """The ledger of the rounds so far."""
        return self.book.ledger

    @property
    def remembered(self) -> Ledger:
        """The ledger of the guesses that are remembered: all of them, unless there is a budget."""
        if self.budgeted is not None:
            return self.budgeted.remembered(self.book.rounds, self.game.structure)
        return self.ledger

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores guess and book, if no more examples were taken in until then."""
        hypothesis, book = self.hypothesis.snapshot(), self.book.snapshot()

        def restore() -> None:
            hypothesis()
            book()
            self.forget_guesses()

        return restore

    def number(self, data: Any) -> Rows:
        """Return new rows with the ids that they will have in this run."""
        return rows_of(data, first=self.rows_seen)


def begin(
    game: Game,
    *,
    features: int | None = None,
    kernel: Kernel | None = None,
    rule: Rule | None = None,
    intercept: bool = False,
    start: Floats | None = None,
    keep: bool = True,
    budget: Budget | None = None,
    limited: bool = False,
    recent: bool = False,
) -> Run:
    """Return a run before its first round: in the dual if there is a kernel, else in the primal.

    With a budget, or if it is `limited`, its ledger lists the latest corrections and counts those before, so
    that its memory does not grow. For a run that keeps corrected rows, all must be listed. The
    predictor `recent` must be followed from the first round on: it looks at all of them.
    """
    if kernel is not None and kernel.undecided:
        raise ValueError(
            f"{kernel!r} takes its gamma from the data it is fitted to, and there is none here. "
            "Give gamma a number."
        )
    constant = float(intercept)
    hypothesis: Hypothesis
    if budget is not None:
        if kernel is None:
            raise ValueError("A budget is for a learner with a kernel: weights take the same room always.")
        hypothesis = Budgeted(kernel, constant, game.outputs, game.structure, game.heads, budget)
    elif kernel is not None:
        hypothesis = Dual(kernel, constant, game.outputs, game.structure)
    elif features is None:
        raise ValueError("A run in the primal needs to know how many features a row has. Got features=None.")
    else:
        hypothesis = Primal(features, game.outputs, constant, game.structure, keep, start)
    if recent:
        hypothesis.follow_recent(game.heads)
    limit = LISTED if budget is not None or (limited and not hypothesis.keep) else None
    return Run(game, rule or Perceptron(), hypothesis, Book(game.heads, len(game.structure), limit))
