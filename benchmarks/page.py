"""The page in a real browser: frames a second while a long match is replayed, and a step on the heat map."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from rosenblatt import arena

CHROMIUM = "/usr/bin/chromium"
ROUNDS, SUPPORT, STEPS = 10_000, 500, 30

FRAMES = """() => new Promise((done) => {
  const times = [];
  const frame = (now) => {
    times.push(now);
    if (Number(document.getElementById("step").value) < %d) requestAnimationFrame(frame);
    else done(times);
  };
  document.getElementById("run").click();
  requestAnimationFrame(frame);
})"""

STEP = """() => new Promise((done) => {
  const figure = document.getElementById("figure"), began = performance.now();
  new MutationObserver((_, observer) => {
    if (figure.hasAttribute("aria-busy")) return;
    observer.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  }).observe(figure, { attributes: true });
  document.getElementById("back").click();
})"""


ANSWERS = """() => performance.getEntriesByType("resource")
  .filter((entry) => entry.name.endsWith("/surface")).map((entry) => entry.duration)"""


def report() -> str:
    with TemporaryDirectory() as folder:
        long, bent = Path(folder, "long.json"), Path(folder, "bent.json")
        arena.save(_long().transcript, long)
        arena.save(_bent().transcript, bent)
        times, steps, answers = _in_the_browser(long, bent)
    gaps = np.diff(times)
    rate, slow = 1000 / np.mean(gaps), 1000 / np.percentile(gaps, 95)
    return (
        "## The page\n\nIn headless Chromium without a graphics card, server and browser on the same two cores.\n\n"
        "|  |  | asked |\n|---|---|---|\n"
        f"| frames a second, a match of {ROUNDS:,} rounds replayed | {rate:.0f} on average, "
        f"{slow:.0f} in the slowest twentieth | 30 |\n"
        f"| a step on the heat map, 200 × 200, {SUPPORT} support vectors: until it is answered | "
        f"{np.median(answers):.0f} ms in the median of {STEPS}, {max(answers):.0f} ms at most | 100 ms |\n"
        f"| … until it is drawn, in software | {np.median(steps):.0f} ms, {max(steps):.0f} ms |  |"
    )


def _long() -> arena.Match:
    match = arena.Match(arena.Classification(2), arena.Rules((0.6, 0.8), 0.01, 1.0))
    match.play(arena.Random(0), ROUNDS)
    return match


def _bent() -> arena.Match:
    """Return a match with random labels and SUPPORT support vectors."""
    random, match = (
        np.random.default_rng(0),
        arena.Match(arena.Classification(2), None, arena.Learner("RBF(sigma=0.1)")),
    )
    while len(match.run.hypothesis.support) < SUPPORT:
        match.show(arena.Point(tuple(random.uniform(-1, 1, 2).tolist()), int(random.integers(2)) * 2 - 1))
    return match


def _in_the_browser(long: Path, bent: Path) -> tuple[list[float], list[float], list[float]]:
    command = [sys.executable, "-m", "rosenblatt.cli", "play", "--no-browser"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
    ):
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            chromium = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            page = chromium.new_page()
            page.goto(address)
            _load(page, long)
            page.select_option("#speed", "600")
            times: Any = page.evaluate(FRAMES % ROUNDS)
            _load(page, bent)
            page.evaluate(STEP)
            steps = [page.evaluate(STEP) for _ in range(STEPS)]
            answers: Any = page.evaluate(ANSWERS)
            chromium.close()
        finally:
            server.terminate()
    return times, steps, answers[-STEPS:]


def _load(page: Page, path: Path) -> None:
    page.set_input_files("#load", path)
    page.wait_for_timeout(6000)
    page.wait_for_selector("body:not([aria-busy]) #figure:not([aria-busy])")


if __name__ == "__main__":
    print(report())
