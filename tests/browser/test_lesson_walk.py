"""Every step of every lesson, walked with N at the sizes of projectors, laptops and a phone, and what of it can be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from core.learning.lesson import Step, plain
from tests.browser.looking import Visit, quiet
from tests.browser.test_slides import _HIDDEN
from tests.ui.learn.test_lessons import LESSONS
from ui.learn.shelf import shelf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

SIZES: Final = ((1280, 720), (1366, 768), (1440, 900), (1920, 1080), (390, 844))
PATIENCE: Final = 240_000  # milliseconds for a step: the first picture of a page loads what draws it
FITS: Final = 350  # milliseconds in which a card is fitted to a new size (ui/web/base/slide.ts)
PHONE: Final = 590  # pixels of width below which a long picture scrolls in its card
SAMPLE: Final = ("masks.1", "masks.2", "cost.3", "story.9")

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
    crowded: words.closest('.lesson').classList.contains('crowded'), apart: card.right <= panel.left + 1 || card.bottom <= panel.top + 1, card: [card.width, card.height],
  };
}"""


def missing(seen: object, spans: object) -> list[str]:
    """The runs of text between the measures of spans that are not in what is seen, as the panel spaces it."""
    text = " ".join(str(seen).split())
    parts = plain(spans, lambda name: "\0").split("\0")  # type: ignore[arg-type]
    return [run for part in parts if len(run := " ".join(part.split())) > 3 and run not in text]


def arrived(page: Page, name: str, number: int) -> None:
    """Wait until the step, its numbers and its card are there."""
    page.wait_for_function(
        "name => new URLSearchParams(location.search).get('lesson') === name",
        arg=f"{name}.{number}",
        timeout=PATIENCE,
    )
    page.locator(".lesson-counted", has_text=re.compile(rf"\b{number} (of|sur)\b")).wait_for(timeout=PATIENCE)
    page.locator("[data-slide-card]").wait_for(timeout=PATIENCE)
    numbers = "() => !document.querySelector('.lesson')?.innerText.includes('…')"
    page.wait_for_function(numbers, timeout=PATIENCE)
    quiet(page)


def faults(page: Page, step: Step, chosen: int | None, width: int) -> list[str]:
    """What of the step cannot be read at this size. `chosen` is the answer that was given, None before."""
    seen = page.evaluate(_PANEL)
    wrong = [f"missing: {run}" for run in missing(seen["title"], step.title)]
    if chosen is None:  # once answered, the answers may take the room of the text
        wrong += [f"missing: {run}" for block in step.blocks for run in missing(seen["text"], block.spans)]
    if step.predict is None:
        wrong += ["a question of another step"] * bool(seen["ask"])
    else:
        asked = [(seen["ask"], step.predict.ask)]
        # On a low screen without room for more the other wrong answers make it once one is given.
        may_fold = (
            PHONE < width < SIZES[3][0] and seen["crowded"] and chosen not in (None, step.predict.expected)
        )
        asked += [
            (seen["choices"], choice.spans)
            for number, choice in enumerate(step.predict.choices)
            if not may_fold or number in (chosen, step.predict.expected)
        ]
        if chosen is not None:
            asked += [(seen["after"], block.spans) for block in step.predict.then]
            if chosen != step.predict.expected:
                asked.append((seen["why"], step.predict.choices[chosen].why))
        wrong += [f"missing: {run}" for text, spans in asked for run in missing(text, spans)]
    wrong += [name for name in ("reached", "apart") if not seen[name]]
    wrong += [f"a card of {seen['card']}"] * (min(seen["card"]) <= 150)
    hidden = not_seen(page)
    if width >= PHONE and step.link.get("full") == "two_trainings" and (chosen is not None):
        wrong += dropped_letters(page)
    if width >= PHONE:  # on a phone a long picture may scroll in its card
        wrong += [f"{way}: {each}" for way, all_of_it in hidden.items() for each in all_of_it]
    return wrong


def not_seen(page: Page) -> dict[str, list[str]]:
    """What of the card is cut, covered or too small, after two seconds in which a busy machine may still be fitting it."""
    for _ in range(10):
        hidden: dict[str, list[str]] = page.wait_for_function(_HIDDEN).json_value()
        if not any(hidden.values()):
            break
        page.wait_for_timeout(200)
    return hidden


def dropped_letters(page: Page) -> list[str]:
    """The maps of the two trainings whose letters are not each once beside its row and once above its column."""
    page.locator(".twin-causal canvas").first.wait_for()
    drawn = page.locator(".twin-causal canvas").evaluate_all(
        "(all) => all.map((canvas) => canvas.written.map(([, words]) => words).join(' '))"
    )
    assert len(drawn) == 2
    return [
        f"letters of a map: {words}"
        for words in drawn
        if sorted(re.findall(r"\b[a-h]\b", words)) != sorted("cabhefg" * 2)
    ]


def at_sizes(page: Page, step: Step, chosen: int | None, sizes: Sequence[tuple[int, int]]) -> list[str]:
    """The faults at each of these sizes of the window; the page already has the first one."""
    wrong: list[str] = []
    for at, (width, height) in enumerate(sizes):
        if at:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(FITS)
            quiet(page)
        wrong += [f"{width} × {height}: {each}" for each in faults(page, step, chosen, width)]
    return wrong


def answer(page: Page, step: Step, right: bool) -> int:
    """Press a choice and wait for its verdict; returns the choice, from 0."""
    assert step.predict is not None
    expected = step.predict.expected or 0
    chosen = expected if right else (expected + 1) % len(step.predict.choices)
    page.keyboard.press(str(chosen + 1))
    page.locator(".lesson-choice.holds").wait_for(timeout=PATIENCE)
    return chosen


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("right", "language"),
    [(True, "en"), (False, "en"), (False, "fr")],
    ids=["right", "wrong", "french"],
)
@pytest.mark.parametrize("name", [name for name in LESSONS if name != "exercises"])  # they show whole pages
def test_every_step_can_be_read_before_and_after_its_answer(
    visit: Visit, name: str, right: bool, language: str
) -> None:
    """From step to step with N; each step is come to at another size, and then seen at the others; in French at one."""
    wrong: dict[str, list[str]] = {}
    (width, height), page = SIZES[0], None
    every = SIZES if language == "en" else SIZES[:1]
    for number, step in enumerate(shelf().lessons[language][name].steps, start=1):
        at = number % len(every)
        sizes = (*every[at:], *every[:at])
        if page is None:
            link = {"lesson": f"{name}.1", "language": language, "checkpoint": "en-fr"}
            page = visit(width=width, height=height, shows=".lesson", **link)
        page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})
        if number > 1:
            page.keyboard.press("n")
        arrived(page, name, number)
        before = right or step.predict is None or language != "en"
        found = at_sizes(page, step, None, sizes) if before else []
        if step.predict is not None:
            page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})
            chosen = answer(page, step, right)
            arrived(page, name, number)
            found += at_sizes(page, step, chosen, sizes)
        if found:
            wrong[f"{name}.{number}"] = found
    assert page is not None
    page.set_viewport_size({"width": width, "height": height})
    assert not wrong


@pytest.mark.thorough
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
        arrived(page, name, int(number))
        assert not faults(page, step, None, 1280), (name, number)
        if step.predict is not None:
            chosen = answer(page, step, right=False)
            arrived(page, name, int(number))
            assert not faults(page, step, chosen, 1280), (name, number)
