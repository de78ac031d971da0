"""The pages keep their word: tests and files that they name are there, and every public module is listed."""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

import rosenblatt

ROOT = Path(__file__).parents[1]
THEORY = ROOT / "docs" / "theory.md"
PAGES = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guide").glob("*.md"), *ROOT.glob("*.md")]
PROGRAMS = {"drifting_stream", "learning_from_clicks", "reranking"}
"""Examples that are longer, and not run when the site is built."""


def missing_tests(text):
    """Tests that a text names, as file::function, and that are not there."""
    named = set(re.findall(r"(tests/[\w/]+\.py)::(\w+)", text))
    return sorted(f"{file}::{name}" for file, name in named if name not in functions_in(ROOT / file))


def functions_in(path):
    if not path.exists():
        return set()
    return {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}


def unchecked_theorems(text):
    """Sections that state a theorem and name no test."""
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    return [part.splitlines()[0] for part in sections if "**Theorem" in part and "{test}`tests/" not in part]


def broken_links(path, text):
    """Links of a page to files that are not there."""
    targets = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)", text)
    return [target for target in targets if not (path.parent / target).exists()]


def test_every_test_that_the_theory_names_is_there():
    text = THEORY.read_text()
    assert text.count("{test}`tests/") > 40
    assert not missing_tests(text)


def test_every_theorem_names_a_test():
    text = THEORY.read_text()
    assert text.count("**Theorem") > 10
    assert not unchecked_theorems(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    assert not broken_links(path, path.read_text())


def test_what_is_not_there_is_seen():
    gone = ["tests/test_bounds.py::test_nothing", "tests/test_gone.py::test_it_reads_as_a_proof"]
    assert missing_tests(f"`{gone[0]}`, {gone[1]}, `tests/test_bounds.py::test_it_reads_as_a_proof`") == gone
    assert unchecked_theorems("# A\n## B\n**Theorem 1.**\n## C\n**Theorem** {test}`tests/a.py::b`") == ["B"]
    assert broken_links(THEORY, "[a](kernels.md) [b](gone.md#c) [d](#e) [f](../README.md)") == ["gone.md"]


def test_every_public_module_is_on_the_page_of_names():
    listed = (ROOT / "docs" / "api" / "index.md").read_text().split()
    public = [name for name in rosenblatt.__all__ if isinstance(getattr(rosenblatt, name), ModuleType)]
    for name in ["rosenblatt", *(f"rosenblatt.{name}" for name in public)]:
        assert name in listed


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_scripts_of_the_gallery_are_short_and_have_a_title(path):
    lines = ast.get_docstring(ast.parse(path.read_text())).splitlines()
    assert lines[1] == "=" * len(lines[0])
    assert path.stem in PROGRAMS or len(path.read_text().splitlines()) <= 45


def test_the_site_asks_for_nothing_from_outside():
    parts = [*(ROOT / "docs" / "_static").glob("*.css"), *(ROOT / "docs" / "_templates").rglob("*.*")]
    for path in [ROOT / "docs" / "conf.py", *parts, *PAGES]:
        fetched = re.findall(
            r"!\[[^]]*\]\(https?:|src=\"https?:|url\([\"']?https?:|@import", path.read_text()
        )
        assert not fetched, path
