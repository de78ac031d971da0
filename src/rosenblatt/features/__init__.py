"""Feature extraction for sequences: templates, named features, hashing."""

from rosenblatt.features.encoders import ArrayEncoder, Encoder, Tokens
from rosenblatt.features.names import NameEncoder
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
    "Encoder",
    "NameEncoder",
    "Template",
    "TemplateEncoder",
    "Tokens",
    "View",
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
