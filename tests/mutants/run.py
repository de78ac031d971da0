"""Change one operator or number of the source at a time, and list the changes that no test notices.

Run by `make mutants`. Loops run as plain Python, and every mutant in a fork of its own, so that none costs a
compilation or a start. Only tests that call the changed function are run. Arguments: sources to mutate, by
default all; `--survivors`: only what no test noticed the last time, or is new.
"""

import ast
import importlib
import json
import os
import re
import signal
import sys
import threading
import time
import tomllib
from collections import Counter
from contextlib import contextmanager, suppress
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from typing import ClassVar

os.environ |= {"NUMBA_DISABLE_JIT": "1", "ROSENBLATT_PLAIN_LOOPS": "1", "OPENBLAS_NUM_THREADS": "1"}

import hypothesis
import pytest
from cosmic_ray.ast import ast_nodes, get_ast, is_number
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "src" / "rosenblatt"
OUTCOMES = HERE.parents[1] / ".venv" / "mutants.json"
CONFIG = tomllib.loads((HERE / "config.toml").read_text())
OURS = ("rosenblatt", "tests", "fixtures", "conftest", "__main__")
WRAPS = "ignore:overflow encountered in scalar:RuntimeWarning"  # the product of a hash, as in compiled loops
PLAIN = ("--assert=plain", "-p", "no:cacheprovider", "-W", WRAPS)


class Short:
    """A plugin that makes hypothesis repeatable and short."""

    def pytest_configure(self):
        """Load a profile after that of conftest.py."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutants",
            hypothesis.settings.default,
            max_examples=30,
            derandomize=True,
            database=None,
            phases=phases,
        )
        hypothesis.settings.load_profile("mutants")


class Baseline(Short):
    """A plugin that notes how long every test takes that passes, and which functions it calls."""

    def __init__(self):
        self.tests, self.calls = {}, set()

    def note(self, frame, event, _):
        """Note a call of a function in the sources."""
        if event == "call" and (code := frame.f_code).co_filename.startswith(str(SOURCES)):
            self.calls.add((code.co_filename, code.co_firstlineno))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Note the calls of a test, of its setup, too."""
        self.calls = set()
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        yield
        sys.setprofile(None)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        """Fail a test that is slow, with an error that begins here: where an alarm interrupts may have no line."""
        try:
            with within(CONFIG["slowest"]):
                return (yield)
        except Late:
            raise TimeoutError(f"more than {CONFIG['slowest']} s") from None

    def pytest_runtest_logreport(self, report):
        """Note a test that passed."""
        if report.when == "call" and report.passed:
            self.tests[report.nodeid] = report.duration, sorted(self.calls)


class Chosen(Short):
    """A plugin that runs these tests only, in this order."""

    def __init__(self, tests):
        self.order = {test: index for index, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items):
        """Choose."""
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda i: self.order[i.nodeid])


class Mutated(SourceFileLoader):
    """Finds one module, with another text."""

    def __init__(self, name, path, text):
        super().__init__(name, path)
        self.text = text

    def find_spec(self, name, path=None, target=None):
        """Find this module and no other."""
        return spec_from_loader(name, self) if name == self.name else None

    def get_code(self, fullname):
        """Compile the text."""
        return compile(self.text, self.path, "exec", dont_inherit=True)


class Late(BaseException):
    """Raised in a test that is slow; hypothesis does not try it again."""


@contextmanager
def within(seconds):
    """Raise Late after this many seconds."""

    def late(*_):
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def forked(work, *arguments):
    """Return what a function returns in a fork; None if the fork ends before."""
    read, write = os.pipe()
    if not (child := os.fork()):
        code = 1
        try:
            with os.fdopen(write, "w") as pipe:
                json.dump(work(*arguments), pipe)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def baseline():
    """Run all tests; return the time and the calls of those that pass, and the modules they import."""
    notes = Baseline()
    pytest.main([*(f"tests/{name}" for name in CONFIG["tests"]), *PLAIN], [notes])
    return notes.tests, [name for name in sys.modules if not re.split(r"[.]|_", name)[0].startswith(OURS)]


def tested(path, text, tests, seconds):
    """Return pytest's exit code for these tests of a changed source; a hanging one ends this process."""
    name = ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
    sys.meta_path.insert(0, Mutated(name, str(path), text))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 20 + 3 * seconds)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1), os.dup2(null, 2)
    files = sorted({test.partition("::")[0] for test in tests})
    return int(pytest.main([*files, "-x", *PLAIN], [Chosen(tests)]))


def mutants(path):
    """Yield the line, the operator's name and occurrence, and the text of every mutant of a file."""
    text = path.read_text()
    skipped, nodes = list(uninteresting(ast.parse(text))), list(ast_nodes(get_ast(text)))
    seen, zeros = set(), {n.start_pos for n in nodes if is_number(n) and float(n.value) == 0}
    for name in CONFIG["operators"]:
        operator = get_operator(f"core/{name}")()
        positions = [each for node in nodes for each in operator.mutation_positions(node)]
        for occurrence, (start, _) in enumerate(positions):
            if name == "NumberReplacer" and occurrence % 2 == (start in zeros):  # 0 becomes 1, and n is n - 1
                continue
            if not any(first <= start < last for first, last in skipped):
                mutant = mutate_code(text, operator, occurrence)
                meaning = meaning_of(mutant)
                if meaning is not None and meaning not in seen:
                    seen.add(meaning)
                    yield start[0], name, occurrence, mutant


def meaning_of(mutant):
    """Return a text that mutants of the same meaning share; None for what is no Python, such as f(/, x)."""
    try:
        return ast.dump(Plain().visit(ast.parse(mutant)))
    except SyntaxError:
        return None


class Plain(ast.NodeTransformer):
    """Writes `not a == b` as `a != b`, so that the same mutant is made once."""

    opposites: ClassVar = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is}

    def visit_UnaryOp(self, node):
        """Write one."""
        test = self.generic_visit(node).operand
        if isinstance(node.op, ast.Not) and isinstance(test, ast.Compare) and len(test.ops) == 1:
            test.ops = [self.opposites.get(type(test.ops[0]), type(test.ops[0]))()]
            return test if type(test.ops[0]) in self.opposites else node
        return node


def uninteresting(tree):
    """Yield where annotations, decorators, errors, texts and indices that are numbers begin and end."""
    for node in ast.walk(tree):
        parts = [node] if isinstance(node, ast.Raise | ast.JoinedStr) else []
        if isinstance(node, ast.Subscript):
            parts += [p for p in getattr(node.slice, "elts", [node.slice]) if isinstance(p, ast.Constant)]
        for field in ("annotation", "returns", "decorator_list"):
            found = getattr(node, field, None) or []
            parts += found if isinstance(found, list) else [found]
        yield from (((p.lineno, p.col_offset), (p.end_lineno, p.end_col_offset)) for p in parts)


def functions(path):
    """Return the name of every function of a file with its first and last line, inner ones last."""
    found = []

    def walk(node, names):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                if isinstance(child, ast.FunctionDef):
                    found.append((".".join([*names, child.name]), first, child.end_lineno))
                walk(child, [*names, child.name])

    walk(ast.parse(path.read_text()), [])
    return found


def chosen(tests, path, line):
    """Return tests that call the function of a line, or any of the file, and their time."""
    first = [f[1] for f in functions(path) if f[1] <= line <= f[2]][-1:]
    own = tuple(f"tests/{name}" for name in CONFIG["sources"][path.relative_to(SOURCES).as_posix()])
    here = [
        (not name.startswith(own), duration, name)
        for name, (duration, calls) in tests.items()
        if any(file == str(path) and (not first or at == first[0]) for file, at in calls)
    ]
    names, total = [], 0.0
    for _, duration, name in sorted(here):
        if total + duration <= CONFIG["seconds"]:
            names, total = [*names, name], total + duration
    return names, total


class Judge:
    """Tells whether tests of a file notice its mutants, after those tests have passed on the file as it is."""

    def __init__(self, path, tests):
        self.path, self.tests, self.passed = path, tests, set()

    def outcome(self, line, text):
        """Return "killed" or "survived", and how many tests were run."""
        names, seconds = chosen(self.tests, self.path, line)
        if not names:
            return "survived", 0
        if tuple(names) not in self.passed:
            code = forked(tested, self.path, self.path.read_text(), names, seconds)
            if code != 0:
                raise RuntimeError(
                    f"Without a change, tests of {self.path.name}:{line} end with {code}: {names}"
                )
            self.passed.add(tuple(names))
        code = forked(tested, self.path, text, names, seconds)
        return ("survived" if code == 0 else "killed"), len(names)


def difference(old, new):
    """Return the changed lines, before and after."""
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    return " | ".join(f"{a.strip()}  ⇒  {b.strip()}" for a, b in pairs if a != b)


def main(arguments):
    """Print the survivors, and how many there are in every file."""
    outcomes = json.loads(OUTCOMES.read_text()) if OUTCOMES.exists() else {}
    sources = [a for a in arguments if not a.startswith("--")] or CONFIG["sources"]
    tests, modules = forked(baseline)
    print(f"{len(tests)} tests pass without the compiler in {CONFIG['slowest']} s", flush=True)
    for module in modules:
        with suppress(Exception):
            importlib.import_module(module)
    for name in sources:
        path, counts, began = SOURCES / name, Counter(), time.monotonic()
        judge = Judge(path, tests)
        for line, operator, occurrence, text in mutants(path):
            key = f"{name} {operator} {occurrence}"
            if "--survivors" not in arguments or outcomes.get(key) != "killed":
                outcomes[key], run = judge.outcome(line, text)
                if outcomes[key] == "survived":
                    where = [f[0] for f in functions(path) if f[1] <= line <= f[2]][-1:] or ["module"]
                    what = difference(path.read_text(), text)
                    print(f"  {name}:{line} {where[0]}: {what} ({operator}, {run} tests)", flush=True)
            counts[outcomes[key]] += 1
        print(f"{name}: {counts.total()} mutants, {counts['killed']} killed, {counts['survived']} survived")
        print(f"  in {time.monotonic() - began:.0f} s", flush=True)
        OUTCOMES.write_text(json.dumps(outcomes, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
