"""What a question of a lesson asks for is nowhere on the page before the reader has chosen; then it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from core.learning.lesson import TOUR, plain
from tests.browser.looking import Visit
from ui.learn.shelf import shelf

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

# Everything that a reader, a tooltip, a screen reader or a saved picture could get from the page.
_ALL = """() => {
  const deep = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
  const all = deep(document).filter((e) => !['STYLE', 'SCRIPT', 'NOSCRIPT'].includes(e.tagName));
  const words = all.flatMap((e) => [
    ...[...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent),
    ...['title', 'aria-label', 'aria-description', 'data-tip', 'alt'].map((name) => e.getAttribute(name) ?? ''),
  ]).filter((text) => text.trim());
  const count = (wish) => all.filter((e) => e.matches(wish)).length;
  return {
    words,
    cards: all.filter((e) => e.matches('.card') || /st-key-card_(?!checkpoint)/.test(e.className)).length,
    pictures: count('canvas, .js-plotly-plot, table'),
    downloads: count('.menu-open, [data-testid="stDownloadButton"]'),
    cells: count('.scene-picture rect[stroke-width="1"]'),
    pills: count('.scene-picture rect[rx="8"]'),
    verdicts: count('.lesson-verdict, .lesson-why, .lesson-number'),
    values: all.filter((e) => e.matches('.lesson-value')).map((e) => e.textContent),
  };
}"""


def questions() -> list[tuple[str, int, str]]:
    """Every question about a card, in turn in English and in French.

    That no text tells an answer is held for all of them by tests/ui/learn/test_lessons.py, and one line of app.py leaves
    out the page below every question alike.
    """
    asked: list[tuple[str, int, str]] = []
    for lesson in shelf().lessons["en"].values():
        for number, step in enumerate(lesson.steps):
            # The row that is computed by hand is shown as a table, without what is asked.
            if lesson.name != TOUR and step.predict is not None and step.drawn != "by_hand":
                asked.append((lesson.name, number, ("en", "fr")[len(asked) % 2]))
    return asked


def seen(page: Page) -> dict[str, Any]:
    """The page once the model has filled in its numbers and nothing more comes."""
    page.locator(".lesson-choice").first.wait_for()
    page.wait_for_function(
        f"() => {{ const {{ values, words }} = ({_ALL})(); return !values.includes('…') && !words.includes('The model is loading')"
        " && !words.includes('Le modèle se charge'); }",
        polling=120,  # it looks at the whole page
    )
    looks: list[dict[str, Any]] = []
    for _ in range(60):  # until it has stood still for three looks
        page.wait_for_timeout(120)
        looks.append(page.evaluate(_ALL))
        if len(looks) > 2 and looks[-1] == looks[-2] == looks[-3]:
            break
    return looks[-1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", [0.0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85])
def test_the_answer_is_absent_until_the_reader_has_chosen(visit: Visit, place: float) -> None:
    asked = questions()
    name, number, language = asked[int(place * len(asked))]
    step = shelf().lessons[language][name].steps[number]
    assert step.predict is not None
    tab = visit(width=1280, height=720, lesson=f"{name}.{number + 1}", language=language, checkpoint="en-fr")
    covered = seen(tab)
    assert covered["cards"] == 1, "the cover, and no card of the page"
    assert covered["pictures"] == covered["downloads"] == covered["verdicts"] == 0
    # Sentences that are said after the answer, cut at their first number.
    after = [plain(block.spans, lambda value: "\0") for block in step.predict.then]
    after += [plain(choice.why, lambda value: "\0") for choice in step.predict.choices]
    said = " ".join(covered["words"])
    for sentence in after:
        longest = max(sentence.split("\0"), key=len).strip()
        assert len(longest) > 8 and longest not in said, longest
    if step.drawn == "row":
        keys = 10  # of the sentence; the rows before the one asked for are there, and that one is not
        rows = int(step.link["step"])
        assert covered["cells"] == keys * (rows - 1)
        assert covered["pills"] == 1, "only the word that is written is marked"
    else:
        assert covered["cells"] == 0
    if step.drawn != "row" and language == "en":
        about_one = step.page not in ("learning", "tutorials")
        assert ("Sentence" in covered["words"]) == about_one, "a training and a write-up have none"
    # A wrong choice lifts the cover: its own sentence is there, and what was asked for.
    wrong = 0 if step.predict.expected != 0 else 1
    tab.locator(".lesson-choice").nth(wrong).click()
    tab.locator(".lesson-verdict").wait_for()
    tab.locator(".lesson-choice.wrong .lesson-why").wait_for()
    if step.drawn == "row":
        tab.wait_for_function(f"() => ({_ALL})().cells === {keys * rows}", polling=120)
