"""Export of a classifier or a ranker as an ONNX graph, all of it in float64.

The input `X` is (N, features). The outputs are `label` (N,), integers or strings as the classes are, booleans
being 0 and 1, and `scores`, (N,) for two classes and (N, classes) for more, as `decision_function` returns
them; and `probabilities` (N, classes), as `predict_proba` returns them, if the classifier was calibrated. A
ranker has `scores` only. Where rows have sets of labels, `label` is an indicator matrix (N, labels), and
`scores` have its shape; the graph does not hold the labels.

A graph cannot raise the errors of the library: NaN goes through it, numbers that leave the range of float64
become infinite, and a row whose norm under a normalized kernel is 0 has the score NaN. The similarities of
all rows to all support vectors are held at once: pass many rows in chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.estimators.ranker import PerceptronRanker
from rosenblatt.games import Binary, MultiLabel
from rosenblatt.kernels import (
    RBF,
    Constant,
    Kernel,
    Linear,
    Normalized,
    Polynomial,
    Power,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)
from rosenblatt.persistence.exported import (
    KernelGuess,
    LinearGuess,
    calibration_of,
    guess_of,
    plain_classes,
)
from rosenblatt.theory.calibration import Calibration
from rosenblatt.version import __version__

OPSET, FORMAT = 17, 8
"""The versions of the operators and of the file format, which runtimes since 2022 support."""

MOST_BYTES = 10**9
"""The most bytes of one array. A file may have 2 GiB, for the support vectors and their coefficients."""


def to_onnx(estimator: Any) -> bytes:
    """Return a fitted `PerceptronClassifier` or `PerceptronRanker` as an ONNX model.

    It holds one guess, so the predictor must be "last", "best", "average" or "recent". Kernels may be any
    expression of `Linear`, `Polynomial`, `RBF`, `Sigmoid` and `Constant`. Sparse support vectors become
    dense.

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier, kernels
    >>> xor = PerceptronClassifier(kernels.Polynomial(2), shuffle=False)
    >>> xor = xor.fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"])
    >>> from onnx.reference import ReferenceEvaluator
    >>> label, scores = ReferenceEvaluator(to_onnx(xor)).run(None, {"X": np.array([[0.0, 1.0], [1.0, 1.0]])})
    >>> label.tolist(), bool(np.allclose(scores, xor.decision_function([[0, 1], [1, 1]])))
    (['yes', 'no'], True)
    """
    graph = Graph(_onnx())
    _check_kind(estimator)
    _check_rows(estimator)
    scores = _scores(graph, guess_of(estimator))
    outputs: list[tuple[str, str, Sequence[Any]]] = []
    sets = isinstance(estimator.run_.game, MultiLabel)
    if sets:
        graph.node("Identity", _positive(graph, scores, estimator.run_.game.ties), output="label")
        outputs.append(("label", "INT64", ["N", len(estimator.classes_)]))
    elif isinstance(estimator, PerceptronClassifier):
        classes = _classes(plain_classes(estimator.classes_))
        if (calibration := calibration_of(estimator)) is not None:
            _probabilities(graph, scores, calibration, len(classes))
        scores, index = _decided(graph, scores, estimator.run_.game)
        graph.node("Gather", graph.constant(classes), index, output="label")
        outputs.append(("label", "STRING" if classes.dtype == object else "INT64", ["N"]))
    else:
        scores = graph.node("Squeeze", scores, graph.constant(np.array([1])))
    graph.node("Identity", scores, output="scores")
    many = sets or (isinstance(estimator, PerceptronClassifier) and len(estimator.classes_) > 2)
    outputs.append(("scores", "DOUBLE", ["N", len(estimator.classes_)] if many else ["N"]))
    if calibration_of(estimator) is not None:
        outputs.append(("probabilities", "DOUBLE", ["N", len(estimator.classes_)]))
    return graph.model(type(estimator).__name__, int(estimator.n_features_in_), outputs)


def _onnx() -> ModuleType:
    try:
        import onnx
    except ImportError as missing:
        raise ImportError("ONNX needs onnx: pip install 'rosenblatt[onnx]'") from missing
    module: ModuleType = onnx
    return module


def _check_rows(estimator: Any) -> None:
    if getattr(getattr(estimator, "task_", None), "vocabulary", None) is not None:
        raise ValueError(
            "An ONNX graph takes rows of numbers. Got a learner of named features: export it as JSON, or "
            "learn from the rows of a DictVectorizer."
        )


def _check_kind(estimator: Any) -> None:
    if not isinstance(estimator, PerceptronClassifier | PerceptronRanker):
        kind = type(estimator).__name__
        instead = (
            "write it as JSON"
            if kind == "PerceptronTagger"
            else "export the learner inside it, if there is one"
        )
        raise ValueError(f"ONNX holds a PerceptronClassifier or a PerceptronRanker. Got {kind}: {instead}.")


class Graph:
    """A graph under construction, which adds equal nodes and numbers only once."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self._nodes: dict[Any, Any] = {}
        self._constants: list[Any] = []
        self._numbers: dict[float, str] = {}

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node, unless it exists, and return the name of its output."""
        key = operator, inputs, output, *attributes.items()
        if key not in self._nodes:
            name = output or f"{operator.lower()}_{len(self._nodes)}"
            self._nodes[key] = self.onnx.helper.make_node(operator, inputs, [name], name, **attributes)
        return str(self._nodes[key].output[0])

    def constant(self, array: Array) -> str:
        """Add an array as a constant and return its name."""
        name = f"constant_{len(self._constants)}"
        self._constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def number(self, value: float) -> str:
        """Add a number as a constant, unless it exists, and return its name."""
        if value not in self._numbers:
            self._numbers[value] = self.constant(np.array(value, np.float64).reshape(()))
        return self._numbers[value]

    def model(self, name: str, features: int, outputs: Sequence[tuple[str, str, Sequence[Any]]]) -> bytes:
        """Return the bytes of a model with the input X and these outputs: their names, types and shapes."""
        helper, types = self.onnx.helper, self.onnx.TensorProto
        graph = helper.make_graph(
            list(self._nodes.values()),
            name,
            [helper.make_tensor_value_info("X", types.DOUBLE, ["N", features])],
            [helper.make_tensor_value_info(each, getattr(types, kind), to) for each, kind, to in outputs],
            self._constants,
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=FORMAT,
            producer_name="rosenblatt",
            producer_version=__version__,
        )
        return bytes(model.SerializeToString())


def _scores(graph: Graph, guess: LinearGuess | KernelGuess) -> str:
    """Add the scores (N × outputs)."""
    if isinstance(guess, LinearGuess):
        _check_size(guess.weights, "weights")
        products = graph.node("MatMul", "X", graph.constant(guess.weights))
        return graph.node("Add", products, graph.constant(guess.intercepts))
    if not len(guess.coefficients):  # nothing was ever corrected: all scores are 0
        nothing = np.zeros((guess.vectors.shape[1], guess.coefficients.shape[1]))
        return graph.node("MatMul", "X", graph.constant(nothing))
    _check_size(guess.vectors, "support vectors")
    _check_size(guess.coefficients, "coefficients")
    gram = _similarities(graph, guess.kernel, guess.vectors)
    if guess.constant:
        gram = graph.node("Add", gram, graph.number(guess.constant))
    return graph.node("MatMul", gram, graph.constant(guess.coefficients))


def _check_size(array: Data, what: str) -> None:
    size = 8 * array.shape[0] * array.shape[1]
    if size > MOST_BYTES:
        raise ValueError(
            f"ONNX takes {what} as a dense array, of {MOST_BYTES / 1e9:g} GB at most. Got one of "
            f"{array.shape[0]:,} × {array.shape[1]:,}, {size / 1e9:.1f} GB: write it as JSON, where sparse "
            "rows stay sparse, or learn with fewer features."
        )


def _decided(graph: Graph, scores: str, game: Any) -> tuple[str, str]:
    """Add the scores as `decision_function` returns them, and the index of the predicted class."""
    if not isinstance(game, Binary):  # of equals the first, as ArgMax does
        return scores, graph.node("ArgMax", scores, axis=1, keepdims=0)
    scores = graph.node("Squeeze", scores, graph.constant(np.array([1])))
    return scores, _positive(graph, scores, game.ties)


def _positive(graph: Graph, scores: str, ties: str) -> str:
    """Add 1 where scores are positive, else 0."""
    above = "GreaterOrEqual" if ties == "positive" else "Greater"
    positive = graph.node(above, scores, graph.number(0.0))
    return graph.node("Cast", positive, to=graph.onnx.TensorProto.INT64)


def _probabilities(graph: Graph, scores: str, calibration: Calibration, classes: int) -> None:
    """Add the probabilities of all classes: of two the first has a score of 0."""
    if classes == 2:
        scores = graph.node("MatMul", scores, graph.constant(np.array([[0.0, calibration.slope]])))
        logits = graph.node("Add", scores, graph.constant(np.array([0.0, calibration.offset])))
    else:
        logits = graph.node("Mul", scores, graph.number(calibration.slope))
    clean = graph.node("Mul", graph.node("Softmax", logits, axis=1), graph.number(1 - calibration.noise))
    graph.node("Add", clean, graph.number(calibration.noise / classes), output="probabilities")


def _classes(values: list[Any]) -> Array:
    """Return classes as arrays for ONNX: strings, or 64-bit integers."""
    if all(isinstance(value, str) for value in values):
        return np.array(values, object)
    try:
        numbers = np.array([int(value) for value in values], np.int64)
    except (ValueError, OverflowError):
        numbers = np.empty(0, np.int64)
    if numbers.tolist() != values:
        raise ValueError(
            f"Labels in ONNX are strings or 64-bit integers. Got {values!r:.80}: write it as JSON."
        )
    return numbers


class Products(NamedTuple):
    """The arguments of a kernel: ⟨x, z⟩ (N × vectors), ⟨x, x⟩ (N × 1) and ⟨z, z⟩ (1 × vectors)."""

    xz: str
    xx: str
    zz: str


def _similarities(graph: Graph, kernel: Kernel, vectors: Data) -> str:
    """Add the kernel matrix of X with some vectors."""
    dense = vectors.toarray() if sp.issparse(vectors) else vectors
    xz, xx, zz = graph.node("MatMul", "X", graph.constant(dense.T)), "", ""
    if kernel.needs_squares:
        square = graph.node("Mul", "X", "X")
        xx = graph.node("ReduceSum", square, graph.constant(np.array([1])), keepdims=1)
        zz = graph.constant(np.einsum("ij,ij->i", dense, dense)[None, :])
    return _value(graph, kernel, Products(xz, xx, zz))


def _value(graph: Graph, kernel: Kernel, of: Products) -> str:
    """Add a kernel of these products; k(x, x) is the kernel of ⟨x, x⟩ three times."""
    match kernel:
        case Linear():
            return of.xz
        case Constant(value):
            return graph.number(value)
        case Polynomial(degree, coef0, gamma):
            return _power(graph, _affine(graph, of.xz, gamma, coef0), degree)
        case Sigmoid(gamma, coef0):
            return graph.node("Tanh", _affine(graph, of.xz, gamma, coef0))
        case RBF():
            return _radial(graph, kernel.rate, of)
        case Sum(left, right):
            return graph.node("Add", _value(graph, left, of), _value(graph, right, of))
        case Product(left, right):
            return graph.node("Mul", _value(graph, left, of), _value(graph, right, of))
        case Scaled(factor, scaled):
            return graph.node("Mul", _value(graph, scaled, of), graph.number(factor))
        case Power(raised, degree):
            return _power(graph, _value(graph, raised, of), degree)
        case Normalized(normalized):
            return _cosine(graph, normalized, of)
    raise AssertionError(f"{kernel!r} was not checked.")


def _affine(graph: Graph, value: str, gamma: Any, coef0: float) -> str:
    """Add γ · value + c."""
    scaled = value if gamma == 1.0 else graph.node("Mul", value, graph.number(gamma))
    return graph.node("Add", scaled, graph.number(coef0))


def _power(graph: Graph, value: str, degree: int) -> str:
    """Add a power by repeated squaring, as the library computes it."""
    factor = value
    for bit in f"{degree:b}"[1:]:
        value = graph.node("Mul", value, value)
        if bit == "1":
            value = graph.node("Mul", value, factor)
    return value


def _radial(graph: Graph, rate: float, of: Products) -> str:
    """Add exp(−γ (⟨x, x⟩ + ⟨z, z⟩ − 2⟨x, z⟩)), with the exponent clamped at 0."""
    lengths, twice = graph.node("Add", of.xx, of.zz), graph.node("Add", of.xz, of.xz)
    falling = graph.node("Mul", graph.node("Sub", lengths, twice), graph.number(-rate))
    return graph.node("Exp", graph.node("Min", falling, graph.number(0.0)))


def _cosine(graph: Graph, kernel: Kernel, of: Products) -> str:
    """Add k(x, z) / √k(x, x) / √k(z, z), a power being raised after it is normalized."""
    base, degree = kernel.rooted()
    value = _value(graph, base, of)
    for square in (of.xx, of.zz):
        length = graph.node("Sqrt", _value(graph, base, Products(square, square, square)))
        value = graph.node("Div", value, length)
    return _power(graph, value, degree)
