"""Tagged text as an HTML page: coloured spans, and errors where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from rosenblatt.schemes import Span, spans

STYLE = """
:root { color-scheme: light dark; --ground: #f7f5ef; --ink: #22313f; }
@media (prefers-color-scheme: dark) { :root { --ground: #1d242b; --ink: #e8e6df; } }
body { background: var(--ground); color: var(--ink); font: 16px/2.1 Georgia, serif; max-width: 46rem;
       margin: 2rem auto; padding: 0 1rem; }
mark { color: inherit; border-radius: .3em; padding: .15em .3em; }
mark small { font: 600 .62em/1 system-ui, sans-serif; margin-left: .4em; opacity: .75; }
mark.wrong { outline: 2px solid #c0392b; }
footer { font: .8em/1.8 system-ui, sans-serif; opacity: .85; border-top: 1px solid; margin-top: 1.5rem; }
""".strip()


def html(
    sequences: Sequence[Sequence[Any]],
    labels: Sequence[Sequence[Any]],
    *,
    truths: Sequence[Sequence[Any]] | None = None,
    confidence: Sequence[Any] | None = None,
    title: str = "Tagged text",
) -> str:
    """Return a self-contained page.

    Parameters
    ----------
    sequences, labels
        Tokens, of which a tuple of strings shows its first and a dict its "word", and their labels: spans if
        all of them are of a scheme, else each token is one.
    truths
        The true labels; what differs gets a red frame, and its title shows the truth.
    confidence
        The confidence of each label, shown when the pointer rests on it.
    """
    _check_same(sequences, labels)
    if truths is not None:
        _check_same(sequences, truths)
    kinds: dict[str, int] = {}
    lines = []
    for i, (tokens, answers) in enumerate(zip(sequences, labels, strict=True)):
        true = answers if truths is None else truths[i]
        sure = None if confidence is None else confidence[i]
        parts, at = [], 0
        for span in _spans(answers):
            parts += [_plain(tokens, j, answers, true) for j in range(at, span.start)]
            parts.append(_marked(tokens, span, answers, true, sure, kinds))
            at = span.end
        parts += [_plain(tokens, j, answers, true) for j in range(at, len(tokens))]
        lines.append(f"<p>{' '.join(parts)}</p>")
    legend = " ".join(
        f'<mark style="background:{_colour(n)}">{escape(kind)}</mark>' for kind, n in kinds.items()
    )
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>\n{STYLE}\n</style>\n'
        f"<main>\n{chr(10).join(lines)}\n</main>\n<footer>{legend}</footer>\n</html>\n"
    )


def _check_same(sequences: Sequence[Sequence[Any]], labels: Sequence[Sequence[Any]]) -> None:
    sizes, others = ([len(part) for part in parts] for parts in (sequences, labels))
    if sizes != others:
        raise ValueError(f"Every token needs a label. Got sequences of {sizes} tokens and {others} labels.")


def _spans(labels: Sequence[Any]) -> list[Span]:
    try:
        return spans(labels)
    except ValueError:  # not of a scheme: a tag per token
        return [Span(str(label), i, i + 1) for i, label in enumerate(labels)]


def _text(token: Any) -> str:
    if isinstance(token, dict):
        token = token.get("word", next(iter(token.values()), ""))
    elif isinstance(token, tuple | list):
        token = token[0] if token else ""
    return escape(str(token))


def _colour(number: int) -> str:
    """Return a colour that is far from those before it, and on which light and dark text can be read."""
    return f"hsl({(number * 137) % 360} 65% 55% / .35)"


def _marked(
    tokens: Sequence[Any],
    span: Span,
    labels: Sequence[Any],
    truths: Sequence[Any],
    sure: Any,
    kinds: dict[str, int],
) -> str:
    words = " ".join(_text(tokens[i]) for i in range(span.start, span.end))
    number = kinds.setdefault(span.type, len(kinds))
    wrong = list(labels[span.start : span.end]) != list(truths[span.start : span.end])
    notes = [f"should be {' '.join(map(str, truths[span.start : span.end]))}"] if wrong else []
    if sure is not None:
        notes.append(f"confidence {min(sure[span.start : span.end]):.2f}")
    return (
        f'<mark{" class=wrong" if wrong else ""} style="background:{_colour(number)}"'
        f' title="{escape("; ".join(notes))}">{words}<small>{escape(span.type)}</small></mark>'
    )


def _plain(tokens: Sequence[Any], i: int, labels: Sequence[Any], truths: Sequence[Any]) -> str:
    if labels[i] == truths[i]:
        return _text(tokens[i])
    return f'<mark class=wrong title="should be {escape(str(truths[i]))}">{_text(tokens[i])}</mark>'
