"""Classes that come later in partial_fit: the run is that of an oracle in which a class plays once it has come."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import labelled_points, rejects, sparse
from rosenblatt import PerceptronClassifier, kernels, load, online, save
from rosenblatt.budgets import Budget
from rosenblatt.data.blocks import Block
from rosenblatt.kernels import Linear

NAMES = np.array(["d", "b", "a", "c"])
FORMS = {"dense": (np.asarray, None), "CSR": (sparse, None), "kernel": (np.asarray, Linear())}


def argmax_oracle(X, y, parts, first=1):
    """The multiclass perceptron; a class is a rival from the part on that brings it. Row, rival and truth."""
    weights = {}
    lines = []
    for part in parts:
        for label in y[part]:
            weights.setdefault(label, np.zeros(X.shape[1]))
        for i in range(part.start, part.stop):
            rivals = sorted(label for label in weights if label != y[i])
            if not rivals:
                continue
            rival = max(rivals, key=lambda label: (weights[label] @ X[i], -first * rivals.index(label)))
            if weights[y[i]] @ X[i] <= weights[rival] @ X[i]:
                weights[y[i]] = weights[y[i]] + X[i]
                weights[rival] = weights[rival] - X[i]
                lines.append((i, y[i], rival))
    return lines, weights


def ovr_oracle(X, y, parts):
    """One perceptron per class, each from the part on that brings the class. Row and class."""
    weights = {}
    lines = set()
    for part in parts:
        for label in y[part]:
            weights.setdefault(label, np.zeros(X.shape[1]))
        for i in range(part.start, part.stop):
            for label, w in weights.items():
                sign = 1 if label == y[i] else -1
                if sign * (w @ X[i]) <= 0:
                    weights[label] = w + sign * X[i]
                    lines.add((i, label))
    return lines, weights


def in_parts(learner, X, y, parts, form=np.asarray):
    for part in parts:
        learner.partial_fit(form(X[part]), y[part])
    return learner


def cut(X, cuts):
    edges = sorted({0, *(c for c in cuts if c < len(X)), len(X)})
    return [slice(a, b) for a, b in pairwise(edges)]


def late_classes(oracle=argmax_oracle):
    @given(
        labelled_points(4, most=20), st.lists(st.integers(1, 19), max_size=4), st.sampled_from(sorted(FORMS))
    )
    def law(points, cuts, name):
        (X, y), (form, kernel) = points, FORMS[name]
        labels, parts = NAMES[y], cut(X, cuts)
        if len(set(labels[parts[0]].tolist())) < 2:
            return
        learner = PerceptronClassifier(kernel, rule="perceptron", fit_intercept=False, predictor="last")
        if not X.any(axis=1).all():
            return  # a row of zeros is refused without an intercept
        in_parts(learner, X, labels, parts, form)
        lines, weights = oracle(X, labels, parts)
        assert learner.classes_.tolist() == sorted(set(labels.tolist()))
        if len(learner.classes_) == 2:
            return
        ledger = learner.ledger_
        found = []
        for k in range(len(ledger)):
            mine = ledger.correction == k
            up, down = (
                learner.classes_[ledger.output[mine][ledger.amount[mine] * s > 0]].item() for s in (1, -1)
            )
            found.append((int(ledger.row[mine][0]), up, down))
        assert found == lines
        if kernel is None:
            for row, label in zip(learner.coef_, learner.classes_, strict=True):
                assert np.array_equal(row, weights[label])

    return law


def test_argmax_with_late_classes_is_the_oracle():
    late_classes()()


def test_the_oracle_of_late_classes_rejects_another_order_of_ties():
    rejects(late_classes(partial(argmax_oracle, first=-1)))


@pytest.mark.parametrize("name", FORMS)
def test_ovr_with_late_classes_is_the_oracle(name):
    form, kernel = FORMS[name]
    random = np.random.default_rng(0)
    X, y = (
        random.integers(1, 5, (60, 3)) * random.choice([-1.0, 1.0], (60, 3)),
        NAMES[np.sort(random.integers(0, 4, 60))],
    )
    first = int(np.flatnonzero(y == NAMES[1])[0]) + 3
    parts = cut(X, [first, first + 10, first + 30])
    learner = PerceptronClassifier(
        kernel, multiclass="ovr", fit_intercept=False, predictor="last", rule="perceptron"
    )
    in_parts(learner, X, y, parts, form)
    lines, weights = ovr_oracle(X, y, parts)
    ledger = learner.ledger_
    found = {(int(i), str(learner.classes_[h])) for i, h in zip(ledger.example, ledger.head, strict=True)}
    assert found == {(i, str(label)) for i, label in lines}
    if kernel is None:
        for row, label in zip(learner.coef_, learner.classes_, strict=True):
            assert np.array_equal(row, weights[label])


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"]])
def test_a_single_class_is_told_from_another_that_comes_later(name, labels):
    form, kernel = FORMS[name]
    X = np.random.default_rng(0).integers(1, 4, (30, 3)).astype(float)
    X[15:] *= -1
    y = np.array(labels)[(np.arange(30) > 9).astype(int)]
    grown, told = (PerceptronClassifier(kernel, keep_examples=True) for _ in range(2))
    grown.partial_fit(form(X[:5]), y[:5])
    assert grown.classes_.tolist() == labels[:1]
    assert grown.predict(form(X)).tolist() == labels[:1] * 30
    told.partial_fit(form(X[:5]), y[:5], classes=labels)
    for learner in (grown, told):
        learner.partial_fit(form(X[5:]), y[5:])
    assert grown.ledger_ == told.ledger_
    for predictor in ("last", "best", "average", "vote"):
        assert np.array_equal(grown.predict(form(X), predictor), told.predict(form(X), predictor))
    assert grown.support_.tolist() == told.support_.tolist()
    assert grown.n_support_.tolist() == told.n_support_.tolist()


@pytest.mark.parametrize("multiclass", ["argmax", "ovr"])
@pytest.mark.parametrize("options", [{}, {"kernel": kernels.RBF(gamma=0.3)}, {"predictor": "recent"}])
def test_two_classes_continue_as_three(multiclass, options, tmp_path):
    random = np.random.default_rng(1)
    X = random.normal(size=(90, 3))
    y = np.where(X[:, 0] > 0, 2, 0)
    learner = PerceptronClassifier(multiclass=multiclass, keep_examples=True, random_state=0, **options)
    learner.fit(X[:60], y[:60])
    before = learner.predict(X, predictor="last")
    learner.partial_fit(X[60:61], y[60:61], classes=[0, 1, 2])
    assert learner.classes_.tolist() == [0, 1, 2]
    assert (learner.predict(X[:60], predictor="last") == before[:60]).mean() > 0.9
    y[60:] = 1
    learner.partial_fit(X[60:], y[60:])
    for predictor in ("last", "best", "average", "vote"):
        assert set(learner.predict(X, predictor=predictor)) <= {0, 1, 2}
    assert learner.explain(X[0], "average", label=1).output == 1
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.ledger_ == learner.ledger_
    assert np.array_equal(again.decision_function(X), learner.decision_function(X))
    again.partial_fit(X[:5], np.full(5, 7))
    assert again.classes_.tolist() == [0, 1, 2, 7]


def test_the_ledger_of_two_classes_becomes_that_of_argmax():
    """Each correction of one score is one of two: the run is that of two scores from the start."""
    random = np.random.default_rng(2)
    X, y = random.integers(-3, 4, (50, 3)).astype(float), random.integers(0, 2, 50)
    grown = PerceptronClassifier(shuffle=False, rule="perceptron").partial_fit(X[:40], y[:40])
    grown.partial_fit(X[40:], np.append(y[40:-1], 2))
    oracle = argmax_oracle(
        np.hstack([X, np.ones((50, 1))]), np.append(y[:-1], 2), [slice(0, 40), slice(40, 50)]
    )
    assert grown.ledger_.example.tolist() == [i for i, *_ in oracle[0]]
    margins, norms = grown.ledger_.margin, grown.ledger_.norm_squared
    assert np.array_equal(norms, 2 * ((X[grown.ledger_.example] ** 2).sum(axis=1) + 1))
    assert (margins[1:] <= 0).all()
    assert set(grown.task_.run.guess("vote").answers(grown.task_.rows(X)).tolist()) <= {0, 1, 2}


@pytest.mark.parametrize("policy", ["projection", "merging", "oldest"])
@pytest.mark.parametrize("multiclass", ["argmax", "ovr"])
def test_a_budget_takes_late_classes(policy, multiclass):
    random = np.random.default_rng(3)
    X = random.normal(size=(120, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    learner = PerceptronClassifier(
        kernels.RBF(gamma=1.0), budget=Budget(15, policy), multiclass=multiclass, random_state=0
    )
    learner.partial_fit(X[y < 2], y[y < 2]).partial_fit(X, y).partial_fit(X, y)
    assert learner.score(X, y) > 0.6
    assert learner.predict(X, predictor="vote").shape == (120,)


def test_an_error_after_a_new_class_leaves_the_run_as_it_was():
    random = np.random.default_rng(4)
    X, y = random.normal(size=(40, 3)), random.integers(0, 2, 40)
    for kernel in (None, kernels.RBF(gamma=0.3)):
        learner = PerceptronClassifier(kernel).partial_fit(X, y)
        ledger, classes = learner.ledger_, learner.classes_
        with pytest.raises(ValueError, match="Weights must be numbers"):
            learner.partial_fit(X, np.full(40, 5), sample_weight=np.full(40, -1.0))
        assert learner.ledger_ == ledger
        assert learner.classes_ is classes
        other = PerceptronClassifier(kernel).partial_fit(X, y)
        assert learner.partial_fit(X, y).ledger_ == other.partial_fit(X, y).ledger_


def test_late_classes_are_refused_where_they_cannot_be():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(40, 3)), random.integers(0, 2, 40)
    learner = PerceptronClassifier(ties="positive").partial_fit(X, y)
    with pytest.raises(ValueError, match=r"ties='positive' is for two classes. Got 3"):
        learner.partial_fit(X, y + 1)
    assert learner.classes_.tolist() == [0, 1]
    strings = PerceptronClassifier().partial_fit(X, np.array(["a", "b"])[y])
    with pytest.raises(ValueError, match="Labels must be of one kind"):
        strings.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"at least 2 classes to tell apart. Got 1 class only: 0"):
        PerceptronClassifier().fit(X, np.zeros(40))
    with pytest.raises(ValueError, match=r"at least 2 classes to tell apart. Got 1 class only: 0"):
        PerceptronClassifier().fit_blocks([Block(X, np.zeros(40, int))])


def test_fit_blocks_takes_classes_of_later_blocks():
    random = np.random.default_rng(6)
    X, y = random.normal(size=(60, 3)), np.repeat([3, 1, 2], 20)
    blocks = [Block(X[part], y[part]) for part in (slice(0, 20), slice(20, 40), slice(40, 60))]
    learner = PerceptronClassifier(max_iter=1, shuffle=False)
    learner.fit_blocks(blocks)
    other = PerceptronClassifier(shuffle=False)
    for block in blocks:
        other.partial_fit(block.X, block.y)
    assert learner.classes_.tolist() == [1, 2, 3]
    assert learner.ledger_ == other.ledger_


@pytest.mark.parametrize("labels", [["a", "b"], [[["a"]], [["b"]]]])
def test_a_budget_that_has_stored_nothing_takes_late_classes(labels):
    """As where every correction had a weight of 0."""
    learner = PerceptronClassifier(kernels.RBF(gamma=0.5), budget=5, class_weight={"a": 0.0}, ties="mistake")
    first, second = ([label] * 3 if isinstance(label, str) else label * 3 for label in labels)
    learner.partial_fit(np.eye(3), first)
    learner.partial_fit(np.eye(3), second)
    assert learner.classes_.tolist() == ["a", "b"]
    learner = online.Classifier(kernels.RBF(gamma=0.5), budget=5)
    learner.add_example([1.0, 0.0], "a", 0.0)
    learner.add_example([0.0, 1.0], "b")
    assert learner.predict([0.0, 1.0]) == "b"


def test_weights_of_classes_may_leave_out_those_that_come_later():
    learner = PerceptronClassifier(class_weight={"a": 1.0, "b": 2.0}, rule="perceptron", shuffle=False)
    X = np.eye(3)
    learner.partial_fit(X[[0, 2]], ["a", "c"])
    learner.partial_fit(X[[1]], ["b"])
    assert learner.ledger_.size.max() == 2.0
    with pytest.raises(ValueError, match="names 'B', which does not occur, and leaves out 'b'"):
        PerceptronClassifier(class_weight={"a": 1.0, "B": 2.0}).fit(X, ["a", "b", "a"])
    assert (
        PerceptronClassifier(class_weight={"a": 1, "b": 2, "c": 3})
        .fit(X, ["a", "b", "a"])
        .score(X, ["a", "b", "a"])
    )
