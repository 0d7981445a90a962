"""One walk with a pin through the app: made on each place that can, read on all others, and what keeps and what releases it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.looking import Visit, params, point, quiet, ready, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "The cat is sleeping on the red sofa."
PLACES = (
    *(("Attention", "Compare", "compare"), ("Heads", "Alignment", "alignment")),
    *(("What if", "Why this word", "why"), ("Inside", "One head", "inside")),
)
ISOLATES = "\u2068\u2069"  # around a word, for its direction
PILL = '[class*="st-key-pin_"]'


def pill(page: Page) -> str:
    """What the header says is pinned."""
    return page.locator(PILL).inner_text().removeprefix("Pinned: ").removesuffix("✕").strip()


def pinned(page: Page, pin: str, before: str = "⟨none⟩") -> str:
    """What the header says once the address has this pin; the same words are underlined in the sentence.

    `before`: what it said, which it may go on saying for a moment: the frame is drawn after the fragment that was clicked.
    """
    wait_for_params(page, pin=pin)
    page.locator(PILL, has_text=" · ").filter(has_not_text=before).wait_for()
    quiet(page)
    said = pill(page)
    words = [word.strip(ISOLATES) for word in said.split(" · ")]
    underlined = page.locator(".atlas-sentence u").all_inner_texts()
    assert set(underlined) <= set(words) and underlined, "what the header names is what it underlines"
    return said


def place(page: Page, name: str, tab: str = "", address: str = "") -> Page:
    """Go to a place by the sidebar, and to a tab of it."""
    page.locator('[data-testid="stSidebar"]').get_by_role("link", name=re.compile(f"^{name}")).click()
    if tab:
        page.get_by_role("link", name=tab, exact=True).click()
        page.wait_for_url(re.compile(rf"/{address}\?"))
    return quiet(page)


def click_cell(page: Page, heat: str) -> None:
    """Click a cell of a map, whichever is there."""
    page.mouse.click(*point(page.locator(heat).first, 0.7, 0.6))
    page.mouse.move(5, 5)


def test_what_is_pinned_on_one_place_is_pinned_on_all(visit: Visit) -> None:
    page = ready(visit("attention", checkpoint="en-fr", text=TEXT, kind="cross", pin="t0-s0"))
    length = page.evaluate("history.length")
    first = pinned(page, "t0-s0")
    # A cell of Attention: title, header and address in one step of the history.
    click_cell(page, ".detail-heat")
    page.wait_for_function("() => !/pin=t0-s0/.test(location.search)")
    pin = params(page)["pin"]
    said = pinned(page, pin, first)
    assert "kind" not in params(page)
    for word in said.split(" · "):
        assert f"“{word.strip(ISOLATES)}”" in page.locator(".wall .card-title").inner_text()
    assert page.evaluate("history.length") == length + 1, "a link that names a default is no page of its own"
    for name, tab, address in PLACES:
        page = place(page, name, tab, address)
        assert pinned(page, pin) == said, tab
    # Translate shows the same pair, and a pair made of two of its words goes back to all others.
    place(page, "Translate")
    assert page.locator(".stage .token.pinned").count() == 2
    written = page.get_by_role("group", name="Written words").get_by_role("button")
    source = page.get_by_role("group", name="Source words").get_by_role("button")
    page.keyboard.press("Escape")
    wait_for_params(page, pin="none")
    written.nth(1).click()
    page.wait_for_function("() => /pins=q1/.test(location.search)")
    place(page, "Heads")
    assert pill(page) == written_word(page), "a word alone is named too"
    page.go_back()
    quiet(page)
    source.nth(2).click()
    wait_for_params(page, pin="t1-s2")
    place(page, "Attention", "All heads", "attention")
    pair = pinned(page, "t1-s2")
    assert page.locator(".detail .card-title").inner_text().count("“") == 2
    # A cell of Alignment likewise.
    place(page, "Heads", "Alignment", "alignment")
    click_cell(page, ".aligned-heat")
    page.wait_for_function("() => !/pin=t1-s2/.test(location.search)")
    other = pinned(page, params(page)["pin"], pair)
    # Back brings the pair before, a reload keeps it.
    page.go_back()
    assert pinned(page, "t1-s2", other) == pair
    page.reload()
    ready(page)
    assert pinned(page, "t1-s2") == pair


def written_word(page: Page) -> str:
    """The one word that is underlined in the header."""
    (word,) = page.locator(".atlas-sentence u").all_inner_texts()
    return word


def test_a_slide_a_hall_and_a_language_keep_the_pin_and_escape_or_another_model_ends_it(visit: Visit) -> None:
    page = ready(visit("attention", checkpoint="en-fr", text=TEXT, pin="t1-s2", height=900))
    said = pinned(page, "t1-s2")
    sidebar = page.locator('[data-testid="stSidebar"]')
    top = page.locator(".wall").bounding_box()
    page.locator(".detail .card-title").hover()
    page.keyboard.press("f")
    wait_for_params(page, full="detail")
    quiet(page)
    page.keyboard.press("Escape")
    page.wait_for_function("() => !/full=/.test(location.search)")
    quiet(page)
    assert pinned(page, "t1-s2") == said, "the first Esc leaves the slide"
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    assert page.locator(".wall").bounding_box() == top, "the page stands where it stood"
    page.get_by_text("Français", exact=True).click()
    wait_for_params(page, language="fr")
    quiet(page)
    assert all(word.strip(ISOLATES) in pill(page) for word in said.split(" · "))
    page.get_by_text("English", exact=True).click()
    page.wait_for_function("() => !/language=/.test(location.search)")
    sidebar.get_by_text("Presenter size").click()
    wait_for_params(page, presenter="1")
    assert pinned(page, "t1-s2") == said
    page.keyboard.press("Escape")
    wait_for_params(page, pin="none")
    expect(page.locator(PILL)).to_have_count(0)
    page.go_back()
    assert pinned(page, "t1-s2") == said
    page.goto(page.url.replace("checkpoint=en-fr", "checkpoint=tiny").replace("&pin=t1-s2", ""))
    ready(page)
    expect(page.locator(PILL)).to_have_count(0)


def test_back_undoes_one_action_that_leads_to_another_page(visit: Visit) -> None:
    page = ready(visit("attention", checkpoint="en-fr", text=TEXT, height=900))
    before, length = page.url, page.evaluate("history.length")
    page.locator(".map-block[data-kind=memory]").click()
    page.wait_for_url(re.compile(r"/layer_norm\?.*place=encoder"))
    quiet(page)
    page.locator(".map-block[data-kind=encoder]").click()
    page.wait_for_url(re.compile(r"/attention\?.*kind=encoder"))
    quiet(page)
    assert page.evaluate("history.length") == length + 2, "each block that was clicked is one entry"
    page.go_back()
    page.wait_for_url(re.compile(r"/layer_norm\?.*place=encoder"))
    quiet(page)
    page.go_back()
    page.wait_for_url(before)
    quiet(page)
    page.locator(".st-key-tab_here", has_text="All heads").wait_for()
