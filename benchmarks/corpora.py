"""Tagged corpora of ROSENBLATT_DATA, templates, and the features of these for the rivals."""

from __future__ import annotations

from typing import Any

from benchmarks.datasets import folder
from rosenblatt.data import read_conll, read_conllu
from rosenblatt.features import column, prefix, shape, suffix, word
from rosenblatt.schemes import convert

Corpus = tuple[Any, Any]

CRFPP = """
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
B
"""
"""The templates that come with CRF++ for chunking."""

pos = column(1)
BEST = (
    *(word[offset] for offset in (-2, -1, 0, 1, 2)),
    *(pos[offset] for offset in (-2, -1, 0, 1, 2)),
    *(word[offset] & word[offset + 1] for offset in (-1, 0)),
    *(pos[offset] & pos[offset + 1] for offset in (-2, -1, 0, 1)),
    *(pos[offset] & pos[offset + 1] & pos[offset + 2] for offset in (-2, -1, 0)),
    *(suffix(size)[0] for size in (2, 3)),
    *(prefix(size)[0] for size in (2, 3)),
    shape[0],
    *(word[offset] & pos[0] for offset in (-1, 0, 1)),
    *(word[0] & pos[offset] for offset in (-1, 1)),
)
"""More templates for chunking, chosen on the last fifth of the training set."""


def chunking(part: str) -> Corpus:
    """Return CoNLL-2000: words and parts of speech, and chunks."""
    return read_conll(folder() / "conll2000" / f"{part}.txt.gz")


def treebank(part: str, label: str) -> Corpus:
    """Return UD English EWT: words, and UPOS or XPOS."""
    return read_conllu(folder() / "ud_english_ewt" / f"en_ewt-ud-{part}.conllu.xz", label=label)


def emerging(part: str) -> Corpus:
    """Return WNUT-17: words, and entities in IOB2."""
    names = {
        "train": "wnut17train.conll.gz",
        "dev": "emerging.dev.conll.gz",
        "test": "emerging.test.annotated.gz",
    }
    return read_conll(folder() / "wnut17" / names[part], separator="\t")


def wikigold() -> Corpus:
    """Return wikigold: words, and entities in IOB2, converted from the file's IOB1."""
    X, y = read_conll(folder() / "wikigold" / "wikigold.conll.txt.gz")
    return X, [convert(labels, "IOB2") for labels in y]


def spelled_out(sentence: list[tuple[str, str]]) -> list[list[str]]:
    """Return the features of CRFPP at every token as strings, for python-crfsuite."""
    words = ["_B-2", "_B-1", *(token[0] for token in sentence), "_B+1", "_B+2"]
    tags = ["_B-2", "_B-1", *(token[1] for token in sentence), "_B+1", "_B+2"]
    found = []
    for i in range(2, len(words) - 2):
        a, b, c, d, e = words[i - 2 : i + 3]
        p, q, r, s, t = tags[i - 2 : i + 3]
        found.append(
            [
                "0=" + a, "1=" + b, "2=" + c, "3=" + d, "4=" + e, f"5={b}/{c}", f"6={c}/{d}",
                "10=" + p, "11=" + q, "12=" + r, "13=" + s, "14=" + t,
                f"15={p}/{q}", f"16={q}/{r}", f"17={r}/{s}", f"18={s}/{t}",
                f"20={p}/{q}/{r}", f"21={q}/{r}/{s}", f"22={r}/{s}/{t}",
            ]
        )  # fmt: skip
    return found


def as_dict(features: list[str]) -> dict[str, str]:
    """Return features as a dict from names to strings."""
    return dict(feature.split("=", 1) for feature in features)  # type: ignore[misc]


def named(sentence: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return features as in the tutorials of python-crfsuite: of every token, and of its neighbours."""
    found = []
    for i, (text, tag) in enumerate(sentence):
        features = {
            "bias": 1.0,
            "word[-3:]": text[-3:],
            "word[-2:]": text[-2:],
            "word.isdigit": text.isdigit(),
        }
        features |= _looks("", text, tag)
        features |= _looks("-1:", *sentence[i - 1]) if i else {"BOS": True}
        features |= _looks("+1:", *sentence[i + 1]) if i + 1 < len(sentence) else {"EOS": True}
        found.append(features)
    return found


def _looks(prefix: str, text: str, tag: str) -> dict[str, Any]:
    return {
        f"{prefix}word.lower": text.lower(),
        f"{prefix}word.isupper": text.isupper(),
        f"{prefix}word.istitle": text.istitle(),
        f"{prefix}postag": tag,
        f"{prefix}postag[:2]": tag[:2],
    }


def as_names(features: dict[str, Any]) -> list[str]:
    """Return a dict of features as a list of names, with the values in the names."""
    return [name if value is True or value == 1.0 else f"{name}={value}" for name, value in features.items()]
