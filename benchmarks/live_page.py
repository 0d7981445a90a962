"""The live page of en-fr beside BertViz's page of the same sentence and maps: bytes, the first picture, a step, another layer.

    python -m benchmarks.live_page --bertviz FOLDER --scripts FOLDER

`--bertviz` is where `pip install --no-deps --target FOLDER bertviz` put it (ipython beside it); `--scripts` holds what its
page asks a CDN for: `require.min.js`, `d3.min.js`, `jquery.min.js`. Both pages are opened from the disk in one Chromium, in
turn, without a network. Times are taken in the page, from the start of its loading or from the press to the second
animation frame after what is wanted is there. Transformer Explainer's size is as published; its page needs its server.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import core
from benchmarks import report
from core.model.hooks import ATTENTION
from ui.export.live.page import write_page

ROOT: Final = Path(__file__).parents[1]
TEXT: Final = "The cat is sleeping on the red sofa."
TURNS: Final = 5
EXPLAINER_BYTES: Final = 630e6
"""Published: some 630 MB of ONNX in 63 files."""

# Kept in the page from its first line on: the time of the second frame in which `selector` is there.
FIRST: Final = """(() => {
  const look = () => document.querySelector('SELECTOR')
    ? requestAnimationFrame(() => requestAnimationFrame(() => (window.first = performance.now())))
    : requestAnimationFrame(look);
  look();
})()"""
AFTER: Final = """() => new Promise((done) => {
  const before = WHAT;
  const start = performance.now();
  const look = () => WHAT !== before
    ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
    : requestAnimationFrame(look);
  ACT;
  look();
})"""
OURS: Final = {
    "first": "#stage .stage-line",
    "step": ("document.querySelector('#stage .play .primary').click()", "document.querySelector('#stage .play-count').textContent"),
    "layer": (
        "document.querySelectorAll('#wall-cross .wall-head')[window.n = (window.n || 0) + 8].click()",
        "document.querySelector('#detail-cross .card-title').textContent",
    ),
}  # fmt: skip
THEIRS: Final = {
    "first": "#vis svg line",
    "layer": (
        "(() => { const s = document.querySelector('#layer'); s.selectedIndex += 1; s.dispatchEvent(new Event('change')); })()",
        "document.querySelector('#vis svg')",
    ),
}


def bertviz_page(checkpoint: Any, folder: Path) -> str:
    """BertViz's head view of the three kinds of attention of the same translation."""
    sys.path.insert(0, str(folder))
    from bertviz import head_view  # type: ignore[import-not-found]

    trace = core.trace(checkpoint, TEXT)
    weights = {}
    for kind in ATTENTION.values():
        import torch

        maps = torch.tensor(trace.stacked(kind.stack, kind.block, "weights"))
        weights[kind.block if kind.stack == "decoder" else kind.stack] = [layer[None] for layer in maps]
    tokens = trace.tokens
    shown = head_view(
        encoder_attention=weights["encoder"],
        decoder_attention=weights["self"],
        cross_attention=weights["cross"],
        encoder_tokens=list(tokens.source),
        decoder_tokens=list(tokens.target),
        html_action="return",
    )
    # Its page ends in a notebook's cell; the rest of a document is what a saved cell has around it.
    return f"<!doctype html><meta charset=utf-8><title>BertViz</title><body>{shown.data}"


class Opened:
    """One page, opened once: when its first picture was there, and what presses take."""

    def __init__(self, browser: Any, path: Path, first: str, scripts: Path | None) -> None:
        self.context = browser.new_context(viewport={"width": 1440, "height": 900})
        self.asked = 0
        self.page = self.context.new_page()
        self.page.route("**/*", lambda route: self._answer(route, scripts))
        self.page.add_init_script(FIRST.replace("SELECTOR", first))
        self.page.goto(path.as_uri(), wait_until="commit")
        self.page.wait_for_function("() => window.first > 0", timeout=120_000)
        self.first: float = self.page.evaluate("() => window.first")

    def _answer(self, route: Any, scripts: Path | None) -> None:
        address = route.request.url
        if address.startswith("file:"):
            return route.continue_()
        file = None if scripts is None else scripts / address.rsplit("/", 1)[-1]
        if file is None or not file.exists():
            return route.abort()
        self.asked += file.stat().st_size
        return route.fulfill(path=str(file))

    def press(self, act: tuple[str, str]) -> float:
        """Milliseconds from a press to the second frame after its result."""
        took: float = self.page.evaluate(AFTER.replace("ACT", act[0]).replace("WHAT", act[1]))
        return took


def measure(browser: Any, ours: Path, theirs: Path, scripts: Path) -> dict[str, list[float]]:
    """Every time in milliseconds, a turn each."""
    times: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        times.setdefault(name, []).append(value)

    for _ in range(TURNS):
        one, other = (
            Opened(browser, ours, OURS["first"], None),
            Opened(browser, theirs, THEIRS["first"], scripts),
        )
        note("ours first", one.first)
        note("theirs first", other.first)
        note("asked", other.asked)
        one.page.evaluate("() => window.atlas.translate('A dog.')")
        note("ours ready", one.page.evaluate("() => performance.now()"))
        took = one.page.evaluate(
            "async (text) => { const start = performance.now(); const made = await window.atlas.translate(text);"
            " return [performance.now() - start, made.ids.length]; }",
            TEXT,
        )
        note("sentence", took[0])
        note("token", took[0] / took[1])
        one.page.wait_for_timeout(3500)  # it writes itself
        one.page.locator("#stage .play button").first.click()
        for _ in range(5):
            note("step", one.press(OURS["step"]))
        for _ in range(3):
            note("ours layer", one.press(OURS["layer"]))
            note("theirs layer", other.press(THEIRS["layer"]))
        one.context.close()
        other.context.close()
    return times


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bertviz", type=Path, required=True)
    parser.add_argument("--scripts", type=Path, required=True)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    checkpoint = core.load(ROOT / "checkpoints" / "en-fr", "cpu")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        ours, theirs = Path(folder) / "atlas.html", Path(folder) / "bertviz.html"
        size = write_page(checkpoint, ours)
        theirs.write_text(bertviz_page(checkpoint, given.bertviz), "utf-8")
        browser = playwright.chromium.launch(executable_path=given.chromium)
        times = {
            name: statistics.median(values)
            for name, values in measure(browser, ours, theirs, given.scripts).items()
        }
        browser.close()
        page = theirs.stat().st_size
    rows = [
        {"what": "bytes of the page, MB", "ours": size / 1e6, "bertviz": (page + times["asked"]) / 1e6, "explainer": EXPLAINER_BYTES / 1e6},
        {"what": "of them asked of another host, MB", "ours": 0.0, "bertviz": times["asked"] / 1e6, "explainer": None},
        {"what": "first picture, ms", "ours": times["ours first"], "bertviz": times["theirs first"], "explainer": None},
        {"what": "model ready and a first sentence translated, ms", "ours": times["ours ready"], "bertviz": None, "explainer": None},
        {"what": f"“{TEXT}” translated, ms", "ours": times["sentence"], "bertviz": None, "explainer": None},
        {"what": "of it a token, ms", "ours": times["token"], "bertviz": None, "explainer": None},
        {"what": "a step of the translation → painted, ms", "ours": times["step"], "bertviz": None, "explainer": None},
        {"what": "another layer’s head → painted, ms", "ours": times["ours layer"], "bertviz": times["theirs layer"], "explainer": None},
    ]  # fmt: skip
    note = (
        f"Medians of {TURNS} turns, both pages opened from the disk in one Chromium, in turn. BertViz's page (head view, the "
        "three kinds of attention of the same translation) shows stored maps and runs no model; what it asks a CDN for was "
        "answered from the disk. Transformer Explainer (GPT-2, no translation): bytes as published, not measured here."
    )
    report.write("live_page", rows, note)


if __name__ == "__main__":
    main()
