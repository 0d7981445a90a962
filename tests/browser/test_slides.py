"""One card as a slide, in Chromium: `full=CARD` and F give the same picture, all of it in sight and readable from afar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.browser.looking import Visit, params, quiet, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

# A card of every place, by its address, whose type is measured.
CARDS = (
    "?full=decode_stage&step=6",
    "attention?full=detail",
    "attention?full=wall",
    "attention?kind=joint&full=joint",
    "compare?full=compare_head",
    "heads?full=open_head",
    "importance?full=left_out",
    "what_if?full=verdict&edits=zc",
    "what_if?full=probabilities&edits=zc",
    "what_if?full=what_if&edits=zc",
    "why?full=why",
    "positions?full=swap",
    "positions?full=table",
    "layer_norm?full=one_norm",
    "layer_norm?full=growth",
    "layer_norm?full=stream",
    "layer_norm?full=norms",
    "lenses?full=lens",
    "cost?full=cost",
    "pitfalls?full=question",
    "pitfalls?full=question&game=2&round=1",
    "pitfalls?pitfall=head-split-view&full=symptom",
    "tutorials?tutorial=tutorial-b&claim=means&full=claim",
    "tutorials?tutorial=tutorial-b&claim=no-softmax&full=choices",
    "learning?full=dynamics&checkpoint=dates",
)
LEAST = 18
# Pages of views, in the states that show all their cards. Whole cards are measured, whatever they are called.
PAGES = (
    "?",
    "attention?",
    "attention?kind=joint",
    "compare?",
    "heads?every=1",
    "importance?",
    "alignment?",
    "what_if?edits=zc",
    "why?",
    "inside?",
    "positions?",
    "layer_norm?",
    "lenses?",
    "learning?checkpoint=dates",
    "tutorials?",
)
# A table of all heads and a tree of all hypotheses have no end: they scroll inside their card, which stands still.
SCROLLS = {"atlas": "atlas-list", "beam_tree": "beam scroller"}
# The drawing of a whole architecture is longer than a slide, as are the tables of Inspect, which are not among the pages.
LONGER = {"anatomy"}

# What is written and seen, as it is drawn: (size in CSS pixels, inside of the card, its words), also in SVG and charts.
_SEEN = """() => {
  const deep = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
  const above = (e) => e.parentElement ?? (e.getRootNode() instanceof ShadowRoot ? e.getRootNode().host : null);
  const all = deep(document);
  const card = all.find((e) => e.hasAttribute('data-slide-card'));
  if (!card) return null;
  const texts = [];
  for (const e of all) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const { width, height } = e.getBoundingClientRect();
    if (!own || width < 2 || height < 2 || ['STYLE', 'SCRIPT', 'NOSCRIPT'].includes(e.tagName)) continue;
    if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    let [size, inside] = [parseFloat(getComputedStyle(e).fontSize), false];
    for (let n = e; n; n = above(n)) {
      inside ||= n === card;
      const { zoom, transform } = getComputedStyle(n);
      size *= Number(zoom) || 1;
      if (transform.startsWith('matrix('))
        size *= Math.hypot(...transform.slice(7).split(',').slice(0, 2).map(parseFloat)) || 1;
    }
    texts.push([size, inside, e.textContent.trim().slice(0, 40)]);
  }
  const { x, y, width, height } = card.getBoundingClientRect();
  const over = [card.scrollWidth - card.clientWidth, card.scrollHeight - card.clientHeight];
  return { texts, box: [x, y, width, height], over };
}"""


# The names of the cards that a page shows, as links call them (ui/web/base/slide.ts).
_NAMES = """() => {
  const wish = '.card, [class*="st-key-card_"]';
  const own = (card) => card.className.match(/st-key-card_([\\w-]+)/)?.[1];
  const named = (card) => {
    if (own(card)) return own(card);
    const root = card.getRootNode();
    const key = (root.host ?? card).closest('[class*="st-key-"]')?.className.match(/st-key-([\\w-]+)/)?.[1] ?? 'card';
    const nth = [...root.querySelectorAll('.card')].indexOf(card);
    return key.replace(/[_-](encoder|causal|cross|view)$/, '') + (nth > 0 ? `-${nth + 1}` : '');
  };
  const deep = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
  const cards = deep(document.querySelector('[data-testid="stMain"]')).filter((e) => e.matches(wish) && e.offsetHeight);
  return [...new Set(cards.map(named))];
}"""

# What of the shown card is outside of it, or scrolls inside of it.
_HIDDEN = """() => {
  const deep = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
  const card = deep(document).find((e) => e.hasAttribute('data-slide-card'));
  if (!card) return null;  // not drawn yet
  const seen = card.getBoundingClientRect();
  const [cut, scrolls] = [[], []];
  const clipped = (e) => {
    for (let n = e.parentElement; n && n !== card; n = n.parentElement)
      if (getComputedStyle(n).overflow !== 'visible') return true;
    return false;
  };
  for (const e of deep(card)) {
    const { left, right, top, bottom, width, height } = e.getBoundingClientRect();
    if (width < 2 || height < 2 || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const { overflowX, overflowY } = getComputedStyle(e);
    const can = (way) => way === 'auto' || way === 'scroll';
    if (can(overflowY) && e.scrollHeight > e.clientHeight + 1 || can(overflowX) && e.scrollWidth > e.clientWidth + 1)
      scrolls.push(String(e.className || e.tagName));
    const shows = e.matches('canvas, svg, img') || [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const out = left < seen.left - 2 || right > seen.right + 2 || top < seen.top - 2 || bottom > seen.bottom + 2;
    if (shows && out && !clipped(e)) cut.push(`${e.tagName} ${e.textContent.trim().slice(0, 40)}`);
  }
  return { cut, scrolls };
}"""


def opened(
    visit: Visit, address: str, width: int = 1280, height: int = 720, shows: str = "[data-slide-card]"
) -> Page:
    """A page of the shipped model on a screen that slides are made for."""
    place = urlsplit(address)
    asked = {"checkpoint": "en-fr", **dict(parse_qsl(place.query))}
    return visit(place.path, width=width, height=height, shows=shows, **asked)


def slide(page: Page) -> dict[str, Any]:
    """What is seen once a card is shown as a slide and rests."""
    page.wait_for_function(f"() => ({_SEEN})() !== null", polling=120)  # it looks at the whole page
    looks: list[dict[str, Any]] = []
    for _ in range(120):  # until it has stood still for four looks
        page.wait_for_timeout(230)
        looks.append(page.evaluate(_SEEN))
        rests = len(looks) > 3 and all(look == looks[-1] for look in looks[-4:])
        if rests and any(inside for _, inside, _ in looks[-1]["texts"]):
            break
    return looks[-1]


@pytest.mark.thorough
@pytest.mark.parametrize("address", CARDS)
def test_one_card_fills_the_slide_and_can_be_read_from_afar(visit: Visit, address: str) -> None:
    seen = slide(opened(visit, address))
    assert seen["box"] == [0, 0, 1280, 720]
    assert max(seen["over"]) <= 1, "nothing scrolls"
    inside = [(size, words) for size, inside, words in seen["texts"] if inside]
    assert inside
    assert [(size, words) for size, words in inside if size < LEAST - 0.1] == []
    assert [words for _, inside, words in seen["texts"] if not inside] == ["✕"], "one card, nothing else"


@pytest.mark.thorough
@pytest.mark.parametrize("address", PAGES)
def test_every_card_of_a_page_is_whole_on_a_slide(visit: Visit, address: str) -> None:
    """Each is opened by its link; only one of the cards that are alike, one a lesson or a model."""
    page = opened(visit, address, shows="[class*='st-key-card_']")
    page.wait_for_function(f"() => ({_NAMES})().length > 0", polling=120)
    names = quiet(page, 9_000).evaluate(_NAMES)
    alike = {re.sub(r"^(lesson|checkpoint)_.*", r"\1", name): name for name in reversed(names)}
    wrong: dict[str, Any] = {}
    for name in sorted(set(alike.values()) - LONGER):
        page = opened(visit, f"{address}{'&' if address[-1] != '?' else ''}full={name}")
        seen = slide(page)
        hidden = page.wait_for_function(_HIDDEN).json_value()
        hidden["scrolls"] = [each for each in hidden["scrolls"] if each != SCROLLS.get(name)]
        if seen["box"] != [0, 0, 1280, 720] or max(seen["over"]) > 1 or hidden["cut"] or hidden["scrolls"]:
            wrong[name] = seen["box"], seen["over"], hidden
    assert names and not wrong


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1024, 768)])
def test_it_fills_other_screens(visit: Visit, width: int, height: int) -> None:
    seen = slide(opened(visit, "attention?full=detail", width, height))
    assert seen["box"] == [0, 0, width, height]
    assert max(seen["over"]) <= 1
    assert min(size for size, inside, _ in seen["texts"] if inside) >= LEAST - 0.1


def test_f_gives_what_the_link_gives_and_escape_leaves_it(visit: Visit) -> None:
    tab = opened(visit, "attention?full=detail")
    linked = slide(tab)
    tab.keyboard.press("Escape")
    tab.wait_for_function("() => !document.documentElement.hasAttribute('data-slide')")
    tab.wait_for_function("() => !new URLSearchParams(location.search).has('full')")
    tab.locator(".wall-head").first.wait_for()
    tab.locator(".detail").hover()
    tab.keyboard.press("f")
    wait_for_params(tab, full="detail")
    pressed = slide(tab)
    assert pressed["box"] == linked["box"] and pressed["over"] == linked["over"]
    sizes = [
        sorted({round(size) for size, inside, _ in each["texts"] if inside}) for each in (linked, pressed)
    ]
    assert sizes[0] == sizes[1]
    tab.keyboard.press("f")
    tab.wait_for_function("() => !document.documentElement.hasAttribute('data-slide')")


@pytest.mark.thorough
def test_the_keys_of_a_view_work_on_its_slide(visit: Visit) -> None:
    tab = opened(visit, "?full=decode_stage&step=4")
    slide(tab)
    first = tab.locator(".token.current").text_content()
    tab.keyboard.press("ArrowRight")
    wait_for_params(tab, step="5")
    assert tab.locator(".token.current").text_content() != first


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["nonsense", "<script>"])  # the second is no name at all
def test_a_name_that_no_card_has_shows_the_page_and_says_so(visit: Visit, name: str) -> None:
    tab = visit("attention", full=name)
    tab.locator(".atlas-notice", has_text="“full” in this link could not be read").wait_for()
    tab.locator(".wall-head").first.wait_for()
    assert "full" not in params(tab)
    assert tab.evaluate("() => document.documentElement.hasAttribute('data-slide')") is False


@pytest.mark.thorough
def test_an_embedded_card_stays_the_card_and_leads_to_its_page_in_a_tab(visit: Visit, server: str) -> None:
    tab = visit("cost", width=1280, height=720, shows="a.slide-leave", fresh=True, full="cost", embed="1")
    tab.locator("[data-slide-card]").wait_for()
    tab.keyboard.press("Escape")
    tab.keyboard.press("f")
    assert tab.locator("[data-slide-card]").count() == 1 and tab.locator("button.slide-leave").count() == 0
    way = tab.locator("a.slide-leave").get_attribute("href") or ""
    assert way.partition("?")[0] == f"{server}/cost" and set(way.partition("?")[2].split("&")) <= {
        "",
        "checkpoint=tiny",
    }
    assert params(tab)["embed"] == "1", "a card that is clicked stays embedded"
