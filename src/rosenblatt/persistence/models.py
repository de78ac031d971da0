"""Save learners to model files and load them: parameters, fitted attributes and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike, fspath
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Array
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Run
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.features.vocabulary import Vocabulary
from rosenblatt.games import MultiLabel, Ranking
from rosenblatt.kernels import Kernel
from rosenblatt.persistence import archive, online
from rosenblatt.persistence.archive import ModelError, Refused
from rosenblatt.persistence.names import read_names, write_names
from rosenblatt.persistence.runs import read_run, write_run
from rosenblatt.persistence.sections import (
    Reader,
    Writer,
    plain,
    plain_labels,
    read_labels,
    read_parameter,
    unplain,
    write_parameters,
)
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.label_sets import FORMS
from rosenblatt.tasks.multilabel import MultiLabelTask
from rosenblatt.tasks.probabilities import check_probabilities
from rosenblatt.tasks.task import RowTask
from rosenblatt.theory.calibration import Calibration
from rosenblatt.version import __version__


@dataclass
class Model:
    """The contents of a model file: a fitted estimator or an online learner, and the notes of the caller.

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
    """Write a fitted estimator, or an online learner, with its ledger to a file, which `load` reads.

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
    """Load the learner of a model file. No code in it is run; raises ModelError if it is not valid."""
    return load_model(path).estimator


def load_model(path: str | PathLike[str]) -> Model:
    """Load the estimator of a model file with its notes and feature names; see `load`."""
    header, arrays = archive.read(path)
    try:
        return model_of(header, arrays)
    except Refused as why:
        raise ModelError(f"{fspath(path)} cannot be read as a model: {why}") from None


def contents(model: Model, *, unfitted: bool = False) -> tuple[archive.Header, dict[str, Array]]:
    """Return the header and the arrays of a model, which must be fitted unless it may be `unfitted`."""
    estimator = model.estimator
    kind = kind_of(estimator)
    writer = Writer()
    writer["library"] = __version__
    writer["estimator"] = kind
    writer["notes"] = model.notes
    writer.texts("names", model.names)
    if kind in online.HOMES:
        online.write_learner(writer, estimator)
        return writer.values, writer.arrays
    if not unfitted:
        check_is_fitted(estimator, "task_")
    write_parameters(writer.section("parameters"), estimator.get_params(deep=False))
    if hasattr(estimator, "task_"):
        _write_fitted(writer.section("fitted"), kind, estimator)
    return writer.values, writer.arrays


def model_of(header: archive.Header, arrays: dict[str, Array], *, unfitted: bool = False) -> Model:
    """Return the model of a header and arrays, which must be fitted unless it may be `unfitted`."""
    reader = Reader(header, arrays)
    kind = reader.one_of("estimator", (*HOMES, *online.HOMES))
    notes = reader.value("notes")
    reader.check(isinstance(notes, dict), "notes should have names")
    estimator = (
        online.read_learner(reader, kind) if kind in online.HOMES else _read_estimator(reader, kind, unfitted)
    )
    return Model(estimator, notes, reader.texts("names"), reader.text("library"))


def kind_of(learner: Any) -> str:
    """Return the kind of a learner in a model file; raises ValueError if it is none of them."""
    kind = type(learner).__name__
    if kind in HOMES and estimator_class(kind) is type(learner):
        return kind
    if f"online.{kind}" in online.HOMES and online.learner_class(f"online.{kind}") is type(learner):
        return f"online.{kind}"
    raise ValueError(
        f"A model file holds one of {', '.join((*HOMES, *online.HOMES))}. Got {kind}: save the learner "
        "inside it, if there is one."
    )


def _read_estimator(reader: Reader, kind: str, unfitted: bool) -> Any:
    """Read an estimator: its parameters, and what it has learned."""
    estimator = estimator_class(kind)()
    parameters = reader.section("parameters")
    names = set(estimator.get_params(deep=False))
    given = reader.value("parameters")
    reader.check(set(given) == names, f"the parameters of {kind} should be {', '.join(sorted(names))}")
    estimator.set_params(**{name: read_parameter(parameters, name) for name in names})
    try:
        estimator.check_parameters()
    except (TypeError, ValueError) as wrong:
        reader.refuse(f"the parameters should be possible ({wrong!s:.200})")
    if "fitted" in reader or not unfitted:
        _read_fitted(reader.section("fitted"), kind, estimator)
    return estimator


def _new_task(reader: Reader, estimator: Any, **kind: Any) -> Any:
    """Return the task that an estimator's parameters ask for, without a run."""
    try:
        return estimator.new_task(**kind)
    except (TypeError, ValueError) as wrong:
        reader.refuse(f"the parameters should fit each other ({wrong!s:.200})")


def _write_fitted(writer: Writer, kind: str, estimator: Any) -> None:
    WRITERS[kind](writer, estimator)
    writer["kernel"] = plain(estimator.task_.options["kernel"], "The kernel")
    _write_scores(writer, estimator)


def _read_fitted(reader: Reader, kind: str, estimator: Any) -> None:
    READERS[kind](reader, estimator)
    estimator.task_.options["kernel"] = _kernel(reader)
    _read_scores(reader, estimator)


def _write_features(writer: Writer, estimator: Any) -> None:
    """Write the number of features and their names."""
    task = estimator.task_
    writer["features"] = -1 if task.features is None else int(task.features)
    if task.vocabulary is not None:
        write_names(writer.section("vocabulary"), task.vocabulary.vectoriser)
    named = hasattr(estimator, "feature_names_in_")
    writer["named"] = named
    if named:
        writer.texts("names", map(str, estimator.feature_names_in_))


def _read_features(reader: Reader, estimator: Any, task: RowTask) -> None:
    """Read the number of features, None if rows are objects, and their names."""
    features = reader.integer("features", -1)
    task.features = features if features >= 0 else None
    needed = estimator.features is not None or estimator.hashing is not None
    reader.check("vocabulary" in reader or not needed, "there should be a vocabulary")
    if "vocabulary" in reader:
        _read_vocabulary(reader, estimator, task)
    if reader.flag("named"):
        names = reader.texts("names")
        reader.check(len(names) == features, "there should be a name for every feature")
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _read_vocabulary(reader: Reader, estimator: Any, task: RowTask) -> None:
    """Read the columns of named features, of which there must be as many as features."""
    kernel = task.options["kernel"]
    reader.check(kernel is None or kernel.inner, "the kernel should be one of inner products")
    task.vocabulary = Vocabulary(estimator.features, estimator.hashing)
    read_names(reader.section("vocabulary"), task.vocabulary.vectoriser)
    reader.check(task.vocabulary.width == task.features, "there should be as many names as features")
    reader.check(not reader.flag("named"), "columns should be named once")


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
    if isinstance(task, MultiLabelTask):
        writer["label_sets"] = task.form
    _write_features(writer, estimator)
    writer["game"] = plain(task.run.game, "The game")
    write_run(writer.section("run"), task.run)
    _write_calibration(writer, estimator)


def _read_classifier(reader: Reader, estimator: Any) -> None:
    sets = "label_sets" in reader
    task = _new_task(reader, estimator, kind=MultiLabelTask if sets else ClassificationTask)
    task.classes = read_labels(reader.section("classes"))
    if sets:
        task.form = reader.one_of("label_sets", FORMS)
    _read_features(reader, estimator, task)
    game = unplain(reader, reader.value("game"))
    number = game.labels if isinstance(game, MultiLabel) else getattr(game, "classes", None)
    fits = number == (len(task.classes) if sets else max(len(task.classes), 2))
    reader.check(fits and sets == isinstance(game, MultiLabel), "the game should fit the classes")
    task.run = read_run(reader.section("run"), game)
    _check_features(reader, task.features, task.run)
    truths = task.run.support.truths
    known = (truths >= 0) & (truths < (2 if sets else len(task.classes)))
    reader.check(known | (truths == NO_TRUTH), "truths should be classes")
    estimator.take_over(task)
    _read_calibration(reader, estimator)


def _write_calibration(writer: Writer, estimator: Any) -> None:
    """Write, for every predictor that was calibrated, its slope, offset and noise."""
    known = getattr(estimator, "calibration_", {})
    writer["calibrated"] = list(known)
    for predictor, found in known.items():
        writer.array(f"calibration.{predictor}", [found.slope, found.offset, found.noise])


def _read_calibration(reader: Reader, estimator: Any) -> None:
    names, game, found = reader.value("calibrated"), estimator.run_.game, {}
    listed = isinstance(names, list) and all(name in predictors.NAMES for name in names)
    reader.check(listed and len(set(names)) == len(names), "calibrated should be different predictors")
    for name in names:
        try:
            check_probabilities(name, game)
        except ValueError as wrong:
            reader.refuse(f"calibrated scores should have probabilities ({wrong!s:.200})")
        found[name] = Calibration(*reader.array(f"calibration.{name}", np.float64, 3).tolist())
        reader.check(0 <= found[name].noise < 1, "noise should be a share")
    if found:
        estimator.calibration_ = found


def _write_ranker(writer: Writer, estimator: Any) -> None:
    task = estimator.task_
    _write_features(writer, estimator)
    writer["game"] = plain(task.run.game, "The game")
    write_run(writer.section("run"), task.run)
    writer["strategy_begun"] = task.strategy
    writer.array("shown", np.concatenate([np.empty(0, np.int64), *task.shown]))


def _read_ranker(reader: Reader, estimator: Any) -> None:
    task = _new_task(reader, estimator)
    _read_features(reader, estimator, task)
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


def _write_tagger(writer: Writer, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import write_tagging

    task = estimator.task_
    write_tagging(writer.section("task"), task)
    writer["frozen"] = bool(task.frozen)
    writer["temperature"] = getattr(estimator, "temperature_", None)


def _read_tagger(reader: Reader, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import read_tagging

    task = _new_task(reader, estimator)
    read_tagging(reader.section("task"), task)
    task.frozen = reader.flag("frozen")
    estimator.take_over(task)
    if "temperature" in reader:
        estimator.temperature_ = reader.number("temperature")


def _kernel(reader: Reader) -> Kernel | None:
    """Read the kernel that the run was begun with, before the data decided its parameters."""
    kernel = unplain(reader, reader.value("kernel"))
    if kernel is not None and not isinstance(kernel, Kernel):
        reader.refuse("kernel should be a kernel")
    return kernel


def _write_scores(writer: Writer, estimator: Any) -> None:
    """Write the scores on validation sets, and the epoch that early stopping kept."""
    writer["scores"] = {
        name: {metric: [float(score) for score in scores] for metric, scores in found.items()}
        for name, found in getattr(estimator, "evals_result_", {}).items()
    }
    writer["best_iteration"] = getattr(estimator, "best_iteration_", None)


def _read_scores(reader: Reader, estimator: Any) -> None:
    scores = reader.value("scores")
    named = isinstance(scores, dict) and all(isinstance(found, dict) for found in scores.values())
    lists = [listed for found in scores.values() for listed in found.values()] if named else [None]
    numbers = all(isinstance(some, list) and all(isinstance(s, int | float) for s in some) for some in lists)
    reader.check(numbers, "scores should be numbers")
    if scores:
        estimator.evals_result_ = scores
    if "best_iteration" in reader:
        estimator.best_iteration_ = reader.integer("best_iteration", 1)


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
