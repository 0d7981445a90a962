"""A walk over the pages that test_hall_and_phone.py does not measure: small projector, phone, right to left, cold start."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.browser.looking import CHECKED, Visit, quiet, ready
from tests.browser.tabs import WRITTEN
from tests.browser.test_hall_and_phone import _CONTRAST, _TEXTS, box, sideways, small_texts

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.turned

ROOT = Path(__file__).parents[2]
TEXT = "The dog is chasing a white ball."
LONG = (
    "A young woman with long black hair is reading a very old book on a wooden bench in the park while two little dogs "
    "are playing in the snow and an old man is walking slowly behind them with a red umbrella."
)


@pytest.fixture
def hall(visit: Visit) -> Any:
    """Opens a page on a small projector, in one tab a test, with what its canvases write taken down."""
    page: Page | None = None

    def go(name: str, text: str = TEXT, **params: str) -> Page:
        nonlocal page
        shown = {"checkpoint": "en-fr", "text": text, "presenter": "1", **params}
        page = visit(name, width=1280, height=720, tab=page, **shown)
        page.get_by_text(CHECKED).first.wait_for(state="attached")
        return quiet(page)

    return go


@pytest.mark.thorough
def test_a_small_projector_shows_maps_numbers_and_ways_out(hall: Any) -> None:
    page = hall("learning")
    page.locator(".dynamics-wall").wait_for()
    quiet(page)
    assert small_texts(page) == [], "the wall of a training"
    assert box(page, '[data-testid="stExpandSidebarButton"]')["x"] >= 0
    arrow = box(page, '[data-testid="stExpandSidebarButton"] [data-testid="stIconMaterial"]')
    assert arrow["x"] >= 0, "the whole arrow"
    for name in ("attention", "alignment"):
        page = hall(name)
        row = page.locator(".st-key-view_options > *").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect()).filter((b) => b.width).map((b) => b.y + b.height / 2)"
        )
        assert max(row) - min(row) < 12, "every choice on one line"
        assert small_texts(page) == []
    sentence = page.locator(".atlas-sentence")
    assert sentence.evaluate("(p) => p.scrollHeight - p.clientHeight") <= 1, "the whole sentence"
    page = hall("what_if")
    verdict, heads, chart = (
        box(page, each) for each in (".st-key-card_verdict", ".tiles", ".js-plotly-plot")
    )
    assert verdict["y"] + verdict["height"] < heads["y"] < 720, "what is written stands first"
    assert chart["x"] > heads["x"] + heads["width"] and chart["y"] < 720, (
        "what it costs stands beside the heads"
    )
    page = hall("lenses")
    words, menu = (
        box(page, ".lens > .card >> nth=1 >> .card-title"),
        box(page, ".lens > .card >> nth=1 >> .menu-open"),
    )
    assert abs(words["y"] - menu["y"]) < 24 and menu["x"] > words["x"], "the way out beside the title"
    written = [said for _, said in page.evaluate(_TEXTS)]
    assert "chien" in written or any(said.startswith("chi") for said in written)
    page = hall("", text=LONG)
    text, heat = box(page, ".stage-text"), box(page, ".heat canvas")
    assert text["height"] < 4.3 * 1.3 * 14 * 1.4 and heat["y"] + heat["height"] <= 720


@pytest.mark.thorough
def test_words_of_the_lens_are_whole_where_there_is_room(visit: Visit) -> None:
    page = visit("lenses", text="I am tired.")
    page.locator(".lens-cells").wait_for()
    quiet(page)
    rows = page.locator(".lens-cells").evaluate(
        "(node) => (node.querySelector('canvas') ?? node).written.map((w) => w[1])"
    )
    assert len(rows) > 4
    assert [said for said in rows if said.endswith("…") and len(said) < 12] == []


def test_on_a_phone_the_other_pages_can_be_read(chromium: Any, server: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.add_init_script(WRITTEN)
    page.set_default_timeout(60_000)
    for name in ("lessons", "attention?kind=joint"):
        page.goto(f"{server}/{name}{'&' if '?' in name else '?'}checkpoint=tiny&text=I+am+tired.")
        strip = name != "lessons"  # the pages of Learn have none
        page.locator(".st-key-strip .map-block" if strip else ".lesson-links a").first.wait_for()
        quiet(page)
        assert page.locator(".map-block").filter(visible=True).count() == (6 if strip else 0), name
        assert sideways(page) <= 0, name
        said = " ".join(words for _, words in page.evaluate(_TEXTS))
        assert not re.search(r"\bhover\b|\bEsc\b|Shift-click|\bclick opens\b", said), name
        if name == "lessons":
            links = page.locator(".lesson-links a")
            assert links.count() > 30
            assert (
                min(links.evaluate_all("(all) => all.map((a) => a.getBoundingClientRect().height)")) >= 23.9
            )
        if "joint" in name:
            drawn = {words for _, words in page.evaluate(_TEXTS)}
            assert {"encoder self", "cross", "decoder causal"} <= drawn, "no name is cut"
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_can_be_read(visit: Visit, scheme: Any) -> None:
    page = ready(visit("pitfalls", text=TEXT, pitfall="head-split-view", scheme=scheme))
    words = page.locator('[data-testid="stCode"] .token')
    words.first.wait_for()
    assert min(each.evaluate(_CONTRAST) for each in words.all()) >= 4.5


@pytest.mark.thorough
def test_the_head_of_the_table_of_heads_covers_what_scrolls_below_it(visit: Visit) -> None:
    page = ready(visit("heads", checkpoint="en-fr", every="1"))
    table = page.locator(".atlas-list")
    table.wait_for()
    over = table.evaluate(
        """(list) => {
          const found = [];
          for (let step = 0; step < 12; step += 1) {
            list.scrollTop = 40 + 3 * step;
            for (const th of list.querySelectorAll('thead th')) {
              const { left, width, top, height } = th.getBoundingClientRect();
              for (let x = left + 1; x < left + width; x += 2) {
                const seen = list.getRootNode().elementFromPoint(x, top + height / 2);
                if (seen && !th.contains(seen)) found.push(seen.className);
              }
            }
          }
          return found;
        }"""
    )
    assert over == []


@pytest.mark.thorough
def test_beside_a_short_translation_every_source_word_has_a_line(
    visit: Visit,
) -> None:
    page = ready(visit("alignment", checkpoint="rtl"))
    lines = page.locator(".aligned-views canvas").first
    lines.wait_for()
    assert lines.bounding_box()["height"] >= 8 * 19  # type: ignore[index]


@pytest.fixture
def cold(tiny_checkpoint: Path) -> Iterator[Callable[[], str]]:
    """Makes checkpoints that no one has loaded yet, large enough to be waited for, in the folder that the server lists."""
    made: list[Path] = []

    def make() -> str:
        made.append(tiny_checkpoint.parent / f"cold-{len(made)}")
        shutil.copytree(ROOT / "checkpoints" / "en-fr", made[-1], ignore=shutil.ignore_patterns("*.npz"))
        weights = load_file(made[-1] / "model.safetensors")
        for tensor in weights.values():
            tensor += 1e-3 * torch.rand(
                ()
            )  # a model of its own: those of earlier tests are known by their weights
        save_file(weights, made[-1] / "model.safetensors")
        return made[-1].name

    yield make
    for folder in made:
        shutil.rmtree(folder)


# The frame as it was seen, whatever became of it: one that comes after the stage is never shown.
_KEEP = """(() => {
  new MutationObserver(() => {
    const frame = document.querySelector('.atlas-loading');
    if (frame?.innerText) window.frame ??= [frame.outerHTML, frame.innerText];
  }).observe(document, { childList: true, subtree: true });
})()"""
# Put it back where it stood, once everything else has come to rest; where its first card begins.
_PUT_BACK = """() => {
  const place = document.createElement('div');
  place.dataset.testid = 'stElementContainer';
  place.innerHTML = `<div data-testid="stHtml">${window.frame[0].replace(' done', '')}</div>`;
  let said = document.querySelector('.st-key-said');
  while (!said.parentElement.contains(document.querySelector('.st-key-sentence'))) said = said.parentElement;
  said.before(place);
  const { top } = place.querySelector('.atlas-loading > div').getBoundingClientRect();
  place.remove();
  return top;
}"""


@pytest.mark.thorough
@pytest.mark.parametrize("presenter", ["0", "1"])
def test_the_stage_comes_to_stand_where_its_frame_stood_while_the_model_was_loading(
    context: BrowserContext, server: str, listed: str, cold: Callable[[], str], presenter: str
) -> None:
    for _ in range(5):  # a small model may be there before a busy browser has drawn what comes before it
        page, name = context.new_page(), cold()
        page.set_viewport_size({"width": 1440, "height": 900})
        page.add_init_script(_KEEP)
        page.goto(f"{server}/?checkpoint={name}&text=I+am+tired.&presenter={presenter}")
        page.locator(".stage .play-count").wait_for()
        quiet(page)
        assert not page.locator(".atlas-loading").filter(visible=True).count(), "the stage took its place"
        if page.evaluate("window.frame !== undefined"):
            break
        page.close()
    assert page.evaluate("window.frame[1]").startswith("I am tired.")
    assert f"loading {name} …" in page.evaluate("window.frame[1]")
    stage = page.locator(".stage > .card").first.bounding_box()
    assert stage and page.evaluate(_PUT_BACK) == pytest.approx(stage["y"], abs=1)
    page.close()
