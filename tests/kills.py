"""Runs that are killed at random moments and gone on with, in children of one process that has all compiled.

Run as `python kills.py FOLDER KILLS`; prints how often each kind of run was killed, and whether what it left in the
end is what a run leaves that never was.
"""

import contextlib
import io
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from rosenblatt.cli import fitting
from rosenblatt.data import write_conll, write_svmlight

KINDS = {
    "primal": ("rows.svm", {"epochs": 10}, 1000),
    "dual": ("rows.svm", {"kernel": "RBF(gamma=0.5)"}, 500),
    "budget": ("rows.svm", {"kernel": "RBF(gamma=0.5)", "budget": 50, "epochs": 1}, 250),
    "ranking": ("lists.svm", {"game": "ranking", "epochs": 10}, 2000),
    "sequence": ("words.conll", {"epochs": 20}, 100),
}


def written(folder):
    """Files to learn from."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(3000, 8)).round(3)
    y = (X[:, 0] + 0.5 * draw.normal(size=3000) > 0).astype(int) + (X[:, 1] > 1)
    write_svmlight(folder / "rows.svm", X, y)
    write_svmlight(folder / "lists.svm", X, y, np.arange(3000) // 6)
    words = [[f"w{w}" for w in draw.integers(0, 50, 8)] for _ in range(400)]
    write_conll(
        folder / "words.conll", words, [[f"t{int(w[1:]) % 4}" for w in sentence] for sentence in words]
    )


def fit(folder, kind, output, resume=False):
    """One run, as the command line does it."""
    file, options, every = KINDS[kind]
    fitting.fit(
        str(folder / file),
        str(folder / output),
        fitting.Options(**({"epochs": 3} | options)),
        every=every,
        resume=resume,
        quiet=True,
        as_json=True,
    )


def in_a_child(work, seconds):
    """Whether work came to its end before it was killed."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0, "a run failed by itself"
            return True
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or status == 0
    return status == 0


def main(folder, kills):
    """Kill runs of every kind so often, and compare what they leave."""
    written(folder)
    tally = {}
    for kind in KINDS:
        with contextlib.redirect_stdout(io.StringIO()):  # children have what is compiled from here
            fit(folder, kind, "whole")
        began = time.monotonic()
        assert in_a_child(lambda kind=kind: fit(folder, kind, "whole"), 300)
        took = time.monotonic() - began
        whole = (folder / "whole").read_bytes()
        random.seed(kind)
        killed = finished = 0
        while killed < kills:
            going = random.uniform(0, took)
            if in_a_child(lambda kind=kind: fit(folder, kind, "model", resume=True), going):
                finished += 1
                assert (folder / "model").read_bytes() == whole, f"{kind}: another model after {killed} kills"
                (folder / "model").unlink()
            else:
                killed += 1
        # The last kill may have come between the model and the end of its checkpoint: a run tidies up.
        assert in_a_child(lambda kind=kind: fit(folder, kind, "model", resume=True), 300)
        assert (folder / "model").read_bytes() == whole, f"{kind}: another model in the end"
        left = [each.name for each in folder.iterdir() if each.name.startswith("model.checkpoint")]
        assert not left, left
        (folder / "model").unlink()
        tally[kind] = {"killed": killed, "finished": finished + 1}
    print(json.dumps(tally))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
