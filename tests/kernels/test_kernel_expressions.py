"""Kernels and rules parsed from strings: what they print, and nothing else."""

import pytest
from hypothesis import given

from fixtures import kernel_laws as laws
from rosenblatt import kernels, rules
from rosenblatt.kernels import parse


@given(laws.expressions(laws.INNER))
def test_parse_inverts_repr_of_kernels(kernel):
    assert parse(repr(kernel)) == kernel


def test_parse_reads_the_example_of_the_command_line():
    assert parse("(Linear() + 1)**3") == (kernels.Linear() + 1) ** 3


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "Linear().__class__",
        "Linear().dimension(3)",
        "open('x')",
        "[Linear()]",
        "Linear() if 1 else Linear()",
        "lambda: 1",
        "Linear",
        "Linear() @ Linear()",
        "Linear(",
        "",
        "3",
        "9**9**9 * Linear()",
        "Linear()**0.5",
        "RBF(1.0, 2.0)",
        "Polynomial(2, degree=3)",
        "Function(print)",
        "Linear() + " * 500 + "Linear()",
        "(" * 300 + "Linear()" + ")" * 300,
        "Linear()\x00",
    ],
)
def test_parse_rejects_anything_else(text):
    with pytest.raises(ValueError, match=r"^A kernel (must|cannot) be"):
        parse(text)


def test_parse_says_that_parentheses_are_missing():
    with pytest.raises(
        ValueError, match=r"^A kernel must be .* parentheses, as Linear\(\)\. Got 'Linear \+ 1'"
    ):
        parse("Linear + 1")
    with pytest.raises(ValueError, match=r"parentheses, as RBF\(\)\. Got 'RBF'"):
        parse("RBF")
    with pytest.raises(ValueError, match=r"^A rule must be .* as PassiveAggressive\(\)"):
        rules.parse("PassiveAggressive")


@pytest.mark.parametrize(
    "rule", [rules.Perceptron(0.5), rules.Margin(0.1, 2.0), rules.PassiveAggressive(0.3, "PA-II")]
)
def test_parse_inverts_repr_of_rules(rule):
    assert rules.parse(repr(rule)) == rule
    with pytest.raises(ValueError, match="A rule"):
        rules.parse("Linear()")
