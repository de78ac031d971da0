"""Quality of the tagger over five seeds; and the effects of pruning, hashing, calibration and class weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.corpora import BEST, CRFPP, chunking, emerging, treebank, wikigold
from benchmarks.measuring import table
from rosenblatt import PerceptronTagger, metrics
from rosenblatt.rules import Margin
from rosenblatt.schemes import convert

SEEDS = range(5)


def over_seeds(score: Callable[[int], float]) -> tuple[float, float]:
    """Return mean and standard deviation over seeds, in percent."""
    found = np.array([100 * score(seed) for seed in SEEDS])
    return float(found.mean()), float(found.std(ddof=1))


def shown(found: tuple[float, float]) -> str:
    return f"{found[0]:.2f} ± {found[1]:.2f}"


def f1(seed: int, train: Any, test: Any, to: str | None = None, **options: Any) -> float:
    """Return the F of spans, learned in another scheme if `to` names one."""
    y = train[1] if to is None else [convert(labels, to) for labels in train[1]]
    tagger = PerceptronTagger(random_state=seed, scheme=to, **options).fit(train[0], y)
    return metrics.span_f1(test[1], tagger.predict(test[0]))


def accuracy(seed: int, train: Any, test: Any, **options: Any) -> float:
    return PerceptronTagger(random_state=seed, **options).fit(*train).score(*test)


def quality() -> list[list[Any]]:
    train, test = chunking("train"), chunking("test")
    cut = 4 * len(train[0]) // 5
    learned, held = (train[0][:cut], train[1][:cut]), (train[0][cut:], train[1][cut:])
    best = {"templates": BEST, "rule": Margin(beta=20.0), "to": "BIOES"}
    rows = [
        ["CoNLL-2000, F, CRF++'s templates, averaged", shown(over_seeds(lambda s: f1(s, train, test, templates=CRFPP))), "93.4"],
        [
            "the same with more templates, margin 20 and BIOES, as chosen on the last fifth of the training part",
            shown(over_seeds(lambda s: f1(s, train, test, **best))), "93.9",
        ],
        ["that choice on that last fifth", shown(over_seeds(lambda s: f1(s, learned, held, **best))), ""],
        [
            "CRF++'s templates on that last fifth",
            shown(over_seeds(lambda s: f1(s, learned, held, templates=CRFPP))), "",
        ],
    ]  # fmt: skip
    for label, asked in (("upos", "95.0"), ("xpos", "94.6")):
        pair = treebank("train", label), treebank("test", label)
        found = over_seeds(lambda s, pair=pair: accuracy(s, *pair))
        rows.append([f"UD English EWT, {label.upper()}, %, default templates", shown(found), asked])
    wnut = emerging("train"), emerging("test")
    rows.append(
        ["WNUT-17, F, default templates", shown(over_seeds(lambda s: f1(s, *wnut, to="IOB2"))), "reported"]
    )
    X, y = wikigold()
    part = 4 * len(X) // 5
    split = (X[:part], y[:part]), (X[part:], y[part:])
    rows.append(
        [
            "wikigold, F, default templates, first four fifths against the last",
            shown(over_seeds(lambda s: f1(s, *split, to="IOB2"))), "reported",
        ]
    )  # fmt: skip
    return rows


def pruning() -> list[list[Any]]:
    """Return the F after pruning small weights, and with hashed features."""
    train, test = chunking("train"), chunking("test")
    tagger = PerceptronTagger(templates=CRFPP, random_state=0).fit(*train)
    largest = np.abs(tagger.coef_).max()
    rows = [
        [
            "all",
            f"{tagger.coef_.shape[1]:,}",
            f"{100 * metrics.span_f1(test[1], tagger.predict(test[0])):.2f}",
        ]
    ]
    for share in (0.0, 0.001, 0.005, 0.01, 0.02, 0.05):
        small = tagger.pruned(share * largest)
        found = metrics.span_f1(test[1], small.predict(test[0]))
        rows.append([f"> {share:g} × the largest", f"{small.coef_.shape[1]:,}", f"{100 * found:.2f}"])
    for bits in (14, 16, 18):
        hashed = PerceptronTagger(templates=CRFPP, random_state=0, hashing=2**bits).fit(*train)
        found = metrics.span_f1(test[1], hashed.predict(test[0]))
        rows.append([f"hashed into 2^{bits}", f"{2**bits:,}", f"{100 * found:.2f}"])
    return rows


def calibration() -> list[list[Any]]:
    """Return confidence in bins, on the test set; the temperature is set on the validation set."""
    rows = []
    for name, train, dev, test in (
        ("UPOS", *(treebank(part, "upos") for part in ("train", "dev", "test"))),
        ("WNUT-17", *(emerging(part) for part in ("train", "dev", "test"))),
    ):
        tagger = PerceptronTagger(random_state=0).fit(*train).calibrate(*dev)
        sure = np.concatenate(tagger.confidence(test[0]))
        answers = tagger.predict(test[0])
        right = np.array(
            [a == t for p, q in zip(answers, test[1], strict=True) for a, t in zip(p, q, strict=True)]
        )
        bins = np.minimum((sure * 10).astype(int), 9)
        gaps = [
            abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
            for b in set(bins.tolist())
        ]
        for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01)):
            chosen = (sure >= low) & (sure < high)
            if chosen.any():
                rows.append(
                    [
                        f"{name}, {low:g} to {min(high, 1.0):g}", f"{chosen.mean():.1%}",
                        f"{sure[chosen].mean():.3f}", f"{right[chosen].mean():.3f}",
                    ]
                )  # fmt: skip
        rows.append([f"{name}, expected calibration error, ten bins", "", f"**{sum(gaps):.4f}**", ""])
    return rows


def weighting() -> list[list[Any]]:
    """Return the scores with class weights on entities, which are rare."""
    train, test = emerging("train"), emerging("test")
    rows = []
    for name, weight in (("none", None), ("entities × 5", 5.0), ("entities × 25", 25.0)):
        labels = {label for labels in train[1] for label in labels}
        weights = None if weight is None else {label: weight for label in labels if label != "O"}
        found = []
        for seed in SEEDS:
            tagger = PerceptronTagger(random_state=seed, scheme="IOB2", class_weight=weights).fit(*train)
            found.append(metrics.span_report(test[1], tagger.predict(test[0])).overall)
        means = [
            100 * np.mean([getattr(score, kind) for score in found]) for kind in ("precision", "recall", "f1")
        ]
        rows.append([name, *(f"{mean:.2f}" for mean in means)])
    return rows


def report() -> str:
    return "\n\n".join(
        [
            "## Sequence quality\n\nMeans over five seeds ± their standard deviation, 10 epochs, test parts. Nothing was "
            "chosen on a test part.",
            table(["", "measured", "asked"], quality()),
            "Features left out of the first of these (`pruned`, seed 0), and hashed:",
            table(["weights kept", "features", "F"], pruning()),
            "Confidence: the share of tokens in each range, the mean confidence there and the share that is right.",
            table(["", "tokens", "confidence", "right"], calibration()),
            "Class weights on WNUT-17, mean over five seeds:",
            table(["weights", "precision", "recall", "F"], weighting()),
        ]
    )
