"""Where things are on a screen: long sentences stand upright, and a phone begins with the picture."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.browser.looking import Visit, quiet

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.turned

SCREENS = ((1280, 720, "1"), (1280, 720, ""), (1440, 900, ""))
"""Width, height and presenter size: a projector, a small laptop, a laptop."""

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


@pytest.mark.thorough
def test_a_sentence_beyond_the_width_stands_upright_and_nothing_scrolls_sideways(visit: Visit) -> None:
    page = quiet(visit("", text=LONG))
    assert page.locator(".lines.upright").count() == 1
    assert page.evaluate(_SIDEWAYS) == []
    quiet(visit("attention", text=LONG))
    assert page.evaluate(_SIDEWAYS) == []


@pytest.mark.thorough
def test_a_short_sentence_stays_in_rows(visit: Visit) -> None:
    page = quiet(visit("", text=SHORT, strategy="given", target="Un chien court."))
    assert page.locator(".lines.upright").count() == 0


@pytest.mark.thorough
def test_a_phone_begins_with_the_picture_and_has_its_buttons_under_the_thumb(visit: Visit) -> None:
    page = quiet(visit("", width=390, height=844, text=SHORT, language="fr"))  # whose words are longer
    strip = page.locator(".map-block").last.bounding_box()
    assert strip is not None and strip["x"] + strip["width"] <= 390, "the last block is on the screen"
    lines = _lines(page)
    assert lines["y"] < 480, "the picture is above the fold"
    for button in page.locator(".stage-dock button:visible").all():
        box = button.bounding_box()
        assert box is not None and box["height"] >= 44 and box["y"] > 844 - 80


@pytest.mark.thorough
def test_the_wall_and_the_whole_open_map_are_on_the_first_screen(visit: Visit) -> None:
    page = quiet(visit("attention", width=1440, height=1000, text=SHORT, pin="t1-s2"))
    for name in (".wall-heads", ".detail-heat"):
        box = page.locator(name).first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 1000
    options = page.locator(".st-key-view_options").bounding_box()
    assert options is not None and options["height"] < 60 and options["y"] + options["height"] <= 232, (
        "one row"
    )


def _end(page: Page, selector: str) -> float:
    found = page.locator(selector).first.bounding_box()
    assert found, selector
    return found["y"] + found["height"]


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height", "presenter"), SCREENS)
def test_what_if_opens_on_both_translations_and_every_words_probability(
    visit: Visit, width: int, height: int, presenter: str
) -> None:
    shows = ".st-key-chart_what_if_words .xtick text"
    page = quiet(
        visit("what_if", width=width, height=height, checkpoint="en-fr", presenter=presenter, shows=shows)
    )
    assert _end(page, ".st-key-card_verdict") < _end(page, ".st-key-chart_what_if_words .main-svg") <= height
    words = page.locator(shows)
    assert words.count() >= 9 and words.evaluate_all(
        "(all) => all.every((n) => !/rotate\\((?!0)/.test(n.getAttribute('transform')))"
    )
    assert max(box["y"] + box["height"] for box in map(_box, words.all())) <= height, "the words are in sight"
    boxes = sorted((_box(word) for word in words.all()), key=lambda box: (box["y"], box["x"]))
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] or left["y"] + left["height"] <= right["y"] + 4


def _box(part: Locator) -> dict[str, float]:
    found = part.bounding_box()
    assert found
    return dict(found)


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height", "presenter"), SCREENS)
def test_heads_opens_on_two_roles_and_the_open_heads_map(
    visit: Visit, width: int, height: int, presenter: str
) -> None:
    page = quiet(
        visit(
            "heads", width=width, height=height, checkpoint="en-fr", presenter=presenter, shows=".tiles-large"
        )
    )
    ends = sorted(_box(group)["y"] + _box(group)["height"] for group in page.locator(".tiles-large").all())
    assert len(ends) > 1 and ends[1] <= height
    assert _end(page, ".typical canvas") <= height


@pytest.mark.thorough
def test_the_words_of_a_long_translation_have_a_row_each(visit: Visit) -> None:
    page = quiet(visit("what_if", text=LONG, shows=".st-key-what_if_words_0 .ytick text"))
    rows = [_box(word) for word in page.locator(".st-key-what_if_words_0 .ytick text").all()]
    assert len(rows) > 8
    assert all(below["y"] - above["y"] > 20 for above, below in pairwise(rows))
