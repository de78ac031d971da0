"""Values that print as expressions, and a safe evaluator of these: calls of listed functions, + * and **.

Python's own grammar parses the string, and every node must be of an allowed kind. So a string from any source
can only make values.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from inspect import signature
from typing import Any, Self

LONGEST, DEEPEST = 2000, 50
"""The most characters of an expression, and its deepest nesting."""

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}


class Value:
    """The base of values with named parameters: frozen dataclasses, such as kernels and rules."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; if `deep`, also those of values inside, as `kernel__gamma`."""
        own: Any = fields(self) if is_dataclass(self) else ()
        found = {field.name: getattr(self, field.name) for field in own if field.init}
        inside = [(name, value) for name, value in found.items() if deep and isinstance(value, Value)]
        return found | {
            f"{name}__{key}": own for name, value in inside for key, own in value.get_params().items()
        }

    def set_params(self, **params: Any) -> Self:
        """Return a value with other parameters; this one does not change."""
        changed: dict[str, Any] = {name: value for name, value in params.items() if "__" not in name}
        unknown = [name for name in params if name.partition("__")[0] not in self.get_params(deep=False)]
        if unknown:
            known = ", ".join(self.get_params())
            what = f"the parameters {known}" if known else "no parameters"
            raise ValueError(f"{self!r} has {what}. Got {unknown[0]!r}.")
        for name, inner in nested(params).items():
            changed[name] = changed.get(name, getattr(self, name)).set_params(**inner)
        return self._replaced(**changed)

    def _replaced(self, **changed: Any) -> Self:
        return replace(self, **changed)  # type: ignore[type-var]

    def __sklearn_clone__(self) -> Self:
        """Return the value itself, which cannot change."""
        return self


def nested(params: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return parameters such as `kernel__gamma` by what stands before the underscores."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in params.items():
        outer, inside, inner = name.partition("__")
        if inside:
            found.setdefault(outer, {})[inner] = value
    return found


def evaluate(
    text: str,
    calls: Mapping[str, Callable[..., Any]],
    what: str,
    example: str,
    methods: frozenset[str] = frozenset(),
) -> Any:
    """Return the value of an expression.

    Parameters
    ----------
    calls
        The functions that may be called, by name.
    what, example
        What the expression should be, and an example of it, for the error.
    methods
        Names of methods without arguments that may be called on values.

    Examples
    --------
    >>> evaluate("complex(1, imag=2.5) * 2", {"complex": complex}, "A number", "complex(0, 1)")
    (2+5j)
    """
    reader = _Reader(calls, methods)
    try:
        if len(text) > LONGEST:
            raise Unreadable(f"a string of {len(text)} characters")
        tree = ast.parse(text.strip(), mode="eval")
        return reader.value(tree.body, 0)
    except SyntaxError as fault:
        raise ValueError(
            f"{what} must be an expression such as {example}. Got {text!r}, which ends too early or has a "
            f"misplaced sign at character {fault.offset or 1}."
        ) from None
    except Uncalled as call:
        raise ValueError(f"{what} must be written with parentheses, as {call}. Got {_shown(text)}.") from None
    except Unreadable as fault:
        raise ValueError(
            f"{what} must be made of {', '.join(calls)}, numbers, +, * and **, as in {example}. "
            f"Got {fault} in {_shown(text)}."
        ) from None
    except (TypeError, ValueError, ArithmeticError, RecursionError, MemoryError) as fault:
        raise ValueError(f"{what} cannot be {_shown(text)}: {fault}") from None


class Unreadable(Exception):  # noqa: N818
    """A part of an expression that is not allowed."""


class Uncalled(Exception):  # noqa: N818
    """The name of a function without parentheses, and how to write its call."""


class _Reader:
    def __init__(self, calls: Mapping[str, Callable[..., Any]], methods: frozenset[str]) -> None:
        self._calls = calls
        self._methods = methods

    def value(self, node: ast.AST, depth: int) -> Any:
        if depth > DEEPEST:
            raise Unreadable(f"more than {DEEPEST} levels")
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            return self._signed(node, depth)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return self._combined(node, depth)
        if isinstance(node, ast.Call):
            return self._called(node, depth)
        if isinstance(node, ast.Name) and node.id in self._calls:
            raise Uncalled(self._call_of(node.id))
        raise Unreadable(ast.unparse(node))

    def _call_of(self, name: str) -> str:
        """Return how to call a function: without arguments, or with some that it needs."""
        try:
            self._calls[name]()
        except (TypeError, ValueError):
            return f"{name}(…)"
        return f"{name}()"

    def _signed(self, node: ast.UnaryOp, depth: int) -> Any:
        value = self.value(node.operand, depth + 1)
        return -value if isinstance(node.op, ast.USub) else +value

    def _combined(self, node: ast.BinOp, depth: int) -> Any:
        left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
        if all(isinstance(value, int | float) for value in (left, right)):
            left, right = float(left), float(right)  # integers could grow without end
        return OPERATORS[type(node.op)](left, right)

    def _called(self, node: ast.Call, depth: int) -> Any:
        arguments = [self.value(argument, depth + 1) for argument in node.args]
        named = {str(word.arg): self.value(word.value, depth + 1) for word in node.keywords}
        if isinstance(node.func, ast.Name) and node.func.id in self._calls:
            call = self._calls[node.func.id]
            takes = signature(call).parameters
            if unknown := [name for name in named if name not in takes]:
                raise Unreadable(f"{unknown[0]}=, and {node.func.id} takes {', '.join(takes)},")
            return call(*arguments, **named)
        if isinstance(node.func, ast.Attribute) and node.func.attr in self._methods and not node.args:
            return getattr(self.value(node.func.value, depth + 1), node.func.attr)()
        raise Unreadable(ast.unparse(node.func))


def _constant(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise Unreadable(repr(value))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")
