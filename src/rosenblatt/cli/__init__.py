"""The command line, a thin layer over the library. Commands import what they need when they run."""

from rosenblatt.cli.commands import main

__all__ = ["main"]
