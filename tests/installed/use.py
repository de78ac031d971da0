"""Use an installed rosenblatt in an environment that has nothing else; `make wheel` runs it."""

import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import rosenblatt
from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels, load, online, save

XOR, Y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
COMMAND = str(Path(sys.executable).with_name("rosenblatt"))


def use_files():
    """Check what the wheel holds."""
    assert "site-packages" in rosenblatt.__file__, rosenblatt.__file__
    assert version("rosenblatt") == rosenblatt.__version__
    page = files("rosenblatt.arena") / "page"
    assert (files("rosenblatt") / "py.typed").is_file()
    assert {"index.html"} <= {each.name for each in page.iterdir()}


def use_learners(folder):
    """Learn in each game, save and load."""
    xor = PerceptronClassifier(kernels.Polynomial(2), predictor="last", shuffle=False).fit(XOR, Y)
    assert xor.predict(XOR).tolist() == Y
    assert xor.certificate(XOR, Y).holds
    save(xor, folder / "xor")
    assert load(folder / "xor").ledger_ == xor.ledger_
    tagger = PerceptronTagger(random_state=0).fit([["the", "cat"], ["a", "dog"]], [["D", "N"], ["D", "N"]])
    assert tagger.predict([["a", "cat"]]) == [["D", "N"]]
    ranker = PerceptronRanker(strategy="best", random_state=0).fit([([[3], [1]], 1), ([[2], [9]], 0)])
    assert ranker.find_best([[5], [4], [2]]) == 2
    learner = online.Classifier()
    learner.add_example({"free": 1}, 1)
    assert learner.predict({"free": 1}) == 1


def use_command(folder):
    """Learn and predict on the command line."""
    (folder / "t.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    for arguments in (["fit", "t.svm", "-o", "m"], ["predict", "m", "t.svm", "-o", "answers"]):
        subprocess.run([COMMAND, *arguments], cwd=folder, check=True)
    assert (folder / "answers").read_text().split()[:2] == ["1", "-1"]


def use_missing_extras(folder):
    """Check that a missing package is named with the line that installs it."""
    (folder / "t.parquet").write_bytes(b"PAR1" + bytes(60) + b"PAR1")
    done = subprocess.run(
        [COMMAND, "fit", "t.parquet", "-o", "m"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "pip install 'rosenblatt[tables]'" in done.stderr, done.stderr
    shown = error_of(lambda: rosenblatt.plot.mistakes(PerceptronClassifier().fit(XOR, Y)))
    assert "pip install 'rosenblatt[plot]'" in shown, shown


def error_of(call):
    """Return the message of an ImportError."""
    try:
        call()
    except ImportError as missing:
        return str(missing)
    return "no error: this environment is not empty"


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        use_files()
        use_learners(Path(name))
        use_command(Path(name))
        use_missing_extras(Path(name))
    print(f"rosenblatt {rosenblatt.__version__} works as installed from its wheel.")
