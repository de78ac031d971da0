"""Learners for other programs: ONNX graphs and JSON answer what the library answers."""

import builtins
import itertools
import json
import re
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from kernel_laws import FINITE, INNER, dot, expressions
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import model_data
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, save
from rosenblatt.cli import commands
from rosenblatt.exports import guesses, onnx, to_json, to_onnx
from rosenblatt.kernels import RBF, Constant, Linear, Polynomial

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


def answers(learner, rows):
    """What a runtime makes of the exported learner, by the names of its outputs."""
    checker = pytest.importorskip("onnx.checker")
    runtime = pytest.importorskip("onnxruntime")
    model = to_onnx(learner)
    checker.check_model(model, full_check=True)
    session = runtime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.ascontiguousarray(rows, np.float64)}), strict=True))


def same_answers(learner, rows=NEW):
    found = answers(learner, rows)
    expected = learner.decision_function(rows)
    assert found["scores"].shape == expected.shape
    assert found["scores"].dtype == np.float64
    close(found["scores"], expected, np.abs(expected).max())
    if "label" in found:
        assert found["label"].tolist() == learner.predict(rows).tolist()


@pytest.mark.parametrize("predictor", GUESSES)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_runtime_answers_as_the_library(kernel, predictor):
    for labels, multiclass in ((TWO, "argmax"), (THREE, "argmax"), (THREE, "one-vs-rest")):
        for rows in (X, SPARSE):
            same_answers(fitted(kernel, labels, rows, multiclass=multiclass, predictor=predictor))


@settings(max_examples=30)
@given(
    expressions(INNER).filter(lambda kernel: kernel.domain == "vectors"),
    hnp.arrays(np.float64, (8, 2), elements=st.integers(-3, 3)),
    st.integers(2, 3),
    st.booleans(),
)
def test_any_expression_of_kernels_is_a_graph(kernel, rows, classes, sparse):
    learner = fitted(kernel, np.arange(8) % classes, sp.csr_array(rows) if sparse else rows, epochs=2)
    size = np.abs(learner.dual_coef_).sum() * max(1.0, np.abs(kernel(rows)).max())
    close(answers(learner, rows)["scores"], learner.decision_function(rows), size)


@settings(max_examples=30)
@given(
    FINITE.filter(lambda kernel: kernel.domain == "vectors"),
    hnp.arrays(np.float64, (8, 2), elements=st.integers(-2, 2)),
    st.integers(2, 3),
    st.sampled_from(("last", "best")),
)
def test_on_whole_numbers_all_is_exact_ties_too(kernel, rows, classes, predictor):
    learner = fitted(kernel, np.arange(8) % classes, rows, epochs=1, predictor=predictor)
    found = answers(learner, rows)
    assert np.array_equal(found["scores"], learner.decision_function(rows))
    assert np.array_equal(found["label"], learner.predict(rows))


@pytest.mark.parametrize("kernel", [None, Linear()])
def test_ties_are_answered_as_the_library_does(kernel):
    rows, zero = np.array([[1.0], [-1.0]]), np.zeros((1, 1))
    for ties, answer in (("mistake", 5), ("positive", 7)):
        learner = fitted(kernel, [7, 5], rows, ties=ties, predictor="last", fit_intercept=False)
        found = answers(learner, zero)
        assert found["scores"].tolist() == [0.0]
        assert found["label"].tolist() == [answer] == learner.predict(zero).tolist()
    learner = fitted(kernel, [3, 4, 5], [[1.0], [2.0], [3.0]], predictor="last", fit_intercept=False)
    assert answers(learner, zero)["label"].tolist() == [3] == learner.predict(zero).tolist()


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({"ties": "positive"}, TWO),
        ({"fit_intercept": False}, THREE),
        ({"fit_intercept": False, "kernel": RBF(gamma=1.0)}, THREE),
        ({"start": "random"}, TWO),
        ({"start": "random", "fit_intercept": False, "predictor": "best"}, THREE),
        ({"start": "random", "predictor": "last"}, THREE),
        ({"rule": "passive-aggressive", "class_weight": "balanced"}, THREE),
        ({"keep_examples": False}, THREE),
    ],
)
def test_options_of_learning_change_nothing(options, labels):
    same_answers(fitted(labels=labels, **options))


@pytest.mark.parametrize(
    "names",
    [
        [-1, 1],
        [3, 1, 2],
        [True, False],
        [0.0, 1.0],
        ["", "ä b", "z"],
        np.array(["x", "yy"], object),
        np.uint8([7, 200]),
    ],
)
def test_labels_are_texts_or_whole_numbers(names):
    names = np.asarray(names)
    learner = fitted(labels=names[np.arange(60) % len(names)])
    same_answers(learner)
    assert answers(learner, NEW)["label"].dtype == (object if names.dtype.kind in "UO" else np.int64)


@pytest.mark.parametrize("predictor", GUESSES)
@pytest.mark.parametrize("kernel", KERNELS[:4], ids=repr)
@pytest.mark.parametrize("strategy", ["pairs", "best", "top"])
def test_rankers_have_scores(kernel, strategy, predictor):
    options = {"strategy": strategy, "predictor": predictor, "epochs": 2, "random_state": 0}
    learner = PerceptronRanker(kernel, **options).fit(X, TWO.astype(int), qid=QUERIES)
    assert list(answers(learner, NEW)) == ["scores"]
    same_answers(learner)


def test_a_learner_that_never_erred_scores_0():
    options = {"ties": "positive", "fit_intercept": False}
    learner = PerceptronClassifier(Linear(), **options).partial_fit(X, np.ones(60, int), classes=[0, 1])
    assert not len(learner.ledger_)
    same_answers(learner)
    graph = pytest.importorskip("onnx").load_from_string(to_onnx(learner)).graph
    assert all(all(constant.dims) for constant in graph.initializer)  # not all runtimes take empty ones
    assert json.loads(to_json(learner))["vectors"] == []


def test_features_that_came_later_are_there():
    learner = PerceptronClassifier(RBF(gamma=1.0), random_state=0).fit(sp.csr_array(X), TWO)
    learner.n_features_in_ = 5  # as learning from blocks of files leaves it
    wide = np.hstack([NEW, NEW[:, :2]])
    found = answers(learner, wide)["scores"]
    close(found, scored(json.loads(to_json(learner)), wide)[:, 0])
    close(found, learner.decision_function(sp.csr_array(wide)))


def test_single_precision_is_met_as_far_as_it_goes():
    learner = fitted(RBF(gamma=0.5), THREE, X.astype(np.float32))
    np.testing.assert_allclose(
        answers(learner, NEW)["scores"], learner.decision_function(NEW.astype(np.float32)), atol=1e-5
    )


def test_the_same_learner_is_the_same_bytes():
    pytest.importorskip("onnx")
    assert to_onnx(fitted(RBF(gamma=0.5))) == to_onnx(fitted(RBF(gamma=0.5)))


def test_parts_of_a_kernel_that_are_equal_are_computed_once():
    module = pytest.importorskip("onnx")
    twice = RBF(gamma=0.5) * RBF(gamma=0.5) + Linear() ** 4
    nodes = [node.op_type for node in module.load_from_string(to_onnx(fitted(twice))).graph.node]
    assert nodes.count("Exp") == 1
    assert nodes.count("MatMul") == 2
    assert nodes.count("Mul") == 5  # x², the rate, the product, and two squarings


# JSON


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


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_classifiers_can_be_computed_from_json_alone(kernel, sparse):
    rows = SPARSE if sparse else X
    for labels, predictor in ((TWO, "average"), (THREE, "last"), (THREE, "best")):
        for options in ({}, {"fit_intercept": False}, {"multiclass": "one-vs-rest"}):
            learner = fitted(kernel, labels, rows, predictor=predictor, **options)
            found = read(learner)
            assert found["predictor"] == predictor
            expected = learner.decision_function(NEW).reshape(len(NEW), -1)
            close(scored(found, NEW), expected, np.abs(expected).max())
            assert answered(found, NEW) == learner.predict(NEW).tolist()
            if kernel is not None:
                assert kernels.parse(found["expression"]) == kernel
                assert isinstance(found["vectors"][0], dict) == sparse


def test_ties_are_told_in_json():
    for ties in ("mistake", "positive"):
        learner = fitted(ties=ties, fit_intercept=False)
        zero = np.zeros((1, 3))
        assert answered(read(learner), zero) == learner.predict(zero).tolist()


@pytest.mark.parametrize("kernel", KERNELS[:4], ids=repr)
def test_rankers_can_be_computed_from_json_alone(kernel):
    learner = PerceptronRanker(kernel, epochs=2, random_state=0).fit(X, TWO.astype(int), qid=QUERIES)
    close(scored(read(learner), NEW)[:, 0], learner.decision_function(NEW))


def test_names_of_features_are_told():
    pandas = pytest.importorskip("pandas")
    assert read(fitted())["names"] is None
    assert read(fitted(), ["größe", "b", "c"])["names"] == ["größe", "b", "c"]
    assert read(fitted(rows=pandas.DataFrame(X, columns=list("uvw"))))["names"] == list("uvw")
    with pytest.raises(ValueError, match=r"a name for each of the 3 features\. Got 2"):
        to_json(fitted(), ["a", "b"])


@pytest.mark.parametrize("names", [[-1, 1], [True, False], [0.5, 1.5], ["ä", "b", "c"]])
def test_classes_are_what_they_were(names):
    learner = fitted()
    learner.classes_ = np.unique(names)
    assert read(learner)["classes"] == np.unique(names).tolist()


def test_numbers_are_written_to_the_last_bit():
    learner = fitted(rule="passive-aggressive", labels=THREE)
    assert np.array_equal(read(learner)["coefficients"], learner.coef_)
    assert np.array_equal(read(learner)["intercepts"], learner.intercept_)


STEPS = {
    "lower": lambda text, size: text.lower(),
    "prefix": lambda text, size: text[:size],
    "suffix": lambda text, size: text[-size:],
    "has_digit": lambda text, size: "yes" if any(map(str.isdigit, text)) else "no",
    "has_hyphen": lambda text, size: "yes" if "-" in text else "no",
    "is_title": lambda text, size: "yes" if text.istitle() else "no",
    "is_upper": lambda text, size: "yes" if text.isupper() else "no",
    "shape": lambda text, size: re.sub(r"(.)\1{2,}", r"\1\1", "".join(map(kind, text))),
}


def kind(letter):
    if letter.isupper():
        return "X"
    if letter.islower():
        return "x"
    return "w" if letter.isalpha() else ("9" if letter.isdigit() else letter)


def seen(tokens, i, part):
    at = i + part["offset"]
    if at < 0:
        return f"(start-{-at})"
    if at >= len(tokens):
        return f"(end+{at - len(tokens) + 1})"
    text = tokens[at] if isinstance(tokens[at], str) else tokens[at][part["column"]]
    for name, size in part["steps"]:
        text = STEPS[name](text, size)
    return text


def features(found, tokens, i):
    """The features of a token with their values; whether each is one of pairs comes first."""
    token = tokens[i]
    if found["reads"] == "arrays":
        return [(False, f"x[{f}]", number) for f, number in enumerate(token)]
    if found["reads"] == "names":
        items = token.items() if isinstance(token, dict) else ((name, True) for name in token)
        return [
            (False, f"{name}={given}", 1.0) if isinstance(given, str) else (False, name, float(given))
            for name, given in items
        ]
    return [
        (
            each["pairs"],
            " & ".join(f"{part['called']}={seen(tokens, i, part)}" for part in each["parts"]),
            1.0,
        )
        for each in found["templates"]
    ]


def path_score(found, tokens, path):
    total, pairs = 0.0, any(each["pairs"] for each in found.get("templates", []))
    ends = [found["first"][path[0]], found["last"][path[-1]]]
    steps = ends + [found["transitions"][a][b] for a, b in itertools.pairwise(path)]
    if None in steps:
        return -np.inf
    for i, label in enumerate(path):
        total += found["intercepts"][label] * (2 if pairs and i > 0 else 1)
        for of_pair, name, amount in features(found, tokens, i):
            if of_pair and i == 0:
                continue
            name = f"{name} after {found['labels'][path[i - 1]]}" if of_pair else name
            total += amount * dict(found["weights"].get(name, [])).get(label, 0.0)
    return total + sum(steps)


def best_path(found, tokens):
    paths = itertools.product(range(len(found["labels"])), repeat=len(tokens))
    scores = {path[::-1]: path_score(found, tokens, path[::-1]) for path in paths}
    path = max(scores, key=scores.get)  # the first of equals
    return [found["labels"][label] for label in path], scores[path]


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


@pytest.mark.parametrize("case", CASES)
def test_taggers_can_be_computed_from_json_alone(case):
    learner, sequences = tagger(case)
    found = read(learner)
    unseen = [[*tokens[::-1]] for tokens in sequences]
    if case == "arrays":
        unseen = [np.array(tokens) for tokens in unseen]
    for tokens in (*sequences, *unseen):
        (expected, score), *_ = learner.n_best([tokens], 1)[0]
        path, total = best_path(found, tokens)
        assert path == expected
        assert total == pytest.approx(score, rel=1e-9, abs=1e-9)
    assert all(weight for pairs in found["weights"].values() for _, weight in pairs)


def test_a_pruned_tagger_is_the_same_in_json():
    learner, _ = tagger("words")
    whole, pruned = read(learner), read(learner.pruned())
    for name in ("weights", "transitions", "first", "last", "intercepts"):
        assert whole[name] == pruned[name]


def test_forbidden_transitions_are_null():
    learner, _ = tagger("allowed")
    found = read(learner)
    assert found["labels"] == ["D", "N", "V"]
    assert [value is None for value in found["transitions"][0]] == [True, False, True]
    assert [value is None for value in found["first"]] == [False, False, True]
    assert None not in found["last"]


def test_features_that_share_a_name_are_refused():
    tokens = [[{"w": "a"}, {"w=a": True}], [{"w=a": True}, {"w": "a"}]]
    learner = PerceptronTagger(epochs=3).fit(tokens, [["A", "B"], ["B", "A"]])
    with pytest.raises(ValueError, match="two that are both called 'w=a'"):
        to_json(learner)


# What is refused


def precomputed():
    return PerceptronClassifier("precomputed").fit(X @ X.T, TWO)


def on_objects(kernel):
    return PerceptronClassifier(kernel).fit(list(X), TWO)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fitted(predictor="vote"), "predictor='vote': set the predictor to 'average'"),
        (lambda: fitted(RBF(gamma=1.0), predictor="sample"), "predictor='sample': set the predictor"),
        (lambda: fitted(keep_examples=False).set_params(predictor="best"), "keep_examples=True"),
        (precomputed, "learn with the kernel that the matrix came from"),
        (lambda: fitted(kernels.Matrix(lambda A, B: A @ B.T)), "only Python evaluates"),
        (lambda: fitted((Linear() + kernels.Function(dot)).normalized()), r"Got Function\(dot\)"),
        (lambda: on_objects(kernels.Function(dot)), r"Got Function\(dot\)"),
        (lambda: on_objects(Constant(2)), "which looks at none"),
        (lambda: make_pipeline(PerceptronClassifier()), "Got Pipeline: export the learner inside it"),
        (PerceptronClassifier, "not fitted yet"),
    ],
)
@pytest.mark.parametrize("export", [to_onnx, to_json])
def test_what_cannot_be_exported_is_refused_in_a_sentence(export, make, words):
    pytest.importorskip("onnx")
    with pytest.raises((ValueError, NotFittedError), match=words):
        export(make())


def test_taggers_are_written_as_json():
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="Got PerceptronTagger: write it as JSON"):
        to_onnx(tagger("words")[0])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hashing": 64}, "hashing=64, which forgets names"),
        ({"kernel": RBF(gamma=1.0)}, "Got one with a kernel"),
        ({"predictor": "vote"}, "set the predictor to 'average'"),
    ],
)
def test_taggers_without_named_weights_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        to_json(PerceptronTagger(epochs=1, **options).fit(WORDS, TAGS))


def test_more_than_a_file_can_hold_is_refused(monkeypatch):
    pytest.importorskip("onnx")
    many, few = fitted(RBF(gamma=1.0), rows=sp.csr_array(X)), fitted()
    monkeypatch.setattr(onnx, "MOST_BYTES", 40)
    support = guesses.guess_of(many).vectors.shape[0]
    with pytest.raises(ValueError, match=f"support vectors as a dense array.* Got one of {support} × 3"):
        to_onnx(many)
    to_onnx(few)  # three weights
    short = fitted(RBF(gamma=1.0), THREE, X[:, :1])
    monkeypatch.setattr(onnx, "MOST_BYTES", guesses.guess_of(short).vectors.nbytes)
    with pytest.raises(ValueError, match="coefficients as a dense array"):
        to_onnx(short)
    monkeypatch.setattr(onnx, "MOST_BYTES", 16)
    with pytest.raises(ValueError, match=r"weights as a dense array.* Got one of 3 × 1"):
        to_onnx(few)


@pytest.mark.parametrize("classes", [[0.5, 1.5], [1, 2**63]])
def test_labels_that_onnx_does_not_have_are_refused(classes):
    pytest.importorskip("onnx")
    learner = fitted()
    learner.classes_ = np.array(classes)
    with pytest.raises(ValueError, match="Labels in ONNX are texts or whole numbers"):
        to_onnx(learner)


def test_without_onnx_the_error_is_the_line_to_type(monkeypatch):
    true = builtins.__import__

    def without(name, *rest):
        if name == "onnx":
            raise ImportError(name)
        return true(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=re.escape("ONNX needs onnx: pip install 'rosenblatt[onnx]'")):
        to_onnx(fitted())


# The command


@pytest.fixture
def convert(monkeypatch, capsys, tmp_path):
    """Run the command in a folder of its own: its exit status, and what it says and complains of."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["rosenblatt", "convert", *arguments])
        capsys.readouterr()
        try:
            commands.main()
            return 0, *capsys.readouterr()
        except SystemExit as end:
            return end.code or 0, *capsys.readouterr()

    return call


def test_convert_writes_what_the_end_of_the_name_says(convert, tmp_path):
    pytest.importorskip("onnx")
    learner = fitted(RBF(gamma=0.5), predictor="vote")
    save(learner, tmp_path / "m", names=["a", "b", "c"])
    learner.set_params(predictor="average")
    code, out, err = convert("m", "out.ONNX", "--predictor", "average")
    assert code == 0, err
    assert "written as  onnx" in out
    assert (tmp_path / "out.ONNX").read_bytes() == to_onnx(learner)
    told = json.loads(convert("m", "out.json", "--predictor", "average", "--json")[1])
    assert (tmp_path / "out.json").read_text() == to_json(learner, ["a", "b", "c"])
    assert told == {
        "written_as": "json",
        "bytes": (tmp_path / "out.json").stat().st_size,
        "estimator": "PerceptronClassifier",
        "kernel": "RBF(gamma=0.5)",
        "predictor": "average",
    }
    assert convert("m", "model.txt", "--to", "json", "--predictor", "average")[0] == 0
    assert (tmp_path / "model.txt").read_bytes() == (tmp_path / "out.json").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["m", "out.txt"], 1, "OUT must end in .onnx or .json"),
        (["m", "out.onnx"], 1, "set the predictor to 'average'"),
        (["m", "out.json", "--to", "xml"], 2, "xml"),
        (["t", "out.onnx"], 1, "Got PerceptronTagger: write it as JSON"),
        (["nowhere", "out.json"], 1, "nowhere: No such file"),
        (["m"], 2, "OUT"),
    ],
)
def test_convert_says_what_goes_wrong_and_writes_nothing(convert, tmp_path, arguments, code, words):
    pytest.importorskip("onnx")
    save(fitted(predictor="vote"), tmp_path / "m")
    save(tagger("words")[0], tmp_path / "t")
    found, _, err = convert(*arguments)
    assert found == code
    assert words in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("out*"))


def test_convert_writes_taggers_as_json(convert, tmp_path):
    learner, _ = tagger("words")
    save(learner, tmp_path / "t")
    assert convert("t", "t.json")[0] == 0
    assert json.loads((tmp_path / "t.json").read_text()) == read(learner)
