"""The cache of compiled loops: found wherever it is, written whole or not at all, and never stale."""

import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import llvmlite.binding
import pytest

import rosenblatt
from rosenblatt.loops.compiling import compiled
from rosenblatt.loops.instructions import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="on this system loops are compiled by Numba's public interface")
if not PLAIN:
    from numba.core import config, event

    from rosenblatt.loops import internals


OTHER_CPU = "x86-64" if llvmlite.binding.get_host_cpu_name() == "generic" else "generic"


def tripling():
    def triple(x):
        return x + x + x

    return triple


def compilations(x=2):
    """Call a loop of the same code as in other calls; returns how often it had to be compiled."""
    loop = compiled(tripling())
    with event.install_recorder("numba:compile") as seen:
        assert loop(x) == 3 * x
    return len(seen.buffer) // 2


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders of compiled code, of which only the second can be written."""
    first, second = tmp_path / "package", tmp_path / "users"
    first.mkdir()
    second.mkdir()
    monkeypatch.setattr(internals, "folders", lambda: (first, second))
    monkeypatch.setattr(internals, "writable_folder", lambda: second)
    return first, second


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_kept_code_is_loaded_for_the_same_types_of_arguments(folders):
    assert [compilations(), compilations(), compilations(2.0), compilations(2.0)] == [1, 0, 1, 0]
    assert len(files(folders[1])) == 2


def test_code_is_found_in_a_folder_that_cannot_be_written(folders):
    first, second = folders
    assert compilations() == 1
    (made,) = second.iterdir()
    shutil.move(made, first / made.name)
    assert compilations() == 0
    assert files(second) == []


@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b[:99] + b"?" + b[100:]]
)
def test_damaged_files_are_replaced(folders, damage):
    compilations()
    (made,) = folders[1].iterdir()
    whole = made.read_bytes()
    made.write_bytes(damage(whole))
    assert compilations() == 1
    assert files(folders[1]) == [made.name]
    assert compilations() == 0


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [("internals", "VERSIONS", ("another",)), ("config", "CPU_NAME", OTHER_CPU), ("config", "OPT", 1)],
)
def test_code_of_another_version_or_processor_is_not_used(folders, monkeypatch, owner, name, value):
    compilations()
    with monkeypatch.context() as patch:
        patch.setattr({"internals": internals, "config": config}[owner], name, value)
        assert compilations() == 1
        assert compilations() == 0
    assert compilations() == 0
    assert len(files(folders[1])) == 2


def test_versions_are_those_of_all_that_takes_part():
    assert rosenblatt.__version__ in internals.VERSIONS
    assert len(set(internals.VERSIONS)) >= 4


TRIPLE = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_cache import compilations
if "killed" in sys.argv:
    os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
print(compilations())
"""


def start(folder, *arguments):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", TRIPLE, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_processes_may_compile_at_once_and_be_killed(tmp_path):
    killed = start(tmp_path, "killed")
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    together = [start(tmp_path) for _ in range(3)]
    assert {process.communicate()[0] for process in together} <= {"0\n", "1\n"}
    assert start(tmp_path).communicate()[0] == "0\n"
    assert len(list(tmp_path.rglob("*.nbc"))) == 1


FIT = """
from numba.core import event
import rosenblatt
assert ".zip" in rosenblatt.__file__
with event.install_recorder("numba:compile") as seen:
    print(rosenblatt.PerceptronClassifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.0]]), len(seen.buffer) > 0)
"""


@pytest.mark.slow
def test_a_zipped_package_keeps_its_code_in_the_users_cache(tmp_path):
    package, archive = Path(rosenblatt.__file__).parent, tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for path in package.rglob("*.py"):
            zipped.write(path, Path("rosenblatt") / path.relative_to(package))
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment = kept | {"PYTHONPATH": str(archive), "XDG_CACHE_HOME": str(tmp_path / "home")}
    answers = [
        subprocess.run(
            [sys.executable, "-c", FIT], capture_output=True, text=True, check=True, env=environment
        ).stdout
        for _ in range(2)
    ]
    assert answers == ["[0] True\n", "[0] False\n"]
    assert list((tmp_path / "home" / "rosenblatt").glob("*.nbc"))


COUNTED = """
import numpy as np
from numba.core.runtime.nrt import rtsys
from rosenblatt.loops.compiling import allocating, compiled
def plain(x):
    return x[0] + 1.0
def copying(x):
    return x.copy()
print(compiled(plain)(np.ones(2)), rtsys._init, allocating(copying)(np.ones(2)), rtsys._init)
"""


def test_the_runtime_that_counts_references_is_loaded_by_code_that_needs_it(tmp_path):
    command = [sys.executable, "-c", COUNTED]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    printed = [
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert printed == ["2.0 True [1. 1.] True\n", "2.0 False [1. 1.] True\n"]
