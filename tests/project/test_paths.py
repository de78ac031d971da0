"""The pages that name every file that a call passes: each is compared with a trace of the call."""

import re
import sys
import threading
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt
from rosenblatt import PerceptronClassifier, PerceptronTagger
from rosenblatt.cli import main
from rosenblatt.games import Argmax, Sequence
from rosenblatt.loops.passes import MANY, pass_loop
from rosenblatt.rules import Perceptron

ROOT = Path(__file__).parents[2]
PATHS = ROOT / "docs" / "paths"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
SOURCE = Path(rosenblatt.__file__).parent
X = sp.csr_matrix(np.abs(np.random.default_rng(0).normal(size=(60, 5))).round())
Y = np.arange(60) % 3
SENTENCES, TAGS = [["the", "cat", "sat"], ["a", "dog"]], [["D", "N", "V"], ["D", "N"]]
MOST = {"fit": 18, "predict": 18, "partial_fit": 18, "tagging": 25, "command_line": 32}
"""The most files that a page may list."""


def listed(page, part=0):
    """Return the files that a page lists, in order."""
    parts = re.split(r"\n## ", (PATHS / f"{page}.md").read_text())
    return re.findall(r"^\d+\. `([\w/]+\.py)`", parts[part], flags=re.MULTILINE)


def passed(call):
    """Return the files whose functions a warm call runs: those of the main thread in order, and all."""
    call()  # compiles and imports
    first, every = [], set()

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE) and frame.f_code.co_name != "<module>":
            name = path.relative_to(SOURCE).as_posix()
            if threading.current_thread() is threading.main_thread() and name not in first:
                first.append(name)
            every.add(name)

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return first, every


def predicting():
    learner = PerceptronClassifier(random_state=0).fit(X, Y)
    many = sp.vstack([X] * 200)  # for few values, what runs depends on what this process has loaded
    return lambda: learner.predict(many)


def tagging():
    tagger = PerceptronTagger(random_state=0).fit(SENTENCES, TAGS)
    return lambda: tagger.predict(SENTENCES * 2000)


def resumed():
    learner = PerceptronClassifier(random_state=0).partial_fit(X, Y, classes=[0, 1, 2])
    return lambda: learner.partial_fit(X, Y)


def command(folder):
    (folder / "t.svm").write_text("".join(f"{i % 3} 1:{i % 7} 3:{i % 5}\n" for i in range(100)))

    def call():
        sys.argv = ["rosenblatt", "fit", str(folder / "t.svm"), "-o", str(folder / "m")]
        with pytest.raises(SystemExit, match="0"):
            main()

    return call


CALLS = {
    "fit": (0, lambda _: lambda: PerceptronClassifier(random_state=0).fit(X, Y)),
    "predict": (0, lambda _: predicting()),
    "partial_fit": (0, lambda _: resumed()),
    "tagging, fit": (1, lambda _: lambda: PerceptronTagger(random_state=0).fit(SENTENCES, TAGS)),
    "tagging, predict": (2, lambda _: tagging()),
    "command_line": (0, command),
}


@pytest.mark.parametrize("name", CALLS)
def test_pages_list_the_files_that_a_call_passes(name, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", sys.argv)
    part, prepare = CALLS[name]
    page = name.partition(",")[0]
    first, every = passed(prepare(tmp_path))
    names = listed(page, part)
    assert set(names) == every
    assert [name for name in names if name in first] == first
    assert len(names) <= MOST[page]


def test_architecture_states_how_many_files_the_pages_list():
    stated = re.findall(
        r"\]\(docs/paths/(\w+)\.md\) \((\d+)(?: files| to learn, (\d+) to tag)?\)", ARCHITECTURE
    )
    counts = {page: [int(count) for count in rest if count] for page, *rest in stated}
    assert counts == {
        page: [len(listed(page, part)) for part in ((1, 2) if page == "tagging" else (0,))] for page in MOST
    }


def composed_of(function):
    """Return the files of the functions that a function uses, of those that they use, and so on."""
    pending, files, seen = [function], set(), set()
    while pending:
        used = pending.pop()
        if used in seen:
            continue
        seen.add(used)
        files.add(Path(used.__code__.co_filename).relative_to(SOURCE).as_posix())
        enclosed = [cell.cell_contents for cell in used.__closure__ or ()]
        values = [*(used.__globals__.get(name) for name in used.__code__.co_names), *enclosed]
        pending += [
            each for each in values if isinstance(each, FunctionType) and "rosenblatt" in each.__module__
        ]
    return files


@pytest.mark.parametrize(("page", "game"), [("fit", Argmax(3)), ("tagging", Sequence(3))])
def test_pages_list_what_the_loop_is_composed_of(page, game):
    loop = pass_loop(game.judge, Perceptron().step, MANY, page == "fit", True, False)
    item = re.search(
        r"`loops/passes\.py`: the compiled loop\. It is composed of (.*?)\n\n",
        PATHS.joinpath(f"{page}.md").read_text(),
        re.DOTALL,
    )
    stated = {"loops/passes.py", *re.findall(r"`([\w/]+\.py)`", item[1])}
    values = {"loops/arguments.py", "loops/internals.py"}  # named tuples, and instructions: not functions
    assert composed_of(loop.py_func) - {"loops/compiling.py"} == stated - values - {"loops/compiling.py"}
