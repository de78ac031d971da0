"""Decoding: predictions, n-best paths, confidence and explanations of a fitted tagger."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.engine.threads import limited_to, threads
from rosenblatt.estimators.base import positive_integer
from rosenblatt.estimators.fitted import NotThere
from rosenblatt.features import Tokens
from rosenblatt.features.encoders import lengths_of
from rosenblatt.rows import starts_of
from rosenblatt.tasks.tagging import TaggingTask, inside, reading, views
from rosenblatt.tasks.tagging.lattices import Lattice, NoPath
from rosenblatt.theory.calibration import fitted_temperature

DECODED = 8192
"""Tokens that are decoded at once: few enough for their scores to stay in the CPU's cache."""

Result = TypeVar("Result")


class Decoding:
    """The decoding methods of an estimator whose `task_` is one of tagging."""

    classes_: Array
    predictor: str
    random_state: Any
    n_jobs: int | None
    task_: TaggingTask
    run_: Any
    _chosen: Callable[[str | None], str]
    _sampling: Callable[[str], np.random.Generator | None]

    def predict(self, X: Any, *, lengths: Any = None, known: Any = None, predictor: str | None = None) -> Any:
        """Return the labels of every sequence: its best allowed path.

        Parameters
        ----------
        X, lengths
            As in `fit`. With lengths, one array of all labels is returned.
        known
            Labels that are certain: a list for every sequence, None where a token's is not known, or None
            for a whole sequence.
        predictor
            Which of the run's guesses answers; by default the tagger's own.
        """
        sizes, ids = self._joined(best_labels, X, lengths, known, predictor)
        return self.classes_[ids] if lengths is not None else self._listed(self.task_, sizes, ids)

    def n_best(self, X: Any, n: int = 10, *, known: Any = None) -> list[list[tuple[list[Any], float]]]:
        """Return the n best paths of every sequence, each with its score, the best first; fewer if there are.

        Paths with equal scores are ordered by their labels, compared from the last to the first.
        """
        positive_integer("n", n)
        chunks = self._each(lambda lattice: lattice.n_best(n), X, None, known)
        labels = self.task_.labels
        return [
            [
                ([labels[c] for c in path], float(score))
                for path, score in zip(paths.tolist(), totals, strict=True)
            ]
            for _, chunk in chunks
            for paths, totals in chunk
        ]

    def margins(self, X: Any, *, known: Any = None) -> Floats:
        """Return the margin of the best path of every sequence over the second best; ∞ if there is none."""
        found = [[score for _, score in paths] for paths in self.n_best(X, 2, known=known)]
        return np.array([scores[0] - scores[1] if len(scores) > 1 else np.inf for scores in found])

    def confidence(self, X: Any) -> list[Floats]:
        """Return the marginal probability of the predicted label of every token.

        The probability of a path is proportional to exp(score / temperature); the marginal is the sum over
        all paths with that label there. `calibrate` finds the temperature. With the predictor "vote" it is
        the share of votes for the label, uncalibrated.
        """
        check_is_fitted(self, "task_")
        if self.predictor == "vote":
            sizes, found = self._joined(vote_shares, X)
        elif not hasattr(self, "temperature_"):
            raise ValueError(
                "Scores of a perceptron have no scale of their own: call calibrate(X, y) with sequences that "
                "were not learned from, or set temperature_."
            )
        else:
            temperature = self.temperature_
            sizes, found = self._joined(lambda lattice: predicted_marginals(lattice, temperature), X)
        return [found[first:last] for first, last in pairwise(starts_of(sizes))]

    def calibrate(self, X: Any, y: Any) -> Self:
        """Set `temperature_` to the one that maximizes the likelihood of the true labels of these sequences.

        Pass sequences that were not learned from: on those it learned from the tagger is nearly always right.
        """
        check_is_fitted(self, "task_")
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
        truths = reading.label_ids(labels, lengths_of(sequences), self.task_.number)
        lattices = [lattice for _, lattice in self._each(lambda lattice: lattice, sequences)]
        if not len(truths):
            raise ValueError("There must be at least one token to calibrate with. Got none.")
        through = np.concatenate([lattice.best_through() for lattice in lattices])
        top_two = np.sort(through, axis=1)[:, -2:]
        typical = float(np.median(top_two[:, -1] - top_two[:, 0])) if through.shape[1] > 1 else 1.0

        def negative_log_likelihood(temperature: float) -> float:
            found = np.concatenate([lattice.probabilities(temperature) for lattice in lattices])
            return float(-np.log(np.maximum(found[np.arange(len(truths)), truths], 1e-300)).mean())

        self.temperature_ = fitted_temperature(negative_log_likelihood, typical)
        return self

    def explain(self, sequence: Any, index: int, predictor: str | None = None) -> inside.TokenExplanation:
        """Explain why the token at `index` of a sequence got its label and not the next best one."""
        check_is_fitted(self, "task_")
        return inside.explain(self.task_, self._one_guess(predictor), sequence, index)

    def top_features(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        """Return the features with the highest weights for a label, each with its weight."""
        check_is_fitted(self, "task_")
        if self.task_.is_dual:
            raise ValueError("A learner with a kernel has no weights of features. See explain.")
        return inside.top_features(self.task_, self._one_guess(), label, n)

    @property
    def transitions_(self) -> Floats:
        """The transition weights (labels + 1 × labels + 1): in row i, column j, the score of j after i.

        The last row is the start of a sequence, the last column its end.
        """
        check_is_fitted(self, "task_")
        return inside.transitions(self.task_, self._one_guess())

    def html(self, X: Any, y: Any = None, title: str = "Tagged text") -> str:
        """Return a standalone HTML page of these sequences, tagged; with y, mistakes are marked."""
        sequences = list(X)
        confidence = (
            self.confidence(sequences) if hasattr(self, "temperature_") or self.predictor == "vote" else None
        )
        return views.html(sequences, self.predict(sequences), truths=y, confidence=confidence, title=title)

    def _one_guess(self, predictor: str | None = None) -> str:
        name = self.predictor if predictor is None else predictor
        if name not in predictors.GUESSES:
            raise NotThere(
                f"predictor must be a single guess, one of {', '.join(predictors.GUESSES)}. Got {name!r}."
            )
        return name

    def _joined(
        self,
        work: Callable[[Lattice], Array],
        X: Any,
        lengths: Any = None,
        known: Any = None,
        predictor: str | None = None,
    ) -> tuple[Ints, Array]:
        """Return the lengths of all sequences, and the results of `work` for all their tokens."""
        return concatenated(self._each(work, X, lengths, known, predictor))

    def _listed(self, task: TaggingTask, sizes: Ints, ids: Ints) -> list[list[Any]]:
        """Return the labels with these ids, a list for every sequence."""
        labels = list(map(task.labels.__getitem__, ids.tolist()))
        return [labels[first:last] for first, last in pairwise(starts_of(sizes).tolist())]

    def _each(
        self,
        work: Callable[[Lattice], Result],
        X: Any,
        lengths: Any = None,
        known: Any = None,
        predictor: str | None = None,
    ) -> list[tuple[Ints, Result]]:
        """Return, for each chunk of the sequences, their lengths and the result of `work`."""
        check_is_fitted(self, "task_")
        sequences = reading.as_sequences(X, lengths)
        sequences = sequences if hasattr(sequences, "__len__") else list(sequences)
        if known is not None and len(known) != len(sequences):
            raise ValueError(f"known must be a list for every sequence, {len(sequences)}. Got {len(known)}.")
        name = self._chosen(predictor)
        encoded = partial(encoded_chunk, self.task_, sequences, name)
        return self._decoded(self.task_, name, work, chunked(sequences, name), encoded, known)

    def _decoded(
        self,
        task: TaggingTask,
        predictor: str,
        work: Callable[[Lattice], Result],
        chunks: list[slice],
        encoded: Callable[[slice], Tokens],
        known: Any = None,
    ) -> list[tuple[Ints, Result]]:
        """Return for each chunk its sequences' lengths and the result of `work`, in `n_jobs` threads."""
        random = self._sampling(predictor)

        def decode(chunk: slice) -> tuple[Ints, Result]:
            tokens = encoded(chunk)
            lattice = task.lattice(tokens, predictor, random)
            if known is not None:
                task.mask(lattice, known[chunk], tokens.lengths, chunk.start)
            try:
                return tokens.lengths, work(lattice)
            except NoPath as fault:
                raise ValueError(
                    f"No path through sequence {chunk.start + fault.round} is allowed, "
                    + ("with its known labels." if known is not None else "by scheme or allowed.")
                ) from None

        with limited_to(self.n_jobs):
            most = threads(1)
            if most == 1 or len(chunks) == 1:
                return list(map(decode, chunks))
            with ThreadPoolExecutor(most) as pool:
                return list(pool.map(decode, chunks))


def encoded_chunk(task: TaggingTask, sequences: Any, predictor: str, chunk: slice) -> Tokens:
    """Return a chunk of the sequences, encoded for the predictor."""
    return task.encode(sequences[chunk], predictor, chunk.start)


def chunked(sequences: Any, predictor: str) -> list[slice]:
    """Return slices of about DECODED tokens; one slice if the predictor uses all guesses of the run."""
    if predictor not in predictors.GUESSES:
        return [slice(0, len(sequences))] if len(sequences) else []
    ends = starts_of(lengths_of(sequences))[1:]
    if len(ends) and ends[-1] <= DECODED:
        return [slice(0, len(ends))]
    cuts = np.unique(np.searchsorted(ends, np.arange(DECODED, ends[-1] if len(ends) else 0, DECODED)))
    return [
        slice(a, b) for a, b in pairwise([0, *(int(cut) for cut in cuts if cut > 0), len(sequences)]) if a < b
    ]


def concatenated(chunks: list[tuple[Ints, Array]]) -> tuple[Ints, Array]:
    """Return the lengths of the sequences of all chunks, and the results for their tokens."""
    if len(chunks) == 1:
        return chunks[0]
    if not chunks:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([sizes for sizes, _ in chunks]), np.concatenate([found for _, found in chunks])


def best_labels(lattice: Lattice) -> Ints:
    """Return the labels of all tokens on the best paths."""
    return lattice.best()[0]


def vote_shares(lattice: Lattice) -> Floats:
    """Return the share of the votes for each predicted label."""
    answers, _ = lattice.best()
    return lattice.scores[lattice.tokens][np.arange(len(answers)), answers]


def predicted_marginals(lattice: Lattice, temperature: float) -> Floats:
    """Return the marginal probability of each predicted label."""
    answers, _ = lattice.best()
    return lattice.probabilities(temperature)[np.arange(len(answers)), answers]
