"""The classifier with sets of labels beside everything else: stopping, explanations, tools, model files, errors."""

import copy
import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score, get_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from fixtures.label_set_data import NAMES, X, Y, listed
from rosenblatt import PerceptronClassifier, games, kernels, load, save
from rosenblatt.budgets import Budget
from rosenblatt.kernels import Linear
from rosenblatt.persistence import ModelError, archive, to_json, to_onnx


def test_warm_start_continues_the_run():
    both = (
        PerceptronClassifier(max_iter=2, shuffle=False, warm_start=True).fit(X, listed(Y)).fit(X, listed(Y))
    )
    once = PerceptronClassifier(max_iter=4, shuffle=False).fit(X, listed(Y))
    assert both.ledger_.when.tolist() == once.ledger_.when.tolist()
    assert np.array_equal(both.decision_function(X), once.decision_function(X))


def test_early_stopping_and_eval_set_score_whole_sets():
    learner = PerceptronClassifier(early_stopping=True, max_iter=20, random_state=0, n_iter_no_change=2).fit(
        X, Y
    )
    scores = learner.evals_result_["valid_0"]["accuracy"]
    assert scores[learner.best_iteration_ - 1] == max(scores)
    assert learner.n_iter_ == learner.best_iteration_
    held = (X[:20], listed(Y[:20])), (X[20:30], [*listed(Y[20:29]), ("unknown",)])
    learner = PerceptronClassifier(max_iter=3, random_state=0).fit(X, listed(Y), eval_set=list(held))
    for i, (rows, labels) in enumerate(held):
        assert learner.evals_result_[f"valid_{i}"]["accuracy"][-1] == learner.score(rows, labels)


def test_certificates_are_those_of_binary_learners():
    rows = np.hstack([Y * 2.0 - 1, X])
    learner = PerceptronClassifier(max_iter=100, random_state=0, predictor="last").fit(rows, listed(Y))
    found = learner.certificate(rows, listed(Y))
    for column, label in enumerate(learner.classes_.tolist()):
        truth = Y[:, NAMES.tolist().index(label)]
        one = PerceptronClassifier(max_iter=100, random_state=0, predictor="last").fit(rows, truth)
        assert str(found[column]) == str(one.certificate(rows, truth))
        assert found[column].holds
    assert len(learner.certificate(rows, listed(Y), u=learner)) == 3
    other = listed(Y)
    corrected = int(learner.ledger_.row[0])
    other[corrected] = ("b",) if other[corrected] != ("b",) else ("a",)
    with pytest.raises(
        ValueError, match=f"the label of row {corrected}, which was corrected, is not what it was"
    ):
        learner.certificate(rows, other)
    with pytest.raises(ValueError, match=r"Row 0 has a label that is not one of the labels 'a', 'b', 'c'"):
        learner.certificate(rows, [("x",), *listed(Y)[1:]])


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)], ids=repr)
def test_explain_adds_up_to_the_score_of_a_label(kernel):
    learner = PerceptronClassifier(kernel, random_state=0).fit(X, listed(Y))
    for label in (*NAMES.tolist(), None):
        found = learner.explain(X[3], label=label, by="examples")
        column = (
            int(np.argmax(learner.decision_function(X[3:4]))) if label is None else sorted(NAMES).index(label)
        )
        assert found.output == learner.classes_[column]
        assert np.isclose(found.score, learner.decision_function(X[3:4])[0, column])
        assert np.isclose(found.contribution.sum(), found.score)
        assert found.answer == learner.predict(X[3:4])[0]
        assert [found.labels[i] for i in range(3)] == [
            tuple(sorted(listed(Y)[e])) for e in found.examples[:3]
        ]
        assert f"The score of {found.output}" in str(found)
        if kernel is None:
            features = learner.explain(X[3], label=label)
            assert (features.output, features.answer) == (found.output, found.answer)
            assert np.isclose(features.contribution.sum() + features.intercept, found.score)
    with pytest.raises(ValueError, match="label must be one of"):
        learner.explain(X[3], label="x")
    with pytest.raises(ValueError, match="explain takes a score apart"):
        learner.explain(X[3], predictor="vote")


def test_n_support_counts_the_support_vectors_that_have_a_label():
    learner = PerceptronClassifier(kernels.RBF(gamma=0.1), random_state=0).fit(X, Y)
    assert learner.n_support_.tolist() == Y[learner.support_].sum(axis=0).tolist()
    merging = PerceptronClassifier(kernels.RBF(gamma=0.1), budget=Budget(10, "merging"), random_state=0).fit(
        X, Y
    )
    assert (merging.support_ < 0).any()
    assert ((merging.n_support_ >= 0) & (merging.n_support_ <= 10)).all()


def test_scikit_learns_tools_take_indicator_matrices():
    assert get_tags(PerceptronClassifier()).classifier_tags.multi_label
    rows, indicator = make_multilabel_classification(200, 10, n_classes=4, random_state=0)
    learner = make_pipeline(StandardScaler(), PerceptronClassifier(random_state=0))
    assert cross_val_score(learner, rows, indicator).mean() > 0.3
    for scoring in ("f1_micro", "f1_macro", "roc_auc", "average_precision", "accuracy"):
        assert np.isfinite(cross_val_score(learner, rows, indicator, scoring=scoring)).all()
    grid = GridSearchCV(
        PerceptronClassifier(random_state=0), {"max_iter": [1, 5], "rule": ["margin", "perceptron"]}
    )
    assert grid.fit(rows, indicator).best_score_ == grid.cv_results_["mean_test_score"].max()
    assert cross_val_predict(learner, rows, indicator).shape == indicator.shape
    two = indicator[:, :2]
    scorer = get_scorer("roc_auc")
    assert scorer(PerceptronClassifier(random_state=0).fit(rows, two), rows, two) > 0.8
    theirs = OneVsRestClassifier(PerceptronClassifier(random_state=0, max_iter=10)).fit(rows, indicator)
    ours = PerceptronClassifier(random_state=0, max_iter=10).fit(rows, indicator)
    assert np.array_equal(theirs.predict(rows), ours.predict(rows))
    assert f1_score(indicator, ours.predict(rows), average="micro") > 0.7


def test_scikit_learns_tools_take_lists_with_a_splitter_that_reads_no_labels():
    rows, indicator = make_multilabel_classification(100, 10, n_classes=4, random_state=0)
    sets = listed(indicator, np.array(["a", "b", "c", "d"]))
    learner = PerceptronClassifier(random_state=0)
    expected = cross_val_score(learner, rows, indicator, cv=KFold(4))
    assert np.array_equal(cross_val_score(learner, rows, sets, cv=KFold(4)), expected)
    grid = GridSearchCV(learner, {"max_iter": [1, 5]}, cv=KFold(4)).fit(rows, sets)
    assert isinstance(grid.predict(rows)[0], tuple)


@pytest.mark.parametrize(
    "options", [{}, {"kernel": Linear()}, {"kernel": Linear(), "budget": 20}, {"predictor": "recent"}]
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, listed])
def test_models_with_sets_of_labels_are_saved(options, form, tmp_path):
    learner = PerceptronClassifier(random_state=0, **options).fit(X, form(Y))
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again.predict(X)) is type(learner.predict(X))
    assert again.classes_.tolist() == learner.classes_.tolist()
    for one, other in ((again, learner), (again.partial_fit(X, form(Y)), learner.partial_fit(X, form(Y)))):
        assert one.ledger_ == other.ledger_
        assert np.array_equal(one.decision_function(X), other.decision_function(X))
        assert one.n_support_.tolist() == other.n_support_.tolist()
        assert one.score(X, form(Y)) == other.score(X, form(Y))
    first = (tmp_path / "model").read_bytes()
    save(load(tmp_path / "model"), tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == first


def test_broken_models_with_sets_of_labels_are_refused(tmp_path):
    save(PerceptronClassifier(Linear(), random_state=0).fit(X, Y), tmp_path / "model")
    header, arrays = archive.read(tmp_path / "model")
    truths = next(name for name in arrays if name.endswith("truths"))

    def refused(change, message):
        broken, others = copy.deepcopy(header), dict(arrays)
        change(broken["fitted"], others)
        archive.write(tmp_path / "broken", broken, others)
        with pytest.raises(ModelError, match=message):
            load(tmp_path / "broken")

    refused(lambda fitted, _: fitted.update(label_sets="dict"), "label_sets")
    refused(lambda fitted, _: fitted.pop("label_sets"), "the game should fit the classes")
    refused(
        lambda fitted, _: fitted.update(game={"game": ["multilabel", {"labels": 4, "ties": "mistake"}]}),
        "the game should fit",
    )
    refused(lambda fitted, _: fitted.update(game={"game": ["ovr", {"classes": 3}]}), "the game should fit")
    refused(
        lambda fitted, _: fitted.update(game={"game": ["multilabel", {"labels": 3.0, "ties": "mistake"}]}),
        "possible",
    )
    refused(
        lambda _, others: others.update({truths: arrays[truths][:, :2].copy()}),
        "truths should be an array of",
    )
    refused(
        lambda _, others: others.update({truths: arrays[truths] + np.int8(2)}), "truths should be classes"
    )
    refused(
        lambda _, others: others.update({truths: arrays[truths].astype(np.int64)}),
        "truths should be of type int8",
    )


@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)], ids=repr)
def test_exports_answer_with_sets_of_labels(ties, kernel):
    runtime = pytest.importorskip("onnxruntime")
    rows = np.vstack([X, np.zeros((1, 4))])
    for given in (Y, listed(Y), sp.csr_array(Y[:, :1])):
        learner = PerceptronClassifier(kernel, ties=ties, fit_intercept=False, random_state=0).fit(X, given)
        expected = learner.decision_function(rows)
        session = runtime.InferenceSession(to_onnx(learner), providers=["CPUExecutionProvider"])
        label, scores = session.run(None, {"X": rows})
        assert scores.shape == expected.shape == label.shape
        assert np.allclose(scores, expected)
        assert np.array_equal(label, expected >= 0 if ties == "positive" else expected > 0)
        found = json.loads(to_json(learner))
        assert found["multilabel"] is True
        assert (found["classes"], found["ties"]) == (learner.classes_.tolist(), ties)
        assert len(found["coefficients"]) == len(found["classes"])


def test_online_memory_stays_bounded_without_examples():
    learner = PerceptronClassifier(keep_examples=False, random_state=0).fit(X, Y)
    other = PerceptronClassifier(random_state=0).fit(X, Y)
    assert np.array_equal(learner.decision_function(X), other.decision_function(X))
    with pytest.raises(ValueError, match="keep_examples"):
        learner.predict(X, "vote")


def test_random_start_is_drawn_for_every_label():
    learner = PerceptronClassifier(start="random", random_state=0).fit(X, Y)
    assert learner.run_.primal.start.shape == (5, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda new: new().fit(X, Y[:-1]), "one set of labels per row. Got 80 rows and 79 sets"),
        (lambda new: new().fit(X, [()] * 80), "at least 1 label"),
        (lambda new: new().fit(X, np.zeros((80, 0))), "at least 1 label"),
        (lambda new: new().fit(X, Y + 1), "indicator matrix of 0 and 1.*Got the value 2"),
        (
            lambda new: new(multiclass=games.Argmax(3)).fit(X, Y),
            "A game of your own is for one label per row",
        ),
        (lambda new: new(class_weight="balanced").partial_fit(X, Y), "balanced"),
        (lambda new: new().fit(X, Y[:, 0]).partial_fit(X, Y), "one label per row. Got sets"),
        (lambda new: new().fit(X, Y[:, 0]).partial_fit(X, listed(Y)), "one label per row. Got sets"),
        (lambda new: new().fit(X, Y[:, 0], eval_set=(X, Y)), "one label per row. Got sets"),
        (lambda new: new(warm_start=True).fit(X, Y[:, 0]).fit(X, Y), "one label per row. Got sets"),
        (lambda new: new().fit(X, Y).partial_fit(X, Y[:, 0]), "With several labels per row"),
        (lambda new: new().fit(X, Y).partial_fit(X, ["a"] * 80), "With several labels per row.*Got 'a'"),
        (lambda new: new().fit(X, Y).partial_fit(X, None), "With several labels per row.*Got None"),
        (lambda new: new().fit(X, Y).partial_fit(X, Y[:, :2]), "each of the 3 labels. Got 2 columns"),
        (lambda new: new().fit(X, Y).score(X, Y[:, :2]), "each of the 3 labels. Got 2 columns"),
        (lambda new: new().fit(X, Y).score(X, np.hstack([Y, Y])), "each of the 3 labels. Got 6 columns"),
        (
            lambda new: new().fit(X, listed(Y)).partial_fit(X, np.hstack([Y, Y])),
            "each of the 3 labels. Got 6",
        ),
        (lambda new: new().fit(X, listed(Y)).partial_fit(X, [(1,)] * 80), "of one kind. Got 1 after 'a'"),
        (lambda new: new(ties="positive").fit(X, Y).set_params(ties="mistake").partial_fit(X, Y), "ties"),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call(PerceptronClassifier)


def test_an_error_leaves_the_learner_as_it_was():
    learner = PerceptronClassifier().partial_fit(X, listed(Y))
    before, scores = learner.classes_.tolist(), learner.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        learner.partial_fit(np.full((1, 4), np.nan), [("new",)])
    with pytest.raises(ValueError, match="one set of labels per row"):
        learner.partial_fit(X, [("new",)])
    assert learner.classes_.tolist() == before
    assert np.array_equal(learner.decision_function(X), scores)
    assert len(learner.task_.classes) == 3


def test_frames_name_the_labels_that_come_later():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(Y, columns=NAMES)
    learner = PerceptronClassifier().partial_fit(X, frame[["c", "a"]])
    assert learner.classes_.tolist() == ["c", "a"]
    learner.partial_fit(X, frame)
    assert learner.classes_.tolist() == ["c", "a", "b"]
    assert learner.score(X, frame[["a", "b", "c"]]) == learner.score(X, frame)
    assert learner.score(X, frame[["c", "a", "b"]].to_numpy()) == learner.score(X, frame)
    with pytest.raises(ValueError, match="Got none for 'b'"):
        learner.partial_fit(X, frame[["c", "a"]])
