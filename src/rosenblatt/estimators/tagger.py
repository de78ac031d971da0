"""PerceptronTagger: sequence labelling under scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from rosenblatt import metrics
from rosenblatt._types import Floats, Ints
from rosenblatt.data.blocks import Sequences
from rosenblatt.engine import predictors
from rosenblatt.estimators import validation
from rosenblatt.estimators.base import RunEstimator, one_of, positive_integer
from rosenblatt.estimators.decoding import Decoding, best_labels, chunked, concatenated, encoded_chunk
from rosenblatt.features import ArrayEncoder, Tokens
from rosenblatt.rows import rows_of
from rosenblatt.rules import Rule
from rosenblatt.tasks.tagging import TaggingSettings, TaggingTask, reading
from rosenblatt.tasks.task import NOTHING_DRAWN
from rosenblatt.theory import certificates


class PerceptronTagger(Decoding, RunEstimator):
    """A structured perceptron that labels every token of a sequence, decoded with the Viterbi algorithm.

    A sequence is a list of tokens. A token is a string; a tuple of strings; a dict of named features; a list
    of their names; a row of strings, with `templates`; anything, with `features`; or a row of an array.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        The kernel between tokens, as for `PerceptronClassifier`. Transitions stay linear.
    templates
        Feature templates for tokens that are strings or rows of strings: values such as `word[-1] & word[0]`,
        or a string in CRF++'s template language. By default `rosenblatt.features.WORDS` for strings, and for
        tuples also a window over the other columns.
    features
        A function `features(sequence, i)` that returns the features of a token: a dict, or a list of names.
    scheme
        "IOB1", "IOB2" (or "BIO"), "BILOU", "BIOES" (or "IOBES"): only paths that the scheme allows are
        learned and predicted.
    allowed
        Pairs of labels that may follow each other, if not all may. (None, label) allows a first label and
        (label, None) a last one; without any such pair all are allowed.
    transitions
        Whether there are transition weights. None for yes, unless templates in CRF++'s language have no
        line B.
    max_iter, predictor, rule, learning_rate, fit_intercept, shuffle, random_state, budget, warm_start,
    verbose
        As for `PerceptronClassifier`; rule="auto" is the perceptron's. Required margins are multiplied by the
        number of wrong labels.
    class_weight
        "balanced", or a dict from labels to weights: a correction on a sequence is multiplied by the mean
        weight of its labels.
    keep_examples
        Whether to store corrected tokens, which the predictors best, vote and sample need; "auto" for yes
        with one of these predictors or a kernel.
    min_count
        Features that occur less often in `fit` are left out.
    hashing
        None for an id per feature; or the number of buckets that features are hashed into.
    early_stopping, validation_fraction, n_iter_no_change
        As for `PerceptronClassifier`; whole sequences are held out.
    metric
        What `score` returns and validation sets are scored by: "token_accuracy", "sequence_accuracy" or
        "span_f1".
    n_jobs
        Threads to use at most, for decoding, matrix products and votes; −1 for one per core. None decodes in
        one.

    Attributes
    ----------
    classes_
        The labels.
    evals_result_, best_iteration_
        As for `PerceptronClassifier`.

    Notes
    -----
    Voting is by label: every guess votes for the labels of its best path, and the answer is the allowed path
    with the most votes. It costs a search per guess, of which there are as many as corrections.

    Examples
    --------
    >>> sentences = [["the", "cat", "sat"], ["a", "dog", "ran"], ["the", "dog", "sat"]]
    >>> tagger = PerceptronTagger(random_state=0).fit(sentences, [["DET", "NOUN", "VERB"]] * 3)
    >>> tagger.predict([["a", "cat", "ran"]])
    [['DET', 'NOUN', 'VERB']]
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        templates: Any = None,
        features: Any = None,
        scheme: str | None = None,
        allowed: Any = None,
        transitions: bool | None = None,
        max_iter: int = 10,
        predictor: str = "average",
        rule: str | Rule = "auto",
        learning_rate: float = 1.0,
        fit_intercept: bool | str = "auto",
        shuffle: bool = True,
        random_state: Any = None,
        class_weight: Any = None,
        keep_examples: bool | str = "auto",
        budget: Any = None,
        min_count: int = 1,
        hashing: int | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
        metric: str = "token_accuracy",
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.templates = templates
        self.features = features
        self.scheme = scheme
        self.allowed = allowed
        self.transitions = transitions
        self.max_iter = max_iter
        self.predictor = predictor
        self.rule = rule
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.keep_examples = keep_examples
        self.budget = budget
        self.min_count = min_count
        self.hashing = hashing
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.metric = metric
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: Any = None, eval_set: Any = None
    ) -> Self:
        """Play a new run on these sequences; with `warm_start`, continue the run that there is.

        Parameters
        ----------
        X
            Sequences of tokens; any iterable of them, which is read once. Or one array of all tokens, with
            their `lengths`.
        y
            A list of labels for every sequence, or one array of all labels with `lengths`. None if X is
            made of pairs (tokens, labels).
        lengths
            The number of rows of an array in each sequence.
        sample_weight
            The factor of a correction on each sequence.
        eval_set
            A validation set (X, y), or (X, y, lengths), or a list of them: `evals_result_` gets their scores
            by `metric` after every epoch. Nothing is learned from them; `early_stopping` watches the last.
        """
        with self._learning():
            begun = self._continues
            task = self._resumed() if begun else self.new_task()
            X, y = reading.as_sequences(X, lengths), reading.as_labels(y, lengths)
            if self.early_stopping and eval_set is None:  # a part is taken out
                X, y = reading.with_labels(X, y)[:2]
            held = [] if eval_set is None else _validation_sets(eval_set)
            self._train(task, Sequences(X, y, sample_weight=sample_weight), held, begun=begun)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, *, lengths: Any = None, sample_weight: Any = None
    ) -> Self:
        """Continue the run, or start one, in the order of these sequences.

        Parameters
        ----------
        X, y, lengths, sample_weight
            As in `fit`. New words and features get weights.
        classes
            Labels that can be predicted from now on. Others join with the first call that has them.
        """
        with self._learning():
            if self.class_weight == "balanced":
                raise ValueError(
                    "class_weight='balanced' in partial_fit would balance each chunk separately. Pass a dict."
                )
            X, y = reading.as_sequences(X, lengths), reading.as_labels(y, lengths)
            resuming = hasattr(self, "task_")
            task = self._resumed() if resuming else self.new_task()
            new: list[Any] = []
            if resuming:
                X, y, new = reading.new_labels(X, y, classes, task.number)
            task = task.with_labels([*task.labels, *new]) if new else task
            block = Sequences(X, y, sample_weight=sample_weight, classes=classes)
            if not resuming:
                task.begin(block, NOTHING_DRAWN)
            self._continue(task, block, NOTHING_DRAWN, begun=not resuming)
            task.finish()
            self.take_over(task)
        return self

    def _auto_rule(self) -> str:
        """Return "perceptron": the passive-aggressive rule is as accurate and half as slow again."""
        return "perceptron"

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, lengths: Any = None) -> float:
        """Return the quality of the predictions by `metric`; spans are read as conlleval reads them."""
        one_of("metric", self.metric, tuple(metrics.tags.METRICS))
        if sample_weight is not None:
            raise ValueError("Sequences are scored without weights. Got sample_weight.")
        truths = reading.as_labels(y, lengths)
        return metrics.tags.METRICS[self.metric](
            list(truths), self.predict(list(reading.as_sequences(X, lengths)))
        )

    def certificate(self, X: Any, y: Any, *, lengths: Any = None) -> Any:
        """Return the certificate of this run: the mistake bound, with the numbers of its proof.

        The bound is Collins's: mistakes ≤ R² / γ² with R² the largest ‖Φ(x, y) − Φ(x, ŷ)‖² that was seen.

        Parameters
        ----------
        X, y, lengths
            The sequences that were learned from.
        """
        run, task = self.run_, self.task_
        sequences, labels = reading.as_sequences(X, lengths), reading.as_labels(y, lengths)
        tokens = task.encoder.encode(list(sequences), tidy=True)
        truths = reading.label_ids(list(labels), tokens.lengths, task.number)
        examples = replace(task.as_examples(tokens, truths), rows=rows_of(tokens.rows))
        certificates.check_learned_from(run, examples)
        certificates.check_labels(truths, *self._learned_labels(tokens), "token")
        return certificates.certify(run, examples, None)[0]

    def _learned_labels(self, tokens: Tokens) -> tuple[Ints, Ints]:
        """Return the tokens whose true labels were moved up, counted from 0, and the ids of these labels."""
        ledger = self.run_.ledger
        token_of = np.full(int(tokens.starts[-1]) + 1, -1)  # the last is for structure weights, row −1
        token_of[:-1][tokens.of_tokens()] = np.arange(int(tokens.lengths.sum()))
        moved_up = (token_of[ledger.row] >= 0) & (ledger.amount > 0)
        return token_of[ledger.row[moved_up]], ledger.output[moved_up]

    def pruned(self, smallest: float = 0.0) -> Self:
        """Return a copy for prediction only, without the features whose weights are all at most `smallest`.

        It holds one guess, that of the present predictor, as "last". With `smallest=0` its predictions are
        the same, in less memory.
        """
        run = self.run_
        if self.predictor not in predictors.GUESSES:
            raise ValueError(f"Only a single guess can be pruned. Got predictor={self.predictor!r}.")
        result = copy(self)
        result.predictor = "last"
        result.task_ = self.task_.pruned(self.predictor, smallest, run.intercept)
        return result

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = False, True
        return tags

    def check_parameters(self) -> None:
        """Raise ValueError, as `fit` does, if a parameter is not valid."""
        keeps = () if self.keep_examples == "auto" else ("keep_examples",)
        self._check_shared(flags=keeps)
        self._check_intercept(self.fit_intercept)
        one_of("metric", self.metric, tuple(metrics.tags.METRICS))
        positive_integer("min_count", self.min_count)

    def new_task(self, classes: Any = None) -> TaggingTask:
        """Return the task of these parameters before its first data."""
        self._refuse_classes(classes)
        needed = (
            self.predictor in ("best", "vote", "sample")
            if self.keep_examples == "auto"
            else self.keep_examples
        )
        intercept, dual = self._intercept(self.fit_intercept), self._kernel() is not None
        options = self._options(intercept=intercept, keep=dual or bool(needed))
        return TaggingTask(self.settings(), options, class_weight=self.class_weight, min_count=self.min_count)

    def settings(self) -> TaggingSettings:
        """Return the settings of the task: features, and which paths are allowed."""
        return TaggingSettings(
            self.templates, self.features, self.scheme, self.allowed, self.transitions, self.hashing
        )

    def take_over(self, task: Any) -> None:
        """Set the fitted attributes from a task."""
        super().take_over(task)
        self.classes_ = reading.as_array(task.labels)
        self.__dict__.pop("temperature_", None)  # it belongs to an earlier guess
        if isinstance(task.encoder, ArrayEncoder):
            self.n_features_in_ = task.encoder.width
        elif hasattr(self, "n_features_in_"):  # other features have no columns
            del self.n_features_in_

    def _resumed(self) -> TaggingTask:
        """Return the task of the run, with the parameters that may change while it continues."""
        task: TaggingTask = self.task_
        if task.frozen:
            raise ValueError("A pruned tagger cannot learn. Continue with the one it was made from.")
        names = "templates, features, scheme, allowed, transitions and hashing"
        self._check_same(
            ("fit_intercept", self._intercept(self.fit_intercept), task.run.intercept),
            (names, self.settings(), task.settings),
        )
        task.class_weight = self.class_weight
        return task

    @property
    def _metric_name(self) -> str:
        return self.metric

    def _split(self, block: Sequences, random: np.random.Generator) -> tuple[Sequences, Sequences]:
        every = np.arange(len(block))
        held = validation.held_out([every], self.validation_fraction, random)
        return block.take(validation.others(held, len(block))), block.take(held)

    def _scorer(self, task: TaggingTask, block: Sequences) -> Callable[[], float]:
        name, truths = self.predictor, list(block.y)
        chunks = chunked(block.X, name)
        encoded = {chunk.start: encoded_chunk(task, block.X, name, chunk) for chunk in chunks}  # only once

        def score() -> float:
            found = self._decoded(task, name, best_labels, chunks, lambda chunk: encoded[chunk.start])
            labels = self._listed(task, *concatenated(found))
            return metrics.tags.METRICS[self.metric](truths, labels)

        return score

    def _weights(self, name: str) -> Floats:
        """Return the weights without the memory reserved for new features."""
        weights = super()._weights(name)
        return np.vstack([weights[: self.task_.encoder.width], weights[-1:]])


def _validation_sets(eval_set: Any) -> list[Sequences]:
    return [_sequences(*members) for members in validation.validation_sets(eval_set, (2, 3), "(X, y)")]


def _sequences(X: Any, y: Any, lengths: Any = None) -> Sequences:
    """Return a validation set."""
    X, y = reading.as_sequences(X, lengths), reading.as_labels(y, lengths)
    return Sequences(*reading.with_labels(X, y)[:2])
