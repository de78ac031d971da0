"""Parameters and labels as JSON values."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from rosenblatt import kernels, rules
from rosenblatt._types import Array
from rosenblatt.budgets import Budget
from rosenblatt.games import registry
from rosenblatt.kernels import Kernel
from rosenblatt.persistence.kernels import kernel_text, rule_text
from rosenblatt.persistence.sections import Reader

COLLECTIONS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def plain(value: Any, what: str) -> Any:
    """Return a value as JSON; types that Python has and JSON lacks are marked."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, Kernel):
        return {"kernel": kernel_text(value)}
    if isinstance(value, rules.Perceptron | rules.Margin | rules.PassiveAggressive):
        return {"rule": rule_text(value)}
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
    if kind in ("kernel", "rule") and isinstance(found, str):
        try:
            return kernels.parse(found) if kind == "kernel" else rules.parse(found)
        except ValueError as broken:
            reader.refuse(f"a {kind} should be an expression of this library ({broken!s:.300})")
    if kind == "game":
        return _game(reader, found)
    try:
        if kind == "budget":
            return Budget(*found)
        if kind == "dict":
            return {unplain(reader, k): unplain(reader, v) for k, v in found}
        return COLLECTIONS[kind](unplain(reader, each) for each in found)
    except (KeyError, TypeError, ValueError):
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
    """Read an array of labels: at least two, different from each other."""
    kind, values = reader.one_of("type", KINDS), reader.value("values")
    if not isinstance(values, list) or any(isinstance(value, dict | list) for value in values):
        reader.refuse("values should be a list of labels")
    reader.check(len(values) >= 2 and len(set(values)) == len(values), "there should be different labels")
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
