"""Pages of the repository for the site: those outside docs/, and the tests that the theory page names."""

import ast
import os
import re
from itertools import pairwise
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxRole

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
PAGES = {
    "NOTATION.md": "project/notation.md",
    "CHANGELOG.md": "project/changelog.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "benchmarks/RESULTS.md": "project/results.md",
}
"""Pages outside docs/, and their paths on the site."""

LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+\.md)(#[^)]*)?\)")
TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")


class ReadingOrder:
    """The order of the gallery: from a first run to streams without end; what is not listed comes last."""

    ORDER = (
        "xor",
        "five_predictors",
        "bound_seen",
        "adversary",
        "noise",
        "kernels_compared",
        "how_far_to_move",
        "why_this_digit",
        "best_of_a_list",
        "tags_and_transitions",
        "stream_with_a_budget",
    )

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, filename):
        """Return the rank of a script, then its name."""
        name = Path(filename).stem
        return self.ORDER.index(name) if name in self.ORDER else len(self.ORDER), name

    def __repr__(self):
        return "<ReadingOrder>"


def relinked(text, source, page):
    """Return a page's text with links to other pages as they are on the site, not in the repository."""

    def on_the_site(found):
        target = Path(os.path.normpath(source.parent / found[1]))
        inside = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else ""
        moved = DOCS / PAGES[inside] if inside in PAGES else target
        return f"]({os.path.relpath(moved, page.parent)}{found[2] or ''})"

    return LINK.sub(on_the_site, text)


def write(path, text):
    """Write a page if it has changed, so that others are not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def bring_pages(app):
    """Copy the pages of the repository into the site."""
    for name, target in PAGES.items():
        source, page = ROOT / name, DOCS / target
        write(page, relinked(source.read_text(), source, page))


def prepare(app, docname, content):
    """Relink a page of docs/, and drop the empty line at the end of examples.

    Doctest needs that line, or it would take the closing fence for something that is printed.
    """
    page = DOCS / f"{docname}.md"
    if page.exists():
        content[0] = relinked(content[0], page, page).replace("\n\n```\n", "\n```\n")


def bring_tests(app):
    """Write a page for every file of tests that the theory page names, with a link target for each test."""
    named = sorted(set(TEST.findall((DOCS / "theory.md").read_text())))
    files = sorted({file for file, _ in named})
    for file in files:
        wanted = {name for other, name in named if other == file}
        write(DOCS / "checks" / f"{page_of(file)}.md", source_page(file, wanted))
    listed = "\n".join(map(page_of, files))
    text = f"# The tests that the theory names\n\n```{{toctree}}\n{listed}\n```\n"
    write(DOCS / "checks" / "index.md", text)


def page_of(file):
    """Return the name of the page of a file of tests."""
    return Path(file).with_suffix("").as_posix().replace("/", "-")


def label_of(file, name):
    """Return the label of a test on the site."""
    return f"{page_of(file)}-{name}".replace("_", "-")


def source_page(file, wanted):
    """Return the page of a file of tests, cut where a wanted test begins."""
    text = (ROOT / file).read_text()
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    cuts = sorted((first_line(node), node.name) for node in functions if node.name in wanted)
    lines = text.splitlines()
    parts = [f"# {file}\n"]
    for (first, name), (after, _) in pairwise([(1, ""), *cuts, (len(lines) + 1, "")]):
        last = max(number for number in range(first, after) if lines[number - 1])
        label = f"({label_of(file, name)})=\n" if name else ""
        parts.append(f"{label}```{{literalinclude}} ../../{file}\n:lines: {first}-{last}\n```\n")
    return "\n".join(parts)


def first_line(node):
    """Return the first line of a function, its decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


class TestRole(SphinxRole):
    """A link to the source of a test; one that is not there is a warning, and so ends `make docs`."""

    def run(self):
        """Return the name of the test, as a link."""
        file, _, name = self.text.partition("::")
        link = addnodes.pending_xref(
            "",
            nodes.literal(self.text, name, classes=["test"]),
            refdomain="std",
            reftype="ref",
            reftarget=label_of(file, name),
            refexplicit=True,
            refwarn=True,
            refdoc=self.env.docname,
        )
        return [link], []


def setup(app):
    """Write all pages before Sphinx looks for them."""
    app.connect("builder-inited", bring_pages)
    app.connect("builder-inited", bring_tests)
    app.connect("source-read", prepare)
    app.add_role("test", TestRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
