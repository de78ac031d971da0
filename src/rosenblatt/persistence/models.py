"""Save estimators to model files and load them: parameters, fitted attributes and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike, fspath
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Array
from rosenblatt.engine.run import Run
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.games import Ranking
from rosenblatt.online.base import Online
from rosenblatt.persistence import archive
from rosenblatt.persistence.archive import ModelError, Refused
from rosenblatt.persistence.runs import read_run, write_run
from rosenblatt.persistence.sections import Reader, Writer, plain, plain_labels, read_labels, unplain
from rosenblatt.version import __version__


@dataclass
class Model:
    """The contents of a model file: a fitted estimator, and the notes of the caller.

    Parameters
    ----------
    notes
        Values that JSON can hold.
    names
        The names of features, if they have any.
    """

    estimator: Any
    notes: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    library: str = __version__


def save(
    estimator: Any,
    path: str | PathLike[str],
    notes: dict[str, Any] | None = None,
    names: Sequence[str] = (),
) -> None:
    """Write a fitted estimator with its ledger to a file, from which `load` reads it back.

    The file holds arrays and JSON, and is written atomically. A symbolic link is followed; a FIFO or a device
    is written to directly.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rosenblatt import PerceptronClassifier, kernels, load, save
    >>> xor = PerceptronClassifier(kernels.Polynomial(2), shuffle=False)
    >>> xor = xor.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    >>> with TemporaryDirectory() as folder:
    ...     save(xor, f"{folder}/xor.rosenblatt")
    ...     again = load(f"{folder}/xor.rosenblatt")
    >>> again.ledger_ == xor.ledger_
    True
    """
    archive.write(path, *contents(Model(estimator, notes or {}, list(names))))


def load(path: str | PathLike[str]) -> Any:
    """Load the estimator of a model file. No code in it is run; raises ModelError if it is not valid."""
    return load_model(path).estimator


def load_model(path: str | PathLike[str]) -> Model:
    """Load the estimator of a model file with its notes and feature names; see `load`."""
    header, arrays = archive.read(path)
    try:
        return model_of(header, arrays)
    except Refused as why:
        raise ModelError(f"{fspath(path)} cannot be read as a model: {why}") from None


def contents(model: Model) -> tuple[archive.Header, dict[str, Array]]:
    """Return the header and the arrays of a model."""
    estimator = model.estimator
    kind = type(estimator).__name__
    if kind not in HOMES or estimator_class(kind) is not type(estimator):
        instead = "save the learner inside it, if there is one"
        if isinstance(estimator, Online):
            instead = f"pickle it, or learn with Perceptron{kind}.partial_fit and save that"
        raise ValueError(f"A model file holds one of {', '.join(HOMES)}. Got {kind}: {instead}.")
    check_is_fitted(estimator, "task_")
    writer = Writer()
    writer["library"] = __version__
    writer["estimator"] = kind
    writer["notes"] = model.notes
    writer.texts("names", model.names)
    parameters = writer.section("parameters")
    for name, value in estimator.get_params(deep=False).items():
        parameters[name] = _plain_parameter(name, value)
    WRITERS[kind](writer.section("fitted"), estimator)
    return writer.values, writer.arrays


def model_of(header: archive.Header, arrays: dict[str, Array]) -> Model:
    """Return the model of a header and arrays."""
    reader = Reader(header, arrays)
    kind = reader.one_of("estimator", HOMES)
    estimator = estimator_class(kind)()
    parameters = reader.section("parameters")
    names = set(estimator.get_params(deep=False))
    given = reader.value("parameters")
    reader.check(set(given) == names, f"the parameters of {kind} should be {', '.join(sorted(names))}")
    estimator.set_params(**{name: _parameter(parameters, name) for name in names})
    try:
        estimator.check_parameters()
    except (TypeError, ValueError) as wrong:
        reader.refuse(f"the parameters should be possible ({wrong!s:.200})")
    READERS[kind](reader.section("fitted"), estimator)
    notes = reader.value("notes")
    reader.check(isinstance(notes, dict), "notes should have names")
    return Model(estimator, notes, reader.texts("names"), reader.text("library"))


def _plain_parameter(name: str, value: Any) -> Any:
    if name == "templates" and value is not None and not isinstance(value, str):
        from rosenblatt.persistence.taggers import write_templates
        from rosenblatt.tasks.tagging.settings import as_templates

        return {"templates": write_templates(as_templates(value))}
    if name == "features" and value is not None:
        raise ValueError(
            "A model file holds no functions. Got a tagger with features=…: learn from what they make, lists "
            "of dicts, instead."
        )
    if name == "allowed" and value is not None:
        value = list(value)
    if name == "random_state" and not isinstance(value, int | np.integer | None):
        raise ValueError(
            "random_state must be an integer or None to be stored in a model file. "
            f"Got {value!r:.60}: use set_params(random_state=None) before."
        )
    return plain(value, f"The parameter {name}")


def _parameter(reader: Reader, name: str) -> Any:
    value = reader.value(name)
    if name == "templates" and isinstance(value, dict):
        from rosenblatt.persistence.taggers import read_templates

        return read_templates(reader, value.get("templates"))
    return unplain(reader, value)


def _write_features(writer: Writer, estimator: Any) -> None:
    """Write the number of features and their names."""
    writer["features"] = int(getattr(estimator, "n_features_in_", -1))
    named = hasattr(estimator, "feature_names_in_")
    writer["named"] = named
    if named:
        writer.texts("names", map(str, estimator.feature_names_in_))


def _read_features(reader: Reader, estimator: Any) -> int | None:
    """Read the number of features and their names; None if rows are objects."""
    features = reader.integer("features", -1)
    if reader.flag("named"):
        names = reader.texts("names")
        reader.check(len(names) == features, "there should be a name for every feature")
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return features if features >= 0 else None


def _check_features(reader: Reader, features: int | None, run: Run) -> None:
    """Check that weights or support vectors match the number of features."""
    if run.primal is not None:
        enough = features is not None and features < len(run.primal.weights)
        reader.check(enough, "there should be weights for all features")
    elif len(run.support) and run.support.kernel.domain == "vectors":
        rows = run.support.rows
        grows = rows.sparse or run.budget is not None
        width = rows.width or 0
        fits = features is not None and (features == width or (grows and features > width))
        reader.check(fits, "rows should have as many features as the model")


def _write_classifier(writer: Writer, estimator: Any) -> None:
    task = estimator.task_
    writer["classes"] = plain_labels(task.classes)
    _write_features(writer, estimator)
    writer["game"] = plain(task.run.game, "The game")
    write_run(writer.section("run"), task.run)


def _read_classifier(reader: Reader, estimator: Any) -> None:
    task = estimator.new_task()
    task.classes = read_labels(reader.section("classes"))
    task.features = _read_features(reader, estimator)
    game = unplain(reader, reader.value("game"))
    reader.check(getattr(game, "classes", None) == len(task.classes), "the game should fit the classes")
    task.run = read_run(reader.section("run"), game)
    _check_features(reader, task.features, task.run)
    truths = task.run.support.truths
    known = (truths >= 0) & (truths < len(task.classes))
    reader.check(known | (truths == NO_TRUTH), "truths should be classes")
    estimator.take_over(task)


def _write_ranker(writer: Writer, estimator: Any) -> None:
    task = estimator.task_
    _write_features(writer, estimator)
    writer["game"] = plain(task.run.game, "The game")
    write_run(writer.section("run"), task.run)
    writer["strategy_begun"] = task.strategy
    writer.array("shown", np.concatenate([np.empty(0, np.int64), *task.shown]))
    writer["eval_scores"] = [float(score) for score in getattr(estimator, "eval_scores_", [])]


def _read_ranker(reader: Reader, estimator: Any) -> None:
    task = estimator.new_task()
    task.features = _read_features(reader, estimator)
    game = unplain(reader, reader.value("game"))
    reader.check(isinstance(game, Ranking), "the game should be that of a ranker")
    run = task.run = read_run(reader.section("run"), game)
    _check_features(reader, task.features, run)
    task.strategy = reader.one_of("strategy_begun", ("pairs", "best", "top"))
    reader.check((task.strategy == "top") == (run.game == Ranking("top")), "the strategies should agree")
    shown = reader.integers("shown", 0, max(run.rows_seen - 1, 0), None)
    reader.check(len(shown) % 2 == 0, "pairs should be shown")
    task.shown = [shown] if len(shown) else []
    estimator.take_over(task)
    _read_scores(reader, estimator, "eval_scores")


def _write_tagger(writer: Writer, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import write_tagging

    task = estimator.task_
    write_tagging(writer.section("task"), task)
    writer["frozen"] = bool(task.frozen)
    writer["temperature"] = getattr(estimator, "temperature_", None)
    writer["dev_scores"] = [float(score) for score in getattr(estimator, "dev_scores_", [])]


def _read_tagger(reader: Reader, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import read_tagging

    try:
        task = estimator.new_task()
    except ValueError as broken:
        reader.refuse(f"the parameters should fit each other ({broken!s:.200})")
    read_tagging(reader.section("task"), task)
    task.frozen = reader.flag("frozen")
    estimator.take_over(task)
    if "temperature" in reader:
        estimator.temperature_ = reader.number("temperature")
    _read_scores(reader, estimator, "dev_scores")


def _read_scores(reader: Reader, estimator: Any, name: str) -> None:
    scores = reader.value(name)
    numbers = isinstance(scores, list) and all(isinstance(s, int | float) for s in scores)
    reader.check(numbers, f"{name} should be numbers")
    if scores:
        setattr(estimator, f"{name}_", scores)


HOMES = {
    "PerceptronClassifier": "rosenblatt.estimators.classifier",
    "PerceptronRanker": "rosenblatt.estimators.ranker",
    "PerceptronTagger": "rosenblatt.estimators.tagger",
}
WRITERS: dict[str, Any] = dict(zip(HOMES, (_write_classifier, _write_ranker, _write_tagger), strict=True))
READERS: dict[str, Any] = dict(zip(HOMES, (_read_classifier, _read_ranker, _read_tagger), strict=True))


def estimator_class(kind: str) -> Any:
    """Return the estimator class of this name, without an import of the others, which is slow."""
    return getattr(import_module(HOMES[kind]), kind)
