"""Lessons in Chromium: the panel beside the page, its keys, a question, the phone, the tour that is offered once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import WAIT
from tests.browser.looking import ELEMENT, Visit, params, quiet, ready, wait_for_params
from tests.browser_code import code_of
from ui.learn.shelf import shelf

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.turned

TEXT = "I am tired."


def title(page: Page, words: str) -> None:
    page.locator(".lesson-title", has_text=words).wait_for()


def whole(page: Page) -> Page:
    """The page itself beside the lesson: Esc leaves the card that the lesson shows."""
    page.locator("[data-slide-card]").wait_for()
    ready(page).keyboard.press("Escape")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('full')")
    return quiet(page)


def titles(name: str, language: str = "en") -> list[str]:
    from core.learning.lesson import plain

    return [plain(step.title) for step in shelf().lessons[language][name].steps]


def boxes_apart(page: Page, first: str, second: str) -> bool:
    """Whether two things of the page do not lie over one another."""
    a, b = page.locator(first).first.bounding_box(), page.locator(second).first.bounding_box()
    assert a and b
    return (
        a["x"] + a["width"] <= b["x"] + 1
        or b["x"] + b["width"] <= a["x"] + 1
        or a["y"] + a["height"] <= b["y"] + 1
        or b["y"] + b["height"] <= a["y"] + 1
    )


def test_a_lesson_is_walked_through_by_keys_and_buttons(visit: Visit) -> None:
    page = ready(visit(lesson="masks.1"))
    names = titles("masks")
    title(page, names[0])
    wait_for_params(page, kind="causal", lesson="masks.1")
    assert page.url.split("?")[0].endswith("/attention")
    # What is asked for is covered; nothing lies over anything.
    page.locator("[data-slide-card].scene").wait_for()
    assert boxes_apart(page, ".st-key-lesson", "[data-slide-card]")
    page.keyboard.press("n")
    title(page, names[1])
    wait_for_params(page, lesson="masks.2", draw="masked")
    # A card of the real page stands beside the panel, whole.
    page.locator("[data-slide-card].detail canvas:visible").first.wait_for()
    assert boxes_apart(page, ".st-key-lesson", "[data-slide-card]")
    assert page.locator("[data-slide-card]").evaluate("(n) => n.scrollHeight <= n.clientHeight + 1")
    page.get_by_role("button", name="Next (N)").click()
    title(page, names[2])
    wait_for_params(page, lesson="masks.3", pins="q0")
    page.keyboard.press("p")
    title(page, names[1])
    page.locator(".lesson-dot").nth(4).click()
    title(page, names[4])
    wait_for_params(page, lesson="masks.5", edits="n")
    assert page.url.split("?")[0].endswith("/what_if")
    # The last one leads to all lessons; the cross leaves the view as it is.
    page.locator(".lesson-dot").nth(5).click()
    title(page, names[5])
    page.get_by_role("button", name="All lessons (N)").click()
    page.locator(".lesson-number").first.wait_for()
    assert page.locator(".st-key-lesson").count() == 0
    assert "lesson" not in params(page)


# Draws the panel at each step that is named by a number, presses a key that is named by a letter; what it then asked for.
_ASKED = """(steps) => {{
  {code}
  {element}
  const asked = [];
  const [titles, asks] = [['a', 'b', 'c', 'd', 'e'], [false, false, false, false, false]];
  const lesson = {{ lesson: 'masks', title: [], blocks: [], question: null, titles, asks, answered: asks, words: {{}}, code: null }};
  const said = {{ counted: '', kind: 'cross', language: 'en' }};
  for (const step of steps) {{
    const data = {{ fields: {{ ...lesson, ...said, step }}, arrays: [] }};
    const given = {{ parentElement, data, setTriggerValue: (_, value) => asked.push(value), setStateValue() {{}} }};
    if (typeof step === 'number') {lesson}.default(given);
    else document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: step, bubbles: true, composed: true }}));
  }}
  parentElement.remove();
  return asked.map(({{ way, number }}) => way === 'step' ? number : way);
}}"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("steps", "asked"),
    [
        ([0, "n", "n"], [1, 2]),
        ([0, "n", 0, "n"], [1, 2]),  # drawn again before the first press is answered
        ([0, "n", "n", 1, "n"], [1, 2, 3]),  # the answer to the first press comes after the second
        ([0, "n", "n", 2, "p"], [1, 2, 1]),
        ([0, "n", 1, 3, "n"], [1, 4]),  # a link, or the browser's Back, has led elsewhere
        ([0, "n", 1, 0, "n"], [1, 1]),
        ([4, "n"], ["home"]),
    ],
)
def test_every_press_counts_however_late_the_page_is_drawn(
    chromium: Browser, steps: list[int | str], asked: list[int | str]
) -> None:
    code, lesson = code_of("../learn/lesson.ts")
    page = chromium.new_page()
    assert page.evaluate(_ASKED.format(code=code, element=ELEMENT, lesson=lesson), steps) == asked
    page.close()


@pytest.mark.thorough
def test_a_prediction_is_answered_and_judged_by_the_model(visit: Visit) -> None:
    page = ready(visit(lesson="masks.1"))
    title(page, titles("masks")[0])
    assert page.locator(".lesson-choice").count() == 3
    assert page.locator(".lesson-verdict").count() == 0
    page.keyboard.press("2")
    page.locator(".lesson-verdict", has_text="This model gives 0.000. You answered otherwise.").wait_for()
    wait_for_params(page, answers="1-2")
    choices = page.locator(".lesson-choice")
    assert "holds" in (choices.nth(0).get_attribute("class") or "")
    assert "chosen" in (choices.nth(1).get_attribute("class") or "")
    assert "other" in (choices.nth(2).get_attribute("class") or "")
    # The link alone restores it; the answer of one step is not that of another.
    page.reload()
    page.locator(".lesson-verdict", has_text="You answered otherwise.").wait_for()
    page.keyboard.press("n")
    page.keyboard.press("n")
    title(page, titles("masks")[2])
    assert page.locator(".lesson-verdict").count() == 0
    page.locator(".lesson-choice").nth(2).click()
    page.locator(".lesson-verdict", has_text="That was your answer.").wait_for()
    wait_for_params(page, answers="1-2,3-3")


@pytest.mark.thorough
def test_the_page_of_lessons_begins_another_one_without_the_answers_of_the_first(visit: Visit) -> None:
    page = ready(visit("lessons", lesson="masks.2", answers="1-2", text=TEXT))
    title(page, titles("masks")[1])
    page.locator(".st-key-lessons").get_by_role("button", name="begin").first.click()
    title(page, titles("attention")[0])
    wait_for_params(page, lesson="attention.1", step="6")
    assert "answers" not in params(page)


@pytest.mark.thorough
def test_a_value_of_the_text_is_that_of_the_page_and_typing_is_no_key_of_the_lesson(visit: Visit) -> None:
    page = whole(visit(lesson="attention.1", answers="1-1"))
    _, tokens = page.locator(".lesson-text .lesson-value").all_inner_texts()
    written = page.locator(".lesson-ask .lesson-value").inner_text()
    current = page.locator(".token.current")
    current.wait_for()
    assert current.inner_text().strip() == written.strip("·") != ""
    assert page.get_by_role("group", name="Source words").locator(".token").count() == int(tokens)
    box = page.get_by_label("Sentence to translate")
    box.click()
    page.keyboard.type("n1p")
    assert box.input_value().endswith("n1p")
    assert params(page)["lesson"] == "attention.1" and params(page)["answers"] == "1-1"


@pytest.mark.thorough
def test_the_reader_may_wander_and_come_back(visit: Visit) -> None:
    page = whole(visit(lesson="masks.2"))
    title(page, titles("masks")[1])
    page.locator(".wall-head").first.wait_for()
    assert boxes_apart(page, ".st-key-lesson", '[data-testid="stMainBlockContainer"]')
    page.locator(".map-block[data-kind=cross]").click()
    wait_for_params(page, lesson="masks.2")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('kind')")
    title(page, titles("masks")[1])
    page.get_by_role("button", name="Show the view of this step again").click()
    wait_for_params(page, kind="causal", full="detail")


def test_a_link_of_an_answered_step_shows_its_page_and_keeps_the_answer(visit: Visit) -> None:
    """Of a step with a picture of its own, which stands in place of the page until the link is followed."""
    page = visit(lesson="story.6", answers="6-2", checkpoint="en-fr", shows=".lesson")
    page.locator(".atlas-scores").wait_for()
    page.locator(".lesson-question a", has_text="look inside").click()
    page.get_by_role("heading", name="Why does “le” look").wait_for()
    page.locator(".lesson-choice.holds").wait_for()
    assert params(page)["answers"] == "6-2"


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1100)])
def test_on_a_narrow_screen_the_lesson_is_a_sheet_that_folds(visit: Visit, width: int, height: int) -> None:
    page = ready(visit(width=width, height=height, lesson="norms.2"))
    title(page, titles("norms")[1])
    box = page.locator(".st-key-lesson").bounding_box()
    assert box and box["x"] == 0 and box["width"] == width
    assert box["y"] + box["height"] == pytest.approx(height, abs=1)
    assert box["height"] <= 0.5 * height, "half of the screen is the page's"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    card = page.locator("[data-slide-card]").bounding_box()
    assert card and card["y"] + card["height"] <= box["y"] + 1, "the sheet lies over nothing"
    for name in ("Next (N)", "Back (P)", "Close the lesson", "Fold the text"):
        found = page.get_by_role("button", name=name).bounding_box()
        assert found and found["height"] >= 24 and found["width"] >= 24, name
    page.get_by_role("button", name="Fold the text").click()
    folded = page.locator(".st-key-lesson").bounding_box()
    assert folded and folded["height"] < 150 and not page.locator(".lesson-words").is_visible()
    # The end of the page can be scrolled out from under the sheet.
    page.get_by_role("button", name="Show the text").click()
    page.locator(".lesson-words").wait_for()
    pad = page.locator('[data-testid="stMainBlockContainer"]').evaluate(
        "(n) => parseFloat(getComputedStyle(n).paddingBottom)"
    )
    assert pad >= box["height"]


@pytest.mark.thorough
def test_in_a_hall_a_remote_control_turns_the_pages_and_french_stays(visit: Visit) -> None:
    page = ready(visit(width=1920, height=1080, lesson="masks.1", presenter="1", language="fr"))
    names = titles("masks", "fr")
    title(page, names[0])
    page.keyboard.press("PageDown")
    title(page, names[1])
    wait_for_params(page, lesson="masks.2", presenter="1", language="fr")
    assert page.locator(".lesson").get_attribute("lang") == "fr"
    page.keyboard.press("PageUp")
    title(page, names[0])
    small = page.evaluate(
        """() => { let least = 99; const walk = (root) => { for (const e of root.querySelectorAll('*')) {
        if (e.shadowRoot) walk(e.shadowRoot);
        if (!e.closest('.lesson') || e.closest('[hidden]')) continue;
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (own) least = Math.min(least, parseFloat(getComputedStyle(e).fontSize)); } }; walk(document); return least; }"""
    )
    assert small >= 18


@pytest.fixture
def first_visit(chromium: Browser, server: str) -> Iterator[Page]:
    """A browser that has never been here."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(server)
    yield page
    context.close()


@pytest.mark.thorough
def test_the_tour_is_offered_once_after_the_first_sentence(first_visit: Page, server: str) -> None:
    page, offer = first_visit, first_visit.locator(".tour")
    page.get_by_role("button", name="Play or pause (Space)").wait_for()
    offer.wait_for(state="attached")
    ended = page.locator(".play-count", has_text=re.compile(r"^(\d+) of \1$"))
    assert not offer.is_visible() or ended.count(), "not while the first sentence writes itself"
    ended.wait_for()
    offer.wait_for(state="visible")
    assert boxes_apart(page, ".tour", ".st-key-sentence") and boxes_apart(page, ".tour", ".play")
    offer.get_by_role("button", name="Start the tour").click()
    title(page, titles("tour")[0])
    wait_for_params(page, lesson="tour.1", step="6")
    # Another visit of the same browser is left in peace.
    page.goto(server)
    ended.wait_for()
    page.wait_for_timeout(2000)
    assert not page.locator(".tour").is_visible()


@pytest.mark.thorough
def test_a_link_is_offered_no_tour(context: BrowserContext, server: str) -> None:
    """Which links are not: tests/pages/test_lessons.py."""
    page = context.new_page()
    page.goto(f"{server}/?text=I+am+tired.")
    page.locator(".atlas .stage-root > *:visible, .wall-head:visible").first.wait_for()
    assert ready(page).locator(".tour").count() == 0
    assert page.evaluate("localStorage.getItem('atlas-tour')") is None
    page.close()
