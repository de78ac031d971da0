"""PerceptronTagger: sequence labelling under scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from rosenblatt import metrics
from rosenblatt._types import Floats, Ints
from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.early_stopping import EarlyStopping
from rosenblatt.engine.learner import learn
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, Orders, begin
from rosenblatt.estimators import inputs
from rosenblatt.estimators.base import RunEstimator
from rosenblatt.estimators.decoding import Decoding, best_labels, concatenated
from rosenblatt.features import Tokens
from rosenblatt.rows import Csr, rows_of
from rosenblatt.rules import Rule
from rosenblatt.tasks.tagging import Labeller, Task, begin_reading, left_out, reading
from rosenblatt.theory import certificates


class PerceptronTagger(Decoding, RunEstimator):
    """A structured perceptron that labels every token of a sequence, decoded with the Viterbi algorithm.

    A sequence is a list of tokens. A token is a string; a tuple of strings; a dict of named features; a list
    of their names; a row of strings, with `templates`; anything, with `features`; or a row of an array.

    Parameters
    ----------
    kernel
        The kernel between tokens; None for the linear learner. Transitions stay linear.
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
    epochs, predictor, rule, learning_rate, fit_intercept, shuffle, random_state, budget, verbose
        As for `PerceptronClassifier`. Required margins are multiplied by the number of wrong labels.
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
    patience
        Early stopping: epochs without a better score on `dev` before the end; the best epoch's guess is kept.
    metric
        What `score` and early stopping measure: "token_accuracy", "sequence_accuracy" or "span_f1".
    n_jobs
        Threads for decoding; −1 for one per core.

    Attributes
    ----------
    classes_
        The labels.
    dev_scores_
        The score on `dev` after every epoch.

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

    _frozen = False

    def __init__(
        self,
        kernel: Any = None,
        *,
        templates: Any = None,
        features: Any = None,
        scheme: str | None = None,
        allowed: Any = None,
        transitions: bool | None = None,
        epochs: int = 10,
        predictor: str = "average",
        rule: str | Rule = "perceptron",
        learning_rate: float = 1.0,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        class_weight: Any = None,
        keep_examples: bool | str = "auto",
        budget: Any = None,
        min_count: int = 1,
        hashing: int | None = None,
        patience: int | None = None,
        metric: str = "token_accuracy",
        n_jobs: int = 1,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.templates = templates
        self.features = features
        self.scheme = scheme
        self.allowed = allowed
        self.transitions = transitions
        self.epochs = epochs
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
        self.patience = patience
        self.metric = metric
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: Any = None, dev: Any = None
    ) -> Self:
        """Play a new run on these sequences.

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
        dev
            A validation set (X, y), scored after every epoch; needed for, and only used with, `patience`.
        """
        with inputs.untouched_on_error(self):
            self._check_parameters()
            for name in ("temperature_", "dev_scores_", "_frozen"):
                if name in vars(self):
                    delattr(self, name)
            if (dev is None) != (self.patience is None):
                raise ValueError(
                    "Early stopping needs both patience and dev=(X, y). Got "
                    f"patience={self.patience!r} and {'no ' if dev is None else ''}dev."
                )
            X, y = reading.as_sequences(X, lengths), reading.as_labels(y, lengths)
            labeller, tokens, truths = begin_reading(self._task(), X, y)
            if self.min_count > 1:
                tokens = left_out(labeller.encoder, tokens, self.min_count)
            self._begin(labeller)
            random = inputs.generator(self.random_state)
            orders = Orders(len(tokens.lengths), self.epochs, random if self.shuffle else None)
            if self.patience is None:
                self._learn(tokens, truths, sample_weight, orders, self.epochs)
            else:
                watch = EarlyStopping(labeller.run, self._held_out(dev), self.patience)
                self._learn(tokens, truths, sample_weight, watch.watched(orders), self.epochs)
                watch.finish()
                self.dev_scores_ = watch.scores
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
            In a first call, all labels that will ever occur; those of this call by default.
        """
        with inputs.untouched_on_error(self):
            self._check_parameters()
            if self.class_weight == "balanced":
                raise ValueError(
                    "class_weight='balanced' in partial_fit would balance each chunk separately. Pass a dict."
                )
            X, y = reading.as_sequences(X, lengths), reading.as_labels(y, lengths)
            if hasattr(self, "_run"):
                self._check_unchanged()
                if classes is not None and {*classes} != {*self._labeller.labels}:
                    raise ValueError(
                        f"partial_fit cannot change the labels, {self._labeller.labels}. "
                        f"Got classes={classes!r}."
                    )
                tokens, truths = self._labeller.read(X, y)
                inputs.refuse_huge(tokens.rows.values if isinstance(tokens.rows, Csr) else tokens.rows)
            else:
                labeller, tokens, truths = begin_reading(self._task(), X, y, classes)
                self._begin(labeller)
            if "temperature_" in vars(self):  # it belongs to an earlier guess
                del self.temperature_
            with inputs.following(self._run, self._rule()):
                self._learn(tokens, truths, sample_weight, [np.arange(len(tokens.lengths))], 1)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, lengths: Any = None) -> float:
        """Return the quality of the predictions by `metric`; spans are read as conlleval reads them."""
        inputs.one_of("metric", self.metric, tuple(metrics.tags.METRICS))
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
        self._fitted()
        labeller, sequences = self._labeller, list(reading.as_sequences(X, lengths))
        tokens = labeller.encoder.encode(sequences, tidy=True)
        truths = reading.label_ids(list(reading.as_labels(y, lengths)), tokens.lengths, labeller.number)
        examples = replace(labeller.examples(tokens, truths), rows=rows_of(tokens.rows))
        certificates.check_learned_from(self._run, examples)
        certificates.check_labels(truths, *self._learned_labels(tokens), "token")
        return certificates.certify(self._run, examples, None)[0]

    def _learned_labels(self, tokens: Tokens) -> tuple[Ints, Ints]:
        """Return the tokens whose true labels were moved up, counted from 0, and the ids of these labels."""
        ledger = self._run.ledger
        token_of = np.full(int(tokens.starts[-1]) + 1, -1)  # the last is for structure weights, row −1
        token_of[:-1][tokens.of_tokens()] = np.arange(int(tokens.lengths.sum()))
        moved_up = (token_of[ledger.row] >= 0) & (ledger.amount > 0)
        return token_of[ledger.row[moved_up]], ledger.output[moved_up]

    def pruned(self, smallest: float = 0.0) -> Self:
        """Return a copy for prediction only, without the features whose weights are all at most `smallest`.

        It holds one guess, that of the present predictor, as "last". With `smallest=0` its predictions are
        the same, in less memory.
        """
        self._fitted()
        if self.predictor not in predictors.GUESSES:
            raise ValueError(f"Only a single guess can be pruned. Got predictor={self.predictor!r}.")
        result = copy(self)
        result.predictor = "last"
        result._labeller = self._labeller.pruned(self.predictor, smallest, bool(self.fit_intercept))
        result._run, result._frozen = result._labeller.run, True
        return result

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        return tags

    def _task(self) -> Task:
        return Task(self.templates, self.features, self.scheme, self.allowed, self.transitions, self.hashing)

    def _begin(self, labeller: Labeller) -> None:
        kernel = self._kernel()
        needed = self.predictor in ("best", "vote", "sample")
        self._labeller = labeller
        self.classes_ = reading.as_array(labeller.labels)
        self._run = labeller.run = begin(
            labeller.game,
            features=None if kernel is not None else labeller.encoder.width,
            kernel=kernel,
            rule=self._rule(),
            intercept=self.fit_intercept,
            keep=kernel is not None or (needed if self.keep_examples == "auto" else bool(self.keep_examples)),
            budget=as_budget(self.budget),
            limited=True,
            recent=self.predictor == "recent",
        )

    def _learn(self, tokens: Tokens, truths: Ints, sample_weight: Any, orders: Any, epochs: int) -> None:
        examples = self._examples(tokens, truths, sample_weight)
        self._labeller.prepare(examples, epochs)
        self._play(examples, orders, Progress(self._run.book.rounds + epochs * len(examples), self.verbose))

    def _held_out(self, dev: Any) -> Callable[[], float]:
        """Return a function that scores the present guess on a validation set, which is encoded once."""
        if not (isinstance(dev, tuple | list) and len(dev) == 2):
            raise ValueError(f"dev must be a pair (X, y). Got {type(dev).__name__}.")
        sequences, truths = reading.as_sequences(dev[0]), list(dev[1])
        sequences = sequences if hasattr(sequences, "__len__") else list(sequences)
        chunks = self._chunks(sequences)
        encoded = {chunk.start: self._encoded(sequences, chunk) for chunk in chunks}

        def score() -> float:
            found = concatenated(self._decoded(best_labels, chunks, lambda chunk: encoded[chunk.start]))
            return metrics.tags.METRICS[self.metric](truths, self._listed(*found))

        return score

    def _examples(self, tokens: Tokens, truths: Ints, sample_weight: Any = None) -> Examples:
        labeller = self._labeller
        weights = reading.weights_of(
            truths, tokens.lengths, labeller.labels, self.class_weight, sample_weight
        )
        return labeller.examples(tokens, truths, weights)

    def _play(
        self, examples: Examples, orders: Any, progress: Progress | None = None, *, once: bool = False
    ) -> None:
        learn(self._run, examples, orders, progress=progress, once=once)

    def _weights(self, name: str) -> Floats:
        """Return the weights without the memory reserved for new features."""
        weights = super()._weights(name)
        return np.vstack([weights[: self._labeller.encoder.width], weights[-1:]])

    def _check_parameters(self) -> None:
        keeps = () if self.keep_examples == "auto" else ("keep_examples",)
        self._check_shared(flags=("fit_intercept", "shuffle", *keeps))
        inputs.one_of("metric", self.metric, tuple(metrics.tags.METRICS))
        inputs.positive_integer("min_count", self.min_count)
        if self.patience is not None:
            inputs.positive_integer("patience", self.patience)

    def _check_unchanged(self) -> None:
        if self._frozen:
            raise ValueError("A pruned tagger cannot learn. Continue with the one it was made from.")
        self._check_same(
            ("fit_intercept", bool(self.fit_intercept), bool(self._run.support.constant)),
            (
                "templates, features, scheme, allowed, transitions and hashing",
                self._task(),
                self._labeller.task,
            ),
        )
