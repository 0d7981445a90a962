"""The app in a real browser: links open what they name, markup never runs, nothing goes to the server on hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.looking import Visit, count_messages, params, quiet, ready, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, WebSocketRoute

PAGES = ("", "attention", "compare", "positions")


def steps_shown(page: Page) -> int:
    """How many words are written on the stage, from “3 of 12” or, while more may come, “step 3”."""
    words = page.locator(".play-count").inner_text()
    return int(words.removeprefix("step ").split()[0])


@pytest.mark.thorough
@pytest.mark.turned
def test_hover_sends_nothing_to_the_server(visit: Visit) -> None:
    page = ready(visit(text="I am tired.", step="4", kind="cross"))
    sent = count_messages(page)
    for place in page.locator(".atlas canvas").all():
        box = place.bounding_box()
        if not box or box["width"] < 60 or box["y"] > 1000:
            continue
        for share in (0.2, 0.4, 0.6, 0.8):
            page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * share)
            page.wait_for_timeout(60)
    for token in page.locator(".token").all()[:8]:
        if token.is_visible():
            token.hover()
    page.wait_for_timeout(500)
    assert sent() == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["", "attention"])  # of every page: tests/pages/test_pages.py
def test_a_deep_link_is_restored(visit: Visit, name: str) -> None:
    link = {"text": "I am tired.", "kind": "encoder", "layer": "1", "head": "0", "token": "s2", "step": "3"}
    page = ready(visit(name, **link))
    assert params(page) == {"checkpoint": "tiny", **link}
    if name == "attention":
        page.get_by_role("heading", name="Head 1.0").wait_for()
    if not name:
        assert page.get_by_label("Sentence to translate").input_value() == "I am tired."
        assert steps_shown(page) == 3


COMPARED = {
    "head": ({"layer": "0", "head": "1", "against": "1.0"}, ["Two heads", "head 0.1", "head 1.0"]),
    "sentence": ({"other_text": "The dog.", "layer": "1", "head": "1"}, ["Two sentences", "head 1.1"]),
    "step": (
        {"step": "3", "other_step": "1", "layer": "1"},
        ["Two steps", "step 3", "step 1", "heads of layer 1"],
    ),
    "checkpoint": (
        {"other_checkpoint": "rtl", "layer": "0", "head": "1"},
        ["Two checkpoints", "tiny and rtl", "head 0.1"],
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("versus", COMPARED)
def test_a_link_to_a_comparison_is_restored(visit: Visit, versus: str) -> None:
    more, picked = COMPARED[versus]
    link = {"text": "I am tired.", "kind": "causal", "words": "1", **more}
    if versus != "head":  # what a page shows by itself is not written down
        link["versus"] = versus
    page = ready(visit("compare", **link))
    page.locator(".compare-pane").first.wait_for()
    assert params(page) == {"checkpoint": "tiny", **link}
    lists = page.locator(".st-key-compare_options [data-testid=stSelectbox] input")
    shown = [each.input_value() for each in lists.all()]
    assert len(shown) == len(picked)
    assert all(value.startswith(start) for value, start in zip(shown, picked, strict=True)), shown
    if versus == "sentence":
        assert page.get_by_label("second sentence").input_value() == "The dog."
        page.reload()
        page.locator(".compare-pane").first.wait_for()
        assert params(page) == {"checkpoint": "tiny", **link}


@pytest.mark.thorough
@pytest.mark.parametrize(("alias", "page"), [("translate", ""), ("models", "checkpoints")])
def test_a_place_opens_by_its_own_name_too(visit: Visit, alias: str, page: str) -> None:
    opened = visit(alias, text="I am tired.", shows=".stMain h3, .stage")
    opened.wait_for_url(f"**/{page}?*")
    assert params(opened) == {"checkpoint": "tiny", "text": "I am tired."}


def test_the_selection_moves_along_and_back_returns(visit: Visit) -> None:
    page = ready(visit(text="I am tired."))
    page.get_by_role("link", name="Attention").click()
    page.get_by_text("0 of 4 heads give one token over half").wait_for()
    assert params(page)["text"] == "I am tired."
    page.locator(".map-block").nth(1).click()
    wait_for_params(page, kind="encoder", text="I am tired.")
    quiet(ready(page))
    page.go_back()
    page.wait_for_function("() => !/kind=encoder/.test(location.search)")
    page.locator(".map-block[data-kind=cross][aria-current=true]").wait_for()
    assert params(page)["text"] == "I am tired."


@pytest.mark.thorough
def test_back_stands_though_the_run_before_it_writes_its_address_late(
    context: BrowserContext, server: str
) -> None:
    page = context.new_page()
    written: list[bytes] = []

    def pass_on(route: WebSocketRoute) -> None:
        there = route.connect_to_server()

        def from_server(message: str | bytes) -> None:
            told = ForwardMsg.FromString(message if isinstance(message, bytes) else message.encode())
            if "kind=encoder" in told.page_info_changed.query_string:
                written.append(told.SerializeToString())
            route.send(message)

        def from_page(message: str | bytes) -> None:
            asked = BackMsg.FromString(message if isinstance(message, bytes) else message.encode())
            there.send(message)
            if asked.rerun_script.is_history_navigation:
                route.send(written[-1])  # what a run that Back breaks off had sent arrives now

        there.on_message(from_server)
        route.on_message(from_page)

    page.route_web_socket(lambda address: address.endswith("/_stcore/stream"), pass_on)
    page.goto(f"{server}/attention?checkpoint=tiny&text=I+am+tired.")
    ready(page).locator(".map-block").nth(1).click()
    wait_for_params(page, kind="encoder", text="I am tired.")
    quiet(page)
    page.go_back()
    page.locator(".map-block[data-kind=cross][aria-current=true]").wait_for()
    page.wait_for_function("() => !/kind=encoder/.test(location.search)")
    # The next event carries the address that stands there, and nothing returns to what Back left.
    page.locator(".map-block[data-kind=causal]").first.click()
    wait_for_params(page, kind="causal", text="I am tired.")
    page.close()


@pytest.mark.turned
def test_markup_in_a_sentence_never_runs(visit: Visit) -> None:
    text = "<img src=x onerror=window.__ran=1> <script>window.__ran=1</script>"
    other = {"versus": "sentence", "other_text": "<img src=y onerror=window.__ran=1>", "words": "1"}
    for name in PAGES:
        page = quiet(visit(name, text=text, **other))
        assert page.evaluate("window.__ran") is None


@pytest.mark.thorough
def test_figures_follow_a_switch_to_dark_at_once(visit: Visit) -> None:
    page = ready(visit("positions", text="I am tired."))
    page.locator(".js-plotly-plot .ytick text").first.wait_for()
    quiet(page)
    # Null while a chart is drawn anew.
    ink = "[...document.querySelectorAll('.js-plotly-plot .ytick text')].map((e) => getComputedStyle(e).fill)[0] ?? null"
    light = page.evaluate(ink)
    sent = count_messages(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => ![null, {light!r}].includes({ink})")
    quiet(page)
    page.wait_for_timeout(300)
    assert sent() == 1, "one run a switch"
