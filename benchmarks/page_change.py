"""From a click on a place or a tab to its drawing, in a browser that has drawn no chart yet.

    python -m benchmarks.page_change [http://localhost:8501]

Every turn has its own browser, without stored data: it opens a page without charts that has the link, waits until the
model is checked and the charts' code, which the page loads by itself, has run, and clicks on the link. Time is taken in
the page, to the second animation frame after the first chart (its axes and marks) or, on Attention, the wall and the open
head are drawn. The links take turns, so that a busy machine slows them alike. The server has drawn each page once before.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import Any, Final

from benchmarks import report
from benchmarks.head_change import launched, served

TURNS: Final = 5
LEISURE: Final = 1000  # milliseconds more before the click
WANTED: Final = 1000.0  # milliseconds that a page with charts may come after Attention
CHART: Final = ".js-plotly-plot .main-svg .xtick text"
PAGES: Final = {
    "Attention": (".detail canvas.picture", ""),
    "Positions": (CHART, "inside"),
    "Norms and stream": (CHART, "inside"),
    "Inspect": (CHART, "checkpoints"),
}
"""The name of each link, the selector of what it draws, and the page from which it is followed."""
# Resolves with milliseconds from the click on a link to the second frame after something is drawn (through the views'
# shadow roots); a canvas counts once it has a size.
CLICK = """([name, wish]) => new Promise((done, fail) => {
  const deep = (node, found = []) => {
    found.push(...node.querySelectorAll(wish));
    for (const child of node.querySelectorAll('*')) if (child.shadowRoot) deep(child.shadowRoot, found);
    return found;
  };
  const drawn = () => deep(document).some((node) => node.getBoundingClientRect().width > 0);
  const link = [...document.querySelectorAll('[data-testid="stPageLink-NavLink"]')]
    .find((each) => each.textContent.trim() === name);
  const start = performance.now();
  const look = () => (drawn()
    ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
    : performance.now() - start > 60000 ? fail(new Error(`${name} drew nothing`)) : requestAnimationFrame(look));
  link.click();
  look();
})"""


def turn(playwright: Any, address: str, name: str) -> tuple[float, float]:
    """Milliseconds of one link in a browser of its own, and those until the charts' code had run."""
    wish, start = PAGES[name]
    browser = launched(playwright)
    try:
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(120_000)
        page.goto(f"{address}/{start}")
        page.get_by_test_id("stPageLink-NavLink").get_by_text(name, exact=True).wait_for()
        drawn = time.perf_counter()
        page.get_by_text("checks ✓").first.wait_for()
        page.locator("script[data-atlas-early=ready]").wait_for(state="attached")
        ready = 1000 * (time.perf_counter() - drawn)
        page.wait_for_timeout(LEISURE)
        return float(page.evaluate(CLICK, [name, wish])), ready
    finally:
        browser.close()


def main(address: str) -> None:
    """Measure and write results/page_change.json and .md."""
    from playwright.sync_api import sync_playwright

    times_by_page: dict[str, list[float]] = {name: [] for name in PAGES}
    waits = []
    with sync_playwright() as playwright:
        for number in range(TURNS + 1):
            for name in PAGES:
                took, ready = turn(playwright, address, name)
                if number:  # in the first the server draws each page for the first time
                    times_by_page[name].append(took)
                    waits.append(ready)
                print(f"{name}: {took:.0f} ms, ready after {ready:.0f} ms", file=sys.stderr, flush=True)
    median = {name: statistics.median(times) for name, times in times_by_page.items()}
    rows = [
        {
            "page": name,
            "median ms": round(median[name], 1),
            "after Attention, ms": round(median[name] - median["Attention"], 1),
            "from": round(min(times), 1),
            "to": round(max(times), 1),
        }
        for name, times in times_by_page.items()
    ]
    worst = max(median.values()) - median["Attention"]
    load = ", ".join(f"{value:.0f}" for value in os.getloadavg())
    note = (
        f"From the click on a page's name to the second frame after its first chart (Attention: its maps) is drawn, in "
        f"headless Chromium, each time a browser that has drawn no chart before; medians of {TURNS}, the pages in turn. "
        f"The slowest page with charts comes {worst:.0f} ms after Attention (wanted: at most {WANTED:.0f} ms). The charts' "
        f"code had run {statistics.median(waits):.0f} ms after the first page was drawn (median); who clicks sooner waits "
        f"for the rest of it. Two cores shared with other programs (load {load}): the times are no measure of a quiet "
        "machine."
    )
    report.write("page_change", rows, note)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with served() as here:
            main(here)
