"""Decoding against all paths: Viterbi's search, rivals of the truth, n-best; and broken searches, which are detected."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.all_paths import every_path, score_of
from rosenblatt.games import Sequence
from rosenblatt.loops import decoding, paths
from rosenblatt.tasks.tagging.lattices import Lattice


@st.composite
def lattices(draw):
    """Draw a game, small scores with ties, structure weights some of which forbid, and a path that is allowed."""
    rows, labels = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from(["scored", "allowed", "seen"]))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    lines = rows + (rows - 1) * labels if kind == "seen" else rows
    scores = random.integers(-2, 3, (lines, labels)).astype(float)
    truth = random.integers(0, labels, rows)
    pairs = {
        (before, after)
        for before, after in product(range(labels + 1), repeat=2)
        if random.random() < draw(st.sampled_from([0.0, 0.3]))
    }
    game = Sequence(labels, frozenset(pairs - {*pairwise([labels, *truth.tolist(), labels])}), kind)
    learned = random.integers(-2, 3, len(game.structure)) if kind != "allowed" else 0
    return game, scores, game.structure + learned, truth


@given(lattices())
def test_best_is_the_highest_of_all_paths(lattice):
    game, scores, structure, truth = lattice
    found, totals = game.best(scores, structure[None], np.array([0, len(scores)]))
    best, path = every_path(scores, structure, game.pairs == "seen")[0]
    assert (tuple(found[: len(truth)]), totals[0]) == (path, best)


@given(lattices(), st.integers(1, 30))
def test_n_best_are_the_first_of_all_paths(lattice, n):
    game, scores, structure, _ = lattice
    lattice = Lattice(game, scores, structure[None], np.array([0, len(scores)]), slice(None))
    ((paths_found, totals),) = lattice.n_best(n)
    expected = [pair for pair in every_path(scores, structure, game.pairs == "seen") if pair[0] > -np.inf][:n]
    assert [*zip(totals.tolist(), map(tuple, paths_found.tolist()), strict=True)] == expected


@given(lattices())
def test_best_through_and_probabilities_match_all_paths(lattice):
    game, scores, structure, truth = lattice
    lattice = Lattice(game, scores, structure[None], np.array([0, len(scores)]), slice(0, len(truth)))
    ranked = every_path(scores, structure, game.pairs == "seen")
    weights = np.exp(np.array([score for score, _ in ranked]) / 2.0)
    through, probable = lattice.best_through(), lattice.probabilities(2.0)
    for i, label in product(range(len(truth)), range(game.labels)):
        mine = np.array([path[i] == label for _, path in ranked])
        assert through[i, label] == max(score for score, path in ranked if path[i] == label)
        assert probable[i, label] == pytest.approx(weights[mine].sum() / weights.sum(), abs=1e-12)


def test_probabilities_are_stable_for_scores_far_apart():
    """The only likely path begins with a label whose score is far lower."""
    scores, structure = np.array([[1000.0, 0.0], [0.0, 0.0]]), np.zeros(8)
    structure[3] = 3000.0
    lattice = Lattice(Sequence(2), scores, structure[None], np.array([0, 2]), slice(None))
    assert np.allclose(lattice.probabilities(1.0), [[0, 1], [0, 1]])
    game = Sequence(2, frozenset({(0, 0), (0, 1), (1, 0)}))
    lattice = Lattice(game, scores, (game.structure + structure)[None], np.array([0, 2]), slice(None))
    assert np.allclose(lattice.probabilities(1.0), [[0, 1], [0, 1]])


def best_rival(scores, structure, truth, loss, seen=False):
    """Return the score and the path of the highest rival, where every wrong label adds `loss`."""
    added = scores.copy()
    added[: len(truth)] += loss * (np.arange(scores.shape[1]) != np.asarray(truth)[:, None])
    rivals = [pair for pair in every_path(added, structure, seen) if pair[1] != tuple(truth)]
    return rivals[0] if rivals else (-np.inf, None)


@given(lattices(), st.integers(0, 3))
def test_rival_path_is_the_best_of_all_other_paths(lattice, loss):
    game, scores, structure, truth = lattice
    found, seen, rows = np.empty(len(truth), np.int64), game.pairs == "seen", len(truth)
    highest = paths.rival_path(scores[:rows], scores[rows:], structure, truth, float(loss), found)
    expected, _ = best_rival(scores, structure, truth, loss, seen)
    assert highest == expected
    if expected > -np.inf:
        assert tuple(found) != tuple(truth)
        assert score_of(found, scores, structure, seen) + loss * (found != truth).sum() == expected


@given(lattices(), st.sampled_from([-np.inf, 0.0, 1.0, 2.0]))
def test_judge_compares_the_truth_with_its_best_rival(lattice, required_margin):
    game, scores, structure, truth = lattice
    seen, lines = game.pairs == "seen", np.zeros(len(scores), np.int64)
    lines[: len(truth)] = truth
    where, amount = np.zeros((99, 2), np.int64), np.zeros(99)
    count, margin, wrong, cost = game.judge(scores, structure, lines, 0, required_margin, where, amount)
    true_score, loss = score_of(truth, scores, structure, seen), max(required_margin, 0.0)
    assert wrong == (best_rival(scores, structure, truth, 0.0, seen)[0] >= true_score)
    if margin < np.inf:
        assert margin - loss * cost == true_score - best_rival(scores, structure, truth, loss, seen)[0]
        moved = sum(
            change * (structure[output] if row < 0 else scores[row, output])
            for (row, output), change in zip(where[:count], amount[:count], strict=True)
        )
        assert moved == margin  # ⟨v, Φ(truth) − Φ(rival)⟩
        assert game.pairs != "allowed" or (where[:count, 0] >= 0).all()


def is_surpassed_rightly(scores, structure, truth):
    """Return whether `surpassing` finds the best rival, or nothing if that scores below the truth."""
    found, rival = np.empty((2, len(truth)), np.int64)
    highest = best_of_rivals(scores, scores[:0], structure, truth, 0.0, rival)
    gain = highest - score_of(truth, scores, structure)
    answer = paths.surpassing(scores, structure, truth, found)
    return answer == -np.inf if gain < 0 else answer == gain and np.array_equal(found, rival)


def best_of_rivals(*lattice):
    """Return the score of the best rival by `rival_path`, with its own functions restored."""
    with pytest.MonkeyPatch.context() as patch:
        for name, function in SEARCH.items():
            patch.setattr(paths, name, function)
        return paths.rival_path(*lattice)


SEARCH = {name: getattr(paths, name) for name in ("highest_of", "way_into")}


@given(lattices())
def test_surpassing_finds_the_best_rival(lattice):
    game, scores, structure, truth = lattice
    assert game.pairs == "seen" or is_surpassed_rightly(scores, structure, truth)


def test_surpassing_law_rejects_broken_searches(monkeypatch):
    """On long rounds most paths score far below the truth, as after learning."""
    random, stood, seen = np.random.default_rng(0), 0, dict.fromkeys(SEARCH, 0)
    broken = {
        "highest_of": lambda values: values[1:].max(),
        "way_into": lambda best, i, *_: int(best[i].argmax()),
    }
    for _ in range(200):
        truth = random.integers(0, 5, 12)
        lead = random.integers(4, 30, (12, 1)) * (np.arange(5) == truth[:, None])
        scores = random.integers(-3, 4, (12, 5)) + lead.astype(float)
        structure = random.integers(-3, 4, 35).astype(float)
        assert is_surpassed_rightly(scores, structure, truth)
        stood += paths.surpassing(scores, structure, truth, np.empty(12, np.int64)) == -np.inf
        for name, wrong in broken.items():
            with monkeypatch.context() as patch:
                patch.setattr(paths, name, wrong)
                seen[name] += not is_surpassed_rightly(scores, structure, truth)
    assert 20 < stood < 180
    assert min(seen.values()) > 0


def test_judge_uses_loss_augmented_decoding_for_margin_rules():
    where, amount, other_rivals = np.zeros((99, 2), np.int64), np.zeros(99), 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        scores, structure = (random.integers(-2, 3, shape).astype(float) for shape in ((4, 3), 15))
        truth = random.integers(0, 3, 4)
        _, margin, _, cost = Sequence(3).judge(scores, structure, truth, 0, 2.0, where, amount)
        highest = score_of(truth, scores, structure) - margin + 2.0 * cost
        assert highest == best_rival(scores, structure, truth, 2.0)[0]
        plain, path = best_rival(scores, structure, truth, 0.0)
        other_rivals += highest > plain + 2.0 * (np.array(path) != truth).sum()
    assert other_rivals > 20


def never_looks_back(best, i, pairs, line, better):
    better[:] = best[i, 0] + pairs[line]


def gives_up_too_soon(best, i, pairs, line, better):
    leader = int(np.argmax(best[i]))
    better[:] = best[i, leader] + pairs[line + leader]


def takes_the_last_of_equals(values):
    return len(values) - 1 - int(np.argmax(values[::-1]))


@pytest.mark.parametrize(
    ("part", "broken"),
    [
        ("extend", never_looks_back),
        ("extend", gives_up_too_soon),
        ("index_of_highest", takes_the_last_of_equals),
    ],
)
def test_best_path_law_rejects_broken_searches(part, broken, monkeypatch):
    monkeypatch.setattr(paths, part, broken)
    random, seen = np.random.default_rng(0), 0
    for _ in range(50):
        scores, structure = (random.integers(-2, 3, shape).astype(float) for shape in ((4, 3), 15))
        found = np.empty(4, np.int64)
        paths.best_path(scores, scores[:0], structure, found)
        seen += tuple(found) != every_path(scores, structure)[0][1]
    assert seen > 5


def merges_equals_in_any_order(lists, i, pairs, at, stride, taken, best, came):
    labels, n = lists.shape[1:]
    every = [(-lists[i, p, r] - pairs[at + p * stride], -p, r) for p in range(labels) for r in range(n)]
    for rank, (score, p, r) in enumerate(sorted(every)[:n]):
        best[rank], came[rank] = -score, -p * n + r


def test_n_best_law_rejects_a_broken_merge(monkeypatch):
    random, seen = np.random.default_rng(0), 0
    monkeypatch.setattr(decoding, "merge", merges_equals_in_any_order)
    for _ in range(20):
        scores, structure = (random.integers(-2, 3, shape).astype(float) for shape in ((3, 3), 15))
        found, totals = np.empty((9, 3), np.int64), np.empty(9)
        decoding.n_best(scores, scores[:0], structure, found, totals)
        expected = every_path(scores, structure)[:9]
        assert totals.tolist() == [score for score, _ in expected]
        seen += [*map(tuple, found.tolist())] != [path for _, path in expected]
    assert seen > 10
