"""The three estimators in a model file, each with what its run needs besides."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.engine.hypotheses import Budgeted, Primal
from rosenblatt.games import Ranking
from rosenblatt.persistence.fields import Fields, Sheet
from rosenblatt.persistence.runs import read_game, read_run, write_game, write_run
from rosenblatt.persistence.values import plain_labels, read_labels


def _write_features(sheet: Sheet, estimator: Any) -> None:
    """How many features rows have, and what they are called."""
    sheet["features"] = int(getattr(estimator, "n_features_in_", -1))
    named = hasattr(estimator, "feature_names_in_")
    sheet["named"] = named
    if named:
        sheet.texts("names", map(str, estimator.feature_names_in_))


def _read_features(fields: Fields, estimator: Any) -> None:
    features = fields.whole("features", -1)
    if features >= 0:
        estimator.n_features_in_ = features
    if fields.flag("named"):
        names = fields.texts("names")
        fields.check(len(names) == features, "there should be a name for every feature")
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _check_features(fields: Fields, estimator: Any) -> None:
    """As many weights as features, or rows with as many."""
    hypothesis = estimator._run.hypothesis
    features = getattr(estimator, "n_features_in_", None)
    if isinstance(hypothesis, Primal):
        enough = features is not None and features < len(hypothesis.weights)
        fields.check(enough, "there should be weights for all features")
    elif len(hypothesis.memory) and hypothesis.memory.kernel.domain == "vectors":
        rows = hypothesis.memory.rows
        grows = rows.sparse or isinstance(hypothesis, Budgeted)
        fits = features is not None and (features == rows.width or (grows and features > rows.width))
        fields.check(fits, "rows should have as many features as there are")


def _write_classifier(sheet: Sheet, estimator: Any) -> None:
    sheet["classes"] = plain_labels(estimator.classes_)
    _write_features(sheet, estimator)
    write_game(sheet, estimator._run.game)
    write_run(sheet.sheet("run"), estimator._run)
    sheet.array("truths", np.array(estimator._support_truths, np.int64))


def _read_classifier(fields: Fields, estimator: Any) -> None:
    estimator.classes_ = read_labels(fields.sheet("classes"))
    _read_features(fields, estimator)
    estimator._run = read_run(fields.sheet("run"), read_game(fields, len(estimator.classes_)))
    _check_features(fields, estimator)
    stored = len(estimator._run.hypothesis.memory)
    truths = fields.integers("truths", 0, len(estimator.classes_) - 1, stored)
    estimator._support_truths = truths.tolist()


def _write_ranker(sheet: Sheet, estimator: Any) -> None:
    _write_features(sheet, estimator)
    write_game(sheet, estimator._run.game)
    write_run(sheet.sheet("run"), estimator._run)
    sheet["strategy_begun"] = estimator._strategy
    shown = [np.empty(0, np.int64), *estimator._shown]
    sheet.array("shown", np.concatenate(shown))
    sheet["eval_scores"] = [float(score) for score in getattr(estimator, "eval_scores_", [])]


def _read_ranker(fields: Fields, estimator: Any) -> None:
    _read_features(fields, estimator)
    run = estimator._run = read_run(fields.sheet("run"), read_game(fields, 0))
    _check_features(fields, estimator)
    estimator._strategy = fields.one_of("strategy_begun", ("pairs", "best", "top"))
    fields.check(
        (estimator._strategy == "top") == (run.game == Ranking("top")), "the strategies should agree"
    )
    shown = fields.integers("shown", 0, max(run.rows_seen - 1, 0), None)
    fields.check(len(shown) % 2 == 0, "pairs should be shown")
    estimator._shown = [shown] if len(shown) else []
    _read_scores(fields, estimator, "eval_scores")


def _write_tagger(sheet: Sheet, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import write_labeller

    write_labeller(sheet.sheet("labeller"), estimator._labeller)
    sheet["frozen"] = bool(estimator._frozen)
    sheet["temperature"] = getattr(estimator, "temperature_", None)
    sheet["dev_scores"] = [float(score) for score in getattr(estimator, "dev_scores_", [])]


def _read_tagger(fields: Fields, estimator: Any) -> None:
    from rosenblatt.persistence.taggers import read_labeller
    from rosenblatt.tasks.tagging import reading

    try:
        task = estimator._task()
    except ValueError as broken:
        fields.refuse(f"the parameters should fit each other ({broken!s:.200})")
    labeller = estimator._labeller = read_labeller(fields.sheet("labeller"), task)
    estimator._run = labeller.run
    estimator.classes_ = reading.as_array(labeller.labels)
    estimator._frozen = fields.flag("frozen")
    if "temperature" in fields:
        estimator.temperature_ = fields.number("temperature")
    _read_scores(fields, estimator, "dev_scores")


def _read_scores(fields: Fields, estimator: Any, name: str) -> None:
    scores = fields.value(name)
    numbers = isinstance(scores, list) and all(isinstance(s, int | float) for s in scores)
    fields.check(numbers, f"{name} should be numbers")
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
    """The estimator of this name; the others, which take their time to be imported, are left alone."""
    return getattr(import_module(HOMES[kind]), kind)
