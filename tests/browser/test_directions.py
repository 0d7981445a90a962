"""Arabic and Hebrew: the first word stands at the right, lines and arrows follow, quotation stays with its word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import ARABIC, ENGLISH, HEBREW
from tests.browser.looking import Visit, point, ready

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

SOURCE, TARGET = HEBREW[:5], ARABIC[:5]


def view(visit: Visit, page: str, source: list[str], **more: str) -> Page:
    words = {"text": " ".join(source), "strategy": "given", "target": " ".join(TARGET), "step": "5"}
    return ready(visit(page, **{"checkpoint": "rtl", **words, **more}))


def told_at(page: Page, x: float, y: float) -> str:
    """What the joint view says while the pointer is at a place given in shares of the canvas."""
    page.mouse.move(*point(page.locator(".joint canvas"), x, y))
    page.wait_for_timeout(120)
    return page.locator(".joint .readout").inner_text()


def rows_of_words(page: Page) -> tuple[float, float]:
    """Heights of the two rows of words in shares of the canvas, found by moving down its left edge."""
    canvas = page.locator(".joint canvas")
    hit = []
    for percent in range(0, 100, 2):
        page.mouse.move(*point(canvas, 0.3, percent / 100))
        if canvas.evaluate("(node) => node.style.cursor") == "pointer":
            hit.append(percent / 100)
    gap = max(range(1, len(hit)), key=lambda n: hit[n] - hit[n - 1])
    upper, lower = hit[:gap], hit[gap:]
    return sum(upper) / len(upper), sum(lower) / len(lower)


@pytest.mark.thorough
@pytest.mark.parametrize(("source", "turned"), [(SOURCE, True), (ENGLISH[:5], False)])
def test_the_joint_view_reads_each_side_in_its_own_direction(
    visit: Visit, source: list[str], turned: bool
) -> None:
    page = view(visit, "attention", source, kind="joint")
    upper, lower = rows_of_words(page)
    slots = len(source) + 1  # the end token
    first, last = (1 - 0.5 / slots, 1.5 / slots) if turned else (0.5 / slots, 1 - 1.5 / slots)
    assert source[0] in told_at(page, first, upper).split(",")[0]
    assert source[-1] in told_at(page, last, upper).split(",")[0]
    # The decoder's row: ⟨start⟩ at the right end, then the first word written.
    places = len(TARGET) + 2
    assert TARGET[0] in told_at(page, 1 - 1.5 / places, lower).split(",")[0]
    assert TARGET[3] in told_at(page, 1 - 4.5 / places, lower).split(",")[0]


@pytest.mark.thorough
def test_the_lines_of_translate_read_from_the_right(visit: Visit) -> None:
    page = view(visit, "", SOURCE)
    rows = page.locator(".lines-row[role=group]")

    def places(row: int) -> dict[str, float]:
        found = {}
        for token in rows.nth(row).locator(".token").all():
            box = token.bounding_box()
            assert box
            found[token.inner_text()] = box["x"]
        return found

    for row, words in ((0, SOURCE), (1, TARGET)):
        at = places(row)
        assert [at[word] for word in words] == sorted((at[word] for word in words), reverse=True)
    # Arrow keys walk where they point: left is onwards.
    first = rows.nth(0).locator(".token", has_text=SOURCE[0])
    first.focus()
    page.keyboard.press("ArrowLeft")
    second = rows.nth(0).locator(".token", has_text=SOURCE[1])
    assert second.evaluate("(node) => node.matches(':focus')")


@pytest.mark.thorough
def test_source_and_translation_keep_their_sides_of_the_arrow(visit: Visit) -> None:
    page = view(visit, "compare", SOURCE)
    left, right = page.locator(".atlas-sentence bdi").nth(0), page.locator(".atlas-sentence bdi").nth(1)
    boxes = left.bounding_box(), right.bounding_box()
    assert boxes[0] and boxes[1]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


@pytest.mark.thorough
def test_a_pinned_word_keeps_its_place_in_a_sentence_from_the_right(visit: Visit) -> None:
    page = view(visit, "attention", SOURCE, pin="t2-s0")
    text, pinned = page.locator(".atlas-sentence bdi").nth(0), page.locator(".atlas-sentence bdi u").nth(0)
    assert pinned.inner_text() == SOURCE[0]
    assert text.inner_text().split() == SOURCE
    boxes = text.bounding_box(), pinned.bounding_box()
    assert boxes[0] and boxes[1]
    ends = [box["x"] + box["width"] for box in boxes if box]
    assert abs(ends[0] - ends[1]) < 2, "the first word stands at the right end"
