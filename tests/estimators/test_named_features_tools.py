"""Classifiers of named features beside everything else: searches, calibration, explanations, blocks, checkpoints."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from fixtures.named_data import DICTS, LABELS, SPAM, Y, same_run
from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.data.blocks import Block
from rosenblatt.estimators.validation import by_label, held_out
from rosenblatt.features import Words
from rosenblatt.streaming import Checkpoints


def test_searches_reach_into_features():
    grid = {"features__ngrams": [1, 2], "hashing": [None, 64]}
    search = GridSearchCV(PerceptronClassifier(features=Words(), random_state=0), grid, cv=2)
    search.fit(SPAM[:4] * 2, LABELS[:4] * 2)
    assert search.best_estimator_.features.ngrams in (1, 2)
    assert PerceptronClassifier(features="words").set_params(features__ngrams=3).features == Words(ngrams=3)
    assert clone(PerceptronClassifier(features=Words(2), hashing=4)).get_params()["features__ngrams"] == 2


def test_scikit_learns_tools_take_lists_of_examples():
    X, y = SPAM * 4, LABELS * 4
    assert cross_val_score(PerceptronClassifier(features="words", random_state=0), X, y, cv=2).mean() > 0.9
    assert cross_val_score(PerceptronClassifier(random_state=0), DICTS * 3, Y * 3, cv=2).mean() > 0.9
    A, B, a, b = train_test_split(X, y, random_state=0, stratify=y)
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    assert (
        make_pipeline(lower, PerceptronClassifier(features="words", random_state=0)).fit(A, a).score(B, b)
        == 1
    )
    tags = get_tags(PerceptronClassifier(features="words")).input_tags
    assert (tags.string, tags.dict, tags.two_d_array) == (True, True, False)
    assert get_tags(PerceptronClassifier()).input_tags.dict
    assert not get_tags(PerceptronClassifier("precomputed")).input_tags.string


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_validation_sets_calibration_and_early_stopping_take_texts(kernel):
    X, y = SPAM * 6, LABELS * 6
    learner = PerceptronClassifier(
        kernel,
        features="words",
        early_stopping=True,
        calibration=0.3,
        random_state=0,
        class_weight="balanced",
    )
    learner.fit(X, y, eval_set=[(SPAM, LABELS), (["entirely unknown words", "free money"], ["ham", "spam"])])
    assert len(learner.evals_result_["valid_1"]["accuracy"]) >= learner.best_iteration_
    assert learner.predict_proba(SPAM).shape == (5, 2)
    assert (
        PerceptronClassifier(kernel, features="words", early_stopping=True, random_state=0)
        .fit(X, y)
        .score(X, y)
    )
    learner.set_params(calibration=None).fit(X, y)
    assert learner.calibrate(["free lunch", "at noon"] * 3, ["spam", "ham"] * 3).predict_proba(
        ["noon"]
    ).shape == (1, 2)


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_calibration_is_by_a_run_that_knows_no_names_of_the_share(kernel):
    X = [f"{text} {i} {i % 7}" for i, text in enumerate(SPAM * 6)]
    y = np.array(LABELS * 6)
    named = PerceptronClassifier(kernel, features="words", calibration=0.3, random_state=0).fit(X, y)
    held = held_out(by_label(y), 0.3, np.random.default_rng(0))
    rest = np.setdiff1d(np.arange(len(X)), held)
    second = PerceptronClassifier(kernel, features="words", random_state=0)
    second.fit([X[i] for i in rest], y[rest]).calibrate([X[i] for i in held], y[held])
    found, expected = named.calibration_["average"], second.calibration_["average"]
    assert [found.slope, found.offset] == pytest.approx([expected.slope, expected.offset])


@pytest.mark.parametrize(("label", "sign"), [("ham", -1), ("spam", 1), (None, 1)])
def test_explain_lists_features_that_add_up_to_the_score_of_a_label(label, sign):
    learner = PerceptronClassifier(features="words", random_state=0).fit(SPAM, LABELS)
    found = learner.explain("free lunch for everyone", label=label)
    score = learner.decision_function(["free lunch for everyone"])[0]
    assert found.score == pytest.approx(sign * score)
    assert found.contribution.sum() + found.intercept == pytest.approx(found.score)
    assert set(found.features) <= {"free", "lunch", "for"}
    weights = dict(zip(learner.vocabulary_, learner.coef_[0], strict=True))
    assert found.weight == pytest.approx([sign * weights[name] for name in found.features])
    assert found.value == pytest.approx([0.5] * len(found))
    assert found.intercept == pytest.approx(sign * learner.intercept_[0])


def test_explain_names_features_of_frames_arrays_and_buckets():
    pandas = pytest.importorskip("pandas")
    X = np.array([[1, 2], [-1, 1], [3, -1], [-2, 2]])
    frame = pandas.DataFrame(X, columns=["left", "right"])
    both = PerceptronClassifier(random_state=0).fit(frame, Y).fit(DICTS, Y)
    assert not hasattr(both, "feature_names_in_")
    assert set(PerceptronClassifier(random_state=0).fit(frame, Y).explain(frame.iloc[0]).features) == {
        "left",
        "right",
    }
    plain = PerceptronClassifier(random_state=0).fit(X, Y)
    assert set(plain.explain(X[0]).features) == {"x[0]", "x[1]"}
    assert set(plain.explain(X[0], names=["one", "two"]).features) == {"one", "two"}
    hashed = PerceptronClassifier(hashing=2, random_state=0).fit(DICTS, Y)
    assert ", ".join(hashed.explain(DICTS[0]).features).replace("colour=red", "").strip(", ") == "size"
    with pytest.raises(ValueError, match="Features have weights in a learner without a kernel only"):
        PerceptronClassifier("rbf").fit(X, Y).explain(X[0], by="features")
    with pytest.raises(ValueError, match="by must be one of 'features', 'examples'"):
        plain.explain(X[0], by="rows")
    with pytest.raises(ValueError, match="explain takes a score apart, and 'vote' has none"):
        plain.explain(X[0], predictor="vote")
    assert plain.explain(X[0], by="examples").examples.tolist()
    assert len(PerceptronClassifier(keep_examples=False).fit(X, Y).explain(X[0]).features) > 0


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_sets_of_labels_and_warm_start(kernel):
    sets = [["a"], ["b"], ["a", "b"], [], ["c"]]
    learner = PerceptronClassifier(kernel, features="words", warm_start=True, random_state=0).fit(SPAM, sets)
    assert len(learner.predict(SPAM)) == 5
    learner.fit(["brand new words"], [["d"]])
    assert "brand" in learner.vocabulary_
    assert learner.classes_.tolist() == ["a", "b", "c", "d"]


def test_blocks_may_have_names():
    blocks = [Block(DICTS[:2], np.array(Y[:2])), Block(DICTS[2:], np.array(Y[2:]))]
    learner = PerceptronClassifier(shuffle=False)
    learner.fit_blocks(blocks)
    assert same_run(learner, PerceptronClassifier(shuffle=False).fit(DICTS, Y))
    assert (
        learner.vocabulary_ == PerceptronClassifier().fit(DICTS[:2], Y[:2]).partial_fit(DICTS, Y).vocabulary_
    )


def test_checkpoints_of_named_blocks_resume(tmp_path):
    blocks = [Block(DICTS[:2], np.array(Y[:2])), Block(DICTS[2:] * 9, np.arange(18) % 3 // 2)]
    whole, stopped = (PerceptronClassifier(random_state=0, max_iter=4) for _ in range(2))
    whole.fit_blocks(blocks, checkpoints=Checkpoints(tmp_path / "a", 7, {}))
    checkpoints = Checkpoints(tmp_path / "b", 7, {})
    with pytest.raises(ZeroDivisionError):
        stopped.fit_blocks(Failing(blocks, 3), checkpoints=checkpoints)
    resumed, position = Checkpoints(tmp_path / "b", 7, {}).found()
    resumed.fit_blocks(blocks, position=position, checkpoints=checkpoints)
    assert same_run(resumed, whole)
    assert resumed.vocabulary_ == whole.vocabulary_


class Failing:
    """Blocks that end with an error in one of the passes over them."""

    def __init__(self, blocks, passes):
        self.blocks, self.passes = blocks, passes

    def __iter__(self):
        self.passes -= 1
        yield from self.blocks if self.passes else [1 / 0]


def test_random_weights_are_for_the_first_names():
    learner = PerceptronClassifier(start="random", random_state=0).fit(DICTS, Y)
    with pytest.raises(ValueError, match="Random weights are drawn for the"):
        learner.partial_fit([{"new": 1}], [0])


def test_examples_without_names_are_rows_of_zeros():
    learner = PerceptronClassifier(random_state=0).fit([[], ["a"], []], [0, 1, 0])
    assert learner.predict([[], []]).tolist() == [0, 0]
    assert learner.predict([set(), {}]).tolist() == [0, 0]
    with pytest.raises(ValueError, match="Row 0 is a zero vector"):
        PerceptronClassifier(fit_intercept=False).fit([[], ["a"]], [0, 1])
