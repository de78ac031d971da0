"""PerceptronTagger: every kind of input, the learner behind it, and scikit-learn's contract."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

from fixtures.tagging_data import DICTS, INPUTS, ROWS, SENTENCES, TAGS, arrays, features
from rosenblatt import PerceptronTagger, kernels
from rosenblatt.data import read_conll
from rosenblatt.features import NameEncoder, word


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("predictor", ["last", "average", "best", "vote", "sample"])
def test_fit_learns_every_kind_of_input(kind, predictor):
    X, options = INPUTS[kind]
    tagger = PerceptronTagger(predictor="vote", max_iter=30, random_state=0, **options).fit(X, TAGS)
    tagger.set_params(predictor=predictor)
    if predictor == "last":
        assert tagger.predict(X) == TAGS
        assert tagger.converged_
    assert [len(labels) for labels in tagger.predict(X)] == [len(labels) for labels in TAGS]
    assert tagger.score(X, TAGS) > (0.7 if predictor != "sample" else 0.2)
    assert tagger.predict([]) == []
    if kind not in ("arrays", "sparse", "kernel"):
        assert [*map(len, tagger.predict([[], X[1][:1]]))] == [0, 1]


@pytest.mark.parametrize("kind", ["texts", "dicts", "crfpp pairs", "arrays", "kernel"])
@pytest.mark.parametrize("rule", ["perceptron", "margin", "passive-aggressive"])
def test_partial_fit_in_parts_is_one_epoch(kind, rule):
    """Ledger, average and answers do not depend on the parts."""
    X, options = INPUTS[kind]
    whole = PerceptronTagger(rule=rule, max_iter=1, shuffle=False, **options).fit(X, TAGS)
    parts = PerceptronTagger(rule=rule, **options)
    for part in (slice(0, 1), slice(1, 4), slice(4, None)):
        parts.partial_fit(X[part], TAGS[part], classes=whole.classes_)
    for column in ("when", "example", "correction", "row", "output"):
        assert np.array_equal(getattr(parts.ledger_, column), getattr(whole.ledger_, column))
    assert np.allclose(parts.ledger_.amount, whole.ledger_.amount)
    scores = ([score for _, score in tagger.n_best(X, 3)[0]] for tagger in (whole, parts))
    assert np.allclose(*scores)


def test_fit_and_predict_accept_generators(monkeypatch):
    monkeypatch.setattr("rosenblatt.tasks.tagging.reading.AT_ONCE", 2)
    expected = PerceptronTagger(random_state=0).fit(SENTENCES, TAGS)
    pairs = zip(SENTENCES, TAGS, strict=True)
    for X, y in (
        (iter(SENTENCES), iter(TAGS)),
        (pairs, None),
        (list(zip(SENTENCES, TAGS, strict=True)), None),
    ):
        found = PerceptronTagger(random_state=0).fit(X, y)
        assert found.ledger_ == expected.ledger_
        assert found.predict(iter(SENTENCES)) == expected.predict(SENTENCES)
    assert (
        PerceptronTagger(random_state=0).fit([[], *SENTENCES], [[], *TAGS]).classes_.tolist()
        == expected.classes_.tolist()
    )


def test_fit_accepts_one_array_with_lengths():
    X, y, lengths = np.concatenate(arrays()), np.concatenate(TAGS), [len(s) for s in SENTENCES]
    tagger = PerceptronTagger(random_state=0, keep_examples=True).fit(X, y, lengths=lengths)
    assert tagger.ledger_ == PerceptronTagger(random_state=0).fit(arrays(), TAGS).ledger_
    assert tagger.predict(X, lengths=lengths).tolist() == y.tolist()
    assert tagger.certificate(X, y, lengths=lengths).holds
    assert tagger.score(X, y, lengths=lengths) == 1.0


@pytest.mark.parametrize("pairs", ["crfpp", "pairs", "dicts"])
def test_pruned_changes_no_answer(pairs):
    X, options = INPUTS[pairs]
    tagger = PerceptronTagger(random_state=0, max_iter=3, **options).fit(X, TAGS)
    small = tagger.pruned()
    assert [[score for _, score in paths] for paths in small.n_best(X, 3)] == [
        [score for _, score in paths] for paths in tagger.n_best(X, 3)
    ]
    assert small.task_.encoder.width <= tagger.task_.encoder.width
    assert tagger.pruned(1e9).task_.encoder.width == 0
    with pytest.raises(ValueError, match="cannot learn"):
        small.partial_fit(X, TAGS)
    with pytest.raises(ValueError, match="no features to leave out"):
        PerceptronTagger(kernels.Linear()).fit(arrays(), TAGS).pruned()


def test_min_count_drops_rare_features():
    all_of_them = PerceptronTagger(random_state=0).fit(SENTENCES, TAGS)
    often = PerceptronTagger(min_count=2, random_state=0).fit(SENTENCES, TAGS)
    assert 0 < often.task_.encoder.width < all_of_them.task_.encoder.width
    assert often.score(SENTENCES, TAGS) > 0.8
    often.partial_fit([["quick"]], [["ADJ"]])
    with pytest.raises(ValueError, match="min_count"):
        PerceptronTagger(min_count=2).fit(arrays(), TAGS)


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("metric", ["token_accuracy", "sequence_accuracy"])
def test_early_stopping_keeps_the_best_epoch(kernel, metric):
    random = np.random.default_rng(0)
    X = [random.normal(size=(5, 3)) for _ in range(60)]
    y = [np.where(x[:, 0] + random.normal(size=5) > 0, "a", "b").tolist() for x in X]
    stops = {"early_stopping": True, "n_iter_no_change": 2}
    tagger = PerceptronTagger(kernel, max_iter=30, metric=metric, random_state=0, predictor="last", **stops)
    tagger.fit(X[:40], y[:40], eval_set=(X[40:], y[40:]))
    scores = tagger.evals_result_["valid_0"][metric]
    best = int(np.argmax(scores)) + 1
    assert len(scores) == min(best + 2, 30)
    assert tagger.n_iter_ == tagger.best_iteration_ == best
    assert tagger.score(X[40:], y[40:]) == max(scores)
    again = clone(tagger).set_params(early_stopping=False, max_iter=best).fit(X[:40], y[:40])
    assert again.ledger_ == tagger.ledger_
    assert again.predict(X) == tagger.predict(X)
    assert tagger.set_params(predictor="average").predict(X) == again.set_params(predictor="average").predict(
        X
    )
    tagger.partial_fit(X[40:], y[40:])
    again.partial_fit(X[40:], y[40:])
    assert again.ledger_ == tagger.ledger_


@pytest.mark.parametrize("predictor", ["average", "vote", "sample"])
def test_early_stopping_encodes_the_validation_set_once(predictor):
    seen = Counter()

    def counted(sentence, i):
        seen[tuple(sentence), i] += 1
        return features(sentence, i)

    options = {"features": counted, "max_iter": 6, "predictor": predictor, "random_state": 0}
    tagger = PerceptronTagger(**options)
    tagger.fit(SENTENCES[:4], TAGS[:4], eval_set=(iter(SENTENCES[4:]), iter(TAGS[4:])))
    scores = tagger.evals_result_["valid_0"]["token_accuracy"]
    assert len(scores) > 2
    assert seen == Counter((tuple(sentence), i) for sentence in SENTENCES for i in range(len(sentence)))
    for epoch, score in enumerate(scores, 1):
        other = PerceptronTagger(**options | {"max_iter": epoch}).fit(SENTENCES[:4], TAGS[:4])
        assert other.score(SENTENCES[4:], TAGS[4:]) == score


@pytest.mark.parametrize("predictor", ["last", "best", "vote"])
def test_early_stopping_on_sparse_rows_keeps_what_was_corrected(predictor):
    options = {"random_state": 0, "predictor": predictor, "keep_examples": True, "max_iter": 9}
    tagger = PerceptronTagger(early_stopping=True, n_iter_no_change=2, **options).fit(
        SENTENCES[:4], TAGS[:4], eval_set=(SENTENCES[4:], TAGS[4:])
    )
    again = PerceptronTagger(**options | {"max_iter": tagger.n_iter_}).fit(SENTENCES[:4], TAGS[:4])
    assert again.ledger_ == tagger.ledger_
    for name in ("last", "best", "average", "vote"):
        mine, others = (each.set_params(predictor=name).predict(SENTENCES) for each in (tagger, again))
        assert mine == others
    with pytest.raises(ValueError, match=r"eval_set must be \(X, y\), or a list of such tuples"):
        PerceptronTagger().fit(SENTENCES, TAGS, eval_set=SENTENCES)


def integer_arrays(largest, dtype):
    random = np.random.default_rng(0)
    return [sp.csr_matrix(random.integers(0, largest, (4, 6)), dtype=dtype) for _ in range(40)]


@pytest.mark.parametrize("largest", [2, 2000, 10**6])
def test_float32_weights_write_the_ledger_of_float64(largest):
    """float32 is used only where every weight is exact."""
    labels = [np.random.default_rng(i).integers(0, 3, 4).tolist() for i in range(40)]
    single, double = (
        PerceptronTagger(random_state=0, max_iter=20).fit(integer_arrays(largest, dtype), labels)
        for dtype in (np.float32, np.float64)
    )
    assert single.ledger_ == double.ledger_
    assert (single.run_.hypothesis.weights.dtype == np.float32) == (largest < 10**5)
    assert PerceptronTagger(rule="margin").fit(SENTENCES, TAGS).run_.hypothesis.weights.dtype == np.float64


def test_float32_weights_become_float64_before_they_are_inexact(monkeypatch):
    monkeypatch.setattr("rosenblatt.engine.primal.EXACT_IN_SINGLE", 200)
    learner, seen = PerceptronTagger(), []
    for _ in range(5):
        learner.partial_fit(SENTENCES, TAGS)
        seen.append(learner.run_.hypothesis.weights.dtype == np.float32)
    assert seen[0]
    assert not seen[-1]
    assert seen == sorted(seen, reverse=True)
    learner.set_params(learning_rate=0.5).partial_fit(SENTENCES, TAGS)
    assert learner.run_.hypothesis.weights.dtype == np.float64


def test_class_weight_scales_corrections():
    plain = PerceptronTagger(random_state=0).fit(SENTENCES, TAGS)
    ones = PerceptronTagger(random_state=0, class_weight={"NOUN": 1.0}).fit(SENTENCES, TAGS)
    heavy = PerceptronTagger(random_state=0, class_weight={"ADJ": 9.0}).fit(SENTENCES, TAGS)
    assert plain.ledger_ == ones.ledger_
    sizes = dict(zip(heavy.ledger_.example.tolist(), heavy.ledger_.size.tolist(), strict=True))
    assert sizes[2] == (9 + 3) / 4
    assert {size for example, size in sizes.items() if example != 2} == {1.0}
    assert (
        PerceptronTagger(class_weight="balanced", random_state=0).fit(SENTENCES, TAGS).score(SENTENCES, TAGS)
        == 1
    )
    twice = PerceptronTagger(random_state=0).fit(SENTENCES, TAGS, sample_weight=[2.0] * 6)
    assert {*twice.ledger_.size.tolist()} == {2.0}


@pytest.mark.parametrize("kind", ["texts", "crfpp pairs", "kernel", "arrays"])
def test_certificate_holds_for_every_kind_of_input(kind):
    X, options = INPUTS[kind]
    tagger = PerceptronTagger(max_iter=50, random_state=0, keep_examples=True, **options).fit(X, TAGS)
    certificate = tagger.certificate(X, TAGS)
    assert certificate.separable
    assert certificate.holds
    assert certificate.bound >= certificate.mistakes > 0
    with pytest.raises(ValueError, match="learned from"):
        tagger.certificate(X[:2], TAGS[:2])
    corrected = int(tagger.ledger_.example[0])
    other = dict(zip(tagger.classes_, np.roll(tagger.classes_, 1), strict=True))
    changed = [[other[t] for t in tags] if i == corrected else tags for i, tags in enumerate(TAGS)]
    with pytest.raises(ValueError, match=r"with their labels\. Got others: the label of token"):
        tagger.certificate(X, changed)


def test_tagger_is_a_scikit_learn_estimator():
    tagger = PerceptronTagger(rule="margin", scheme=None, random_state=0)
    assert clone(tagger).get_params() == tagger.get_params()
    scores = cross_val_score(tagger, SENTENCES * 3, TAGS * 3, cv=3)
    assert scores.mean() > 0.9
    search = GridSearchCV(tagger, {"max_iter": [1, 5], "templates": [None, (word[0],)]}, cv=3).fit(
        SENTENCES * 3, TAGS * 3
    )
    assert search.best_score_ > 0.9
    assert search.predict(SENTENCES) == TAGS
    assert "PerceptronTagger" in repr(tagger)


@pytest.mark.slow
def test_tagger_pickles_between_processes():
    found = cross_validate(
        PerceptronTagger(random_state=0), SENTENCES * 3, TAGS * 3, cv=2, n_jobs=2, return_estimator=True
    )
    assert found["estimator"][0].predict(SENTENCES)
    of_dicts = cross_validate(PerceptronTagger(), DICTS, TAGS, cv=2, n_jobs=2, return_estimator=True)
    assert len(of_dicts["estimator"][0].predict(DICTS)) == 6


def test_coef_has_a_column_per_feature():
    tagger = PerceptronTagger().partial_fit(
        SENTENCES[:2], TAGS[:2], classes=["ADJ", "ADP", "DET", "NOUN", "VERB"]
    )
    tagger.partial_fit(SENTENCES, TAGS)
    assert tagger.coef_.shape == (5, tagger.task_.encoder.width)


def test_cross_validation_accepts_columns_of_files():
    X, y = read_conll(
        [
            line
            for s, t in zip(SENTENCES * 3, TAGS * 3, strict=True)
            for line in [*map(" ".join, zip(s, t, strict=True)), ""]
        ]
    )
    assert cross_val_score(PerceptronTagger(random_state=0), X, y, cv=3).mean() > 0.9
    assert (
        PerceptronTagger(random_state=0).fit(X, y).ledger_
        == PerceptronTagger(random_state=0).fit(list(X), list(y)).ledger_
    )


def test_dir_lists_the_attributes_of_the_predictor():
    tagger = PerceptronTagger().fit(SENTENCES, TAGS)
    assert "coef_" in dir(tagger)
    assert not hasattr(tagger, "dual_coef_")
    assert not hasattr(tagger.set_params(predictor="vote"), "transitions_")
    with pytest.raises(NotFittedError):
        PerceptronTagger().n_best(SENTENCES)


def test_classes_keep_labels_of_mixed_types():
    tagger = PerceptronTagger().fit([["a", "b", "c"]], [[1, "x", ("y", 2)]])
    assert {*tagger.classes_.tolist()} == {1, "x", ("y", 2)}
    assert tagger.n_best([["a"]], 1)[0][0][0][0] in tagger.classes_.tolist()


def test_fit_accepts_integer_labels_and_no_transitions():
    numbers = [[len(tag) for tag in tags] for tags in TAGS]
    tagger = PerceptronTagger(random_state=0, transitions=False).fit(SENTENCES, numbers)
    assert tagger.predict(SENTENCES) == numbers
    assert (tagger.ledger_.row >= 0).all()
    plain = PerceptronTagger(templates="U:%x[0,0]").fit(ROWS, TAGS)
    assert (plain.ledger_.row >= 0).all()  # CRF++ without B has no transitions


def test_fit_chooses_the_encoder_by_the_first_token():
    assert isinstance(PerceptronTagger().fit(DICTS, TAGS).task_.encoder, NameEncoder)
