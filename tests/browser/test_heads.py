"""Opening heads in a real browser: at once from the wall, several over one another, and all of it in the link."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.looking import CHECKED, PRESS, choose, colours, params, quiet, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

Visit = Callable[..., "Page"]
TEXT = "I am tired."


def ready(page: Page) -> Page:
    page.get_by_text(CHECKED).first.wait_for()
    page.locator(".detail[data-numbers=exact]").wait_for()
    quiet(page)
    return page


def test_quick_clicks_end_with_the_last_head(visit: Visit) -> None:
    page = ready(visit("attention", text=TEXT, kind="encoder", layer="0", head="0"))
    for index in (1, 2, 3, 1, 2):
        page.evaluate(PRESS, index)
    page.wait_for_function("() => /layer=1/.test(location.search) && /head=0/.test(location.search)")
    page.locator(".detail[data-numbers=exact]").wait_for()
    assert page.locator(".detail .card-title").inner_text().startswith("Head 1.0 ")
    assert page.locator(".wall-head[aria-pressed=true]").count() == 1


@pytest.mark.thorough
def test_heads_lie_over_one_another_and_swatches_choose_among_them(visit: Visit) -> None:
    page = ready(visit("attention", text=TEXT, kind="cross", layer="0", head="0"))
    page.locator(".wall-head").nth(3).click(modifiers=["Shift"])
    page.locator(".wall-head").nth(1).focus()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("() => /overlay=1.1(%2C|,)0.1/.test(location.search)")
    assert page.locator(".wall-head[aria-pressed=true]").count() == 3
    link = page.url
    page = ready(visit("attention", fresh=True, **params(page)))
    assert page.url.split("?")[1] == link.split("?")[1]
    assert page.locator(".detail .card-title").inner_text().strip() == "Heads 0.0, 1.1, 0.1"

    def pressed() -> list[str | None]:
        return [swatch.get_attribute("aria-pressed") for swatch in page.locator(".swatch").all()]

    assert pressed() == ["true", "true", "true"]
    page.locator(".swatch").nth(1).click()
    assert pressed() == ["true", "false", "true"]
    page.locator(".swatch").nth(1).click()
    page.get_by_role("button", name="Lines", exact=True).click()
    together = colours(page.locator(".detail-lines"))
    page.locator(".swatch").nth(2).dblclick()
    assert pressed() == ["false", "false", "true"]
    assert colours(page.locator(".detail-lines")) < together, "one head has one hue"
    page.locator(".swatch").nth(2).dblclick()
    assert pressed() == ["true", "true", "true"]
    page.locator(".wall-layer").nth(1).click()
    page.wait_for_function("() => /layer=1/.test(location.search) && /overlay=1.1/.test(location.search)")
    page.keyboard.press("Escape")
    page.wait_for_function("() => /head=mean/.test(location.search) && !/overlay/.test(location.search)")


def pin_row(page: Page, share: float) -> None:
    """Pin the row of the open head's map at this share of its height, by its word."""
    heat = page.locator(".detail-heat")
    heat.scroll_into_view_if_needed()
    box = heat.bounding_box()
    assert box
    page.mouse.click(box["x"] + 6, box["y"] + box["height"] * share)
    page.mouse.move(5, 5)


@pytest.mark.thorough
def test_the_link_holds_how_wall_and_map_are_looked_at(visit: Visit) -> None:
    # The least score has no field on this page: a link brings one, for the score that it names.
    page = ready(visit("attention", text=TEXT, kind="cross", layer="0", head="1", least="0.43"))
    kept = page.locator(".wall .card-subtitle")
    assert re.match(r"[123] of 4 heads shown", kept.inner_text())
    choose(page, "Score under each head", "Score: Entropy")
    wait_for_params(page, badge="entropy")
    quiet(page)
    assert "least" not in params(page) and "shown" not in kept.inner_text(), "it was another score's"
    choose(page, "Order of the heads", "Sort: highest first")
    wait_for_params(page, sort="high")
    page.get_by_role("button", name="More measures").click()
    page.get_by_role("radio", name="logarithmic").click()
    wait_for_params(page, tone="log")
    page.keyboard.press("Escape")
    page.get_by_label("log colour").check()
    page.get_by_role("button", name="Lines", exact=True).click()
    page.get_by_label("Hide lines below this weight").fill("7")
    page.get_by_label("Hide lines below this weight").dispatch_event("change")
    page.get_by_role("button", name="Map", exact=True).click()
    for share in (0.5, 0.7):
        pin_row(page, share)
    page.wait_for_function(
        "() => /threshold=7/.test(location.search) && /pins=q[0-9]+(%2C|,)q/.test(location.search)"
    )
    quiet(page)
    wanted = {"sort": "high", "badge": "entropy", "tone": "log", "scale": "log", "threshold": "7"}
    given = params(page)
    assert {name: given.get(name) for name in wanted} == wanted
    told = page.locator(".detail .readout").inner_text()
    entropies = [
        float(re.findall(r"entropy ([\d.]+)", head.get_attribute("aria-label") or "")[0])
        for head in page.locator(".wall-head").all()
    ]
    assert entropies == sorted(entropies, reverse=True)
    least = str(round(entropies[1] - 0.005, 3))  # as it is written, the second is rounded
    kept = sum(entropy >= float(least) for entropy in entropies)
    page = ready(visit("attention", fresh=True, least=least, **given))
    assert params(page) == {**given, "least": least}
    assert page.get_by_label("Order of the heads").input_value() == "Sort: highest first"
    assert page.get_by_label("Score under each head").input_value() == "Score: Entropy"
    assert page.get_by_label("log colour").is_checked()
    assert page.get_by_label("Hide lines below this weight").input_value() == "7"
    assert kept < 4 and f"{kept} of 4 heads shown" in page.locator(".wall .card-subtitle").inner_text()
    assert page.locator(".detail .readout").inner_text() == told
    page.get_by_role("button", name="More measures").click()
    assert page.get_by_role("radio", name="logarithmic").get_attribute("aria-checked") == "true"


@pytest.mark.thorough
def test_the_link_of_a_comparison_holds_the_pinned_cell(visit: Visit) -> None:
    page = visit("compare", text=TEXT, kind="cross", layer="0", head="0", against="1.1")
    canvas = page.locator(".compare-pane canvas").first
    canvas.wait_for()
    page.get_by_text(CHECKED).first.wait_for()
    quiet(page)
    page.get_by_label("log colour").check()
    box = canvas.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.6)
    page.wait_for_function(
        "() => /cell=0[.][0-9]+[.][0-9]+/.test(location.search) && /scale=log/.test(location.search)"
    )
    page.mouse.move(5, 5)
    page.get_by_text("Pinned · Esc unpins").wait_for()
    told = page.locator(".compare .readout").inner_text()
    given = params(page)
    page = visit("compare", fresh=True, **given)
    page.get_by_text("Pinned · Esc unpins").wait_for()
    assert page.locator(".compare .readout").inner_text() == told
    assert page.get_by_label("log colour").is_checked()
    assert params(page) == given
    page.get_by_text(CHECKED).first.wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => !/cell=/.test(location.search)")


@pytest.mark.thorough
def test_a_storm_of_clicks_leaves_the_page_whole(visit: Visit) -> None:
    page = ready(visit("attention", text=TEXT, kind="cross", layer="0", head="0"))
    views = page.locator(".detail, .wall-heads, .map")
    views.evaluate_all("(all) => all.forEach((view) => { view.first = true; })")
    for turn in range(60):
        page.evaluate(PRESS, (turn % 3) + 1)
        page.wait_for_timeout((15, 90, 180, 330)[turn % 4])
    page.evaluate(PRESS, 1 if "1.1" in page.locator(".detail .card-title").inner_text() else 3)
    shown = page.locator(".detail .card-title").inner_text().split()[1]
    layer, head = shown.split(".")
    page.wait_for_function(
        "([layer, head]) => { const p = new URLSearchParams(location.search);"
        " return (p.get('layer') ?? '0') === layer && (p.get('head') ?? '0') === head; }",
        arg=[layer, head],
    )
    page.locator(".detail[data-numbers=exact]").wait_for()
    assert views.evaluate_all("(all) => all.map((view) => view.first)") == [True] * 3, "none was begun anew"
