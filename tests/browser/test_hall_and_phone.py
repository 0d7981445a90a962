"""The same pages in a lecture hall (presenter size), on a phone, and while a reader moves from one to the next."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.looking import CHECKED, Visit, quiet, ready, saved
from tests.browser.tabs import Screen, Tabs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.turned

TEXT = "The dog is chasing a white ball."
HALL = ((1920, 1080), (1280, 720))

# Every text that is seen, as [size in pixels, words]; through the shadow roots of the views.
_TEXTS = """() => {
  const found = [];
  const seen = (node, box) => box.width > 1.5 && box.height > 1 && node.checkVisibility({ opacityProperty: true,
    visibilityProperty: true }) && !node.closest('.visually-hidden, .katex-mathml, option, style, script');
  const walk = (root) => {
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE) {
        const range = document.createRange();
        range.selectNodeContents(node);
        const parent = node.parentElement;
        if (!node.textContent.trim() || !parent || !seen(parent, range.getBoundingClientRect())) continue;
        found.push([parseFloat(getComputedStyle(parent).fontSize), node.textContent.trim()]);
      } else {
        if (node.shadowRoot) walk(node.shadowRoot);
        if (node.written && node.getBoundingClientRect().width) found.push(...node.written);
      }
    }
  };
  walk(document.body);
  return found;
}"""

# What can be pressed and is too small for a finger or a shaking hand: [width, height, words].
_SMALL = """() => {
  const found = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (!node.matches('button, a[href], select, summary, input:not([type=file])')) continue;
      // The words of a long sentence stand one below the other as lines of a text do.
      if (node.matches('.upright .token')) continue;
      // Streamlit hides a slider's field from all but screen readers; what is pressed there is its thumb.
      if (node.matches('[data-testid="stSlider"] input')) continue;
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const label = node.closest('label') ?? node;
      const { width, height } = label.getBoundingClientRect();
      if (width > 1 && (width < 23.5 || height < 23.5))
        found.push([width, height, node.className || node.tagName, node.getAttribute('aria-label') ?? node.textContent]);
    }
  };
  walk(document.body);
  return found;
}"""


def small_texts(page: Page, least: float = 17.9) -> list[tuple[float, str]]:
    """Texts below the least size; a page without any text at all would pass, so there must be some."""
    texts = page.evaluate(_TEXTS)
    assert len(texts) > 20
    return sorted((round(size, 1), words) for size, words in texts if size < least)


def box(page: Page, selector: str, nth: int = 0) -> dict[str, float]:
    found = page.locator(selector).nth(nth).bounding_box()
    assert found, selector
    return dict(found)


def sideways(page: Page) -> float:
    """By how many pixels the page is wider than the window."""
    return float(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


@pytest.fixture
def hall(visit: Visit) -> Any:
    """Opens a page at presenter size, in one tab a test, with what it writes taken down, ready to be measured at both sizes."""
    page: Page | None = None

    def go(name: str, **params: str) -> Page:
        nonlocal page
        wanted = {"text": TEXT, **params}
        screen: dict[str, Any] = {"width": 1920, "height": 1080}
        page = visit(name, checkpoint="en-fr", presenter="1", tab=page, **screen, **wanted)
        return ready_in_hall(page)

    return go


def ready_in_hall(page: Page) -> Page:
    page.get_by_text(CHECKED).first.wait_for(state="attached")
    return quiet(page)


@pytest.mark.thorough
def test_in_a_hall_the_head_stands_beside_the_wall_and_fills_the_screen(hall: Any) -> None:
    page = hall("attention", layer="1", head="0")
    for width, height in HALL:
        page.set_viewport_size({"width": width, "height": height})
        quiet(page)
        wall, head = box(page, ".wall"), box(page, ".st-key-card_head")
        assert abs(wall["y"] - head["y"]) < 2 and head["x"] > wall["x"] + wall["width"], "side by side"
        assert head["x"] + head["width"] - wall["x"] > 0.9 * width, "the content fills the screen"
        heat = box(page, ".detail-heat")
        assert heat["y"] + heat["height"] <= height, "the map of the open head is in sight"
        assert small_texts(page) == []
        assert sideways(page) <= 1
    # One key: the card that is pointed at, and back.
    page.locator(".detail").hover()
    before = box(page, ".detail")
    title = page.locator(".detail .card-title").first
    size = "(words) => parseFloat(getComputedStyle(words).fontSize) * (words.currentCSSZoom ?? 1)"
    words = title.evaluate(size)
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement")
    slide = page.locator(".detail[data-slide-card]")
    slide.wait_for()
    quiet(page)
    # A card that was drawn again meanwhile is marked within 300 ms.
    filled = slide.evaluate("(card) => [card.clientWidth, card.scrollHeight - card.clientHeight]")
    assert filled[0] == 1280 and filled[1] <= 1, "the whole card, nothing of it out of sight"
    assert title.evaluate(size) > words, "and its words are larger"
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")
    quiet(page)
    assert box(page, ".detail") == pytest.approx(before, abs=2)


@pytest.mark.thorough
def test_in_a_hall_the_difference_the_map_of_translate_and_the_joint_view_are_in_sight(hall: Any) -> None:
    for name, selector, nth in (
        ("compare", ".compare-pane canvas.picture", 4),
        ("", ".heat canvas", 0),
        ("attention", ".joint .readout", 0),
    ):
        page = hall(name, **({"kind": "joint"} if name == "attention" else {}))
        for width, height in HALL:
            page.set_viewport_size({"width": width, "height": height})
            quiet(page)
            found = box(page, selector, nth)
            assert found["y"] + found["height"] <= height, (name, width)
            assert found["x"] + found["width"] <= width
            assert small_texts(page) == [], (name, width)


LONG = (
    "A young woman with long black hair is reading a very old book on a wooden bench in the park while two little "
    "dogs are playing in the snow."
)


@pytest.mark.thorough
def test_in_a_hall_lines_and_map_of_a_long_sentence_are_in_sight(hall: Any) -> None:
    page = hall("", text=LONG)
    for width, height in HALL:
        page.set_viewport_size({"width": width, "height": height})
        quiet(page)
        for selector, nth in ((".lines-row .token", -1), (".heat canvas", 0)):
            found = page.locator(selector).nth(nth).bounding_box()
            assert found, selector
            assert found["y"] + found["height"] <= height, (selector, width)
        assert page.locator(".lines-row").nth(1).locator(".token").count() > 20
        assert small_texts(page) == []


@pytest.mark.thorough
def test_in_a_hall_a_sentence_of_a_dozen_words_stays_in_its_card(hall: Any) -> None:
    page = hall("", text="The two little girls in red dresses are dancing on the stage.")
    lines = page.locator(".lines").first
    lines.wait_for()
    assert lines.evaluate("it => it.scrollWidth - it.clientWidth") <= 1
    for row in (1, 2):
        words = page.locator(".lines-row").nth(row).locator(".token")
        boxes = [words.nth(n).bounding_box() for n in range(words.count())]
        assert len(boxes) >= 12
        for left, right in itertools.pairwise(found for found in boxes if found):
            assert left["x"] + left["width"] <= right["x"], "no word lies on its neighbour"
    assert small_texts(page) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["positions", "layer_norm", "checkpoints"])
def test_in_a_hall_nothing_is_written_small(hall: Any, name: str) -> None:
    models = name == "checkpoints"  # its cards are no views, and it has no strip
    page = hall(name, **({"shows": ".atlas-title"} if models else {}))
    if not models:
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
    quiet(page)
    assert small_texts(page) == []
    assert box(page, '[data-testid="stMainBlockContainer"]')["width"] > 0.95 * 1900
    if name != "layer_norm":
        return
    page.locator(".st-key-card_stream").hover()
    tick = page.locator(".st-key-card_stream .xtick text").first
    before = tick.bounding_box()
    page.keyboard.press("F")
    page.locator(".st-key-card_stream[data-slide-card]").wait_for()
    quiet(page)
    plot = box(page, ".st-key-card_stream .js-plotly-plot")
    assert plot["width"] > 1500 and plot["y"] + plot["height"] <= 1080
    ends = page.locator(".st-key-card_stream .xtick text").last.bounding_box()
    assert before and ends
    page.wait_for_function(  # drawn anew for the slide, it is scaled a moment later
        "(least) => document.querySelector('.st-key-card_stream .xtick text').getBoundingClientRect().height > least",
        arg=1.5 * before["height"],
    )
    assert ends["x"] + ends["width"] <= 1920 and ends["x"] > 0.8 * 1920, (
        "and the chart is drawn for the width"
    )
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.fullscreenElement")
    quiet(page)
    assert tick.bounding_box() == pytest.approx(before, abs=2)


@pytest.mark.thorough
def test_on_a_phone_everything_can_be_read_and_reached(chromium: Browser, server: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.set_default_timeout(60_000)
    tabs, page = Tabs(context, server), None
    inspect = ("what_if", "alignment", "inside", "lenses", "heads")
    for name in ("layer_norm", "positions", "compare", "checkpoints", *inspect, "", "attention"):
        address = f"/{name}?checkpoint=tiny&text=I+am+tired."
        if page is None:
            page = tabs.load(Screen(390, 844, "light", "no-preference"), address)
        else:
            assert tabs.turned(page, address), name
        strip = name != "checkpoints"  # the pages of Models have none
        page.locator(".st-key-strip .map-block" if strip else ".st-key-tabs a").first.wait_for()
        quiet(page)
        assert sideways(page) <= 0, name
        assert page.locator(".map-block").filter(visible=True).count() == (6 if strip else 0), name
        names = page.locator(".map-short")
        assert names.filter(visible=True).count() == (6 if strip else 0), "every block has its name"
        cut = names.evaluate_all(
            "(all) => all.filter((n) => n.scrollWidth > n.clientWidth).map((n) => n.textContent)"
        )
        assert cut == [], name
        arrow = box(page, '[data-testid="stExpandSidebarButton"]')
        above = box(page, ".st-key-above")
        assert arrow["y"] + arrow["height"] <= above["y"], "nothing stands under the arrow"
        if (more := page.get_by_role("button", name="More", exact=True)).count():
            more.first.evaluate("(button) => button.scrollIntoView({ block: 'center' })")  # not under the bar
            more.first.tap()
            page.locator('[data-testid="stPopoverBody"]').wait_for()
        said = " ".join(words for _, words in page.evaluate(_TEXTS))
        assert not re.search(r"\bhover|\bclick|\bEsc\b|Shift-click", said, re.IGNORECASE), name
        page.keyboard.press("Escape")
        page.locator('[data-testid="stPopoverBody"]').wait_for(state="detached")
        page.locator('[data-testid="stMain"]').evaluate("(main) => main.scrollTo(0, 0)")
    assert page and not tabs.errors, tabs.errors
    head = page.locator(".detail")
    assert head.bounding_box()["y"] > 844, "below the wall"  # type: ignore[index]
    page.locator(".wall-head").nth(3).tap()
    page.get_by_role("heading", name="Head 1.1").wait_for()
    page.wait_for_function(
        "() => { for (const e of document.querySelectorAll('*')) { const c = e.shadowRoot?.querySelector('.detail');"
        " if (c) { const { top } = c.getBoundingClientRect(); return top >= -5 && top < 300; } } }"
    )
    context.close()


_WATCH = """() => {
  window.seen = [];
  const look = () => {
    let strip = null;
    for (const node of document.querySelectorAll('.st-key-architecture_map *'))
      strip ??= node.shadowRoot?.querySelector('.map')?.getBoundingClientRect().top ?? null;
    const sentence = document.querySelector('.atlas-sentence')?.getBoundingClientRect().top ?? null;
    window.seen.push(JSON.stringify([strip, sentence]));
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.thorough
def test_the_strip_and_the_sentence_stay_while_pages_change(visit: Visit) -> None:
    page = ready(visit("attention", fresh=True, text=TEXT))
    page.evaluate(_WATCH)
    for name, block in (
        ("Compare", "cross"),
        ("Inside", "cross"),
        ("Norms and stream", "memory"),
        ("Positions", "source"),
        ("Attention", "cross"),
    ):
        page.get_by_role("link", name=name, exact=True).click()
        page.locator(f".map-block[data-kind={block}][aria-current=true]").wait_for()
        quiet(page)
    assert len(page.evaluate("[...new Set(window.seen)]")) == 1, (
        "in every frame both were there, at one place"
    )
    early = page.locator("link[data-atlas-early]").get_attribute("href") or ""
    answered = page.evaluate("(address) => fetch(address).then((r) => r.ok)", early)
    assert answered, "the charts' code was asked for early, at an address that exists"
    script = page.locator("script[data-atlas-early=ready]")
    script.wait_for(state="attached")
    assert script.get_attribute("src") == early.removesuffix("?run"), "and run while nobody waited"


@pytest.mark.parametrize("name", ["", "attention", "what_if", "inside"])
def test_on_a_low_projector_every_page_names_the_places(visit: Visit, name: str) -> None:
    page = ready(visit(name, width=1280, height=720, checkpoint="en-fr", presenter="1"))
    for place in ("Translate", "Attention", "Heads", "What if", "Inside", "Learn", "Models"):
        page.locator(".st-key-hall_places").get_by_text(place, exact=True).click(trial=True)


@pytest.mark.thorough
def test_a_sentence_far_from_the_training_moves_no_line(visit: Visit) -> None:
    page = ready(visit("", checkpoint="en-fr", text="Two dogs are playing."))
    assert page.get_by_text("Unlike the training text").count() == 0
    place = box(page, ".stage-text")["y"]
    field = page.get_by_label("Sentence to translate")
    field.fill("Two Xqzvwkj are playing.")
    field.press("Enter")
    page.get_by_text("Unlike the training text").wait_for()
    page.locator(".stage-text").filter(has_text=re.compile(".")).wait_for()
    quiet(page)
    assert box(page, ".stage-text")["y"] == pytest.approx(place, abs=0.6)
    remark = page.locator(".stage-remarks p").filter(has_text="Unlike the training text")
    top = remark.evaluate(
        """(said) => {
          const { left, top, height } = said.getBoundingClientRect();
          return said.getRootNode().elementFromPoint(left + 10, top + height / 2) === said ? top : null;
        }"""
    )
    assert top is not None, "nothing covers the remark"
    assert top > place, "and it stands below the translation"


# Contrast as WCAG 2 counts it, of an element's words or icon against the nearest painted ground.
_CONTRAST = """(node) => {
  const part = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  let ground = null, opacity = 1;
  for (let each = node; each; each = each.parentElement) {
    const style = getComputedStyle(each);
    if (!ground) opacity *= Number(style.opacity);
    const [r, g, b, a = 1] = numbers(style.backgroundColor);
    if (!ground && a > 0.99) ground = [r, g, b];
  }
  const [r, g, b, a = 1] = numbers(getComputedStyle(node).color);
  const ink = [r, g, b].map((value, n) => ground[n] + (value - ground[n]) * a * opacity);
  const [one, two] = [light(ink), light(ground)].sort((x, y) => y - x);
  return (one + 0.05) / (two + 0.05);
}"""


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_sidebar_s_arrows_can_be_seen(visit: Visit, scheme: Any) -> None:
    page = ready(visit("attention", fresh=True, scheme=scheme, text=TEXT))
    page.locator('[data-testid="stSidebar"]').hover()
    fold = page.locator('[data-testid="stSidebarCollapseButton"] [data-testid="stIconMaterial"]')
    assert fold.evaluate(_CONTRAST) >= 4.5
    fold.click()
    unfold = page.locator('[data-testid="stExpandSidebarButton"] [data-testid="stIconMaterial"]')
    unfold.wait_for()
    quiet(page)
    assert unfold.evaluate(_CONTRAST) >= 4.5


@pytest.mark.thorough
def test_what_a_page_has_to_say_pushes_nothing(visit: Visit) -> None:
    page = ready(visit("", text=TEXT))
    place = box(page, ".play-count")["y"]
    field = page.get_by_label("Sentence to translate")
    field.fill("word " * 600)
    field.press("Enter")
    page.get_by_role("alert").wait_for()
    quiet(page)
    assert box(page, ".play-count")["y"] == place


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "params"),
    [("lessons", {"lesson": "nonsense"}), ("attention", {"layer": "x"}), ("", {"step": "x"})],
)
def test_what_a_link_could_not_say_stands_on_a_line_of_its_own(
    visit: Visit, name: str, params: dict[str, str]
) -> None:
    page = visit(name, width=1280, height=720, checkpoint="en-fr", shows=".atlas-notice", **params)
    quiet(page)
    said = box(page, ".atlas-notice")
    assert said["height"] > 12
    above = box(page, '.st-key-above [data-testid="stVerticalBlock"], .st-key-above')
    assert said["y"] >= above["y"] + above["height"] - 1, "below the tabs"
    over = page.locator(".atlas-notice").evaluate(
        """(said) => {
          const { left, top, width, height } = said.getBoundingClientRect();
          const seen = [0.1, 0.5, 0.9].map((at) => document.elementFromPoint(left + 10 + at * Math.min(width, 300), top + height / 2));
          return seen.every((each) => each === said);
        }"""
    )
    assert over, "nothing lies over it"


@pytest.mark.thorough
def test_ways_to_write_and_the_stage_stay_while_one_of_them_is_told_more(visit: Visit) -> None:
    page = ready(visit("", checkpoint="en-fr", text=TEXT))
    pills = page.locator(".st-key-ways [data-testid=stButtonGroup] button")
    places = [box(page, ".st-key-ways [data-testid=stButtonGroup] button", n) for n in range(4)]
    stage = box(page, ".stage")["y"]
    for n, more in ((1, "draw again"), (2, "beam of 5"), (0, "")):
        pills.nth(n).click()
        page.locator(".st-key-ways button", has_text=more or "greedy").first.wait_for()
        quiet(page)
        for each, place in enumerate(places):
            now = box(page, ".st-key-ways [data-testid=stButtonGroup] button", each)
            assert (now["x"], now["y"]) == pytest.approx((place["x"], place["y"]), abs=1), more
        if more != "beam of 5":  # whose tree comes above
            assert box(page, ".stage")["y"] == pytest.approx(stage, abs=1), more


def _while_it_is_written(page: Page, selector: str) -> set[int]:
    """Where a part of the stage stands at the start, after each word, and at rest."""
    page.get_by_role("button", name="To the start (Home)").click()
    play = page.get_by_role("button", name="Play or pause (Space)")
    play.click()
    found = {round(box(page, selector)["y"])}
    play.click()
    for _ in range(12):
        page.wait_for_timeout(150)
        found.add(round(box(page, selector)["y"]))
        if (on := page.get_by_role("button", name="Step (→)")).is_enabled():
            on.click()
    quiet(page)
    return found | {round(box(page, selector)["y"])}


@pytest.mark.thorough
def test_long_names_of_tokens_are_told_apart_beside_their_bars(visit: Visit) -> None:
    page = ready(visit("", checkpoint="en-fr", text=TEXT))
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 1010})
        quiet(page)
        cut = page.locator(".bar-word").first.evaluate(
            "(word) => { const before = word.className; word.textContent = '⟨extra_id_90⟩'; word.classList.add('long');"
            " const cut = word.scrollWidth - word.clientWidth; word.className = before; return cut; }"
        )
        assert cut <= 0, width


@pytest.mark.thorough
def test_in_a_hall_no_word_moves_the_lines(hall: Any) -> None:
    page = hall("", text="The little boy is reading a book under a tree.")
    assert len(_while_it_is_written(page, ".lines")) == 1
    title, buttons = box(page, ".stage .card-title"), box(page, ".stage .play")
    assert title["height"] < 45, "a title is one line"
    assert 0 <= buttons["y"] - title["y"] - title["height"] < 40, "and the buttons stand close below it"


@pytest.mark.thorough
def test_on_a_phone_the_buttons_stay_and_a_remark_moves_no_stage(chromium: Browser, server: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{server}/?checkpoint=en-fr&text=The+little+boy+is+reading+a+book+under+a+tree.")
    page.locator(".stage-text").first.wait_for()
    assert len(_while_it_is_written(page, ".play")) == 1
    place = box(page, ".stage")["y"]
    page.goto(f"{server}/?checkpoint=en-fr&text=Zyxqvort+48213+quarked+Schrödinger+Mbwappe.")
    said = page.locator(".stage-remarks p").filter(has_text="does not know")
    said.wait_for()
    quiet(page)
    assert box(page, ".stage")["y"] == pytest.approx(place, abs=1)
    assert sideways(page) <= 0
    context.close()


@pytest.mark.thorough
def test_a_sentence_begins_where_its_letters_do(visit: Visit) -> None:
    """Another script than the model's is typed from its own side, and named without turning the sentence about it."""
    page = ready(visit("", checkpoint="en-fr", text="שלום עולם, מה שלומך?"))
    field = page.get_by_label("Sentence to translate")
    assert field.evaluate("(field) => getComputedStyle(field).unicodeBidi") == "plaintext"
    assert field.evaluate("(field) => getComputedStyle(field).textAlign") == "start"
    named = page.locator(".stage-remarks p").filter(has_text="does not know")
    named.wait_for()
    places = named.evaluate(
        """(line) => [...line.firstChild.data].flatMap((letter, n) => {
          const one = document.createRange();
          one.setStart(line.firstChild, n);
          one.setEnd(line.firstChild, n + 1);
          return /[א-ת]/.test(letter) ? [one.getBoundingClientRect().x] : [];
        })"""
    )
    assert len(places) == 3 and places == sorted(places), "the list is read from left to right"


@pytest.mark.thorough
def test_the_strip_leads_and_is_lit_where_it_should(visit: Visit) -> None:
    page = ready(visit("attention", kind="joint", text=TEXT))
    lit = page.locator(".map-block[aria-current=true]")
    assert [each.get_attribute("data-kind") for each in lit.all()] == ["encoder", "causal", "cross"]
    page.locator(".map-block[data-kind=next]").click()
    page.locator(".bars .bar").first.wait_for()
    page.wait_for_function(
        "() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement)"
        " e = e.shadowRoot.activeElement; return e?.classList.contains('bar'); }"
    )
    quiet(page)  # it scrolls there
    bars = box(page, ".bars")
    assert bars["y"] + 60 < 1010, "in sight"
    assert page.locator(".map-block[data-kind=next]").get_attribute("aria-current") == "true"
    page.locator(".map-block[data-kind=memory]").click()
    page.get_by_text("into a row of the encoder output").wait_for()
    page.get_by_role("heading", name="The encoder’s final norm scales by").wait_for()


@pytest.mark.thorough
def test_pictures_say_what_they_are_of(visit: Visit, tmp_path: Path) -> None:
    page = ready(visit("attention", text=TEXT, layer="1", head="0"))
    for card, who in ((".detail", "head 1.0"), (".wall", "head 1.0")):
        page.locator(f"{card} .menu-open").click()
        picture = saved(page, tmp_path, page.locator(f"{card} .menu-item").nth(1).click).read_text("utf-8")
        words = " ".join(re.findall(r">([^<>]+)</text>", picture))
        assert all(part in words for part in (who, TEXT, "tiny")), words
    page = ready(visit("layer_norm", text=TEXT))
    chart = page.locator(".st-key-chart_norm_stream")
    chart.locator(".js-plotly-plot .main-svg").first.wait_for()
    chart.locator(".menu-open").click()
    picture = saved(page, tmp_path, chart.locator(".menu-item").nth(1).click).read_text("utf-8")
    words = " ".join(re.findall(r">([^<>]+)</text>", picture))
    assert all(part in words for part in ("after each sub-layer", TEXT, "tiny")), words


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["", "attention", "compare", "positions", "layer_norm"])
def test_what_is_pressed_is_large_enough_and_numbers_say_what_they_are(visit: Visit, name: str) -> None:
    opened = {"place": "encoder.0.self"} if name == "layer_norm" else {}  # which unfolds what explains itself
    page = ready(visit(name, text=TEXT, **opened))
    assert page.evaluate(_SMALL) == []
    word, tip, count = {
        "compare": (".explained", ".compare ~ .tip, .stage-root + .ruler + .tip", 3),
        "layer_norm": (".atlas-metric", ".atlas-metric:hover .atlas-tip", 7),
    }.get(name, ("", "", 0))
    if not count:
        return
    words = page.locator(word)
    assert words.count() == count
    told = set()
    for each in words.all():
        each.hover()
        shown = page.locator(tip).filter(visible=True)
        shown.wait_for()
        told.add(shown.inner_text())
        assert re.search(r"\. Range: .+ \(.*(19|20)\d\d", shown.inner_text()), "definition, range and source"
        place = shown.bounding_box()
        assert place and place["x"] >= 0 and place["x"] + place["width"] <= 1440, "in sight"
        page.mouse.move(2, 2)
        shown.wait_for(state="hidden")
    assert len(told) == (2 if name == "compare" else count), "each number its own"
    words.first.focus()
    page.locator(tip.replace(":hover", ":focus")).filter(visible=True).wait_for()
