"""Labels that mark spans: allowed transitions, parsing, and conversion between schemes.

A label is O, outside, or a tag and a type, "B-LOC". The tags: I inside a span; B its first token; E or L its
last; S or U its only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

__all__ = ["SCHEMES", "Span", "convert", "follows", "forbidden", "parse", "scheme_of", "spans"]

SCHEMES = {
    "IOB1": "IOB1",
    "IOB2": "IOB2",
    "BIO": "IOB2",
    "BILOU": "BILOU",
    "BIOES": "BIOES",
    "IOBES": "BIOES",
}
"""The names of schemes, and the scheme of each."""

TAGS = {"IOB1": "BIO", "IOB2": "BIO", "BILOU": "BILOU", "BIOES": "BIOES"}
ENDS, SINGLES, STARTS = frozenset("EL"), frozenset("SU"), frozenset("BSU")


class Span(NamedTuple):
    """Tokens `start` up to, but not including, `end`, and their type."""

    type: str
    start: int
    end: int


def scheme_of(name: str) -> str:
    """The scheme of this name."""
    if not isinstance(name, str) or name not in SCHEMES:
        raise ValueError(f"A scheme is one of {', '.join(SCHEMES)}. Got {name!r}.")
    return SCHEMES[name]


def parse(label: Any, tags: str = "BIOESLU") -> tuple[str, str]:
    """The tag and the type of a label; "O" has the type "".

    >>> parse("B-LOC"), parse("O")
    (('B', 'LOC'), ('O', ''))
    """
    if label == "O":
        return "O", ""
    tag, dash, kind = label.partition("-") if isinstance(label, str) else ("", "", "")
    if not dash or len(tag) != 1 or tag not in tags or tag == "O":
        named = ", ".join(f"{tag}-…" for tag in tags if tag != "O")
        raise ValueError(f"A label of a span is O or one of {named}. Got {label!r}.")
    return tag, kind


def follows(before: tuple[str, str] | None, after: tuple[str, str] | None, scheme: str) -> bool:
    """Whether one tag and type may follow the other; None is beyond the ends.

    >>> follows(("O", ""), ("I", "LOC"), "IOB2"), follows(("O", ""), ("I", "LOC"), "IOB1")
    (False, True)
    """
    (tag, kind), (next_tag, next_kind) = before or ("O", ""), after or ("O", "")
    continues = tag in "BI" and next_tag not in "OBSU" and kind == next_kind
    if scheme == "IOB1":  # B only where it parts two spans of one type
        return next_tag != "B" or (tag in "BI" and kind == next_kind)
    if scheme == "IOB2":
        return next_tag != "I" or continues
    is_open, needs_open = tag in "BI", next_tag in "IEL"
    return continues if is_open or needs_open else True


def forbidden(labels: Sequence[Any], scheme: str) -> frozenset[tuple[int, int]]:
    """Return pairs of label indices that may not follow each other; `len(labels)` is beyond the ends."""
    scheme = scheme_of(scheme)
    parsed = [*(parse(label, TAGS[scheme]) for label in labels), None]
    indices = range(len(parsed))
    return frozenset(
        (before, after)
        for before in indices
        for after in indices
        if not follows(parsed[before], parsed[after], scheme)
        and (before, after) != (len(labels), len(labels))
    )


def spans(labels: Iterable[Any], scheme: str | None = None) -> list[Span]:
    """The spans that labels mark.

    Without a scheme they are read as the shared tasks' scorer, conlleval, reads them: every tag but O is in a
    span, and one begins at B, S or U, after a token that is outside or ends a span, and where the type
    changes. With a scheme only what it allows is a span.

    >>> spans(["I-LOC", "I-LOC", "B-LOC", "O", "I-PER"])
    [Span(type='LOC', start=0, end=2), Span(type='LOC', start=2, end=3), Span(type='PER', start=4, end=5)]
    >>> spans(["I-LOC", "I-LOC", "B-LOC", "O", "I-PER"], scheme="IOB2")
    [Span(type='LOC', start=2, end=3)]
    """
    tags = "BIOESLU" if scheme is None else TAGS[scheme_of(scheme)]
    parsed = [parse(label, tags) for label in labels]
    found: list[Span] = []
    start: int | None = None
    for i, (tag, kind) in enumerate([*parsed, ("O", "")]):
        before, kind_before = parsed[i - 1] if i else ("O", "")
        breaks = tag == "O" or tag in STARTS or before in ENDS or before in SINGLES or kind != kind_before
        if start is not None and breaks:
            found.append(Span(kind_before, start, i))
            start = None
        if start is None and tag != "O":
            start = i
    if scheme is None:
        return found
    pairs = zip(found, [None, *found[:-1]], strict=True) if found else ()
    return [span for span, before in pairs if _proper(parsed, span, SCHEMES[scheme], before)]


def _proper(parsed: list[tuple[str, str]], span: Span, scheme: str, before: Span | None) -> bool:
    """Whether the labels of a span are those that the scheme has for it."""
    return parsed[span.start : span.end] == [parse(label) for label in _labels_of(span, scheme, before)]


def convert(labels: Sequence[Any], to: str, scheme: str | None = None) -> list[str]:
    """Return the labels of the same spans in another scheme; `scheme` is how to read them, as in `spans`.

    >>> convert(["I-LOC", "I-LOC", "O", "I-PER"], to="BIOES")
    ['B-LOC', 'E-LOC', 'O', 'S-PER']
    """
    result = ["O"] * len(labels)
    before: Span | None = None
    for span in spans(labels, scheme):
        result[span.start : span.end] = _labels_of(span, scheme_of(to), before)
        before = span
    return result


def _labels_of(span: Span, scheme: str, before: Span | None) -> list[str]:
    """The labels of one span that comes after another."""
    inside = span.end - span.start - 1
    if scheme == "IOB1":
        parted = before is not None and before.end == span.start and before.type == span.type
        tags = ["B" if parted else "I"] + ["I"] * inside
    elif scheme == "IOB2":
        tags = ["B"] + ["I"] * inside
    else:
        end, single = ("L", "U") if scheme == "BILOU" else ("E", "S")
        tags = [single] if inside == 0 else ["B", *["I"] * (inside - 1), end]
    return [f"{tag}-{span.type}" for tag in tags]
