"""The first minute: a sentence writes itself, rests on its translation, and tells nothing of a word before it is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.golden_model import NAME, OTHER_TEXT, TEXT
from tests.browser.looking import Visit, params, ready, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

OVER = re.compile(r"^(\d+) of \1$")

# Takes down, thirty times a second, what the stage says.
_WATCH = """() => {
  window.__seen = [];
  const deep = (root, wish) => {
    const found = root.querySelector(wish);
    if (found) return found;
    for (const each of root.querySelectorAll('*')) {
      const inside = each.shadowRoot && deep(each.shadowRoot, wish);
      if (inside) return inside;
    }
    return null;
  };
  const stage = deep(document, '.stage');
  const look = () => window.__seen.push([
    performance.now(),
    stage.querySelector('.play-count').textContent,
    stage.querySelector('.stage-text').firstChild?.textContent ?? '',
  ]);
  window.__watch = setInterval(look, 33);
}"""
# Everything of the page that can be read, seen or heard, without the candidates for the next word.
_SAID = """() => {
  const said = [];
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return said.push(node.textContent);
    if (node.nodeType !== Node.ELEMENT_NODE && node.nodeType !== Node.DOCUMENT_FRAGMENT_NODE) return;
    if (node.matches?.('script, style, .bars, .keys, [data-testid="stSidebar"]')) return;
    for (const { name, value } of node.attributes ?? []) {
      if (/^(aria-.*|title|alt|placeholder|value|max|data-.*)$/.test(name)) said.push(value);
    }
    if (node.shadowRoot) read(node.shadowRoot);
    node.childNodes.forEach(read);
  };
  read(document.body);
  return said;
}"""


def enter(page: Page, text: str) -> None:
    box = page.get_by_label("Sentence to translate")
    box.fill(text)
    box.press("Enter")


def count(page: Page) -> str:
    return page.locator(".play-count").inner_text()


def written(page: Page) -> list[str]:
    """The words on the stage, below the lines."""
    return page.locator('.lines-row[aria-label="Written words"] .token').all_inner_texts()


def told_ahead(page: Page, labels: list[str], step: int) -> list[str]:
    """Words of the translation behind `step` that the page gives away, and its length."""
    said: list[str] = page.evaluate(_SAID)
    later = {label for label in labels[step:] if len(label) > 2 and label not in labels[:step]}
    later -= {"⟨end⟩"}  # also the last word of the source
    found = [each for each in said for label in later if re.search(rf"\b{re.escape(label)}\b", each)]
    return found + [each for each in said if re.search(rf"\d of {len(labels)}\b", each)]


def test_a_sentence_writes_itself_and_nothing_is_told_before_it_is_written(visit: Visit) -> None:
    page = ready(visit(checkpoint=NAME, text=OTHER_TEXT))
    icons = page.locator(".play .button path").evaluate_all("(all) => all.map((p) => p.getAttribute('d'))")
    assert len(icons) == len(set(icons)) == 5, "no two controls look alike"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(_WATCH)
    enter(page, TEXT)
    wait_for_params(page, text=TEXT)
    page.locator(".play-count", has_text=re.compile(r"^step")).wait_for()
    page.locator(".play-count", has_text=OVER).wait_for()
    seen: list[list[Any]] = page.evaluate("() => { clearInterval(window.__watch); return window.__seen; }")
    labels, sentence = written(page), page.locator(".stage-text").inner_text()
    assert count(page) == f"{len(labels)} of {len(labels)}" and len(sentence.split()) >= 4

    begins = next(place for place, (_, said, _) in enumerate(seen) if said == "step 1")
    ends = next(place for place, (_, said, _) in enumerate(seen) if place > begins and OVER.match(said))
    assert 500 < seen[ends][0] - seen[begins][0] < 4000, "about two seconds, on a busy machine too"
    growing = seen[begins:ends]
    assert len({said for _, said, _ in growing}) >= 3, "word by word"
    assert all(re.fullmatch(r"step \d+", said) for _, said, _ in growing), "nothing says how many"
    assert all(sentence.startswith(words) for _, _, words in growing)
    wait_for_params(page, step=str(len(labels)))
    # At rest no row is lit, least of all the end token's, which was only the last to be written.
    assert page.locator(".token.current").count() == 0
    title = page.locator(".stage .card-title").first
    assert title.inner_text() == "Where the decoder looks when it writes each word"
    said = re.search(
        r"gives (\d+)\s% of its weight to one token, on average over the (\d+) tokens written",
        page.locator(".stage .readout").first.inner_text(),
    )
    assert said and int(said[2]) == len(labels)
    page.get_by_role("button", name="Back (←)").click()
    assert page.locator(".token.current").inner_text() == labels[-2], "a step back is one step"
    page.get_by_role("button", name="Step (→)").click()
    assert page.locator(".token.current").count() == 0

    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text("Copied", exact=True).wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == sentence

    page.keyboard.press("Home")  # one key, although the sentence was just typed
    for step in range(4):
        assert count(page) == f"step {step}" and written(page) == labels[:step]
        assert told_ahead(page, labels, step) == []
        assert page.locator(".token.waiting").count() == 0 and not page.locator(".play-scrub").is_visible()
        page.keyboard.press("ArrowRight")
    wait_for_params(page, step="4")
    page.reload()  # a link with a step stands there, and tells no more
    page.locator(".play-count", has_text="step 4").wait_for()
    assert ready(page) and count(page) == "step 4" and told_ahead(page, labels, 4) == []

    page.keyboard.press("End")
    page.locator(".play-count", has_text=OVER).wait_for()
    page.get_by_label("Step of the translation").fill("3")
    assert count(page) == f"3 of {len(labels)}" and page.locator(".token.waiting").count() == len(labels) - 3
    assert page.locator(".stage-text").inner_text() == sentence, "a finished translation stays to be read"


@pytest.mark.thorough
def test_under_reduced_motion_it_is_there_at_once_and_a_beam_is_covered_too(visit: Visit) -> None:
    page = ready(visit(checkpoint=NAME, text=OTHER_TEXT, motion="reduce"))
    before = count(page)
    page.evaluate(_WATCH)
    enter(page, TEXT)
    page.wait_for_function(f"() => new URLSearchParams(location.search).get('text') === {TEXT!r}")
    page.wait_for_timeout(1500)
    seen = page.evaluate("() => { clearInterval(window.__watch); return window.__seen; }")
    assert {said for _, said, _ in seen} <= {before, count(page)} and OVER.match(count(page))

    page.get_by_text("Beam", exact=True).click()
    wait_for_params(page, strategy="beam")
    nodes = page.locator(".beam-nodes .node")
    nodes.nth(8).wait_for()
    tree, stage = page.locator(".beam-nodes").bounding_box(), page.locator(".stage").bounding_box()
    assert tree and stage and tree["y"] < stage["y"] and tree["y"] < 600, "the tree is in view"
    page.keyboard.press("Home")
    page.locator(".play-count", has_text="step 0").wait_for()
    assert nodes.count() == 1
    page.keyboard.press("ArrowRight")
    steps = {(each.get_attribute("aria-label") or "").split(",")[0] for each in nodes.all()}
    assert steps == {"step 0", "step 1"}
    assert params(page)["strategy"] == "beam"
