"""The pictures of README.md, drawn again from the app as it is: `python -m tests.readme_pictures [NAME …]`.

Writes docs/NAME.png. Look at each before it is kept: nothing here says whether a picture is a good one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlencode

from benchmarks.first_look import served
from tests.browser.looking import CHECKED
from tests.browser.test_import import LISTENS, attempt, choose, upload
from tests.conftest import ARGUMENTS
from tests.core.importing.exported import HEADS, export

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DOCS: Final = Path(__file__).parents[1] / "docs"
MAN: Final = "A man in a red shirt is riding a bike."
SIZE: Final = (1440, 1010)


@dataclass(frozen=True)
class Picture:
    """A page at an address; `act` brings it to what is shown."""

    page: str
    params: dict[str, str]
    scheme: Literal["light", "dark"] = "light"
    act: Callable[[Page], None] | None = None
    height: int = SIZE[1]


def _imported(page: Page) -> None:
    """Hands `dates` over as its student would have it: a state dict of torch.nn.Transformer and two lists of letters."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        export("dates", folder)
        (folder / "model.pt").rename(folder / "my_dates.pt")
        for side in ("source", "target"):
            listed = json.loads((folder / f"{side}.json").read_text("utf-8"))["model"]["vocab"]
            letters = sorted(listed, key=listed.__getitem__)
            (folder / f"letters-{side}.txt").write_text("\n".join(letters) + "\n", "utf-8")
        page.get_by_text("Drop all files").wait_for()
        upload(page, "pick", 0, folder / "my_dates.pt")
        page.get_by_text("Give the vocabulary").wait_for()
        choose(page, "How is text cut into tokens?", "into characters")
        for place, side in enumerate(("source", "target")):
            upload(page, "vocabulary", place, folder / f"letters-{side}.txt")
        page.locator(".st-key-card_vocabulary .atlas-status-dot").wait_for()
    answers = page.locator(".st-key-card_answer")
    page.get_by_label("How many attention heads").fill(str(HEADS["dates"]))
    answers.get_by_text("change what is wrong").click()
    norm = page.locator('[class*="_norm_placement"] [role="combobox"]')
    page.wait_for_timeout(LISTENS)  # until the expander is open: a list closes when what it hangs on moves
    norm.click()
    page.get_by_role("option", name="pre", exact=True).click()
    page.locator('[class*="_source_before"] input').fill("")
    page.get_by_role("button", name="Continue").click()
    attempt(page, "24 December 1968")
    page.get_by_label("what the trained model writes for it").fill("1968-12-24")
    page.get_by_label("what the trained model writes for it").press("Enter")
    page.get_by_text("This is what you expect").wait_for()
    page.get_by_label("Name", exact=True).fill("my dates")
    page.get_by_label("Name", exact=True).press("Enter")
    page.mouse.move(2, 2)


PICTURES: Final = {
    "translate-light": Picture("", {"step": "6"}),
    "attention-light": Picture("attention", {}),
    "attention-dark": Picture("attention", {}, "dark"),
    "joint-light": Picture("attention", {"text": MAN, "kind": "joint", "step": "8"}),
    "joint-dark": Picture("attention", {"text": MAN, "kind": "joint", "step": "8"}, "dark"),
    "compare-light": Picture("compare", {"text": MAN}),
    "positions-light": Picture("positions", {}),
    "layer-norm-light": Picture("layer_norm", {}),
    "what-if-light": Picture("what_if", {}),
    "heads-light": Picture("heads", {}),
    "heads-dark": Picture("heads", {}, "dark"),
    "inside-light": Picture("inside", {}),
    "inside-dark": Picture("inside", {"text": MAN, "kind": "causal"}, "dark"),
    "lesson-light": Picture("attention", {"lesson": "masks.3"}),
    "pitfalls-light": Picture("pitfalls", {}),
    "learning-light": Picture("learning", {"checkpoint": "dates"}),
    "tutorials-light": Picture("tutorials", {"tutorial": "tutorial-b", "claim": "word-map"}),
    "checkpoints-light": Picture("checkpoints", {}),
    "import-wizard-light": Picture(
        "checkpoints", {"checkpoint": "dates", "desk": "import"}, act=_imported, height=1560
    ),
}


def draw(browser: Browser, address: str, name: str) -> None:
    """One picture, once nothing more comes by itself."""
    wanted = PICTURES[name]
    context = browser.new_context(color_scheme=wanted.scheme, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.set_viewport_size({"width": SIZE[0], "height": wanted.height})
    page.goto(f"{address}/{wanted.page}?{urlencode(wanted.params)}")
    page.locator("html[data-drawn]").wait_for(state="attached")
    page.get_by_text(CHECKED).first.wait_for()
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
