"""Player B: how the learner plays, without what it has learned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rosenblatt import kernels, rules
from rosenblatt.arena.contests import Contest
from rosenblatt.engine.run import Run, begin
from rosenblatt.games import Binary
from rosenblatt.kernels import Kernel
from rosenblatt.rules import Perceptron, Rule, as_rule
from rosenblatt.tasks.task import Task

ON_VECTORS = "A player's kernel must be about vectors and printed as an expression, such as RBF(sigma=1.0)."


@dataclass(frozen=True)
class Learner:
    """A learner that starts at v_0 = 0.

    Parameters
    ----------
    kernel
        None for the linear learner of the sources, else a kernel on vectors or its expression.
    rule
        As for `PerceptronClassifier`.
    fit_intercept
        Whether there is a constant feature beside A's; the sources' game has none.
    ties
        As for `PerceptronClassifier`; the contest of points only.

    Examples
    --------
    >>> Learner(kernel="Polynomial(2)").kernel
    Polynomial(degree=2, coef0=1.0)
    """

    kernel: Kernel | None = None
    rule: Rule = field(default_factory=Perceptron)
    fit_intercept: bool = False
    ties: str = "mistake"

    def __post_init__(self) -> None:
        if isinstance(self.kernel, str):
            object.__setattr__(self, "kernel", kernels.parse(self.kernel))
        parsed = rules.parse(self.rule) if isinstance(self.rule, str) else as_rule(self.rule)
        object.__setattr__(self, "rule", parsed)
        if self.kernel is not None:
            if not isinstance(self.kernel, Kernel) or self.kernel.domain != "vectors":
                raise ValueError(f"{ON_VECTORS} Got {self.kernel!r}.")
            try:
                kernels.parse(repr(self.kernel))
            except ValueError:
                raise ValueError(f"{ON_VECTORS} Got {self.kernel!r}.") from None
        try:
            rules.parse(repr(self.rule))
        except ValueError:
            raise ValueError(
                "A player's rule must be one of the library's, which a record can name, such as "
                f"Margin(beta=0.1). Got {self.rule!r}."
            ) from None
        if self.ties not in ("mistake", "positive"):
            raise ValueError(f"ties must be 'mistake' or 'positive'. Got {self.ties!r}.")

    def begin(self, contest: Contest) -> Run:
        """Return a run before its first round, which keeps the examples that the predictors need."""
        if self.fit_intercept and not isinstance(contest.game(self.ties), Binary):
            raise ValueError(
                "Only the contest of points has an intercept. Got a learner with one: pass "
                "fit_intercept=False."
            )
        return begin(
            contest.game(self.ties),
            features=None if self.kernel is not None else contest.features,
            kernel=self.kernel,
            rule=self.rule,
            intercept=self.fit_intercept,
        )


def as_learner(player: Any) -> Learner:
    """Return player B with the settings of an online learner or an estimator, fitted or not.

    What it has learned is not used: player B starts at 0.

    >>> from rosenblatt import PerceptronClassifier, kernels
    >>> as_learner(PerceptronClassifier(kernels.Polynomial(2), fit_intercept=False)).kernel
    Polynomial(degree=2, coef0=1.0)
    """
    if isinstance(player, Learner):
        return player
    task = getattr(player, "task_", getattr(player, "task", None))
    if isinstance(task, Task):
        return _of_run(task.run)
    if not hasattr(player, "new_task"):
        raise TypeError(
            f"Player B is an arena.Learner, an estimator or an online learner. Got {player!r:.80}."
        )
    options = player.new_task().options
    if options["budget"] is not None:
        raise ValueError(FORGETS)
    return Learner(
        kernel=options["kernel"],
        rule=options["rule"],
        fit_intercept=bool(options.get("intercept")),
        ties=getattr(player, "ties", "mistake"),
    )


FORGETS = "The bound is about a learner that forgets nothing. Got a learner with a budget; leave it out."


def _of_run(run: Run) -> Learner:
    if run.budget is not None:
        raise ValueError(FORGETS)
    return Learner(
        kernel=run.kernel,
        rule=run.rule,
        fit_intercept=run.intercept,
        ties=run.game.ties if isinstance(run.game, Binary) else "mistake",
    )
