"""Kernels and rules as the expressions that build them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosenblatt import kernels, rules
from rosenblatt.kernels import Kernel
from rosenblatt.persistence.sections import Reader
from rosenblatt.rules import Rule


def kernel_text(kernel: Kernel) -> str:
    """Return the expression that builds a kernel."""
    named = ", ".join(kernels.expressions.NAMED)
    return _text(kernel, kernels.parse, f"kernels made of {named}")


def rule_text(rule: Rule) -> str:
    """Return the expression that builds a rule."""
    return _text(rule, rules.parse, "the rules Perceptron, Margin and PassiveAggressive")


def _text(value: Any, parse: Callable[[str], Any], what: str) -> str:
    """Return the repr of a value; raises ValueError if parsing it does not give the value back."""
    text = repr(value)
    try:
        same = parse(text) == value
    except ValueError:
        same = False
    if not same:
        raise ValueError(
            f"A model file holds {what}. Got {text}: Python functions, classes of your own and those of "
            "other libraries stay outside of it."
        )
    return text


def parsed(reader: Reader, name: str, parse: Any) -> Any:
    """Parse an expression in a file."""
    try:
        return parse(reader.text(name))
    except ValueError as broken:
        reader.refuse(f"{name} should be an expression of this library ({broken!s:.300})")
