"""Writing files: a regular file is replaced atomically, anything else is written to as it is."""

import os
import socket
import stat
import subprocess
import sys
from functools import cache

import pytest

from rosenblatt import PerceptronClassifier, load, save
from rosenblatt._atomic import Replacement, replace_file, writing
from rosenblatt.data import read_conll, read_svmlight, write_conll, write_svmlight


@cache
def learner():
    return PerceptronClassifier(random_state=0).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


def is_fifo(path):
    return stat.S_ISFIFO(os.lstat(path).st_mode)


@pytest.mark.parametrize("through_link", [False, True])
def test_replace_file_writes_to_a_fifo(fifo, tmp_path, through_link):
    target = fifo.path
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(fifo.path)
    replace_file(target, b"all of it")
    assert is_fifo(fifo.path)
    assert target.is_symlink() == through_link
    assert fifo.read() == b"all of it"


def test_replace_file_reports_a_full_device_and_leaves_it(full):
    with pytest.raises(OSError, match="No space left on device") as fault:
        replace_file(full, b"x")
    assert fault.value.filename == full
    assert stat.S_ISCHR(os.stat(full).st_mode)


def test_replace_file_makes_the_target_of_a_dangling_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "new")
    replace_file(link, b"x")
    assert link.is_symlink()
    assert (tmp_path / "new").read_bytes() == b"x"


def test_replace_file_refuses_a_loop_of_links_and_a_socket(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links"):
        replace_file(loop, b"x")
    assert loop.is_symlink()
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
        with pytest.raises(OSError, match="No such device"):
            replace_file(path, b"x")
    assert stat.S_ISSOCK(os.stat(path).st_mode)


def test_replacement_refuses_what_is_not_a_regular_file(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="Only regular files are replaced"):
        Replacement(tmp_path / "fifo")
    assert [each.name for each in tmp_path.iterdir()] == ["fifo"]
    assert is_fifo(tmp_path / "fifo")


def test_writing_replaces_a_regular_file_only_when_it_is_complete(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), writing(path) as file:  # noqa: PT012
        file.write(b"new")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    with writing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_save_writes_a_model_to_a_fifo(fifo, tmp_path):
    save(learner(), fifo.path)
    (tmp_path / "copy").write_bytes(fifo.read())
    assert load(tmp_path / "copy").ledger_ == learner().ledger_
    assert is_fifo(fifo.path)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: save(learner(), path),
        lambda path: write_conll(path, [["a"]], [["x"]]),
        lambda path: write_svmlight(path, [[1.0]], [1]),
    ],
    ids=["save", "write_conll", "write_svmlight"],
)
def test_writers_leave_a_full_device(full, write):
    with pytest.raises(OSError, match="No space left on device"):
        write(full)
    assert stat.S_ISCHR(os.stat(full).st_mode)


@pytest.mark.parametrize("name", ["t.svm", "t.svm.gz", "t.svm.xz"])
def test_writers_of_text_replace_atomically(tmp_path, name, monkeypatch):
    path = tmp_path / name
    write_svmlight(path, [[1.0, 2.0]], [1])
    before = path.read_bytes()
    assert read_svmlight(path).y.tolist() == [1]
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            write_svmlight(path, [[3.0]], [-1])
    assert path.read_bytes() == before
    link = tmp_path / "link.conll"
    link.symlink_to(tmp_path / "there.conll")
    write_conll(link, [["a"]], [["x"]])
    assert link.is_symlink()
    assert list(read_conll(tmp_path / "there.conll")[1]) == [["x"]]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_replace_file_writes_to_an_open_descriptor_at_its_position(tmp_path, name):
    """Standard output may be a regular file that others write to: it must be neither replaced nor emptied."""
    if not os.path.exists(name):
        pytest.skip(f"there is no {name} on this system")
    code = (
        "import os, sys; from rosenblatt._atomic import replace_file\n"
        "print('before'); replace_file(sys.argv[1], b'data\\n'); print('after')"
    )
    with open(tmp_path / "out", "wb") as out:
        out.write(b"first\n")
        out.flush()
        subprocess.run([sys.executable, "-c", code, name], stdout=out, check=True)
        out.write(b"last\n")
    assert (tmp_path / "out").read_text().split() == ["first", "before", "data", "after", "last"]
    piped = subprocess.run([sys.executable, "-c", code, name], capture_output=True, check=True).stdout
    assert piped.split() == [b"before", b"data", b"after"]


def test_replace_file_refuses_a_descriptor_that_is_not_open():
    if not os.path.isdir("/dev/fd"):
        pytest.skip("there is no /dev/fd on this system")
    with pytest.raises(OSError, match=r"Bad file descriptor: '/dev/fd/987'"):
        replace_file("/dev/fd/987", b"x")
