"""PerceptronTagger: every kind of input, the learner behind it, and every question one can ask."""

from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

from rosenblatt import PerceptronTagger, kernels, metrics
from rosenblatt.data import read_conll
from rosenblatt.features import NameEncoder, between, lower, suffix, word

SENTENCES = [
    ["the", "cat", "sat", "on", "the", "mat"],
    ["a", "dog", "saw", "the", "cat"],
    ["the", "old", "man", "ran"],
    ["dogs", "run"],
    ["a", "cat", "ran", "on"],
    ["the", "saw", "cut", "a", "mat"],
]
TAGS = [
    ["DET", "NOUN", "VERB", "ADP", "DET", "NOUN"],
    ["DET", "NOUN", "VERB", "DET", "NOUN"],
    ["DET", "ADJ", "NOUN", "VERB"],
    ["NOUN", "VERB"],
    ["DET", "NOUN", "VERB", "ADP"],
    ["DET", "NOUN", "VERB", "DET", "NOUN"],
]
ROWS = [[(token, token[-1]) for token in sentence] for sentence in SENTENCES]
DICTS = [[{"word": token, "last": token[-1], "long": len(token) > 2} for token in s] for s in SENTENCES]
NAMES = [[[f"word={token}", f"last={token[-1]}"] for token in s] for s in SENTENCES]


def features(sentence, i):
    return {"word": sentence[i], "before": sentence[i - 1] if i else "START", "last": sentence[i][-1]}


def arrays(sentences=SENTENCES):
    words = sorted({token for sentence in SENTENCES for token in sentence})
    return [np.array([[token == name for name in words] for token in s], float) for s in sentences]


INPUTS = {
    "texts": (SENTENCES, {}),
    "dicts": (DICTS, {}),
    "names": (NAMES, {}),
    "tuples": ([[tuple(names) for names in s] for s in NAMES], {}),
    "function": (SENTENCES, {"features": features}),
    "values": (ROWS, {"templates": [word[-1] & word[0], lower, suffix(2)]}),
    "pairs": (ROWS, {"templates": [word, between(word[0])]}),
    "crfpp": (ROWS, {"templates": "U0:%x[0,0]\nU1:%x[0,1]\nB"}),
    "crfpp pairs": (ROWS, {"templates": "U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nB0:%x[0,1]"}),
    "hashed": (SENTENCES, {"hashing": 2**12}),
    "hashed dicts": (DICTS, {"hashing": 2**12}),
    "arrays": (arrays(), {}),
    "sparse": ([sp.csr_matrix(array) for array in arrays()], {}),
    "kernel": (arrays(), {"kernel": kernels.RBF(gamma=0.3)}),
    "kernel on texts": (SENTENCES, {"kernel": kernels.Polynomial(2)}),
    "kernel on pairs": (ROWS, {"kernel": kernels.Polynomial(2), "templates": [word, between(word[0])]}),
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("predictor", ["last", "average", "best", "vote", "sample"])
def test_everything_that_can_be_learned_is(kind, predictor):
    X, options = INPUTS[kind]
    tagger = PerceptronTagger(predictor="vote", epochs=30, random_state=0, **options).fit(X, TAGS)
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
def test_going_on_is_the_run_of_one_epoch(kind, rule):
    """The same ledger, average and answers, whatever the pieces."""
    X, options = INPUTS[kind]
    whole = PerceptronTagger(rule=rule, epochs=1, shuffle=False, **options).fit(X, TAGS)
    parts = PerceptronTagger(rule=rule, **options)
    for part in (slice(0, 1), slice(1, 4), slice(4, None)):
        parts.partial_fit(X[part], TAGS[part], classes=whole.classes_)
    for column in ("when", "example", "correction", "row", "output"):
        assert np.array_equal(getattr(parts.ledger_, column), getattr(whole.ledger_, column))
    assert np.allclose(parts.ledger_.amount, whole.ledger_.amount)
    scores = ([score for _, score in tagger.n_best(X, 3)[0]] for tagger in (whole, parts))
    assert np.allclose(*scores)


def test_sequences_may_come_from_a_generator(monkeypatch):
    monkeypatch.setattr("rosenblatt.tagging.reading.AT_ONCE", 2)
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


def test_one_array_with_lengths():
    X, y, lengths = np.concatenate(arrays()), np.concatenate(TAGS), [len(s) for s in SENTENCES]
    tagger = PerceptronTagger(random_state=0, keep_examples=True).fit(X, y, lengths=lengths)
    assert tagger.ledger_ == PerceptronTagger(random_state=0).fit(arrays(), TAGS).ledger_
    assert tagger.predict(X, lengths=lengths).tolist() == y.tolist()
    assert tagger.certificate(X, y, lengths=lengths).holds
    assert tagger.score(X, y, lengths=lengths) == 1.0


# --- questions ---

IOB = [["B-NP", "I-NP", "O", "O", "B-NP", "I-NP"], ["B-NP", "I-NP", "O", "B-NP", "I-NP"]]


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("predictor", ["last", "average", "best", "vote", "sample"])
def test_no_invalid_path_is_ever_the_answer(kernel, predictor):
    tagger = PerceptronTagger(kernel, scheme="IOB2", predictor=predictor, epochs=1, random_state=0)
    tagger.fit(SENTENCES[:2], IOB)
    for answers in tagger.predict(SENTENCES):
        assert all(after != "I-NP" or before != "O" for before, after in pairwise(["O", *answers]))
    if predictor in ("last", "average"):
        for paths in tagger.n_best(SENTENCES, 5):
            assert all(
                after != "I-NP" or before != "O"
                for path, _ in paths
                for before, after in pairwise(["O", *path])
            )


def test_allowed_pairs():
    """Verbs follow nouns only, and nothing ends with a determiner."""
    allowed = [*product(["DET", "NOUN", "ADJ", "ADP"], ["DET", "NOUN", "ADJ", "ADP"]), ("NOUN", "VERB")]
    allowed += [("VERB", label) for label in ("ADP", "DET")]
    allowed += [(label, None) for label in ("NOUN", "VERB", "ADP")]
    tagger = PerceptronTagger(allowed=allowed, random_state=0).fit(SENTENCES, TAGS)
    for answer in tagger.predict([["sat"] * 5, ["ran"], ["the", "the"]]):
        assert answer[-1] != "DET"
        assert {*pairwise(answer)} <= {*allowed}
    with pytest.raises(
        ValueError, match=r"Got 'VERB' after 'NOUN' at token 2 of sequence 0, which allowed does not"
    ):
        PerceptronTagger(allowed=[("DET", "NOUN")]).fit(SENTENCES, TAGS)
    with pytest.raises(ValueError, match=r"Got 'DET' as the first label at token 0 of sequence 0"):
        PerceptronTagger(allowed=[(None, "NOUN"), *allowed]).fit(SENTENCES, TAGS)
    with pytest.raises(ValueError, match="made of pairs"):
        PerceptronTagger(allowed="DET").fit(SENTENCES, TAGS)


def test_labels_that_break_the_scheme_are_named():
    with pytest.raises(
        ValueError, match=r"Got 'I-NP' after 'O' at token 1 of sequence 1, which scheme='IOB2' does not"
    ):
        PerceptronTagger(scheme="IOB2").fit([["a"], ["b", "c"]], [["B-NP"], ["O", "I-NP"]])


@pytest.fixture(scope="module")
def tagger():
    return PerceptronTagger(random_state=0, epochs=3).fit(SENTENCES, TAGS)


def test_n_best_and_margins(tagger):
    (paths,) = tagger.n_best([["the", "saw", "ran"]], 4)
    scores = [score for _, score in paths]
    assert scores == sorted(scores, reverse=True)
    assert paths[0][0] == tagger.predict([["the", "saw", "ran"]])[0]
    assert tagger.margins([["the", "saw", "ran"]])[0] == pytest.approx(scores[0] - scores[1])
    assert len(tagger.n_best([["the"]], 99)[0]) == len(tagger.classes_)
    assert tagger.n_best([[]], 3) == [[([], 0.0)]]
    assert tagger.margins([[]])[0] == np.inf


def test_known_labels_are_kept(tagger):
    sentence = ["the", "saw", "ran"]
    for label in tagger.classes_:
        (answer,) = tagger.predict([sentence], known=[[None, label, None]])
        assert answer[1] == label
        best = max(
            path
            for path in tagger.n_best([sentence], 125)[0]
            if path[0][1] == label
            and path[1]
            == max(score for other, score in tagger.n_best([sentence], 125)[0] if other[1] == label)
        )
        assert answer == best[0]
    assert tagger.predict([sentence, sentence], known=[None, [None] * 3]) == tagger.predict([sentence] * 2)
    with pytest.raises(ValueError, match="Got the known label 'X' at token 1 of sequence 0"):
        tagger.predict([sentence], known=[[None, "X", None]])
    with pytest.raises(ValueError, match="Got 1 for the 3 tokens of sequence 0"):
        tagger.predict([sentence], known=[[None]])
    with pytest.raises(ValueError, match=r"a list for every sequence, 1. Got 2"):
        tagger.predict([sentence], known=[None, None])


def test_known_labels_that_no_path_has():
    tagger = PerceptronTagger(scheme="IOB2").fit(SENTENCES[:2], IOB)
    with pytest.raises(ValueError, match="No path through sequence 1 is allowed, with what is known of it"):
        tagger.predict(SENTENCES[:2], known=[None, ["O", "I-NP", None, None, None]])


def test_confidence_is_a_probability(tagger):
    with pytest.raises(ValueError, match="call calibrate"):
        clone(tagger).fit(SENTENCES, TAGS).confidence(SENTENCES)
    tagger.calibrate(SENTENCES[3:], [["NOUN", "VERB"], ["DET", "NOUN", "NOUN", "ADP"], TAGS[5]])
    found = tagger.confidence([*SENTENCES, [], ["zzz"]])
    assert [len(each) for each in found] == [*map(len, SENTENCES), 0, 1]
    assert all(((each > 0) & (each <= 1)).all() for each in found)
    assert found[-1][0] < found[0][0]
    assert tagger.confidence([]) == []


def test_votes_are_a_confidence():
    tagger = PerceptronTagger(predictor="vote", random_state=0).fit(SENTENCES, TAGS)
    found = np.concatenate(tagger.confidence(SENTENCES))
    assert (found <= 1).all()
    assert found.max() > 0.5


def test_threads_change_nothing(tagger, monkeypatch):
    monkeypatch.setattr("rosenblatt.estimators.decoding.DECODED", 3)
    expected = tagger.predict(SENTENCES * 50)
    assert clone(tagger).set_params(n_jobs=4).fit(SENTENCES, TAGS).predict(SENTENCES * 50) == expected
    assert expected[:6] == tagger.predict(SENTENCES)
    with pytest.raises(ValueError, match="n_jobs"):
        clone(tagger).set_params(n_jobs=0).fit(SENTENCES, TAGS).predict(SENTENCES)


@pytest.mark.parametrize("pairs", ["crfpp", "pairs", "dicts"])
def test_pruning_zeros_changes_no_answer(pairs):
    X, options = INPUTS[pairs]
    tagger = PerceptronTagger(random_state=0, epochs=3, **options).fit(X, TAGS)
    small = tagger.pruned()
    assert [[score for _, score in paths] for paths in small.n_best(X, 3)] == [
        [score for _, score in paths] for paths in tagger.n_best(X, 3)
    ]
    assert small._labeller.encoder.width <= tagger._labeller.encoder.width
    assert tagger.pruned(1e9)._labeller.encoder.width == 0
    with pytest.raises(ValueError, match="only answers"):
        small.partial_fit(X, TAGS)
    with pytest.raises(ValueError, match="no features to leave out"):
        PerceptronTagger(kernels.Linear()).fit(arrays(), TAGS).pruned()


def test_rare_features_are_left_out():
    all_of_them = PerceptronTagger(random_state=0).fit(SENTENCES, TAGS)
    often = PerceptronTagger(min_count=2, random_state=0).fit(SENTENCES, TAGS)
    assert 0 < often._labeller.encoder.width < all_of_them._labeller.encoder.width
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
    tagger = PerceptronTagger(kernel, patience=2, epochs=30, metric=metric, random_state=0, predictor="last")
    tagger.fit(X[:40], y[:40], dev=(X[40:], y[40:]))
    best = int(np.argmax(tagger.dev_scores_)) + 1
    assert len(tagger.dev_scores_) == min(best + 2, 30)
    assert tagger.n_iter_ == best
    assert tagger.score(X[40:], y[40:]) == max(tagger.dev_scores_)
    again = clone(tagger).set_params(patience=None, epochs=best).fit(X[:40], y[:40])
    assert again.ledger_ == tagger.ledger_
    assert again.predict(X) == tagger.predict(X)
    assert tagger.set_params(predictor="average").predict(X) == again.set_params(predictor="average").predict(
        X
    )
    tagger.partial_fit(X[40:], y[40:])
    again.partial_fit(X[40:], y[40:])
    assert again.ledger_ == tagger.ledger_


@pytest.mark.parametrize("predictor", ["last", "best", "vote"])
def test_early_stopping_on_sparse_rows_keeps_what_was_corrected(predictor):
    options = {"random_state": 0, "predictor": predictor, "keep_examples": True, "epochs": 9}
    tagger = PerceptronTagger(patience=2, **options).fit(
        SENTENCES[:4], TAGS[:4], dev=(SENTENCES[4:], TAGS[4:])
    )
    again = PerceptronTagger(**options | {"epochs": tagger.n_iter_}).fit(SENTENCES[:4], TAGS[:4])
    assert again.ledger_ == tagger.ledger_
    for name in ("last", "best", "average", "vote"):
        mine, others = (each.set_params(predictor=name).predict(SENTENCES) for each in (tagger, again))
        assert mine == others
    with pytest.raises(ValueError, match=r"dev must be a pair \(X, y\)"):
        PerceptronTagger(patience=2).fit(SENTENCES, TAGS, dev=SENTENCES)


def whole_arrays(largest, dtype):
    random = np.random.default_rng(0)
    return [sp.csr_matrix(random.integers(0, largest, (4, 6)), dtype=dtype) for _ in range(40)]


@pytest.mark.parametrize("largest", [2, 2000, 10**6])
def test_single_precision_is_the_same_learner(largest):
    """Where it is used, and it is not where a weight might not be exact."""
    labels = [np.random.default_rng(i).integers(0, 3, 4).tolist() for i in range(40)]
    single, double = (
        PerceptronTagger(random_state=0, epochs=20).fit(whole_arrays(largest, dtype), labels)
        for dtype in (np.float32, np.float64)
    )
    assert single.ledger_ == double.ledger_
    assert (single._run.hypothesis.weights.dtype == np.float32) == (largest < 10**5)
    assert PerceptronTagger(rule="margin").fit(SENTENCES, TAGS)._run.hypothesis.weights.dtype == np.float64


def test_single_precision_ends_where_weights_might_not_be_exact(monkeypatch):
    monkeypatch.setattr("rosenblatt.hypotheses.primal.EXACT_IN_SINGLE", 200)
    learner, seen = PerceptronTagger(), []
    for _ in range(5):
        learner.partial_fit(SENTENCES, TAGS)
        seen.append(learner._run.hypothesis.weights.dtype == np.float32)
    assert seen[0]
    assert not seen[-1]
    assert seen == sorted(seen, reverse=True)
    learner.set_params(learning_rate=0.5).partial_fit(SENTENCES, TAGS)
    assert learner._run.hypothesis.weights.dtype == np.float64


def test_class_weights_scale_corrections():
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
def test_the_certificate_holds(kind):
    X, options = INPUTS[kind]
    tagger = PerceptronTagger(epochs=50, random_state=0, keep_examples=True, **options).fit(X, TAGS)
    certificate = tagger.certificate(X, TAGS)
    assert certificate.separable
    assert certificate.holds
    assert certificate.bound >= certificate.mistakes > 0
    with pytest.raises(ValueError, match="learned from"):
        tagger.certificate(X[:2], TAGS[:2])


# --- scikit-learn ---


def test_it_is_an_estimator():
    tagger = PerceptronTagger(rule="margin", scheme=None, random_state=0)
    assert clone(tagger).get_params() == tagger.get_params()
    scores = cross_val_score(tagger, SENTENCES * 3, TAGS * 3, cv=3)
    assert scores.mean() > 0.9
    search = GridSearchCV(tagger, {"epochs": [1, 5], "templates": [None, (word[0],)]}, cv=3).fit(
        SENTENCES * 3, TAGS * 3
    )
    assert search.best_score_ > 0.9
    assert search.predict(SENTENCES) == TAGS
    assert "PerceptronTagger" in repr(tagger)


def test_fitted_taggers_travel_between_processes():
    found = cross_validate(
        PerceptronTagger(random_state=0), SENTENCES * 3, TAGS * 3, cv=2, n_jobs=2, return_estimator=True
    )
    assert found["estimator"][0].predict(SENTENCES)
    of_dicts = cross_validate(PerceptronTagger(), DICTS, TAGS, cv=2, n_jobs=2, return_estimator=True)
    assert len(of_dicts["estimator"][0].predict(DICTS)) == 6


def test_scores_beyond_all_numbers_are_refused():
    tagger = PerceptronTagger().fit(DICTS, TAGS)
    for huge in (1.7e308, -1.7e308):
        with pytest.raises(ValueError, match="The score of row 1 is not a finite number"):
            tagger.predict([[{}, {"long": huge, "last": "t"}]])


def test_coefficients_are_those_of_the_features():
    tagger = PerceptronTagger().partial_fit(
        SENTENCES[:2], TAGS[:2], classes=["ADJ", "ADP", "DET", "NOUN", "VERB"]
    )
    tagger.partial_fit(SENTENCES, TAGS)
    assert tagger.coef_.shape == (5, tagger._labeller.encoder.width)


def test_columns_can_be_cross_validated():
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


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        (SENTENCES, TAGS[:2], {}, "Got 6 sequences and 2 of labels"),
        ([["a", "b"], ["c"]], [["X", "Y"], ["X", "Y"]], {}, "Got 1 tokens and 2 labels in sequence 1"),
        ([["a"]], ["X"], {}, "labels of a sequence are a list. Got 'X' for sequence 0"),
        ([["a"], ["b"]], [["X"], [None]], {}, "Got None at token 0 of sequence 1"),
        (["a b"], [["X", "Y"]], {}, "the text 'a b' as sequence 0"),
        (3, 4, {}, "X is a list with an entry for every sequence. Got 3"),
        (iter(SENTENCES), iter(TAGS[:2]), {}, "Got a sequence and no labels as number 2"),
        (SENTENCES, TAGS, {"templates": "Unigram.txt"}, "sees nothing"),
        (SENTENCES, TAGS, {"templates": 3}, "Got 3"),
        ([["a"], ["b"]], [["X"], [["Y"]]], {}, r"Got \['Y'\] at token 0 of sequence 1"),
        ([], [], {}, "Got 0 sequences without any"),
        ([[], []], [[], []], {}, "Got 2 sequences without any"),
        ("a text", ["X"], {}, "list of sequences"),
        ([["a", "b", "c"]], None, {}, "pairs"),
        (["a b"], [["X", "Y", "Z"]], {}, "the text 'a b' as sequence 0"),
        ([[1, 2]], [["X", "Y"]], {}, "Got 1, a int"),
        (SENTENCES, TAGS, {"templates": "nonsense"}, "begin with U or B"),
        (SENTENCES, TAGS, {"templates": [3]}, "Got 3"),
        (SENTENCES, TAGS, {"templates": [word], "features": features}, "Got both"),
        (SENTENCES, TAGS, {"features": 3}, "must be a function"),
        (SENTENCES, TAGS, {"scheme": "BLAH"}, "Got 'BLAH'"),
        (SENTENCES, TAGS, {"metric": "auc"}, "Got 'auc'"),
        (SENTENCES, TAGS, {"hashing": 0}, "hashing"),
        (SENTENCES, TAGS, {"patience": 3}, "needs both"),
        (SENTENCES, TAGS, {"class_weight": {"X": 2}}, "do not occur"),
        (SENTENCES, TAGS, {"class_weight": 3}, "class_weight"),
        (SENTENCES, TAGS, {"epochs": 0}, "epochs"),
        (SENTENCES, TAGS, {"predictor": "mean"}, "predictor"),
        (SENTENCES, TAGS, {"transitions": "yes"}, "transitions"),
        (SENTENCES, TAGS, {"transitions": False, "templates": [between(word)]}, "transitions"),
        (SENTENCES, TAGS, {"keep_examples": False, "kernel": kernels.Linear()}, "keep_examples"),
        (np.ones((3, 2)), ["X"] * 3, {}, "lengths"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(X, y, options, message):
    tagger = PerceptronTagger(**options)
    before = vars(tagger).copy()
    with pytest.raises(ValueError, match=message):
        tagger.fit(X, y)
    assert vars(tagger) == before


def test_errors_count_sequences_over_all_pieces(monkeypatch):
    monkeypatch.setattr("rosenblatt.tagging.reading.AT_ONCE", 2)
    with pytest.raises(ValueError, match="token 1 of sequence 5"):
        PerceptronTagger().fit([["a"]] * 5 + [["b", 3]], [["X"]] * 5 + [["X", "Y"]])
    tagger = PerceptronTagger().fit(SENTENCES, TAGS)
    monkeypatch.setattr("rosenblatt.estimators.decoding.DECODED", 2)
    with pytest.raises(ValueError, match="token 0 of sequence 3"):
        tagger.predict([["a", "b"], ["c"], ["a"], [3]])


def test_a_part_that_is_refused_late_leaves_all_questions_answered():
    learner = PerceptronTagger(scheme="IOB2").partial_fit(SENTENCES[:2], IOB)
    answers = learner.predict(SENTENCES)
    new = [[f"word{i}" for i in range(50)]]
    with pytest.raises(ValueError, match="does not allow"):
        learner.partial_fit(new, [["O", "I-NP"] * 25])
    with pytest.raises(ValueError, match="sample_weight"):
        learner.partial_fit(new, [["O"] * 50], sample_weight=[-1])
    assert learner.predict(SENTENCES) == answers
    assert learner.coef_.shape == (3, learner._labeller.encoder.width)
    assert learner.explain(new[0], 3).label
    assert learner.pruned().predict(SENTENCES) == answers
    with pytest.raises(ValueError, match="up to"):
        PerceptronTagger().fit(DICTS, TAGS).partial_fit([[{"long": 1e200}]], [["DET"]])


def test_classes_are_said_once():
    twice = PerceptronTagger().partial_fit([["a", "b"]], [["O", "P"]], classes=["O", "O", "P", "Q"])
    assert twice.classes_.tolist() == ["O", "P", "Q"]
    twice.partial_fit([["a"]], [["Q"]], classes=["Q", "P", "O"])
    with pytest.raises(ValueError, match=r"and stay so. Got classes=\['Z'\]"):
        twice.partial_fit([["a"]], [["O"]], classes=["Z"])


def test_no_path_is_said_in_words():
    tagger = PerceptronTagger(scheme="BIOES").fit([["a", "b"]], [["B-X", "E-X"]])
    for ask in (tagger.predict, tagger.n_best, tagger.margins, tagger.html):
        with pytest.raises(ValueError, match="No path through sequence 1 is allowed"):
            ask([["a", "b"], ["a"]])
    with pytest.raises(ValueError, match="No path through sequence 0"):
        tagger.explain(["a"], 0)
    with pytest.raises(ValueError, match="No path through sequence 0"):
        tagger.calibrate([["a"]], [["B-X"]])


def test_attributes_can_be_listed():
    tagger = PerceptronTagger().fit(SENTENCES, TAGS)
    assert "coef_" in dir(tagger)
    assert not hasattr(tagger, "dual_coef_")
    assert not hasattr(tagger.set_params(predictor="vote"), "transitions_")
    with pytest.raises(NotFittedError):
        PerceptronTagger().n_best(SENTENCES)


def test_labels_of_several_kinds_stay_what_they_are():
    tagger = PerceptronTagger().fit([["a", "b", "c"]], [[1, "x", ("y", 2)]])
    assert {*tagger.classes_.tolist()} == {1, "x", ("y", 2)}
    assert tagger.n_best([["a"]], 1)[0][0][0][0] in tagger.classes_.tolist()


def test_a_failed_part_changes_nothing():
    learner = PerceptronTagger().partial_fit(SENTENCES, TAGS)
    ledger, answers = learner.ledger_, learner.predict(SENTENCES)
    with pytest.raises(ValueError, match=r"Got the label 'X' at token 1 of sequence 1. The labels are"):
        learner.partial_fit([["a"], ["b", "c"]], [["DET"], ["DET", "X"]])
    with pytest.raises(ValueError, match="begun with"):
        learner.set_params(templates=[word]).partial_fit(SENTENCES, TAGS)
    learner.set_params(templates=None)
    with pytest.raises(ValueError, match="balanced"):
        learner.set_params(class_weight="balanced").partial_fit(SENTENCES, TAGS)
    assert learner.ledger_ == ledger
    assert learner.predict(SENTENCES) == answers


def test_odd_sentences(tagger):
    assert tagger.predict([["неизвестно", "🙂", ""]])[0]
    long = ["the", "cat", "sat"] * 33_334
    assert len(tagger.predict([long])[0]) == 100_002
    assert PerceptronTagger(epochs=1).fit([long], [["A", "B", "C"] * 33_334]).predict([["the"]]) == [["A"]]
    one = PerceptronTagger().fit([["a"]], [["X"]])
    assert one.predict([["a", "b", "c"]]) == [["X"] * 3]
    assert metrics.token_accuracy([["NEW"]], tagger.predict([["the"]])) == 0.0


def test_labels_may_be_numbers_and_transitions_may_be_off():
    numbers = [[len(tag) for tag in tags] for tags in TAGS]
    tagger = PerceptronTagger(random_state=0, transitions=False).fit(SENTENCES, numbers)
    assert tagger.predict(SENTENCES) == numbers
    assert (tagger.ledger_.row >= 0).all()
    plain = PerceptronTagger(templates="U:%x[0,0]").fit(ROWS, TAGS)
    assert (plain.ledger_.row >= 0).all()  # CRF++ without B has no transitions


def test_an_encoder_is_chosen_by_the_first_token():
    assert isinstance(PerceptronTagger().fit(DICTS, TAGS)._labeller.encoder, NameEncoder)
