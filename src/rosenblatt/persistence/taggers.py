"""What stands between a run of the sequence game and a user's tokens, in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.features import ArrayEncoder, Encoder, NameEncoder, Template, TemplateEncoder, View
from rosenblatt.features.templates import FARTHEST, STEPS
from rosenblatt.features.words import Steps
from rosenblatt.games import Sequence as Game
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.persistence.fields import LARGEST, Fields, Sheet
from rosenblatt.persistence.runs import read_run, write_run
from rosenblatt.persistence.values import plain, unplain
from rosenblatt.tasks.tagging import Labeller, Task

MOST_FEATURES = 2**31 - 1


def write_labeller(sheet: Sheet, labeller: Labeller) -> None:
    """Labels, the encoder and the run."""
    sheet["labels"] = [plain(label, "A label") for label in labeller.labels]
    _write_encoder(sheet.sheet("encoder"), labeller.encoder)
    write_run(sheet.sheet("run"), labeller.run)


def read_labeller(fields: Fields, task: Task) -> Labeller:
    """The labeller of this task."""
    labels = [unplain(fields, label) for label in _list(fields, "labels")]
    _check_labels(fields, labels)
    encoder = _read_encoder(fields.sheet("encoder"), labels)
    labeller = Labeller(task, encoder, labels)
    run = labeller.run = read_run(fields.sheet("run"), labeller.game)
    weights = getattr(run.hypothesis, "weights", None)
    fits = weights is None or encoder.width < len(weights)
    fields.check(fits, "there should be weights for all features")
    return labeller


def _check_labels(fields: Fields, labels: list[Any]) -> None:
    """There is one offset for every pair of labels, so that few bytes cannot ask for a large game."""
    try:
        different = len(set(labels)) == len(labels) > 0
    except TypeError:
        different = False
    fields.check(different, "labels should be different from each other")
    offsets = fields.sheet("run").sheet("guess").array("offsets", np.float64, None, finite=False)
    game = Game(len(labels))
    fields.check(
        len(offsets) == game.labels * (game.labels + 2), "there should be an offset per pair of labels"
    )


def _list(fields: Fields, name: str) -> list[Any]:
    value = fields.value(name)
    if not isinstance(value, list):
        fields.refuse(f"{name} should be a list")
    return value


def write_templates(templates: tuple[Template, ...]) -> list[Any]:
    """Templates as JSON has them."""
    return [
        {
            "parts": [[offset, view.column, [list(step) for step in view.steps]] for offset, view in t.parts],
            "frame": t.frame,
            "transition": t.transition,
        }
        for t in templates
    ]


def read_templates(fields: Fields, found: Any) -> tuple[Template, ...]:
    """The same back."""
    try:
        return tuple(_template(each) for each in found)
    except (TypeError, ValueError, KeyError):
        fields.refuse("templates should be made of parts")


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


def _write_encoder(sheet: Sheet, encoder: Encoder) -> None:
    if isinstance(encoder, TemplateEncoder):
        sheet["kind"] = "templates"
        sheet["hashing"] = encoder.hashing
        sheet["templates"] = write_templates(encoder.templates)
        _write_walks(sheet, encoder)
    elif isinstance(encoder, NameEncoder):
        sheet["kind"] = "names"
        sheet["hashing"] = encoder.hashing
        _write_names(sheet, encoder)
    else:
        sheet["kind"] = "arrays"
        sheet["width"] = encoder.width


def _read_encoder(fields: Fields, labels: list[Any]) -> Encoder:
    kind = fields.one_of("kind", ("templates", "names", "arrays"))
    if kind == "arrays":
        return ArrayEncoder(fields.whole("width", 0, MOST_FEATURES))
    hashing = fields.whole("hashing", 1, MOST_FEATURES) if "hashing" in fields else None
    if kind == "names":
        return _read_names(fields, hashing)
    templates = read_templates(fields, _list(fields, "templates"))
    fields.check(any(t.parts for t in templates), "some template should look at something")
    encoder = TemplateEncoder(templates, labels, hashing)
    _read_walks(fields, encoder)
    return encoder


def _write_walks(sheet: Sheet, encoder: TemplateEncoder) -> None:
    if encoder.hashing is not None:
        return
    for number, look in enumerate(encoder.looks):
        sheet.texts(f"looks.{number}", look)
    for column, texts in encoder.texts.items():
        known, symbols = texts.known
        sheet.texts(f"texts.{column}", known)
        sheet.array(f"symbols.{column}", symbols)
    firsts, keys, values, places, features = encoder.steps
    sheet["places"], sheet["features"] = places, features
    for name, array in (("firsts", firsts), ("keys", keys), ("values", values)):
        sheet.array(name, array)


def _read_walks(fields: Fields, encoder: TemplateEncoder) -> None:
    if encoder.hashing is not None:
        return
    for number, look in enumerate(encoder.looks):
        look.update({text: i for i, text in enumerate(_different(fields, f"looks.{number}"))})
    for column, texts in encoder.texts.items():
        known, most = _different(fields, f"texts.{column}"), [len(look) for look in texts.looks.values()]
        symbols = fields.array(f"symbols.{column}", np.int32, len(known), len(most))
        fields.check((symbols >= 0) & (symbols < most), "symbols should be looks")
        texts.known = known, symbols
    places, features = fields.whole("places", 1, MOST_FEATURES), fields.whole("features", 0, MOST_FEATURES)
    lines, roots = encoder.steps.firsts.shape
    firsts = fields.array("firsts", np.int32, None, roots)
    fields.check(len(firsts) >= lines, "there should be a first step for what is beyond the ends")
    keys = fields.array("keys", np.int64, None)
    values = fields.array("values", np.int64, len(keys))
    fields.check((keys > 0) & (np.diff(keys, prepend=0) > 0), "steps should be in order")
    for array in (firsts, values):
        _check_steps(fields, array, places, features)
    encoder.steps = Steps(firsts, keys, values, places, features)


def _check_steps(fields: Fields, steps: Array, places: int, features: int) -> None:
    leads = (steps < features) & (steps > UNKNOWN - 1 - places)
    fields.check(leads, "steps should lead to places or features that there are")


def _different(fields: Fields, name: str) -> list[str]:
    texts = fields.texts(name)
    fields.check(len(set(texts)) == len(texts), f"{name} should be different from each other")
    return texts


def _write_names(sheet: Sheet, encoder: NameEncoder) -> None:
    flags, texts = encoder.known
    for name in (*flags, *texts):
        if not isinstance(name, str):
            raise ValueError(f"A model file holds features whose names are texts. Got {name!r}.")
    sheet.texts("flags", flags)
    sheet.array("flag_numbers", np.array(list(flags.values()), np.int64))
    sheet.texts("names", texts)
    sheet.array("counts", np.array([len(known) for known in texts.values()], np.int64))
    sheet.texts("texts", (text for known in texts.values() for text in known))
    numbers = [number for known in texts.values() for number in known.values()]
    sheet.array("text_numbers", np.array(numbers, np.int64))


def _read_names(fields: Fields, hashing: int | None) -> NameEncoder:
    flags, names, texts = _different(fields, "flags"), _different(fields, "names"), fields.texts("texts")
    width = len(flags) + len(texts)
    of_flags = fields.integers("flag_numbers", 0, width - 1, len(flags))
    of_texts = fields.integers("text_numbers", 0, width - 1, len(texts))
    counts = fields.integers("counts", 0, len(texts), len(names))
    fields.check(counts.sum() == len(texts), "texts should belong to names")
    every = np.concatenate([of_flags, of_texts])
    fields.check(np.array_equal(np.sort(every), np.arange(width)), "every feature should have a number")
    edges = np.concatenate([[0], np.cumsum(counts)]).tolist()
    pairs = list(zip(texts, of_texts.tolist(), strict=True))
    known = {name: dict(pairs[a:b]) for name, a, b in zip(names, edges[:-1], edges[1:], strict=True)}
    fields.check(sum(map(len, known.values())) == len(texts), "the texts of a name should be different")
    encoder = NameEncoder(hashing)
    encoder.known = dict(zip(flags, of_flags.tolist(), strict=True)), known
    return encoder
