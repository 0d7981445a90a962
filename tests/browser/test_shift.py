"""How far a page moves by itself while a direct link opens, as browsers count it (layout shift; below 0.1 is good)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.looking import CHECKED, quiet

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST = 0.1
_SUM = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
"""
PLACES = ("inside",)


@pytest.mark.parametrize("place", PLACES)
def test_a_direct_link_moves_nothing_that_is_seen(chromium: Browser, server: str, place: str) -> None:
    context = chromium.new_context(viewport={"width": 1440, "height": 1000})
    context.set_default_timeout(60_000)
    context.add_init_script(_SUM)
    for _ in range(2):  # the first loads the model and the fonts
        page = context.new_page()
        page.goto(f"{server}/{place}?checkpoint=en-fr")
        page.get_by_text(CHECKED).first.wait_for()
        quiet(page, 9_000)
    assert page.evaluate("window.shifted") < MOST
    context.close()
