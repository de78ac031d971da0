"""The fitted attributes and runs of the three estimators in a model file."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.engine.run import Run
from rosenblatt.games import Ranking
from rosenblatt.persistence.runs import read_game, read_run, write_game, write_run
from rosenblatt.persistence.sections import Reader, Writer
from rosenblatt.persistence.values import plain_labels, read_labels


def _write_features(writer: Writer, estimator: Any) -> None:
    """Write the number of features and their names."""
    writer["features"] = int(getattr(estimator, "n_features_in_", -1))
    named = hasattr(estimator, "feature_names_in_")
    writer["named"] = named
    if named:
        writer.texts("names", map(str, estimator.feature_names_in_))


def _read_features(reader: Reader, estimator: Any) -> None:
    features = reader.integer("features", -1)
    if features >= 0:
        estimator.n_features_in_ = features
    if reader.flag("named"):
        names = reader.texts("names")
        reader.check(len(names) == features, "there should be a name for every feature")
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _check_features(reader: Reader, estimator: Any) -> None:
    """Check that weights or support vectors match the number of features."""
    run: Run = estimator._run
    features = getattr(estimator, "n_features_in_", None)
    if run.primal is not None:
        enough = features is not None and features < len(run.primal.weights)
        reader.check(enough, "there should be weights for all features")
    elif len(run.support) and run.support.kernel.domain == "vectors":
        rows = run.support.rows
        grows = rows.sparse or run.budget is not None
        fits = features is not None and (features == rows.width or (grows and features > rows.width))
        reader.check(fits, "rows should have as many features as the model")


def _write_classifier(writer: Writer, estimator: Any) -> None:
    writer["classes"] = plain_labels(estimator.classes_)
    _write_features(writer, estimator)
    write_game(writer, estimator._run.game)
    write_run(writer.section("run"), estimator._run)
    writer.array("truths", np.array(estimator._support_truths, np.int64))


def _read_classifier(reader: Reader, estimator: Any) -> None:
    estimator.classes_ = read_labels(reader.section("classes"))
    _read_features(reader, estimator)
    estimator._run = read_run(reader.section("run"), read_game(reader, len(estimator.classes_)))
    _check_features(reader, estimator)
    stored = len(estimator._run.support)
    truths = reader.integers("truths", 0, len(estimator.classes_) - 1, stored)
    estimator._support_truths = truths.tolist()


def _write_ranker(writer: Writer, estimator: Any) -> None:
    _write_features(writer, estimator)
    write_game(writer, estimator._run.game)
    write_run(writer.section("run"), estimator._run)
    writer["strategy_begun"] = estimator._strategy
    shown = [np.empty(0, np.int64), *estimator._shown]
    writer.array("shown", np.concatenate(shown))
    writer["eval_scores"] = [float(score) for score in getattr(estimator, "eval_scores_", [])]


def _read_ranker(reader: Reader, estimator: Any) -> None:
    _read_features(reader, estimator)
    run = estimator._run = read_run(reader.section("run"), read_game(reader, 0))
    _check_features(reader, estimator)
    estimator._strategy = reader.one_of("strategy_begun", ("pairs", "best", "top"))
    reader.check(
        (estimator._strategy == "top") == (run.game == Ranking("top")), "the strategies should agree"
    )
    shown = reader.integers("shown", 0, max(run.rows_seen - 1, 0), None)
    reader.check(len(shown) % 2 == 0, "pairs should be shown")
    estimator._shown = [shown] if len(shown) else []
    _read_scores(reader, estimator, "eval_scores")


def _write_tagger(writer: Writer, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import write_labeller

    write_labeller(writer.section("labeller"), estimator._labeller)
    writer["frozen"] = bool(estimator._frozen)
    writer["temperature"] = getattr(estimator, "temperature_", None)
    writer["dev_scores"] = [float(score) for score in getattr(estimator, "dev_scores_", [])]


def _read_tagger(reader: Reader, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import read_labeller
    from rosenblatt.tasks.tagging import reading

    try:
        task = estimator._task()
    except ValueError as broken:
        reader.refuse(f"the parameters should fit each other ({broken!s:.200})")
    labeller = estimator._labeller = read_labeller(reader.section("labeller"), task)
    estimator._run = labeller.run
    estimator.classes_ = reading.as_array(labeller.labels)
    estimator._frozen = reader.flag("frozen")
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
