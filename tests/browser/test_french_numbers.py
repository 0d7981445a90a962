"""No number that a reader sees on a French page has a decimal point: not in sentences, tables, figures nor drawn views."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

DRAWN: Final = """(() => {
  const drawn = (window.drawnWords = new Set());
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (words, ...more) {
    drawn.add(words);
    return write.call(this, words, ...more);
  };
})()"""
WORDS: Final = """() => {
  const listed = [...window.drawnWords];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) listed.push(node.textContent);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (['STYLE', 'SCRIPT', 'CODE', 'PRE', 'INPUT'].includes(node.tagName) || node.classList.contains('katex')) return;
    for (const name of ['title', 'aria-label']) listed.push(node.getAttribute(name) ?? '');
    for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) walk(child);
  };
  walk(document.body);
  return listed;
}"""
HEAD: Final = re.compile(r"(?<![\d.,−+<≤≥=±])[0-3]\.[0-7](?!\.?\d|\s*(%|nats?\b|points?\b))")
"""The name of a head of `en-fr`: no number."""
POINT: Final = re.compile(r"\d+\.\d+")
COMMA: Final = re.compile(r"\d+,\d+")


STRIP: Final = "8[,\u202f]000"
"""The vocabulary in the strip of the architecture, which every page has."""


def read(context: BrowserContext, address: str, shows: str) -> list[str]:
    """Every word of a page, when its text `shows` is there and its run has ended."""
    page = context.new_page()
    try:
        page.add_init_script(DRAWN)
        page.goto(address)
        there = f"(shows) => ({WORDS})().some((each) => new RegExp(shows).test(each))"
        for each in (shows, STRIP):
            page.wait_for_function(there, arg=each)
        page.locator('[data-testid="stStatusWidget"]').wait_for(state="detached")
        listed: list[str] = page.evaluate(WORDS)
        return listed
    finally:
        page.close()


def with_a(mark: re.Pattern[str], listed: list[str]) -> list[str]:
    """The texts that have a number with this mark, beside names of heads."""
    return [each for each in listed if mark.search(HEAD.sub("", each))]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("page", "number", "drawn"),
    [
        ("translate", r"\d+%s\d %%", 4),  # the bars of the next word
        ("what_if", r"\d%s\d+ . −?\d+%s\d+ nats?", 3),  # the sentence below the Plotly figure
        ("inside", r"\d%s\d{3,}", 60),  # the digits of a score
    ],
)
def test_a_french_number_has_a_comma(
    context: BrowserContext, server: str, page: str, number: str, drawn: int
) -> None:
    def words(language: str, mark: str) -> list[str]:
        query = urlencode({"checkpoint": "en-fr", "language": language})
        shows = number.replace("%s", mark).replace("%%", "%").replace(" ", r"\s")
        return read(context, f"{server}/{page}?{query}", shows)

    french = words("fr", ",")
    assert not with_a(POINT, french), with_a(POINT, french)
    assert len(with_a(COMMA, french)) >= drawn
    assert any("8\u202f000" in each for each in french), "the strip has the thousands of the language"
    english = words("en", r"\.")
    assert len(with_a(POINT, english)) >= drawn, "the search finds English numbers"
    assert not any("\u202f" in each and re.search(r"\d\u202f\d", each) for each in english)
