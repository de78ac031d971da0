"""The online tagger: `label`, then `add_example`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt.budgets import as_budget
from rosenblatt.engine.learner import learn
from rosenblatt.engine.run import begin
from rosenblatt.features.encoders import lengths_of
from rosenblatt.kernels import as_kernel
from rosenblatt.ledger import Ledger
from rosenblatt.online.asked import ONCE, Online, in_own_words
from rosenblatt.rules import Rule, as_rule
from rosenblatt.tasks.tagging import Labeller, Task, reading


class Tagger(Online):
    """An online tagger, which learns from one sequence at a time.

    Learning sequences one by one gives the ledger of `PerceptronTagger.fit` with one epoch and no shuffling,
    except for rounding, if all labels are passed at the beginning.

    Parameters
    ----------
    kernel, templates, features, scheme, allowed, transitions, hashing, rule, learning_rate, fit_intercept
        As for `PerceptronTagger`.
    labels
        All labels that will occur; None to add them as they occur. A label is predicted only after the first
        example that has it.
    predictor
        The guess that labels: "last", the current one, or "best", "average" or "recent". It can be changed
        later, as for `Classifier`.
    budget
        With a kernel: the number of stored tokens at most, or a `Budget`, so that the cost of a round is
        bounded.

    Examples
    --------
    >>> tagger = Tagger()
    >>> tagger.label(["the", "cat", "sat"])
    [None, None, None]
    >>> tagger.add_example(["the", "cat", "sat"], ["DET", "NOUN", "VERB"])
    >>> tagger.add_example(["a", "dog", "sat"], ["DET", "NOUN", "VERB"])
    >>> tagger.label(["a", "cat", "sat"])
    ['DET', 'NOUN', 'VERB']
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        labels: Sequence[Any] | None = None,
        templates: Any = None,
        features: Any = None,
        scheme: str | None = None,
        allowed: Any = None,
        transitions: bool | None = None,
        hashing: int | None = None,
        rule: str | Rule = "perceptron",
        learning_rate: float = 1.0,
        fit_intercept: bool = True,
        predictor: str = "last",
        budget: Any = None,
    ) -> None:
        self._task = Task(templates, features, scheme, allowed, transitions, hashing)
        if labels is None and self._task.sees_pairs:
            raise ValueError(
                "Templates that use pairs of labels need all labels in advance: pass labels=[…]. Got None."
            )
        self._open = labels is None
        self._labels = reading.checked_labels(labels or ())
        super().__init__(predictor, keeps=kernel is not None)
        self._labeller: Labeller | None = None
        self._passed_over = 0
        self._options: dict[str, Any] = {
            "kernel": None if kernel is None else as_kernel(kernel),
            "rule": as_rule(rule, learning_rate),
            "intercept": fit_intercept,
            "keep": self._keeps,
            "budget": as_budget(budget),
            "limited": True,
            "recent": self._recent,
        }

    @in_own_words
    def label(self, tokens: Sequence[Any]) -> list[Any]:
        """Return the labels of the best path; None for each token before anything has been learned."""
        if self._labeller is None:
            return [None] * lengths_of([tokens])[0]
        encoded = self._labeller.encode([tokens], self._predictor)
        found, _ = self._labeller.lattice(encoded, self._predictor).best()
        return [self._labeller.labels[i] for i in found.tolist()]

    @in_own_words
    def add_example(self, tokens: Sequence[Any], labels: Sequence[Any]) -> None:
        """Learn from these tokens with their true labels."""
        reading.check_pairs([tokens], [labels])
        if not lengths_of([tokens])[0]:
            self._pass_over()
            return
        labeller = self._ready_for(tokens, labels)
        encoded, truths = labeller.read([tokens], [labels])
        self._labeller = labeller
        examples = labeller.examples(encoded, truths)
        labeller.prepare(examples, 1)
        learn(labeller.run, examples, ONCE)

    @property
    def labels(self) -> list[Any]:
        """The labels known so far."""
        return list(self._labels if self._labeller is None else self._labeller.labels)

    @property
    def ledger(self) -> Ledger:
        """The record of the rounds so far."""
        if self._labeller is None:
            raise ValueError("There is no ledger before the first example. Call add_example.")
        return self._labeller.run.ledger

    def _pass_over(self) -> None:
        """Count an empty sequence as a round, now or when there is a run."""
        if self._labeller is None:
            self._passed_over += 1
        else:
            self._labeller.run.pass_over(1)

    def _ready_for(self, tokens: Sequence[Any], labels: Sequence[Any]) -> Labeller:
        """Return a labeller; unless the labels were fixed, one that knows these."""
        ids = dict.fromkeys(self.labels, 0)
        if self._open:
            reading.add_labels([labels], lengths_of([tokens]), ids)
        if self._labeller is None:
            labeller = Labeller(self._task, self._task.encoder(tokens, list(ids)), list(ids))
            features = None if self._options["kernel"] is not None else 0
            labeller.run = begin(labeller.game, features=features, **self._options)
            labeller.run.pass_over(self._passed_over)
            return labeller
        return self._labeller if len(ids) == len(self.labels) else self._labeller.with_labels(list(ids))
