"""Online learners in a model file: their parameters, what they know of examples, and their runs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.engine.run import Run
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.persistence.names import read_names, write_names
from rosenblatt.persistence.runs import read_run, write_run
from rosenblatt.persistence.sections import (
    Reader,
    Writer,
    plain_labels,
    read_labels,
    read_parameter,
    write_parameters,
)
from rosenblatt.persistence.taggers import (
    MOST_FEATURES,
    read_tagging,
    write_tagging,
)
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.theory.online_calibration import FIELDS, FLATTEST, MOST_NOISE, OnlineCalibration

HOMES = {
    "online.Classifier": "rosenblatt.online.classifier",
    "online.Ranker": "rosenblatt.online.ranker",
    "online.Tagger": "rosenblatt.online.tagger",
}
"""The module of every online learner."""


def learner_class(kind: str) -> Any:
    """Return the class of a kind of learner."""
    return getattr(import_module(HOMES[kind]), kind.partition(".")[2])


def write_learner(writer: Writer, learner: Any) -> None:
    """Write an online learner, which may have learned nothing yet."""
    write_parameters(writer.section("parameters"), learner.parameters)
    writer["answers_by"] = learner.predictor
    state = writer.section("state")
    if hasattr(learner, "label"):
        _write_tagger(state, learner)
    else:
        _write_rows(state, learner)


def read_learner(reader: Reader, kind: str) -> Any:
    """Read an online learner of a kind."""
    made_of = reader.section("parameters")
    names = reader.value("parameters")
    try:
        learner = learner_class(kind)(**{name: read_parameter(made_of, name) for name in names})
    except (TypeError, ValueError, AttributeError) as wrong:
        reader.refuse(f"the parameters should be possible ({wrong!s:.200})")
    state = reader.section("state")
    if hasattr(learner, "label"):
        _read_tagger(state, learner)
    else:
        _read_rows(state, learner)
    try:
        learner.predictor = reader.text("answers_by")
    except ValueError as wrong:
        reader.refuse(f"answers_by should be a predictor of the run ({wrong!s:.200})")
    return learner


def _write_rows(writer: Writer, learner: Any) -> None:
    """Write a classifier or a ranker."""
    named, width, vectoriser = learner.reader.state
    writer["named"], writer["width"] = named, width
    write_names(writer.section("names"), vectoriser)
    classes = getattr(learner.task, "classes", None)
    if classes is not None and len(classes):
        writer["classes"] = plain_labels(classes)
    if getattr(learner, "calibration", None) is not None:
        writer.array("calibration", learner.calibration.state)
    write_run(writer.section("run"), learner.settled())


def _read_rows(reader: Reader, learner: Any) -> None:
    """Read what a classifier or a ranker knows, and its run."""
    named = reader.flag("named") if "named" in reader else None
    width = reader.integer("width", 0, MOST_FEATURES) if "width" in reader else None
    vectoriser = Vectoriser()
    read_names(reader.section("names"), vectoriser)
    learner.reader.state = named, width, vectoriser
    task = learner.task
    game = task.run.game
    if isinstance(task, ClassificationTask):
        _read_classes(reader, task)
        game = task.game()
    run = task.run = read_run(reader.section("run"), game)
    _check_run(reader, run, task.options)
    if isinstance(task, ClassificationTask):
        known = (run.support.truths >= 0) & (run.support.truths < max(len(task.classes), 1))
        reader.check(known | (run.support.truths == NO_TRUTH), "truths should be classes")
    if len(run.support) and (run.primal is not None or run.support.kernel.domain == "vectors"):
        _check_width(reader, run, vectoriser.width if named else width)
    learner.take_over(task)
    if getattr(learner, "calibration", None) is not None:
        _read_calibration(reader, learner.calibration)


def _read_calibration(reader: Reader, calibration: OnlineCalibration) -> None:
    """Read the numbers that a learner with probabilities follows."""
    calibration.state = reader.array("calibration", np.float64, len(FIELDS)).tolist()
    possible = calibration.curvature >= FLATTEST and 0.0 <= calibration.noise <= MOST_NOISE
    reader.check(
        possible and calibration.square >= 0.0 and calibration.seen >= 0.0,
        "the calibration should be a slope, a curvature, a share of noise, a mean square and a count",
    )


def _read_classes(reader: Reader, task: ClassificationTask) -> None:
    """Read the classes, which are in order; none if there was no label yet."""
    task.classes = read_labels(reader.section("classes")) if "classes" in reader else task.classes[:0]
    try:
        in_order = np.array_equal(np.unique(task.classes), task.classes)
        task.check(task.classes, fewest=0)
    except (TypeError, ValueError) as wrong:
        reader.refuse(f"there should be classes to tell apart ({wrong!s:.200})")
    reader.check(in_order, "classes should be in order")


def _check_run(reader: Reader, run: Run, options: dict[str, Any]) -> None:
    """Check that a run is one with the parameters of the learner."""
    fits = (
        run.kernel == options["kernel"]
        and run.rule == options["rule"]
        and run.budget == options["budget"]
        and run.hypothesis.keep == options["keep"]
        and run.intercept == bool(options.get("intercept"))
        and (run.hypothesis.recent is not None) == options["recent"]
        and (run.book.limit is None) == (options["keep"] and options["budget"] is None)
    )
    reader.check(fits, "the run should be one with these parameters")
    reader.check(run.examples_seen == run.book.rounds, "every example should be a round")


def _check_width(reader: Reader, run: Run, features: int | None) -> None:
    """Check that the rows that are kept are no wider than examples."""
    rows = run.support.rows
    width = rows.width or 0
    fits = features is not None and (width <= features if rows.sparse else width == features)
    reader.check(fits, "rows should have as many features as examples")


def _write_tagger(writer: Writer, learner: Any) -> None:
    writer["passed_over"] = learner.passed_over
    writer["begun"] = learner.task is not None
    if learner.task is not None:
        learner.settled()
        write_tagging(writer.section("task"), learner.task)


def _read_tagger(reader: Reader, learner: Any) -> None:
    task = None
    if reader.flag("begun"):
        task = learner.new_task()
        read_tagging(reader.section("task"), task)
        _check_run(reader, task.run, task.options)
    learner.take_over(task, reader.integer("passed_over"))
