"""The writer and reader of model files: named values and arrays in sections, checked on reading.

Parameters, labels, kernels and rules are JSON values; kernels are the expressions that build them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import isfinite
from typing import Any, NoReturn

import numpy as np

from rosenblatt import kernels, rules
from rosenblatt._types import Array, Bools, Ints
from rosenblatt.budgets import Budget
from rosenblatt.features.strings import Characters, Terms, Words
from rosenblatt.games import registry
from rosenblatt.kernels import Kernel
from rosenblatt.persistence.archive import Refused
from rosenblatt.rules import Rule

LARGEST = 2**53
"""The largest integer in a model file, above all counts of this library."""


class Writer:
    """Collects the values of the header and the arrays of a model file, in sections."""

    def __init__(self, arrays: dict[str, Array] | None = None, prefix: str = "") -> None:
        self.values: dict[str, Any] = {}
        self.arrays = {} if arrays is None else arrays
        self._prefix = prefix

    def __setitem__(self, name: str, value: Any) -> None:
        self.values[name] = value

    def section(self, name: str) -> Writer:
        """Return a section inside this one."""
        inner = Writer(self.arrays, f"{self._prefix}{name}.")
        self.values[name] = inner.values
        return inner

    def array(self, name: str, values: Any) -> None:
        """Write an array."""
        self.arrays[self._prefix + name] = np.asarray(values)

    def texts(self, name: str, texts: Iterable[str]) -> None:
        """Write strings as an array of their bytes, concatenated, and one of their ends."""
        encoded = [string.encode("utf-8", "surrogatepass") for string in texts]
        self.array(f"{name}.ends", np.cumsum([len(string) for string in encoded], dtype=np.int64))
        self.array(f"{name}.bytes", np.frombuffer(b"".join(encoded), np.uint8))


class Reader:
    """Reads a section of a model file; raises Refused, with the name, for values that are not valid.

    A size is trusted only if there are arrays of that size.
    """

    def __init__(self, values: Any, arrays: dict[str, Array], prefix: str = "") -> None:
        self._prefix = prefix
        self._arrays = arrays
        if not isinstance(values, dict):
            self.refuse("it should hold named values")
        self._values: dict[str, Any] = values

    def refuse(self, what: str) -> NoReturn:
        """Raise Refused with what is wrong in this section."""
        where = self._prefix.rstrip(".") or "the header"
        raise Refused(f"in {where}, {what}. It was not written by this library, or was changed.")

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def section(self, name: str) -> Reader:
        """Return a section inside this one."""
        return Reader(self._values.get(name), self._arrays, f"{self._prefix}{name}.")

    def value(self, name: str) -> Any:
        """Return a value of any type."""
        if name not in self._values:
            self.refuse(f"{name} is missing")
        return self._values[name]

    def integer(self, name: str, least: int = 0, most: int = LARGEST) -> int:
        """Return an integer in a range."""
        value = self.value(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.refuse(f"{name} should be an integer from {least} to {most}, and is {value!r:.40}")
        return value

    def number(self, name: str) -> float:
        """Return a finite number as a float."""
        value = self.value(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < LARGEST**2:
            self.refuse(f"{name} should be a number, and is {value!r:.40}")
        return float(value)

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value = self.value(name)
        if not isinstance(value, bool):
            self.refuse(f"{name} should be true or false, and is {value!r:.40}")
        return value

    def one_of(self, name: str, allowed: Iterable[str]) -> str:
        """Return one of the allowed strings."""
        value, allowed = self.value(name), tuple(allowed)
        if not isinstance(value, str) or value not in allowed:
            self.refuse(f"{name} should be one of {', '.join(allowed)}, and is {value!r:.40}")
        return value

    def text(self, name: str) -> str:
        """Return a string."""
        value = self.value(name)
        if not isinstance(value, str):
            self.refuse(f"{name} should be a string, and is {value!r:.40}")
        return value

    def array(self, name: str, dtype: Any, *shape: int | None, finite: bool = True) -> Array:
        """Return a copy of an array, of one of these types and of this shape, in which None is any length."""
        found = self._arrays.get(self._prefix + name)
        if found is None:
            self.refuse(f"the array {name} is missing")
        allowed = dtype if isinstance(dtype, tuple) else (dtype,)
        if found.dtype not in allowed:
            self.refuse(f"{name} should be of type {allowed[0].__name__}, and is of {found.dtype}")
        fits = len(shape) == found.ndim and all(
            asked in (None, size) for asked, size in zip(shape, found.shape, strict=True)
        )
        if not fits:
            wanted = " × ".join("any" if size is None else str(size) for size in shape)
            self.refuse(f"{name} should be an array of {wanted}, and is of shape {found.shape}")
        if finite and found.dtype.kind == "f" and not np.isfinite(found).all():
            self.refuse(f"{name} should be finite numbers, and holds NaN or infinity")
        return found.copy()

    def integers(self, name: str, least: int, most: int, *shape: int | None) -> Ints:
        """Return an array of integers in a range."""
        found = self.array(name, np.int64, *shape)
        self.check(((found >= least) & (found <= most)), f"{name} should be from {least} to {most}")
        return found

    def check(self, holds: Bools | bool, what: str) -> None:
        """Raise Refused unless a condition holds throughout."""
        if not np.all(holds):
            self.refuse(what)

    def texts(self, name: str) -> list[str]:
        """Return strings, of any number."""
        ends = self.array(f"{name}.ends", np.int64, None)
        data = self.array(f"{name}.bytes", np.uint8, None).tobytes()
        edges = np.concatenate([[0], ends])
        self.check(np.diff(edges) >= 0, f"the ends of {name} should rise")
        self.check(edges[-1] == len(data), f"the strings of {name} should fill their bytes")
        bounds = edges.tolist()
        try:
            return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(bounds)]
        except UnicodeDecodeError:
            self.refuse(f"{name} should be strings in UTF-8")


OWN_FEATURES = (Words, Characters, Terms)
FEATURES: dict[str, Any] = {kind.__name__: kind for kind in OWN_FEATURES}
OWN_RULES = (rules.Perceptron, rules.Margin, rules.PassiveAggressive)
RULES: dict[str, Any] = {rule.__name__: rule for rule in OWN_RULES}


def kernel_text(kernel: Kernel) -> str:
    """Return the expression that builds a kernel; raises ValueError if parsing it does not give it back."""
    text = repr(kernel)
    try:
        same = kernels.parse(text) == kernel
    except ValueError:
        same = False
    if not same:
        named = ", ".join(kernels.expressions.NAMED)
        raise _stays_outside(f"kernels made of {named}", text)
    return text


def plain_rule(rule: Rule) -> list[Any]:
    """Return the name and the fields of a rule of this library as JSON values."""
    name = type(rule).__name__
    if RULES.get(name) is not type(rule):
        raise _stays_outside(f"the rules {', '.join(RULES)}", repr(rule))
    return [name, {field: plain(value, "A rule") for field, value in vars(rule).items()}]


def _stays_outside(what: str, text: str) -> ValueError:
    return ValueError(
        f"A model file holds {what}. Got {text}: Python functions, classes of your own and those of other "
        "libraries stay outside of it."
    )


def read_rule(reader: Reader, found: Any) -> Rule:
    """Return the rule of a JSON value from `plain_rule`."""
    try:
        name, made_of = found
        rule: Rule = RULES[name](**made_of)
        return rule
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        reader.refuse(f"the rule should be one of this library ({wrong!s:.200})")


def read_kernel(reader: Reader, text: Any) -> Kernel:
    """Return the kernel of an expression."""
    try:
        return kernels.parse(text)
    except (AttributeError, TypeError, ValueError) as broken:
        reader.refuse(f"a kernel should be an expression of this library ({broken!s:.300})")


COLLECTIONS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def plain(value: Any, what: str) -> Any:
    """Return a value as JSON; types that Python has and JSON lacks are marked."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, Kernel):
        return {"kernel": kernel_text(value)}
    if isinstance(value, OWN_RULES):
        return {"rule": plain_rule(value)}
    if type(value) in OWN_FEATURES:
        return {"features": [type(value).__name__, dict(vars(value))]}
    if isinstance(value, Budget):
        return {"budget": [value.size, value.policy, value.tolerance, value.seed]}
    if (name := registry.name_of(value)) is not None:
        made_of = registry.fields_of(value).items()
        return {"game": [name, {field: plain(given, what) for field, given in made_of}]}
    if isinstance(value, dict):
        return {"dict": [[plain(k, what), plain(v, what)] for k, v in value.items()]}
    for name, kind in COLLECTIONS.items():
        if type(value) is kind:
            ordered = sorted(value, key=repr) if name.endswith("set") else value
            return {name: [plain(each, what) for each in ordered]}
    raise ValueError(
        f"{what} must be a number, a string, a kernel or a rule of this library, a game registered by "
        f"games.register, or a list or dict of such, to be stored in a model file. Got {value!r:.60}."
    )


def unplain(reader: Reader, value: Any) -> Any:
    """Return the value of a JSON value from `plain`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        reader.refuse("a value should be marked with its kind")
    (kind, found), *_ = value.items()
    if kind == "kernel":
        return read_kernel(reader, found)
    if kind == "rule":
        return read_rule(reader, found)
    if kind == "game":
        return _game(reader, found)
    try:
        if kind == "features":
            name, made_of = found
            return FEATURES[name](**made_of)
        if kind == "budget":
            return Budget(*found)
        if kind == "dict":
            return {unplain(reader, k): unplain(reader, v) for k, v in found}
        return COLLECTIONS[kind](unplain(reader, each) for each in found)
    except (AttributeError, KeyError, TypeError, ValueError):
        reader.refuse("a value should be of a known kind")


def _game(reader: Reader, found: Any) -> Any:
    """Return the game of a JSON value: an object of the class registered under its name."""
    try:
        name, made_of = found
        given = {str(field): unplain(reader, value) for field, value in made_of.items()}
    except (AttributeError, TypeError, ValueError):
        reader.refuse("a game should have a name and fields")
    kind = registry.registered(name) if isinstance(name, str) else None
    if kind is None:
        reader.refuse(
            f"its game {name!r:.100} should be registered: import the module that defines it and call "
            "games.register with this name and its class, then load again"
        )
    try:
        return kind(**given)
    except (TypeError, ValueError) as wrong:
        reader.refuse(f"the fields of the game {name!r} should be possible ({wrong!s:.200})")


KINDS = {
    "bool": np.bool_, "str": np.str_, "object": np.object_, "float32": np.float32, "float64": np.float64,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
}  # fmt: skip


def plain_labels(labels: Array) -> dict[str, Any]:
    """Return an array of labels as JSON, with its type."""
    kind = "str" if labels.dtype.kind == "U" else labels.dtype.name
    if kind not in KINDS:
        raise ValueError(f"Labels in a model file must be numbers or strings. Got {labels.dtype}.")
    return {"type": kind, "values": [plain(label, "A label") for label in labels.tolist()]}


def read_labels(reader: Reader) -> Array:
    """Read an array of labels, different from each other."""
    kind, values = reader.one_of("type", KINDS), reader.value("values")
    if not isinstance(values, list) or any(isinstance(value, dict | list) for value in values):
        reader.refuse("values should be a list of labels")
    reader.check(len(values) > 0 and len(set(values)) == len(values), "there should be different labels")
    strings = all(isinstance(value, str) for value in values)
    reader.check(
        strings if kind == "str" else kind == "object" or not strings, f"labels should be of type {kind}"
    )
    try:
        labels: Array = np.array(values, KINDS[kind])
    except (TypeError, ValueError, OverflowError):
        reader.refuse(f"labels should be of type {kind}")
    reader.check(labels.tolist() == values, f"labels should be of type {kind}")
    return labels


def write_parameters(writer: Writer, given: dict[str, Any]) -> None:
    """Write parameters by name."""
    for name, value in given.items():
        writer[name] = _plain_parameter(name, value)


def read_parameter(reader: Reader, name: str) -> Any:
    """Read one parameter."""
    value = reader.value(name)
    if isinstance(value, dict) and "templates" in value:
        from rosenblatt.persistence.taggers import read_templates  # late, for taggers only

        return read_templates(reader, value["templates"])
    return unplain(reader, value)


def _plain_parameter(name: str, value: Any) -> Any:
    """Return a parameter as JSON values; raises ValueError if it stays outside of model files."""
    if name == "templates" and value is not None and not isinstance(value, str):
        from rosenblatt.persistence.taggers import write_templates
        from rosenblatt.tasks.tagging.settings import as_templates

        return {"templates": write_templates(as_templates(value))}
    if name == "features" and value is not None and not isinstance(value, (str, *OWN_FEATURES)):
        raise ValueError(
            f"A model file holds no functions. Got features={value!r:.60}: learn from what it makes, such as "
            "dicts, instead."
        )
    if name in ("allowed", "classes", "labels") and value is not None:
        value = np.asarray(value).tolist() if name == "classes" else list(value)
    if name == "random_state" and not isinstance(value, int | np.integer | None):
        raise ValueError(
            "random_state must be an integer or None to be stored in a model file. "
            f"Got {value!r:.60}: use set_params(random_state=None) before."
        )
    return plain(value, f"The parameter {name}")
