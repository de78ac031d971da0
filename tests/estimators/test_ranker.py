"""PerceptronRanker: scikit-learn's contract, all forms of lists, and bad input."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fixtures.playing import sparse
from fixtures.ranking_data import mq2008
from rosenblatt import PerceptronRanker, kernels, metrics, online

RANDOM = np.random.default_rng(0)
U = RANDOM.normal(size=5)
X = RANDOM.normal(size=(200, 5))
Y = np.digitize(X @ U + RANDOM.normal(size=200), [-1, 1])
QID = np.repeat(np.arange(25), 8)
STRATEGIES = ("pairs", "best", "top")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kernel", [None, kernels.Linear(), kernels.RBF(gamma=0.1)])
def test_fit_learns_with_every_strategy_and_kernel(strategy, kernel):
    ranker = PerceptronRanker(kernel, strategy=strategy, random_state=0, metric="pairwise").fit(X, Y, qid=QID)
    for predictor in ("last", "best", "average", "vote", "sample"):
        ranker.set_params(predictor=predictor)
        assert ranker.score(X, Y, qid=QID) > 0.6
    ranker.set_params(predictor="average")
    assert ranker.score(X, Y, qid=QID) > 0.75


def test_fit_accepts_qid_group_frames_and_pairs():
    def fitted(*arguments, **options):
        ranker = PerceptronRanker(strategy="best", random_state=0, max_iter=3)
        return ranker.fit(*arguments, **options).coef_

    expected = fitted(X, Y, qid=QID)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(qid=QID)
    best = np.array([np.argmax(Y[q == QID]) for q in range(25)])
    pairs = [(X[q == QID], set(np.flatnonzero(Y[q == QID] == Y[q == QID].max()))) for q in range(25)]
    assert np.array_equal(fitted(X, Y, group=[8] * 25), expected)
    assert np.array_equal(fitted(X, Y, qid=[f"query {q}" for q in QID]), expected)
    assert np.array_equal(fitted(frame, Y), expected)
    assert np.array_equal(fitted(frame.drop(columns="qid"), Y, qid=frame["qid"]), expected)
    assert np.array_equal(fitted(pairs), expected)
    assert np.array_equal(fitted(X, np.where(Y.max() == Y, 5.5, Y), qid=QID), expected)
    assert np.array_equal(fitted(X, best, qid=QID), fitted([(X[q == QID], int(best[q])) for q in range(25)]))
    assert np.allclose(fitted(sparse(X), Y, qid=QID), expected)


def test_fit_accepts_scattered_queries():
    order = RANDOM.permutation(200)
    order = np.concatenate([[0], order[order != 0]])
    scattered = PerceptronRanker(strategy="top", shuffle=False, max_iter=2)
    scattered.fit(X[order], Y[order], qid=QID[order])
    first = list(dict.fromkeys(QID[order]))
    together = np.concatenate([order[QID[order] == q] for q in first])
    ranker = PerceptronRanker(strategy="top", shuffle=False, max_iter=2)
    ranker.fit(X[together], Y[together], qid=QID[together])
    assert np.allclose(scattered.coef_, ranker.coef_)


def test_metadata_routing_passes_qid():
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = PerceptronRanker(random_state=0, max_iter=2)
        ranker.set_fit_request(qid=True).set_score_request(qid=True)
        found = cross_val_score(ranker, X, Y, cv=GroupKFold(5), params={"qid": QID, "groups": QID})
        assert found.shape == (5,)
        assert found.min() > 0.5
        search = GridSearchCV(ranker, {"strategy": ["pairs", "top"]}, cv=GroupKFold(5))
        search.fit(X, Y, qid=QID, groups=QID)
        assert search.best_score_ > 0.5
    frame = pd.DataFrame(X, columns=list("abcde")).assign(qid=QID)
    found = cross_val_score(PerceptronRanker(random_state=0), frame, Y, cv=GroupKFold(5), groups=QID)
    assert found.min() > 0.5


def test_score_works_in_pipelines_and_with_weights():
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = PerceptronRanker(random_state=0).set_fit_request(qid=True).set_score_request(qid=True)
        pipeline = make_pipeline(StandardScaler(), ranker).fit(X, Y, qid=QID)
        assert pipeline.score(X, Y, qid=QID) > 0.7
    ranker = PerceptronRanker(random_state=0).fit(X, Y, qid=QID)
    half = ranker.score(X[:104], Y[:104], qid=QID[:104])
    assert ranker.score(X, Y, qid=QID, sample_weight=QID < 13) == pytest.approx(half)


@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8),
    reason="scikit-learn before 1.8 passes nothing on to the score of a pipeline",
)
def test_cross_validation_passes_queries_to_the_score_of_a_pipeline():
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = PerceptronRanker(random_state=0).set_fit_request(qid=True).set_score_request(qid=True)
        pipeline = make_pipeline(StandardScaler(), ranker)
        found = cross_val_score(pipeline, X, Y, cv=GroupKFold(5), params={"qid": QID, "groups": QID})
    assert np.isfinite(found).all()


def test_draws_without_a_mistake_do_not_end_the_run():
    ranker = PerceptronRanker(draws=5, max_iter=200, random_state=0).fit(X, Y, qid=QID)
    assert ranker.ledger_.rounds == 1000
    assert not ranker.converged_


def test_early_stopping_keeps_the_best_epoch():
    held = X[100:], Y[100:], QID[100:]
    ranker = PerceptronRanker(random_state=0, draws=40, max_iter=30, metric="map", early_stopping=True)
    ranker.set_params(n_iter_no_change=30).fit(X[:100], Y[:100], qid=QID[:100], eval_set=held)
    scores = ranker.evals_result_["valid_0"]["map"]
    assert ranker.score(*held) == max(scores)
    assert len(scores) == 30
    assert ranker.n_iter_ == ranker.best_iteration_ == 1 + int(np.argmax(scores))
    assert ranker.ledger_.rounds == 40 * ranker.n_iter_
    assert ranker.certificate(X[:100], Y[:100], qid=QID[:100]).holds


def test_partial_fit_in_parts_is_one_run():
    whole = PerceptronRanker(strategy="best", shuffle=False, max_iter=1).fit(X, Y, qid=QID)
    parts = PerceptronRanker(strategy="best")
    for part in np.split(np.arange(200), 5):
        parts.partial_fit(X[part], Y[part], qid=QID[part])
    assert parts.ledger_ == whole.ledger_
    assert parts.get_params()["max_iter"] == 10
    pairs = PerceptronRanker(random_state=0)
    for _ in range(3):
        pairs.partial_fit(X, Y, qid=QID)
    assert pairs.ledger_.rounds == 600
    with pytest.raises(ValueError, match=r"cannot change strategy .fitted with 'pairs'"):
        pairs.set_params(strategy="top").partial_fit(X, Y, qid=QID)


def test_predict_and_certificate_reject_bad_queries():
    ranker = PerceptronRanker(random_state=0).fit(X, Y, qid=QID)
    with pytest.raises(ValueError, match="query of each of the 200 rows"):
        ranker.predict(X, qid=[1, 2])
    with pytest.raises(ValueError, match="about the 200 rows that were learned from"):
        ranker.certificate(X[:80], Y[:80], qid=QID[:80])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_certificate_rejects_other_grades(strategy):
    ranker = PerceptronRanker(strategy=strategy, random_state=0).fit(X, Y, qid=QID)
    ranker.certificate(X, Y, qid=QID)
    ranker.certificate(X, 10 * Y + 3, qid=QID)  # in the same order
    with pytest.raises(ValueError, match=r"with their grades\. Got others: row \d+ was better than row"):
        ranker.certificate(X, -Y, qid=QID)


def test_certificate_of_pairs_forecasts_for_pairs():
    text = str(PerceptronRanker(random_state=0, max_iter=3).fit(X, Y, qid=QID).certificate(X, Y, qid=QID))
    assert "Forecast. The 600 pairs drawn in all epochs had" in text
    assert "another pair drawn from the same lists" in text
    ranker = PerceptronRanker(strategy="best", random_state=0).fit(X, Y, qid=QID)
    assert "Forecast. The first epoch had" in str(ranker.certificate(X, Y, qid=QID))


def test_qid_distinguishes_integers_from_strings():
    ranker = PerceptronRanker(strategy="best", max_iter=1, shuffle=False)
    assert ranker.fit(X[:16], Y[:16], qid=[1] * 8 + ["1"] * 8).ledger_.rounds == 2


def test_rank_and_find_best_agree_with_scores():
    ranker = PerceptronRanker(random_state=0).fit(X, Y, qid=QID)
    scores = ranker.decision_function(X[:8])
    assert np.array_equal(ranker.predict(X[:8]), scores)
    assert ranker.rank(X[:8]).tolist() == np.argsort(-scores).tolist()
    assert ranker.find_best(X[:8]) == np.argmax(scores)
    for nothing in ([], X[:0]):
        with pytest.raises(ValueError, match="at least one candidate"):
            ranker.find_best(nothing)
    vote = clone(ranker).set_params(predictor="vote").fit(X, Y, qid=QID)
    assert vote.find_best(X[:8]) == np.argmax(vote.decision_function(X[:8]))
    for q in range(25):
        assert vote.find_best(X[q == QID]) == vote.rank(X[q == QID])[0]
    assert vote.rank(X[[0, 0, 1]]).tolist() in ([0, 1, 2], [2, 0, 1])
    grouped = vote.decision_function(X, group=[8] * 25)
    assert np.allclose(grouped, vote.decision_function(X, qid=QID))
    assert metrics.top_1(Y, grouped, QID) > 0.4


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fit_skips_lists_without_a_better_row(strategy):
    flat = np.vstack([X, np.ones((3, 5))]), np.append(Y, [1, 1, 2]), np.append(QID, [77, 77, 78])
    with_them = PerceptronRanker(strategy=strategy, shuffle=False, max_iter=1, random_state=0, draws=None)
    with_them.fit(*flat)
    rounds = with_them.ledger_.rounds
    assert rounds == (203 if strategy == "pairs" else sum(len({*Y[q == QID]}) > 1 for q in range(25)))


def test_partial_fit_is_complete_after_a_late_ctrl_c(monkeypatch):
    from rosenblatt.tasks import task as module

    ranker = PerceptronRanker(random_state=0, max_iter=1).fit(X, Y, qid=QID)
    true_learn = module.learn

    def interrupted(*arguments, **options):
        true_learn(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ranker.set_params(rule="margin").partial_fit(X, Y, qid=QID)
    assert ranker.ledger_.rounds == 400
    twice = np.vstack([X, X]), np.append(Y, Y), np.append(QID, QID + 100)
    assert ranker.certificate(*twice).corrections == len(ranker.ledger_)
    assert ranker.run_.ruled_otherwise


def test_pairs_are_drawn_from_one_query_and_two_grades():
    from rosenblatt.rows import rows_of
    from rosenblatt.tasks.lists import Lists

    lists = Lists.of(Y, QID, 200)
    index = lists.pairs(rows_of(X), 20_000, np.random.default_rng(0)).index.reshape(-1, 2)
    assert (QID[index[:, 0]] == QID[index[:, 1]]).all()
    assert (Y[index[:, 0]] != Y[index[:, 1]]).all()
    drawn = np.bincount(index[:, 0], minlength=200)
    able = np.array([len(set(Y[q == QID])) > 1 for q in QID])
    assert (drawn[~able] == 0).all()
    assert abs(drawn[able] / (20_000 / able.sum()) - 1).max() < 0.5


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((X, Y), {}, "which rows are one list"),
        ((X, Y), {"group": [8] * 24}, "add up to the 200 rows of X. Got 192"),
        ((X, Y), {"group": [8.5] * 25}, "integers"),
        ((X, Y), {"qid": QID, "group": [8] * 25}, "Got both"),
        ((X, Y), {"qid": QID[1:]}, "query of each of the 200 rows"),
        ((X, Y[:7]), {"qid": QID}, "a grade for each of the 200 rows"),
        ((X, np.full(25, 8)), {"qid": QID}, "Got 8 in query 0, which has 8 rows"),
        ((X, np.ones(200)), {"qid": QID}, "nothing to learn from"),
        ((X, np.where(Y > 1, np.nan, Y)), {"qid": QID}, "finite numbers"),
        ((X, Y.astype(str)), {"qid": QID}, "finite numbers"),
        ((np.where(X > 2, np.nan, X), Y), {"qid": QID}, "NaN"),
        (([(X[:8], 8)],), {}, r"index from 0 to 7, or a set of them\. Got 8"),
        (([(X[:8], set())],), {}, r"Got set\(\)"),
        (([(X[:8], -1)],), {}, "Got -1"),
        (([],), {}, "Found no lists"),
        (([(X[:8], 1)],), {"qid": QID[:8]}, "lists already"),
        (([([{"a": 1}, 3], 0)],), {}, "a dict, or a list or set of names. Got 3 in row 1"),
        (([([[1, 2], [3]], 0)],), {}, "rows of as many numbers"),
        ((X, Y), {"group": [200, 0]}, "at least 1"),
        ((X,), {}, "list of pairs"),
        ((X, Y), {"qid": QID, "eval_set": 3}, "eval_set must be"),
    ],
)
def test_fit_rejects_bad_input_and_keeps_the_model(arguments, options, message):
    ranker = PerceptronRanker(strategy="best").fit(X, Y, qid=QID)
    before = ranker.coef_.copy()
    with pytest.raises(ValueError, match=message):
        ranker.fit(*arguments, **options)
    assert np.array_equal(ranker.coef_, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "worst"}, "strategy must be one of"),
        ({"draws": 0}, "draws must be an integer"),
        ({"draws": 5, "strategy": "top"}, "strategy='pairs' only"),
        ({"metric": "ndcg@0"}, "metric must be"),
        ({"metric": "map@3"}, "metric must be"),
        ({"metric": 3}, "metric must be"),
        ({"kernel": "precomputed"}, "a kernel it can evaluate"),
        ({"predictor": "worst"}, "predictor must be one of"),
    ],
)
def test_fit_rejects_invalid_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        PerceptronRanker(**options).fit(X, Y, qid=QID)


class TestOnline:
    def test_add_example_accepts_objects_with_a_kernel(self):
        def shared(a, b):
            return len(set(a) & set(b))

        ranker = online.Ranker(kernels.Function(shared))
        ranker.add_example(["good", "bad", "ugly"], 0)
        ranker.add_example(["ogre", "elf"], 0)
        assert ranker.find_best(["lie", "gold"]) == 1
        assert ranker.rank(["lie", "gold"]).tolist() == [1, 0]

    def test_add_example_accepts_lists_of_any_length(self):
        ranker = online.Ranker()
        assert ranker.find_best(X[:3]) == 0
        ranker.add_example(X[:1], 0)
        ranker.add_example(X[:3], {0, 1, 2})
        assert not ranker.ledger.rounds
        for size in (2, 5, 3, 9):
            ranker.add_example(X[:size], 1)
        assert ranker.ledger.rounds == 4
        assert ranker.find_best(X[:4]) == 1

    @pytest.mark.parametrize(
        ("candidates", "best", "message"),
        [
            (X[:3], 3, "index from 0 to 2"),
            (X[:3], 0.5, "index from 0 to 2"),
            (X[:3, :2], 0, "must have 5 features"),
            (np.where(X[:3] > 0, np.nan, X[:3]), 0, "made of finite numbers"),
            ([{"a": 1}, {"b": 1}], 0, "of one kind"),
            ("text", 0, "list of rows"),
            ([[1, 2], [3]], 0, "rows of equal length"),
            ([], 0, "at least one candidate"),
            (X[0], 0, "rows of equal length"),
        ],
    )
    def test_add_example_rejects_bad_lists(self, candidates, best, message):
        ranker = online.Ranker()
        ranker.add_example(X[:3], 1)
        with pytest.raises(ValueError, match=message):
            ranker.add_example(candidates, best)
        assert ranker.ledger.rounds == 1
        assert online.Ranker().find_best(sp.csr_array(X[:3])) == 0

    @pytest.mark.parametrize("predictor", ["last", "average"])
    def test_find_best_of_named_features_is_that_of_rows(self, predictor):
        named, plain = (
            online.Ranker(predictor=predictor, rule="perceptron"),
            online.Ranker(predictor=predictor, rule="perceptron"),
        )
        random = np.random.default_rng(0)
        for _ in range(40):
            rows = random.integers(-3, 4, (4, 5)).astype(float)
            dicts = [{f"f{j}": v for j, v in enumerate(row)} for row in rows.tolist()]
            assert named.find_best(dicts) == plain.find_best(rows)
            assert named.rank(tuple(dicts)).tolist() == plain.rank(rows).tolist()
            best = int(random.integers(4))
            named.add_example(dicts, best)
            plain.add_example(rows, best)
        assert named.ledger == plain.ledger

    def test_find_best_names_a_bad_value_and_learns_no_names(self):
        ranker = online.Ranker()
        ranker.add_example([{"a": 1.0}, {"b": 1.0}], 0)
        with pytest.raises(ValueError, match="Got nan for 'c'"):
            ranker.find_best([{"a": 1.0}, {"c": np.nan}])
        assert ranker.find_best([{"c": 5.0}, {"a": 1.0}, {"b": 1.0}]) == 1
        assert ranker._reader._ids == {"a": 0, "b": 1}

    def test_find_best_rejects_an_empty_list(self):
        with pytest.raises(ValueError, match="at least one candidate"):
            online.Ranker().find_best(np.empty((0, 3)))


def test_ranker_matches_published_figures_on_mq2008(data):
    """MQ2008, fold 1: well above chance, and near the published figures."""
    train, test = mq2008(data, 1, 2, 3), mq2008(data, 5)
    ranker = PerceptronRanker(draws=2000, max_iter=20, random_state=0, metric="map")
    ranker.set_params(early_stopping=True, n_iter_no_change=20)
    scores = ranker.fit(*train, eval_set=mq2008(data, 4)).decision_function(test[0])
    assert metrics.average_precision(test[1], scores, test[2]) > 0.42
    assert metrics.ndcg(test[1], scores, test[2], 10) > 0.46


def test_scores_on_an_evaluation_set_belong_to_one_fit():
    ranker = PerceptronRanker(strategy="best", random_state=0).fit(X, Y, qid=QID, eval_set=(X, Y, QID))
    assert len(ranker.evals_result_["valid_0"]["ndcg@10"]) > 0
    assert not hasattr(ranker.partial_fit(X, Y, qid=QID), "evals_result_")
    ranker.fit(X, Y, qid=QID, eval_set=(X, Y, QID))
    assert not hasattr(ranker.fit(X, Y, qid=QID), "evals_result_")
