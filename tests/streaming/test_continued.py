"""Runs that continue with other blocks: the run of one source after the other is that of both together."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures import model_data
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, load, save
from rosenblatt.data.blocks import Block, Sequences
from rosenblatt.streaming import Checkpoints

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-3, 4, size=(120, 4)).astype(float)
LABELS = RANDOM.integers(0, 3, 120)
QUERIES = np.arange(120) // 6


def blocks(rows, labels, size, queries=None):
    return [
        Block(rows[i : i + size], labels[i : i + size], None if queries is None else queries[i : i + size])
        for i in range(0, len(labels), size)
    ]


def continued(estimator, source, epochs=1, **options):
    estimator.set_params(warm_start=True, max_iter=epochs).fit_blocks(source, **options)
    return estimator


@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 2)), min_size=4, max_size=20),
    st.data(),
    st.sampled_from(["dense", "csr", "kernel", "ovr"]),
)
def test_two_sources_have_the_ledger_of_both_together(rows, data, kind):
    numbers, labels = np.array(rows)[:, :2].astype(float), np.array(rows)[:, 2]
    cut, size = data.draw(st.integers(1, len(rows) - 1)), data.draw(st.integers(1, 5))
    made = sp.csr_array(numbers) if kind == "csr" else numbers
    kernel = kernels.Polynomial(2) if kind == "kernel" else None
    multiclass = "ovr" if kind == "ovr" else "argmax"

    def learner():
        return PerceptronClassifier(
            kernel, multiclass=multiclass, shuffle=False, max_iter=1, rule="perceptron"
        )

    whole, parts = learner(), learner()
    whole.fit_blocks(blocks(made, labels, size), classes=[0, 1, 2])
    parts.fit_blocks(blocks(made[:cut], labels[:cut], size), classes=[0, 1, 2])
    continued(parts, blocks(made[cut:], labels[cut:], size))
    assert parts.ledger_ == whole.ledger_
    assert np.array_equal(parts.support_, whole.support_)
    np.testing.assert_array_equal(parts.decision_function(made), whole.decision_function(made))


@pytest.mark.parametrize("size", [1, 13, 60])
def test_rows_have_their_ids_in_every_epoch(size):
    """Three epochs over the second part are three calls of partial_fit, but for the ids of rows."""
    learner = PerceptronClassifier(shuffle=False, max_iter=1, rule="perceptron")
    learner.fit_blocks(blocks(X[:70], LABELS[:70], 70))
    continued(learner, blocks(X[70:], LABELS[70:], size), epochs=3)
    same = PerceptronClassifier(shuffle=False, rule="perceptron").partial_fit(X[:70], LABELS[:70])
    for _ in range(3):
        same.partial_fit(X[70:], LABELS[70:])
    for name in ("when", "margin", "size", "output", "amount"):
        assert np.array_equal(getattr(learner.ledger_, name), getattr(same.ledger_, name)), name
    ids = same.ledger_.row
    assert np.array_equal(learner.ledger_.row, np.where(ids < 70, ids, (ids - 70) % 50 + 70))
    assert np.array_equal(
        learner.ledger_.example, np.where(ids[::2] < 70, ids[::2], (ids[::2] - 70) % 50 + 70)
    )
    assert learner.n_iter_ == 4
    assert learner.certificate(X, LABELS).holds


def test_continued_classes_and_features_may_be_new():
    narrow, wide = sp.csr_array(X[:60, :2]), sp.csr_array(X[60:])
    two, three = np.minimum(LABELS[:60], 1), LABELS[60:]
    learner = PerceptronClassifier(shuffle=False, max_iter=1)
    learner.fit_blocks([Block(narrow, two)])
    continued(learner, [Block(wide, three)])
    same = PerceptronClassifier(shuffle=False, max_iter=1)
    same.fit_blocks([Block(narrow, two), Block(wide, three)])
    assert learner.ledger_ == same.ledger_
    assert learner.classes_.tolist() == [0, 1, 2]
    assert learner.n_features_in_ == 4


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
@pytest.mark.parametrize("strategy", ["best", "top"])
def test_ranker_continues_with_lists(kernel, strategy):
    def learner():
        return PerceptronRanker(kernel, strategy=strategy, rule="perceptron", shuffle=False, max_iter=1)

    whole, parts = learner(), learner()
    whole.fit_blocks(blocks(X, LABELS, 120, QUERIES))
    parts.fit_blocks(blocks(X[:60], LABELS[:60], 60, QUERIES[:60]))
    continued(parts, blocks(X[60:], LABELS[60:], 17, QUERIES[60:]))
    assert parts.ledger_ == whole.ledger_


def test_ranker_continues_with_other_pairs():
    ranker = PerceptronRanker(rule="perceptron", random_state=0, max_iter=1)
    ranker.fit_blocks(blocks(X, LABELS, 120, QUERIES))
    continued(ranker, blocks(X, LABELS, 120, QUERIES))
    first, second = ranker.task_.shown
    assert first.max() < 120 <= second.min()
    assert not np.array_equal(first, second - 120)
    assert ranker.certificate(np.vstack([X, X]), np.tile(LABELS, 2), np.arange(240) // 6).holds


SENTENCES = [[f"w{w}" for w in RANDOM.integers(0, 9, 4)] for _ in range(40)]
TAGS = [[f"t{int(w[1:]) % 3}" for w in sentence] for sentence in SENTENCES]


@pytest.mark.parametrize("kernel", [None, kernels.Polynomial(2)])
def test_tagger_continues_with_new_words_and_labels(kernel):
    def learner():
        return PerceptronTagger(kernel, shuffle=False, max_iter=1, keep_examples=True)

    whole, parts = learner(), learner()
    whole.fit_blocks([Sequences(SENTENCES, TAGS)])
    parts.fit_blocks([Sequences(SENTENCES[:25], TAGS[:25])])
    continued(parts, [Sequences(SENTENCES[25:], TAGS[25:])])
    assert parts.ledger_ == whole.ledger_
    assert parts.predict(SENTENCES) == whole.predict(SENTENCES)
    continued(parts, [Sequences([["w0", "new"]], [["t0", "t9"]])], epochs=4)
    assert parts.classes_.tolist() == ["t0", "t1", "t2", "t9"]
    assert parts.set_params(predictor="last").predict([["w0", "new"]]) == [["t0", "t9"]]


def test_first_blocks_begin_a_run_with_warm_start():
    learner = continued(PerceptronClassifier(shuffle=False), blocks(X, LABELS, 50), epochs=2)
    same = PerceptronClassifier(shuffle=False, max_iter=2).fit(X, LABELS)
    assert learner.ledger_ == same.ledger_


def orders_of(learner, epoch):
    """Return the rows that were corrected in an epoch over 120 rows, in their order, that were so in both."""
    ledger = learner.ledger_
    inside = [ledger.example[ledger.when // 120 == part] % 120 for part in (0, 1)]
    return inside[epoch][np.isin(inside[epoch], np.intersect1d(*inside))]


def test_continued_run_draws_other_orders():
    def learner():
        return PerceptronClassifier(random_state=0, max_iter=1)

    one, other = learner(), learner()
    for estimator in (one, other):
        estimator.fit_blocks(blocks(X, LABELS, 120))
        continued(estimator, blocks(X, LABELS, 120))
    assert one.ledger_ == other.ledger_
    repeated = learner().fit(X, LABELS)
    repeated.set_params(warm_start=True).fit(X, LABELS)
    assert repeated.ledger_ == one.ledger_
    first, second = (orders_of(one, part) for part in (0, 1))
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kernel": "rbf"}, "cannot change kernel"),
        ({"multiclass": "ovr"}, "cannot change multiclass"),
        ({"fit_intercept": False}, "cannot change fit_intercept"),
    ],
)
def test_continued_run_keeps_what_it_was_begun_with(change, words):
    learner = PerceptronClassifier(max_iter=1)
    learner.fit_blocks(blocks(X, LABELS, 120))
    before = learner.ledger_
    with pytest.raises(ValueError, match=words):
        continued(learner.set_params(**change), blocks(X, LABELS, 120))
    assert learner.ledger_ == before


def test_continued_run_knows_its_classes():
    learner = PerceptronClassifier(max_iter=1)
    learner.fit_blocks(blocks(X, LABELS, 120))
    with pytest.raises(ValueError, match="knows its classes"):
        continued(learner, blocks(X, LABELS, 120), classes=[0, 1, 2, 3])


def test_continued_run_may_follow_another_rule():
    learner = PerceptronClassifier(shuffle=False, max_iter=1)
    learner.fit_blocks(blocks(X[:60], LABELS[:60], 60))
    continued(learner.set_params(rule="passive-aggressive"), blocks(X[60:], LABELS[60:], 60))
    same = PerceptronClassifier(shuffle=False, max_iter=1)
    same.fit_blocks(blocks(X[:60], LABELS[:60], 60))
    same.set_params(rule="passive-aggressive").partial_fit(X[60:], LABELS[60:])
    assert learner.ledger_ == same.ledger_


class Stopped(Exception):  # noqa: N818
    """Raised to stop a run."""


KINDS = {
    "primal": (lambda: PerceptronClassifier(random_state=0, max_iter=2), blocks(X, LABELS, 50)),
    "dual": (
        lambda: PerceptronClassifier(kernels.RBF(gamma=0.5), random_state=0, max_iter=2),
        blocks(X, LABELS, 50),
    ),
    "pairs": (lambda: PerceptronRanker(random_state=0, max_iter=2), blocks(X, LABELS, 50, QUERIES)),
    "tagger": (
        lambda: PerceptronTagger(random_state=0, max_iter=2),
        [Sequences(model_data.WORDS * 15, model_data.TAGS * 15)],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_continued_run_resumes_after_any_stop(kind, tmp_path):
    make, source = KINDS[kind]
    path, calls = tmp_path / "checkpoint", []

    class Stopping(Checkpoints):
        count = 0

        def after(self, estimator, position):
            super().after(estimator, position)
            self.count += 1
            if self.count == self.stop_after:
                raise Stopped

    first = make()
    first.fit_blocks(source)
    save(first, tmp_path / "first")

    def run(stop_after=None):
        checkpoints = Stopping(path, 11, {"kind": kind})
        checkpoints.stop_after = stop_after
        estimator, position = checkpoints.found() or (load(tmp_path / "first"), None)
        continued(estimator, source, epochs=2, checkpoints=checkpoints, position=position)
        checkpoints.done()
        save(estimator, tmp_path / "model")
        calls.append(checkpoints.count)
        return (tmp_path / "model").read_bytes()

    whole = run()
    assert load(tmp_path / "model").run_.rows_seen > first.run_.rows_seen
    for stop_after in range(1, calls[0] + 1, max(1, calls[0] // 4)):
        with pytest.raises(Stopped):
            run(stop_after)
        assert run() == whole
