"""From a click on a head to its picture, against a full run of the same page, in one Chromium.

    python -m benchmarks.head_change [http://localhost:8501]

Both kinds alternate on one page, so that a busy machine slows both alike. Time is taken in the page, from the click
to the second animation frame after the open head's title changed (a click) or after the server's "script
finished" message (a full run, started by Streamlit's own rerun key). Messages are counted on the page's websocket.
"""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import report

ROOT = Path(__file__).parents[1]
REPEATS = 9
# Resolves with milliseconds from the call to the second frame after the heading reads as wanted.
CLICK = """([index, wanted]) => new Promise((done) => {
  const deep = (node, found = []) => {
    for (const child of node.querySelectorAll('*')) {
      if (child.matches('.wall-head, .detail .card-title')) found.push(child);
      if (child.shadowRoot) deep(child.shadowRoot, found);
    }
    return found;
  };
  const button = deep(document).filter((node) => node.matches('.wall-head'))[index];
  // Looked up in every frame: the view may have been mounted anew.
  const title = () => deep(document).find((node) => node.matches('.detail .card-title'))?.textContent.trim();
  const start = performance.now();
  const look = () => (title()?.startsWith(wanted)
    ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
    : requestAnimationFrame(look));
  button.click();
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
    """A server of the app on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    process = subprocess.Popen(
        [*command, "--server.port", str(port), "--server.address", "127.0.0.1"],
        cwd=ROOT,
        env=dict(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def measure(page: Any, frames: list[Any]) -> dict[str, Any]:
    """Medians of both ways in milliseconds, and the messages of a click and of hovering."""
    heads = page.locator(".wall-head").count()
    per_layer = len({name.split("head ")[1].split(":")[0] for name in _names(page)})
    clicks, runs, sent = [], [], []
    for turn in range(REPEATS + 1):
        index = (turn * 3 + 1) % heads
        wanted = f"Head {index // per_layer}.{index % per_layer}"
        if page.locator(".detail .card-title").inner_text() == wanted:
            index = (index + 1) % heads
            wanted = f"Head {index // per_layer}.{index % per_layer}"
        frames.clear()
        took = page.evaluate(CLICK, [index, wanted])
        page.wait_for_timeout(600)
        sent.append(len(frames))
        page.evaluate("() => document.activeElement?.blur()")
        page.evaluate(RUN)
        page.keyboard.press("r")
        whole = page.evaluate("window.__run")
        page.wait_for_timeout(600)
        if turn:  # the first of each warms up
            clicks.append(took)
            runs.append(whole)
    frames.clear()
    for button in page.locator(".wall-head").all():
        button.hover()
    for canvas in page.locator(".detail canvas.picture").all():
        box = canvas.bounding_box()
        for share in (0.2, 0.4, 0.6, 0.8) if box else ():
            page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * share)
    page.wait_for_timeout(500)
    return {
        "click": statistics.median(clicks),
        "run": statistics.median(runs),
        "sent": statistics.median(sent),
        "hover": len(frames),
        "heads": heads,
    }


def _names(page: Any) -> list[str]:
    return [button.get_attribute("aria-label") for button in page.locator(".wall-head").all()]


def main(address: str) -> None:
    """Measure and write results/head_change.json and .md."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(120_000)
        frames: list[Any] = []
        page.on("websocket", lambda opened: opened.on("framesent", lambda frame: frames.append(frame)))
        page.goto(f"{address}/attention?kind=cross")
        page.locator(".wall-head").first.wait_for()
        page.get_by_text("trust ").first.wait_for()
        page.wait_for_timeout(2500)
        found = measure(page, frames)
        browser.close()
    rows = [
        {
            "what": "click on a head → paint (fragment)",
            "median ms": found["click"],
            "messages": found["sent"],
        },
        {"what": "full run of the page", "median ms": found["run"], "messages": 1},
        {"what": "hover over every head and the open map", "median ms": 0.0, "messages": found["hover"]},
    ]
    share = found["click"] / found["run"]
    note = (
        f"{found['heads']} heads, medians of {REPEATS}, both kinds in turn in one Chromium. A click takes "
        f"{share:.2f} of a full run (target: at most 0.20, so {'reached' if share <= 0.2 else 'missed'})."
    )
    report.write("head_change", rows, note)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with served() as here:
            main(here)
