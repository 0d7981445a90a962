"""Eight things that people come for, each from the front page in at most so many actions.

An action is what a hand does to the page: a click, a choice from a list or a menu (its opening included), a text typed and
sent, files handed over. Looking costs nothing. The eighth, a model of one's own, is in test_import.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.looking import CHECKED, quiet, saved

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

Visit = Callable[..., "Page"]
OWN = (
    "The dog sees a man.",
    "A man is riding a bike.",
    "She doesn't like cold water.",
    "The cat is sleeping.",
    "Where is my book?",
    "I am tired.",
    "He reads a book.",
    "Two women are talking.",
    "The boy plays football.",
    "We are eating bread.",
)


class Hand:
    """What is done to a page, counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def click(self, what: Locator) -> None:
        what.first.click()
        self.actions += 1

    def place(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True))

    def choose(self, menu: Locator, item: Locator) -> None:
        menu.first.click()
        self.click(item)

    def type(self, field: Locator, text: str) -> None:
        field.first.fill(text)
        self.actions += 1


@pytest.fixture
def hand(visit: Visit) -> Hand:
    page = visit("", checkpoint="en-fr")
    page.get_by_text(CHECKED).first.wait_for(state="attached")
    return Hand(quiet(page))


def title(page: Page) -> Locator:
    return page.locator(".wall .card-title")


def opened_pair(hand: Hand) -> Page:
    """Attention, which opens on the pair canapé · sofa."""
    hand.place("Attention")
    title(hand.page).filter(has_text=re.compile(r"look mostly at “sofa” when they write “canapé”")).wait_for()
    return hand.page


def test_which_head_links_two_words_what_it_looks_like_and_whether_it_matters(
    hand: Hand, context: BrowserContext, tmp_path: Path
) -> None:
    page = opened_pair(hand)
    page.locator(".st-key-best_heads button").nth(2).wait_for()
    assert hand.actions <= 2, "which head links canapé and sofa"

    page.locator(".detail .menu-open").click()
    picture = saved(page, tmp_path, page.locator(".detail .menu-item:visible", has_text="SVG").first.click)
    assert hand.actions + 1 <= 3, "its map as SVG"
    drawn = picture.read_text()
    assert drawn.lstrip().startswith(("<svg", "<?xml")) and "canapé" in drawn and "sofa" in drawn

    said, address = title(page).inner_text(), page.url
    other = context.new_page()
    other.goto(address)
    other.locator(".wall .card-title", has_text=said).wait_for()
    assert (
        other.locator(".detail .card-title").inner_text() == page.locator(".detail .card-title").inner_text()
    )
    other.close()

    hand.click(page.get_by_text("Ablate these 3 heads"))
    page.wait_for_url(re.compile("/what_if"))
    verdict = page.locator(".st-key-card_verdict .atlas-verdict")
    verdict.filter(has_text="canapé").wait_for()
    assert re.search(r"\d+\s%|nats", verdict.inner_text()), verdict.inner_text()
    assert hand.actions <= 2, "ablate it and read the change"


@pytest.mark.thorough
def test_another_word_is_forced_at_step_three_in_two_actions(hand: Hand) -> None:
    page = hand.page
    hand.type(page.locator(".stage .play-scrub"), "3")
    page.locator(".play-count", has_text=re.compile(r"\b3 of")).wait_for()
    bar = page.locator(".bars .bar:not(.chosen)").first
    word = bar.locator(".bar-word").inner_text()
    hand.click(bar)
    page.locator(".token.forced", has_text=word).wait_for()
    assert hand.actions <= 2


@pytest.mark.thorough
def test_the_same_head_in_two_models_in_three_actions(hand: Hand) -> None:
    page = hand.page
    hand.place("Attention")
    hand.place("Compare")
    page.locator(".compare-pane").first.wait_for()
    menu = page.locator(".stSelectbox input[aria-label='Compare'], .stSelectbox [aria-label*='Compare']")
    hand.choose(menu, page.get_by_role("option", name="Two checkpoints"))
    page.wait_for_url(re.compile("versus=checkpoint"))
    page.locator(".compare-pane").nth(1).wait_for()
    assert hand.actions <= 3


@pytest.mark.thorough
def test_the_previous_token_head_over_ten_own_sentences_in_five_actions(hand: Hand) -> None:
    page = hand.page
    hand.place("Heads")
    measured = page.get_by_role("button", name=re.compile("^Measured on 120"))
    hand.click(measured)
    hand.type(page.get_by_label("Sentences", exact=True), "\n".join(OWN))
    hand.click(page.get_by_role("button", name="Measure these"))
    page.get_by_role("button", name="Measured on 10 pasted sentences").wait_for()
    page.get_by_text("mean over 10 sentences").first.wait_for()
    group = page.locator(".tiles-group", has_text="Previous token").first
    assert re.search(r"\d+\.\d+", group.inner_text()), "which head it is"
    assert page.get_by_label("Sentences", exact=True).count() == 0, "what covered the answer is closed"
    assert hand.actions <= 5
