"""The pictures of README.md, drawn again from the app as it is: `python -m tests.readme_pictures [NAME …]`.

Writes docs/NAME.png; that of the import wizard is taken by hand. Look at each before it is kept: nothing here says whether a picture is a good one.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlencode

from benchmarks.head_change import served
from tests.conftest import ARGUMENTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DOCS: Final = Path(__file__).parents[1] / "docs"
CAT: Final = "My cat is sleeping on the sofa."
MAN: Final = "A man in a red shirt is riding a bike."
SIZE: Final = (1440, 1010)


@dataclass(frozen=True)
class Picture:
    """A page at an address; `act` brings it to what is shown."""

    page: str
    params: dict[str, str]
    scheme: Literal["light", "dark"] = "light"
    act: Callable[[Page], None] | None = None


def _head_off(page: Page) -> None:
    """Waits for the probabilities without the heads of the link."""
    page.get_by_text("Choose a head to switch it off").wait_for()
    page.locator(".js-plotly-plot .main-svg").first.wait_for()


PICTURES: Final = {
    "translate-light": Picture("", {"text": CAT, "step": "6"}),
    "attention-light": Picture("attention", {"text": MAN, "layer": "1", "head": "2", "overlay": "1.4"}),
    "attention-dark": Picture("attention", {"text": MAN, "layer": "1", "head": "7"}, "dark"),
    "joint-light": Picture("attention", {"text": MAN, "kind": "joint", "step": "8"}),
    "joint-dark": Picture("attention", {"text": MAN, "kind": "joint", "step": "8"}, "dark"),
    "compare-light": Picture("compare", {"text": MAN}),
    "positions-light": Picture("positions", {"text": MAN}),
    "layer-norm-light": Picture("layer_norm", {"text": MAN}),
    "what-if-light": Picture("what_if", {"text": MAN, "edits": "zc1"}, act=_head_off),
    "heads-light": Picture("heads", {}),
    "heads-dark": Picture("heads", {}, "dark"),
    "inside-light": Picture("inside", {"text": MAN}),
    "inside-dark": Picture("inside", {"text": MAN, "kind": "causal"}, "dark"),
    "lesson-light": Picture("attention", {"lesson": "masks.3"}),
    "pitfalls-light": Picture("pitfalls", {"text": MAN}),
    "learning-light": Picture("learning", {"checkpoint": "dates"}),
    "tutorials-light": Picture("tutorials", {"tutorial": "tutorial-e"}),
    "checkpoints-light": Picture("checkpoints", {}),
}


def draw(browser: Browser, address: str, name: str) -> None:
    """One picture, once nothing more comes by itself."""
    wanted = PICTURES[name]
    width, height = SIZE
    context = browser.new_context(color_scheme=wanted.scheme, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/{wanted.page}?{urlencode(wanted.params)}")
    page.locator(".atlas .stage-root > *").first.wait_for()
    page.get_by_text(re.compile(r"trust \d+/\d+")).first.wait_for()
    if wanted.act is not None:
        wanted.act(page)
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
    )
    page.wait_for_timeout(3000)
    page.screenshot(path=DOCS / f"{name}.png")
    context.close()


def main() -> None:
    """Draw the pictures asked for, or all."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(prog="python -m tests.readme_pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--address", help="of an app that runs already; else one is started")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in PICTURES]:
        parser.error(f"{unknown[0]!r} is no picture; choose from {', '.join(PICTURES)}")
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        for name in asked.names or PICTURES:
            if asked.address:
                draw(browser, asked.address, name)
            else:
                with served() as address:
                    draw(browser, address, name)
            print(DOCS / f"{name}.png", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
