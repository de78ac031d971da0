"""Probabilities of the classifier: what they need, what they change, and when they no longer hold."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from fixtures.ordinal import Ordinal
from fixtures.probability_data import KERNEL, NEW, NEW_THREE, NEW_Y, RANDOM, THREE, X, Y, every, made
from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.data.blocks import Block
from rosenblatt.estimators import validation
from rosenblatt.theory.calibration import fitted


@every
def test_calibration_changes_neither_ledger_nor_answers(name):
    learner, rows, labels = made(name, calibration=0.3)
    plain = clone(learner).set_params(calibration=None).fit(rows, labels)
    learner.fit(rows, labels)
    assert learner.ledger_ == plain.ledger_
    assert np.array_equal(learner.decision_function(rows), plain.decision_function(rows))
    assert np.array_equal(learner.predict(rows), plain.predict(rows))
    assert getattr(learner, "evals_result_", None) == getattr(plain, "evals_result_", None)
    assert list(learner.calibration_) == [learner.predictor]


@pytest.mark.parametrize("state", [None, "generator"])
def test_calibration_changes_no_run_of_a_shared_generator(state):
    ledgers = []
    for calibration in (None, 0.2):
        np.random.seed(7)  # noqa: NPY002
        random = np.random.default_rng(7) if state else None
        learner = PerceptronClassifier(random_state=random, calibration=calibration)
        ledgers.append(learner.fit(X, THREE).ledger_)
    assert ledgers[0] == ledgers[1]


@every
def test_predict_proba_is_in_the_order_of_classes(name):
    learner, rows, labels = made(name, calibration=0.3)
    found = learner.fit(rows, labels).predict_proba(rows)
    assert found.shape == (300, len(learner.classes_))
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found > 0).all()
    assert np.mean(learner.classes_[found.argmax(axis=1)] == labels) > 0.6
    np.testing.assert_allclose(np.exp(learner.predict_log_proba(rows)), found)


@pytest.mark.parametrize("name", ["dense", "CSR", "argmax", "one-vs-rest", "kernel", "budget"])
def test_calibration_is_fitted_to_the_share_that_a_second_run_has_not_learned_from(name):
    learner, rows, labels = made(name, calibration=0.3)
    found = learner.fit(rows, labels).calibration_[learner.predictor]
    held = validation.held_out(validation.by_label(labels), 0.3, np.random.default_rng(0))
    rest = validation.others(held, len(labels))
    second = clone(learner).set_params(calibration=None).fit(rows[rest], labels[rest])
    truths = np.searchsorted(learner.classes_, labels[held])
    assert len(held) == pytest.approx(90, abs=2)
    assert found == fitted(second.decision_function(rows[held]), truths)


def test_the_second_run_has_the_kernel_of_the_first():
    learner, rows, labels = made("gamma of the data", calibration=0.3)
    plain = clone(learner).set_params(kernel=learner.fit(rows, labels).kernel_)
    assert plain.fit(rows, labels).calibration_ == learner.calibration_
    named = PerceptronClassifier("poly", gamma=0.5, degree=2, coef0=1.0, calibration=0.3, random_state=0)
    assert named.fit(X, Y).predict_proba(NEW).shape == (200, 2)


def test_early_stopping_of_the_second_run_watches_the_same_set():
    learner = PerceptronClassifier(random_state=0, calibration=0.3, early_stopping=True, max_iter=30)
    found = learner.fit(X, THREE, eval_set=(NEW, NEW_THREE))
    plain = clone(learner).set_params(calibration=None).fit(X, THREE, eval_set=(NEW, NEW_THREE))
    assert found.evals_result_ == plain.evals_result_
    assert found.best_iteration_ == plain.best_iteration_


WORDS = ["a b c d", "b c d e", "a c e f", "a b f g", "h a b", "c d e"] * 3 + ["i j k", "a k l"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_texts_are_held_out_as_a_vectoriser_makes_new_ones(dtype):
    options = {"use_idf": False, "token_pattern": r"\w", "dtype": dtype}
    every = TfidfVectorizer(**options)
    rows = sp.csr_array(every.fit_transform(WORDS))
    rest = TfidfVectorizer(**options).fit(WORDS[:-2])
    found = validation.as_new(rows[-2:], rows[:-2])
    expected = np.zeros(found.shape)
    expected[:, [every.vocabulary_[word] for word in rest.get_feature_names_out()]] = rest.transform(
        WORDS[-2:]
    ).toarray()
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-5)
    assert found.dtype == dtype
    assert rows[-2:].toarray()[0].any()


def test_other_rows_are_held_out_as_they_are():
    rows = sp.csr_array(CountVectorizer(token_pattern=r"\w").fit_transform(WORDS).astype(float))
    hashed = sp.csr_array(HashingVectorizer(n_features=64, token_pattern=r"\w").fit_transform(WORDS))
    for each in (rows, hashed, rows.toarray()):
        held = each[-2:]
        assert validation.as_new(held, each[:-2]) is held


def test_probabilities_of_new_texts_are_calibrated():
    """Of texts of which half the words are rare: else the learner is too sure, by 0.047."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 3000)
    common = [random.integers(10 * label, 10 * label + 100, 10) for label in y]
    rare = [random.integers(100, 20_000, 10) for _ in y]
    texts = [" ".join(map(str, [*some, *others])) for some, others in zip(common, rare, strict=True)]
    words = TfidfVectorizer(token_pattern=r"\w+")
    rows, new = words.fit_transform(texts[:1500]), words.transform(texts[1500:])
    learner = PerceptronClassifier(random_state=0, calibration=0.3).fit(rows, y[:1500])
    found = learner.predict_proba(new)
    assert abs(found.max(axis=1).mean() - np.mean(found.argmax(axis=1) == y[1500:])) < 0.02


def test_calibrate_fits_the_scores_of_these_examples():
    learner = PerceptronClassifier(random_state=0).fit(X, THREE)
    assert learner.calibrate(NEW, NEW_THREE) is learner
    assert learner.calibration_ == {"average": fitted(learner.decision_function(NEW), NEW_THREE)}
    weights = RANDOM.integers(0, 3, len(NEW)).astype(float)
    weighted = clone(learner).fit(X, THREE).calibrate(NEW, NEW_THREE, weights).calibration_
    assert weighted == {"average": fitted(learner.decision_function(NEW), NEW_THREE, weights)}
    assert weighted != learner.calibration_


def test_the_most_probable_of_many_classes_is_the_answer():
    for name in ("argmax", "one-vs-rest", "kernel", "vote", "vote, one-vs-rest"):
        learner, rows, labels = made(name, calibration=0.3)
        found = learner.fit(rows, labels).predict_proba(NEW)
        assert np.array_equal(learner.classes_[found.argmax(axis=1)], learner.predict(NEW)), name


def test_calibrate_takes_some_of_many_classes_and_both_of_two():
    some = NEW_THREE < 2
    found = PerceptronClassifier(random_state=0).fit(X, THREE).calibrate(NEW[some], NEW_THREE[some])
    assert found.predict_proba(NEW).shape == (200, 3)
    with pytest.raises(ValueError, match=r"both classes\. Got some of 'yes' only"):
        PerceptronClassifier(random_state=0).fit(X, Y).calibrate(NEW, np.full(200, "yes"))


def test_votes_are_calibrated_by_their_log_odds():
    learner = PerceptronClassifier(random_state=0, predictor="vote").fit(X, Y).calibrate(NEW, NEW_Y)
    shares = learner.decision_function(NEW)
    odds = np.log((1.001 + shares) / (1.001 - shares))
    expected = fitted(odds, (NEW_Y == "yes").astype(int))
    np.testing.assert_allclose(learner.predict_proba(NEW), expected.probabilities(odds))


def test_sample_weight_weighs_the_share():
    weights = np.where(Y == "yes", 20.0, 1.0)
    learner = PerceptronClassifier(random_state=0, calibration=0.3)
    plain = learner.fit(X, Y).predict_proba(NEW)
    assert (learner.fit(X, Y, weights).predict_proba(NEW)[:, 1] > plain[:, 1]).mean() > 0.9


def test_calibrate_takes_kernel_values_of_other_rows():
    gram = KERNEL(X)
    learner = PerceptronClassifier("precomputed", random_state=0).fit(gram, Y)
    direct = PerceptronClassifier(KERNEL, random_state=0).fit(X, Y).calibrate(NEW, NEW_Y)
    found = learner.calibrate(KERNEL(NEW, X), NEW_Y).predict_proba(KERNEL(NEW, X))
    np.testing.assert_allclose(found, direct.predict_proba(NEW))


# What exists, and when


def test_probabilities_exist_only_where_they_can_be_computed():
    learner = PerceptronClassifier(random_state=0)
    for fitted_or_not in (learner, clone(learner).fit(X, Y)):
        for name in ("predict_proba", "predict_log_proba"):
            assert not hasattr(fitted_or_not, name)
            with pytest.raises(AttributeError, match=r"Call calibrate\(X, y\).* or fit with calibration"):
                getattr(fitted_or_not, name)
    later = PerceptronClassifier(calibration=0.2)
    assert hasattr(later, "predict_proba")
    with pytest.raises(NotFittedError):
        later.predict_proba(X)
    assert hasattr(later.fit(X, Y), "predict_proba")
    assert hasattr(clone(learner).fit(X, Y).calibrate(NEW, NEW_Y), "predict_log_proba")
    assert PerceptronClassifier.predict_proba.__doc__.startswith("Return the probability of every class")


def test_numbers_are_kept_for_each_predictor():
    learner = PerceptronClassifier(random_state=0, calibration=0.3).fit(X, THREE)
    average = learner.predict_proba(NEW)
    learner.set_params(predictor="last")
    assert not hasattr(learner, "predict_proba")
    with pytest.raises(AttributeError, match=r"predictor 'last' .*There are numbers for 'average'"):
        learner.predict_proba  # noqa: B018
    learner.calibrate(NEW, NEW_THREE)
    last = learner.predict_proba(NEW)
    assert np.array_equal(learner.predict_proba(NEW, predictor="average"), average)
    learner.set_params(predictor="average")
    assert np.array_equal(learner.predict_proba(NEW), average)
    assert np.array_equal(learner.predict_proba(NEW, predictor="last"), last)
    assert not np.array_equal(average, last)
    with pytest.raises(ValueError, match="predictor 'best' were not calibrated"):
        learner.predict_proba(NEW, predictor="best")
    with pytest.raises(ValueError, match="predictor must be one of"):
        learner.predict_proba(NEW, predictor="worst")


@pytest.mark.parametrize("again", ["fit", "partial_fit", "warm_start"])
def test_numbers_of_an_earlier_guess_are_dropped(again):
    learner = PerceptronClassifier(random_state=0).fit(X, Y).calibrate(NEW, NEW_Y)
    if again == "partial_fit":
        learner.partial_fit(X, Y)
    else:
        learner.set_params(warm_start=again == "warm_start").fit(X, Y)
    assert not hasattr(learner, "calibration_")
    assert not hasattr(learner, "predict_proba")


def test_numbers_outlast_an_error_and_a_failed_calibration():
    learner = PerceptronClassifier(random_state=0, calibration=0.3).fit(X, Y)
    before = learner.calibration_
    with pytest.raises(ValueError, match="NaN"):
        learner.fit(np.full_like(X, np.nan), Y)
    with pytest.raises(ValueError, match="not one of the classes"):
        learner.calibrate(NEW, np.full(len(NEW), "maybe"))
    assert learner.calibration_ is before


def test_copies_and_pickles_keep_the_numbers():
    learner = PerceptronClassifier(random_state=0, calibration=0.3).fit(X, THREE)
    for again in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        assert np.array_equal(again.predict_proba(NEW), learner.predict_proba(NEW))
    copied = copy.copy(learner).calibrate(NEW, NEW_THREE)
    assert copied.calibration_ != learner.calibration_
    assert not hasattr(clone(learner), "calibration_")


# Errors


@pytest.mark.parametrize("share", [0, 1, 1.0, -0.1, "0.2", True, np.nan])
def test_fit_rejects_other_shares(share):
    with pytest.raises(ValueError, match="calibration must be a number between 0 and 1"):
        PerceptronClassifier(calibration=share).fit(X, Y)


def test_fit_says_what_cannot_be_held_out():
    learner = PerceptronClassifier(random_state=0, calibration=0.2)
    for kernel in ("precomputed", kernels.Precomputed() + 1.0):
        with pytest.raises(ValueError, match="calibrate with kernel values of other rows"):
            clone(learner).set_params(kernel=kernel).fit(X @ X.T, Y)
    with pytest.raises(ValueError, match="Got the game Ordinal"):
        clone(learner).set_params(multiclass=Ordinal(3)).fit(X, THREE)
    with pytest.raises(ValueError, match="'sample' draws a guess"):
        clone(learner).set_params(predictor="sample").fit(X, Y)
    for predictor in ("last", "best"):
        with pytest.raises(ValueError, match=f"not in their {predictor} guess"):
            clone(learner).set_params(predictor=predictor).fit(X, Y)
    with pytest.raises(ValueError, match=r"nothing to hold out: calibration=0\.001 .* larger calibration"):
        clone(learner).set_params(calibration=0.001).fit(X, Y)
    with pytest.raises(ValueError, match=r"partial_fit .* holds none out\. Got calibration=0\.2"):
        learner.partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"Got calibration=0\.2: set it to None"):
        learner.fit_blocks([Block(X, Y)])
    assert not hasattr(learner, "task_")


def test_fit_with_a_warm_start_holds_out_only_where_a_run_begins():
    learner = PerceptronClassifier(random_state=0, calibration=0.2, warm_start=True).fit(X, Y)
    found = learner.calibration_
    with pytest.raises(ValueError, match=r"warm_start=True: set calibration=None and call calibrate"):
        learner.fit(X, Y)
    assert learner.calibration_ is found
    assert learner.set_params(calibration=None).fit(X, Y).n_iter_ > 10


def test_calibrate_says_what_it_needs():
    learner = PerceptronClassifier(random_state=0)
    with pytest.raises(NotFittedError):
        learner.calibrate(X, Y)
    learner.fit(X, THREE)
    with pytest.raises(ValueError, match="4 features"):
        learner.calibrate(NEW[:, :2], NEW_THREE)
    with pytest.raises(ValueError, match=r"one value of y per row"):
        learner.calibrate(NEW, NEW_THREE[:-1])
    with pytest.raises(ValueError, match="Got the game Ordinal"):
        clone(learner).set_params(multiclass=Ordinal(3)).fit(X, THREE).calibrate(NEW, NEW_THREE)
    with pytest.raises(ValueError, match="'sample' draws a guess"):
        learner.set_params(predictor="sample").calibrate(NEW, NEW_THREE)
    one = PerceptronClassifier().partial_fit(X[:5], np.zeros(5, int))
    with pytest.raises(ValueError, match="1 class only"):
        one.calibrate(NEW, np.zeros(len(NEW), int))
