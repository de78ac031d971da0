"""Plots: lines, rings, bars and cells have the values of the ledger and the certificate."""

import sys
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fixtures.tagging_data import IOB, SENTENCES, TAGS
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, online, plot
from rosenblatt.engine import predictors
from rosenblatt.rules import Margin

MOONS, SIDES = make_moons(60, noise=0.2, random_state=0)
BLOBS, NUMBERS = make_blobs(80, centers=3, cluster_std=2.0, random_state=2)
NAMES = np.array(["$a$", "b$", "_c"])[NUMBERS]
LISTS = [([[3.0, 1.0], [1.0, 0.0]], 1), ([[2.0, 0.0], [9.0, 1.0]], 0), ([[1.0, 1.0], [0.0, 3.0]], 0)]
EDGED = np.array([[2.0, 0.1], [0.1, 2.0], [3.0, 0.2], [0.3, 2.0]])

# Fitted on first use, not during collection, which every process does.


@cache
def two():
    return PerceptronClassifier(kernels.RBF(sigma=0.5), rule="perceptron", max_iter=4, random_state=0).fit(
        MOONS, SIDES
    )


@cache
def three():
    return PerceptronClassifier(rule="perceptron", max_iter=3, random_state=0).fit(BLOBS, NAMES)


@cache
def rest():
    return PerceptronClassifier(rule="perceptron", max_iter=3, multiclass="ovr", random_state=0).fit(
        BLOBS, NAMES
    )


@cache
def tagger():
    return PerceptronTagger(random_state=0, keep_examples=True, max_iter=3).fit(SENTENCES, TAGS)


@cache
def ranker():
    return PerceptronRanker(rule="perceptron", strategy="best", random_state=0, max_iter=3).fit(LISTS)


@cache
def even():
    return PerceptronClassifier(random_state=0).fit(EDGED, [0, 1, 0, 1])


def budgeted(**options):
    options = {"max_iter": 3, "random_state": 0} | options
    return PerceptronClassifier(kernels.RBF(sigma=0.5), budget=8, **options).fit(MOONS, SIDES)


PICTURES = {
    "surface of two": lambda ax: plot.decision_surface(two(), MOONS, SIDES, ax, resolution=20),
    "surface of three": lambda ax: plot.decision_surface(three(), BLOBS, NAMES, ax, resolution=20),
    "mistakes": lambda ax: plot.mistakes(two(), two().certificate(MOONS, SIDES), ax),
    "proof": lambda ax: plot.proof(two().certificate(MOONS, SIDES), ax),
    "survival": lambda ax: plot.survival(two(), ax),
    "survival of three": lambda ax: plot.survival(rest(), ax),
    "errors": lambda ax: plot.error_by_predictor(ranker(), LISTS, ax=ax),
    "confusion": lambda ax: plot.confusion(three(), ax),
    "transitions": lambda ax: plot.transitions(tagger(), ax),
    "reasons": lambda ax: plot.reasons(tagger().explain(SENTENCES[0], 1), ax),
}


@pytest.mark.parametrize("name", PICTURES)
def test_plots_draw_on_the_axis_passed_or_a_new_figure(name):
    passed = Figure().add_subplot()
    assert PICTURES[name](passed) is passed
    made = PICTURES[name](None)
    assert made.figure.axes[0] is made
    assert made.figure.get_layout_engine() is not None
    assert made.figure._repr_png_().startswith(b"\x89PNG")
    assert pyplot.get_fignums() == []
    with pytest.raises(ValueError, match=r"one matplotlib axis, or None for a new one. Got ndarray"):
        PICTURES[name](np.array([passed]))


def test_plots_name_the_pip_line_if_matplotlib_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(ImportError, match=r"^Plots need matplotlib: pip install 'rosenblatt\[plot\]'$"):
        plot.mistakes(two())


@pytest.mark.parametrize("learned", [two, three, rest, ranker, tagger])
def test_mistakes_draws_the_ledger(learned):
    clf, ledger = learned(), learned().ledger_
    line = plot.mistakes(clf).lines[0]
    assert line.get_drawstyle() == "steps-post"
    rounds, count = line.get_data()
    for when in range(ledger.rounds + 1):
        assert count[np.searchsorted(rounds, when, side="right") - 1] == (ledger.when <= when).sum()


def test_mistakes_excludes_margin_corrections():
    clf = PerceptronClassifier(rule=Margin(beta=5.0), max_iter=2, random_state=0).fit(MOONS, SIDES)
    assert len(clf.ledger_) > clf.ledger_.errors
    assert plot.mistakes(clf).lines[0].get_ydata()[-1] == clf.ledger_.errors


def test_mistakes_draws_the_bound_of_the_certificate():
    certificate = two().certificate(MOONS, SIDES)
    assert set(plot.mistakes(two(), certificate).lines[1].get_ydata()) == {certificate.bound}
    every = rest().certificate(BLOBS, NAMES)
    assert set(plot.mistakes(rest(), every).lines[1].get_ydata()) == {sum(one.bound for one in every)}
    assert len(plot.mistakes(rest().ledger_.of(1), every[1]).lines) == 2
    margin = PerceptronClassifier(rule="margin", max_iter=2, random_state=0).fit(MOONS, SIDES)
    unbounded = plot.mistakes(margin, margin.certificate(MOONS, SIDES)).lines[1]
    assert (len(unbounded.get_xdata()), unbounded.get_label()) == (0, "no bound: nothing is promised")
    with pytest.raises(
        ValueError, match=r"bound is drawn over the run that it is about, of .* Got a certificate"
    ):
        plot.mistakes(three(), certificate)


def test_mistakes_dots_unlisted_corrections(monkeypatch):
    monkeypatch.setattr("rosenblatt.engine.run.LISTED", 4)
    clf = budgeted()
    ledger = clf.ledger_
    before, listed = plot.mistakes(clf).lines
    assert before.get_ydata()[1] == listed.get_ydata()[0] == ledger.unlisted_mistakes > 0
    assert before.get_xdata()[1] == listed.get_xdata()[0] == ledger.when[0]
    assert listed.get_ydata()[-1] == ledger.errors
    with pytest.raises(ValueError, match=f"survival of all guesses needs every.*Got {len(ledger)} of"):
        plot.survival(clf)
    with pytest.raises(ValueError, match="confusion matrix needs every correction"):
        plot.confusion(clf)


def test_mistakes_and_survival_accept_online_learners():
    learner = online.Classifier()
    for x, y in zip(MOONS, SIDES, strict=True):
        learner.add_example(x, 2 * int(y) - 1)
    assert plot.mistakes(learner).lines[0].get_ydata()[-1] == learner.ledger.errors
    assert plot.survival(learner).patches[0].get_data().values.sum() == len(MOONS)
    with pytest.raises(ValueError, match="no round was played"):
        plot.survival(online.Classifier())
    with pytest.raises(ValueError, match=r"drawn from a ledger. Got a StandardScaler, which has none"):
        plot.survival(StandardScaler())


def test_proof_draws_the_certificate():
    certificate = even().certificate(EDGED, [0, 1, 0, 1])
    assert certificate.separable
    drawn = [line.get_ydata() for line in plot.proof(certificate).lines]
    squares = (certificate.length_squared, certificate.length_ceiling)
    seen = [*map(np.sqrt, squares), certificate.progress, certificate.progress_floor]
    assert all(map(np.array_equal, drawn, seen))
    assert len(drawn) == 4
    steps = PerceptronClassifier(learning_rate=0.5, shuffle=False, rule="perceptron").fit(EDGED, [0, 1, 0, 1])
    labels = [line.get_label() for line in plot.proof(steps.certificate(EDGED, [0, 1, 0, 1])).lines]
    assert labels[1::2] == ["what lemma 2 allows", r"at least $\gamma$ for each step of 1"]


def test_proof_omits_the_floor_on_inseparable_data():
    certificate = PerceptronClassifier(max_iter=2, random_state=0).fit(MOONS, SIDES).certificate(MOONS, SIDES)
    assert not certificate.separable
    assert len(plot.proof(certificate).lines) == 3


def test_proof_rejects_other_input():
    with pytest.raises(ValueError, match="Got list of 3, one per class: pass one"):
        plot.proof(rest().certificate(BLOBS, NAMES))
    with pytest.raises(ValueError, match=r"that of one certificate. Got PerceptronClassifier"):
        plot.proof(two())
    idle = PerceptronClassifier(class_weight={0: 0, 1: 0}).fit(MOONS, SIDES)
    with pytest.raises(ValueError, match="nothing to prove: this run made no correction"):
        plot.proof(idle.certificate(MOONS, SIDES))
    assert len(rings(plot.decision_surface(idle, MOONS, SIDES, resolution=5))[0]) == 0


@pytest.mark.parametrize("learned", [two, three, ranker, tagger])
def test_survival_draws_the_ledger(learned):
    clf = learned()
    ax, survived = plot.survival(clf), clf.ledger_.survived
    assert np.array_equal(ax.patches[0].get_data().values, survived)
    best = predictors.best(clf.ledger_)
    assert ax.lines[0].get_xydata().tolist() == [[best, survived[best]]]
    assert ax.patches[1].get_height() == survived[best]


def test_survival_marks_the_best_guess_per_class():
    ax, ledger = plot.survival(rest()), rest().ledger_
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [r"\$a\$", "_c", r"b\$"]
    for head, bar in enumerate(ax.patches):
        mine = ledger.of(head)
        assert bar.get_width() == mine.survived.max()
        assert bar.get_x() == mine.survived[: predictors.best(mine)].sum()
    assert sorted(path.vertices[0, 0] for path in ax.collections[0].get_paths()) == sorted(ledger.when)


def rings(ax):
    found = [drawn for drawn in ax.collections if str(drawn.get_label()).startswith("support")]
    return (found[0].get_offsets().data, found[0].get_sizes()) if found else (np.empty((0, 2)), np.empty(0))


@pytest.mark.parametrize("predictor", ["last", "best", "average", "vote"])
@pytest.mark.parametrize("learned", [two, three, rest, budgeted])
def test_decision_surface_rings_support_vectors_by_importance(learned, predictor):
    clf = learned()
    X, y = (BLOBS, NAMES) if len(clf.classes_) == 3 else (MOONS, SIDES)
    guess = predictor if predictor != "vote" else "average"
    importance = np.abs(clf.set_params(predictor=guess).dual_coef_).max(axis=0)
    rows, areas = rings(plot.decision_surface(clf.set_params(predictor=predictor), X, y, resolution=5))
    assert np.array_equal(rows, clf.support_vectors_[importance > 0])
    assert np.array_equal(
        np.unique(areas, return_inverse=True)[1],
        np.unique(importance[importance > 0], return_inverse=True)[1],
    )


def test_decision_surface_matches_the_classifier():
    two().set_params(predictor="average")
    ax = plot.decision_surface(two(), MOONS, SIDES)
    line = np.vstack([path.vertices for path in ax.collections[1].get_paths()])
    assert np.abs(two().decision_function(line)).max() < 0.01 * np.abs(two().decision_function(MOONS)).max()
    shown = [drawn.get_offsets().data for drawn in ax.collections[2:4]]
    assert all(np.array_equal(points, MOONS[side == SIDES]) for side, points in enumerate(shown))
    three().set_params(predictor="average")
    ax = plot.decision_surface(three(), BLOBS, NAMES, resolution=9)
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert named == [r"y = \$a\$", "y = _c", r"y = b\$", "support, by |α|"]
    regions = ax.collections[0]
    answers = three().classes_[regions.get_array().astype(int)]
    corners = regions.get_coordinates()  # of cells, whose middles were scored
    middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
    assert np.array_equal(three().predict(middles.reshape(-1, 2)), answers.ravel())


def test_decision_surface_accepts_pipelines_sparse_rows_and_frames():
    pandas = pytest.importorskip("pandas")
    linear = PerceptronClassifier(keep_examples=False, random_state=0).fit(MOONS, SIDES)
    forgotten = plot.decision_surface(linear, MOONS, SIDES, resolution=5)
    assert (len(rings(forgotten)[0]), forgotten.get_title()) == (0, "")
    scaled = make_pipeline(StandardScaler(), PerceptronClassifier(random_state=0)).fit(BLOBS, NAMES)
    assert len(rings(plot.decision_surface(scaled, BLOBS, NAMES, resolution=5))[0]) == 0
    sparse = PerceptronClassifier(kernels.Linear(), random_state=0).fit(sp.csr_array(MOONS), SIDES)
    rows, _ = rings(plot.decision_surface(sparse, sp.csr_array(MOONS), SIDES, resolution=5))
    assert {*map(tuple, rows)} <= {*map(tuple, MOONS)}
    frame = pandas.DataFrame(MOONS, columns=["$ and $", "height"])
    named = plot.decision_surface(PerceptronClassifier(random_state=0).fit(frame, SIDES), frame, SIDES)
    assert (named.get_xlabel(), named.get_ylabel()) == (r"\$ and \$", "height")
    many, classes = make_blobs(90, centers=9, random_state=0)
    nine = PerceptronClassifier(random_state=0, max_iter=2).fit(many, classes)
    plot.decision_surface(nine, many, classes, resolution=5).figure.canvas.draw()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"X": MOONS[:, :1]}, r"rows of 2 features. Got X of shape \(60, 1\)"),
        ({"y": SIDES[1:]}, r"label for each of 60 rows. Got shape \(59,\)"),
        ({"y": SIDES + 1}, r"labels of the estimator, \[0, 1\]. Got 2"),
        ({"estimator": PerceptronRanker()}, "that of a classifier. Got PerceptronRanker"),
        ({"resolution": 1}, "at least 2 points along each feature. Got 1"),
    ],
)
def test_decision_surface_rejects_bad_input(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        plot.decision_surface(**{"estimator": two(), "X": MOONS, "y": SIDES} | change)


def test_plots_reject_unfitted_estimators():
    new = PerceptronClassifier()
    for draw in (plot.mistakes, plot.survival, plot.confusion):
        with pytest.raises(NotFittedError, match="not fitted"):
            draw(new)
    with pytest.raises(NotFittedError, match="not fitted"):
        plot.decision_surface(new, MOONS, SIDES)
    with pytest.raises(NotFittedError, match="not fitted"):
        plot.error_by_predictor(new, MOONS, SIDES)
    with pytest.raises(NotFittedError, match="not fitted"):
        plot.transitions(PerceptronTagger())


def test_transitions_and_reasons_draw_the_tagger():
    tagger = PerceptronTagger(random_state=0, scheme="IOB2").fit(SENTENCES[:2], IOB)
    ax, scores = plot.transitions(tagger), tagger.transitions_
    cells = ax.images[0].get_array()
    assert np.array_equal(cells.mask, ~np.isfinite(scores))
    assert np.array_equal(cells.compressed(), scores[np.isfinite(scores)])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["B-NP", "I-NP", "O", "start"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["B-NP", "I-NP", "O", "end"]
    explained = tagger.explain(SENTENCES[0], 1)
    bars = plot.reasons(explained, most=3)
    assert [bar.get_width() for bar in bars.patches] == [r.amount for r in explained.reasons[:3]][::-1]
    assert [tick.get_text() for tick in bars.get_yticklabels()] == [r.name for r in explained.reasons[:3]][
        ::-1
    ]
    with pytest.raises(ValueError, match=r"belong to a PerceptronTagger. Got PerceptronClassifier"):
        plot.transitions(two())
    with pytest.raises(ValueError, match=r"must be a single guess.*Got 'vote'"):
        plot.transitions(PerceptronTagger(predictor="vote").fit(SENTENCES[:2], IOB))
