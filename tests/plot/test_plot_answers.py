"""Values behind plots: confusions of rounds, and errors of predictors over epochs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler

from fixtures.playing import labelled_points
from fixtures.tagging_data import INPUTS, SENTENCES, TAGS
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, plot
from rosenblatt.engine import predictors

BLOBS, NUMBERS = make_blobs(60, centers=3, cluster_std=3.0, random_state=2)


def cells(ax):
    """Return the counts in the cells, 0 where there are none."""
    return ax.images[0].get_array().filled(0).astype(int)


def confused_one_at_a_time(X, y, classes, one_vs_rest):
    """Count truths against answers in the sources' loop, without a kernel; "no" is the last column."""
    counts, v = np.zeros((classes, classes + one_vs_rest), int), np.zeros((classes, X.shape[1] + 1))
    for x, truth in [(np.append(x, 1), truth) for _ in range(2) for x, truth in zip(X, y, strict=True)]:
        scores = v @ x
        if one_vs_rest:
            for c in range(classes):
                sign = 1 if c == truth else -1
                if sign * scores[c] <= 0:
                    counts[truth, classes if c == truth else c] += 1
                    v[c] += sign * x
            continue
        rival = max((c for c in range(classes) if c != truth), key=lambda c: scores[c])
        if scores[truth] <= scores[rival]:
            counts[truth, rival] += 1
            v[truth] += x
            v[rival] -= x
    return counts


@given(labelled_points(3), st.sampled_from([None, kernels.Linear()]), st.booleans())
def test_confusion_matches_the_textbook_loop(data, kernel, one_vs_rest):
    X, y = np.vstack([data[0], np.eye(3, data[0].shape[1])]), np.append(data[1], [0, 1, 2])
    clf = PerceptronClassifier(
        kernel,
        max_iter=2,
        shuffle=False,
        multiclass="ovr" if one_vs_rest else "argmax",
        fit_intercept=True,
        rule="perceptron",
    ).fit(X, y)
    counts = cells(plot.confusion(clf))
    assert counts.sum() == clf.ledger_.errors
    if clf.n_iter_ == 2:
        assert np.array_equal(counts, confused_one_at_a_time(X, y, 3, one_vs_rest))


@pytest.mark.parametrize("rule", ["perceptron", "margin"])
def test_confusion_of_two_classes_is_off_diagonal(rule):
    clf = PerceptronClassifier(rule=rule, max_iter=3, random_state=0).fit(BLOBS, NUMBERS == 1)
    mistaken = (NUMBERS == 1)[clf.ledger_.mistakes]
    assert cells(plot.confusion(clf)).tolist() == [[0, (~mistaken).sum()], [mistaken.sum(), 0]]


@pytest.mark.parametrize("kind", ["texts", "pairs", "crfpp pairs", "kernel", "kernel on pairs"])
def test_confusion_of_taggers_counts_labels_of_tokens(kind):
    X, options = INPUTS[kind]
    tagger = PerceptronTagger(max_iter=4, random_state=0, **options).fit(X, TAGS)
    ledger, ids = tagger.ledger_, {label: i for i, label in enumerate(tagger.classes_)}
    edges = len(ids) if tagger.run_.game.pairs == "seen" else 0
    lengths = np.array([len(tags) for tags in TAGS])
    starts = np.concatenate([[0], np.cumsum(lengths + (lengths - 1) * edges)])
    wanted = np.zeros((len(ids), len(ids)), int)
    for row, output, amount, example in zip(
        ledger.row, ledger.output, ledger.amount, ledger.example[ledger.correction], strict=True
    ):
        offset = row - starts[example]
        if row >= 0 and offset < lengths[example] and amount < 0:
            wanted[ids[TAGS[example][offset]], output] += 1
    ax = plot.confusion(tagger)
    assert np.array_equal(cells(ax), wanted)
    assert wanted.sum() == ledger.cost.sum()
    assert ax.get_title().startswith(f"{wanted.sum()} labels wrong in {ledger.errors} mistakes")


def test_confusion_writes_counts_in_cells():
    ax = plot.confusion(PerceptronTagger(random_state=0).fit(SENTENCES, TAGS))
    assert (cells(ax) == 0).sum() > len(cells(ax))  # some besides those of the diagonal
    written = {text.get_position()[::-1]: int(text.get_text()) for text in ax.texts}
    assert written == {at: count for at, count in np.ndenumerate(cells(ax)) if count}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "true")


def test_confusion_rejects_unsupported_runs():
    with pytest.raises(
        ValueError, match=r"counts labels, in the games .* Got a PerceptronRanker that plays Ranking"
    ):
        plot.confusion(PerceptronRanker(strategy="best").fit([([[1.0], [2.0]], 0)]))
    with pytest.raises(ValueError, match=r"counted from a run. Got StandardScaler"):
        plot.confusion(StandardScaler())
    with pytest.raises(ValueError, match=r"by the rule 'perceptron' throughout. Got Margin"):
        plot.confusion(PerceptronTagger(rule="margin").fit(SENTENCES, TAGS))
    rest = PerceptronClassifier(multiclass="ovr", keep_examples=False).fit(BLOBS, NUMBERS)
    with pytest.raises(ValueError, match=r"'confusion' needs the corrected rows.*keep_examples=True"):
        plot.confusion(rest)
    forgets = PerceptronClassifier(kernels.RBF(1.0), budget=9, multiclass="ovr").fit(BLOBS, NUMBERS)
    with pytest.raises(ValueError, match=r"a budget drops some. Got Budget\(size=9"):
        plot.confusion(forgets)


LISTS = [([[3.0, 1.0], [1.0, 0.5]], 1), ([[2.0, 0.3], [9.0, 1.0]], 0), ([[1.0, 1.0], [0.2, 3.0]], 0)]
LEARNERS = {
    "linear": (PerceptronClassifier, {}, (BLOBS, NUMBERS)),
    "kernel": (PerceptronClassifier, {"kernel": kernels.RBF(sigma=2.0)}, (BLOBS, NUMBERS)),
    "ovr": (PerceptronClassifier, {"multiclass": "ovr"}, (BLOBS, NUMBERS)),
    "binary": (PerceptronClassifier, {}, (BLOBS, NUMBERS == 1)),
    "tagger": (PerceptronTagger, {"keep_examples": True}, (SENTENCES, TAGS)),
    "ranker": (PerceptronRanker, {"strategy": "best", "metric": "top-1"}, (LISTS, None)),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_error_by_predictor_matches_shorter_runs(name):
    kind, options, data = LEARNERS[name]
    learner = kind(max_iter=3, random_state=0, **options).fit(*data)
    before, epochs = learner.ledger_, learner.n_iter_
    ax = plot.error_by_predictor(learner, *data)
    assert [line.get_label() for line in ax.lines] == list(predictors.FROM_LEDGER)
    for epoch in range(1, epochs + 1):
        shorter = kind(max_iter=epoch, random_state=0, **options).fit(*data)
        for line in ax.lines:
            assert line.get_xdata()[epoch - 1] == epoch
            score = shorter.set_params(predictor=line.get_label()).score(*data)
            assert line.get_ydata()[epoch - 1] == pytest.approx(1 - score)
    assert learner.ledger_ == before
    assert learner.predictor == "average"
    wanted = {"ranker": "1 − top-1", "tagger": "1 − token_accuracy"}.get(name, "error")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("epochs", wanted)


def test_error_by_predictor_falls_back_to_rounds():
    clf = PerceptronClassifier(random_state=0, max_iter=2).fit(BLOBS, NUMBERS)
    ax = plot.error_by_predictor(clf, BLOBS, NUMBERS, rounds=[7, 40, 120])
    assert (ax.lines[0].get_xdata().tolist(), ax.get_xlabel()) == ([7, 40, 120], "rounds")
    clf.partial_fit(BLOBS[:13], NUMBERS[:13])
    ax = plot.error_by_predictor(clf, BLOBS, NUMBERS)
    assert ax.get_xlabel() == "rounds"
    assert np.array_equal(ax.lines[0].get_xdata(), np.arange(1, 11) * 133 // 10)
    once = PerceptronClassifier(random_state=0, max_iter=1).fit(BLOBS, NUMBERS)
    assert plot.error_by_predictor(once, BLOBS, NUMBERS).get_xlabel() == "rounds"


def test_error_by_predictor_passes_qid_to_score():
    X, y, qid = np.arange(24.0).reshape(12, 2) % 7, np.arange(12) % 3, np.repeat([0, 1, 2], 4)
    ranker = PerceptronRanker(random_state=0, max_iter=3).fit(X, y, qid=qid)
    ax = plot.error_by_predictor(ranker, X, y, qid=qid)
    assert ax.lines[2].get_ydata()[-1] == pytest.approx(1 - ranker.score(X, y, qid=qid))


def test_error_by_predictor_rejects_unsupported_runs():
    with pytest.raises(ValueError, match=r"estimator with a run. Got StandardScaler"):
        plot.error_by_predictor(StandardScaler(), BLOBS, NUMBERS)
    clf = PerceptronClassifier(max_iter=2).fit(BLOBS, NUMBERS)
    for rounds in ([], [0], [121], [1.5]):
        with pytest.raises(ValueError, match=r"integers from 1 to 120, those played. Got"):
            plot.error_by_predictor(clf, BLOBS, NUMBERS, rounds=rounds)
    with pytest.raises(ValueError, match=r"needs the corrected rows.*keep_examples=True"):
        plot.error_by_predictor(PerceptronTagger().fit(SENTENCES, TAGS), SENTENCES, TAGS)
    budget = PerceptronClassifier(kernels.RBF(1.0), budget=9).fit(BLOBS, NUMBERS)
    with pytest.raises(ValueError, match="budget forgets the guesses it had"):
        plot.error_by_predictor(budget, BLOBS, NUMBERS)
    with pytest.raises(ValueError, match="no round was played"):
        plot.error_by_predictor(PerceptronTagger().fit(SENTENCES, TAGS).pruned(), SENTENCES, TAGS)
