"""The explorer in a real browser: pins, keys, closing a head, comparing, and every file it gives away."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.browser.looking import Visit, choose, params, point, quiet, ready, saved

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.turned

TEXT = "I am tired."


def test_hover_sends_no_message_a_click_pins_and_escape_clears(visit: Visit) -> None:
    frames: list[object] = []
    page = visit("attention", fresh=True, text=TEXT, kind="cross", layer="0", head="0")
    # The socket of a reload is seen from its start.
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: frames.append(frame)))
    page.reload()
    heat = page.locator(".detail-heat")
    heat.wait_for()
    ready(page)
    quiet(page)
    assert frames, "the socket must be the one that is counted"
    frames.clear()
    told = page.locator(".detail .readout")
    before = told.inner_text()
    for share in (0.45, 0.6, 0.75, 0.9):
        page.mouse.move(*point(heat, share, share))
        page.wait_for_timeout(60)
    assert told.inner_text() != before
    for head in page.locator(".wall-head").all():
        head.hover()
    page.wait_for_timeout(500)
    assert frames == []
    page.get_by_role("button", name="Lines", exact=True).click()
    page.mouse.click(*point(page.locator(".detail-lines"), 0.2, 0.5))
    page.mouse.move(5, 5)
    page.get_by_text("Pinned · Esc unpins").wait_for()
    page.wait_for_function("() => /token=/.test(location.search)")
    page.keyboard.press("Escape")
    page.get_by_text("Pinned · Esc unpins").wait_for(state="detached")
    page.wait_for_function("() => !/token=/.test(location.search)")
    assert params(page)["head"] == "0", "the first Esc lets go of the pins and leaves the head open"


@pytest.mark.thorough
def test_a_head_closes_with_escape_or_a_second_click(visit: Visit) -> None:
    page = ready(visit("attention", text=TEXT, layer="1", head="0"))
    page.get_by_role("heading", name="Head 1.0").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => /layer=mean/.test(location.search) && /head=mean/.test(location.search)")
    page.get_by_role("heading", name="The mean of 4 heads").wait_for()
    page.locator(".wall-head").nth(1).click()
    page.get_by_role("heading", name="Head 0.1").wait_for()
    page.locator(".wall-head").nth(1).click()
    page.get_by_role("heading", name="The mean of 4 heads").wait_for()


def test_the_keyboard_moves_between_heads(visit: Visit) -> None:
    page = ready(visit("attention", text=TEXT, layer="0", head="0"))
    page.locator(".wall-head").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Head 1.1").wait_for()
    page.keyboard.press("?")
    page.get_by_text("Unpin, then close the head").wait_for()


def test_translate_gives_away_its_map(visit: Visit, tmp_path: Path) -> None:
    from core.model.trace import Trace

    page = ready(visit(text=TEXT, layer="1", head="mean", step="4"))
    page.get_by_role("button", name="Save ⤓").click()
    trace = Trace.load(saved(page, tmp_path, page.get_by_role("button", name="NPZ of every map").click))
    wanted = trace.stacked("decoder", "cross", "weights")[1].mean(axis=0)
    report = saved(page, tmp_path, page.get_by_role("button", name="HTML report, offline").click)
    assert report.read_text("utf-8").startswith("<!doctype html>")
    # Lines and map hold what is written so far: four steps, as the link says.
    for card in (0, 2):
        rows = pictures_and_table(page, page.locator(".stage .card").nth(card), tmp_path)
        assert len(rows) == 4 * wanted.shape[1]
        for row in rows:
            exact = wanted[int(row["query_position"]), int(row["key_position"])]
            assert abs(float(row["value"]) - exact) <= 1e-5
        assert [row["key"] for row in rows[: wanted.shape[1]]] == list(trace.tokens.source)
        assert {row["query_writes"] for row in rows} == set(trace.tokens.written[:4])
    words = pictures_and_table(page, page.locator(".stage .card").nth(1), tmp_path)
    assert [row["rank"] for row in words[:3]] == ["1", "2", "3"]
    assert [row["token"] for row in words if row["written"]] == [trace.tokens.written[3]]


def pictures_and_table(page: Page, card: Locator, folder: Path) -> list[dict[str, str]]:
    """Saves a card as PNG and SVG, and returns its CSV."""
    paths = []
    for place, ending in enumerate(("png", "svg", "csv")):
        card.locator(".menu-open").click()
        paths.append(saved(page, folder, card.locator(".menu-item:visible").nth(place).click))
        assert paths[-1].suffix == f".{ending}"
    assert paths[0].read_bytes().startswith(b"\x89PNG") and paths[0].stat().st_size > 2000
    drawing = ElementTree.parse(paths[1]).getroot()
    assert drawing.tag.endswith("svg") and len(list(drawing.iter())) > 20
    return list(csv.DictReader(io.StringIO(paths[2].read_text("utf-8-sig"))))


def test_the_beam_tree_gives_away_every_hypothesis(visit: Visit, tmp_path: Path) -> None:
    page = ready(visit(text="A man.", strategy="beam"))
    card = page.locator(".card", has_text="Every hypothesis the beam considered")
    card.wait_for()
    rows = pictures_and_table(page, card, tmp_path)
    assert rows[0]["parent"] == "" and rows[0]["step"] == "0"
    by_id = {row["id"]: row for row in rows}
    best = max((row for row in rows if row["best"] == "yes"), key=lambda row: int(row["step"]))
    total = float(best["log_probability"])
    while best["parent"]:
        parent = by_id[best["parent"]]
        assert int(parent["step"]) == int(best["step"]) - 1
        assert float(parent["log_probability"]) >= float(best["log_probability"]) and parent["best"] == "yes"
        best = parent
    assert best["step"] == "0" and total < 0


def test_the_report_needs_no_network_and_makes_no_error(visit: Visit, tmp_path: Path) -> None:
    hostile = "A <script>window.__ran=1</script> man </script><img src=x onerror=window.__ran=1>"
    page = ready(visit("attention", text=hostile))
    page.get_by_role("button", name="Save ⤓").click()
    path = saved(page, tmp_path, page.get_by_role("button", name="HTML report, offline").click)
    assert path.stat().st_size < 1_500_000
    tab = page.context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(path.as_uri())
    tab.locator("#detail-cross .detail-heat").wait_for()
    tab.wait_for_timeout(500)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert complaints == []
    assert tab.evaluate("window.__ran") is None
    assert page.evaluate("window.__ran") is None


@pytest.mark.thorough
def test_what_is_compared_is_chosen_on_the_page(visit: Visit) -> None:
    page = ready(visit("compare", text=TEXT, kind="cross", layer="0", head="0", against="1.1"))
    choose(page, "Compare", "Two sentences")
    page.wait_for_function("() => /versus=sentence/.test(location.search)")
    page.get_by_label("second sentence").fill("The dog.")
    page.get_by_label("second sentence").press("Enter")
    page.wait_for_function("() => /other_text=The/.test(location.search)")
    page.get_by_text("“The dog.”", exact=True).first.wait_for()
    choose(page, "Compare", "Two steps")
    page.get_by_text("head ↓").first.wait_for()


@pytest.mark.thorough
def test_the_title_and_the_readout_of_a_comparison_tell_the_same_cell(visit: Visit) -> None:
    for against in ("0.1", "1.0", "1.1"):
        page = ready(visit("compare", text=TEXT, kind="cross", layer="0", head="0", against=against))
        title = page.locator(".compare .card-title").inner_text()
        told = page.locator(".compare .readout").inner_text()
        key, points, more = re.findall(r"gives (.+?) (\d+) points? (more|less) than", title)[0]
        assert key.split(" (token")[0] in told
        assert f"{'+' if more == 'more' else '−'}{points} points" in told, (title, told)
