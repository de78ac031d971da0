"""JSON exports are enough to compute the library's answers."""

import itertools
import re

import numpy as np
import pytest

from fixtures.export_data import (
    CASES,
    KERNELS,
    NEW,
    QUERIES,
    SPARSE,
    THREE,
    TWO,
    X,
    answered,
    close,
    fitted,
    read,
    scored,
    tagger,
)
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels
from rosenblatt.persistence import to_json


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_to_json_is_enough_to_compute_classifiers(kernel, sparse):
    rows = SPARSE if sparse else X
    for labels, predictor in ((TWO, "average"), (THREE, "last"), (THREE, "best")):
        for options in ({}, {"fit_intercept": False}, {"multiclass": "ovr"}):
            learner = fitted(kernel, labels, rows, predictor=predictor, **options)
            found = read(learner)
            assert found["predictor"] == predictor
            expected = learner.decision_function(NEW).reshape(len(NEW), -1)
            close(scored(found, NEW), expected, np.abs(expected).max())
            assert answered(found, NEW) == learner.predict(NEW).tolist()
            if kernel is not None:
                assert kernels.parse(found["expression"]) == kernel
                assert isinstance(found["vectors"][0], dict) == sparse


def test_to_json_records_ties():
    for ties in ("mistake", "positive"):
        learner = fitted(ties=ties, fit_intercept=False)
        zero = np.zeros((1, 3))
        assert answered(read(learner), zero) == learner.predict(zero).tolist()


@pytest.mark.parametrize("kernel", KERNELS[:4], ids=repr)
def test_to_json_is_enough_to_compute_rankers(kernel):
    learner = PerceptronRanker(kernel, max_iter=2, random_state=0).fit(X, TWO.astype(int), qid=QUERIES)
    close(scored(read(learner), NEW)[:, 0], learner.decision_function(NEW))


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
def test_to_json_is_enough_to_compute_probabilities(labels):
    assert read(fitted(labels=labels))["calibration"] is None
    learner = fitted(labels=labels).calibrate(X, labels)
    found, scores = read(learner), scored(read(learner), NEW)
    slope, offset, noise = (found["calibration"][name] for name in ("slope", "offset", "noise"))
    if len(found["classes"]) == 2:
        second = 1 / (1 + np.exp(-slope * scores[:, 0] - offset))
        expected = np.column_stack([1 - second, second])
    else:
        powers = np.exp(slope * scores)
        expected = (1 - noise) * powers / powers.sum(axis=1, keepdims=True) + noise / len(found["classes"])
    close(learner.predict_proba(NEW), expected)
    assert read(learner.set_params(predictor="last"))["calibration"] is None


def test_to_json_records_feature_names():
    pandas = pytest.importorskip("pandas")
    assert read(fitted())["names"] is None
    assert read(fitted(), ["größe", "b", "c"])["names"] == ["größe", "b", "c"]
    assert read(fitted(rows=pandas.DataFrame(X, columns=list("uvw"))))["names"] == list("uvw")
    with pytest.raises(ValueError, match=r"a name for each of the 3 features\. Got 2"):
        to_json(fitted(), ["a", "b"])


@pytest.mark.parametrize("names", [[-1, 1], [True, False], [0.5, 1.5], ["ä", "b", "c"]])
def test_to_json_keeps_the_type_of_classes(names):
    learner = fitted()
    learner.classes_ = np.unique(names)
    assert read(learner)["classes"] == np.unique(names).tolist()


def test_to_json_writes_numbers_to_the_last_bit():
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


def kind(character):
    if character.isupper():
        return "X"
    if character.islower():
        return "x"
    return "w" if character.isalpha() else ("9" if character.isdigit() else character)


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
    """Return (is it of pairs, name, value) for every feature of a token."""
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


@pytest.mark.parametrize("case", CASES)
def test_to_json_is_enough_to_compute_taggers(case):
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


def test_to_json_is_equal_for_a_pruned_tagger():
    learner, _ = tagger("words")
    whole, pruned = read(learner), read(learner.pruned())
    for name in ("weights", "transitions", "first", "last", "intercepts"):
        assert whole[name] == pruned[name]


def test_to_json_writes_forbidden_transitions_as_null():
    learner, _ = tagger("allowed")
    found = read(learner)
    assert found["labels"] == ["D", "N", "V"]
    assert [value is None for value in found["transitions"][0]] == [True, False, True]
    assert [value is None for value in found["first"]] == [False, False, True]
    assert None not in found["last"]


def test_to_json_rejects_features_that_share_a_name():
    tokens = [[{"1": "a"}, {1: "a"}], [{1: "a"}, {"1": "a"}]]
    learner = PerceptronTagger(max_iter=3).fit(tokens, [["A", "B"], ["B", "A"]])
    with pytest.raises(ValueError, match="two that are both called '1=a'"):
        to_json(learner)


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)], ids=repr)
def test_to_json_is_enough_to_compute_scores_of_named_features(kernel):
    examples = [{"size": 2, "colour": "red"}, {"size": -1}, ["colour=red", "round"]]
    learner = PerceptronClassifier(kernel, random_state=0, predictor="last").fit(examples, [1, 0, 1])
    found = read(learner)
    assert (found["reads"], found["names"]) == ("names", ["size", "colour=red", "round"])
    rows = np.array([[2.0, 1, 0], [-1, 0, 0], [0, 1, 1]])
    close(scored(found, rows)[:, 0], learner.decision_function(examples))
    assert read(fitted())["reads"] == "arrays"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"features": "words"}, "An export holds no functions. Got features='words'"),
        ({"features": "words", "hashing": 8}, "An export holds no functions"),
        ({"hashing": 8}, "Hashed features cannot be exported by name. Got hashing=8"),
    ],
)
def test_to_json_rejects_names_that_it_cannot_make(options, words):
    X = ["a b", "c"] if "features" in options else [["a", "b"], ["c"]]
    with pytest.raises(ValueError, match=words):
        to_json(PerceptronClassifier(**options).fit(X, [0, 1]))
