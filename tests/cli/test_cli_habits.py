"""What people type out of habit: --version, --target, --class-weight, --no-intercept; Ctrl-C; numbers as labels."""

import shlex
import signal
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import PerceptronClassifier, PerceptronTagger, load, save
from rosenblatt.engine import learner
from rosenblatt.version import __version__

RANDOM = np.random.default_rng(4)
ROWS = RANDOM.integers(-3, 4, size=(60, 2))
LABELS = np.array(["no", "yes", "may-be"])[np.clip(ROWS.sum(axis=1) + RANDOM.integers(-1, 2, 60), -1, 1) + 1]


def write(path, labels, name="label", rows=ROWS):
    lines = [f"a,b,{name}", *(f"{a},{b},{label}" for (a, b), label in zip(rows, labels, strict=False))]
    Path(path).write_text("\n".join(lines) + "\n")


def words(text):
    return " ".join(text.split())


def test_version_is_printed(run):
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"rosenblatt {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments", [["--debug", "predict", "nowhere", "x"], ["predict", "nowhere", "x", "--debug"]]
)
def test_debug_is_an_option_of_every_command_and_before_it(run, arguments):
    assert "Traceback" in run(*arguments).err
    assert "Traceback" not in run("predict", "nowhere", "x").err
    assert "No such command" in run("--nothing", "--debug").err or run("--nothing", "--debug").code == 2


def test_debug_may_be_the_value_of_an_option(run, tmp_path):
    write("rows.csv", LABELS, "--debug")
    done = run("fit", "rows.csv", "-o", "m", "--label=--debug")
    assert done.code == 0, done.err


def test_target_is_another_name_of_label(run, tmp_path):
    write("rows.csv", LABELS, "y")
    for model, option in (("m", "--label"), ("n", "--target")):
        assert run("fit", "rows.csv", "-o", model, option, "y").code == 0
    assert Path("m").read_bytes() == Path("n").read_bytes()
    done = run("fit", "rows.csv", "-o", "k", "--label", "y", "--target", "y")
    assert done.code == 2
    assert "--target is another name of --label. Got both: leave one out." in words(done.err)
    done = run("fit", "rows.csv", "-o", "k", "--target", "y", "--id", "y")
    assert "Got 'y' for --target and --id" in words(done.err)


def fitted(**parameters):
    """The estimator that the command learns, by the library."""
    return PerceptronClassifier(random_state=0, **parameters).fit(ROWS.astype(float), LABELS)


@pytest.mark.parametrize(
    ("option", "weights"),
    [
        ("yes=3,no=0.5", {"yes": 3, "no": 0.5, "may-be": 1}),
        ("may-be=0", {"yes": 1, "no": 1, "may-be": 0}),
        ("balanced", "balanced"),
    ],
)
@pytest.mark.parametrize("once", [[], ["--max-iter", "1"]])
def test_class_weight_weighs_corrections(run, tmp_path, option, weights, once):
    write("rows.csv", LABELS)
    assert run("fit", "rows.csv", "-o", "m", "--class-weight", option, *once).code == 0
    same = fitted(class_weight=weights, max_iter=1 if once else 10)
    assert load("m").ledger_ == same.ledger_
    done = run("fit", "-", "-o", "n", "--class-weight", option, *once, stdin=Path("rows.csv").read_bytes())
    assert done.code == 0, done.err
    assert Path("m").read_bytes() == Path("n").read_bytes()


def test_class_weight_in_blocks_balances_all_rows(run, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.tables.ROWS", 7)
    order = np.argsort(LABELS, kind="stable")  # blocks with one class each
    lines = [f"{a},{b},{label}" for (a, b), label in zip(ROWS[order], LABELS[order], strict=True)]
    Path("rows.csv").write_text("\n".join(["a,b,label", *lines]) + "\n")
    for option, weights in (("balanced", "balanced"), ("yes=2", {"yes": 2})):
        given = ["--class-weight", option, "--no-shuffle", "--classes", "yes,no,may-be"]
        done = run("fit", "rows.csv", "-o", "m", *given)
        assert done.code == 0, done.err
        same = PerceptronClassifier(
            class_weight=weights if option == "balanced" else {"yes": 2, "no": 1, "may-be": 1}
        )
        same.set_params(shuffle=False).fit(ROWS[order].astype(float), LABELS[order])
        assert load("m").ledger_ == same.ledger_


@pytest.mark.parametrize("option", ["-1=3", "+1=3", "1=0.5,-1=2", "1.0=3"])
def test_class_weight_names_numbers_as_they_are_written(run, train, option):
    assert run("fit", train, "-o", "m", "--class-weight", option).code == 0
    weights = load("m").class_weight
    assert set(weights) == {-1, 1}
    assert sorted(weights.values()) == ([0.5, 2.0] if "," in option else [1.0, 3.0])


def test_class_weight_of_taggers_is_by_label(run, tmp_path):
    sentences = [[f"w{w}" for w in RANDOM.integers(0, 5, 3)] for _ in range(30)]
    tags = [
        [("A", "B", "C")[RANDOM.integers(3) if w == "w0" else int(w[1:]) % 3] for w in s] for s in sentences
    ]
    tags = [[str(tag) for tag in some] for some in tags]
    pairs = zip(sentences, tags, strict=True)
    Path("t.conll").write_text(
        "\n".join("".join(f"{w}\t{t}\n" for w, t in zip(*pair, strict=True)) for pair in pairs)
    )
    for option, weights in (("A=5,C=0.5", {"A": 5, "C": 0.5}), ("balanced", "balanced")):
        done = run("fit", "t.conll", "-o", "m", "--class-weight", option)
        assert done.code == 0, done.err
        same = PerceptronTagger(random_state=0, class_weight=weights, keep_examples=True).fit(sentences, tags)
        assert load("m").ledger_.errors == same.ledger_.errors
        assert load("m").predict(sentences) == same.predict(sentences)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("yes", "give balanced, or a weight of at least 0 for each class, as in A=2,B=0.5. Got 'yes'."),
        ("yes=x", "Got 'yes=x'."),
        ("yes=-1", "Got 'yes=-1'."),
        ("yes=inf", "Got 'yes=inf'."),
        ("=1", "Got '=1'."),
        ("yes=1,yes=2", "a class has one weight. Got two of 'yes'."),
        ("yes=1,other=2", "--class-weight must name labels of the file, "),
        ("", "Got ''."),
    ],
)
def test_class_weight_is_checked(run, tmp_path, option, message):
    write("rows.csv", LABELS)
    done = run("fit", "rows.csv", "-o", "m", "--class-weight", option)
    assert done.code == 2
    assert message in words(done.err)
    assert not Path("m").exists()


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--no-intercept"], {"fit_intercept": False}),
        (["--intercept"], {"fit_intercept": True}),
        (
            ["--intercept", "--kernel", "RBF(gamma=0.5)"],
            {"fit_intercept": True, "kernel": "rbf", "gamma": 0.5},
        ),
        (["--kernel", "RBF(gamma=0.5)"], {"kernel": "rbf", "gamma": 0.5}),
        ([], {}),
    ],
)
def test_intercept_option(run, tmp_path, options, parameters):
    write("rows.csv", LABELS)
    if "--no-intercept" in options:
        done = run("fit", "rows.csv", "-o", "m", *options)
        row = np.flatnonzero(~ROWS.any(axis=1))[0] + 1
        assert f"cannot learn them. Got row {row} of rows.csv: leave out such rows" in done.err
        write("rows.csv", LABELS, rows=np.where(ROWS == 0, 7, ROWS))
    done = run("fit", "rows.csv", "-o", "m", *options)
    assert done.code == 0, done.err
    if "--no-intercept" in options:
        write("zeros.csv", LABELS)
        done = run("fit", "zeros.csv", "--continue", "m", "-o", "n")
        assert f"Got row {row} of zeros.csv" in done.err
    rows = np.where(ROWS == 0, 7, ROWS) if "--no-intercept" in options else ROWS
    same = PerceptronClassifier(random_state=0, **parameters).fit(rows.astype(float), LABELS)
    assert load("m").run_.intercept == same.run_.intercept
    assert load("m").fit_intercept == parameters.get("fit_intercept", "auto")
    np.testing.assert_array_equal(load("m").predict(rows), same.predict(rows))


@pytest.mark.parametrize(
    ("labels", "noticed"),
    [
        (RANDOM.normal(size=60).round(3), True),
        (RANDOM.integers(0, 8, 60) / 2, True),
        (RANDOM.integers(0, 4, 60) / 2, False),
        (np.tile([-0.5, 0.5], 30), False),
        (np.arange(60), False),
        ([0.25, 0.5, 0.75], True),
        ([0.25, 0.75, 0.25], False),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "svm"])
def test_labels_that_look_like_numbers_to_be_predicted_are_refused(run, tmp_path, labels, noticed, kind):
    write("rows.csv", labels)
    pairs = zip(ROWS, labels, strict=False)
    Path("rows.svm").write_text("".join(f"{label} 1:{a} 2:{b}\n" for (a, b), label in pairs))
    done = run("fit", f"rows.{kind}", "-o", "m")
    assert done.code == (1 if noticed else 0), done.err
    assert ("look like numbers to be predicted, and rosenblatt learns classes. Got" in done.err) == noticed
    assert Path("m").exists() != noticed
    if noticed:
        named = ",".join(map(str, sorted(set(np.asarray(labels).tolist()))))
        assert run("fit", f"rows.{kind}", "-o", "m", f"--classes={named}").code == 0
        assert run("fit", f"rows.{kind}", "-o", "m", "--scale", "standard").code == 1


def test_grades_of_a_ranker_may_be_any_numbers(run, tmp_path):
    pairs = enumerate(zip(ROWS, RANDOM.normal(size=60), strict=True))
    Path("t.svm").write_text("".join(f"{grade} qid:{i // 6} 1:{a} 2:{b}\n" for i, ((a, b), grade) in pairs))
    assert run("fit", "t.svm", "-o", "m", "--game", "ranking").code == 0


def test_estimator_says_what_to_do_about_numbers_as_labels():
    with pytest.raises(ValueError, match=r"classes\. Got 0\.5: sort them into a few classes"):
        PerceptronClassifier().fit(ROWS, np.arange(60) / 2)


@contextmanager
def pressed(after):
    """Press Ctrl-C after some calls of the player."""
    play, left = learner.learn, [after]

    def counted(*arguments, **options):
        left[0] -= 1
        if left[0] < 0:
            signal.raise_signal(signal.SIGINT)
        return play(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.tasks.task.learn", counted)
        yield


def test_ctrl_c_says_how_to_resume(run, tmp_path):
    write("the rows.csv", LABELS)
    given = ["fit", "the rows.csv", "--checkpoint", "every=25"]
    assert run(*given, "-o", "whole").code == 0
    with pressed(after=5):
        done = run(*given, "-o", "m")
    assert (done.code, done.out) == (130, "")
    assert not Path("m").exists()
    said, _, command = done.err.strip().rpartition(" to resume, type: ")
    assert said == "stopped; the checkpoint has 100 rounds;"
    assert command == "rosenblatt fit 'the rows.csv' --checkpoint every=25 -o m --resume"
    done = run(*shlex.split(command)[1:])
    assert done.code == 0, done.err
    assert done.err == "resuming after 100 rounds\n"
    assert Path("m").read_bytes() == Path("whole").read_bytes()


def test_ctrl_c_before_the_first_checkpoint_and_without_any(run, tmp_path):
    write("rows.csv", LABELS)
    given = ["fit", "rows.csv", "-o", "m"]
    with pressed(after=0):
        done = run(*given)
        late = run(*given, "--checkpoint", "every=1000", "--resume")
        quiet = run(*given, "--quiet")
    assert (done.code, done.out) == (130, "")
    assert (
        done.err
        == "stopped: nothing was written; --checkpoint every=N would have kept the rounds played so far\n"
    )
    again = shlex.join(["rosenblatt", *given, "--checkpoint", "every=1000", "--resume"])
    said = f"stopped before the first checkpoint: nothing was written; to start again, type: {again}\n"
    assert (late.code, late.err) == (130, said)
    assert (quiet.code, quiet.err) == (130, "")
    assert not Path("m").exists()


def test_class_weight_replaces_the_balance_of_a_model(run, tmp_path):
    Path("a.conll").write_text("the D\ncat N\n\n")
    words, tags = [["the", "cat"]], [["D", "N"]]
    save(PerceptronTagger(class_weight="balanced", random_state=0).fit(words, tags), "m")
    done = run("fit", "a.conll", "--continue", "m", "-o", "n", "--class-weight", "D=2")
    assert done.code == 0, done.err
    assert load("n").class_weight == {"D": 2.0, "N": 1.0}
