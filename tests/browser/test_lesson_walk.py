"""Every step of every lesson, walked with N at the sizes of projectors, laptops and a phone, and what of it can be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from core.learning.lesson import Step, plain
from tests.browser.looking import Visit, quiet, ready
from tests.browser.test_slides import _HIDDEN
from ui.learn.shelf import shelf

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

SIZES: Final = ((1280, 720), (1366, 768), (1440, 900), (1920, 1080), (390, 844))
PHONE: Final = 590  # pixels of width below which a long picture scrolls in its card
SAMPLE: Final = ("masks.1", "masks.2", "cost.3", "story.6")

# What the panel shows: the words of each part that take room and are not hidden, and whether a scroll reaches all of them.
_PANEL: Final = """() => {
  const find = (wish, root = document) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.matches(wish)) return e;
      const inside = e.shadowRoot && find(wish, e.shadowRoot);
      if (inside) return inside;
    }
    return null;
  };
  const words = find('.lesson-words');
  const read = (wish) => [...words.querySelectorAll(wish)].filter((e) =>
    e.getBoundingClientRect().height > 4 && e.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  ).map((e) => e.innerText).join(' ').replace(/\\s+/g, ' ');
  const { bottom } = words.getBoundingClientRect();
  words.scrollTop = words.scrollHeight;
  const last = [...words.querySelectorAll('p, li, pre, button')].filter((e) => e.getBoundingClientRect().height > 4).at(-1);
  const reached = last.getBoundingClientRect().bottom <= bottom + 1;
  words.scrollTop = 0;
  const panel = find('.st-key-lesson').getBoundingClientRect();
  const card = find('[data-slide-card]').getBoundingClientRect();
  return {
    title: read('.lesson-title'), text: read('.lesson-text > *'), ask: read('.lesson-ask'), choices: read('.lesson-choice'),
    why: read('.lesson-why'), after: read('.lesson-question > p:not(.lesson-ask, .lesson-verdict)'), reached,
    apart: card.right <= panel.left + 1 || card.bottom <= panel.top + 1, card: [card.width, card.height],
  };
}"""


def runs(spans: object) -> list[str]:
    """The text between the measures of spans, as the panel spaces it."""
    parts = plain(spans, lambda name: "\0").split("\0")  # type: ignore[arg-type]
    return [part for each in parts if len(part := " ".join(each.split())) > 3]


def shows(seen: str, spans: object) -> None:
    seen = " ".join(seen.split())
    for part in runs(spans):
        assert part in seen, (part, seen)


def looked(page: Page, name: str, number: int) -> dict[str, object]:
    """What the panel shows once the step and its numbers are there."""
    page.wait_for_function(
        "name => new URLSearchParams(location.search).get('lesson') === name", arg=f"{name}.{number}"
    )
    page.locator(".lesson-counted", has_text=re.compile(rf"\b{number} (of|sur)\b")).wait_for()
    page.locator("[data-slide-card]").wait_for()
    page.wait_for_function("() => !document.querySelector('.lesson')?.innerText.includes('…')")
    return dict(quiet(page).evaluate(_PANEL))


def picture(page: Page, where: str, width: int) -> None:
    """The card beside the panel is whole; on a phone a long one may scroll in itself."""
    hidden = page.wait_for_function(_HIDDEN).json_value()
    if width >= PHONE:
        assert hidden == {"cut": [], "scrolls": []}, where


def walk(page: Page, name: str, number: int, step: Step, right: bool, width: int) -> None:
    """Read a step, answer it where it asks, and read it again."""
    where = f"{name}.{number} at {width}"
    seen = looked(page, name, number)
    shows(str(seen["title"]), step.title)
    for block in step.blocks:
        shows(str(seen["text"]), block.spans)
    assert seen["reached"] and seen["apart"] and min(seen["card"]) > 150, (where, seen)  # type: ignore[call-overload]
    if step.predict is None:
        assert not seen["ask"], where
        picture(page, where, width)
        return
    shows(str(seen["ask"]), step.predict.ask)
    for choice in step.predict.choices:
        shows(str(seen["choices"]), choice.spans)
    expected = step.predict.expected or 0
    chosen = expected if right else (expected + 1) % len(step.predict.choices)
    page.keyboard.press(str(chosen + 1))
    page.locator(".lesson-choice.holds").wait_for()
    seen = looked(page, name, number)
    for block in step.predict.then:
        shows(str(seen["after"]), block.spans)
    if not right:
        shows(str(seen["why"]), step.predict.choices[chosen].why)
    assert seen["reached"] and seen["apart"], (where, seen)
    picture(page, where, width)


@pytest.mark.thorough
@pytest.mark.parametrize("right", [True, False], ids=["right", "wrong"])
@pytest.mark.parametrize(("width", "height"), SIZES, ids=str)
def test_every_step_can_be_read_before_and_after_its_answer(
    visit: Visit, width: int, height: int, right: bool
) -> None:
    for name, lesson in shelf().lessons["en"].items():
        page = ready(visit(lesson=f"{name}.1", checkpoint="en-fr", width=width, height=height))
        for number, step in enumerate(lesson.steps, start=1):
            if number > 1:
                page.keyboard.press("n")
            if name == "tour":
                continue  # its steps show the whole page, which other tests look at
            walk(page, name, number, step, right, width)


def test_on_a_projector_a_reading_step_after_an_answer_and_the_widest_pictures_are_whole(
    visit: Visit,
) -> None:
    """After N from an answered step the text of the next is there; no column of Cost, no letter of the maps is missing."""
    page = None
    for name, number in (place.split(".") for place in SAMPLE):
        step = shelf().lessons["en"][name].steps[int(number) - 1]
        if page is not None and name == "masks":
            page.keyboard.press("n")
        else:
            page = visit(
                lesson=f"{name}.{number}",
                checkpoint="en-fr",
                width=1280,
                height=720,
                tab=page,
                shows=".lesson",
            )
        walk(page, name, int(number), step, right=False, width=1280)
    assert page is not None
    page.locator(".twin-causal canvas").first.wait_for()
    drawn = page.locator(".twin-causal canvas").evaluate_all(
        "(all) => all.map((canvas) => canvas.written.map(([, words]) => words).join(' '))"
    )
    assert len(drawn) == 2
    for words in drawn:
        letters = re.findall(r"\b[a-h]\b", words)
        assert sorted(letters) == sorted("cabhefg" * 2), (
            words
        )  # once beside its row and once above its column
