"""Files that `make check` ignores here: it runs the examples of pages, not what Sphinx runs or generates."""

collect_ignore_glob = ["*.py", "_*", "api/names", "checks", "gallery", "project"]
