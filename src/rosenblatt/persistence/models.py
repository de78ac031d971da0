"""Save estimators to model files and load them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Array
from rosenblatt.online.base import Online
from rosenblatt.persistence import archive
from rosenblatt.persistence.archive import ModelError, Refused
from rosenblatt.persistence.estimators import HOMES, READERS, WRITERS, estimator_class
from rosenblatt.persistence.sections import Reader, Writer
from rosenblatt.persistence.values import plain, unplain
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
