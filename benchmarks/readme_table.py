"""The README's table, built from the reports: every value is a cell of one of them, or "…" if it was not measured."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.measuring import NOWHERE

README = Path(__file__).parents[1] / "README.md"
PARTS = Path(__file__).with_name("reports")
BEGIN, END = "<!-- built from the reports by benchmarks/readme_table.py -->", "<!-- end of the table -->"
MISSING, LOSSES = "…", "**Where we lose"

LINEAR = (
    "rosenblatt, linear",
    "scikit-learn Perceptron",
    "scikit-learn SGDClassifier",
    "scikit-learn LinearSVC",
)
KERNEL = ("rosenblatt, RBF", "scikit-learn SVC")
TAGGER = ("rosenblatt, tagger", "python-crfsuite, averaged perceptron", "python-crfsuite, L-BFGS")
FAIR = (
    *((f"{data}, {mode}", LINEAR) for data in ("20 newsgroups", "a9a", "spambase") for mode in ("defaults", "tuned")),
    *((f"{data}, {mode}", KERNEL) for data in ("letter", "USPS", "MNIST, 6,000 rows") for mode in ("defaults", "tuned")),
    ("CoNLL-2000, CRF++'s templates, defaults", TAGGER),
)  # fmt: skip

SPEED = """
| MNIST, 60,000 rows, RBF with γ = 0.02: fit | one-vs-rest, 4 epochs, no intercept: {kernel_speed; fit |; rosenblatt}, test error {kernel_speed; test error, ours; rosenblatt} | `SVC(C=10, cache_size=1000)`: {kernel_speed; fit |; SVC}, {kernel_speed; test error, ours; SVC} |
| the same: scores of 2,000 rows, as many support vectors on both sides | the average of such a learner: {kernel_speed; decision_function; rosenblatt} | the same `SVC`: {kernel_speed; decision_function; SVC} |
| one epoch over 200,000 sparse rows in a drawn order | averaged, `keep_examples=False`: {sparse_speed; 29% | drawn | rosenblatt, with averaging, keep; time}; with examples kept: {sparse_speed; 29% | drawn | rosenblatt, with averaging |; time} | `Perceptron`, not averaged: {sparse_speed; 29% | drawn | scikit-learn Perceptron; time}; `SGDClassifier`, perceptron loss, averaged: {sparse_speed; 29% | drawn | scikit-learn SGD; time} |
| the same in the order given | averaged, `keep_examples=False`: {sparse_speed; 29% | as given | rosenblatt, with averaging, keep; time}; with examples kept: {sparse_speed; 29% | as given | rosenblatt, with averaging |; time} | `Perceptron`, not averaged: {sparse_speed; 29% | as given | scikit-learn Perceptron; time}; `SGDClassifier`, perceptron loss, averaged: {sparse_speed; 29% | as given | scikit-learn SGD; time} |
| MNIST, 10,000 dense rows, 10 classes, 10 epochs in a drawn order | argmax, averaged, examples kept: {dense_speed; MNIST, the first 10,000 × 784, 10 classes | rosenblatt, argmax |; time}; one-vs-rest: {dense_speed; MNIST, the first 10,000 × 784, 10 classes | rosenblatt, one-vs-rest |; time} | `Perceptron(max_iter=10, tol=None)`, one-vs-rest, not averaged: {dense_speed; MNIST, the first 10,000 × 784, 10 classes | scikit-learn; time} |
| CoNLL-2000, CRF++'s templates, from text to a model | averaged, 10 epochs: {sequence_speed; column text; rosenblatt}, F {sequence_speed; F of; rosenblatt} | python-crfsuite, averaged perceptron, 10 epochs: {sequence_speed; column text; python}, F {sequence_speed; F of; python} |
| the same: tokens to tags, one core, tokens/s | averaged, 10 epochs: {sequence_speed; tokens/s, chunking, from tokens; rosenblatt} | averaged perceptron, 10 epochs: {sequence_speed; tokens/s, chunking, from tokens; python} |
| UD English EWT, UPOS, defaults: tokens to tags, one core | 10 epochs: {sequence_speed; tokens/s, UPOS; rosenblatt} tokens/s, accuracy {sequence_speed; accuracy, UPOS; rosenblatt} | NLTK, 5 epochs, its own features: {sequence_speed; tokens/s, UPOS; python} tokens/s, {sequence_speed; accuracy, UPOS; python} |
| MQ2008, tuned on the validation part: fit with choosing | 20 epochs of 2,000 pairs, the best kept: {ranking; rosenblatt, pairs, averaged; fit}, MAP {ranking; rosenblatt, pairs, averaged; MAP} | LightGBM lambdarank, 15 leaves, 500 trees stopped early: {ranking; LightGBM; fit}, {ranking; LightGBM; MAP}; `LinearSVC` on pairs, best of 3 C: {ranking; pairwise linear SVM; fit}, {ranking; pairwise linear SVM; MAP} |
| 114 MB of svmlight text to a CSR matrix, defaults | `data.read_svmlight`: {reading; rosenblatt `data.read; time} | scikit-learn `load_svmlight_file`: {reading; scikit-learn; time} |
| the same text to a linear model, one pass | `partial_fit` on blocks, `keep_examples=False`: {reading; rosenblatt `data.svmlight_blocks; time} | Vowpal Wabbit, its own driver and format, hinge loss, `--sgd`: {reading; Vowpal Wabbit, `--sgd; time} |
| dicts of 8 features one at a time, predict, then learn, defaults | `online.Classifier()`: {online_speed; 8 | rosenblatt `online; per example} | River `Perceptron()`: {online_speed; 8 | River; per example} |
| the same with 75 features | `online.Classifier()`: {online_speed; 75 | rosenblatt `online; per example} | River `Perceptron()`: {online_speed; 75 | River; per example} |
| a stream of sparse rows one at a time, predict, then learn | `online.Classifier()`, dicts: {online_speed; rosenblatt `online; examples} rows/s | River `Perceptron()`, dicts: {online_speed; River; examples} rows/s |
| the same as lines of text | `features="terms"`: {online_speed; rosenblatt `online.Classifier(features; examples} rows/s | Vowpal Wabbit, hinge loss, `-b 20`, through Python: {online_speed; Vowpal Wabbit `; examples} rows/s |
| the same in one call, which learns and counts its mistakes | lines of text: {online_speed; rosenblatt, one call, lines; examples} rows/s; dicts: {online_speed; rosenblatt, one call, dicts; examples} rows/s | Vowpal Wabbit, progressive validation: {online_speed; Vowpal Wabbit, progressive; examples} rows/s |
| the same in blocks of 1,000 rows | `predict`, then `partial_fit`, defaults: {online_speed; rosenblatt `PerceptronClassifier; examples} rows/s | – |
"""


def lines(report: str) -> list[str]:
    path = PARTS / f"{report}.md"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def cell(report: str, row: str, column: str) -> str:
    """Return the cell in a report's first row that begins with `row`, under the head that begins with `column`."""
    heads: list[str] = []
    for line, after in zip(lines(report), [*lines(report)[1:], ""], strict=False):
        cells = line[2:-2].split(" | ")
        if after.startswith("|---"):
            heads = cells
        elif line.startswith(f"| {row}"):
            return next(
                (found for head, found in zip(heads, cells, strict=True) if head.startswith(column)), MISSING
            )
    return MISSING


def fair(data: str, learners: tuple[str, ...]) -> str:
    """Return a row of defaults against defaults, or of tuned against tuned."""
    ours, *theirs = (reached(f"{data} | {learner} |") for learner in learners)
    return f"| {data} | {ours} | {'; '.join(dict.fromkeys(theirs))} |"


def reached(row: str) -> str:
    """Return settings, then error or F, and times, of a row of `fair`."""
    columns = {": error ": "test error", ": F ": "F", ", fit ": "fit", ", search ": "search"}
    found = {mark: cell("fair", row, head) for mark, head in columns.items()}
    shown = [mark + value for mark, value in found.items() if value not in (MISSING, "–")]
    return "".join([cell("fair", row, "settings"), *shown])


def updated(text: str) -> str:
    """Return the README's text with the table, and the verdict on it, from the present reports."""
    said = [
        line for path in sorted(PARTS.glob("*.md")) for line in lines(path.stem) if line.startswith(LOSSES)
    ]
    verdicts = [line for line in said if not line.endswith(NOWHERE)] or [f"{LOSSES}.** {MISSING}"]
    speed = re.sub(r"\{(.+?); (.+?); (.+?)\}", lambda found: cell(*found.groups()), SPEED.strip())
    head = "| task | rosenblatt: settings, result | rival: settings, result |\n|---|---|---|"
    parts = "\n".join([head, *(fair(*row) for row in FAIR), speed, "", "\n\n".join(verdicts)])
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return f"{before}{BEGIN}\n\n{parts}\n\n{END}{after}"


def write() -> None:
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
