"""Runs of `fit` that are stopped: their checkpoints, and what Ctrl-C says about them."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from rosenblatt._atomic import written_in_place
from rosenblatt.cli.work import Options
from rosenblatt.data.sources import STDIN, fingerprint
from rosenblatt.streaming import Checkpoints


def checkpoints_of(train: str, output: str, options: Options, every: int | None) -> Checkpoints:
    """Return the checkpoints that `--checkpoint` and `--resume` ask for."""
    if every is None:
        raise typer.BadParameter("--resume needs the same --checkpoint every=N as the run that was stopped.")
    if written_in_place(output):
        raise typer.BadParameter(
            f"--checkpoint needs a model file, beside which the checkpoint is. Got {output}, which is none."
        )
    if train == STDIN:
        raise typer.BadParameter("A run from standard input cannot be resumed. Give a file.")
    about: dict[str, Any] = {"options": asdict(options), "data": fingerprint(train), "every": every}
    if options.continued is not None:
        if Path(output).exists() and Path(output).samefile(options.continued):
            raise typer.BadParameter(
                "--checkpoint needs the model of --continue until the run ends. Got it as the output, too: "
                "give another."
            )
        about["continued"] = fingerprint(options.continued)
    return Checkpoints(f"{output}.checkpoint", every, about)


def last_words(checkpoints: Checkpoints | None) -> str:
    """Return what a run that is stopped by Ctrl-C says: how to resume, or how it could have been."""
    if checkpoints is None:
        return "stopped: nothing was written; --checkpoint every=N would have kept the rounds played so far"
    typed = ["rosenblatt", *sys.argv[1:]]
    again = shlex.join(typed if "--resume" in typed else [*typed, "--resume"])
    if not checkpoints.saved:
        return f"stopped before the first checkpoint: nothing was written; to start again, type: {again}"
    return f"stopped; the checkpoint has {checkpoints.saved:,} rounds; to resume, type: {again}"
