"""Templates: which parts of a sequence make a feature, as values or in CRF++'s language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

FARTHEST = 1000
"""How far from its token a template may look."""


class Kinds(dict[int, str]):
    """What kind of letter each is, found out once."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        kinds = (("X", str.isupper), ("x", str.islower), ("w", str.isalpha), ("9", str.isdigit))
        self[code] = next((kind for kind, is_one in kinds if is_one(letter)), letter)
        return self[code]


KINDS, RUN = Kinds(), re.compile(r"(.)\1{2,}", re.DOTALL)
ASCII_KINDS = "".join(KINDS[code] for code in range(128)).encode() + bytes(range(128, 256))


def _shape(text: str) -> str:
    """Upper, lower and other letters, digits, and the rest as it is; at most two of a kind in a row."""
    return _shortened(
        text.encode().translate(ASCII_KINDS).decode() if text.isascii() else text.translate(KINDS)
    )


@lru_cache(maxsize=2**16)
def _shortened(kinds: str) -> str:
    """Runs cut to two; many texts are of the same kinds."""
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
    """What is done to a text: a prefix or suffix of a size, or one of STEPS."""
    if name == "prefix":
        return itemgetter(slice(size))
    return itemgetter(slice(-size, None)) if name == "suffix" else STEPS[name]


@dataclass(frozen=True)
class View:
    """A column of the tokens, or what one sees of its texts: `word`, `word.lower`, `word.lower.suffix(3)`.

    Parameters
    ----------
    column
        Which column of a token, from 0. A token that is a text has only this one.
    steps
        What is done to the text, one after the other: names with a size, which is 0 where there is none.

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
        """What one sees of this text."""
        for name, size in self.steps:
            text = step(name, size)(text)
        return text

    def __getitem__(self, offset: int) -> Template:
        """The view of the token so many places on: `word[-1]` is the word before."""
        if not isinstance(offset, int) or isinstance(offset, bool) or abs(offset) > FARTHEST:
            raise ValueError(
                f"A template looks at a token a whole number of places away, at most {FARTHEST}, as in "
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
        """The first letters."""
        return self._then("prefix", _size("prefix", size))

    def suffix(self, size: int) -> View:
        """The last letters."""
        return self._then("suffix", _size("suffix", size))

    @property
    def lower(self) -> View:
        """The text in lower case."""
        return self._then("lower")

    @property
    def shape(self) -> View:
        """What kinds of letters the text is made of: "Xxx99" for "Model42"."""
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
        """Whether the text is in title case: "yes" or "no"."""
        return self._then("is_title")

    @property
    def is_upper(self) -> View:
        """Whether the text is in upper case: "yes" or "no"."""
        return self._then("is_upper")


def _size(name: str, size: int) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ValueError(f"{name} takes a number of letters of at least 1. Got {size!r}.")
    return size


@dataclass(frozen=True)
class Template:
    """What one looks at together: each way the parts can look is a feature of its own.

    Parameters
    ----------
    parts
        Which views of tokens how many places away.
    frame
        Templates with as many parts and the same frame, unless it is empty, share their features, as
        those of CRF++ do whose texts differ only in places.
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
    """The same as a feature of the label *and* the one before: it learns what follows what, and where.

    Without a template, the pair of labels alone: CRF++'s `B`.
    """
    if template is None:
        return LABELS
    template = template[0] if isinstance(template, View) else template
    return replace(template, transition=True)


def column(number: int) -> View:
    """A column of tokens that have several, counted from 0."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"Columns are counted from 0. Got {number!r}.")
    return View(number)


word = View()
lower, shape, has_digit, has_hyphen = word.lower, word.shape, word.has_digit, word.has_hyphen
is_title, is_upper = word.is_title, word.is_upper
prefix, suffix = word.prefix, word.suffix

MACRO = re.compile(r"%x\[\s*(-?\d+)\s*,\s*(\d+)\s*\]")


def crfpp(text: str) -> tuple[Template, ...]:
    r"""Templates in CRF++'s language, a line each.

    A line that begins with U is a template of one label, with B of a label and the one before; `%x[-1,0]`
    stands for column 0 of the token before. Blank lines and those that begin with # count for nothing.

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
                "A line of a template must begin with U or B, and may hold %x[row,column] with whole "
                f"numbers. Got {line!r} in line {number}."
            )
        parts = tuple((int(row), View(int(col))) for row, col in MACRO.findall(line))
        if any(abs(offset) > FARTHEST for offset, _ in parts):
            raise ValueError(
                f"A template looks at most {FARTHEST} places away. Got {line!r} in line {number}."
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
"""For tokens that are words: the word, its neighbours, beginnings, endings and shape."""


def words_and_columns(columns: int) -> tuple[Template, ...]:
    """WORDS for the first column, and of each other one what is around a token, up to three at a time."""
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
