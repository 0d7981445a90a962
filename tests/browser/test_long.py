"""512 source and 512 target tokens in a real browser: every view is drawn, hovering answers, the limit is one sentence."""

from __future__ import annotations

import random
import re
import string
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import LONG_LIMIT
from tests.browser.looking import Visit, colours, count_messages, point, quiet, ready, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

TOKENS = 512


def letters(tokens: int, seed: int) -> str:
    """A text of that many tokens, the end token among them; with a space each it fits into a link."""
    return " ".join(random.Random(seed).choices(string.ascii_lowercase, k=tokens - 1))


def long_view(visit: Visit, page: str = "attention", **changes: str) -> Page:
    """A page on 512 × 512 tokens."""
    words = {"text": letters(TOKENS, 1), "strategy": "given", "target": letters(TOKENS, 2)}
    return ready(visit(page, **{"checkpoint": "long", **words, **changes}))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_the_wall_and_a_head_of_512_tokens_answer_at_once(visit: Visit, kind: str) -> None:
    page = long_view(visit, kind=kind, layer="0", head="0")
    assert page.get_by_text(f"{TOKENS} tokens").count() == 1
    heat, lines = page.locator(".detail-heat"), page.locator(".detail-lines")
    for canvas in (page.locator(".wall canvas").first, heat):
        assert colours(canvas) > 20
    page.get_by_role("button", name="Lines", exact=True).click()
    assert colours(lines) > 20
    page.get_by_role("button", name="Map", exact=True).click()
    told = page.locator(".detail .readout")
    quiet(page)
    sent = count_messages(page)
    heard = set()
    for share in (0.3, 0.5, 0.7, 0.9):
        page.mouse.move(*point(heat, share / 2 + 0.1, share))
        page.wait_for_timeout(80)
        heard.add(told.inner_text())
    assert len(heard) == 4, "each place has its own readout"
    for place in (0, 3, 6):
        page.locator(".wall-head").nth(place).hover()
        assert colours(page.locator(".wall-preview canvas")) > 5
    assert sent() == 0, "hovering asks nothing of the server"
    page.locator(".wall-head").nth(5).click()
    page.get_by_role("heading", name="Head 1.1").wait_for()
    wait_for_params(page, layer="1", head="1")
    assert colours(heat) > 20


@pytest.mark.thorough
def test_the_joint_view_of_512_tokens_steps(visit: Visit) -> None:
    page = long_view(visit, kind="joint", step="400")
    canvas = page.locator(".joint canvas")
    assert colours(canvas) > 20
    page.get_by_text(f"400 of {TOKENS}").wait_for()
    before = page.locator(".joint .readout").inner_text()
    page.keyboard.press("ArrowRight")
    page.get_by_text(f"401 of {TOKENS}").wait_for()
    assert page.locator(".joint .readout").inner_text() != before
    assert colours(canvas) > 20


@pytest.mark.thorough
def test_translate_and_compare_draw_512_tokens(visit: Visit) -> None:
    page = long_view(visit, "", step="500")
    page.locator(".play-count", has_text="step 500").wait_for()
    for canvas in page.locator(".stage canvas").all():
        assert colours(canvas) > 5
    page = long_view(visit, "compare", kind="cross", layer="0", head="0", against="1.1")
    assert page.locator(".compare-pane").count() == 3
    for place in range(3):
        assert colours(page.locator(".compare-pane canvas.picture").nth(2 * place)) > 20


@pytest.mark.thorough
@pytest.mark.parametrize("side", ["text", "target"])
def test_one_token_more_than_the_limit_is_one_sentence(visit: Visit, side: str) -> None:
    page = long_view(visit, **{side: letters(LONG_LIMIT, 3)})
    assert page.get_by_role("alert").count() == 0, "the limit itself is read"
    page = long_view(visit, **{side: letters(LONG_LIMIT + 1, 3)})
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert alert.count() == 1
    said = alert.inner_text()
    assert str(LONG_LIMIT + 1) in said and str(LONG_LIMIT) in said
    assert re.search(r"[Ss]horten or split it", said)
    assert page.locator('[data-testid="stException"]').count() == 0
    assert colours(page.locator(".wall canvas").first) > 5, "the example is shown in its place"
