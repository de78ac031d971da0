"""The contest of section 4: A shows a sentence, B labels its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.arena.contests.contest import margin_by, split
from rosenblatt.arena.rules import ROUNDING, Rules
from rosenblatt.games import Sequence as Game
from rosenblatt.loops.margins import margin_loop

PATHS, LABELS = 1024, 16
"""Paths through a sentence, and labels, at most: the radius rule is checked on all paths."""

NO_SENTENCE = (
    "No legal sentence was found, whose labels u keeps at least γ above all others within the radius. "
    "Take a smaller margin or a larger radius."
)

SENTENCES = 4000
"""Sentences among which the worst one is searched for, at most."""


class Sentence(NamedTuple):
    """Words, and a label for each."""

    words: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Sequences:
    """Sentences of a few words, each of which has one of a few labels.

    Φ counts, for a sentence and its labels, every word with its label and, if there are transitions, every
    label with the one before it, the first and the last one.

    Parameters
    ----------
    words, labels
        All words and labels of the contest.
    longest
        Words of a sentence at most.
    transitions
        Whether Φ counts pairs of labels.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    longest: int = 5
    transitions: bool = True
    name = "sequence"

    def __post_init__(self) -> None:
        for what, names in (("words", self.words), ("labels", self.labels)):
            object.__setattr__(self, what, tuple(names))
            if len(set(names)) < len(names) or len(names) < (2 if what == "labels" else 1):
                raise ValueError(f"There must be several {what}, all different. Got {names!r:.80}.")
        ways = len(self.labels) ** min(self.longest, PATHS)
        if self.longest < 1 or len(self.labels) > LABELS or ways > PATHS:
            raise ValueError(
                f"There are at most {LABELS} labels, and {PATHS} ways to be labelled for a sentence. Got "
                f"{len(self.labels)} labels for up to {self.longest} words."
            )

    @property
    def features(self) -> int:
        """The number of features: one per word."""
        return len(self.words)

    @property
    def dimensions(self) -> int:
        """The number of components of u: words × labels, and with transitions the structure weights."""
        pairs = len(self.game("mistake").structure) if self.transitions else 0
        return len(self.words) * len(self.labels) + pairs

    def game(self, ties: str) -> Game:
        """Return the sequence game."""
        return Game(len(self.labels), pairs="scored" if self.transitions else "allowed")

    def rows(self, move: Sentence) -> Floats:
        """Return one-hot rows: 1 for the word, 0 for the others."""
        rows = np.zeros((len(move.words), len(self.words)))
        rows[np.arange(len(move.words)), [self.words.index(word) for word in move.words]] = 1.0
        return rows

    def truths(self, move: Sentence) -> Ints:
        """Return the indices of the labels."""
        return np.array([self.labels.index(label) for label in move.labels], np.int64)

    def size_squared(self, move: Sentence) -> float:
        """Return the largest ‖Φ(truth) − Φ(answer)‖² over all answers."""
        size = len(move.words)
        paths, passed = _paths(len(self.labels), size)
        own = int(np.flatnonzero((paths == self.truths(move)).all(axis=1))[0])
        chosen = (paths[:, :, None] == np.arange(len(self.labels))).astype(float)
        same = np.array([[word == other for other in move.words] for word in move.words], float)
        moved = chosen - chosen[own]  # Σ over words of (Σ over its tokens)² is a sum over pairs of tokens
        squares = np.einsum("pil,ij,pjl->p", moved, same, moved)
        if self.transitions:
            squares += ((passed - passed[own]) ** 2).sum(axis=1)
        return float(squares.max())

    def correction_squared(self, radius_squared: float, constant: float) -> float:
        """Return R, which bounds corrections in this contest."""
        return radius_squared

    def check_rules(self, rules: Rules) -> None:
        """Do nothing: whether a legal sentence exists is known only once one is searched for."""

    def checked(self, move: Any) -> Sentence:
        """Return the move, known words each with a known label."""
        if not isinstance(move, Sentence):
            raise TypeError(f"A move in this contest is a Sentence(words, labels). Got {move!r:.80}.")
        return self.from_values([list(move.words), list(move.labels)])

    def random(self, rules: Rules, random: np.random.Generator) -> Sentence:
        """Return a legal sentence: words drawn independently and labelled by u, drawn again until legal."""
        for _ in range(1000):
            words = tuple(random.choice(self.words, size=random.integers(1, self.longest + 1)).tolist())
            move = _labelled(self, rules.u, words)
            if _legal(self, rules, move):
                return move
        raise ValueError(NO_SENTENCE)

    def orthogonal(self, rules: Rules, number: int, weights: Floats | None) -> Sentence | None:
        """Return a sentence of one word that is legal and not shown before."""
        if self.transitions:
            raise ValueError(
                "Sentences are orthogonal only if pairs of labels do not count: use "
                "Sequences(…, transitions=False)."
            )
        moves = (_labelled(self, rules.u, (word,)) for word in self.words)
        legal = [move for move in moves if _legal(self, rules, move)]
        return legal[number] if number < len(legal) else None

    def worst(self, rules: Rules, weights: Floats, structure: Floats) -> Sentence | None:
        """Return the legal sentence of smallest margin under the guess; None if there are too many."""
        if sum(len(self.words) ** length for length in range(1, self.longest + 1)) > SENTENCES:
            return None
        legal = _legal_sentences(self, rules)
        if not legal.moves:
            raise ValueError(NO_SENTENCE)
        game = self.game("mistake")
        loop = margin_loop(game.judge)
        margins = loop(
            legal.starts,
            legal.truths,
            legal.rows @ weights,
            game.structure + structure,
            1,
            game.most_entries(self.longest),
        )
        return legal.moves[int(np.argmin(margins[:, 0]))]

    def read(self, text: str) -> Sentence:
        """Read words with their labels after a slash."""
        parts = [part.rpartition("/") for part in text.split()]
        if not parts or not all(word and label for word, _, label in parts):
            raise ValueError(f"A move is words with labels, as in 'the/D dog/N'. Got {text!r:.80}.")
        return self.from_values([[word for word, _, _ in parts], [label for _, _, label in parts]])

    def shown(self, move: Sentence) -> str:
        """Return the words with their labels after a slash."""
        return " ".join(f"{word}/{label}" for word, label in zip(move.words, move.labels, strict=True))

    def answer(self, number: Ints) -> tuple[str, ...]:
        """Return the labels of B's path."""
        return tuple(self.labels[label] for label in number.tolist())

    def to_values(self, move: Sentence) -> list[Any]:
        """Return [words, labels]."""
        return [list(move.words), list(move.labels)]

    def from_values(self, values: Any) -> Sentence:
        """Return the sentence of [words, labels]."""
        if not (
            isinstance(values, list | tuple) and len(values) == 2 and all(_strings(part) for part in values)
        ):
            raise ValueError(f"A move must be [words, labels]. Got {values!r:.80}.")
        words, labels = values
        if not 1 <= len(words) <= self.longest or len(words) != len(labels):
            raise ValueError(
                f"A sentence has 1 to {self.longest} words and a label for each. Got {len(words)} words and "
                f"{len(labels)} labels."
            )
        for what, some, known in (("word", words, self.words), ("label", labels, self.labels)):
            for name in some:
                if name not in known:
                    raise ValueError(f"The {what} {name!r:.40} is not one of {', '.join(known)!s:.200}.")
        return Sentence(tuple(words), tuple(labels))


def little_language() -> tuple[Sequences, Rules]:
    """Return a contest of five words, one of them a noun or a verb by its context, and rules for it."""
    contest = Sequences(("the", "a", "dog", "walk", "barks"), ("D", "N", "V"))
    words = np.zeros((5, 3))
    words[[0, 1, 2, 4], [0, 0, 1, 2]] = 2.0
    words[3] = -1.0, 1.0, 1.0
    pairs, first, last = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    pairs[0, 1] = pairs[1, 2] = first[0] = last[2] = 1.0
    u = np.concatenate([words.ravel(), pairs.ravel(), first, last])
    return contest, Rules(tuple(u.tolist()), margin=float(0.99 / np.linalg.norm(u)), radius_squared=60.0)


def _strings(values: Any) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(value, str) for value in values)


@lru_cache(maxsize=16)
def _paths(labels: int, size: int) -> tuple[Ints, Floats]:
    """Return all paths through `size` words, and for each the counts of its pairs of labels."""
    paths = np.array(list(product(range(labels), repeat=size)), np.int64)
    passed, every = np.zeros((len(paths), labels * (labels + 2))), np.arange(len(paths))
    for before, after in zip(paths.T[:-1], paths.T[1:], strict=True):
        passed[every, before * labels + after] += 1
    passed[every, labels * labels + paths[:, 0]] += 1
    passed[every, labels * (labels + 1) + paths[:, -1]] += 1
    return paths, passed


def _labelled(contest: Sequences, u: tuple[float, ...], words: tuple[str, ...]) -> Sentence:
    """Return the sentence with the labels that u gives it."""
    game = contest.game("mistake")
    weights, structure = split(contest, u)
    rows = contest.rows(Sentence(words, contest.labels[:1] * len(words)))
    path = game.answer(rows @ weights, (game.structure + structure)[None], np.array([0, len(words)]))
    return Sentence(words, contest.answer(path))


def _legal(contest: Sequences, rules: Rules, move: Sentence) -> bool:
    wide = margin_by(contest, rules.u, move) >= rules.margin - rules.slack
    return wide and contest.size_squared(move) <= rules.radius_squared * (1 + ROUNDING)


class _Legal(NamedTuple):
    """All legal sentences, and the arrays of them that a compiled loop takes."""

    moves: list[Sentence]
    rows: Floats
    truths: Ints
    starts: Ints


@lru_cache(maxsize=4)
def _legal_sentences(contest: Sequences, rules: Rules) -> _Legal:
    found = (
        _labelled(contest, rules.u, words)
        for length in range(1, contest.longest + 1)
        for words in product(contest.words, repeat=length)
    )
    moves = [move for move in found if _legal(contest, rules, move)]
    rows = [contest.rows(move) for move in moves]
    truths = [contest.truths(move) for move in moves]
    starts = np.cumsum([0, *(len(move.words) for move in moves)])
    return _Legal(
        moves,
        np.vstack([np.empty((0, contest.features)), *rows]),
        np.concatenate([[], *truths]).astype(np.int64),
        starts,
    )
