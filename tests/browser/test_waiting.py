"""What a visitor sees while others are before them, on a real server whose queue is held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.looking import wait_for_params
from tests.serving import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

# The app; while the file named first exists, two other visitors are at work and one more waits before everybody else.
START = """
import sys, threading, time
from pathlib import Path
from ui.shared import models
from ui.shared.cache import Ticket
held, others = Path(sys.argv[1]), [Ticket(f"other {n}", None, False, -1 - n) for n in range(3)]
queue = models._turns
def work():
    while True:
        time.sleep(0.05)
        with queue._changed:
            inside = others[0] in queue._running
            if held.exists() and not inside:
                queue._running += others[:2]
                queue._waiting[0:0] = others[2:]
            elif inside and not held.exists():
                for each in others:
                    (queue._running if each in queue._running else queue._waiting).remove(each)
                queue._call()
threading.Thread(target=work, daemon=True).start()
from streamlit.web.cli import main
sys.argv = ["streamlit", "run", "app.py", *sys.argv[2:]]
main()
"""


@dataclass(frozen=True)
class Held:
    """The server's address, and the file that holds its queue."""

    address: str
    file: Path

    def hold(self, page: Page) -> None:
        self.file.touch()
        page.wait_for_timeout(300)


@pytest.fixture(scope="module")
def held(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    folder = tmp_path_factory.mktemp("held")
    start, listed = ("-c", START, str(folder / "hold")), str(tiny_checkpoint.parent)
    with served(folder, start=start, env={"ATLAS_CHECKPOINTS": listed}) as server:
        yield Held(f"http://localhost:{server.port}", folder / "hold")


@pytest.fixture(
    params=[(1440, 1010, ""), (1920, 1080, "&presenter=1"), (390, 844, "")], ids=["desk", "hall", "phone"]
)
def page(request: pytest.FixtureRequest, chromium: Browser, held: Held) -> Iterator[Page]:
    """A tab on Translate with nothing left to come; the queue is free again afterwards."""
    width, height, more = request.param
    opened = chromium.new_page(viewport={"width": width, "height": height})
    opened.set_default_timeout(60_000)
    opened.goto(f"{held.address}/?checkpoint=tiny{more}")
    opened.locator(".atlas .stage-root > *:visible").first.wait_for()
    opened.wait_for_timeout(1500)
    yield opened
    held.file.unlink(missing_ok=True)
    opened.close()


def notice(page: Page) -> Locator:
    return page.get_by_text("waiting for 3 others …")


@pytest.mark.thorough
def test_who_waits_is_told_over_a_page_that_stands_still(page: Page, held: Held) -> None:
    assert page.viewport_size
    box = page.get_by_label("Sentence to translate").first
    before = box.bounding_box()
    held.hold(page)
    typed = " ".join(["the dog runs"] * (page.viewport_size["width"] // 390))  # one that nobody has asked for
    box.fill(typed)
    box.press("Enter")
    notice(page).wait_for()
    page.wait_for_timeout(400)
    assert box.bounding_box() == before
    place, size = notice(page).bounding_box(), page.viewport_size
    assert place and size
    assert place["x"] >= 0 and place["x"] + place["width"] <= size["width"]
    assert 0 <= place["y"] < 60, "at the top, over whatever is there"
    assert page.get_by_role("status").filter(has_text="waiting for").count() == 1, (
        "screen readers are told once"
    )
    held.file.unlink()
    notice(page).wait_for(state="hidden")
    wait_for_params(page, text=typed)


@pytest.mark.thorough
def test_on_a_page_with_nothing_yet_it_stands_in_the_middle(page: Page, held: Held) -> None:
    held.hold(page)
    size = page.viewport_size
    assert size
    page.goto(f"{held.address}/attention?checkpoint=tiny&text=a+red+dog+runs+{size['width']}")
    notice(page).wait_for()
    page.wait_for_timeout(400)
    place = notice(page).bounding_box()
    assert place
    assert 0.3 * size["height"] < place["y"] < 0.5 * size["height"]
    assert abs(place["x"] + place["width"] / 2 - size["width"] / 2) < 40
