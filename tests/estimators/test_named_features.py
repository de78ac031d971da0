"""Classifiers of examples with named features: dicts, collections of names, and what functions make of objects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.named_data import DICTS, KERNELS, LABELS, NAMES, SPAM, Y, matrix, named_examples, same_run
from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.features import Characters, Words
from rosenblatt.features.vocabulary import Vocabulary


@pytest.mark.parametrize("kernel", KERNELS)
@given(
    named_examples(),
    st.sampled_from(
        [{"rule": "perceptron"}, {"multiclass": "ovr", "rule": "perceptron"}, {"rule": "margin"}]
    ),
)
def test_fit_of_named_examples_is_that_of_their_matrix(kernel, data, options):
    examples, y = data
    named = PerceptronClassifier(kernel, random_state=0, max_iter=3, **options).fit(examples, y)
    rows = matrix(examples, [*named.vocabulary_])
    plain = PerceptronClassifier(kernel, random_state=0, max_iter=3, **options).fit(rows, y)
    assert same_run(named, plain)
    assert named.n_features_in_ == len(named.vocabulary_) == rows.shape[1]
    assert (named.predict(examples, "last") == plain.predict(rows, "last")).all()
    assert named.decision_function(examples) == pytest.approx(plain.decision_function(rows))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"predictor": "recent"},
        {"kernel": kernels.RBF(gamma=0.5)},
        {"kernel": kernels.Polynomial(2), "budget": 3},
        {"keep_examples": False},
    ],
)
@given(named_examples(), named_examples(), st.integers(1, 9))
def test_names_may_come_in_any_round(options, first, second, cut):
    examples, y = [*first[0], *second[0]], np.concatenate([first[1], second[1]])
    grown = PerceptronClassifier(**options, rule="perceptron")
    for part in (slice(0, 2), slice(2, 2 + cut), slice(2 + cut, None)):
        if examples[part]:
            grown.partial_fit(examples[part], y[part])
    knowing = PerceptronClassifier(**options, rule="perceptron")
    rows = matrix(examples)  # all names, from the start
    for part in (slice(0, 2), slice(2, 2 + cut), slice(2 + cut, None)):
        if examples[part]:
            knowing.partial_fit(rows[part], y[part])
    assert same_run(grown, knowing)
    assert grown.decision_function(examples) == pytest.approx(knowing.decision_function(rows))
    for name, column in grown.vocabulary_.items():
        if grown.kernel is None:
            assert grown.coef_[:, column] == pytest.approx(knowing.coef_[:, NAMES.index(name)])


def test_coef_and_certificate_know_nothing_of_reserved_memory():
    learner = PerceptronClassifier(predictor="last").partial_fit(DICTS[:2], Y[:2])
    for x, y in zip(DICTS[2:], Y[2:], strict=True):
        learner.partial_fit([x], [y])
    assert learner.coef_.shape == (1, len(learner.vocabulary_)) == (1, learner.n_features_in_)
    assert learner.certificate(DICTS, Y, u=learner.coef_).bound > 0
    plain = PerceptronClassifier(predictor="last", shuffle=False, max_iter=1).fit(DICTS, Y)
    u = np.hstack([plain.coef_, plain.intercept_[:, None]])
    assert str(learner.certificate(DICTS, Y, u=u)) == str(plain.certificate(DICTS, Y, u=u))


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.1), "rbf", kernels.Polynomial(2).normalized()])
def test_unknown_names_have_no_weights_but_count_in_norms(kernel):
    known, new = {"size": 1}, {"size": 1, "weight": 2, "colour": "blue"}
    learner = PerceptronClassifier(kernel, random_state=0).fit(DICTS, Y)
    wide = PerceptronClassifier(kernel if kernel != "rbf" else learner.kernel_, random_state=0)
    every = [*DICTS, {"weight": 0, "colour=blue": 0}]
    rows = matrix_of(every)
    wide.fit(rows[:4], Y)
    expected = wide.decision_function(matrix_of([*every, known, new])[5:])
    assert learner.decision_function([known, new]) == pytest.approx(expected)
    assert (learner.decision_function([known]) == learner.decision_function([new])).all() == (kernel is None)


def matrix_of(examples):
    """Return rows by a vocabulary that has seen all of these examples."""
    return Vocabulary().rows(examples, learning=True)


def test_predicting_changes_nothing():
    for kernel in KERNELS:
        learner = PerceptronClassifier(kernel, random_state=0).fit(DICTS, Y)
        before, names = learner.decision_function(DICTS), learner.vocabulary_
        learner.decision_function([{"new": 1}, ["other"]])
        learner.score([{"new": 2}], [0])
        learner.explain({"newer": 1})
        assert learner.vocabulary_ == names
        assert (learner.decision_function(DICTS) == before).all()


@pytest.mark.parametrize("features", ["words", "characters", Words(ngrams=2), Characters(1, 3), str.split])
def test_functions_make_features_of_strings(features):
    learner = PerceptronClassifier(features=features, random_state=0).fit(SPAM, LABELS)
    made = {"words": Words(), "characters": Characters()}.get(features, features)
    direct = PerceptronClassifier(random_state=0).fit([made(text) for text in SPAM], LABELS)
    assert same_run(learner, direct)
    assert learner.predict(SPAM).tolist() == LABELS
    assert (
        learner.predict(np.array(SPAM)).tolist() == learner.predict(np.array(SPAM, object)).tolist() == LABELS
    )
    assert list(learner.vocabulary_) == list(direct.vocabulary_)


def test_functions_make_features_of_any_objects():
    points = [complex(1, 2), complex(-1, 0), complex(3, 1), complex(-2, 2)]
    learner = PerceptronClassifier(features=lambda z: {"re": z.real, "im": z.imag}, random_state=0).fit(
        points, Y
    )
    assert learner.predict(points).tolist() == Y
    assert list(learner.vocabulary_) == ["re", "im"]


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_hashing_bounds_the_number_of_features(kernel):
    learner = PerceptronClassifier(
        kernel, features="words", hashing=8, random_state=0, rule="perceptron"
    ).fit(SPAM, LABELS)
    assert learner.n_features_in_ == 8
    learner.partial_fit(["a very long text of other words that were never seen before"], ["ham"])
    assert learner.n_features_in_ == 8
    assert len(learner.predict(["new words"])) == 1
    assert not hasattr(learner, "vocabulary_")
    wide = PerceptronClassifier(
        kernel, features="words", hashing=2**20, random_state=0, rule="perceptron"
    ).fit(SPAM, LABELS)
    free = PerceptronClassifier(kernel, features="words", random_state=0, rule="perceptron").fit(SPAM, LABELS)
    assert wide.ledger_ == free.ledger_


@pytest.mark.parametrize(
    "wrap", [tuple, lambda X: np.array(X, object), lambda X: pytest.importorskip("pandas").Series(X)]
)
def test_examples_come_in_any_sequence(wrap):
    for examples in (DICTS, [set(example) for example in DICTS], [[*example, "z"] for example in DICTS]):
        if isinstance(examples[0], list) and wrap is not tuple:
            continue  # arrays of lists are arrays of strings
        expected = PerceptronClassifier(random_state=0).fit([*examples], Y)
        assert same_run(PerceptronClassifier(random_state=0).fit(wrap(examples), Y), expected)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([{"a": 1}, {"b": float("nan")}], "Got nan for 'b' in row 1"),
        ([{"a": 1}, {"a": 2, "b": object}], "for 'b' in row 1"),
        ([{"a": 1}] * 600 + [{"a": 1j}], r"Got 1j for 'a' in row 600"),
        ([{"a": 1}, ["b", 3]], "name of a feature must be a string. Got 3 in row 1"),
        ([{"a": 1}, 3], "An example is a dict, or a list or set of names. Got 3 in row 1"),
        ([{"a": 1}, "text"], r"Got 'text' in row 1: features='words' makes some of a string"),
        ([{"a": {"b": [1]}}, {}], "must hold strings. Got 1 in the list for 'a.b' in row 0"),
        (["a b", "c"], "X is strings, as 'a b'. Say what their features are: features='words'"),
        (np.array(["a b", "c"]), "X is strings, as 'a b'"),
        (np.array([1.0, 2.0]), "Expected 2D array, got 1D array"),
    ],
)
def test_bad_features_are_named_with_their_row(X, words):
    with pytest.raises(ValueError, match=words):
        PerceptronClassifier().fit(X, np.arange(len(X)) % 2)


@pytest.mark.parametrize(
    ("features", "X", "words"),
    [
        ("words", ["a", None], r"Words\(.*\) makes features of a string. Got None in row 1"),
        ("words", [["a"], ["b"]], r"Got \['a'\] in row 0"),
        ("characters", np.eye(2), r"makes features of a string. Got array.* in row 0"),
        (
            len,
            ["a", "b"],
            "features must make a dict, or a list or set of names, of an example. Got 1 for row 0",
        ),
        (lambda x: {"a": x}, [1, np.inf], "Got inf for 'a' in row 1"),
        ("words", [], "Found no examples"),
        ("words", (text for text in "ab"), "X must be a list with an example per row. Got <generator"),
        ("words", "text", "X must be a list with an example per row. Got 'text'"),
    ],
)
def test_what_features_cannot_take_is_named_with_its_row(features, X, words):
    with pytest.raises(ValueError, match=words):
        PerceptronClassifier(features=features).fit(X, [0, 1])


def test_errors_of_a_function_name_the_row():
    with pytest.raises(ZeroDivisionError) as raised:
        PerceptronClassifier(features=lambda x: {"a": 1 / x}).fit([1, 2, 0], [0, 1, 0])
    assert raised.value.__notes__ == ["It was raised by features, for row 2 of X."]
    with pytest.raises(ValueError, match="Found no examples: at least 1 is needed"):
        PerceptronClassifier().fit(DICTS, Y).predict([])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_any_library_hold_texts(library):
    module = pytest.importorskip(library)
    column = {"pandas": "Series", "polars": "Series", "pyarrow": "array"}[library]
    texts = getattr(module, column)(SPAM)
    learner = PerceptronClassifier(features="words", random_state=0).fit(texts, LABELS)
    assert learner.ledger_ == PerceptronClassifier(features="words", random_state=0).fit(SPAM, LABELS).ledger_
    assert learner.predict(texts).tolist() == LABELS
    if library == "pyarrow":
        assert learner.predict(module.chunked_array([SPAM[:2], SPAM[2:]])).tolist() == LABELS
    with pytest.raises(ValueError, match=r"makes features of a string. Got (nan|None) in row 1"):
        learner.predict(getattr(module, column)(["text", None]))
    frame = module.table({"t": SPAM}) if library == "pyarrow" else module.DataFrame({"t": SPAM})
    with pytest.raises(ValueError, match=r"Got a (DataFrame|Table): pass one of its columns"):
        learner.predict(frame)


@pytest.mark.parametrize("later", [np.eye(3), [[1, 2, 3]] * 3, matrix([{"a": 1}] * 3), "frame"])
@pytest.mark.parametrize("call", ["partial_fit", "predict", "fit"])
def test_kinds_of_data_are_not_mixed(later, call):
    later = pytest.importorskip("pandas").DataFrame(np.eye(3)) if isinstance(later, str) else later
    for first, then, kind in (
        (DICTS, later, "named features"),
        (np.eye(3), DICTS[:3], "rows of numbers"),
        (np.eye(3), [["a"], ["b"], []], "rows of numbers"),
    ):
        y = np.arange(len(first)) % 2
        learner = PerceptronClassifier(warm_start=True, random_state=0).fit(first, y)
        before = learner.ledger_
        calls = {"predict": (then,), "partial_fit": (then, [0, 1, 0]), "fit": (then, [0, 1, 0])}
        with pytest.raises(ValueError, match=f"one kind of data, and this one has learned from {kind}"):
            getattr(learner, call)(*calls[call])
        assert learner.ledger_ == before
        learner.set_params(warm_start=False).fit(then, [0, 1, 0])  # a new run has its own kind
        assert hasattr(learner, "vocabulary_") == (kind == "rows of numbers")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"features": "letters"}, "features must be None, 'words', 'characters', 'terms', or a function"),
        ({"features": Words}, "features must be None"),
        ({"features": 3}, "features must be None"),
        ({"hashing": 0}, "hashing must be None, or a number of features from 1 to 2\\*\\*27"),
        ({"hashing": True}, "hashing must be None"),
        ({"hashing": 2**28}, "hashing must be None"),
        (
            {"features": "words", "kernel": kernels.Function(lambda x, z: 1.0)},
            "Named features need a learner",
        ),
        ({"features": "words", "kernel": "precomputed"}, "with one of inner products, such as RBF"),
        ({"hashing": 8, "kernel": "precomputed"}, "Got hashing=8 for the kernel"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        PerceptronClassifier(**options).fit(SPAM, LABELS)


def test_named_features_need_a_kernel_of_inner_products():
    kernel = kernels.Matrix(lambda X, Z: np.asarray((X @ Z.T).todense()))
    with pytest.raises(ValueError, match="Named features need a learner without a kernel, or"):
        PerceptronClassifier(kernel).fit(DICTS, Y)


def test_kernels_on_objects_get_the_objects():
    kernel = kernels.Function(lambda x, z: float(len(set(x) & set(z))))
    learner = PerceptronClassifier(kernel, random_state=0).fit(DICTS, Y)
    assert learner.support_vectors_[0] in DICTS
    assert not hasattr(learner, "vocabulary_")


def test_hashing_is_for_names():
    with pytest.raises(ValueError, match=r"hashing is for named features.*Got hashing=8"):
        PerceptronClassifier(hashing=8).fit(np.eye(2), [0, 1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": "characters"}, "partial_fit cannot change features"),
        ({"hashing": 9}, "cannot change hashing"),
    ],
)
def test_partial_fit_keeps_features_and_hashing(change, words):
    learner = PerceptronClassifier(features="words", hashing=8).fit(SPAM, LABELS)
    with pytest.raises(ValueError, match=words):
        learner.set_params(**change).partial_fit(SPAM, LABELS)


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_errors_leave_no_names_behind(kernel):
    learner = PerceptronClassifier(kernel).fit(DICTS, Y)
    before = learner.vocabulary_
    for X, y in (
        ([{"new": 1, "other": "text"}, {"size": "nan"}, {"bad": None}], [0, 1, 1]),
        ([{"new": 1}], ["a label of another kind"]),
        ([{"new": 1}], [0, 1]),
        ([{"new": 1e80}], [0]) if kernel is None else ([{"new": 1}], [None]),
    ):
        with pytest.raises(ValueError, match=r"."):
            learner.partial_fit(X, y)
        assert learner.vocabulary_ == before
    assert learner.partial_fit([{"third": 1}], [0]).vocabulary_ == {**before, "third": len(before)}


def test_names_that_were_learned_stay_after_ctrl_c(monkeypatch):
    learner = PerceptronClassifier(rule="perceptron").fit(DICTS, Y)
    monkeypatch.setattr(
        PerceptronClassifier, "take_over", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        learner.partial_fit([{"new": 3}], [1])
    monkeypatch.undo()
    assert list(learner.vocabulary_)[-1] == "new"
    assert learner.n_features_in_ == learner.coef_.shape[1] == len(learner.vocabulary_)
    assert learner.predict([{"new": 1}]) == [1]
    assert learner.partial_fit([{"newer": 3}], [1]).n_features_in_ == len(learner.vocabulary_)
