"""From nothing to a picture in a real Chromium: a cold start of the app, a new sentence, a step, every page; and BertViz.

    python -m benchmarks.first_look [--scripts FOLDER]

With `--scripts`, BertViz is measured for comparison. It is not among our requirements: `pip install bertviz ipython` first.
Its page loads three scripts from a content network; FOLDER holds them (d3.min.js, jquery.min.js, require.js), so that no
network is measured. Every turn has its own server and browser. Times end at the second animation frame after the picture is
drawn. A page is opened by its address, in a new tab of a running server, with a sentence that nobody asked for before.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import report, tab
from core.api import Trace

SENTENCES = ("I am tired.", "A man rides a bike.", "The girl is reading a book.")
# Resolves to the text of `wish` once it has one and the page is painted.
DRAWN = """([wish, other]) => new Promise((done) => {
  const deep = (node, found = []) => {
    found.push(...node.querySelectorAll(wish));
    for (const child of node.querySelectorAll('*')) if (child.shadowRoot) deep(child.shadowRoot, found);
    return found;
  };
  const look = () => {
    const text = deep(document).map((node) => node.textContent.trim()).find((each) => each && each !== other);
    if (text) requestAnimationFrame(() => requestAnimationFrame(() => done(text)));
    else requestAnimationFrame(look);
  };
  look();
})"""
WRITTEN = ".play-count"
PATIENCE = 180_000  # milliseconds


@contextmanager
def served() -> Iterator[str]:
    """A server of the app on a free port, started as a user starts it."""
    port = tab.free_port()
    command = [*("-m", "streamlit", "run", "app.py"), *("--server.headless", "true")]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    with tempfile.TemporaryDirectory() as folder, tab.started(command, port, Path(folder) / "server.log"):
        yield f"http://127.0.0.1:{port}"


def launched(playwright: Any) -> Any:
    """A Chromium without stored data."""
    names = ("chromium", "google-chrome", "chromium-headless-shell")
    path = next(filter(None, map(shutil.which, names)), None)
    return playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])


def our_turn(playwright: Any) -> dict[str, float]:
    """Milliseconds, and kB over the websocket, of one visitor of a server that was just started."""
    measured: dict[str, float] = {}
    sent = [0]
    start = time.perf_counter()
    with served() as address:
        browser = launched(playwright)
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(PATIENCE)

        def count(frame: Any) -> None:
            sent[0] += len(frame)

        page.on("websocket", lambda opened: opened.on("framereceived", count))
        page.goto(address)
        page.evaluate(DRAWN, [WRITTEN, ""])
        measured["cold start, server and browser included → the example drawn"] = _since(start)
        measured["kB sent for the first page"] = sent[0] / 1000
        page.get_by_text("checks ✓").first.wait_for()  # the model is loaded and checked
        page.wait_for_timeout(2000)
        for text in SENTENCES:
            before = page.locator(WRITTEN).first.inner_text().strip()
            sent[0], start = 0, time.perf_counter()
            box = page.get_by_label("Sentence to translate")
            box.fill(text)
            box.press("Enter")
            page.evaluate(DRAWN, [WRITTEN, before])
            measured[f"new sentence → drawn: {text}"] = _since(start)
            page.wait_for_timeout(2500)
            measured[f"kB sent for it: {text}"] = sent[0] / 1000
        page.keyboard.press("Home")
        page.wait_for_timeout(500)
        before = page.locator(WRITTEN).first.inner_text().strip()
        start = time.perf_counter()
        page.get_by_role("button", name="Step (→)").click()
        page.evaluate(DRAWN, [WRITTEN, before])
        measured["step → drawn"] = _since(start)
        browser.close()
    return measured


PAGES = (
    "translate",
    "attention",
    "alignment",
    "heads",
    "importance",
    "inside",
    "layer_norm",
    "positions",
    "lenses",
    "what_if",
    "why",
    "carry",
    "compare",
    "checkpoints",
    "lessons",
    "pitfalls",
    "tutorials",
    "learning",
    "cost",
)
WHO = ("A man", "A woman", "A boy", "The girl", "My brother")
DOES = ("is eating an apple.", "reads a book.", "plays the guitar.", "is swimming in the lake.")
# From the page's start: its first paint, its first card (ui/app/slide.ts marks it), and how far it has moved by then and after.
OPENED = """() => new Promise((done) => {
  let moved = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) moved += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = () => {
    if (document.documentElement.dataset.drawn === undefined) return requestAnimationFrame(look);
    const card = performance.now();
    const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
    setTimeout(() => done({ paint, card, moved }), 3000);
  };
  look();
})"""


def pages_turn(playwright: Any) -> dict[str, dict[str, float]]:
    """By page: milliseconds to its first paint and its first card, and its layout shift."""
    sentences = [f"{who} {does}" for who in WHO for does in DOES]
    measured = {}
    with served() as address:
        browser = launched(playwright)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.get_by_text("checks ✓").first.wait_for()
        for name, text in zip(PAGES, sentences, strict=False):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            tab_ = context.new_page()
            tab_.set_default_timeout(PATIENCE)
            below = "" if name == "translate" else name
            tab_.goto(
                f"{address}/{below}?checkpoint=en-fr&text={text.replace(' ', '+')}", wait_until="commit"
            )
            measured[name] = tab_.evaluate(OPENED)
            context.close()
        browser.close()
    return measured


def measure_pages(playwright: Any, turns: int) -> None:
    """Write results/pages.json and .md: the medians over `turns` servers."""
    load = os.getloadavg()[0]
    every = [pages_turn(playwright) for _ in range(turns)]
    rows = [
        {
            "page": name,
            "first paint, ms": round(statistics.median(turn[name]["paint"] for turn in every)),
            "first card, ms": round(statistics.median(turn[name]["card"] for turn in every)),
            "layout shift": round(statistics.median(turn[name]["moved"] for turn in every), 3),
        }
        for name in PAGES
    ]
    note = (
        f"Medians of {turns} servers on {os.cpu_count()} cores (load {load:.1f} before): a new tab, a sentence that nobody asked "
        "for before, the model loaded and checked. Wanted: first paint within 1,500 ms, first card within 2,000, shift below 0.1."
    )
    report.write("pages", rows, note)


def bertviz_page(trace: Trace) -> str:
    """The HTML of BertViz's model view of a trace."""
    from bertviz import model_view  # type: ignore[import-not-found]

    def by_layer(stack: str, block: str) -> list[Any]:
        return [layer[None] for layer in trace.weights(stack, block)]

    page = model_view(
        encoder_attention=by_layer("encoder", "self"),
        decoder_attention=by_layer("decoder", "self"),
        cross_attention=by_layer("decoder", "cross"),
        encoder_tokens=list(trace.tokens.source),
        decoder_tokens=list(trace.tokens.target),
        html_action="return",
    )
    return str(page.data)


def bertviz_turn(playwright: Any, scripts: Path) -> dict[str, float]:
    """The same for BertViz: its model view of en-fr's own attention for the last sentence, built and painted."""
    import core

    trace = core.trace(core.load("checkpoints/en-fr"), SENTENCES[-1])
    start = time.perf_counter()
    html = bertviz_page(trace)
    measured = {"BertViz, the same attention built": _since(start)}
    browser = launched(playwright)
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.set_default_timeout(PATIENCE)
    for name in ("d3.min.js", "jquery.min.js", "require.js"):
        page.route(f"**/*{name.split('.')[0]}*", partial(_fulfil, scripts / name))
    start = time.perf_counter()
    page.set_content(
        f"<html><body><script>{(scripts / 'require.js').read_text()}</script>{html}</body></html>"
    )
    page.wait_for_function("() => document.querySelectorAll('svg line').length > 100")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    measured["BertViz, built page → lines drawn"] = _since(start)
    measured["kB of BertViz's page"] = len(html.encode()) / 1000
    browser.close()
    return measured


def _fulfil(path: Path, route: Any) -> None:
    route.fulfill(path=path)


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Measure and write results/pages and results/first_look, .json and .md."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scripts", type=Path, default=None)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--pages", action="store_true", help="every page alone")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        measure_pages(playwright, options.turns)
        if options.pages:
            return
        turns, loads = [], []
        for _ in range(options.turns):
            loads.append(os.getloadavg()[0])
            theirs = bertviz_turn(playwright, options.scripts) if options.scripts else {}
            turns.append({**our_turn(playwright), **theirs})
    rows = [
        {
            "what": name,
            "median": round(statistics.median(turn[name] for turn in turns)),
            "unit": "kB" if name.startswith("kB") else "ms",
        }
        for name in turns[0]
    ]
    load = f"{min(loads):.1f} to {max(loads):.1f}"
    note = (
        f"Medians of {options.turns} turns on {os.cpu_count()} cores (load as the turns began: {load}). Bytes: what came over the "
        "page's websocket."
    )
    report.write("first_look", rows, note)


if __name__ == "__main__":
    main()
