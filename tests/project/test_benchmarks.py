"""Reports name the machine they were measured on, and the README's table is built from the reports."""

import importlib.util
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
RIVALS = ("lightgbm", "nltk", "playwright", "pycrfsuite", "river", "vowpalwabbit")

needs_rivals = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in RIVALS),
    reason="needs the rivals: pip install '.[bench]'",
)


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """Return an empty folder for reports, beside a README with an empty table."""
    from benchmarks import __main__ as bench
    from benchmarks import readme_table

    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{readme_table.BEGIN}\n{readme_table.END}\nafter\n", encoding="utf-8")
    for module in (bench, readme_table):
        monkeypatch.setattr(module, "PARTS", tmp_path / "reports")
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(readme_table, "README", readme)
    return tmp_path / "reports"


def test_machine_names_the_processor_the_versions_and_the_date():
    from benchmarks.measuring import machine

    line = machine(["pytest"])
    assert "\n" not in line
    for part in (
        "cores",
        "GB of memory",
        "Python 3.",
        "rosenblatt 0.",
        "numba 0.",
        "pytest ",
        date.today().isoformat(),
    ):
        assert part in line


def test_rivals_are_the_packages_that_a_report_imports(tmp_path):
    from benchmarks.measuring import rivals

    source = tmp_path / "report.py"
    source.write_text(
        "import os\nimport numpy as np\nfrom sklearn.svm import SVC\ndef f():\n    import pytest\n"
    )
    assert rivals(source) == ["pytest"]


def test_where_we_lose_names_what_is_worse_and_nothing_else():
    from benchmarks.measuring import where_we_lose

    less = [("fit", 2.0, 1.0, "{:.1f} s"), ("search", 1.0, 2.0, "{:.1f} s")]
    more = [("F", 0.8, 0.9, "{:.2f}"), ("MAP", 0.5, 0.5, "{:.2f}")]
    assert (
        where_we_lose("here", less, more)
        == "**Where we lose, here.** fit, 2.0 s against 1.0 s; F, 0.80 against 0.90."
    )
    assert where_we_lose("here", less[1:], more[1:]) == "**Where we lose, here.** In none of these."


@needs_rivals
def test_bench_stamps_the_reports_that_it_runs_and_marks_the_others(reports, monkeypatch):
    from benchmarks import __main__ as bench
    from benchmarks import reading

    monkeypatch.setattr(reading, "report", lambda: "## Reading\n\ntext")
    reports.mkdir()
    (reports / "ranking.md").write_text("## Ranking\n\nold text\n", encoding="utf-8")
    bench.main(["reading"])
    run, kept = (
        (reports / f"{name}.md").read_text(encoding="utf-8").splitlines() for name in ("reading", "ranking")
    )
    assert run[-1].startswith("*Measured on ")
    assert "vowpalwabbit" in run[-1]
    assert kept == ["## Ranking", "", "old text", "", "*Measured earlier, machine not recorded.*"]
    results = (reports.parent / "RESULTS.md").read_text(encoding="utf-8")
    assert run[-1] in results
    assert kept[-1] in results
    assert "numba" not in results.split("## Reading")[0]
    bench.main(["--collect"])
    assert (reports.parent / "RESULTS.md").read_text(encoding="utf-8") == results


def test_bench_refuses_reports_that_do_not_exist(reports):
    from benchmarks import __main__ as bench

    with pytest.raises(SystemExit, match="speeed"):
        bench.main(["speeed"])
    assert not reports.exists()


def test_reports_end_with_their_machine():
    found = sorted((ROOT / "benchmarks" / "reports").glob("*.md"))
    assert len(found) > 10
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    for path in found:
        text = path.read_text(encoding="utf-8")
        assert text.splitlines()[-1].startswith(("*Measured on ", "*Measured earlier")), path.name
        assert text in results, path.name


def test_readme_has_the_numbers_of_the_reports():
    from benchmarks import readme_table

    text = readme_table.README.read_text(encoding="utf-8")
    assert readme_table.updated(text) == text


def test_readme_table_finds_cells_and_marks_those_that_are_not_measured(reports):
    from benchmarks import readme_table

    reports.mkdir()
    (reports / "one.md").write_text("|  | ours: all | theirs |\n|---|---|---|\n| fit, 3 | 1 s | 2 s |\n")
    assert readme_table.cell("one", "fit", "ours") == "1 s"
    for report, row, column in (
        ("two", "fit", "ours"),
        ("one", "search", "ours"),
        ("one", "fit", "others"),
    ):
        assert readme_table.cell(report, row, column) == "…"


@needs_rivals
def test_benchmarks_can_be_imported():
    names = [f"benchmarks.{path.stem}" for path in (ROOT / "benchmarks").glob("*.py") if path.stem[0] != "_"]
    code = "import " + ", ".join(names)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@needs_rivals
def test_fair_gives_every_learner_the_same_number_of_candidates():
    from benchmarks import fair

    X = np.random.default_rng(0).random((20, 3))
    for learner in fair.LEARNERS:
        candidates = [str(candidate) for candidate in learner.candidates(X)]
        assert len(set(candidates)) == len(candidates) == fair.CANDIDATES, learner.name


@needs_rivals
@pytest.mark.parametrize(("ours", "theirs", "verdict"), [(30, 10, 1), (10, 30, -1), (12, 10, 0), (0, 0, 0)])
def test_fair_tells_a_loss_from_chance(ours, theirs, verdict):
    from benchmarks.fair import compared

    both, none = 5, 50
    wrong = [
        np.repeat([True, True, False, False], [both, ours, theirs, none]),
        np.repeat([True, False, True, False], [both, ours, theirs, none]),
    ]
    assert compared(*wrong) == verdict
