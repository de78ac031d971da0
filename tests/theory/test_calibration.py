"""Calibration: the laws of maximum likelihood, and Platt's and scikit-learn's own fits as oracles."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit, softmax
from sklearn.calibration import _SigmoidCalibration

from rosenblatt.theory.calibration import Calibration, fitted, fitted_temperature, log_odds

RANDOM = np.random.default_rng(0)


@st.composite
def scored(draw, classes=None, most=30):
    """Draw scores that are small integers, and truths of every class."""
    k = classes or draw(st.integers(2, 4))
    rows = draw(st.integers(k, most))
    width = 1 if k == 2 else k
    flat = draw(st.lists(st.integers(-4, 4), min_size=rows * width, max_size=rows * width))
    truths = [*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=rows - k, max_size=rows - k))]
    scores = np.array(flat, float).reshape(rows, width)
    return (scores[:, 0] if k == 2 else scores), np.array(truths)


def platts_loss(numbers, scores, truths):
    """Platt's likelihood with his targets, as his paper prints it, for two classes."""
    positive = np.sum(truths == 1)
    negative = len(truths) - positive
    wanted = np.where(truths == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    p = np.clip(expit(numbers[0] * scores + numbers[1]), 1e-300, 1)
    q = np.clip(expit(-numbers[0] * scores - numbers[1]), 1e-300, 1)
    return -np.mean(wanted * np.log(p) + (1 - wanted) * np.log(q))


@pytest.mark.slow
@given(scored(2))
def test_fitted_maximizes_platts_likelihood(drawn):
    scores, truths = drawn
    found = fitted(scores, truths)
    ours = platts_loss([found.slope, found.offset], scores, truths)
    for start in ([0.0, 0.0], [1.0, 0.0]):
        theirs = minimize(platts_loss, start, args=(scores, truths), method="Nelder-Mead").fun
        assert ours <= theirs + 1e-8


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_fitted_is_scikit_learns_sigmoid_for_two_classes(shift):
    truths = RANDOM.integers(0, 2, 500)
    scores = 5 * RANDOM.normal(size=500) + 3 * truths + shift
    found = fitted(scores, truths)
    theirs = _SigmoidCalibration().fit(scores, truths)
    assert found.slope == pytest.approx(-theirs.a_, rel=1e-3)
    assert found.offset == pytest.approx(-theirs.b_, rel=1e-3)
    np.testing.assert_allclose(found.probabilities(scores)[:, 1], theirs.predict(scores), atol=1e-4)


def noisy_loss(numbers, scores, truths):
    """The likelihood of the softmax with noise, of truths that are another class in one of n + 2 cases."""
    rows, classes = scores.shape
    noise = expit(numbers[1])
    found = np.log((1 - noise) * softmax(numbers[0] * scores, axis=1) + noise / classes)
    right = found[np.arange(rows), truths]
    others = (found.sum(axis=1) - right) / (classes - 1)
    return -np.mean((rows + 1) * right + others) / (rows + 2)


@pytest.mark.slow
@given(st.integers(3, 4).flatmap(scored))
def test_fitted_maximizes_the_likelihood_of_the_softmax_with_noise(drawn):
    scores, truths = drawn
    found = fitted(scores, truths)
    ours = noisy_loss([found.slope, logit(max(found.noise, 1e-300))], scores, truths)
    start = [found.slope, max(logit(max(found.noise, 1e-300)), -20)]
    near = minimize(noisy_loss, start, args=(scores, truths), method="Nelder-Mead").fun
    without = minimize(lambda a: noisy_loss([a[0], -40.0], scores, truths), [0.0], method="Nelder-Mead").fun
    assert ours <= min(near, without) + 1e-6


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_fitted_finds_the_numbers_that_truths_were_drawn_with(classes):
    scores = 2 * RANDOM.normal(size=(40_000, classes))
    scores = scores[:, 0] if classes == 2 else scores
    known = Calibration(0.8, offset=-0.5) if classes == 2 else Calibration(0.8, noise=0.1)
    drawn = RANDOM.random((40_000, 1)) > known.probabilities(scores).cumsum(axis=1)
    found = fitted(scores, drawn[:, :-1].sum(axis=1))
    assert found.slope == pytest.approx(known.slope, abs=0.03)
    assert found.offset == pytest.approx(known.offset, abs=0.05)
    assert found.noise == pytest.approx(known.noise, abs=0.02)


@pytest.mark.slow
@given(scored(), st.sampled_from([2.0**-40, 0.25, 2.0, 2.0**40]))
def test_fitted_does_not_depend_on_the_scale_of_scores(drawn, times):
    scores, truths = drawn
    assume(scores.std() > 0)
    found, scaled = fitted(scores, truths), fitted(times * scores, truths)
    assert scaled == found.for_scores(times)
    assert np.array_equal(scaled.probabilities(times * scores), found.probabilities(scores))


@given(scored(2, most=12), st.data())
def test_weights_repeat_rows(drawn, data):
    scores, truths = drawn
    times = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(truths), max_size=len(truths))))
    weighted = fitted(scores, truths, times.astype(float)).probabilities(scores)
    repeated = fitted(np.repeat(scores, times), np.repeat(truths, times)).probabilities(scores)
    np.testing.assert_allclose(weighted, repeated, atol=1e-4)


def test_weights_repeat_rows_of_many_classes():
    truths = RANDOM.integers(0, 3, 200)
    scores, times = RANDOM.normal(size=(200, 3)) + 2 * np.eye(3)[truths], RANDOM.integers(0, 4, 200)
    weighted = fitted(scores, truths, times.astype(float)).probabilities(scores)
    repeated = fitted(np.repeat(scores, times, axis=0), np.repeat(truths, times)).probabilities(scores)
    np.testing.assert_allclose(weighted, repeated, atol=1e-4)


@given(scored(), st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 0.9))
def test_probabilities_are_those_of_the_formula(drawn, slope, offset, noise):
    scores, truths = drawn
    classes = truths.max() + 1
    if classes == 2:
        found, second = Calibration(slope, offset), expit(slope * scores + offset)
        expected = np.column_stack([1 - second, second])
    else:
        found = Calibration(slope, noise=noise)
        expected = (1 - noise) * softmax(slope * scores, axis=1) + noise / classes
    np.testing.assert_allclose(found.probabilities(scores), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.probabilities(scores).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(found.log_probabilities(scores)), found.probabilities(scores))
    if classes > 2 and slope > 0.1:
        best = found.probabilities(scores).argmax(axis=1)
        assert np.array_equal(scores[np.arange(len(scores)), best], scores.max(axis=1))


@pytest.mark.parametrize("scores", [[0, 0, 0, 0], [-1, 1, -1, 1], [-9, 5, -9, 5], [1, 0, 1, 0]])
def test_fitted_is_finite_where_scores_are_equal_or_separate(scores):
    truths, scores = np.array([0, 1, 0, 1]), np.array(scores, float)
    for given_scores in (scores, np.column_stack([-scores, scores, 0 * scores])):
        found = fitted(given_scores, truths)
        assert np.isfinite([found.slope, found.offset, found.noise]).all()
        assert (found.probabilities(given_scores) > 0).all()


def test_log_probabilities_are_finite_far_from_zero():
    found = Calibration(1.0).log_probabilities(np.array([-1e5, 1e5]))
    np.testing.assert_allclose(found, [[0, -1e5], [-1e5, 0]])
    found = Calibration(1.0).log_probabilities(np.array([[0.0, -1e5, -1e5]]))
    np.testing.assert_allclose(found, [[0, -1e5, -1e5]])
    found = Calibration(1.0, noise=0.3).log_probabilities(np.array([[0.0, -1e5, -1e5]]))
    np.testing.assert_allclose(np.exp(found), [[0.8, 0.1, 0.1]])


def test_log_odds_are_odd_and_finite():
    votes = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    found = log_odds(votes)
    np.testing.assert_allclose(found, -found[::-1], atol=1e-12)
    np.testing.assert_allclose(found[3], np.log(3), atol=0.01)
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("best", [1e-2, 1.0, 15.0])
def test_fitted_temperature_finds_the_minimum(best):
    def loss(temperature):
        return (np.log(temperature) - np.log(best)) ** 2

    assert fitted_temperature(loss, 3.0) == pytest.approx(best, rel=0.02)
    assert fitted_temperature(loss, np.inf) == pytest.approx(best, rel=0.02)
