"""Where things are on a screen: long sentences stand upright, and a phone begins with the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.looking import Visit, quiet

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

SHORT = "The dog is chasing a white ball."
LONG = " ".join(["The dog is chasing a white ball near the house and"] * 3)

# What is wider than its own box and could be scrolled sideways, through the shadow roots of the views.
_SIDEWAYS = """() => {
  const found = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll('*')) {
      const style = getComputedStyle(node);
      const scrolls = ['auto', 'scroll'].includes(style.overflowX) && node.scrollWidth > node.clientWidth + 1;
      if (scrolls && node.clientWidth > 200) found.push(node.className);
      if (node.shadowRoot) walk(node.shadowRoot);
    }
  };
  walk(document.querySelector('[data-testid="stMain"]'));
  return found;
}"""


def _lines(page: Page) -> dict[str, float]:
    box = page.locator(".lines").first.bounding_box()
    assert box is not None
    return dict(box)


def test_a_sentence_beyond_the_width_stands_upright_and_nothing_scrolls_sideways(visit: Visit) -> None:
    page = quiet(visit("", text=LONG))
    assert page.locator(".lines.upright").count() == 1
    assert page.evaluate(_SIDEWAYS) == []
    quiet(visit("attention", text=LONG))
    assert page.evaluate(_SIDEWAYS) == []


def test_a_short_sentence_stays_in_rows(visit: Visit) -> None:
    page = quiet(visit("", text=SHORT, strategy="given", target="Un chien court."))
    assert page.locator(".lines.upright").count() == 0


def test_a_phone_begins_with_the_picture_and_has_its_buttons_under_the_thumb(visit: Visit) -> None:
    page = quiet(visit("", width=390, height=844, text=SHORT))
    lines = _lines(page)
    assert lines["y"] < 480, "the picture is above the fold"
    for button in page.locator(".stage-dock button:visible").all():
        box = button.bounding_box()
        assert box is not None and box["height"] >= 44 and box["y"] > 844 - 80


def test_the_wall_and_the_whole_open_map_are_on_the_first_screen(visit: Visit) -> None:
    page = quiet(visit("attention", width=1440, height=1000, text=SHORT, pin="t1-s2"))
    for name in (".wall-heads", ".detail-heat"):
        box = page.locator(name).first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 1000
    options = page.locator(".st-key-view_options").bounding_box()
    assert options is not None and options["height"] < 60 and options["y"] + options["height"] <= 232, "one row"
