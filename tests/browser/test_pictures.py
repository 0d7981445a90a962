"""Every view looks as its stored picture: light and dark, on a screen 1440 and 390 pixels wide.

A view that has changed is kept as `pictures/changed/NAME.png` beside `pictures/NAME.png`, to be compared by eye. When
the change is meant, `ATLAS_PICTURES=write python -m pytest tests/browser/test_pictures.py` stores the new ones.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from tests.browser import scenes
from tests.browser.drawn import show
from ui.style.theme import Mode

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Error, Page

STORED = Path(__file__).with_name("pictures")
CHANGED = STORED / "changed"
BLOCK = 4  # pixels a side that are averaged
FAR = 24.0  # of 255: how far a block may be from all of the nine around its place
MANY = 30  # blocks that may be farther: less than one cell of a map
MODES: tuple[Mode, ...] = ("light", "dark")
WIDTHS = (1440, 390)
# Each view in turn on another screen; its other three are thorough.
SCREENS = [(width, mode) for width in WIDTHS for mode in MODES]
CASES = [
    pytest.param(name, *screen, marks=() if turn == number % len(SCREENS) else pytest.mark.thorough)
    for number, name in enumerate(scenes.DRAWINGS)
    for turn, screen in enumerate(SCREENS)
]


def blocks(picture: Image.Image, size: tuple[int, int]) -> np.ndarray:
    """The corner of this size as averages of blocks, (rows, columns, 3)."""
    corner = picture.convert("RGB").crop((0, 0, *size))
    small = max(1, size[0] // BLOCK), max(1, size[1] // BLOCK)
    return np.asarray(corner.resize(small, Image.Resampling.BOX), dtype=np.float64)


def distance(drawn: np.ndarray, stored: np.ndarray) -> np.ndarray:
    """How far each block is from the range of the nine stored ones around it: another machine's letters, a little
    wider or thinner, stay within that range, a cell or a line of another colour does not."""
    rows, columns = stored.shape[:2]
    padded = np.pad(stored, ((1, 1), (1, 1), (0, 0)), mode="edge")
    near = np.stack([padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)])
    return np.asarray(np.maximum(drawn - near.max(axis=0), near.min(axis=0) - drawn).clip(0).max(axis=2))


def difference(drawn: Image.Image, stored: Image.Image) -> str:
    """What is wrong with a drawn picture in words; empty when it looks as the stored one."""
    wide, tall = abs(drawn.width - stored.width), abs(drawn.height - stored.height)
    if wide > 2 or tall > 4:
        return f"it is {drawn.width} × {drawn.height} pixels, was {stored.width} × {stored.height}"
    size = min(drawn.width, stored.width), min(drawn.height, stored.height)
    far = distance(blocks(drawn, size), blocks(stored, size))
    if (far > FAR).sum() > MANY:
        y, x = (BLOCK * int(n) for n in np.unravel_index(far.argmax(), far.shape))
        return f"{(far > FAR).sum()} blocks differ, most around ({x}, {y})"
    return ""


def check(name: str, drawn: Image.Image) -> None:
    """Compare with the stored picture, or store it where that is asked for."""
    path = STORED / f"{name}.png"
    if os.environ.get("ATLAS_PICTURES") == "write":
        small = drawn.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        small.save(path, optimize=True)
        return
    assert path.exists(), f"there is no stored picture {name}; see the top of {Path(__file__).name}"
    found = difference(drawn, Image.open(path))
    if found:
        CHANGED.mkdir(exist_ok=True)
        drawn.save(CHANGED / path.name)
        pytest.fail(f"{name} looks different: {found}; compare {CHANGED / path.name} with {path}")


def shot(page: Page, wish: str) -> Image.Image:
    return Image.open(io.BytesIO(page.locator(wish).screenshot(animations="disabled")))


@pytest.fixture(scope="module")
def canvas(chromium: Browser) -> Iterator[Page]:
    """One page for all pictures; each is drawn in a document of its own."""
    context = chromium.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def blank(canvas: Page) -> Iterator[Page]:
    """A page that fails the test when its script does."""
    wrong: list[str] = []

    def listen(error: Error) -> None:
        wrong.append(str(error))

    canvas.on("pageerror", listen)
    yield canvas
    canvas.remove_listener("pageerror", listen)
    canvas.unroute_all()
    canvas.goto("about:blank")
    canvas.emulate_media(color_scheme="light", reduced_motion="reduce")
    canvas.mouse.move(0, 0)
    assert not wrong, wrong


@pytest.mark.parametrize(("name", "width", "mode"), CASES)
def test_every_view_looks_as_stored(blank: Page, name: str, width: int, mode: Mode) -> None:
    blank.set_viewport_size({"width": width, "height": 1000})
    show(blank, scenes.DRAWINGS[name](), mode)
    check(f"{name}-{width}-{mode}", shot(blank, "#view"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_looks_as_stored(blank: Page, width: int, mode: Mode, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(scenes.report(), "utf-8")
    blank.emulate_media(color_scheme=mode, reduced_motion="reduce")
    blank.set_viewport_size({"width": width, "height": 1000})
    blank.goto(path.as_uri())
    blank.locator("#detail-cross .detail-heat").wait_for()
    blank.evaluate("document.fonts.ready")
    blank.wait_for_timeout(300)
    check(f"report-{width}-{mode}", shot(blank, "body"))
