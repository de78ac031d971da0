"""What words should be worth: errors of the default learner, without numbers from other texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks import datasets
from benchmarks.measuring import table
from rosenblatt import PerceptronClassifier
from rosenblatt.features import Words

COUNTS = Words(normalized=False)

VALUES: dict[str, Callable[[Any], Any]] = {
    "counts": lambda n: n,
    "1 each": np.ones_like,
    "1 + log n": lambda n: 1 + np.log(n),
}


def valued(text: str, value: Callable[[Any], Any], unit: bool) -> dict[str, float]:
    """Return words with these values, in rows of length 1 if `unit`."""
    counts = COUNTS(text)
    values = value(np.array([*counts.values()], float))
    values = values / max(np.linalg.norm(values), 1e-300) if unit else values
    return dict(zip(counts, values.tolist(), strict=True))


def splits() -> dict[str, Any]:
    """Return the texts and labels to learn from and to test, by data set."""
    found = {}
    for name, of in (("sentence polarity", datasets.polarity_texts), ("SMS spam", datasets.sms_texts)):
        texts, labels = of()
        found[name] = train_test_split(texts, labels, test_size=1 / 3, random_state=0, stratify=labels)
    (A, Z), (y, t) = datasets.newsgroup_texts()
    return found | {"20 newsgroups": (A, Z, y, t)}


def error(split: Any, value: Callable[[Any], Any], unit: bool, seeds: int = 3) -> float:
    """Return the mean test error in percent."""
    A, Z, y, t = split
    rows, asked = ([valued(text, value, unit) for text in texts] for texts in (A, Z))
    scores = [PerceptronClassifier(random_state=seed).fit(rows, y).score(asked, t) for seed in range(seeds)]
    return 100 * (1 - float(np.mean(scores)))


def report() -> str:
    """Return the table of errors."""
    sets, lines = splits(), []
    for unit in (False, True):
        for name, value in VALUES.items():
            found = [f"{error(split, value, unit):.1f}" for split in sets.values()]
            lines.append([name + ", length 1" * unit, *found])
    head = "Test errors in % of `PerceptronClassifier()`, means of three seeds, by the values of words."
    return f"## Values of words\n\n{head}\n\n{table(['values of words', *sets], lines)}"
