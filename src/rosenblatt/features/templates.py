"""Templates: the parts of a sequence that make a feature, as values or in CRF++'s language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

FARTHEST = 1000
"""The largest offset of a template, in tokens."""


class Kinds(dict[int, str]):
    """The kind of every character, computed once."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kinds = (("X", str.isupper), ("x", str.islower), ("w", str.isalpha), ("9", str.isdigit))
        self[code] = next((kind for kind, is_one in kinds if is_one(character)), character)
        return self[code]


KINDS, RUN = Kinds(), re.compile(r"(.)\1{2,}", re.DOTALL)
ASCII_KINDS = "".join(KINDS[code] for code in range(128)).encode() + bytes(range(128, 256))


def _shape(text: str) -> str:
    """Return the kinds of the characters: X, x, w, 9, or the character itself; at most two alike in a row."""
    return _shortened(
        text.encode().translate(ASCII_KINDS).decode() if text.isascii() else text.translate(KINDS)
    )


@lru_cache(maxsize=2**16)
def _shortened(kinds: str) -> str:
    """Cut runs to two; cached, since many words have the same kinds."""
    return RUN.sub(r"\1\1", kinds)


def _has_digit(text: str) -> str:
    return "no" if text.isalpha() or not any(map(str.isdigit, text)) else "yes"


def _has_hyphen(text: str) -> str:
    return "yes" if "-" in text else "no"


def _is_title(text: str) -> str:
    return "yes" if text.istitle() else "no"


def _is_upper(text: str) -> str:
    return "yes" if text.isupper() else "no"


STEPS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "shape": _shape,
    "has_digit": _has_digit,
    "has_hyphen": _has_hyphen,
    "is_title": _is_title,
    "is_upper": _is_upper,
}


def step(name: str, size: int) -> Callable[[str], str]:
    """Return a function of strings: a prefix or suffix of a size, or one of STEPS."""
    if name == "prefix":
        return itemgetter(slice(size))
    return itemgetter(slice(-size, None)) if name == "suffix" else STEPS[name]


@dataclass(frozen=True)
class View:
    """A column of the tokens, or a function of it: `word`, `word.lower`, `word.lower.suffix(3)`.

    Parameters
    ----------
    column
        The index of the column. A token that is a string has only column 0.
    steps
        The functions applied in order: names with a size, which is 0 if there is none.

    Examples
    --------
    >>> word.lower.suffix(3).of("RUNNING"), word.shape.of("iPhone-14s"), word.has_digit.of("ten")
    ('ing', 'xXxx-99x', 'no')
    >>> word[-1] & word[0]
    word[-1] & word[0]
    """

    column: int = 0
    steps: tuple[tuple[str, int], ...] = ()

    def of(self, text: str) -> str:
        """Return the view of a string."""
        for name, size in self.steps:
            text = step(name, size)(text)
        return text

    def __getitem__(self, offset: int) -> Template:
        """Return the template of this view at an offset: `word[-1]` is the word before."""
        if not isinstance(offset, int) or isinstance(offset, bool) or abs(offset) > FARTHEST:
            raise ValueError(
                f"The offset of a template must be an integer from {-FARTHEST} to {FARTHEST}, as in "
                f"word[-1]. Got [{offset!r}]."
            )
        return Template(((offset, self),))

    def __iter__(self) -> None:
        raise TypeError(f"{self!r} is one column of any token. Use {self!r}[0], {self!r}[-1] and so on.")

    def __and__(self, other: View | Template) -> Template:
        return self[0] & other

    def __repr__(self) -> str:
        calls = [f".{name}({size})" if size else f".{name}" for name, size in self.steps]
        return ("word" if self.column == 0 else f"column({self.column})") + "".join(calls)

    def _then(self, name: str, size: int = 0) -> View:
        return replace(self, steps=(*self.steps, (name, size)))

    def prefix(self, size: int) -> View:
        """Return the view of the first characters."""
        return self._then("prefix", _size("prefix", size))

    def suffix(self, size: int) -> View:
        """Return the view of the last characters."""
        return self._then("suffix", _size("suffix", size))

    @property
    def lower(self) -> View:
        """The string in lower case."""
        return self._then("lower")

    @property
    def shape(self) -> View:
        """The kinds of the characters: "Xxx99" for "Model42"."""
        return self._then("shape")

    @property
    def has_digit(self) -> View:
        """Whether there is a digit: "yes" or "no"."""
        return self._then("has_digit")

    @property
    def has_hyphen(self) -> View:
        """Whether there is a hyphen: "yes" or "no"."""
        return self._then("has_hyphen")

    @property
    def is_title(self) -> View:
        """Whether the string is in title case: "yes" or "no"."""
        return self._then("is_title")

    @property
    def is_upper(self) -> View:
        """Whether the string is in upper case: "yes" or "no"."""
        return self._then("is_upper")


def _size(name: str, size: int) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ValueError(f"{name} takes a number of characters ≥ 1. Got {size!r}.")
    return size


@dataclass(frozen=True)
class Template:
    """A conjunction of views: every combination of their strings is a feature of its own.

    Parameters
    ----------
    parts
        Pairs of an offset in tokens and a view.
    frame
        Templates with as many parts and the same frame, unless it is empty, share their features, as
        those of CRF++ do whose lines differ only in %x[row,column].
    transition
        Whether its features belong to pairs of labels that follow each other (see `between`).
    """

    parts: tuple[tuple[int, View], ...]
    frame: str = ""
    transition: bool = False

    def __and__(self, other: View | Template) -> Template:
        other = other[0] if isinstance(other, View) else other
        if not isinstance(other, Template):
            return NotImplemented
        return Template(self.parts + other.parts, transition=self.transition or other.transition)

    def __repr__(self) -> str:
        parts = " & ".join(f"{view!r}[{offset}]" for offset, view in self.parts)
        return f"between({parts})" if self.transition else parts


LABELS = Template((), transition=True)
"""The pair of labels alone: CRF++'s `B`."""


def between(template: View | Template | None = None) -> Template:
    """Return a template whose features are of the label *and* the one before: which label follows which.

    Without a template, the pair of labels alone: CRF++'s `B`.
    """
    if template is None:
        return LABELS
    template = template[0] if isinstance(template, View) else template
    return replace(template, transition=True)


def column(number: int) -> View:
    """Return the view of a column, counted from 0, of tokens that have several."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"Columns are counted from 0. Got {number!r}.")
    return View(number)


word = View()
lower, shape, has_digit, has_hyphen = word.lower, word.shape, word.has_digit, word.has_hyphen
is_title, is_upper = word.is_title, word.is_upper
prefix, suffix = word.prefix, word.suffix

MACRO = re.compile(r"%x\[\s*(-?\d+)\s*,\s*(\d+)\s*\]")


def crfpp(text: str) -> tuple[Template, ...]:
    r"""Parse templates in CRF++'s language, a line each.

    A line that begins with U is a template of one label, with B of a label and the one before; `%x[-1,0]`
    stands for column 0 of the token before. Blank lines and those that begin with # are ignored.

    >>> crfpp("U05:%x[-1,0]/%x[0,0]\n\n# pairs of labels\nB")
    (word[-1] & word[0], between())
    """
    found = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        frame = MACRO.sub("%x", line)
        if line[0] not in "UB" or "%x[" in frame or "%t[" in frame or "%m[" in frame:
            raise ValueError(
                "A line of a template must begin with U or B, and may hold %x[row,column] with integers. "
                f"Got {line!r} in line {number}."
            )
        parts = tuple((int(row), View(int(col))) for row, col in MACRO.findall(line))
        if any(abs(offset) > FARTHEST for offset, _ in parts):
            raise ValueError(
                f"A template looks at most {FARTHEST} tokens away. Got {line!r} in line {number}."
            )
        found.append(LABELS if line[0] == "B" and not parts else Template(parts, frame, line[0] == "B"))
    if not found:
        raise ValueError("A template file needs a line that begins with U or B. Got none.")
    return tuple(found)


WORDS: tuple[Template, ...] = (
    *(lower[offset] for offset in (-2, -1, 0, 1, 2)),
    word[0],
    *(lower.prefix(size)[0] for size in (1, 2, 3, 4)),
    *(lower.suffix(size)[0] for size in (1, 2, 3, 4, 5)),
    shape[0],
    *(lower.suffix(3)[offset] for offset in (-1, 1)),
    *(shape[offset] for offset in (-1, 1)),
    lower.suffix(3)[-1] & lower.suffix(3)[0],
    lower.suffix(3)[0] & lower.suffix(3)[1],
    lower[-1] & lower[0],
    lower[0] & lower[1],
    lower[-1] & lower[1],
)
"""Templates for tokens that are words: the word, its neighbours, prefixes, suffixes and shape."""


def words_and_columns(columns: int) -> tuple[Template, ...]:
    """Return WORDS for the first column, and for each other one the context of a token, up to trigrams."""
    others = [column(number) for number in range(1, columns)]
    return WORDS + tuple(
        template
        for view in others
        for template in (
            *(view[offset] for offset in (-2, -1, 0, 1, 2)),
            *(view[offset] & view[offset + 1] for offset in (-2, -1, 0, 1)),
            *(view[offset] & view[offset + 1] & view[offset + 2] for offset in (-2, -1, 0)),
        )
    )
