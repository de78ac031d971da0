"""Parameters that the three estimators share: validation sets, early stopping, warm starts, threads, predictors."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from threadpoolctl import threadpool_info

from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, load, save
from rosenblatt.engine.threads import MOST, limited_to, threads

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, (120, 4)).astype(float)
Y = (X @ [1, -2, 0, 1] + RANDOM.normal(size=120) > 0).astype(int)
QID = np.arange(120) // 6
WORDS = [[f"w{i}" for i in row] for row in RANDOM.integers(0, 9, (60, 5))]
TAGS = [["even" if int(word[1]) % 2 == 0 else "odd" for word in words] for words in WORDS]
NOISY = [[RANDOM.choice(["even", "odd"]) if RANDOM.random() < 0.2 else tag for tag in tags] for tags in TAGS]

ESTIMATORS = {
    "classifier": (PerceptronClassifier, (X, Y), {}),
    "CSR": (PerceptronClassifier, (sp.csr_array(X), Y), {}),
    "kernel": (PerceptronClassifier, (X, Y), {"kernel": kernels.RBF(gamma=0.1)}),
    "ranker, pairs": (PerceptronRanker, (X, Y, QID), {"draws": 30}),
    "ranker, lists": (PerceptronRanker, (X, Y, QID), {"strategy": "top"}),
    "tagger": (PerceptronTagger, (WORDS, NOISY), {}),
}
every = pytest.mark.parametrize("name", ESTIMATORS)


def made(name, **options):
    kind, data, own = ESTIMATORS[name]
    return kind(random_state=0, **own | options), data


def scores_of(estimator):
    return [scores for found in estimator.evals_result_.values() for scores in found.values()]


@every
def test_eval_set_records_scores_and_changes_nothing(name):
    estimator, data = made(name, max_iter=6)
    plain = clone(estimator).fit(*data)
    estimator.fit(*data, eval_set=[data, data])
    assert list(estimator.evals_result_) == ["valid_0", "valid_1"]
    assert estimator.ledger_ == plain.ledger_
    assert not hasattr(estimator, "best_iteration_")
    first, second = scores_of(estimator)
    assert first == second
    assert first[-1] == pytest.approx(plain.score(*data))
    assert not hasattr(estimator.fit(*data), "evals_result_")


@every
def test_scores_of_epochs_are_those_of_shorter_runs(name):
    if name == "ranker, pairs":
        pytest.skip("pairs are drawn for all epochs at once, on this system or another")
    estimator, data = made(name, max_iter=4)
    scores = scores_of(estimator.fit(*data, eval_set=data))[0]
    for epochs, score in enumerate(scores, 1):
        assert clone(estimator).set_params(max_iter=epochs).fit(*data).score(*data) == pytest.approx(score)


@every
def test_early_stopping_holds_out_a_part_and_keeps_the_best_epoch(name, tmp_path):
    estimator, data = made(
        name, max_iter=40, early_stopping=True, n_iter_no_change=2, validation_fraction=0.3
    )
    estimator.fit(*data)
    scores = scores_of(estimator)[0]
    assert len(scores) <= estimator.best_iteration_ + 2
    assert scores[estimator.best_iteration_ - 1] == max(scores)
    assert estimator.n_iter_ == estimator.best_iteration_
    everything = clone(estimator).set_params(early_stopping=False, max_iter=1).fit(*data)
    if name != "ranker, pairs":
        assert estimator.ledger_.rounds < everything.ledger_.rounds * estimator.n_iter_
    save(estimator, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.evals_result_ == estimator.evals_result_
    assert again.best_iteration_ == estimator.best_iteration_


def test_early_stopping_watches_the_last_set():
    wrong, right = (X, 1 - Y), (X, Y)
    learner = PerceptronClassifier(max_iter=20, early_stopping=True, random_state=0)
    for sets in ([right, wrong], [wrong, right]):
        learner.fit(X, Y, eval_set=sets)
        last = learner.evals_result_["valid_1"]["accuracy"]
        assert last[learner.best_iteration_ - 1] == max(last)


def test_early_stopping_holds_out_a_share_of_each_class():
    labels = np.repeat(["many", "few"], [110, 10])
    learner = PerceptronClassifier(max_iter=1, early_stopping=True, validation_fraction=0.3, random_state=0)
    learner.fit(X, labels)
    assert learner.ledger_.rounds == 77 + 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"early_stopping": 1}, "early_stopping must be True or False. Got 1"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be an integer ≥ 1. Got 0"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a number between 0 and 1"),
        ({"early_stopping": True, "validation_fraction": 1e-6}, "larger validation_fraction, or an eval_set"),
        ({"warm_start": "yes"}, "warm_start must be True or False. Got 'yes'"),
        ({"n_jobs": 0}, "n_jobs must be None, a number of threads, or below 0"),
        ({"max_iter": True}, "max_iter must be an integer ≥ 1. Got True"),
    ],
)
@every
def test_fit_rejects_values_of_shared_parameters(name, options, message):
    estimator, data = made(name)
    before = vars(estimator.set_params(**options)).copy()
    with pytest.raises(ValueError, match=message):
        estimator.fit(*data)
    assert vars(estimator) == before


@pytest.mark.parametrize("wrong", [3, [], [3], (X,), [(X, Y), X], "eval"])
@every
def test_fit_rejects_other_forms_of_eval_set(name, wrong):
    estimator, data = made(name)
    with pytest.raises(ValueError, match=r"eval_set must be \(X, y"):
        estimator.fit(*data, eval_set=wrong)


def test_early_stopping_of_a_precomputed_kernel_needs_an_eval_set():
    matrix = X @ X.T
    learner = PerceptronClassifier("precomputed", early_stopping=True, random_state=0)
    with pytest.raises(ValueError, match="Pass eval_set"):
        learner.fit(matrix, Y)
    assert learner.fit(matrix, Y, eval_set=(matrix, Y)).best_iteration_ >= 1


def test_ranker_takes_evaluation_sets_as_lightgbm_does():
    sizes = np.full(20, 6)
    ranker = PerceptronRanker(random_state=0, max_iter=3)
    known = ranker.fit(X, Y, qid=QID, eval_set=[(X, Y, QID)]).evals_result_
    assert ranker.fit(X, Y, group=sizes, eval_set=[(X, Y)], eval_group=[sizes]).evals_result_ == known
    assert ranker.fit(X, Y, group=sizes, eval_set=(X, Y), eval_group=sizes).evals_result_ == known
    with pytest.raises(ValueError, match=r"the group of each of the 1 validation sets. Got 2"):
        ranker.fit(X, Y, group=sizes, eval_set=[(X, Y)], eval_group=[sizes, sizes])


@every
def test_warm_start_continues_the_run(name):
    estimator, data = made(name, max_iter=2, warm_start=True)
    first = estimator.fit(*data).ledger_
    assert estimator.fit(*data).n_iter_ == 4 or estimator.converged_
    second = estimator.ledger_
    assert second.rounds == 2 * first.rounds
    assert second.when[: len(first)].tolist() == first.when.tolist()
    cold = estimator.set_params(warm_start=False).fit(*data).ledger_
    assert cold == first


def test_warm_start_in_the_order_given_is_partial_fit():
    learner = PerceptronClassifier(max_iter=1, shuffle=False, warm_start=True)
    other = PerceptronClassifier(shuffle=False)
    for _ in range(3):
        learner.fit(X, Y)
        other.partial_fit(X, Y, classes=[0, 1])
    assert learner.ledger_ == other.ledger_


def test_warm_start_rejects_another_kernel():
    learner = PerceptronClassifier(warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="cannot change kernel"):
        learner.set_params(kernel=kernels.Linear()).fit(X, Y)


@every
def test_predict_takes_a_predictor(name):
    estimator, data = made(name, keep_examples=True)
    estimator.fit(*data)
    rest = (data[2],) if len(data) == 3 else ()
    for predictor in ("last", "best", "average", "vote"):
        chosen = estimator.predict(data[0], *rest, predictor=predictor)
        own = clone(estimator).set_params(predictor=predictor).fit(*data).predict(data[0], *rest)
        assert np.array_equal(chosen, own)
    assert estimator.predictor == "average"
    with pytest.raises(ValueError, match="predictor must be one of"):
        estimator.predict(data[0], *rest, predictor="worst")


@every
def test_results_do_not_depend_on_n_jobs(name):
    estimator, data = made(name, keep_examples=True)
    rest = (data[2],) if len(data) == 3 else ()
    plain = estimator.fit(*data).ledger_
    answers = estimator.predict(data[0], *rest, predictor="vote")
    for n_jobs in (1, 2, -1):
        estimator.set_params(n_jobs=n_jobs).fit(*data)
        assert estimator.ledger_ == plain
        assert np.array_equal(estimator.predict(data[0], *rest, predictor="vote"), answers)


def test_limited_to_limits_votes_and_products():
    def of_products():
        return {pool["num_threads"] for pool in threadpool_info()}

    before = of_products()
    assert threads() == MOST
    with limited_to(1):
        assert threads() == threads(7) == 1
        assert of_products() <= {1}
        with limited_to(None):
            assert threads() == 1
    assert threads(7) == 7
    assert of_products() == before
    with limited_to(-1000):
        assert threads() == 1


def test_n_support_counts_support_vectors():
    learner = PerceptronClassifier(kernels.RBF(gamma=0.1), random_state=0).fit(X, Y)
    assert learner.n_support_.tolist() == [
        np.count_nonzero(Y[learner.support_] == label) for label in learner.classes_
    ]
    assert learner.n_support_.sum() == len(learner.support_)
    ranker = PerceptronRanker(strategy="best", random_state=0).fit(X, Y, QID)
    assert ranker.n_support_.tolist() == [len(ranker.support_)]


def test_ranker_weights_rounds_by_the_mean_of_their_rows():
    doubled = PerceptronRanker(strategy="top", rule="perceptron", random_state=0).fit(
        X, Y, QID, sample_weight=np.full(120, 2.0)
    )
    plain = PerceptronRanker(strategy="top", rule="perceptron", random_state=0, learning_rate=2.0).fit(
        X, Y, QID
    )
    assert np.array_equal(doubled.coef_, plain.coef_)
    weights = np.where(QID < 10, 0.0, 1.0)
    some = PerceptronRanker(strategy="top", random_state=0).fit(X, Y, QID, sample_weight=weights)
    per_query = PerceptronRanker(strategy="top", random_state=0).fit(X, Y, QID, sample_weight=weights[::6])
    assert np.array_equal(some.coef_, per_query.coef_)
    assert (some.support_ >= 60).all()
    for wrong, message in ((np.ones(3), "one weight for each"), (np.full(120, -1.0), "numbers from 0")):
        with pytest.raises(ValueError, match=message):
            PerceptronRanker().fit(X, Y, QID, sample_weight=wrong)


def test_rank_returns_the_order_of_each_query():
    ranker = PerceptronRanker(random_state=0).fit(X, Y, QID)
    orders = ranker.rank(X, QID)
    assert [sorted(order.tolist()) for order in orders] == np.arange(120).reshape(20, 6).tolist()
    scores = ranker.decision_function(X)
    for order in orders:
        assert (np.diff(scores[order]) <= 0).all()
    assert np.array_equal(ranker.rank(X[:6]), orders[0])


def test_warm_start_draws_other_pairs_than_before():
    ranker = PerceptronRanker(random_state=0, warm_start=True, max_iter=1).fit(X, Y, QID).fit(X, Y, QID)
    first, second = ranker.task_.shown
    assert not np.array_equal(first, second - len(X))


def test_parameters_of_kernels_by_name_are_the_learners_own():
    for kernel in ("rbf", None):
        with pytest.raises(ValueError, match=r"are the learner's own.*Got kernel__gamma"):
            PerceptronClassifier(kernel).set_params(kernel__gamma=1.0)
    with pytest.raises(ValueError, match=r"choose a rule, as rule='passive-aggressive'"):
        PerceptronClassifier("rbf").set_params(rule__C=0.1)
    assert PerceptronClassifier().set_params(rule__C=0.1).rule.C == 0.1


def test_validation_sets_have_labels_that_are_learned():
    labels = np.where(Y > 0, "p", "n")
    learner = PerceptronClassifier(early_stopping=True, random_state=0)
    with pytest.raises(
        ValueError, match=r"Got \['z'\] in set 0, and to learn \['n', 'p'\]: encode both alike"
    ):
        learner.fit(X, labels, eval_set=(X, np.full(len(X), "z")))
