"""Fixtures: a real browser, and the page opened in it."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIETLY = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
PICTURES = Path(__file__).with_name("screenshots")


@pytest.fixture(scope="session")
def address():
    """Start `rosenblatt play`, and return the address that it prints."""
    command = [sys.executable, "-m", "rosenblatt.cli", "play", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().split()[-1]
        server.terminate()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIETLY.split())
        yield chromium
        chromium.close()


class Visitor:
    """A browser session on the page, which records errors, refused moves and requests to other hosts."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.faults, self.refusals, self.elsewhere = [], [], []
        self.refusals_expected = 0
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("console", self._read)
        self.page.on("request", self._notice)
        self.page.goto(address)
        self.settled()

    def _read(self, said):
        """Collect errors; the browser reports every answer with status 400, by which the server refuses a move."""
        if said.type == "error":
            (self.refusals if "status of 400" in said.text else self.faults).append(said.text)

    def _notice(self, request):
        where = urlsplit(request.url)
        if where.scheme not in ("data", "blob") and where.hostname != "127.0.0.1":
            self.elsewhere.append(request.url)

    def settled(self):
        """Wait until nothing is requested or drawn any more."""
        self.page.wait_for_selector("body:not([aria-busy]) #figure:not([aria-busy])")

    def until(self, condition):
        """Wait until a JavaScript expression is true; the page's policy blocks Playwright's own wait."""
        for _ in range(300):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"Timed out waiting for {condition}.")

    def enter(self, mode):
        self.page.click(f"button.mode[data-mode={mode}]")
        self.settled()

    def play(self, rounds):
        self.page.click(f".play[data-rounds='{rounds}']")
        self.settled()

    def click(self, selector):
        self.page.click(selector)
        self.settled()

    def click_at(self, x, y, size=600):
        """Click into the figure, in units of its drawing."""
        self.page.locator("#points").scroll_into_view_if_needed()
        box = self.page.locator("#points").bounding_box()
        self.page.mouse.click(box["x"] + x / size * box["width"], box["y"] + y / size * box["height"])
        self.settled()

    def text(self, selector):
        return self.page.inner_text(selector)

    def rows(self, table):
        lines = self.page.locator(f"#{table} tbody tr").all()
        return [line.locator("td").all_inner_texts() for line in lines]

    def record(self):
        """Return the record that "Save the match" saves."""
        with self.page.expect_download() as saved:
            self.page.click("#save")
        return Path(saved.value.path()).read_text(encoding="utf-8")

    def picture(self, name):
        PICTURES.mkdir(exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


@pytest.fixture
def visit(browser, address):
    """Return a function that opens the page; afterwards, check for errors and requests to other hosts."""
    visitors = []

    def open_page(**options):
        visitors.append(Visitor(browser, address, **options))
        return visitors[-1]

    yield open_page
    for visitor in visitors:
        assert visitor.faults == []
        assert len(visitor.refusals) == visitor.refusals_expected, visitor.refusals
        assert visitor.elsewhere == []
        visitor.context.close()
