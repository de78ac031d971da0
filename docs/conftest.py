"""What `make check` leaves alone here: it runs the examples of pages, not what Sphinx runs or has made."""

collect_ignore_glob = ["*.py", "_*", "api/names", "checks", "gallery", "project"]
