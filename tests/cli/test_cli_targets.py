"""Where commands write: regular files, links, FIFOs, devices, standard output."""

import os
import stat
import subprocess
import sys

import pytest

from fixtures.cli_running import X, Y
from rosenblatt import load
from rosenblatt.data import write_svmlight

COMMAND = f"{sys.executable} -m rosenblatt.cli"


@pytest.fixture
def model(run, train):
    assert run("fit", train, "-o", "model").code == 0
    return "model"


def test_predict_writes_to_a_fifo(run, train, model, fifo):
    done = run("predict", model, train, "-o", fifo.path)
    assert done.code == 0, done.err
    assert fifo.read().decode() == run("predict", model, train).out
    assert stat.S_ISFIFO(os.stat(fifo.path).st_mode)


def test_fit_writes_a_model_to_a_fifo(run, train, model, fifo, tmp_path):
    assert run("fit", train, "-o", fifo.path).code == 0
    (tmp_path / "copy").write_bytes(fifo.read())
    assert load(tmp_path / "copy").ledger_ == load(model).ledger_


def test_convert_writes_to_a_fifo(run, model, fifo):
    assert run("convert", model, fifo.path, "--to", "json").code == 0
    run("convert", model, "there.json")
    with open("there.json", "rb") as file:
        assert fifo.read() == file.read()


@pytest.mark.parametrize("command", ["fit", "predict", "rank", "tag", "convert"])
def test_commands_report_a_full_device_and_leave_it(run, train, model, full, tmp_path, command):
    write_svmlight(tmp_path / "lists.svm", X, (Y + 1) // 2, [i // 6 for i in range(60)])
    (tmp_path / "t.conll").write_text("the D\ncat N\n\n")
    run("fit", "lists.svm", "-o", "ranker", "--game", "ranking")
    run("fit", "t.conll", "-o", "tagger")
    done = run(
        *{
            "fit": ["fit", train, "-o", full],
            "predict": ["predict", model, train, "-o", full],
            "rank": ["rank", "ranker", "lists.svm", "-o", full],
            "tag": ["tag", "tagger", "t.conll", "-o", full],
            "convert": ["convert", model, full, "--to", "json"],
        }[command]
    )
    assert done.code == 1
    assert done.err.strip().splitlines()[-1] == f"rosenblatt: {full}: No space left on device"
    assert stat.S_ISCHR(os.stat(full).st_mode)


def test_predict_reports_a_full_standard_output(run, train, model, tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full on this system")
    with open("/dev/full", "wb") as out:
        done = subprocess.run(
            f"{COMMAND} predict {model} {train}", shell=True, cwd=tmp_path, stdout=out, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "rosenblatt: standard output: No space left on device"


def test_predict_follows_a_link(run, train, model, tmp_path):
    (tmp_path / "answers").write_text("old")
    (tmp_path / "link").symlink_to("answers")
    assert run("predict", model, train, "-o", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "answers").read_text() == run("predict", model, train).out


def test_predict_needs_no_writable_folder_for_a_device(run, train, model, fifo, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: not os.path.isdir(path))
    assert run("predict", model, train, "-o", fifo.path).code == 0
    assert fifo.read()
    assert "must be writable" in run("predict", model, train, "-o", "file").err
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert f"{fifo.path} cannot be written to" in run("predict", model, train, "-o", fifo.path).err


def test_output_option_accepts_dev_stdout(run, train, model, tmp_path):
    if not os.path.exists("/dev/stdout"):
        pytest.skip("there is no /dev/stdout on this system")
    answers = run("predict", model, train).out
    script = f"""
        {COMMAND} predict {model} {train} -o /dev/stdout | wc -l
        {{ echo first; {COMMAND} predict {model} {train} -o /dev/stdout; echo last; }} > all
        {COMMAND} fit {train} -o /dev/stdout | cat > copy
        {COMMAND} convert {model} - --to json > copy.json
    """
    done = subprocess.run(
        ["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 60
    assert (tmp_path / "all").read_text() == f"first\n{answers}last\n"
    assert load(tmp_path / "copy").ledger_ == load(model).ledger_
    assert "/dev/stdout: PerceptronClassifier" in done.stderr
    run("convert", model, "there.json")
    assert (tmp_path / "copy.json").read_bytes() == (tmp_path / "there.json").read_bytes()


def test_fit_rejects_checkpoints_beside_a_fifo(run, train, fifo, tmp_path):
    done = run("fit", train, "-o", fifo.path, "--checkpoint", "every=10")
    assert done.code == 2
    assert "--checkpoint needs a model file" in done.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["fifo", "train.svm"]
    with open(fifo.path, "wb"):  # lets the reader end
        pass
