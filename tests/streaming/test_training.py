"""Learning in blocks: the run of `fit`, whatever the blocks are, and the same bytes wherever it is stopped and resumed."""

import numpy as np
import pytest
import scipy.sparse as sp

from fixtures import model_data
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, save
from rosenblatt.data.blocks import Block, Sequences
from rosenblatt.rules import Margin
from rosenblatt.streaming import Checkpoints, Position

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, size=(120, 4)).astype(float)
TWO, THREE = (X[:, 0] + X[:, 1] > 0).astype(int), RANDOM.integers(0, 3, 120)
QUERIES = np.arange(120) // 7
RBF = kernels.RBF(gamma=0.5)


def blocks(rows, labels, size, queries=None):
    return [
        Block(rows[i : i + size], labels[i : i + size], None if queries is None else queries[i : i + size])
        for i in range(0, len(labels), size)
    ]


def fitted(estimator, source, **options):
    estimator.fit_blocks(source, **options)
    return estimator


@pytest.mark.parametrize("size", [1, 7, 50, 120])
@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "csr"])
def test_fit_blocks_writes_the_ledger_of_fit(size, kernel, rows):
    for labels in (TWO, THREE):
        whole = PerceptronClassifier(kernel, shuffle=False, max_iter=3, rule="perceptron").fit(rows, labels)
        all_at_first = len(np.unique(labels[:size])) == len(np.unique(labels))
        found = PerceptronClassifier(kernel, shuffle=False, max_iter=3, rule="perceptron")
        found.fit_blocks(blocks(rows, labels, size), classes=None if all_at_first else np.unique(labels))
        assert found.ledger_ == whole.ledger_
        assert (found.n_iter_, found.converged_) == (whole.n_iter_, whole.converged_)
        for predictor in ("last", "best", "average", "vote"):
            one, two = (e.set_params(predictor=predictor).decision_function(X) for e in (found, whole))
            np.testing.assert_allclose(one, two)


def test_fit_blocks_shuffles_one_block_as_fit_does():
    whole = PerceptronClassifier(random_state=5, max_iter=4).fit(X, THREE)
    found = fitted(PerceptronClassifier(random_state=5, max_iter=4), blocks(X, THREE, 120))
    assert found.ledger_ == whole.ledger_


def test_fit_blocks_plays_lists_whole_across_blocks():
    whole = PerceptronRanker(strategy="best", shuffle=False, max_iter=3).fit(X, TWO, qid=QUERIES)
    for size in (3, 10, 33):
        found = fitted(
            PerceptronRanker(strategy="best", shuffle=False, max_iter=3), blocks(X, TWO, size, QUERIES)
        )
        assert found.ledger_ == whole.ledger_
    with pytest.raises(ValueError, match="comes again"):
        fitted(PerceptronRanker(), blocks(X, TWO, 10, QUERIES % 3))
    with pytest.raises(ValueError, match="comes again"):
        fitted(PerceptronRanker(), blocks(X[:5], TWO[:5], 4, np.array([1, 1, 2, 2, 1])))
    with pytest.raises(ValueError, match="query of every row"):
        fitted(PerceptronRanker(), blocks(X, TWO, 10))


def test_fit_blocks_widens_rows_as_features_appear():
    narrow, wide = sp.csr_array(X[:60, :2]), sp.csr_array(X[60:])
    for kernel in (None, kernels.Polynomial(2)):
        found = fitted(
            PerceptronClassifier(kernel, shuffle=False, max_iter=2, rule="perceptron"),
            [Block(narrow, TWO[:60]), Block(wide, TWO[60:])],
        )
        padded = np.vstack([np.pad(X[:60, :2], ((0, 0), (0, 2))), X[60:]])
        whole = PerceptronClassifier(kernel, shuffle=False, max_iter=2, rule="perceptron").fit(
            sp.csr_array(padded), TWO
        )
        assert found.ledger_ == whole.ledger_
        assert found.n_features_in_ == 4
        assert np.array_equal(found.predict(padded), whole.predict(padded))
    with pytest.raises(ValueError, match="start at zero"):
        fitted(
            PerceptronClassifier(start="random", rule="perceptron"),
            [Block(narrow, TWO[:60]), Block(wide, TWO[60:])],
        )


class Stopped(Exception):  # noqa: N818
    """Raised to stop a run."""


KINDS = {
    "primal": (lambda: PerceptronClassifier(random_state=0, max_iter=3), blocks(X, TWO, 50)),
    "sparse": (lambda: PerceptronClassifier(random_state=0, max_iter=3), blocks(sp.csr_array(X), THREE, 50)),
    "dual": (
        lambda: PerceptronClassifier(RBF, random_state=0, max_iter=3, rule=Margin(0.1)),
        blocks(X, THREE, 50),
    ),
    "ovr": (
        lambda: PerceptronClassifier(RBF, multiclass="ovr", random_state=0, max_iter=2),
        blocks(X, THREE, 120),
    ),
    "budget": (
        lambda: PerceptronClassifier(RBF, budget=12, random_state=0, max_iter=2),
        blocks(X, THREE, 50),
    ),
    "pairs": (lambda: PerceptronRanker(random_state=0, max_iter=3), blocks(X, TWO, 50, QUERIES)),
    "best": (
        lambda: PerceptronRanker(strategy="best", random_state=0, max_iter=5),
        blocks(X, TWO, 50, QUERIES),
    ),
    "top": (
        lambda: PerceptronRanker(RBF, strategy="top", random_state=0, max_iter=3),
        blocks(X, TWO, 50, QUERIES),
    ),
    "tagger": (
        lambda: PerceptronTagger(random_state=0, max_iter=3, min_count=2),
        [Sequences(model_data.WORDS * 15, model_data.TAGS * 15)],
    ),
    "kernel tagger": (
        lambda: PerceptronTagger(RBF, random_state=0, max_iter=2),
        [Sequences(model_data.WORDS * 8, model_data.TAGS * 8)],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_resume_after_any_stop_writes_the_same_bytes(kind, tmp_path):
    make, source = KINDS[kind]
    path, moments = tmp_path / "checkpoint", []

    class Stopping(Checkpoints):
        calls = 0

        def after(self, estimator, position):
            super().after(estimator, position)
            self.calls += 1
            if self.calls == self.stop_after:
                raise Stopped

    def run(stop_after=None):
        checkpoints = Stopping(path, 11, {"kind": kind})
        checkpoints.stop_after = stop_after
        found = checkpoints.found()
        estimator, position = (make(), None) if found is None else found
        estimator.fit_blocks(source, checkpoints=checkpoints, position=position)
        checkpoints.done()
        save(estimator, tmp_path / "model")
        moments.append(checkpoints.calls)
        return (tmp_path / "model").read_bytes()

    whole = run()
    for stop_after in range(1, moments[0] + 1, max(1, moments[0] // 6)):
        with pytest.raises(Stopped):
            run(stop_after)
        assert run() == whole
        assert not path.exists()


def test_resume_rejects_other_files(tmp_path):
    save(PerceptronClassifier().fit(X, TWO), tmp_path / "model", {"about": {}})
    with pytest.raises(ValueError, match="not a checkpoint"):
        Checkpoints(tmp_path / "model", 10, {}).found()
    with pytest.raises(ValueError, match="other data or options"):
        Checkpoints(tmp_path / "model", 10, {"seed": 1}).found()


def test_fit_blocks_rejects_empty_sources_and_balanced_weights():
    with pytest.raises(ValueError, match="Got no rows"):
        fitted(PerceptronClassifier(), [])
    with pytest.raises(ValueError, match="balanced"):
        fitted(PerceptronClassifier(class_weight="balanced"), blocks(X, TWO, 50))


SENTENCES, TAGS = [["the", "cat"], ["a", "dog"]], [["D", "N"], ["D", "N"]]


def test_fit_blocks_refuses_what_it_cannot_do():
    once, twice = [Sequences(SENTENCES, TAGS)], [Sequences(SENTENCES, TAGS)] * 2
    balanced = PerceptronTagger(class_weight="balanced", random_state=0)
    balanced.fit_blocks(once)
    with pytest.raises(ValueError, match=r"class_weight='balanced' needs all labels"):
        balanced.fit_blocks(twice)
    with pytest.raises(ValueError, match=r"plays all epochs. Got early_stopping=True: set it to False"):
        PerceptronTagger(early_stopping=True).fit_blocks(once)
    with pytest.raises(ValueError, match=r"labels of a classifier. Got \['X'\] for a PerceptronTagger"):
        PerceptronTagger().fit_blocks(once, classes=["X"])
    with pytest.raises(ValueError, match=r"resumed knows its classes. Got classes=\[0, 1\]"):
        PerceptronClassifier().fit_blocks([], classes=[0, 1], position=Position())
    with pytest.raises(ValueError, match=r"labels of a classifier. Got \[0\] for a PerceptronRanker"):
        PerceptronRanker().fit_blocks([], classes=[0])


def test_fit_blocks_leaves_the_estimator_as_it_was_after_an_error(tmp_path):
    learner = PerceptronClassifier(max_iter=1, shuffle=False)
    broken = X.copy()
    broken[50] = np.nan
    with pytest.raises(ValueError, match="finite"):
        learner.fit_blocks(blocks(broken, TWO, 20), checkpoints=Checkpoints(tmp_path / "c", 10, {}))
    assert not hasattr(learner, "task_")


def test_fit_blocks_draws_the_last_state_of_its_bar_once(capsys):
    PerceptronClassifier(max_iter=2, verbose=True).fit_blocks(blocks(X, TWO, len(X)))
    assert capsys.readouterr().err.count("\n") == 1
    PerceptronClassifier(max_iter=2, verbose=True).fit_blocks(blocks(X, TWO, len(X) // 2))
    assert capsys.readouterr().err.count("\n") == 1
