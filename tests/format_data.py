"""Small files of every format."""

from rosenblatt.data.sources import format_of

TIMES = b"time,size,label\n2024-01-05 12:30:00,3.5,yes\n2024-01-06 07:15:00,-1,no\n"
BREAKS = b'text,size,label\n"one\n\ntwo",1,yes\n"three\nfour, five",-1,no\n"six\n\nseven\n",2,yes\n'
ROWS = b"size,label\n1,yes\n-1,no\n"
SVMLIGHT = b"1 1:0.5 3:1\n-1 2:2\n1 1:1\n"
OBJECTS = b'{"size": 1, "label": "yes"}\n{"size": -1, "label": "no"}\n'
TOKENS = b"Rome NNP B-LOC\nfell VBD O\n\nIt PRP O\n"
WABBIT = b"1 |f size:0.5 red\n-1 |f size:2 blue\n1 2.0 'third|f size:1 |g round\n"

SUFFIXES = {
    "csv": (ROWS, [".csv"]),
    "tsv": (ROWS.replace(b",", b"\t"), [".tsv", ".tab"]),
    "svmlight": (SVMLIGHT, [".svm", ".svmlight", ".libsvm"]),
    "jsonl": (OBJECTS, [".jsonl", ".ndjson"]),
    "conll": (TOKENS, [".conll", ".conllu", ".iob"]),
}


def found(folder, name, content):
    (folder / name).write_bytes(content)
    return format_of(str(folder / name))
