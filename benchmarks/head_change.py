"""From a click on a head to its picture, compared with full runs of the same page, in one Chromium.

    python -m benchmarks.head_change [http://localhost:8501]

All ways alternate on one page, so that a busy machine slows them alike. Time is taken in the page, to the second
animation frame after the requested thing is there: the open head's title (a click), its exact numbers from Python,
the other kind's wall and head (a run of the whole script that draws the page again; it runs no model either), or the
server's "script finished" (Streamlit's own rerun key; nothing on the page changes). Messages are counted on the
page's websocket.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import report, tab

REPEATS = 9
LEISURE = 600  # milliseconds between two presses
# Resolves with milliseconds from a press to the second frame after an open head is titled `wanted`, or is of the kind
# `wanted` (and, if requested, has its exact numbers). Nodes are looked up in every frame: a view may have been mounted again.
PRESS = """([selector, index, wanted, exact]) => new Promise((done, fail) => {
  const deep = (wish, node = document, found = []) => {
    for (const child of node.querySelectorAll('*')) {
      if (child.matches(wish)) found.push(child);
      if (child.shadowRoot) deep(wish, child.shadowRoot, found);
    }
    return found;
  };
  const there = () => deep('.detail').some((detail) =>
    (detail.dataset.kind === wanted || detail.querySelector('.card-title').textContent.trim() === wanted)
    && (!exact || detail.dataset.numbers === 'exact'));
  const start = performance.now();
  const look = () => (there()
    ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
    : performance.now() - start > 20000 ? fail(new Error(`no ${wanted}`)) : requestAnimationFrame(look));
  deep(selector)[index].click();
  look();
})"""
# The same for a full run: from the key that asks for it to the second frame after the script has finished.
RUN = """() => { window.__run = new Promise((done, fail) => {
  const app = document.querySelector('[data-testid="stApp"]');
  let start = 0;
  let ran = false;
  document.addEventListener('keydown', () => (start = performance.now()), { capture: true, once: true });
  const watch = new MutationObserver(() => {
    if (app.getAttribute('data-test-script-state') !== 'notRunning') ran = true;
    else if (ran) {
      watch.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
    }
  });
  watch.observe(app, { attributes: true });
  setTimeout(() => fail(new Error('the full run did not finish')), 20000);
}); }"""


@contextmanager
def served() -> Iterator[str]:
    """A server of the app on a free port, started as a user starts it."""
    with tempfile.TemporaryDirectory() as folder:
        command = (
            "-m",
            "streamlit",
            "run",
            "app.py",
            "--server.headless",
            "true",
            "--server.address",
            "127.0.0.1",
        )
        port = tab.free_port()
        with tab.started([*command, "--server.port", str(port)], port, Path(folder) / "server.log"):
            yield f"http://127.0.0.1:{port}"


def launched(playwright: Any) -> Any:
    """A Chromium without stored data."""
    names = ("chromium", "google-chrome", "chromium-headless-shell")
    path = next(filter(None, map(shutil.which, names)), None)
    return playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])


def measure(page: Any, frames: list[Any]) -> dict[str, list[float]]:
    """Milliseconds of each way, turn by turn, and the messages of a click."""
    heads = page.locator(".wall-head").count()
    per_layer = len({name.split("head ")[1].split(":")[0] for name in _names(page)})
    measured: dict[str, list[float]] = {name: [] for name in ("paint", "exact", "idle", "drawn", "sent")}
    for turn in range(REPEATS + 1):
        for name, step in (("paint", 1), ("exact", 2)):
            index = (turn * 3 + step) % heads
            opened = page.locator(".detail .card-title").inner_text().strip()
            if opened == _name(index, per_layer):  # a second click would close it
                index = (index + 1) % heads
            frames.clear()
            wanted = _name(index, per_layer)
            measured[name].append(page.evaluate(PRESS, [".wall-head", index, wanted, name == "exact"]))
            page.wait_for_timeout(LEISURE)
        measured["sent"].append(len(frames))
        page.evaluate("() => document.activeElement?.blur()")
        page.evaluate(RUN)
        page.keyboard.press("r")
        measured["idle"].append(page.evaluate("window.__run"))
        page.wait_for_timeout(LEISURE)
        for kind, button in (("causal", 1), ("cross", 2)):
            took = page.evaluate(PRESS, [".st-key-kinds button", button, kind, True])
            page.wait_for_timeout(LEISURE)
        measured["drawn"].append(took)
    return {name: values[1:] for name, values in measured.items()}  # the first turn warms up


def hover(page: Any, frames: list[Any]) -> int:
    """Messages sent while the pointer crosses every head and the open map."""
    frames.clear()
    for button in page.locator(".wall-head").all():
        button.hover()
    for canvas in page.locator(".detail canvas.picture").all():
        box = canvas.bounding_box()
        for share in (0.2, 0.4, 0.6, 0.8) if box else ():
            page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * share)
    page.wait_for_timeout(500)
    return len(frames)


def _name(index: int, per_layer: int) -> str:
    return f"Head {index // per_layer}.{index % per_layer}"


def _names(page: Any) -> list[str]:
    return [button.get_attribute("aria-label") for button in page.locator(".wall-head").all()]


def main(address: str) -> None:
    """Measure and write results/head_change.json and .md."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launched(playwright)
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(120_000)
        frames: list[Any] = []
        page.on("websocket", lambda opened: opened.on("framesent", lambda frame: frames.append(frame)))
        page.goto(f"{address}/attention?kind=cross&pin=none")
        page.locator(".wall-head").first.wait_for()
        page.get_by_text("checks ✓").first.wait_for()
        page.wait_for_timeout(4 * LEISURE)
        measured = measure(page, frames)
        hovering = hover(page, frames)
        heads = page.locator(".wall-head").count()
        browser.close()
    median = {name: statistics.median(values) for name, values in measured.items()}
    rows = [
        {
            "what": "click on a head → paint, from the wall",
            "median ms": median["paint"],
            "messages": median["sent"],
        },
        {
            "what": "click on a head → its exact numbers painted (fragment)",
            "median ms": median["exact"],
            "messages": median["sent"],
        },
        {
            "what": "full run that draws the page: the other kind's wall and head",
            "median ms": median["drawn"],
            "messages": 1,
        },
        {"what": "full run that changes nothing on the page", "median ms": median["idle"], "messages": 1},
        {"what": "hover over every head and the open map", "median ms": 0.0, "messages": hovering},
    ]
    shares = {name: median["paint"] / median[name] for name in ("drawn", "idle")}
    note = (
        f"{heads} heads, medians of {REPEATS}, all ways in turn in one Chromium. A click paints in "
        f"{shares['drawn']:.2f} of a full run that draws the page (target: at most 0.20) and in "
        f"{shares['idle']:.2f} of one that changes nothing. Both ends include two animation frames."
    )
    report.write("head_change", rows, note)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with served() as here:
            main(here)
