"""CoNLL files: reading, writing, and errors that name the line."""

import gzip
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data import conll, iter_conll, read_conll, read_conllu, write_conll

LINES = ["Rome NNP B-LOC", "fell VBD O", "", "", "It PRP O", ""]
TOKENS = [[("Rome", "NNP"), ("fell", "VBD")], [("It", "PRP")]]
LABELS = [["B-LOC", "O"], ["O"]]


def test_read_conll_returns_sequences():
    assert read_conll(LINES) == (TOKENS, LABELS)
    assert read_conll(LINES, columns=0) == ([["Rome", "fell"], ["It"]], LABELS)
    assert read_conll(LINES, columns=[1], label=0) == (
        [[("NNP",), ("VBD",)], [("PRP",)]],
        [["Rome", "fell"], ["It"]],
    )
    assert read_conll(["Rome B-LOC"])[0] == [["Rome"]]


TEXT = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4)


@given(
    st.lists(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=4), min_size=1, max_size=5),
    st.integers(1, 9),
)
def test_read_conll_reads_what_was_written(sentences, at_once):
    """Also in pieces of any size."""
    tokens = [[token[:2] for token in sentence] for sentence in sentences]
    labels = [[token[2] for token in sentence] for sentence in sentences]
    lines = "\n".join(
        "\n".join(" ".join(token) for token in sentence) + "\n" for sentence in sentences
    ).split("\n")
    assert read_conll(lines) == (tokens, labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conll, "LINES", at_once)
        assert list(iter_conll(lines)) == list(zip(tokens, labels, strict=True))


def test_read_conll_reads_compressed_files(tmp_path):
    plain = tmp_path / "a.txt"
    write_conll(plain, TOKENS, LABELS)
    assert plain.read_text() == "Rome NNP B-LOC\nfell VBD O\n\nIt PRP O\n\n"
    for pack, name in ((gzip, "a.gz"), (lzma, "a.xz")):
        (tmp_path / name).write_bytes(pack.compress(plain.read_bytes()))
        assert read_conll(tmp_path / name) == read_conll(str(plain)) == (TOKENS, LABELS)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(plain.read_bytes() * 999)[:-20])
    with pytest.raises(ValueError, match=r"cut\.gz is compressed and broken"):
        read_conll(cut)
    with pytest.raises(FileNotFoundError):
        read_conll(tmp_path / "nowhere")


def test_read_conll_handles_windows_lines_tabs_and_comments():
    assert read_conll(["a b\tX\r\n", "\t\r\n", "c\tY\r\n"], separator="\t") == (
        [["a b"], ["c"]],
        [["X"], ["Y"]],
    )
    assert read_conll(["# a comment", "a X", "# another", "b Y"], comment="#") == ([["a", "b"]], [["X", "Y"]])
    assert read_conll(["a\u00a0b X"])[0] == [["a\u00a0b"]]  # a no-break space does not separate


CONLLU = """# sent_id = 1
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\tVB\t_\t0\troot\t_\t_
2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_
2.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_

# empty = yes
1.1\tx\tx\tX\tX\t_\t_\t_\t_\t_

1\tyes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
""".splitlines()


def test_read_conllu_skips_ranges_and_empty_words():
    assert read_conllu(CONLLU) == ([["do", "n't"], ["yes"]], [["AUX", "PART"], ["INTJ"]])
    assert read_conllu(CONLLU, ["form", "lemma"], "xpos")[0][0] == [("do", "do"), ("n't", "not")]
    with pytest.raises(ValueError, match="Got 'tag'"):
        read_conllu(CONLLU, label="tag")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a b X", "", "# c", "a X"], r"Every line must have 3 columns. Got 2 in line 4 of lines: 'a X'"),
        (["", " "], "There is no token in lines"),
        (["X"], "one column, the label, and so no tokens"),
        ([b"\xff\xfe X"], "not UTF-8"),
    ],
)
def test_read_conll_names_the_bad_line(lines, message):
    with pytest.raises(ValueError, match=message):
        read_conll(lines, comment="#")


def test_iter_conll_checks_the_width_across_pieces(monkeypatch):
    monkeypatch.setattr(conll, "LINES", 2)
    with pytest.raises(ValueError, match="Got 2 in line 3 of lines"):
        list(iter_conll(["a b X", "", "a X", "", "a b X"]))


@pytest.mark.parametrize("lines", [["a b", " q", "a\tb c"], ["a b", "a  b", "a"], [" a b", "c d e"]])
def test_read_conll_keeps_columns_with_odd_spaces(lines):
    with pytest.raises(ValueError, match="Every line must have 2 columns"):
        read_conll(lines)
    assert read_conll(["  a \t b ", "c   d"]) == ([["a", "c"]], [["b", "d"]])


def test_read_conll_skips_the_byte_order_mark(tmp_path):
    (tmp_path / "bom.txt").write_bytes("\ufeffRome X\n".encode())
    assert read_conll(tmp_path / "bom.txt")[0] == [["Rome"]]


def test_write_conll_leaves_the_file_on_errors(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("before")
    for tokens, labels, message in (
        ([["New York"]], [["X"]], "Got 'New York' in sequence 0"),
        ([["a", ""]], [["X", "Y"]], "Got ''"),
        ([["a"]], [["X", "Y"]], r"lengths \[1, 2\]"),
        ([["a"]], [], "as many sequences"),
    ):
        with pytest.raises(ValueError, match=message):
            write_conll(file, tokens, labels)
        assert file.read_text() == "before"
    for name in ("a.gz", "a.xz"):
        write_conll(tmp_path / name, [["a"]], [[1]])
        assert read_conll(tmp_path / name) == ([["a"]], [["1"]])
        assert (tmp_path / name).read_bytes()[:1] in (b"\x1f", b"\xfd")


def test_read_conll_rejects_missing_columns():
    with pytest.raises(ValueError, match=r"3 columns, from 0 to 2. Got column 3"):
        read_conll(LINES, columns=[0, 3])


def test_columns_behave_like_lists():
    X, y = read_conll(LINES)
    assert (len(X), X[-1], list(X[0:1]), list(X[::-1])) == (2, TOKENS[1], TOKENS[:1], TOKENS[::-1])
    assert repr(y) == "<2 sequences of 3 tokens>"
    with pytest.raises(IndexError):
        X[2]


@pytest.mark.parametrize(
    ("name", "options", "sentences", "tokens"),
    [
        ("conll2000/train.txt.gz", {}, 8936, 211727),
        ("wnut17/wnut17train.conll.gz", {"separator": "\t"}, 3394, 62730),
    ],
)
def test_read_conll_reads_real_files(data, name, options, sentences, tokens):
    X, _ = read_conll(data / name, **options)
    assert (len(X), sum(map(len, X))) == (sentences, tokens)
    assert sum(1 for _ in iter_conll(data / name, **options)) == sentences


def test_read_conllu_reads_a_real_treebank(data):
    X, y = read_conllu(data / "ud_english_ewt" / "en_ewt-ud-train.conllu.xz")
    assert (len(X), sum(map(len, X)), len({tag for tags in y for tag in tags})) == (12544, 204577, 17)
