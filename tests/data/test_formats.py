"""Detection of formats: by name, else by content."""

import bz2
import csv
import gzip
import io
import lzma
import os
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.format_data import BREAKS, OBJECTS, ROWS, SUFFIXES, SVMLIGHT, TIMES, TOKENS, WABBIT, found
from rosenblatt.data import formats
from rosenblatt.data.formats import detect, separator_of
from rosenblatt.data.schema import Schema
from rosenblatt.data.sources import FORMATS, RowSource, format_of


def zip_of(text=ROWS):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("rows.csv", text)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("times.csv", TIMES, "csv"),
        ("times", TIMES, "csv"),
        ("times.txt", TIMES.replace(b",", b";"), "csv"),
        ("times.tsv", TIMES.replace(b",", b"\t"), "tsv"),
        ("one_column.csv", b"time\n2024-01-05 12:30:00\n2024-01-06 07:15:00\n", "csv"),
        ("breaks.csv", BREAKS, "csv"),
        ("breaks", BREAKS, "csv"),
        ("breaks.tsv", BREAKS.replace(b",", b"\t"), "tsv"),
        ("breaks.txt", BREAKS.replace(b",", b"\t").replace(b"four\t five", b"four"), "tsv"),
        ("header.csv", b'"the\nsize",label\n1,yes\n', "csv"),
        ("header", b'"the\nsize",label\n1,yes\n', "csv"),
        ("words.csv", b"text\nhello world\ngood bye\n", "csv"),
        ("tabs.csv", ROWS.replace(b",", b"\t"), "csv"),
        ("pipes.csv", ROWS.replace(b",", b"|"), "csv"),
        ("ROWS.CSV", ROWS, "csv"),
        ("labels.svm", b"1\n-1\n1\n", "svmlight"),
        ("bad.svm", b"yes 1:0.5 2:3\nno 1:2\n", "svmlight"),
        ("one_sentence.conll", b"Rome\tNNP\nfell\tVBD\n", "conll"),
        ("brace.conll", b"{ -LRB- O\nx NN O\n} -RRB- O\n\n", "conll"),
        ("commas.iob", b"1,000 CD O\n2,000 CD O\n3,000 CD O\n\n", "conll"),
        ("quotes", b'"\tO\nHi\tO\n\nYes\tO\n"\tO\n', "conll"),
        ("open", b'He\tO\n"\tO\nHi\tO\n\nYes\tO\n', "conll"),
        ("long", b'text\tlabel\n"one\n\ntwo"\tx\n"' + b"three\n\n" * 10_000 + b'"\ty\n', "tsv"),
        ("bad.jsonl", b'["size"]\n' + OBJECTS, "jsonl"),
        ("rows", ROWS, "csv"),
        ("rows.txt", SVMLIGHT, "svmlight"),
        ("rows.json", OBJECTS, "jsonl"),
        ("rows.data", TOKENS, "conll"),
    ],
)
def test_format_of_uses_the_name_then_the_content(tmp_path, name, content, kind):
    assert found(tmp_path, name, content) == kind


@pytest.mark.parametrize(("kind", "suffix"), [(k, s) for k in SUFFIXES for s in SUFFIXES[k][1]])
def test_format_of_knows_every_suffix_also_compressed(tmp_path, kind, suffix):
    content = SUFFIXES[kind][0]
    assert found(tmp_path, f"rows{suffix}", content) == kind
    assert found(tmp_path, f"rows{suffix}.gz", gzip.compress(content)) == kind
    assert found(tmp_path, f"rows{suffix.upper()}.BZ2", bz2.compress(content)) == kind
    other = {k: content for k, (content, _) in SUFFIXES.items() if k not in (kind, "tsv")}
    for looks, text in other.items():
        with pytest.raises(ValueError, match=f"says {kind}, but its content looks like {looks}"):
            found(tmp_path, f"rows{suffix}.xz", lzma.compress(text))


def test_format_of_knows_parquet_and_arrow(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pyarrow.table({"size": [1, 2], "label": ["yes", "no"]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    feather.write_feather(table, tmp_path / "rows.feather")
    assert format_of(str(tmp_path / "rows.parquet")) == "parquet"
    assert format_of(str(tmp_path / "rows.feather")) == "arrow"
    packed = (tmp_path / "rows.parquet").read_bytes()
    assert found(tmp_path, "rows", packed) == "parquet"
    for name, words in {
        "rows.csv": "says csv",
        "rows.arrow": "says arrow",
        "rows.svm": "says svmlight",
    }.items():
        with pytest.raises(ValueError, match=f"{words}, but its content looks like parquet"):
            found(tmp_path, name, packed)
    with pytest.raises(ValueError, match="says parquet, but its content looks like csv"):
        found(tmp_path, "rows.pq", ROWS)
    (tmp_path / "rows.parquet.gz").write_bytes(gzip.compress(packed))
    with pytest.raises(ValueError, match="Decompress it"):
        list(RowSource(str(tmp_path / "rows.parquet.gz"), "parquet", Schema()))


@pytest.mark.parametrize(
    ("name", "content", "named", "looks"),
    [
        ("rows.csv", SVMLIGHT, "csv", "svmlight"),
        ("rows.csv", b"1,3 1:1\n2 2:1\n", "csv", "svmlight"),
        ("rows.csv", TOKENS, "csv", "conll"),
        ("rows.tsv", TOKENS.replace(b" ", b"\t"), "tsv", "conll"),
        ("rows.tsv", ROWS, "tsv", "csv"),
        ("rows.svm", TIMES, "svmlight", "csv"),
        ("rows.svm", TOKENS, "svmlight", "conll"),
        ("rows.conll", BREAKS, "conll", "csv"),
        ("rows.jsonl", b'"size","label"\n1,"yes"\n', "jsonl", "csv"),
    ],
)
def test_format_of_names_both_if_name_and_content_disagree(tmp_path, name, content, named, looks):
    with pytest.raises(ValueError, match="but its content looks like") as refused:
        found(tmp_path, name, content)
    said = str(refused.value)
    assert f"says {named}" in said
    assert f"looks like {looks}" in said
    assert f"--format {named} or --format {looks}" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (zip_of(), "a zip archive"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(50), "a 7-Zip archive"),
        (b"rows.csv".ljust(257, b"\0") + b"ustar\x0000" + ROWS, "a tar archive"),
        (ROWS.decode().encode("utf-16"), "text in UTF-16"),
        (gzip.compress(ROWS), "a file compressed twice"),
        (b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}", "a zero byte"),
        (b"size,label\n1\0,x\n", "a zero byte"),
        (WABBIT, "Vowpal Wabbit"),
        (b"| a b c\n| d e\n", "Vowpal Wabbit"),
        (b"\n".join(b"%d |words some text" % i + b" more" * i for i in range(10)), "Vowpal Wabbit"),
        (b'[\n {"size": 1, "label": 2}\n]\n', "a JSON array"),
        (b"% iris\n@RELATION iris\n\n@ATTRIBUTE size NUMERIC\n@DATA\n1,x\n", "ARFF"),
    ],
    ids=lambda value: value if isinstance(value, str) else "bytes",  # archives hold the time they are made
)
@pytest.mark.parametrize("name", ["rows", "rows.csv", "rows.svm", "rows.conll"])
def test_format_of_rejects_unsupported_formats(tmp_path, name, content, words):
    packed = gzip.compress(content) if words == "a file compressed twice" else content
    with pytest.raises(ValueError, match=words) as refused:
        found(tmp_path, name, packed)
    said = str(refused.value)
    assert "--format" in said
    assert "Convert it to" in said or "Unpack it" in said
    assert ("its name says" in said) == (name != "rows")


def test_format_of_wabbit_lines_says_what_to_convert_to(tmp_path):
    with pytest.raises(
        ValueError, match=r"looks like Vowpal Wabbit.*'1 \|f size:0.5 red'.*svmlight.*JSON lines"
    ):
        found(tmp_path, "rows.vw", WABBIT)
    assert found(tmp_path, "pipes.csv", b"a | b | label\n1 | 2 | x\n3 | 4 | y\n") == "csv"
    assert found(tmp_path, "names.csv", b"|first name|label\n0|Ann Lee|x\n1|Bo Ek|y\n") == "csv"


CELLS = st.text("ab1:.,;|\t\n\"'{}[] -+e0#@%5", min_size=1, max_size=12).map(str.strip).filter(bool)
NAMES = st.text("abcxyz_ -.1:", min_size=1, max_size=8).map(str.strip).filter(bool)
TOKEN = st.text("ab1:.,;|\"'{}[]-+e0@%", min_size=1, max_size=6)


def tables_of(width):
    row = st.lists(CELLS, min_size=width, max_size=width)
    return st.tuples(st.lists(NAMES, min_size=width, max_size=width), st.lists(row, max_size=5))


@given(st.integers(1, 4).flatmap(tables_of), st.sampled_from(",;\t|"))
def test_detect_follows_the_name_of_a_table_whatever_its_cells(table, separator):
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows([table[0], *table[1]])
    kind = "tsv" if separator == "\t" else "csv"
    assert detect(f"rows.{kind}", "rows", text.getvalue().encode(), cut=False) == kind


def sentences_of(width):
    token = st.lists(TOKEN, min_size=width, max_size=width)
    return st.lists(st.lists(token, min_size=1, max_size=4), min_size=1, max_size=4)


@given(st.integers(1, 3).flatmap(sentences_of), st.sampled_from(" \t"))
def test_detect_follows_the_name_of_sequences_whatever_their_tokens(sentences, separator):
    lines = ["".join(separator.join([*token, "O"]) + "\n" for token in sentence) for sentence in sentences]
    assert detect("rows.conll", "rows", "\n".join(lines).encode(), cut=False) == "conll"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("rows", b"cat\n", "conll"),
        ("rows", b"the\tD\ncat\tN\n", "conll"),
        ("rows.tsv", b"the\tD\ncat\tN\n", "tsv"),
        ("rows", b"1 1:2\n", "svmlight"),
        ("rows", b'{"a": 1}\n', "jsonl"),
        ("rows", b"a,b\n1,2\n", "csv"),
        ("rows", b"PAR1", "parquet"),
    ],
)
def test_detect_prefers_the_expected_format(name, content, kind):
    assert detect(name, name, content, cut=False, expected="conll") == kind


def test_format_option_decides(run, tmp_path):
    (tmp_path / "times.svm").write_bytes(TIMES)
    refused = run("fit", "times.svm", "-o", "m")
    assert refused.code == 1
    assert "times.svm says svmlight, but its content looks like csv" in refused.err
    assert "--format" in refused.err
    assert not (tmp_path / "m").exists()
    assert run("fit", "times.svm", "-o", "m", "--format", "csv").code == 0
    assert (
        "in line 1, column 1 of times.svm" in run("fit", "times.svm", "-o", "n", "--format", "svmlight").err
    )
    (tmp_path / "rows.csv").write_bytes(zip_of())
    assert "is not UTF-8" in run("fit", "rows.csv", "-o", "n", "--format", "csv").err


@pytest.mark.parametrize(
    ("name", "content", "separator"),
    [
        ("a.csv", b"price, EUR;size;label\n1,5;2;x\n2,5;3;y\n", ";"),
        ("b.csv", b"tags a;b;c,label\nx;y,1\nz,2\n", ","),
        ("c.csv", b'"a;b;c;d",label\n"x;y",1\n', ","),
        ("d.csv", b"size|label\n1|x\n", "|"),
        ("e.csv", b"size\tlabel\n1\tx\n", "\t"),
        ("f.csv", b'"the\nsize; or so";label\n1;x\n', ";"),
    ],
)
def test_separator_of_finds_what_splits_the_rows_alike(tmp_path, name, content, separator):
    (tmp_path / name).write_bytes(content)
    assert separator_of(content) == separator
    (block, *_) = RowSource(str(tmp_path / name), "csv", Schema())
    assert len(block) == content.replace(b"the\nsize", b"").count(b"\n") - 1


def test_csv_rows_may_have_line_breaks_in_cells(tmp_path):
    (tmp_path / "breaks.csv").write_bytes(BREAKS)
    (block,) = RowSource(str(tmp_path / "breaks.csv"), "csv", schema := Schema())
    assert block.y.tolist() == ["yes", "no", "yes"]
    assert "text=three\nfour, five" in schema.names


def test_formats_have_a_suffix_each():
    assert set(formats.SUFFIXES.values()) == set(FORMATS)


def test_format_of_rejects_pipes_by_path(tmp_path):
    os.mkfifo(tmp_path / "rows.csv")
    with pytest.raises(ValueError, match=r"rows\.csv is a pipe.*standard input"):
        format_of(str(tmp_path / "rows.csv"))
