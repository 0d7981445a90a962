"""A tab that is kept between tests is turned to the next address, and holds nothing of the test before."""

from __future__ import annotations

import pytest

from tests.browser.looking import Visit, params, ready
from tests.browser.tabs import Tabs

pytestmark = pytest.mark.turned
TEXT = "I am tired."


@pytest.fixture(autouse=True)
def _no_tab_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the tests before have turned the tab that is taken."""
    monkeypatch.setattr("tests.browser.tabs.SELDOM", 10_000)


@pytest.mark.thorough
def test_the_next_test_finds_the_tab_as_if_it_were_loaded(visit: Visit, tabs: Tabs) -> None:
    page = ready(visit(text=TEXT, step="2"))
    page.evaluate("() => { window.kept = 1; localStorage.setItem('left', '1'); }")
    page.get_by_label("Sentence to translate").fill("A draft nobody sent.")
    page.locator(".play-count").wait_for()
    page.get_by_role("button", name="Step (→)").click()
    page.locator(".play-count", has_text="step 3").wait_for()
    tabs.rest(keep=True)

    again = ready(visit(text=TEXT, step="2"))
    assert again is page and again.evaluate("window.kept") == 1, "turned, not loaded"
    assert params(again)["step"] == "2" and again.evaluate("localStorage.length") == 0
    again.locator(".play-count", has_text="step 2").wait_for()
    assert again.get_by_label("Sentence to translate").input_value() == TEXT
    tabs.rest(keep=False)
    assert page.is_closed(), "what a failed test leaves is not kept"


@pytest.mark.thorough
def test_a_fresh_tab_is_another_one(visit: Visit, tabs: Tabs) -> None:
    first = visit("lenses")
    tabs.rest(keep=True)
    assert visit("lenses", fresh=True) is not first
    assert visit("lenses") is first
