"""Tagging tasks in a model file: labels, encoders and runs of the sequence game."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.features import ArrayEncoder, Encoder, NameEncoder, Template, TemplateEncoder, View
from rosenblatt.features.templates import FARTHEST, STEPS
from rosenblatt.features.words import Steps
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.persistence.names import different, read_names, write_names
from rosenblatt.persistence.runs import read_run, write_run
from rosenblatt.persistence.sections import LARGEST, Reader, Writer, plain, unplain
from rosenblatt.tasks.tagging import TaggingTask

MOST_FEATURES = 2**31 - 1


def write_tagging(writer: Writer, task: TaggingTask) -> None:
    """Write the labels, the encoder and the run of a task."""
    writer["labels"] = [plain(label, "A label") for label in task.labels]
    _write_encoder(writer.section("encoder"), task.encoder)
    write_run(writer.section("run"), task.run)


def read_tagging(reader: Reader, task: TaggingTask) -> None:
    """Read the labels, the encoder and the run of a task."""
    labels = [unplain(reader, label) for label in _list(reader, "labels")]
    _check_labels(reader, labels)
    encoder = _read_encoder(reader.section("encoder"), labels)
    task.know(encoder, labels)
    task.run = read_run(reader.section("run"), task.game)
    primal = task.run.primal
    fits = primal is None or encoder.width < len(primal.weights)
    reader.check(fits, "there should be weights for all features")


def _check_labels(reader: Reader, labels: list[Any]) -> None:
    """Check that every pair of labels has a weight, so that a small file cannot request a large game."""
    try:
        different = len(set(labels)) == len(labels) > 0
    except TypeError:
        different = False
    reader.check(different, "labels should be different from each other")
    structure = reader.section("run").section("guess").array("structure", np.float64, None, finite=False)
    reader.check(
        len(structure) == len(labels) * (len(labels) + 2),
        "there should be a transition weight per pair of labels",
    )


def _list(reader: Reader, name: str) -> list[Any]:
    value = reader.value(name)
    if not isinstance(value, list):
        reader.refuse(f"{name} should be a list")
    return value


def write_templates(templates: tuple[Template, ...]) -> list[Any]:
    """Return templates as JSON values."""
    return [
        {
            "parts": [[offset, view.column, [list(step) for step in view.steps]] for offset, view in t.parts],
            "frame": t.frame,
            "transition": t.transition,
        }
        for t in templates
    ]


def read_templates(reader: Reader, found: Any) -> tuple[Template, ...]:
    """Return templates from JSON values."""
    try:
        return tuple(_template(each) for each in found)
    except (TypeError, ValueError, KeyError):
        reader.refuse("templates should be made of parts")


def _template(found: Any) -> Template:
    parts = tuple((_number(o, FARTHEST), _view(column, steps)) for o, column, steps in found["parts"])
    if not isinstance(found["frame"], str) or not isinstance(found["transition"], bool):
        raise ValueError
    return Template(parts, found["frame"], found["transition"])


def _view(column: Any, steps: Any) -> View:
    known = (*STEPS, "prefix", "suffix")
    if _number(column, FARTHEST) < 0 or any(name not in known for name, _ in steps):
        raise ValueError
    return View(column, tuple((name, _number(size, LARGEST)) for name, size in steps))


def _number(value: Any, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > most:
        raise ValueError
    return value


def _write_encoder(writer: Writer, encoder: Encoder) -> None:
    if isinstance(encoder, TemplateEncoder):
        writer["kind"] = "templates"
        writer["hashing"] = encoder.hashing
        writer["templates"] = write_templates(encoder.templates)
        _write_walks(writer, encoder)
    elif isinstance(encoder, NameEncoder):
        writer["kind"] = "names"
        writer["hashing"] = encoder.hashing
        write_names(writer, encoder.vectoriser)
    else:
        writer["kind"] = "arrays"
        writer["width"] = encoder.width


def _read_encoder(reader: Reader, labels: list[Any]) -> Encoder:
    kind = reader.one_of("kind", ("templates", "names", "arrays"))
    if kind == "arrays":
        return ArrayEncoder(reader.integer("width", 0, MOST_FEATURES))
    hashing = reader.integer("hashing", 1, MOST_FEATURES) if "hashing" in reader else None
    if kind == "names":
        named = NameEncoder(hashing)
        read_names(reader, named.vectoriser)
        return named
    templates = read_templates(reader, _list(reader, "templates"))
    reader.check(any(t.parts for t in templates), "some template should look at something")
    encoder = TemplateEncoder(templates, labels, hashing)
    _read_walks(reader, encoder)
    return encoder


def _write_walks(writer: Writer, encoder: TemplateEncoder) -> None:
    if encoder.hashing is not None:
        return
    for index, look in enumerate(encoder.looks):
        writer.texts(f"looks.{index}", look)
    for column, strings in encoder.texts.items():
        known, symbols = strings.known
        writer.texts(f"texts.{column}", known)
        writer.array(f"symbols.{column}", symbols)
    firsts, keys, values, nodes, features = encoder.steps
    writer["nodes"], writer["features"] = nodes, features
    for name, array in (("firsts", firsts), ("keys", keys), ("values", values)):
        writer.array(name, array)


def _read_walks(reader: Reader, encoder: TemplateEncoder) -> None:
    if encoder.hashing is not None:
        return
    for index, look in enumerate(encoder.looks):
        look.update({string: i for i, string in enumerate(different(reader, f"looks.{index}"))})
    for column, strings in encoder.texts.items():
        known, most = different(reader, f"texts.{column}"), [len(look) for look in strings.looks.values()]
        symbols = reader.array(f"symbols.{column}", np.int32, len(known), len(most))
        reader.check((symbols >= 0) & (symbols < most), "symbols should be looks")
        strings.known = known, symbols
    nodes, features = (
        reader.integer("nodes", 1, MOST_FEATURES),
        reader.integer("features", 0, MOST_FEATURES),
    )
    beyond, roots = encoder.steps.firsts.shape
    firsts = reader.array("firsts", np.int32, None, roots)
    reader.check(len(firsts) >= beyond, "there should be a first step for symbols beyond the ends")
    keys = reader.array("keys", np.int64, None)
    values = reader.array("values", np.int64, len(keys))
    reader.check((keys > 0) & (np.diff(keys, prepend=0) > 0), "steps should be in order")
    for array in (firsts, values):
        _check_steps(reader, array, nodes, features)
    encoder.steps = Steps(firsts, keys, values, nodes, features)


def _check_steps(reader: Reader, steps: Array, nodes: int, features: int) -> None:
    leads = (steps < features) & (steps > UNKNOWN - 1 - nodes)
    reader.check(leads, "steps should lead to nodes or features that exist")
