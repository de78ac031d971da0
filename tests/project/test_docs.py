"""Pages: the tests and files that they name exist, and every public module is listed."""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

import rosenblatt

ROOT = Path(__file__).parents[2]
THEORY = ROOT / "docs" / "theory.md"
PAGES = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guide").glob("*.md"), *ROOT.glob("*.md")]
PROGRAMS = {"drifting_stream", "learning_from_clicks", "reranking"}
"""Longer examples, which are not run when the site is built."""


def missing_tests(text):
    """Return the tests that a page names, as file::function, and that do not exist."""
    named = set(re.findall(r"(tests/[\w/]+\.py)::(\w+)", text))
    return sorted(f"{file}::{name}" for file, name in named if name not in functions_in(ROOT / file))


def functions_in(path):
    if not path.exists():
        return set()
    return {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}


def unchecked_theorems(text):
    """Return the sections that state a theorem and name no test."""
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    return [part.splitlines()[0] for part in sections if "**Theorem" in part and "{test}`tests/" not in part]


def broken_links(path, text):
    """Return the links of a page to files that do not exist."""
    targets = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)", text)
    return [target for target in targets if not (path.parent / target).exists()]


def test_theory_names_existing_tests():
    text = THEORY.read_text()
    assert text.count("{test}`tests/") > 40
    assert not missing_tests(text)


def test_theory_names_a_test_for_every_theorem():
    text = THEORY.read_text()
    assert text.count("**Theorem") > 10
    assert not unchecked_theorems(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_link_to_existing_files(path):
    assert not broken_links(path, path.read_text())


def test_checks_detect_missing_tests_and_links():
    gone = [
        "tests/theory/test_certificates.py::test_nothing",
        "tests/theory/test_gone.py::test_certificate_prints_as_a_proof",
    ]
    assert (
        missing_tests(
            f"`{gone[0]}`, {gone[1]}, `tests/theory/test_certificates.py::test_certificate_prints_as_a_proof`"
        )
        == gone
    )
    assert unchecked_theorems("# A\n## B\n**Theorem 1.**\n## C\n**Theorem** {test}`tests/a.py::b`") == ["B"]
    assert broken_links(THEORY, "[a](kernels.md) [b](gone.md#c) [d](#e) [f](../README.md)") == ["gone.md"]


def test_api_page_lists_every_public_module():
    listed = (ROOT / "docs" / "api" / "index.md").read_text().split()
    public = [name for name in rosenblatt.__all__ if isinstance(getattr(rosenblatt, name), ModuleType)]
    for name in ["rosenblatt", *(f"rosenblatt.{name}" for name in public)]:
        assert name in listed


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_gallery_scripts_are_short_and_titled(path):
    lines = ast.get_docstring(ast.parse(path.read_text())).splitlines()
    assert lines[1] == "=" * len(lines[0])
    assert path.stem in PROGRAMS or len(path.read_text().splitlines()) <= 45


def test_site_fetches_nothing():
    parts = [*(ROOT / "docs" / "_static").glob("*.css"), *(ROOT / "docs" / "_templates").rglob("*.*")]
    for path in [ROOT / "docs" / "conf.py", *parts, *PAGES]:
        fetched = re.findall(
            r"!\[[^]]*\]\(https?:|src=\"https?:|url\([\"']?https?:|@import", path.read_text()
        )
        assert not fetched, path
