"""How far a page moves by itself while a direct link opens, as browsers count it (layout shift; below 0.1 is good)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.browser.looking import CHECKED, quiet

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

MOST: Final = 0.04
SUM: Final = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
"""
DESK: Final = (1440, 900)
PHONE: Final = (390, 844)
TALL: Final = (
    "",
    "compare",
    "heads",
    "alignment",
    "positions",
    "lenses",
    "tutorials",
    "learning",
    "checkpoints",
)
"""Pages whose parts come late or wrap on a phone."""
PAGES: Final = (
    *(
        "",
        "attention",
        "attention?kind=joint",
        "compare",
        "heads",
        "importance",
        "alignment",
        "what_if",
        "why",
    ),
    *("inside", "positions", "layer_norm", "lenses", "cost", "lessons", "pitfalls", "tutorials", "learning"),
    *("checkpoints", "checkpoints?desk=inspect", "checkpoints?desk=import"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("size", "address"),
    [*((DESK, page) for page in PAGES), *((PHONE, page) for page in TALL)],
    ids=lambda value: value if isinstance(value, str) else str(value[0]),
)
def test_a_direct_link_moves_nothing_that_is_seen(
    context: BrowserContext, server: str, size: tuple[int, int], address: str
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.add_init_script(SUM)
    page.goto(f"{server}/{address}{'&' if '?' in address else '?'}checkpoint=en-fr")
    page.locator("html[data-drawn]").wait_for(state="attached")  # else the styles show it after a while
    page.get_by_text(CHECKED).first.wait_for(state="attached")
    quiet(page, 9_000)
    assert page.evaluate("window.shifted") < MOST
    page.close()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "address", ["positions", "attention", "heads", "what_if", "compare", "checkpoints?desk=inspect"]
)
def test_until_a_page_is_drawn_boxes_stand_where_its_cards_will(
    context: BrowserContext, server: str, address: str
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    # Take down whether the boxes were seen, whether the page was drawn by then, and whether it had a card when it was.
    page.add_init_script(
        "window.boxes = []; const look = () => { const box = document.querySelector('.atlas-skeleton');"
        " const drawn = 'drawn' in document.documentElement.dataset;"
        " if (box?.checkVisibility({ visibilityProperty: true })) boxes.push(drawn);"
        " const views = [...document.querySelectorAll('[data-testid^=stBidiComponent]')];"
        " if (drawn) window.begun ??= document.querySelector('[class*=st-key-card_]') !== null"
        " || views.some((each) => each.shadowRoot?.querySelector('.card'));"
        " requestAnimationFrame(look); }; requestAnimationFrame(look);"
    )
    page.goto(f"{server}/{address}{'&' if '?' in address else '?'}checkpoint=en-fr")
    page.locator("html[data-drawn]").wait_for(state="attached")
    quiet(page, 9_000)
    seen = page.evaluate("boxes")
    assert seen and not any(seen), "seen while the page is not, and never over it"
    assert page.evaluate("begun"), "the boxes stay until there is a card"
    page.evaluate("delete document.documentElement.dataset.drawn")
    cards = page.locator('[class*="st-key-card_"], .card').all()
    places = [box for box in (each.bounding_box() for each in cards) if box and box["x"] > 230]
    for each in page.locator(".atlas-skeleton p").all()[:2]:
        box = each.bounding_box()
        assert box and any(abs(box["x"] - at["x"]) + abs(box["y"] - at["y"]) < 40 for at in places), (
            box,
            places,
        )
    page.close()


def test_the_code_of_charts_runs_after_the_first_card(context: BrowserContext, server: str) -> None:
    page = context.new_page()
    code = "window.cardStood = 'drawn' in document.documentElement.dataset; export default () => null;"
    page.route(
        "**/PlotlyChart.*.js?run", lambda route: route.fulfill(body=code, content_type="text/javascript")
    )
    page.goto(f"{server}/layer_norm")
    page.wait_for_function("window.cardStood !== undefined")
    assert page.evaluate("window.cardStood")
