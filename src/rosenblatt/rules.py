"""How far to move: the perceptron, the margin perceptron, the passive-aggressive rules.

A rule sees three numbers of a round: the margin ⟨v, Φ(truth) − Φ(rival)⟩, ‖Φ(truth) − Φ(rival)‖² and the
cost of the rival, which is 1 in most games. It corrects a wrong answer, and a right one whose margin is
below its `required_margin` times the cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isclose, isnan, nan
from numbers import Real
from typing import Protocol

import numpy as np

from rosenblatt import _expressions
from rosenblatt._expressions import Value
from rosenblatt._types import Array, Floats
from rosenblatt.checks import Check
from rosenblatt.loops.checking import alone
from rosenblatt.loops.compiling import compilable, is_ours

__all__ = [
    "Margin",
    "PassiveAggressive",
    "Perceptron",
    "Rule",
    "as_rule",
    "check",
    "compilable",
    "parse",
]


class Rule(Protocol):
    """The interface of a rule; a dataclass with these four members is one."""

    @property
    def required_margin(self) -> float:
        """Right answers with a margin below this, per cost, are corrected too."""

    @property
    def parameters(self) -> Floats:
        """The parameters that `step` gets."""

    @property
    def step(self) -> Callable[[float, float, float, Array], float]:
        """A `compilable` function of margin, squared norm, cost and parameters: how far to move."""

    def bound(self, radius_squared: float, margin: float, cost: float = 1.0) -> float:
        """The most mistakes on data that a unit vector separates with this margin; `cost` is the largest."""


@compilable
def step(margin: float, norm_squared: float, cost: float, parameters: Array) -> float:
    """Return the step that takes the margin to the cost, between a floor and a ceiling; η, if both are η.

    One function for all rules here: loops are compiled for a function, and so once for all of them.
    """
    floor, ceiling, slack = parameters[0], parameters[1], parameters[2]
    if floor == ceiling:
        return ceiling  # type: ignore[no-any-return]
    if norm_squared + slack <= 0.0:
        return floor  # type: ignore[no-any-return]
    if norm_squared == inf:
        return nan  # or nothing would be learned, in silence
    return min(ceiling, max(floor, (cost - margin) / (norm_squared + slack)))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Perceptron(Value):
    r"""Rosenblatt's rule: after a mistake, add :math:`\eta\,(\Phi(truth) - \Phi(answer))`.

    On data separable with margin γ it makes at most R/γ² mistakes, R bounding the squared norms.

    Examples
    --------
    >>> Perceptron().bound(radius_squared=4.0, margin=0.5)
    16.0
    """

    eta: float = 1.0
    step = staticmethod(step)
    required_margin = -inf

    def __post_init__(self) -> None:
        _positive("learning rate eta", self.eta)

    @property
    def parameters(self) -> Floats:
        """η as floor and ceiling, and no slack."""
        return np.array([self.eta, self.eta, 0.0])

    def bound(self, radius_squared: float, margin: float, cost: float = 1.0) -> float:
        """R / γ²: theorem 1 of the sources, which does not depend on η."""
        return radius_squared / margin**2


@dataclass(frozen=True)
class Margin(Value):
    r"""The margin perceptron: a right answer by less than β is corrected like a wrong one.

    From ‖v‖² growing by at most :math:`\eta^2 R + 2\eta\beta` and v·u by at least ηγ, there are at
    most :math:`(R + 2\beta/\eta)/\gamma^2` corrections.

    Examples
    --------
    >>> Margin(beta=0.5).bound(radius_squared=1.0, margin=0.5)
    8.0
    """

    beta: float = 1.0
    eta: float = 1.0
    step = staticmethod(step)

    def __post_init__(self) -> None:
        _positive("margin beta", self.beta)
        _positive("learning rate eta", self.eta)

    @property
    def required_margin(self) -> float:
        """β."""
        return self.beta

    @property
    def parameters(self) -> Floats:
        """η as floor and ceiling, and no slack."""
        return np.array([self.eta, self.eta, 0.0])

    def bound(self, radius_squared: float, margin: float, cost: float = 1.0) -> float:
        """(R + 2βc/η) / γ², c the largest cost."""
        return (radius_squared + 2 * self.beta * cost / self.eta) / margin**2


@dataclass(frozen=True)
class PassiveAggressive(Value):
    r"""The passive-aggressive rules: move just far enough for a margin of 1 per cost; with C, less far.

    With :math:`\ell = \max(0, cost - margin)` and :math:`n = \|\Phi(truth) - \Phi(answer)\|^2` the step is
    :math:`\ell / n` (PA), :math:`\min(C, \ell / n)` (PA-I) or :math:`\ell / (n + 1/2C)` (PA-II).

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, Online passive-aggressive algorithms,
    JMLR 7 (2006), figure 1; the bounds are its theorems 2, 4 and 5 on separable data.

    Examples
    --------
    >>> PassiveAggressive(C=0.1, variant="PA-I").parameters
    array([0. , 0.1, 0. ])
    """

    C: float = 1.0
    variant: str = "PA-I"
    step = staticmethod(step)
    required_margin = 1.0

    def __post_init__(self) -> None:
        _positive("aggressiveness C", self.C)
        if self.variant not in ("PA", "PA-I", "PA-II"):
            raise ValueError(
                f"A passive-aggressive variant is 'PA', 'PA-I' or 'PA-II'. Got {self.variant!r}."
            )

    @property
    def parameters(self) -> Floats:
        """The floor and the ceiling of the step, and the slack beside the squared norm."""
        ceiling = self.C if self.variant == "PA-I" else inf
        slack = 0.5 / self.C if self.variant == "PA-II" else 0.0
        return np.array([0.0, ceiling, slack])

    def bound(self, radius_squared: float, margin: float, cost: float = 1.0) -> float:
        """R/γ² for PA; max(R, 1/C)/γ² for PA-I; (R + 1/2C)/γ² for PA-II; with γ/c where costs go up to c."""
        if self.variant == "PA-I":
            return max(radius_squared, 1 / self.C) * (cost / margin) ** 2
        return (radius_squared + float(self.parameters[2])) * (cost / margin) ** 2


TRIAL = (0.0, 1.0, 1.0)
"""A margin, a squared norm and a cost that every rule corrects."""


def numbers_of(rule: Rule) -> tuple[float, Floats]:
    """Return the required margin and the parameters of a rule for loops.

    Raises ValueError if one cannot be used, or if the step of a user's rule fails in a first trial: before
    loops are compiled, an error can name the rule and its cause.
    """
    required_margin, parameters = float(rule.required_margin), np.asarray(rule.parameters, dtype=np.float64)
    fewest = 3 if rule.step is step else 0
    backwards = fewest > 0 and bool((parameters < 0).any())
    if isnan(required_margin) or np.isnan(parameters).any() or len(parameters) < fewest or backwards:
        raise ValueError(
            f"The rule {rule!r:.100} must have a required margin that is not NaN and "
            f"{'3 parameters of at least 0' if fewest else 'parameters that are not NaN'}. "
            f"Got {required_margin} and {parameters.tolist()!r:.60}: correct the rule."
        )
    if rule.step is not step and not is_ours(rule.step):
        stepped(rule, *TRIAL)
    return required_margin, parameters


def stepped(rule: Rule, margin: float, norm_squared: float, cost: float) -> float:
    """Return the step of a rule; raise ValueError if it raises or its step is not a finite number ≥ 0."""
    try:
        found = rule.step(margin, norm_squared, cost, rule.parameters)
        size = float(found) if isinstance(found, Real) else nan
        what = f"moves by {found!s:.60}" if isinstance(found, Real) else f"returned {found!r:.60}"
    except Exception as error:
        size, what = nan, f"raised {type(error).__name__} ({error})"
    if 0 <= size < inf:
        return size
    if norm_squared == inf:
        raise ValueError(
            "The squared norm of a correction is not a finite number: X contains numbers too large. Scale "
            "the data."
        )
    raise ValueError(
        f"The rule {rule!r:.100} {what}, given the margin {margin:.6g}, the squared norm {norm_squared:.6g} "
        f"and the cost {cost:.6g}. A step must be a finite number ≥ 0: correct the rule, or scale the data. "
        "rosenblatt.rules.check finds such faults."
    )


def auto_rule(*, kernel: bool) -> str:
    """Return the rule that is best on most rows without a kernel, or the one that is fast with one."""
    return "perceptron" if kernel else "passive-aggressive"


def as_rule(rule: str | Rule, learning_rate: float = 1.0, auto: str = "perceptron") -> Rule:
    """Return the rule of this name with this learning rate, or the rule itself; "auto" stands for `auto`."""
    rule = auto if isinstance(rule, str) and rule == "auto" else rule
    if rule == "perceptron":
        return Perceptron(eta=learning_rate)
    if rule == "margin":
        return Margin(eta=learning_rate)
    if isinstance(rule, str) and rule != "passive-aggressive":
        raise ValueError(
            "A rule is 'auto', 'perceptron', 'margin', 'passive-aggressive' or a rule object such as "
            f"Margin(beta=0.1). Got {rule!r}."
        )
    if learning_rate != 1.0:
        raise ValueError(
            f"learning_rate applies to the rules 'perceptron' and 'margin'. Got {learning_rate!r} with "
            f"{rule!r}: choose one of those, or set the step in the rule object and leave learning_rate at 1."
        )
    if isinstance(rule, str):
        return PassiveAggressive()
    if isinstance(rule, type) or not all(hasattr(rule, name) for name in MEMBERS):
        raise TypeError(
            "A rule is 'auto', 'perceptron', 'margin', 'passive-aggressive' or an object with "
            "required_margin, parameters, step and bound. "
            f"Got {rule!r}{': make one of it' * isinstance(rule, type)}."
        )
    return rule


def parse(text: str) -> Rule:
    """Return the rule of an expression, as rules print, or of one of the three names.

    >>> parse("Margin(beta=0.1)")
    Margin(beta=0.1, eta=1.0)
    """
    if text in ("perceptron", "margin", "passive-aggressive"):
        return as_rule(text)
    named = {rule.__name__: rule for rule in (Perceptron, Margin, PassiveAggressive)}
    found = _expressions.evaluate(text, named, "A rule", "Margin(beta=0.1)")
    if not isinstance(found, Perceptron | Margin | PassiveAggressive):
        raise ValueError(f"A rule must be an expression such as Margin(beta=0.1). Got {text!r}.")
    return found


MEMBERS = ("required_margin", "parameters", "step", "bound")


def check(rule: Rule) -> Check:
    """Check a rule for what the learner relies on, at some margins, norms and costs.

    The step must be a finite number of at least 0, also where the squared norm is 0, and not always 0. It
    must compile, and then return the same. The bound must be a number. A sample can refute a rule and never
    prove one.

    Examples
    --------
    >>> print(check(PassiveAggressive(variant="PA")))
    PassiveAggressive(C=1.0, variant='PA'): no fault in 40 cases
    """
    missing = [name for name in MEMBERS if not hasattr(rule, name)]
    if missing:
        return Check(f"{rule!r:.100}", 0, (f"The rule has no {', '.join(missing)}.",))
    faults: dict[str, str] = {}
    if not isinstance(rule.required_margin, Real) or not rule.required_margin < inf:
        faults["required_margin"] = (
            f"The required margin of a rule must be a number below ∞, or −∞. Got {rule.required_margin!r}."
        )
    if not isinstance(rule.parameters, np.ndarray) or rule.parameters.dtype != np.float64:
        faults["parameters"] = f"The parameters must be an array of float64. Got {rule.parameters!r:.60}."
    _check_bound(rule, faults)
    required_margin = rule.required_margin if "required_margin" not in faults else 0.0
    cases = [
        (margin * cost, norm_squared, cost)
        for cost in (1.0, 3.0)
        for norm_squared in (0.0, 1e-3, 1.0, 50.0)
        for margin in (-10.0, -1.0, -1e-3, 0.0, max(required_margin, 0.0) / 2)  # what is corrected
    ]
    sizes = [_check_step(rule, case, faults) for case in cases]
    if not any(sizes):
        faults["zero"] = f"The step is 0 in all {len(cases)} cases: nothing would ever be learned."
    return Check(f"{rule!r:.100}", len(cases), tuple(faults.values()))


def _check_bound(rule: Rule, faults: dict[str, str]) -> None:
    try:
        bound = float(rule.bound(1.0, 0.5))
        fault = "" if bound >= 0 else f"returned {bound}"
    except Exception as error:
        fault = f"raised {type(error).__name__} ({error})"
    if fault:
        faults["bound"] = f"The bound {fault} for radius_squared=1.0 and margin=0.5. It must be a number ≥ 0."


def _check_step(rule: Rule, case: tuple[float, float, float], faults: dict[str, str]) -> float:
    """Return the step in this case, NaN if it has none; record the first fault of each kind."""
    try:
        size = stepped(rule, *case)
    except ValueError as fault:
        faults.setdefault("step", str(fault))
        return nan
    try:
        compiled = float(alone(rule.step)(*case, rule.parameters))
    except Exception as fault:  # of the step, or of the compiler
        faults.setdefault("compiled", f"The step fails if it is compiled: {fault}")
        return size
    if not isclose(size, compiled, rel_tol=1e-9, abs_tol=1e-12):
        faults.setdefault(
            "compiled",
            f"The step is {compiled:.6g} if it is compiled and {size:.6g} if not, for {_shown(case)}.",
        )
    return size


def _shown(case: tuple[float, float, float]) -> str:
    return "margin={:.6g}, norm_squared={:.6g}, cost={:.6g}".format(*case)


def _positive(name: str, value: float) -> None:
    if not isinstance(value, Real) or not 0 < value < inf:
        raise ValueError(f"The {name} must be a positive number. Got {value!r}.")
