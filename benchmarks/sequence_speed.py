"""Tagging speed: from text to a model, an epoch, from tokens to tags, and memory, against python-crfsuite and NLTK."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pycrfsuite
from nltk.tag.perceptron import PerceptronTagger as NltkTagger

from benchmarks.corpora import CRFPP, as_dict, as_names, chunking, named, spelled_out, treebank
from benchmarks.measuring import alternating, table, where_we_lose
from rosenblatt import PerceptronTagger, metrics
from rosenblatt.data.blocks import Sequences
from rosenblatt.engine.learner import learn

EPOCHS = 10
PART = 4000
"""Training sentences of CoNLL-2000 where features are made in Python."""


def crfsuite(X: list[Any], y: Any, name: str) -> str:
    """Train CRFsuite's averaged perceptron on features as strings; return its log."""
    trainer = LoggingTrainer(algorithm="ap", params={"max_iterations": EPOCHS, "epsilon": 0.0}, verbose=True)
    for features, labels in zip(X, y, strict=True):
        trainer.append(features, labels)
    trainer.train(name)
    return "".join(trainer.log_lines)


class LoggingTrainer(pycrfsuite.Trainer):  # type: ignore[misc]
    """A trainer that keeps its log."""

    log_lines: list[str]

    def message(self, text: str) -> None:
        """Store a line of the log."""
        self.log_lines = [*getattr(self, "log_lines", []), text]


def ours() -> PerceptronTagger:
    X, y = chunking("train")
    return PerceptronTagger(templates=CRFPP, max_iter=EPOCHS, random_state=0).fit(X, y)


def theirs(name: str) -> str:
    X, y = chunking("train")
    return crfsuite(list(map(spelled_out, X)), y, name)


def epochs_of_ours() -> list[float]:
    """Return the time of every epoch over features that have ids."""
    times: list[float] = []
    X, y = chunking("train")
    tagger = PerceptronTagger(templates=CRFPP, max_iter=1, random_state=0).fit(X, y)
    task, block, random = tagger.new_task(), Sequences(X, y), np.random.default_rng(0)
    task.begin(block, random, EPOCHS)
    examples = task.examples(block, random)

    def orders() -> Any:
        for _ in range(EPOCHS):
            times.append(perf_counter())
            yield random.permutation(len(examples))
        times.append(perf_counter())

    learn(task.run, examples, orders())
    return np.diff(times).tolist()


def text_to_model(folder: Path) -> tuple[list[list[Any]], str]:
    """Return the rows of both sides, measured five times in turn after compilation, and their model's file."""
    name = str(folder / "crfsuite")
    ours()
    mine, rival, my_epochs, their_epochs = [], [], [], []
    for _ in range(5):
        began = perf_counter()
        tagger = ours()
        mine.append(perf_counter() - began)
        my_epochs += epochs_of_ours()
        began = perf_counter()
        log = theirs(name)
        rival.append(perf_counter() - began)
        their_epochs += [float(t) for t in re.findall(r"Seconds required for this iteration: ([0-9.]+)", log)]
    Z, w = chunking("test")
    f_ours = metrics.span_f1(w, tagger.predict(Z))
    model = pycrfsuite.Tagger()
    model.open(name)
    f_theirs = metrics.span_f1(w, [model.tag(spelled_out(sentence)) for sentence in Z])
    a, b, c, d = map(statistics.median, (mine, rival, my_epochs, their_epochs))
    rows = [
        [
            "column text to a trained model, 10 epochs",
            f"{a:.2f} s",
            f"{b:.2f} s",
            f"**{b / a:.1f}** times (asked: 6)",
        ],
        [
            "an epoch on features that have numbers",
            f"{c:.3f} s",
            f"{d:.3f} s",
            f"**{d / c:.1f}** times (asked: 5)",
        ],
        ["F of these models", f"{100 * f_ours:.2f}", f"{100 * f_theirs:.2f}", "(asked: no lower)"],
    ]
    return rows, name


def tagging(model_name: str) -> list[list[Any]]:
    """Return tokens per second, on one core; unknown words are encoded for the first time."""
    Z, _ = chunking("test")
    sentences = [list(sentence) for sentence in Z]
    tokens = sum(map(len, sentences))
    tagger, model = ours(), pycrfsuite.Tagger()
    model.open(model_name)
    model_name += " of dicts"
    dicts = [[as_dict(features) for features in spelled_out(sentence)] for sentence in sentences]
    X, y = chunking("train")
    train_dicts = [[as_dict(features) for features in spelled_out(sentence)] for sentence in X]
    of_dicts = PerceptronTagger(max_iter=EPOCHS, random_state=0).fit(train_dicts, y)
    small = of_dicts.pruned()
    crfsuite(train_dicts, y, model_name)
    of_dicts_theirs = pycrfsuite.Tagger()
    of_dicts_theirs.open(model_name)
    del train_dicts

    def fresh() -> None:
        for texts in tagger.task_.encoder._texts.values():
            texts._others = {}
        tagger.predict(sentences)

    times = alternating(
        {
            "templates": fresh,
            "dicts": lambda: of_dicts.predict(dicts),
            "dicts pruned": lambda: small.predict(dicts),
            "crfsuite dicts": lambda: [of_dicts_theirs.tag(sentence) for sentence in dicts],
            "crfsuite texts": lambda: [model.tag(spelled_out(sentence)) for sentence in sentences],
        },
        repeats=5,
    )
    rate = {name: tokens / taken for name, taken in times.items()}
    return [
        [
            "tokens/s, chunking, from tokens, with templates", f"{rate['templates']:,.0f}",
            f"{rate['crfsuite texts']:,.0f} (python-crfsuite, features made in Python)", "(asked: 500,000)",
        ],
        [
            "tokens/s, chunking, from ready dicts, `pruned` as CRFsuite prunes by itself",
            f"{rate['dicts pruned']:,.0f} ({rate['dicts']:,.0f} with all features)",
            f"{rate['crfsuite dicts']:,.0f} (python-crfsuite)",
            f"**{rate['dicts pruned'] / rate['crfsuite dicts']:.1f}** times (asked: 100,000, and no slower)",
        ],
    ]  # fmt: skip


def by_name(folder: Path) -> list[list[Any]]:
    """Return times with features that are made in Python: fit, tagging, and tagging one sentence per call."""
    X, y = chunking("train")
    train, test = (list(map(named, sentences)) for sentences in (X[:PART], chunking("test")[0]))
    labels = [list(some) for some in y[:PART]]
    rows = _by_name("dicts", train, labels, test, str(folder / "dicts"))
    train, test = ([list(map(as_names, sentence)) for sentence in some] for some in (train, test))
    return rows + _by_name("lists of names", train, labels, test, str(folder / "names"))


def _by_name(form: str, X: list[Any], y: list[Any], Z: list[Any], name: str) -> list[list[Any]]:
    tagger = PerceptronTagger(max_iter=EPOCHS, random_state=0)
    model = pycrfsuite.Tagger()
    times = alternating(
        {"ours fit": lambda: tagger.fit(X, y), "fit": lambda: crfsuite(X, y, name)}, repeats=3
    )
    model.open(name)
    few = Z[:300]
    times |= alternating(
        {
            "ours all": lambda: tagger.predict(Z),
            "all": lambda: [model.tag(sentence) for sentence in Z],
            "ours one": lambda: [tagger.predict([sentence]) for sentence in few],
            "one": lambda: [model.tag(sentence) for sentence in few],
        },
        repeats=5,
    )
    times |= {side: times[side] / len(few) * 1000 for side in ("ours one", "one")}
    whats = {
        "fit": f"fit on {PART:,} sentences, 10 epochs, from ready {form}",
        "all": f"tagging 2,012 sentences, from ready {form}",
        "one": f"tagging one sentence per call, from ready {form}",
    }
    unit = {"fit": "s", "all": "s", "one": "ms"}
    return [
        [
            whats[key], f"{times['ours ' + key]:.2f} {unit[key]}", f"{times[key]:.2f} {unit[key]} (python-crfsuite)",
            f"**{times[key] / times['ours ' + key]:.1f}** times (asked: no slower)",
        ]
        for key in whats
    ]  # fmt: skip


def early_stopping() -> list[list[Any]]:
    """Return the time of a fit that scores a validation set after every epoch, and of one that does not."""
    X, y = chunking("train")
    sentences = [[*map(as_names, named(sentence))] for sentence in X]
    labels, cut = [list(some) for some in y], 4 * len(sentences) // 5
    learned, dev = (sentences[:cut], labels[:cut]), (sentences[cut:], labels[cut:])
    plain = PerceptronTagger(max_iter=20, random_state=0)
    watched = PerceptronTagger(max_iter=20, random_state=0)
    times = alternating(
        {"plain": lambda: plain.fit(*learned), "dev": lambda: watched.fit(*learned, eval_set=dev)}, repeats=3
    )
    what = f"20 epochs on {cut:,} sentences of lists of names, with a score on {len(X) - cut:,} others after each"
    return [[what, f"{times['dev']:.1f} s ({times['plain']:.1f} s without)", "", ""]]


def against_nltk() -> list[list[Any]]:
    """Return times and accuracies of UPOS tagging, against NLTK on the same treebank."""
    X, y = treebank("train", "upos")
    Z, w = treebank("test", "upos")
    sentences = [list(sentence) for sentence in Z]
    tokens = sum(map(len, sentences))
    nltk_tagger = NltkTagger(load=False)
    began = perf_counter()
    nltk_tagger.train([list(zip(s, t, strict=True)) for s, t in zip(X, y, strict=True)], nr_iter=5)
    their_fit = perf_counter() - began
    PerceptronTagger(max_iter=1).fit(X[:10], y[:10])
    began = perf_counter()
    tagger = PerceptronTagger(random_state=0).fit(X, y)
    my_fit = perf_counter() - began
    answers = [[tag for _, tag in nltk_tagger.tag(sentence)] for sentence in sentences]

    def fresh() -> None:
        for texts in tagger.task_.encoder._texts.values():
            texts._others = {}
        tagger.predict(sentences)

    times = alternating({"ours": fresh, "nltk": lambda: [nltk_tagger.tag(s) for s in sentences]}, repeats=3)
    mine, rival = tokens / times["ours"], tokens / times["nltk"]
    return [
        ["fit, UPOS (10 epochs; NLTK 5)", f"{my_fit:.1f} s", f"{their_fit:.1f} s", ""],
        ["accuracy, UPOS", f"{100 * tagger.score(Z, w):.2f} %", f"{100 * metrics.token_accuracy(w, answers):.2f} %", ""],
        [
            "tokens/s, UPOS, from tokens, default templates", f"{mine:,.0f}", f"{rival:,.0f}",
            f"**{mine / rival:.0f}** times (asked: 500,000 and 10 times)",
        ],
    ]  # fmt: skip


def peak(what: str) -> float:
    """Return the peak memory, in MB, of a process that only evaluates this expression."""
    code = f"import benchmarks.sequence_speed as b; b.{what}; print(b.peak_so_far())"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return float(shown.split()[-1])


def peak_so_far() -> float:
    """Return the peak memory of this process in MB, without that of its parent."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(line) / 1024


def lost(rows: list[list[Any]]) -> str:
    """Return the rows in which our first number is worse than theirs."""
    compared = []
    for what, *sides in (row[:3] for row in rows):
        numbers = [re.match(r"[\d.]+", side.replace(",", "")) for side in sides]
        if all(numbers):
            compared.append((what, *(float(found[0]) for found in numbers), "{:,g}"))
    upwards = ("tokens/s", "F ", "accuracy")
    less, more = ([c for c in compared if c[0].startswith(upwards) == up] for up in (False, True))
    return where_we_lose("tagging", less, more)


def report() -> str:
    with tempfile.TemporaryDirectory() as name:
        rows, model = text_to_model(Path(name))
        rows += tagging(model)
        rows += by_name(Path(name))
        rows += early_stopping()
        rows += against_nltk()
        bare, mine, rival = (peak(what) for what in ("chunking('test')", "ours()", f"theirs({model!r})"))
    rows.append(
        [
            f"peak memory, training on CoNLL-2000 (imports alone: {bare:.0f} MB)", f"{mine:.0f} MB",
            f"{rival:.0f} MB", "(asked: not above)",
        ]
    )  # fmt: skip
    heads = [
        "",
        "rosenblatt, `max_iter=10`, else defaults",
        "python-crfsuite `ap`, `max_iterations=10, epsilon=0`; or NLTK, `nr_iter=5`",
        "",
    ]
    return (
        "## Sequence speed\n\nCoNLL-2000 chunking with CRF++'s 19 templates, 8,936 sentences of 211,727 tokens; and UD "
        "English EWT. One core; medians of runs that take turns; python-crfsuite's time includes making its features "
        "in Python and taking them in.\n\n" + table(heads, rows) + "\n\n" + lost(rows)
    )
