"""Rankers of rows with named features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.named_data import matrix, named_examples
from rosenblatt import PerceptronRanker, kernels, load, save
from rosenblatt.features import Words

TEXTS = [
    "free money now",
    "lunch tomorrow at noon",
    "money for free",
    "see you tomorrow",
    "free free lunch",
    "at noon",
]
GRADES, QID = [2, 0, 1, 0, 2, 1], [1, 1, 1, 2, 2, 2]
STRATEGIES = st.sampled_from(["pairs", "best", "top"])


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
@given(named_examples(), STRATEGIES)
def test_ranking_named_rows_is_that_of_their_matrix(kernel, data, strategy):
    X, y = data
    qid = np.arange(len(X)) % 2 if len(X) > 3 else np.zeros(len(X))
    qid[:2] = 0
    named = PerceptronRanker(kernel, strategy=strategy, random_state=0, max_iter=2, rule="perceptron").fit(
        X, y, qid=qid
    )
    rows = matrix(X, [*named.vocabulary_])
    plain = PerceptronRanker(kernel, strategy=strategy, random_state=0, max_iter=2, rule="perceptron").fit(
        rows, y, qid=qid
    )
    assert named.ledger_ == plain.ledger_
    assert named.predict(X) == pytest.approx(plain.predict(rows))
    assert str(named.certificate(X, y, qid)) == str(plain.certificate(rows, y, qid))


@given(named_examples(), named_examples(), STRATEGIES)
def test_names_may_come_in_any_call(first, second, strategy):
    grown, knowing = (
        PerceptronRanker(strategy=strategy, random_state=0, rule="perceptron") for _ in range(2)
    )
    for X, y in (first, second, first):
        grown.partial_fit(X, y, qid=np.zeros(len(X)))
        knowing.partial_fit(matrix(X), y, qid=np.zeros(len(X)))
    assert grown.ledger_ == knowing.ledger_
    assert grown.predict(second[0]) == pytest.approx(knowing.predict(matrix(second[0])))


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_texts_are_ranked(kernel):
    ranker = PerceptronRanker(kernel, features="words", strategy="best", random_state=0, early_stopping=True)
    ranker.fit(TEXTS, GRADES, qid=QID, eval_set=[(TEXTS[:3], GRADES[:3], QID[:3])])
    assert ranker.rank(["noon", "free money"])[0] == 1
    assert ranker.find_best(["see you", "money", "lunch"]) == 1
    assert [len(rows) for rows in ranker.rank(TEXTS, qid=QID)] == [3, 3]
    assert ranker.score(TEXTS, GRADES, QID) > 0.9
    again = PerceptronRanker(kernel, strategy="best", random_state=0, early_stopping=True)
    again.fit(
        [*map(Words(), TEXTS)],
        GRADES,
        group=[3, 3],
        eval_set=[(list(map(Words(), TEXTS[:3])), GRADES[:3], QID[:3])],
    )
    assert again.ledger_ == ranker.ledger_


@pytest.mark.parametrize(
    ("features", "made"), [(None, str.split), (str.split, str), (Words(normalized=False), str)]
)
def test_pairs_of_candidates_may_have_names(features, made):
    pairs = [
        ([made("free money"), made("lunch")], 0),
        ([made("at noon"), made("see you"), made("money")], {2}),
    ]
    ranker = PerceptronRanker(features=features, strategy="best", shuffle=False).fit(pairs)
    assert ranker.rank([made("lunch"), made("money")]).tolist() == [1, 0]
    assert ranker.score(pairs) == 1
    assert ranker.certificate(pairs).holds


def test_explanations_name_the_features_of_both_rows():
    ranker = PerceptronRanker(strategy="best", shuffle=False, predictor="last", rule="perceptron")
    ranker.fit([["a"], ["b"], ["b", "c"], ["a"]], [1, 0, 0, 1], qid=[1, 1, 2, 2])
    found = ranker.explain(["a", "new"], over=["b"])
    assert dict(zip(found.features, found.contribution, strict=True)) == {"a": 1, "b": 1}
    assert ranker.explain(["a"]).features == ["a"]
    assert len(ranker.explain(["a"], by="examples")) == 2


@pytest.mark.parametrize(
    ("X", "options", "words"),
    [
        (np.eye(6), {}, "one kind of data, and this one has learned from named features"),
        (TEXTS, {}, "one kind of data, and this one has learned from named features"),
        ([["a"]] * 5 + [["b", 3]], {}, "The name of a feature must be a string. Got 3 in row 5"),
        ([{"a": 1}] * 5 + [{"b": None}], {}, "Got None for 'b' in row 5"),
        ([["a"]] * 6, {"features": "words"}, "cannot change features"),
        ([["a"]] * 6, {"hashing": 4}, "cannot change hashing"),
    ],
)
def test_other_data_are_refused_and_change_nothing(X, options, words):
    ranker = PerceptronRanker().fit([*map(str.split, TEXTS)], GRADES, qid=QID)
    before, names = ranker.ledger_, ranker.vocabulary_
    with pytest.raises(ValueError, match=words):
        ranker.set_params(**options).partial_fit(X, GRADES, qid=QID)
    assert (ranker.ledger_, ranker.vocabulary_) == (before, names)
    with pytest.raises(ValueError, match="Named features need a learner without a kernel"):
        PerceptronRanker(kernels.Function(lambda x, z: 1.0), features="words").fit(TEXTS, GRADES, qid=QID)


@pytest.mark.parametrize(
    ("grades", "weights"), [([1, np.nan] * 3, None), (GRADES, [-1.0] * 6)], ids=["grade", "weight"]
)
@pytest.mark.parametrize("options", [{}, {"kernel": kernels.RBF(gamma=0.5)}])
def test_an_error_after_new_names_leaves_the_ranker_as_it_was(grades, weights, options, tmp_path):
    ranker = PerceptronRanker(warm_start=True, random_state=0, **options)
    ranker.fit([["a"], ["b"]] * 3, GRADES, qid=QID)
    before = ranker.n_features_in_, ranker.vocabulary_, ranker.ledger_
    for learn in (ranker.partial_fit, ranker.fit):
        with pytest.raises(ValueError, match=r"finite|[Ww]eight"):
            learn([["c"], ["d"]] * 3, grades, qid=QID, sample_weight=weights)
        assert (ranker.n_features_in_, ranker.vocabulary_, ranker.ledger_) == before
        assert options or ranker.coef_.shape == (1, 2)
    save(ranker, tmp_path / "ranker")
    assert load(tmp_path / "ranker").rank([["b"], ["a"]]).tolist() == ranker.rank([["b"], ["a"]]).tolist()


@pytest.mark.parametrize("kernel", [None, kernels.RBF(gamma=0.5)])
def test_explain_over_a_row_without_unknown_names(kernel):
    ranker = PerceptronRanker(kernel, random_state=0).fit([{"a": 1}, {"b": 1}] * 3, GRADES, qid=QID)
    pair = [{"a": 1, "zz": 1}, {"b": 1}]
    first, second = ranker.decision_function(pair)
    assert ranker.explain(pair[0], over=pair[1]).score == pytest.approx(first - second)
