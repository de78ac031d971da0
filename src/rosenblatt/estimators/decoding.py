"""What one can ask of a fitted tagger about new sequences."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, Self, TypeVar

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.estimators import inputs
from rosenblatt.estimators.attributes import NotThere
from rosenblatt.features import Tokens
from rosenblatt.features.encoders import lengths_of
from rosenblatt.rows.columns import starts_of
from rosenblatt.tasks.tagging import Labeller, inside, reading, views
from rosenblatt.tasks.tagging.lattices import Lattice, NoPath

DECODED = 8192
"""Tokens that are decoded at once: few enough for their scores to stay in the processor's cache."""

Result = TypeVar("Result")


class Decoding:
    """The questions about sequences, for an estimator that holds a labeller in `_labeller`."""

    classes_: Array
    predictor: str
    random_state: Any
    n_jobs: int
    _labeller: Labeller
    _fitted: Callable[[], Any]

    def predict(self, X: Any, *, lengths: Any = None, known: Any = None) -> Any:
        """The labels of every sequence, on the best of the allowed paths.

        Parameters
        ----------
        X, lengths
            As in `fit`. With lengths the answer is one array of all labels.
        known
            Labels that are certain: a list for every sequence, None where a token's is not known, or None
            for a whole sequence.
        """
        sizes, numbers = self._joined(best_labels, X, lengths, known)
        return self.classes_[numbers] if lengths is not None else self._listed(sizes, numbers)

    def n_best(self, X: Any, n: int = 10, *, known: Any = None) -> list[list[tuple[list[Any], float]]]:
        """For every sequence its n best paths, each with its score, the best first; fewer if there are.

        Of paths with the same score the first comes first, reading labels from the last to the first.
        """
        inputs.whole("n", n)
        parts = self._each(lambda lattice: lattice.n_best(n), X, None, known)
        labels = self._labeller.labels
        return [
            [
                ([labels[c] for c in path], float(score))
                for path, score in zip(paths.tolist(), totals, strict=True)
            ]
            for _, part in parts
            for paths, totals in part
        ]

    def margins(self, X: Any, *, known: Any = None) -> Floats:
        """How far the best path of every sequence is above the second; ∞ if there is none."""
        found = [[score for _, score in paths] for paths in self.n_best(X, 2, known=known)]
        return np.array([scores[0] - scores[1] if len(scores) > 1 else np.inf for scores in found])

    def confidence(self, X: Any) -> list[Floats]:
        """How probable the answered label of every token is.

        If a path has a probability proportional to exp(score / temperature), this is the sum over all paths
        with that label there. `calibrate` finds the temperature. With the predictor "vote", it is the share
        of votes for the label, as it is.
        """
        self._fitted()
        if self.predictor == "vote":
            sizes, found = self._joined(vote_shares, X)
        elif not hasattr(self, "temperature_"):
            raise ValueError(
                "Scores of a perceptron have no scale of their own: call calibrate(X, y) with sequences that "
                "were not learned from, or set temperature_."
            )
        else:
            temperature = self.temperature_
            sizes, found = self._joined(lambda lattice: answered(lattice, temperature), X)
        return [found[first:last] for first, last in pairwise(starts_of(sizes))]

    def calibrate(self, X: Any, y: Any) -> Self:
        """Set `temperature_` to that under which the true labels of these sequences are the most probable.

        The sequences must not be those that were learned from: on these the tagger is nearly always right.
        """
        from scipy.optimize import minimize_scalar  # late: it takes long to load

        self._fitted()
        if self.predictor not in predictors.GUESSES:
            raise ValueError(
                f"Only the scores of a single guess have a temperature. Got predictor={self.predictor!r}."
            )
        sequences, labels = list(reading.as_sequences(X)), list(y)
        if len(sequences) != len(labels):
            raise ValueError(
                f"Every sequence needs labels. Got {len(sequences)} sequences and {len(labels)} of labels."
            )
        reading.check_pairs(sequences, labels)
        truths = reading.label_numbers(labels, lengths_of(sequences), self._labeller.number)
        lattices = [lattice for _, lattice in self._each(lambda lattice: lattice, sequences)]
        if not len(truths):
            raise ValueError("There must be at least one token to calibrate with. Got none.")
        through = np.concatenate([lattice.best_through() for lattice in lattices])
        ahead = np.sort(through, axis=1)[:, -2:]
        typical = float(np.median(ahead[:, -1] - ahead[:, 0])) if through.shape[1] > 1 else 1.0

        def surprise(log_temperature: float) -> float:
            found = np.concatenate([lattice.probabilities(np.exp(log_temperature)) for lattice in lattices])
            return float(-np.log(np.maximum(found[np.arange(len(truths)), truths], 1e-300)).mean())

        scale = np.log(typical if 0 < typical < np.inf else 1.0)
        best = minimize_scalar(
            surprise, bounds=(scale - 7, scale + 3), method="bounded", options={"xatol": 0.01}
        )
        self.temperature_ = float(np.exp(best.x))
        return self

    def explain(self, sequence: Any, place: int, predictor: str | None = None) -> inside.TokenExplanation:
        """Why the token at this place of one sequence got its label rather than the next best one."""
        self._fitted()
        return inside.explain(self._labeller, self._one_guess(predictor), sequence, place)

    def top_features(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        """The features with the highest weights for a label, each with its weight."""
        self._fitted()
        if self._labeller.is_dual:
            raise ValueError("A learner with a kernel has examples, and no weights of features. See explain.")
        return inside.top_features(self._labeller, self._one_guess(), label, n)

    @property
    def transitions_(self) -> Floats:
        """The scores of pairs of labels (labels + 1 × labels + 1): in row i, column j, that j follows i.

        The last row is what comes first, the last column what comes last.
        """
        self._fitted()
        return inside.transitions(self._labeller, self._one_guess())

    def html(self, X: Any, y: Any = None, title: str = "Tagged text") -> str:
        """A page of its own that shows these sequences tagged; with y, what is wrong, too."""
        sequences = list(X)
        sure = (
            self.confidence(sequences) if hasattr(self, "temperature_") or self.predictor == "vote" else None
        )
        return views.html(sequences, self.predict(sequences), truths=y, confidence=sure, title=title)

    def _one_guess(self, predictor: str | None = None) -> str:
        name = self.predictor if predictor is None else predictor
        if name not in predictors.GUESSES:
            raise NotThere(
                f"One can look inside a single guess, {', '.join(predictors.GUESSES)}. Got {name!r}."
            )
        return name

    def _joined(
        self, work: Callable[[Lattice], Array], X: Any, lengths: Any = None, known: Any = None
    ) -> tuple[Ints, Array]:
        """The lengths of all sequences, and what the work made of all their tokens."""
        return concatenated(self._each(work, X, lengths, known))

    def _listed(self, sizes: Ints, numbers: Ints) -> list[list[Any]]:
        """The labels with these numbers, a list for every sequence."""
        labels = list(map(self._labeller.labels.__getitem__, numbers.tolist()))
        return [labels[first:last] for first, last in pairwise(starts_of(sizes).tolist())]

    def _each(
        self, work: Callable[[Lattice], Result], X: Any, lengths: Any = None, known: Any = None
    ) -> list[tuple[Ints, Result]]:
        """The lengths of some sequences at a time, and what the work makes of them."""
        self._fitted()
        sequences = reading.as_sequences(X, lengths)
        sequences = sequences if hasattr(sequences, "__len__") else list(sequences)
        if known is not None and len(known) != len(sequences):
            raise ValueError(f"known must be a list for every sequence, {len(sequences)}. Got {len(known)}.")
        return self._decoded(work, self._parts(sequences), partial(self._encoded, sequences), known)

    def _encoded(self, sequences: Any, part: slice) -> Tokens:
        """A part of these sequences as the predictor takes them."""
        return self._labeller.encode(sequences[part], self.predictor, part.start)

    def _decoded(
        self,
        work: Callable[[Lattice], Result],
        parts: list[slice],
        encoded: Callable[[slice], Tokens],
        known: Any = None,
    ) -> list[tuple[Ints, Result]]:
        """The lengths of the sequences in every part, and what the work makes of it, in `n_jobs` threads."""
        inputs.one_of("predictor", self.predictor, predictors.NAMES)
        random = inputs.sampling(self.random_state) if self.predictor == "sample" else None

        def done(part: slice) -> tuple[Ints, Result]:
            tokens = encoded(part)
            lattice = self._labeller.lattice(tokens, self.predictor, random)
            if known is not None:
                self._labeller.mask(lattice, known[part], tokens.lengths, part.start)
            try:
                return tokens.lengths, work(lattice)
            except NoPath as fault:
                raise ValueError(
                    f"No path through sequence {part.start + fault.round} is allowed, "
                    + ("with what is known of it." if known is not None else "by scheme or allowed.")
                ) from None

        threads = (os.cpu_count() or 1) if self.n_jobs == -1 else self.n_jobs
        inputs.whole("n_jobs", threads)
        if threads == 1 or len(parts) == 1:
            return list(map(done, parts))
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(done, parts))

    def _parts(self, sequences: Any) -> list[slice]:
        """Parts of about DECODED tokens; one, if every guess of the run is to meet all of them."""
        if self.predictor not in predictors.GUESSES:
            return [slice(0, len(sequences))] if len(sequences) else []
        ends = starts_of(lengths_of(sequences))[1:]
        if len(ends) and ends[-1] <= DECODED:
            return [slice(0, len(ends))]
        cuts = np.unique(np.searchsorted(ends, np.arange(DECODED, ends[-1] if len(ends) else 0, DECODED)))
        return [
            slice(a, b)
            for a, b in pairwise([0, *(int(cut) for cut in cuts if cut > 0), len(sequences)])
            if a < b
        ]


def concatenated(parts: list[tuple[Ints, Array]]) -> tuple[Ints, Array]:
    """The lengths of the sequences of all parts, and what was found about their tokens."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([sizes for sizes, _ in parts]), np.concatenate([found for _, found in parts])


def best_labels(lattice: Lattice) -> Ints:
    """The labels of all tokens on the best paths."""
    return lattice.best()[0]


def vote_shares(lattice: Lattice) -> Floats:
    """The share of the votes that each answered label got."""
    answers, _ = lattice.best()
    return lattice.scores[lattice.tokens][np.arange(len(answers)), answers]


def answered(lattice: Lattice, temperature: float) -> Floats:
    """The probability of each answered label."""
    answers, _ = lattice.best()
    return lattice.probabilities(temperature)[np.arange(len(answers)), answers]
