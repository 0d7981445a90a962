"""Without a mouse: keys play, step, sort and open; focus is seen; reduced motion is kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.looking import Visit, params, quiet, ready, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

TEXT = "I am tired."
PAGES = ("", "attention", "compare", "positions", "layer_norm")
# The focused element inside all shadow roots, and what shows that it is: an outline or a ring of shadow.
_FOCUSED = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  if (!node || node === document.body || node.tagName === 'MAIN') return null; // MAIN is what scrolls
  const shows = (each) => {
    const style = getComputedStyle(each);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none';
  };
  // A switch draws its ring around its words: its own input cannot be seen.
  const ringed = node.closest('[data-testid="stCheckbox"] label') ?? node;
  return { name: node.getAttribute('aria-label') || node.textContent.trim().slice(0, 40) || node.tagName, seen: shows(ringed) };
}"""


def step_of(page: Page) -> int:
    return int(params(page).get("step", "0"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "third"), [("", "step 3"), ("attention", "3 of")])
def test_space_plays_and_stops(visit: Visit, name: str, third: str) -> None:
    page = ready(visit(name, text=TEXT, step="1", **({"kind": "joint"} if name else {})))
    auto = page.get_by_role("button", name="Play or pause (Space)")
    page.keyboard.press("Space")
    assert auto.get_attribute("aria-pressed") == "true"
    page.locator(".play-count", has_text=third).wait_for()
    page.keyboard.press("Space")
    assert auto.get_attribute("aria-pressed") == "false"
    stood = page.locator(".play-count").inner_text()
    page.wait_for_timeout(1200)
    assert page.locator(".play-count").inner_text() == stood
    wait_for_params(page, step=stood.removeprefix("step ").split()[0])


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["", "joint"])
def test_a_replay_that_has_ended_is_in_the_link(visit: Visit, kind: str) -> None:
    page = ready(visit("attention" if kind else "", text=TEXT, **({"kind": kind} if kind else {})))
    ended = page.locator(".play-count", has_text=re.compile(r"^(\d+) of \1$"))
    page.keyboard.press("End")
    ended.wait_for()
    last = ended.inner_text().split()[0]
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    wait_for_params(page, step=str(int(last) - 3))
    page.keyboard.press("Space")
    ended.wait_for()
    wait_for_params(page, step=last)


def test_space_types_a_space_while_typing(visit: Visit) -> None:
    page = ready(visit(text=TEXT, step="1"))
    box = page.get_by_label("Sentence to translate")
    box.focus()
    page.keyboard.press("End")
    page.keyboard.press("Space")
    assert box.input_value() == TEXT + " "
    assert page.get_by_role("button", name="Play or pause (Space)").get_attribute("aria-pressed") == "false"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "kind", "menu"),
    [("", "cross", ".keys"), ("attention", "cross", ".wall .keys"), ("attention", "joint", ".joint .keys")],
)
def test_a_question_mark_shows_the_keys_and_escape_hides_them(
    visit: Visit, name: str, kind: str, menu: str
) -> None:
    page = ready(visit(name, text=TEXT, kind=kind))
    keys = page.locator(menu)
    assert not keys.is_visible()
    page.keyboard.press("?")
    keys.wait_for()
    assert "this list" in keys.inner_text()
    # Nothing of the page lies over the list: what is drawn at any of its points belongs to it.
    covered = keys.evaluate(
        """(list) => {
          const box = list.getBoundingClientRect();
          const root = list.getRootNode();
          const over = [];
          for (let x = 4; x < box.width - 3; x += 6) for (let y = 4; y < box.height - 3; y += 6) {
            const node = root.elementFromPoint(box.left + x, box.top + y);
            if (node && !list.contains(node)) over.push(node.className);
          }
          return over;
        }"""
    )
    assert covered == []
    page.keyboard.press("Escape")
    keys.wait_for(state="hidden")


def test_heads_are_sorted_and_opened_by_keyboard(visit: Visit) -> None:
    page = ready(visit("attention", text=TEXT, kind="cross", layer="0", head="0"))
    page.get_by_label("Order of the heads").focus()
    page.keyboard.press("ArrowDown")  # opens the list
    page.get_by_role("option", name="Sort: highest first").wait_for()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    wait_for_params(page, sort="high")
    quiet(page)
    heads = page.locator(".wall-head").all()
    scores = [
        float((head.get_attribute("aria-label") or "").split("diagonality ")[1].split(",")[0])
        for head in heads
    ]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) > 1
    best, wall = heads[0], page.locator(".wall-head:focus")
    for _ in range(12):
        page.keyboard.press("Tab")
        if wall.count():
            break
    page.keyboard.press("Home")
    assert best.evaluate("(node) => node.matches(':focus')")
    assert best.evaluate("(node) => getComputedStyle(node).outlineStyle") == "solid"
    words = (best.get_attribute("aria-label") or "").split(":")[0]  # Layer 1, head 0
    layer, head = words.removeprefix("Layer ").split(", head ")
    page.keyboard.press("Enter")
    wait_for_params(page, layer=layer, head=head)
    page.get_by_role("heading", name=f"Head {layer}.{head}").wait_for()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", PAGES)
def test_focus_can_be_seen_wherever_tab_leads(visit: Visit, name: str) -> None:
    page = ready(visit(name, text=TEXT))
    page.locator("h3").first.wait_for()
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        focused = page.evaluate(_FOCUSED)
        if focused is None:
            continue
        assert focused["seen"], f"{focused['name']} has no focus ring"
        reached.append(focused["name"])
    assert len(set(reached)) >= 12


@pytest.mark.thorough
@pytest.mark.parametrize(("motion", "moves"), [("reduce", False), ("no-preference", True)])
def test_nothing_moves_under_reduced_motion(visit: Visit, motion: str, moves: bool) -> None:
    page = ready(visit("attention", motion=motion, text=TEXT, kind="joint", step="2"))
    # A step drawn in motion grows over several frames; without motion the click itself draws its end.
    at_once, later = page.locator(".joint").evaluate(
        """async (joint) => {
          const canvas = joint.querySelector('canvas');
          joint.querySelector('[aria-label="Step (→)"]').click();
          const first = canvas.toDataURL();
          await new Promise((done) => setTimeout(done, 900));
          return [first, canvas.toDataURL()];
        }"""
    )
    assert (at_once != later) is moves
    assert step_of(page) == 3
