"""Feature extraction: words and characters of strings, templates of sequences, named features, hashing."""

from rosenblatt.features.encoders import ArrayEncoder, Encoder, Tokens
from rosenblatt.features.names import NameEncoder
from rosenblatt.features.strings import Characters, Terms, Words
from rosenblatt.features.templates import (
    WORDS,
    Template,
    View,
    between,
    column,
    crfpp,
    has_digit,
    has_hyphen,
    is_title,
    is_upper,
    lower,
    prefix,
    shape,
    suffix,
    word,
    words_and_columns,
)
from rosenblatt.features.words import TemplateEncoder

__all__ = [
    "WORDS",
    "ArrayEncoder",
    "Characters",
    "Encoder",
    "NameEncoder",
    "Template",
    "TemplateEncoder",
    "Terms",
    "Tokens",
    "View",
    "Words",
    "between",
    "column",
    "crfpp",
    "has_digit",
    "has_hyphen",
    "is_title",
    "is_upper",
    "lower",
    "prefix",
    "shape",
    "suffix",
    "word",
    "words_and_columns",
]
