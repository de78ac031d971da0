"""What `make check` leaves out here: what Sphinx makes, and pages about a library that is not installed."""

from importlib.util import find_spec

ABOUT = {"river": "river", "vowpal_wabbit": "vowpalwabbit", "lightgbm": "lightgbm"}
collect_ignore_glob = [
    *("*.py", "_*", "api/names", "checks", "gallery", "project"),
    *(f"coming_from/{page}.md" for page, package in ABOUT.items() if find_spec(package) is None),
]
