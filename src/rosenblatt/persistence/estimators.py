"""The fitted attributes and runs of the three estimators in a model file."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.engine.run import Run
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.games import Ranking
from rosenblatt.persistence.runs import read_run, write_run
from rosenblatt.persistence.sections import Reader, Writer
from rosenblatt.persistence.values import plain, plain_labels, read_labels, unplain


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
    write_tagging(writer.section("labeller"), task)
    writer["frozen"] = bool(task.frozen)
    writer["temperature"] = getattr(estimator, "temperature_", None)
    writer["dev_scores"] = [float(score) for score in getattr(estimator, "dev_scores_", [])]


def _read_tagger(reader: Reader, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import read_tagging

    try:
        task = estimator.new_task()
    except ValueError as broken:
        reader.refuse(f"the parameters should fit each other ({broken!s:.200})")
    read_tagging(reader.section("labeller"), task)
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
