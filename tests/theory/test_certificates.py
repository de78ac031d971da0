"""Certificates: the bound holds where it must, and a broken one is reported."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures.playing import a_run, blobs, labelled_points
from rosenblatt import PerceptronClassifier, kernels
from rosenblatt.engine.learner import play_blocks
from rosenblatt.engine.run import Examples
from rosenblatt.games import Binary
from rosenblatt.kernels import RBF, Polynomial
from rosenblatt.rules import Margin, PassiveAggressive
from rosenblatt.theory.certificates import certify


@given(labelled_points(), st.integers(1, 5), st.booleans())
def test_certificate_holds_for_every_run(points, epochs, dual):
    X, y = points
    kernel = Polynomial(2) if dual else None
    run = a_run(Binary(), X, y, kernel=kernel, epochs=epochs, player=play_blocks, intercept=True)
    (certificate,) = certify(run, Examples(run.number(X), y))
    assert certificate.holds


def test_certificate_numbers_match_written_out_guesses():
    """Compare v_k · u and ‖v_k‖² with guesses that are written out."""
    X, y = blobs(2, apart=9.0)
    clf = PerceptronClassifier(
        fit_intercept=False, shuffle=False, max_iter=50, predictor="last", rule="perceptron"
    ).fit(X, y)
    u = np.array([1.0, -2.0, 0.5, 1.0])
    certificate = clf.certificate(X, y, u=u)
    ledger = clf.ledger_
    guesses = np.cumsum(np.where(y[ledger.example] == 1, 1, -1)[:, None] * X[ledger.example], axis=0)
    np.testing.assert_allclose(certificate.progress, guesses @ u / np.linalg.norm(u))
    np.testing.assert_allclose(certificate.length_squared, (guesses**2).sum(axis=1))
    assert certificate.radius_squared == pytest.approx((X[ledger.example] ** 2).sum(axis=1).max())


def test_certificate_margin_is_that_of_u():
    X, y = blobs(2, apart=9.0)
    clf = PerceptronClassifier(max_iter=100, random_state=0, predictor="last").fit(X, y)
    assert clf.converged_
    u = np.append(clf.coef_[0], clf.intercept_)
    margin = (np.where(y == 1, 1, -1) * clf.decision_function(X)).min() / np.linalg.norm(u)
    certificate = clf.certificate(X, y, u=u)
    assert certificate.margin == pytest.approx(margin)
    assert certificate.bound == pytest.approx(certificate.radius_squared / margin**2)
    own = clf.certificate(X, y)
    assert own.bound <= certificate.bound * (1 + 1e-9)


def test_certificate_is_equal_in_dual_and_primal():
    X, y = blobs(3, apart=9.0)
    options = {"max_iter": 100, "random_state": 0, "fit_intercept": True, "rule": "perceptron"}
    primal, dual = (
        PerceptronClassifier(k, **options).fit(X, y).certificate(X, y) for k in (None, kernels.Linear())
    )
    for name in ("mistakes", "radius_squared", "margin", "bound", "progress", "length_squared"):
        np.testing.assert_allclose(getattr(primal, name), getattr(dual, name), rtol=1e-6)


def test_certificate_bound_improves_with_a_wider_separator():
    X, y = blobs(2, apart=2.5, seed=1)
    clf = PerceptronClassifier(max_iter=500, random_state=0, rule="perceptron").fit(X, y)
    wide = PerceptronClassifier(rule=Margin(beta=5.0), max_iter=500, random_state=0, predictor="last").fit(
        X, y
    )
    assert clf.converged_
    assert wide.converged_
    mine, theirs = clf.certificate(X, y), clf.certificate(X, y, u=wide)
    assert theirs.separable
    assert theirs.holds
    assert theirs.margin > mine.margin
    assert theirs.bound < mine.bound
    assert "of another run" in str(theirs)


def test_certificate_promises_nothing_after_a_change_of_rule():
    X, y = blobs(2, apart=2.5, seed=1)
    clf = PerceptronClassifier(rule=Margin(beta=50.0), max_iter=500, random_state=0).fit(X[:-1], y[:-1])
    clf.set_params(rule="perceptron").partial_fit(X[-1:], y[-1:])
    certificate = clf.certificate(X, y)
    assert certificate.bound == np.inf
    assert certificate.holds is None
    assert "Nothing is promised: the rule was changed during the run" in str(certificate)


def test_certificate_rejects_other_examples():
    X, y = blobs(2, apart=2.5, seed=1)
    for kernel in (None, Polynomial(2)):
        clf = PerceptronClassifier(kernel, random_state=0, rule="perceptron").fit(X, y)
        with pytest.raises(ValueError, match=f"about the {len(X)} examples .* Got 7"):
            clf.certificate(X[:7], y[:7])
        with pytest.raises(ValueError, match="Got others"):
            clf.certificate(X[::-1], y[::-1])
        assert clf.certificate(sp.csr_matrix(X), y).holds
        with pytest.raises(ValueError, match=r"the same kernel.*Got RBF"):
            clf.certificate(X, y, u=PerceptronClassifier(RBF(sigma=1.0), rule="perceptron").fit(X, y))


@pytest.mark.parametrize("kernel", [None, Polynomial(2)], ids=repr)
@pytest.mark.parametrize(("classes", "multiclass"), [(2, "argmax"), (3, "argmax"), (3, "ovr")])
def test_certificate_rejects_other_labels(kernel, classes, multiclass):
    X, y = blobs(classes, apart=2.5, seed=1)
    clf = PerceptronClassifier(kernel, multiclass=multiclass, random_state=0).fit(X[:100], y[:100])
    clf.partial_fit(X[100:], y[100:])
    row = clf.support_[len(clf.support_) // 2]
    one = y.copy()
    one[row] = (y[row] + 1) % classes
    with pytest.raises(ValueError, match=f"with their labels. Got others: the label of row {row}, which"):
        clf.certificate(X, one)
    with pytest.raises(ValueError, match="is not what it was"):
        clf.certificate(X, (y + 1) % classes)
    clf.certificate(X, y)


def test_certificate_says_why_nothing_is_promised():
    X, y = blobs(2, apart=0.2)
    weights = np.arange(1, len(X) + 1)
    for rule, sample_weight, reason in [
        ("margin", None, "Margin(beta=1.0, eta=1.0) has a bound only for data that u separates"),
        (
            PassiveAggressive(variant="PA"),
            None,
            "PassiveAggressive(C=1.0, variant='PA') has a bound only for",
        ),
        (
            "margin",
            weights,
            "rules other than the perceptron's have bounds only for examples without weights",
        ),
        ("perceptron", weights, "examples with weights have a bound only if u separates them"),
    ]:
        clf = PerceptronClassifier(rule=rule, random_state=0).fit(X, y, sample_weight=sample_weight)
        assert f"Nothing is promised: {reason}" in str(clf.certificate(X, y))
    clf = PerceptronClassifier(random_state=0, rule="perceptron").fit(X, y)
    zero = clf.certificate(X, y, u=np.zeros(4))
    assert "Nothing is promised: u keeps no truth above its rivals." in str(zero)
    assert zero.unbounded
    assert not clf.certificate(X, y).unbounded


def test_certificate_prints_when_nothing_is_promised():
    X, y = blobs(2, apart=0.2)
    text = str(PerceptronClassifier(rule="margin", random_state=0).fit(X, y).certificate(X, y))
    assert "leaves some truth" in text
    assert "misses" not in text
    certificate = (
        PerceptronClassifier(random_state=0)
        .fit(X, np.arange(len(y)) % 2)
        .certificate(X, np.arange(len(y)) % 2)
    )
    assert certificate.vote_error_bound == 1  # 2k/m is above 1
    assert 2 * certificate.first_mistakes > certificate.examples


def test_certificate_uses_freund_and_schapire_on_inseparable_data():
    X, y = blobs(2, apart=0.4)
    clf = PerceptronClassifier(max_iter=3, random_state=0, rule="perceptron").fit(X, y)
    certificate = clf.certificate(X, y)
    assert not certificate.separable
    assert certificate.deviation > 0
    expected = ((np.sqrt(certificate.radius_squared) + certificate.deviation) / certificate.margin) ** 2
    assert certificate.bound == pytest.approx(expected)
    assert certificate.holds
    assert "Freund and Schapire" in str(certificate)


@pytest.mark.parametrize(("variant", "power"), [("PA-I", 1), ("PA-II", 2)])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_certificate_uses_crammers_theorems_on_inseparable_data(variant, power, C):
    X, y = blobs(2, apart=0.4)
    rule = PassiveAggressive(C, variant)
    clf = PerceptronClassifier(rule=rule, max_iter=3, fit_intercept=False, random_state=0).fit(X, y)
    u = np.array([1.0, 0.5, 0.0, 0.0])[: X.shape[1]]
    found = clf.certificate(X, y, u=u)
    margins = (2 * y - 1) * (X @ u) / np.linalg.norm(u)
    losses = 3 * (np.maximum(0, 1 - margins / found.margin) ** power).sum()
    once = max(found.radius_squared, 1 / C) if power == 1 else found.radius_squared + 1 / (2 * C)
    assert found.bound == pytest.approx(once * (1 / found.margin**2 + 2 * C * losses))
    assert found.mistakes < found.corrections
    assert found.holds
    assert "Crammer and others'" in str(found)
    assert not replace(found, mistakes=int(found.bound) + 1).holds


@pytest.mark.parametrize("eta", [1.0, 0.5])
@pytest.mark.parametrize("apart", [0.0, 0.4, 2.0])
def test_certificate_bounds_progress_on_inseparable_data(eta, apart):
    X, y = blobs(2, apart=apart)
    certificate = (
        PerceptronClassifier(max_iter=3, random_state=0, learning_rate=eta, rule="perceptron")
        .fit(X, y)
        .certificate(X, y)
    )
    assert not certificate.separable
    k = np.arange(1, certificate.corrections + 1)
    floor = eta * (k * certificate.margin - np.sqrt(k) * certificate.deviation)
    np.testing.assert_allclose(certificate.progress_floor, floor)
    assert (certificate.progress >= certificate.progress_floor).all()
    assert certificate.holds
    assert not replace(certificate, progress=certificate.progress_floor - 1e-3).holds


def test_certificate_of_one_vs_rest_is_a_list_per_class():
    X, y = blobs(3, apart=9.0)
    clf = PerceptronClassifier(multiclass="ovr", max_iter=100, random_state=0).fit(X, y)
    certificates = clf.certificate(X, y)
    assert len(certificates) == 3
    assert sum(c.mistakes for c in certificates) == len(clf.ledger_.mistakes)
    alone = PerceptronClassifier(max_iter=100, random_state=0).fit(X, y == 1)
    theirs = alone.certificate(X, y == 1)
    assert certificates[1].mistakes >= theirs.mistakes  # the others may need more epochs
    assert all(c.holds for c in certificates)


def test_certificate_prints_as_a_proof():
    X, y = blobs(2, apart=9.0)
    text = str(PerceptronClassifier(max_iter=100, random_state=0).fit(X, y).certificate(X, y))
    for word in (
        "mistakes",
        "Radius.",
        "Margin.",
        "Lemma 1.",
        "Lemma 2.",
        "Theorem.",
        "It holds",
        "Forecast.",
    ):
        assert word in text


def test_certificate_reports_a_broken_bound():
    X, y = blobs(2, apart=9.0)
    certificate = PerceptronClassifier(max_iter=100, random_state=0).fit(X, y).certificate(X, y)
    assert certificate.holds
    for broken in (
        replace(certificate, mistakes=10**6),
        replace(certificate, progress=certificate.progress_floor - 1),
        replace(certificate, length_squared=2 * certificate.length_ceiling),
    ):
        assert not broken.holds
        assert "DOES NOT HOLD" in str(broken)


def test_certificate_forecasts_k_over_m_of_the_first_epoch():
    X, y = blobs(2, apart=1.0)
    once, often = (
        PerceptronClassifier(max_iter=e, random_state=0).fit(X, y).certificate(X, y) for e in (1, 5)
    )
    assert once.sample_error_bound == once.mistakes / len(X)
    assert once.vote_error_bound == 2 * once.mistakes / len(X)
    assert often.mistakes > once.mistakes
    assert often.sample_error_bound == once.sample_error_bound


def test_certificate_widens_the_bound_with_sample_weights():
    X, y = blobs(2, apart=9.0)
    weights = np.where(np.arange(len(X)) % 2, 100.0, 0.01)
    clf = PerceptronClassifier(max_iter=500, random_state=0, predictor="last", rule="perceptron").fit(
        X, y, sample_weight=weights
    )
    certificate = clf.certificate(
        X, y, u=PerceptronClassifier(max_iter=500, predictor="last", rule="perceptron").fit(X, y)
    )
    assert certificate.separable
    assert certificate.holds
    assert certificate.bound > certificate.radius_squared / certificate.margin**2


def test_certificate_of_other_rules_has_no_bound_with_sample_weights():
    X, y = blobs(2, apart=9.0)
    clf = PerceptronClassifier(rule="margin", random_state=0).fit(
        X, y, sample_weight=np.arange(1, len(X) + 1)
    )
    certificate = clf.certificate(X, y)
    assert certificate.bound == np.inf
    assert "Nothing is promised" in str(certificate)


def test_certificate_is_equal_for_a_precomputed_kernel():
    X, y = blobs(2, apart=2.0)
    kernel = Polynomial(2)
    options = {"max_iter": 20, "random_state": 0}
    direct = PerceptronClassifier(kernel, **options).fit(X, y).certificate(X, y)
    looked_up = PerceptronClassifier("precomputed", **options).fit(kernel(X), y).certificate(kernel(X), y)
    np.testing.assert_allclose(looked_up.progress, direct.progress)
    assert looked_up.bound == pytest.approx(direct.bound)


def test_certificate_of_a_run_without_mistakes_holds():
    X, y = np.ones((3, 1)), np.ones(3, int)
    run = a_run(Binary(ties="positive"), X, y)  # 0 answers positive, and everything is
    (certificate,) = certify(run, Examples(run.number(X), y))
    assert (certificate.mistakes, certificate.bound) == (0, 0)
    assert certificate.holds
    assert "0 mistakes" in str(certificate)


@pytest.mark.parametrize(
    ("make", "u", "sentence"),
    [
        ({"start": "random"}, None, "starts at 0"),
        ({"keep_examples": False}, None, "did not keep them"),
        ({}, [1.0, 2.0], r"u must be finite weights of shape \(1, 4\), or \(1, 5\)"),
        ({"kernel": kernels.Linear()}, [1.0, 2.0, 3.0, 4.0], "pass a fitted"),
    ],
)
def test_certificate_rejects_unsupported_runs(make, u, sentence):
    X, y = blobs(2)
    clf = PerceptronClassifier(random_state=0, **make).fit(X, y)
    with pytest.raises(ValueError, match=sentence):
        clf.certificate(X, y, u=u)
