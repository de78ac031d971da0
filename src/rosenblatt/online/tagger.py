"""The online tagger: `label`, then `add_example`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt.budgets import as_budget
from rosenblatt.data.blocks import Sequences
from rosenblatt.engine.learner import learn
from rosenblatt.engine.passes import OneRoundDriver
from rosenblatt.engine.run import Examples, Orders, Run
from rosenblatt.features.encoders import lengths_of
from rosenblatt.kernels.wrappers import COEF0, DEGREE, GAMMA, kernel_of
from rosenblatt.ledger import Ledger
from rosenblatt.online.base import Online, given, in_own_words, undecided_online
from rosenblatt.rules import Rule, as_rule
from rosenblatt.tasks.tagging import TaggingSettings, TaggingTask, reading
from rosenblatt.tasks.task import NOTHING_DRAWN, intercept_of


class Tagger(Online):
    """An online tagger, which learns from one sequence at a time.

    Learning sequences one by one gives the ledger of `PerceptronTagger.fit` with one epoch and no shuffling,
    except for rounding, if all labels are passed at the beginning.

    Parameters
    ----------
    kernel, gamma, degree, coef0, templates, features, scheme, allowed, transitions, hashing, rule,
    learning_rate, fit_intercept
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
        gamma: float | str = GAMMA,
        degree: int = DEGREE,
        coef0: float = COEF0,
        labels: Sequence[Any] | None = None,
        templates: Any = None,
        features: Any = None,
        scheme: str | None = None,
        allowed: Any = None,
        transitions: bool | None = None,
        hashing: int | None = None,
        rule: str | Rule = "auto",
        learning_rate: float = 1.0,
        fit_intercept: bool | str = "auto",
        predictor: str = "last",
        budget: Any = None,
    ) -> None:
        self.parameters = given(locals())
        self._settings = TaggingSettings(templates, features, scheme, allowed, transitions, hashing)
        if labels is None and self._settings.sees_pairs:
            raise ValueError(
                "Templates that use pairs of labels need all labels in advance: pass labels=[…]. Got None."
            )
        self._open = labels is None
        self._labels = reading.checked_labels(labels or ())
        made = kernel_of(kernel, gamma, degree, coef0)
        if made is not None and made.undecided:
            raise ValueError(undecided_online(made))
        super().__init__(predictor, keeps=made is not None)
        self.task: TaggingTask | None = None
        self._driver: OneRoundDriver | None = None
        self._passed_over = 0
        self._run_options: dict[str, Any] = {
            "kernel": made,
            "rule": as_rule(rule, learning_rate),
            "intercept": intercept_of(fit_intercept, kernel=made is not None),
            "keep": self._keeps,
            "budget": as_budget(budget),
            "limited": True,
            "recent": self._recent,
        }

    @in_own_words
    def label(self, tokens: Sequence[Any]) -> list[Any]:
        """Return the labels of the best path; None for each token before anything has been learned."""
        task = self.task
        if task is None:
            return [None] * lengths_of([tokens])[0]
        found, _ = task.lattice(task.encode([tokens], self._predictor), self._predictor).best()
        return [task.labels[i] for i in found.tolist()]

    @in_own_words
    def add_example(self, tokens: Sequence[Any], labels: Sequence[Any]) -> None:
        """Learn from these tokens with their true labels."""
        reading.check_pairs([tokens], [labels])
        if not lengths_of([tokens])[0]:
            self._pass_over()
            return
        task = self._ready_for(tokens, labels)
        examples = task.more(Sequences([tokens], [labels]), NOTHING_DRAWN)
        self.task = task
        self._play(examples)

    def _play(self, examples: Examples) -> None:
        """Play this round of the task's run, which is another one when there are new labels."""
        assert self.task is not None
        run, rows = self.task.run, examples.rows
        if run.primal is None:
            learn(run, examples, Orders(1, 1, None))
            return
        if self._driver is None or not self._driver.drives(run):
            self._driver = OneRoundDriver(run)
        self._driver.play(rows.csr if rows.sparse else rows.data, examples.truths)

    @property
    def labels(self) -> list[Any]:
        """The labels known so far."""
        return list(self._labels if self.task is None else self.task.labels)

    @property
    def ledger(self) -> Ledger:
        """The record of the rounds so far."""
        if self.task is None:
            raise ValueError("There is no ledger before the first example. Call add_example.")
        return self.task.run.ledger

    @property
    def passed_over(self) -> int:
        """The empty sequences before the first example."""
        return self._passed_over

    def new_task(self) -> TaggingTask:
        """Return the task that the parameters ask for, without a run."""
        return TaggingTask(self._settings, self._run_options)

    def take_over(self, task: TaggingTask | None, passed_over: int) -> None:
        """Continue with a task that has a run, if there is one, after n empty sequences."""
        self.task, self._driver, self._passed_over = task, None, passed_over

    def settled(self) -> Run:
        """Return the run, after what was seen is counted in it."""
        assert self.task is not None
        self.task.run.examples_seen = self.task.run.book.rounds
        return self.task.run

    def _pass_over(self) -> None:
        """Count an empty sequence as a round, now or when there is a run."""
        if self.task is None:
            self._passed_over += 1
        else:
            self.task.run.pass_over(1)

    def _ready_for(self, tokens: Sequence[Any], labels: Sequence[Any]) -> TaggingTask:
        """Return a task; unless the labels were fixed, one that knows these."""
        ids = dict.fromkeys(self.labels, 0)
        if self._open:
            reading.add_labels([labels], lengths_of([tokens]), ids)
        if self.task is not None:
            return self.task if len(ids) == len(self.labels) else self.task.with_labels(list(ids))
        task = self.new_task()
        task.know(self._settings.encoder(tokens, list(ids)), list(ids))
        task.begin_with(0)
        task.run.pass_over(self._passed_over)
        return task
