"""Budgets: the limit holds, policies follow their papers, and predictors are those of the remembered guesses."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from fixtures.oracles import Remembering, drop_oldest, project_least_loss, project_weakest_half
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, load, online, save
from rosenblatt.budgets import POLICIES, Budget, as_budget
from rosenblatt.engine.learner import learn, play
from rosenblatt.engine.run import LISTED, Examples, begin
from rosenblatt.games import Binary, Sequence
from rosenblatt.rules import Margin

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 3))
TWO = (X[:, 0] * X[:, 1] > 0).astype(int)
THREE = RANDOM.integers(0, 3, 200)
QUERIES = np.repeat(np.arange(40), 5)
WIDE = kernels.RBF(gamma=0.5)
WORDS = [[f"w{w}" for w in RANDOM.integers(0, 40, 5)] for _ in range(60)]
TAGS = [[f"t{int(w[1:]) % 3}" for w in words] for words in WORDS]


def a_run(budget, X=X, y=TWO, kernel=WIDE, epochs=1, intercept=False, rule=None):
    run = begin(Binary(), kernel=kernel, intercept=intercept, budget=budget, rule=rule)
    learn(run, Examples(run.number(X), np.asarray(y, np.int8)), [np.arange(len(y))] * epochs)
    return run


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rows", [X, sp.csr_array(X), X.astype(np.float32)], ids=["dense", "csr", "float32"])
def test_budget_is_never_exceeded(policy, rows):
    budget = Budget(10, policy)
    for labels, multiclass in ((TWO, "argmax"), (THREE, "argmax"), (THREE, "ovr")):
        learner = PerceptronClassifier(WIDE, budget=budget, multiclass=multiclass, max_iter=2, random_state=0)
        learner.fit(rows, labels)
        assert len(learner.support_) <= 10
        assert learner.support_vectors_.shape[0] == len(learner.support_)
        for predictor in ("last", "best", "average", "vote", "sample"):
            learner.set_params(predictor=predictor)
            assert set(learner.predict(rows)) <= set(labels)
        learner.set_params(predictor="average").partial_fit(rows, labels)
        assert len(learner.support_) <= 10
        assert len(learner.explain(rows[:1])) <= 10


@pytest.mark.parametrize("policy", POLICIES)
def test_budget_applies_to_rankers_and_taggers(policy):
    ranker = PerceptronRanker(WIDE, budget=Budget(8, policy), strategy="best", max_iter=2, random_state=0)
    ranker.set_params(rule="perceptron").fit(X, TWO, qid=QUERIES)
    assert len(ranker.support_) <= 8
    for predictor, least in {
        "last": 0.8,
        "best": 0.65,
        "average": 0.75,
        "vote": 0.75,
        "sample": 0.65,
    }.items():
        assert ranker.set_params(predictor=predictor).score(X, TWO, QUERIES) > least  # 0.5 to 0.7 by chance
    tagger = PerceptronTagger(WIDE, budget=Budget(20, policy), max_iter=1, random_state=0).fit(WORDS, TAGS)
    assert len(tagger.support_) <= 20
    for predictor in ("last", "best", "average", "vote"):
        assert len(tagger.set_params(predictor=predictor).predict(WORDS[:3])) == 3


@pytest.mark.parametrize("policy", ["merging", "halving", "random", "oldest"])
@pytest.mark.parametrize("intercept", [False, True])
def test_budget_never_reached_changes_nothing(policy, intercept):
    few, labels = X[:14], TWO[:14]
    free = PerceptronClassifier(
        WIDE, fit_intercept=intercept, shuffle=False, max_iter=1, rule="perceptron"
    ).fit(few, labels)
    bound = clone(free).set_params(budget=Budget(100, policy)).fit(few, labels)
    assert bound.ledger_ == free.ledger_
    for predictor in ("last", "best", "average", "vote"):
        one, two = (learner.set_params(predictor=predictor).decision_function(X) for learner in (free, bound))
        np.testing.assert_allclose(one, two, atol=1e-12)


def test_projection_without_tolerance_changes_nothing_below_the_budget():
    free = PerceptronClassifier(WIDE, shuffle=False, max_iter=1).fit(X, TWO)
    bound = clone(free).set_params(budget=Budget(500, tolerance=0.0)).fit(X, TWO)
    assert np.array_equal(bound.ledger_.when, free.ledger_.when)
    for predictor in ("last", "average"):
        one, two = (learner.set_params(predictor=predictor).decision_function(X) for learner in (free, bound))
        np.testing.assert_allclose(one, two, atol=1e-6)


@pytest.mark.parametrize(
    ("policy", "forget"),
    [("oldest", drop_oldest), ("halving", project_weakest_half), ("projection", project_least_loss)],
)
def test_policies_match_their_definition_for_all_predictors(policy, forget):
    points = X[:60]
    oracle = Remembering(12, forget, WIDE, required=0.2)
    for x, y in zip(points, 2 * TWO[:60] - 1, strict=True):
        oracle.play(x, y)
    learner = PerceptronClassifier(
        WIDE,
        budget=Budget(12, policy, tolerance=0.0),
        rule=Margin(0.2),
        fit_intercept=False,
        shuffle=False,
        max_iter=1,
    ).fit(points, TWO[:60])
    assert len(learner.ledger_) == len(oracle.survived) - 1
    functions, survived = oracle.functions(X), np.array(oracle.survived)
    expected = {
        "last": functions[-1],
        "best": functions[int(np.argmax(survived))],
        "average": survived @ functions / survived.sum(),
    }
    for predictor, values in expected.items():
        found = learner.set_params(predictor=predictor).decision_function(X)
        np.testing.assert_allclose(found, values, atol=1e-5, err_msg=predictor)


def test_vote_counts_groups_of_guesses_by_their_averages():
    learner = PerceptronClassifier(
        WIDE, budget=Budget(12, "oldest"), fit_intercept=False, shuffle=False, max_iter=1, predictor="vote"
    ).fit(X, TWO)
    remembered = learner.run_.remembered
    assert remembered.rounds == 200
    assert len(remembered) <= 17
    assert remembered.survived.sum() == 200
    average = learner.set_params(predictor="average").decision_function(X)
    gram = WIDE(learner.support_vectors_, X)
    index = {row: i for i, row in enumerate(learner.support_.tolist())}
    guesses, current = [], np.zeros(len(index))
    for k in range(len(remembered)):
        mine = remembered.correction == k
        for row, amount in zip(remembered.row[mine], remembered.amount[mine], strict=True):
            current[index[int(row)]] += amount
        guesses.append(current.copy())
    scores = np.array(guesses) @ gram
    np.testing.assert_allclose(remembered.survived[1:] @ scores / 200, average, atol=1e-9)
    votes = remembered.survived[1:] @ np.sign(scores) / 200
    np.testing.assert_allclose(learner.set_params(predictor="vote").decision_function(X), votes, atol=1e-9)


def test_merging_loses_no_more_than_the_best_merger():
    points, labels, merged = X[:40], TWO[:40], 0
    for intercept in (False, True):
        run = begin(Binary(), kernel=WIDE, intercept=intercept, budget=Budget(6, "merging"))
        constant = float(intercept)
        for i in range(40):
            before, rows = run.hypothesis.coefficients[:, 0].copy(), run.hypothesis.support.rows.data.copy()
            play(
                run,
                Examples(run.number(points[i : i + 1]), labels[i : i + 1].astype(np.int8)),
                [np.zeros(1, int)],
            )
            after, now = run.hypothesis.coefficients[:, 0], run.hypothesis.support.rows.data
            if len(before) < 6 or np.array_equal(before, after):
                continue
            sign = 2.0 * labels[i] - 1
            old, alpha = np.vstack([rows, points[i : i + 1]]), np.append(before, sign)
            lost = _distance(old, alpha, now, after, constant)
            best = min(
                _merged(old, alpha, m, n, constant)
                for m in [int(np.argmin(alpha**2))]
                for n in range(len(alpha))
                if n != m
            )
            assert lost <= best + 1e-3
            merged += 1
        logs = run.hypothesis.matrix[:6, :6]
        np.testing.assert_allclose(np.exp(logs), WIDE(run.hypothesis.support.rows.data), atol=1e-9)
    assert merged > 10


def _distance(rows, alpha, others, beta, constant):
    k = lambda a, b: WIDE(a, b) + constant  # noqa: E731
    return (
        alpha @ k(rows, rows) @ alpha - 2 * alpha @ k(rows, others) @ beta + beta @ k(others, others) @ beta
    )


def _merged(rows, alpha, m, n, constant):
    """Return the least loss of merging two rows, over a grid of points between them."""
    losses = []
    for share in np.linspace(0, 1, 101):
        z = share * rows[m] + (1 - share) * rows[n]
        gram = WIDE(rows[[m, n]], z[None])[:, 0] + constant
        beta = alpha[[m, n]] @ gram / (1 + constant)
        losses.append(_distance(rows[[m, n]], alpha[[m, n]], z[None], np.array([beta]), constant))
    return min(losses)


def test_random_policy_depends_on_its_seed():
    one, two, three = (a_run(Budget(10, "random", seed=seed)).hypothesis.support.ids for seed in (1, 1, 2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, three)


def test_ledger_lists_the_latest_corrections_and_counts_the_others():
    draw = np.random.default_rng(1)
    rows, labels = draw.normal(size=(6000, 2)), draw.integers(0, 2, 6000)
    run = a_run(Budget(5, "oldest"), rows, labels)
    ledger = run.ledger
    assert LISTED <= len(ledger) < 2 * LISTED
    free = PerceptronClassifier(
        WIDE, budget=Budget(5, "oldest"), shuffle=False, fit_intercept=False, max_iter=1, rule="perceptron"
    )
    assert len(free.fit(rows, labels).ledger_) + free.ledger_.unlisted == len(ledger) + ledger.unlisted
    assert f"{len(ledger) + ledger.unlisted} corrections, 6000 rounds" in repr(ledger)
    assert run.book.corrections.shape[0] < 8 * LISTED


@pytest.mark.slow
def test_online_classifier_with_a_budget_takes_constant_memory():
    import tracemalloc

    draw = np.random.default_rng(2)
    learner = online.Classifier(WIDE, budget=Budget(20))
    sizes = []
    for part in range(4):
        for x, y in zip(draw.normal(size=(1500, 3)), draw.choice([-1, 1], 1500), strict=True):
            learner.add_example(x, int(y))
        if part == 0:
            tracemalloc.start()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[-1] - sizes[1] < 2**18
    assert learner.ledger.rounds == 6000


def test_online_learners_accept_budgets():
    ranker = online.Ranker(WIDE, budget=6)
    for i in range(40):
        ranker.add_example(X[5 * i : 5 * i + 5], int(np.argmax(X[5 * i : 5 * i + 5, 0])))
    assert len(ranker.task.run.hypothesis.support) <= 6
    tagger = online.Tagger(WIDE, budget=6)
    for words, tags in zip(WORDS, TAGS, strict=True):
        tagger.add_example(words, tags)
    assert len(tagger.task.run.hypothesis.support) <= 6
    assert len(tagger.label(WORDS[0])) == 5


@pytest.mark.parametrize("policy", POLICIES)
def test_save_keeps_the_budget(policy, tmp_path):
    learner = PerceptronClassifier(WIDE, budget=Budget(10, policy), multiclass="ovr", random_state=0)
    learner.fit(X, THREE)
    tagger = PerceptronTagger(WIDE, budget=Budget(9, policy), random_state=0, max_iter=1).fit(WORDS, TAGS)
    for each, data in ((learner, (X, THREE)), (tagger, (WORDS, TAGS))):
        save(each, tmp_path / "model")
        again = load(tmp_path / "model")
        assert again.ledger_ == each.ledger_
        for predictor in ("last", "best", "average", "vote"):
            one, two = (e.set_params(predictor=predictor).predict(data[0]) for e in (again, each))
            assert np.array_equal(one, two)
        again.partial_fit(*data)
        each.partial_fit(*data)
        save(again, tmp_path / "one")
        save(each, tmp_path / "two")
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_budget_rejects_invalid_values():
    for wrong in (1, 0, -5, 2.5, "many", True):
        with pytest.raises(ValueError, match="udget"):
            as_budget(wrong)
    with pytest.raises(ValueError, match="policy is one of"):
        Budget(5, "newest")
    with pytest.raises(ValueError, match="tolerance"):
        Budget(5, tolerance=1.5)
    with pytest.raises(ValueError, match="learner with a kernel"):
        PerceptronClassifier(budget=5).fit(X, TWO)
    with pytest.raises(ValueError, match="Merging takes an RBF"):
        PerceptronClassifier(kernels.Linear(), budget=Budget(5, "merging")).fit(X, TWO)
    learner = PerceptronClassifier(WIDE, budget=5).fit(X, TWO)
    with pytest.raises(ValueError, match="forgets nothing"):
        learner.certificate(X, TWO)
    with pytest.raises(ValueError, match="cannot change budget"):
        learner.set_params(budget=6).partial_fit(X, TWO)


def test_budget_applies_to_objects():
    shared = kernels.Function(lambda a, b: float(len(set(a) & set(b))))
    words = ["perceptron", "person", "kernel", "colonel", "lemon", "melon", "margin", "virgin"] * 3
    for policy in ("projection", "halving", "oldest", "random"):
        learner = PerceptronClassifier(shared, budget=Budget(3, policy), max_iter=2, random_state=0)
        learner.fit(words, [len(word) % 2 for word in words])
        assert len(learner.support_) <= 3
        assert len(learner.predict(words)) == len(words)


def test_trimmed_ledger_is_not_taken_for_convergence():
    rows, labels = np.ones((LISTED, 1)), [1, -1] * (LISTED // 2)
    learner = PerceptronClassifier(kernels.RBF(sigma=1.0), budget=4, shuffle=False, max_iter=5).fit(
        rows, labels
    )
    assert learner.n_iter_ == 5
    assert not learner.converged_


def test_early_stopping_restores_the_best_epoch_under_a_budget(tmp_path):
    draw = np.random.default_rng(3)
    rows, grades, queries = draw.normal(size=(600, 3)), draw.integers(0, 3, 600), np.arange(600) // 6
    ranker = PerceptronRanker(WIDE, budget=8, max_iter=12, random_state=0, early_stopping=True)
    ranker.fit(rows, grades, qid=queries, eval_set=(rows[:60], grades[:60], queries[:60]))
    assert ranker.ledger_.when.max(initial=0) <= ranker.ledger_.rounds
    save(ranker, tmp_path / "model")
    assert load(tmp_path / "model").ledger_ == ranker.ledger_


def test_merging_stores_a_merged_example_again():
    learner = PerceptronClassifier(
        kernels.RBF(gamma=1.0), budget=Budget(150, "merging"), max_iter=5, shuffle=False
    )
    learner.fit(X, THREE)
    real = learner.support_ >= 0
    assert 0 < real.sum() < 150
    np.testing.assert_allclose(learner.support_vectors_[real], X[learner.support_[real]])
    assert set(learner.explain(X[0]).labels) <= {0, 1, 2}


def test_merging_ignores_the_intercept_in_distances():
    narrow = kernels.RBF(sigma=0.3)
    for dtype in (np.float32, np.float64):
        run = a_run(Budget(20, "merging"), X.astype(dtype), kernel=narrow, intercept=True)
        rows = run.hypothesis.support.rows.data.astype(np.float64)
        distances = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(
            run.hypothesis.matrix[:20, :20], -distances / (2 * 0.3**2), rtol=1e-4, atol=1e-4
        )


def test_remembered_guesses_answer_integer_rounds():
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(49)
        run = a_run(Budget(10, "oldest"), X[order], TWO[order])
        survived = [answered for _, answered in run.hypothesis._answered(0, 49)]
        assert run.remembered.survived[1:].tolist() == [int(rounds) for rounds in survived]


@pytest.mark.parametrize("policy", POLICIES)
def test_budget_accepts_sparse_rows_that_get_wider(policy):
    narrow, wide = sp.csr_array(X[:100]), sp.csr_array(sp.random_array((100, 5000), density=0.01, rng=0))
    learner = online.Classifier(WIDE, budget=Budget(10, policy))
    for i in range(100):
        learner._play(learner._reader.row(narrow[[i]]), np.array([TWO[i]], np.int8))
    for i in range(100):
        learner._play(wide[[i]], np.array([TWO[i]], np.int8))
    assert len(learner.task.run.hypothesis.support) <= 10
    assert learner.task.run.hypothesis.support.rows.width == 5000


def test_save_keeps_a_large_budget(tmp_path):
    learner = PerceptronClassifier(WIDE, budget=100_000, random_state=0).fit(X, TWO)
    save(learner, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(X), learner.predict(X))
    with pytest.raises(ValueError, match="seed"):
        Budget(5, seed=-1)


def test_structure_moved_of_forbidden_pairs_is_0():
    game, random = Sequence(2, frozenset({(0, 1)})), np.random.default_rng(0)
    run = begin(game, kernel=WIDE, budget=Budget(6, "oldest"))
    rows = run.number(random.normal(size=(30, 2)))
    examples = Examples(rows, np.zeros(30, int), np.arange(0, 31, 3))
    play(run, examples, [range(10)] * 2)
    guess, free = run.guess("last"), np.isfinite(game.structure)
    assert guess.structure[free].tolist() == guess.structure_moved[free].tolist()
    assert not guess.structure_moved[~free].any()
