"""One card as a slide, in Chromium: `full=CARD` and F give the same picture, all of it in sight and readable from afar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.looking import params, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

# A card of every place, by its address. What does not fit on one screen at 18 px scrolls: the list of roles, the two trainings, tables of models.
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
    "tutorials?full=claim",
    "tutorials?full=choices",
    "learning?full=dynamics&checkpoint=dates",
)
LEAST = 18

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


def slide(page: Page) -> dict[str, Any]:
    """What is seen once a card is shown as a slide and rests."""
    page.wait_for_function(f"() => ({_SEEN})() !== null")
    looks: list[dict[str, Any]] = []
    for _ in range(120):  # until it has stood still for four looks
        page.wait_for_timeout(230)
        looks.append(page.evaluate(_SEEN))
        rests = len(looks) > 3 and all(look == looks[-1] for look in looks[-4:])
        if rests and any(inside for _, inside, _ in looks[-1]["texts"]):
            break
    return looks[-1]


@pytest.mark.parametrize("address", CARDS)
def test_one_card_fills_the_slide_and_can_be_read_from_afar(tab: Page, server: str, address: str) -> None:
    tab.goto(f"{server}/{address}")
    seen = slide(tab)
    assert seen["box"] == [0, 0, 1280, 720]
    assert max(seen["over"]) <= 1, "nothing scrolls"
    inside = [(size, words) for size, inside, words in seen["texts"] if inside]
    assert inside
    assert [(size, words) for size, words in inside if size < LEAST - 0.1] == []
    assert [words for _, inside, words in seen["texts"] if not inside] == ["✕"], "one card, nothing else"


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1024, 768)])
def test_it_fills_other_screens(tab: Page, server: str, width: int, height: int) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    tab.goto(f"{server}/attention?full=detail")
    seen = slide(tab)
    assert seen["box"] == [0, 0, width, height]
    assert max(seen["over"]) <= 1
    assert min(size for size, inside, _ in seen["texts"] if inside) >= LEAST - 0.1
    tab.set_viewport_size({"width": 1280, "height": 720})


def test_f_gives_what_the_link_gives_and_escape_leaves_it(tab: Page, server: str) -> None:
    tab.goto(f"{server}/attention?full=detail")
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


def test_the_keys_of_a_view_work_on_its_slide(tab: Page, server: str) -> None:
    tab.goto(f"{server}/?full=decode_stage&step=4")
    slide(tab)
    first = tab.locator(".token.current").text_content()
    tab.keyboard.press("ArrowRight")
    wait_for_params(tab, step="5")
    assert tab.locator(".token.current").text_content() != first


def test_a_name_that_no_card_has_shows_the_page_and_says_so(tab: Page, server: str) -> None:
    tab.goto(f"{server}/attention?full=nonsense")
    tab.locator(".atlas-notice", has_text="full could not be read").wait_for()
    tab.locator(".wall-head").first.wait_for()
    assert "full" not in params(tab)
    tab.goto(f"{server}/attention?full=%3Cscript%3E")  # no name at all
    tab.locator(".atlas-notice", has_text="full could not be read").wait_for()
    assert tab.evaluate("() => document.documentElement.hasAttribute('data-slide')") is False


def test_an_embedded_card_stays_the_card_and_leads_to_its_page_in_a_tab(tab: Page, server: str) -> None:
    tab.goto(f"{server}/cost?full=cost&embed=1")
    way = tab.locator("a.slide-leave")
    way.wait_for()
    tab.locator("[data-slide-card]").wait_for()
    tab.keyboard.press("Escape")
    tab.keyboard.press("f")
    assert tab.locator("[data-slide-card]").count() == 1 and tab.locator("button.slide-leave").count() == 0
    assert (way.get_attribute("href") or "").rstrip("?") == f"{server}/cost"
    assert params(tab)["embed"] == "1", "a card that is clicked stays embedded"
