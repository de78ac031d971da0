"""Kernels and rules as the texts that build them."""

from __future__ import annotations

from typing import Any

from rosenblatt import kernels, rules
from rosenblatt.kernels import Kernel
from rosenblatt.models.sheets import Fields
from rosenblatt.rules import Rule


def kernel_text(kernel: Kernel) -> str:
    """A kernel as the expression that builds it."""
    text = repr(kernel)
    try:
        same = kernels.parse(text) == kernel
    except ValueError:
        same = False
    if not same:
        raise ValueError(
            f"A model file holds kernels made of {', '.join(kernels.expressions.NAMED)}. Got {text}: Python "
            "functions and other libraries' kernels stay outside of it."
        )
    return text


def rule_text(rule: Rule) -> str:
    """A rule as the expression that builds it."""
    text = repr(rule)
    try:
        same = rules.parse(text) == rule
    except ValueError:
        same = False
    if not same:
        raise ValueError(
            "A model file holds the rules Perceptron, Margin and PassiveAggressive. "
            f"Got {text}: a rule of your own stays outside of it."
        )
    return text


def parsed(fields: Fields, name: str, parse: Any) -> Any:
    """What an expression in a file stands for."""
    try:
        return parse(fields.text(name))
    except ValueError as broken:
        fields.refuse(f"{name} should be an expression of this library ({broken!s:.300})")
