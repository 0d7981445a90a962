"""The static site opened from a disk without a network: it plays, asks, translates in its frame, and axe finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.test_accessible import AXE, findings
from ui.site import pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with the smallest model on its front page."""
    out = tmp_path_factory.mktemp("built") / "site"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pages, "MODELS", ("dates",))
        pages.write_site(out)
    return out


@pytest.fixture
def tab(chromium: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A tab without a network, and what it asked other hosts for or complained of."""
    context = chromium.new_context(offline=True, viewport={"width": 1440, "height": 900}, bypass_csp=False)
    page, noted = context.new_page(), []
    page.on(
        "request",
        lambda asked: noted.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None,
    )
    page.on("console", lambda message: noted.append(message.text))
    page.on("pageerror", lambda error: noted.append(str(error)))
    yield page, noted
    context.close()


def test_the_model_on_the_front_page_translates(site: Path, tab: tuple[Page, list[str]]) -> None:
    from playwright.sync_api import expect

    page, noted = tab
    page.goto((site / "index.html").as_uri())
    model = page.frame_locator("iframe.model")
    expect(model.locator("#stage .stage-line")).to_be_visible()
    expect(model.locator("header h1")).to_be_hidden()
    page.locator("#mode").click()
    mode = page.evaluate("() => document.documentElement.dataset.mode")
    expect(model.locator(f'html[data-mode="{mode}"]')).to_be_attached()
    model.locator("#text").fill("the 4th of July, 1999")
    model.get_by_role("button", name="Translate").click()
    expect(model.locator("#stage .stage-text")).to_have_text("1999-07-04", timeout=60_000)
    tall = page.locator("iframe.model").evaluate("(frame) => frame.offsetHeight")
    assert abs(tall - model.locator("body").evaluate("(body) => body.offsetHeight")) < 20, (
        "nothing scrolls inside"
    )
    assert noted == []


def test_a_picture_plays_and_stops(site: Path, tab: tuple[Page, list[str]]) -> None:
    from playwright.sync_api import expect

    page, noted = tab
    page.emulate_media(reduced_motion="reduce")
    page.goto((site / "gallery.html").as_uri())
    expect(page.locator("figure.drawn")).to_have_count(10)
    mask = page.locator("#mask")
    expect(mask.locator(".site-player output")).to_have_text("9 of 9")
    mask.get_by_role("slider", name="Step of the picture").fill("2")
    expect(mask.locator(".readout")).to_contain_text("writes “dort”")
    mask.locator(".site-play").click()
    expect(mask.locator(".site-player output")).to_have_text("4 of 9", timeout=10_000)
    mask.locator(".site-play").click()
    assert noted == []


def test_an_answer_uncovers_what_holds(site: Path, tab: tuple[Page, list[str]]) -> None:
    from playwright.sync_api import expect

    page, noted = tab
    page.goto((site / "lessons" / "story.html").as_uri())
    step = page.locator("#step-4")
    expect(step.locator(".scene-chip")).to_be_visible()
    assert "100" not in step.locator("figure").inner_text().split("chat")[-1]
    step.locator(".choice").first.press("Enter")
    expect(step.locator(".verdict")).to_contain_text("You answered otherwise.")
    expect(step.locator(".choice.right")).to_contain_text("sleeping")
    expect(step.locator("figure .card-title")).to_contain_text("“sleeping”")
    assert step.locator(".choice:enabled").count() == 0
    page.locator("#step-2 .choice").nth(2).click()
    expect(page.locator("#step-2 .lines dd")).to_have_count(2)
    assert noted == []


@pytest.mark.skipif(not AXE.exists(), reason="axe-core comes with `npm ci` in ui/web")
@pytest.mark.parametrize(
    "name",
    [
        "index.html",
        "gallery.html",
        "lessons/index.html",
        "fr/lessons/story.html",
        "docs/screens.html",
        "models/dates.html",
    ],
)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(site: Path, name: str, chromium: Browser) -> None:
    context = chromium.new_context(
        bypass_csp=True, reduced_motion="reduce", viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.goto((site / name).as_uri())
    for step in page.locator(".step").all():
        step.locator(".choice").first.click()
    page.evaluate(AXE.read_text("utf-8"))
    page.evaluate("() => axe.configure({ rules: [{ id: 'label-content-name-mismatch', enabled: true }] })")
    found = findings(page, "light")
    page.emulate_media(color_scheme="dark")
    found += findings(page, "dark")
    page.set_viewport_size({"width": 390, "height": 844})
    assert found + findings(page, "dark, on a phone") == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    context.close()
