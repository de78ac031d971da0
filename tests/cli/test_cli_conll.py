"""CoNLL files on the command line: which column is learned, and sequences with bad lines."""

import json

import pytest

from fixtures.cli_running import TAGS, WORDS
from rosenblatt import PerceptronTagger, load
from rosenblatt.data import write_conll
from rosenblatt.persistence import load_model

PARTS = [["x", "y", "z"]] * 9
"""A second label of every token of WORDS."""


def columns(*parts):
    """Return sequences of rows of cells."""
    return [list(zip(*(part[i] for part in parts), strict=True)) for i in range(len(parts[0]))]


@pytest.fixture
def three(tmp_path):
    """Words, another column, and tags."""
    write_conll(tmp_path / "t.conll", columns(WORDS, PARTS, TAGS))
    return "t.conll"


@pytest.mark.parametrize(
    ("label", "tokens", "labels"),
    [
        ("0", columns(PARTS, TAGS), WORDS),
        ("1", columns(WORDS, TAGS), PARTS),
        ("-2", columns(WORDS, TAGS), PARTS),
        ("2", columns(WORDS, PARTS), TAGS),
        ("-1", columns(WORDS, PARTS), TAGS),
    ],
)
def test_fit_learns_the_column_that_label_names(run, three, tmp_path, label, tokens, labels):
    assert run("fit", three, "-o", "m", "--label", label).code == 0
    same = PerceptronTagger(random_state=0).fit(tokens, labels)
    assert load("m").ledger_ == same.ledger_
    write_conll(tmp_path / "without.conll", tokens)
    with_label, without = run("tag", "m", three), run("predict", "m", "without.conll")
    assert with_label.code == without.code == 0, with_label.err + without.err
    assert with_label.out == without.out
    first = with_label.out.splitlines()[0].split()
    assert first == [*tokens[0][0], same.predict(tokens)[0][0]]
    result = json.loads(run("evaluate", "m", three, "--json").out)
    assert result["token_accuracy"] == same.score(tokens, labels)


@pytest.mark.parametrize("label", ["3", "-4", "pos", "label", "1.5", ""])
def test_fit_rejects_labels_that_are_no_column(run, three, tmp_path, label):
    done = run("fit", three, "-o", "m", "--label", label)
    assert done.code == 2
    assert "--label must be the index of a column of t.conll, from 0 to 2, or from -3 to -1" in done.err
    assert f"Got {label!r}" in done.err
    assert not (tmp_path / "m").exists()


def test_fit_keeps_the_last_column_as_the_label_by_default(run, three):
    assert run("fit", three, "-o", "m").code == 0
    assert load("m").ledger_ == PerceptronTagger(random_state=0).fit(columns(WORDS, PARTS), TAGS).ledger_
    assert load_model("m").notes["label"] == 2


def test_certify_reads_the_column_that_was_learned(run, three):
    assert run("fit", three, "-o", "m", "--label", "1", "--keep").code == 0
    assert "Theorem." in run("certify", "m", three).out


def test_evaluate_refuses_files_with_other_columns(run, three, tmp_path):
    run("fit", three, "-o", "m", "--label", "1")
    write_conll(tmp_path / "without.conll", columns(WORDS, TAGS))
    write_conll(tmp_path / "more.conll", columns(WORDS, PARTS, TAGS, TAGS))
    write_conll(tmp_path / "few.conll", WORDS)
    for name, width in (("without", 2), ("more", 4), ("few", 1)):
        done = run("evaluate", "m", f"{name}.conll")
        assert done.code == 1
        assert "Lines must have 3 columns with labels, as those that the tagger learned from. Got" in done.err
        assert f"Got {width} column{'s' * (width > 1)} in {name}.conll" in done.err


@pytest.mark.parametrize("command", ["tag", "predict"])
def test_tag_refuses_files_with_other_columns(run, three, tmp_path, command):
    run("fit", three, "-o", "m", "--label", "1")
    write_conll(tmp_path / "more.conll", columns(WORDS, PARTS, TAGS, TAGS))
    write_conll(tmp_path / "few.conll", WORDS)
    name = conllu(tmp_path)
    for file, found in (
        ("more.conll", "4 columns in more.conll"),
        ("few.conll", "1 column in few.conll"),
        (name, "2 columns in t.conllu, form and the label"),
    ):
        done = run(command, "m", file)
        assert done.code == 1
        assert "Lines must have 3 columns with labels, as those that the tagger learned from" in done.err
        assert f"Got {found}." in done.err
        assert done.out == ""


@pytest.mark.parametrize("command", ["tag", "predict", "evaluate", "certify"])
@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("rows.svm", "1 1:2\n-1 3:1\n", "svmlight"),
        ("rows", "1 1:2\n-1 3:1\n", "svmlight"),
        ("rows.csv", "a,label\n1,x\n", "csv"),
        ("rows", "a,label\n1,x\n", "csv"),
        ("rows.jsonl", '{"a": 1}\n', "jsonl"),
    ],
)
def test_tagger_commands_refuse_files_of_other_formats(run, tmp_path, command, name, text, kind):
    write_conll(tmp_path / "t.conll", WORDS, TAGS)
    run("fit", "t.conll", "-o", "m")
    (tmp_path / name).write_text(text)
    done = run(command, "m", name)
    assert done.code == 1
    assert f"A tagger reads CoNLL files. Got {name}, which is {kind}: say --format conll" in done.err
    assert done.out == ""


def test_tag_reads_what_may_be_sequences(run, tmp_path):
    write_conll(tmp_path / "t.conll", WORDS, TAGS)
    run("fit", "t.conll", "-o", "m")
    for text in (b"cat\n", b"the\tD\ncat\tN\n", b"the\ncat\n\na\n", b"1 2:3\nthe 1:1\n"):
        done = run("tag", "m", "-", stdin=text)
        assert done.code == 0, done.err
    (tmp_path / "t.csv").write_text("1 1:2\n")
    assert run("tag", "m", "t.csv", "--format", "conll").code == 0
    assert run("tag", "m", "t.csv", "--format", "csv").code == 2
    assert run("tag", "m", "t.csv", "--format", "conll", "--text").code == 2


def test_tag_refuses_text_for_tokens_of_several_columns(run, three):
    run("fit", three, "-o", "m")
    done = run("tag", "m", "-", "--text", stdin=b"the cat\n")
    assert done.code == 2
    assert "--text gives tokens of one column. Got a model of tokens of 2" in done.err


def conllu(tmp_path, name="t.conllu"):
    line = "{}\t{}\t{}\t{}\t_\t_\t_\t_\t_\t_\n"
    text = "".join(
        line.format(1, "the", "L1", "DET") + line.format(2, "cat", "L2", "NOUN") + "\n" for _ in range(4)
    )
    (tmp_path / name).write_text("# text\n" + text)
    return name


@pytest.mark.parametrize(("label", "tag"), [("lemma", "L1"), ("2", "L1"), ("upos", "DET"), ("-7", "DET")])
def test_fit_learns_a_column_of_conllu_by_name_or_index(run, tmp_path, label, tag):
    name = conllu(tmp_path)
    assert run("fit", name, "-o", "m", "--format", "conll", "--label", label, "--keep").code == 0
    assert run("tag", "m", name).out.splitlines()[0] == f"the {tag}"
    assert json.loads(run("evaluate", "m", name, "--json").out)["token_accuracy"] == 1
    assert "Theorem." in run("certify", "m", name).out


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("part", "CoNLL-U has the columns id, form, lemma"),
        ("10", "CoNLL-U has the columns id, form, lemma"),
        ("form", "--label must be another column than form"),
    ],
)
def test_fit_rejects_labels_unknown_to_conllu(run, tmp_path, label, words):
    done = run("fit", conllu(tmp_path), "-o", "m", "--format", "conll", "--label", label)
    assert done.code == 2
    assert words in done.err


BAD = "the D\ncat N\n\na D X\ndog N\n\nthe D\ndog N\n\nsat\n\na D\ncat N\n"
"""Five sequences, of which the second and the fourth have a bad line."""


def test_skip_bad_leaves_out_sequences_with_bad_lines(run, tmp_path):
    (tmp_path / "bad.conll").write_text(BAD)
    refused = run("fit", "bad.conll", "-o", "m")
    assert refused.code == 1
    assert "Every line must have 2 columns. Got 3 in line 4 of bad.conll: 'a D X'." in refused.err
    refused = run("fit", "bad.conll", "-o", "m", "--skip-bad", 1)
    assert refused.code == 1
    assert "Got 1 in line 10 of bad.conll: 'sat'. Bad lines skipped before it: 1." in refused.err
    assert not (tmp_path / "m").exists()
    done = run("fit", "bad.conll", "-o", "m", "--skip-bad", 2)
    assert done.code == 0, done.err
    assert done.err.splitlines() == [
        "skipped line 4: it has 3 columns instead of 2; its sequence is left out",
        "skipped line 10: it has 1 column instead of 2; its sequence is left out",
    ]
    (tmp_path / "good.conll").write_text("the D\ncat N\n\nthe D\ndog N\n\na D\ncat N\n")
    run("fit", "good.conll", "-o", "g")
    assert load("m").ledger_ == load("g").ledger_
    for command in ("predict", "evaluate"):
        assert "in line 4 of bad.conll" in run(command, "m", "bad.conll").err
        done = run(command, "m", "bad.conll", "--skip-bad", 2)
        assert done.code == 0
        assert done.err.count("skipped line") == 2
        assert done.out == run(command, "m", "good.conll").out


def test_skip_bad_leaves_out_sequences_that_are_not_utf8(run, tmp_path):
    (tmp_path / "bad.conll").write_bytes(b"the D\ncat N\n\n\xff D\ndog N\n\na D\ncat N\n")
    assert "is not UTF-8" in run("fit", "bad.conll", "-o", "m").err
    done = run("fit", "bad.conll", "-o", "m", "--skip-bad", 1)
    assert done.code == 0
    assert done.err == "skipped line 4: it is not UTF-8; its sequence is left out\n"


def test_skip_bad_works_on_conllu_and_standard_input(run, tmp_path):
    name = conllu(tmp_path)
    with open(tmp_path / name, "a") as file:
        file.write("1\tthe\tDET\n\n")
    done = run("fit", name, "-o", "m", "--format", "conll", "--skip-bad", 1)
    assert done.code == 0
    assert "skipped line 14: it has 3 columns instead of 10" in done.err
    done = run("fit", "-", "-o", "m", "--skip-bad", 2, stdin=BAD.encode())
    assert done.code == 0
    assert done.err.count("skipped line") == 2


def test_skip_bad_counts_lines_beyond_the_listed_ones(run, tmp_path):
    (tmp_path / "bad.conll").write_text("the D\ncat N\n\n" + "odd\n\n" * 13)
    done = run("fit", "bad.conll", "-o", "m", "--skip-bad", 20)
    assert done.err.count("skipped line") == 10
    assert done.err.splitlines()[-1] == "13 lines were skipped in all"
    (tmp_path / "all.conll").write_text("the D X\ncat N\n\n")
    assert "There is no token in all.conll" in run("fit", "all.conll", "-o", "m", "--skip-bad", 1).err


def test_predict_lists_skipped_lines_of_tables(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,y\n")
    run("fit", "t.csv", "-o", "m")
    (tmp_path / "bad.csv").write_text("a,label\n1,x\n2,y,z\n3,y\n")
    for command in ("predict", "evaluate"):
        done = run(command, "m", "bad.csv", "--skip-bad", 1)
        assert done.code == 0
        assert "skipped line 3: it has 3 cells, and the header 2" in done.err
        assert run(command, "m", "bad.csv", "--skip-bad", 1, "--quiet").err == ""


def test_hash_bits_hash_the_features_of_sequences(run, three):
    assert run("fit", three, "-o", "m", "--hash-bits", 6).code == 0
    same = PerceptronTagger(random_state=0, hashing=64).fit(columns(WORDS, PARTS), TAGS)
    assert load("m").hashing == 64
    assert load("m").ledger_ == same.ledger_
