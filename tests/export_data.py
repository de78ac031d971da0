"""Learners to be exported, and rows to ask them about."""

import json

import numpy as np
import scipy.sparse as sp

import model_data
from rosenblatt import PerceptronClassifier, PerceptronTagger
from rosenblatt.kernels import RBF, Linear, Polynomial
from rosenblatt.persistence import to_json

X, TWO, THREE, QUERIES = model_data.X, model_data.TWO, model_data.THREE, model_data.QUERIES
SPARSE = sp.csr_array(np.column_stack([np.maximum(X[:, :2], 0), X[:, 2] + 1]))
NEW = np.random.default_rng(1).normal(size=(40, 3))
GUESSES = ("last", "best", "average")
KERNELS = (
    None,
    Linear(),
    Polynomial(3),
    RBF(sigma=1.5),
    2 * RBF(gamma=0.5) + (Linear() + 1) ** 2 * RBF(gamma=0.1),
    (Linear() + 1).normalized(),
    (Polynomial(5) + 0.5).normalized() ** 3,
    Polynomial(7).normalized() + 0 * Linear(),
)


def fitted(kernel=None, labels=TWO, rows=X, **options):
    options = {"epochs": 3, "random_state": 0} | options
    return PerceptronClassifier(kernel, **options).fit(rows, labels)


def close(found, expected, size=1.0):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * size)


# ONNX


def value(kernel, xz, xx, zz):
    """A kernel of JSON, as its page says."""
    squares = [(xx,) * 3, (zz,) * 3]
    match kernel["kernel"]:
        case "Linear":
            return xz
        case "Constant":
            return kernel["value"]
        case "Polynomial":
            return (xz + kernel["coef0"]) ** kernel["degree"]
        case "RBF":
            return np.exp(-kernel["gamma"] * (xx + zz - 2 * xz))
        case "Sum":
            return value(kernel["left"], xz, xx, zz) + value(kernel["right"], xz, xx, zz)
        case "Product":
            return value(kernel["left"], xz, xx, zz) * value(kernel["right"], xz, xx, zz)
        case "Scaled":
            return kernel["factor"] * value(kernel["of"], xz, xx, zz)
        case "Power":
            return value(kernel["of"], xz, xx, zz) ** kernel["degree"]
    assert kernel["kernel"] == "Normalized"
    lengths = [np.sqrt(value(kernel["of"], *square)) for square in squares]
    return value(kernel["of"], xz, xx, zz) / lengths[0] / lengths[1]


def vector(found, features):
    if isinstance(found, list):
        return np.array(found)
    result = np.zeros(features)
    result[found["at"]] = found["values"]
    return result


def scored(found, rows):
    """The scores of rows (rows × outputs), from JSON alone."""
    if "kernel" not in found:
        return rows @ np.array(found["coefficients"]).T + found["intercepts"]
    result = np.zeros((len(rows), len(found["coefficients"])))
    for s, each in enumerate(found["vectors"]):
        z = vector(each, found["features"])
        for i, x in enumerate(rows):
            k = value(found["kernel"], x @ z, x @ x, z @ z)
            for o, line in enumerate(found["coefficients"]):
                result[i, o] += line[s] * (k + found["constant"])
    return result


def answered(found, rows):
    scores, classes = scored(found, rows), found["classes"]
    if len(classes) == 2:
        assert found["ties"] in ("mistake", "positive")
        second = scores[:, 0] >= 0 if found["ties"] == "positive" else scores[:, 0] > 0
        return [classes[int(each)] for each in second]
    return [classes[int(np.argmax(line))] for line in scores]


def no_constant(name):
    raise AssertionError(name)


def read(learner, *names):
    return json.loads(to_json(learner, *names), parse_constant=no_constant)


WORDS = [["The", "café-9", "sat"], ["A", "dog", "RÄN"], ["cat", "x1111"], ["b"], ["sat", "the", "dog", "A"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"], ["V"], ["V", "D", "N", "D"]]
CASES = {
    "words": ({}, WORDS),
    "columns": ({}, [[(word, word[:1]) for word in words] for words in WORDS]),
    "names": ({}, [[{"w": word, "size": len(word), word: True} for word in words] for words in WORDS]),
    "lists of names": ({}, [[[word, "any"] for word in words] for words in WORDS]),
    "arrays": ({}, [np.array([[len(word), len(words)] for word in words], float) for words in WORDS]),
    "pairs": ({"templates": model_data.CRFPP}, [[[word] for word in words] for words in WORDS]),
    "shared": ({"templates": "U:%x[0,0]\nU:%x[1,0]\nU2:%x[-1,0]/%x[0,0]\nU2:%x[0,0]/%x[1,0]\nB"}, WORDS),
    "unlinked": ({"transitions": False}, WORDS),
    "allowed": (
        {"allowed": [("D", "N"), ("N", "V"), ("V", "D"), ("N", "D"), (None, "D"), (None, "N")]},
        None,
    ),
    "no intercept": ({"fit_intercept": False, "predictor": "last"}, WORDS),
    "best": ({"predictor": "best"}, WORDS),
    "rare": ({"min_count": 2}, WORDS),
}


def tagger(case):
    options, sequences = CASES[case]
    pairs = list(zip(sequences or WORDS, TAGS, strict=True))
    if sequences is None:
        pairs = [pair for pair in pairs if pair[1][0] != "V"]
    X, y = (list(each) for each in zip(*pairs, strict=True))
    return PerceptronTagger(epochs=2, random_state=0, **options).fit(X, y), X
