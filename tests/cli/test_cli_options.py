"""Every option of every command works for the game and the format at hand, or is refused."""

from pathlib import Path

import pytest
import typer

from fixtures.option_examples import EXAMPLES, MODEL, SETTINGS, by, write_files
from rosenblatt.cli import commands
from rosenblatt.cli.options import SCOPES, option_name

COMMANDS = typer.main.get_command(commands.app).commands
WITHOUT_GAME = ("compile", "play", "demo")
ONE_GAME = ("tag", "rank", "explain")


def options_of(command):
    return [option_name(each) for each in COMMANDS[command].params if each.param_type_name == "option"]


PAIRS = [
    pytest.param(command, option, *setting, id=f"{command}{option}-{'-'.join(setting)}")
    for command in COMMANDS
    if command not in WITHOUT_GAME
    for option in options_of(command)
    for setting in SETTINGS
]


def test_scopes_declare_every_option_of_every_command():
    assert set(SCOPES) == set(COMMANDS)
    for command in COMMANDS:
        assert set(SCOPES[command]) == set(options_of(command)), command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    write_files(folder)
    return folder


class Runs:
    """Commands on the file of a setting, in a folder of their own."""

    def __init__(self, run, folder, game, kind):
        self.run_, self._folder, self._game = run, folder, game
        self._file = SETTINGS[game, kind]
        if kind in ("parquet", "arrow") and not (folder / self._file).exists():
            pytest.skip("Parquet and Arrow files need pyarrow")
        Path("template").write_text((folder / "template").read_text())

    def __call__(self, command, arguments, bad=False):
        """Run a command with these options."""
        arguments = [self.model() if argument == MODEL else argument for argument in arguments]
        given = self._needed(command, arguments)
        name = ("bad_" if bad else "") + self._file
        file = [] if command in ("inspect", "convert") else [self._folder / name]
        out = ["out.json"] if command == "convert" else []
        model = [] if command == "fit" else [self.model()]
        return self.run_(command, *model, *file, *out, *given, *arguments)

    def _needed(self, command, arguments):
        if command != "fit":
            return []
        game = [] if "--game" in arguments else ["--game", self._game]
        return [*game, *(() if "--output" in arguments else ("-o", "m"))]

    def model(self):
        """Return the path of a model of the setting."""
        path = self._folder / f"{self._file}.model"
        if not path.exists():
            done = self.run_("fit", self._folder / self._file, "-o", path, "--keep", "--game", self._game)
            assert done.code == 0, done.err
        return path


@pytest.mark.parametrize(("command", "option", "game", "kind"), PAIRS)
def test_options_have_an_effect_or_are_refused(run, folder, command, option, game, kind):
    example, scope = EXAMPLES[command][option], SCOPES[command][option]
    runs = Runs(run, folder, game, kind)
    beside = by(example.beside, game, kind)
    arguments = beside + (by(example.arguments, game, kind) or by(example.arguments, *first_of(example)))
    applies = game in scope.games and kind in scope.formats
    if not applies:
        refused = runs(command, arguments)
        assert refused.code != 0
        assert option in refused.err or (command in ONE_GAME and f"{command} takes a" in refused.err)
        assert "Traceback" not in refused.err or option == "--debug"
        assert not Path("m").exists()
        assert refused.out == ""
        return
    bad = example.effect == "mends"
    before = example.effect and value_of(example.effect, runs(command, beside, bad=bad))
    done = runs(command, arguments, bad=bad)
    assert done.code == 0, done.err
    assert example.effect is None or value_of(example.effect, done) != before


def first_of(example):
    """Return a game and a format for which there are arguments."""
    return [next(iter(example.arguments))] * 2


def value_of(effect, done):
    """Return what an option may have changed."""
    if callable(effect):
        return effect("m")
    if effect == "written":
        return Path("out.json").read_bytes()
    return done.code if effect == "mends" else done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["rows.csv", "--label", "other", "--target", "other"],
            "--target is another name of --label. Got both",
        ),
        (["rows.csv", "--policy", "oldest"], "--policy says which rows a budget forgets. Got no --budget"),
        (
            ["lists.csv", "--game", "ranking", "--shuffle"],
            "--shuffle orders whole lists. Got --strategy pairs",
        ),
        (["lists.csv", "--strategy", "pairs", "--no-shuffle"], "--shuffle orders whole lists"),
        (["rows.csv", "--ignore", "f0,label"], "A column has one role. Got 'label' for --label and --ignore"),
        (["rows.csv", "--label", "other", "--id", "other"], "Got 'other' for --label and --id: name another"),
        (["lists.csv", "--query", "list", "--label", "list"], "Got 'list' for --label and --query"),
        (["lists.csv", "--query", "list", "--id", "list"], "Got 'list' for --query and --id"),
        (["lists.csv", "--game", "ranking", "--id", "qid"], "Got 'qid' for --query and --id"),
        (
            ["lists.csv", "--query", "list", "--multiclass", "argmax"],
            "--multiclass applies to classification, and --query to ranking. Got both: leave one out.",
        ),
        (["rows.csv", "--budget", "5"], "--budget limits the rows that a kernel needs"),
        (["rows.csv", "--budget", "5", "--kernel", "linear"], "Got no --kernel: give one"),
        (["rows.csv", "--kernel", "Polynomial(2)", "--no-keep"], "Got --kernel and --no-keep: leave one out"),
        (["rows.csv", "--predictor", "vote", "--no-keep"], "needs corrected rows. Got --no-keep"),
        (["rows.csv", "--label", "nothing"], "There must be a column 'nothing' with the label in rows.csv"),
        (["rows.csv", "--id", "nothing"], "There must be a column 'nothing' with the id in rows.csv"),
        (["words.conll", "--label", "9"], "--label must be the index of a column of words.conll"),
        (["words.conll", "--scheme", "IOB3"], "A scheme is one of IOB1"),
        (
            ["rows.csv", "--kernel", "Precomputed()"],
            "must be made of Linear, Polynomial, RBF, Sigmoid, Constant, numbers",
        ),
        (["rows.csv", "--kernel", "RBF"], "must be written with parentheses, as RBF(). Got 'RBF'"),
        (["rows.csv", "--rule", "PassiveAggressive"], "with parentheses, as PassiveAggressive()"),
        (
            ["rows.csv", "--ignore", "nothing"],
            "There must be a column 'nothing' to ignore in rows.csv. Got 'f0'",
        ),
        (["rows.jsonl", "--ignore", "nothing"], "There must be a column 'nothing' to ignore in rows.jsonl"),
    ],
)
def test_fit_refuses_options_that_do_nothing_beside_others(run, tmp_path, arguments, words):
    write_files(tmp_path)
    done = run("fit", *arguments, "-o", "m")
    assert done.code == 2
    assert words in " ".join(done.err.split())
    assert not Path("m").exists()


def test_fit_refuses_columns_that_standard_input_lacks(run):
    done = run("fit", "-", "-o", "m", "--ignore", "b", stdin=b"a,label\n1,x\n2,y\n")
    assert done.code == 2
    assert "There must be a column 'b' to ignore in standard input" in done.err


def test_kernel_option_linear_learns_weights(run, tmp_path):
    write_files(tmp_path)
    assert run("fit", "rows.csv", "-o", "m", "--kernel", "linear").code == 0
    assert run("fit", "rows.csv", "-o", "n").code == 0
    assert Path("m").read_bytes() == Path("n").read_bytes()


def test_multiclass_option_without_effect_is_remarked_on(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,y\n")
    remark = "--multiclass has no effect: the labels are two classes, and it is for more\n"
    assert run("fit", "t.csv", "-o", "m", "--multiclass", "ovr").err == remark
    assert run("fit", "t.csv", "-o", "m", "--multiclass", "ovr", "--quiet").err == ""
    assert run("fit", "t.csv", "-o", "m").err == ""


@pytest.mark.parametrize("command", ["predict", "evaluate", "certify"])
def test_format_option_must_suit_the_model(run, folder, command):
    rows, words = Runs(run, folder, "classification", "csv"), Runs(run, folder, "sequence", "conll")
    done = rows(command, ["--format", "conll"])
    assert done.code == 2
    assert "A PerceptronClassifier takes rows. Got --format conll" in done.err
    done = words(command, ["--format", "csv"])
    assert done.code == 2
    assert "A tagger reads CoNLL files. Got --format csv" in done.err
