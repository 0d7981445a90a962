"""From the model to the pixel, inside a head: every number and its terms are what plain loops find."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.browser.golden_model import (
    HEADS,
    SHOWN,
    TARGET,
    TEXT,
    WIDTH,
    Naive,
    Passed,
)
from tests.browser.golden_reading import (
    EXACT,
    Picture,
    check_numbers,
    menu_file,
    readout,
    table,
    visit_golden,
)
from tests.browser.looking import Visit, params, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

LAYER, HEAD, TOKEN = 1, 2, 3
LOOKED_AT = {
    "cross": ("tokens", "entering", "memory", "q", "k_head", "products", "scaled", "weights", "mixed", "joined", "output"),
    "causal": ("embedded", "v", "masked", "weights", "added_norm", "between", "up", "hidden", "down", "probabilities"),
    "encoder": ("positions", "k", "weights", "added", "forward_added_norm"),
}  # fmt: skip


@pytest.fixture(scope="module")
def plain() -> Passed:
    """The pass in which the model translates the text."""
    return Naive().translate(TEXT)


@pytest.fixture(scope="module")
def written(plain: Passed) -> list[str]:
    return plain.written


def shown(visit: Visit, kind: str, **more: str) -> Page:
    token = f"{'s' if kind == 'encoder' else 't'}{TOKEN}"
    where = {"kind": kind, "layer": str(LAYER), "head": str(HEAD), "token": token}
    page = visit_golden(visit, "inside", **{**where, **more})
    page.locator(".inside-cells").first.wait_for()
    return page


def open_card(page: Page, key: str) -> None:
    """Go on with N until a card is open."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeout

    for _ in range(40):
        if params(page).get("card") == key:
            return
        before = params(page).get("card", "")
        page.keyboard.press("n")
        with contextlib.suppress(
            PlaywrightTimeout
        ):  # a key pressed while the page is drawn again may be lost
            page.wait_for_function(
                f"() => new URLSearchParams(location.search).get('card') !== {before!r}", timeout=20_000
            )
    raise AssertionError(f"N never came to {key}")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", LOOKED_AT)
def test_every_card_holds_what_plain_loops_find(
    visit: Visit, plain: Passed, written: list[str], tmp_path: Path, kind: str
) -> None:
    page = shown(visit, kind, card="tokens")
    for key in LOOKED_AT[kind]:
        open_card(page, key)
        lines = table(menu_file(page, ".inside-card > header", "csv", tmp_path))
        expected = plain.card(key, kind, LAYER, HEAD)
        names = [SHOWN.get(word, word) for word in TARGET]
        assert {line["card"] for line in lines} == {key}
        for line in lines:
            row, column = int(line["row"]), int(line["column"])
            if key == "probabilities":
                column = names.index(line["column_name"])
            value = expected[row, column]
            if np.isneginf(value):
                assert line["value"] == "", line
            else:
                assert abs(float(line["value"]) - value) <= EXACT * max(1.0, abs(value)), (line, value)
        reading = ["⟨start⟩", *written[:-1]]
        source = [*TEXT.split(), "⟨end⟩"]
        of_source = kind == "encoder" or (kind == "cross" and key in ("memory", "k", "v", "k_head", "v_head"))
        rows = list(dict.fromkeys((line["row"], line["row_token"]) for line in lines))
        assert [word for _, word in rows] == (source if of_source else reading)


@pytest.mark.thorough
def test_the_matrix_is_drawn_with_its_numbers(
    visit: Visit, plain: Passed, written: list[str], tmp_path: Path
) -> None:
    page = shown(visit, "cross", card="weights", number="3.0")
    picture = Picture(menu_file(page, ".inside-card > header", "svg", tmp_path))
    expected = plain.card("weights", "cross", LAYER, HEAD)
    check_numbers(picture, ["⟨start⟩", *written[:-1]], [*TEXT.split(), "⟨end⟩"], expected, least=8)


@pytest.mark.thorough
def test_a_click_tells_the_terms_of_that_number(visit: Visit, plain: Passed, tmp_path: Path) -> None:
    page = shown(visit, "cross", card="products")
    canvas = page.locator(".inside-cells")
    geometry = canvas.bounding_box()
    assert geometry
    page.keyboard.press("Escape")
    assert page.locator(".why").is_hidden()
    row, column = 4, 2
    canvas.click(position=middle(page, row, column))
    wait_for_params(page, card="products", number=f"{row}.{column}")
    page.locator(".why:visible").wait_for()
    q, k = (plain.card(f"{name}_head", "cross", LAYER, HEAD) for name in "qk")
    total = plain.card("products", "cross", LAYER, HEAD)[row, column]
    asked = page.locator(".why-question").inner_text()
    assert near_told(asked, total), (asked, total)
    lines = table(menu_file(page, ".why", "csv", tmp_path))
    terms = [line for line in lines if line["kind"] == "term"]
    assert len(terms) == WIDTH // HEADS
    for place, line in enumerate(terms):
        a, b = q[row, place], k[column, place]
        assert abs(float(line["a"]) - a) <= EXACT and abs(float(line["b"]) - b) <= EXACT, line
        assert abs(float(line["value"]) - a * b) <= 10 * EXACT, line
    told = {line["kind"]: float(line["value"]) for line in lines if line["kind"] in ("sum", "value", "shown")}
    assert all(abs(number - total) <= 10 * EXACT for number in told.values()), (told, total)
    assert len(told) == 3
    largest = max(range(WIDTH // HEADS), key=lambda place: abs(q[row, place] * k[column, place]))
    first = page.locator(".why-terms li").first
    assert first.locator(".why-name").inner_text() == f"dimension {largest}"
    assert near_told(first.locator(".why-number").inner_text(), q[row, largest] * k[column, largest])
    left, right = first.locator(".why-product").inner_text().split(" × ")
    assert near_told(left, q[row, largest], 3) and near_told(right, k[column, largest], 3)
    assert page.locator(".why-step").first.inner_text().startswith(f"Σ of {WIDTH // HEADS} terms")
    assert near_told(page.locator(".why-value").inner_text(), total)
    words = readout(page.locator(".inside-card .readout"))
    assert f"“{TEXT.split()[column]}”" in words and near_told(words.split(":")[1], total), words


def near_told(words: str, value: float, digits: int = 4) -> bool:
    """Whether the first number of some words is the value, to as many digits as are told."""
    found = re.search(r"[+−-]?\d+(\.\d+)?(e[−+-]?\d+)?", words)
    assert found, words
    told = float(found[0].replace("−", "-"))
    return abs(told - value) <= max(0.51 * 10.0**-digits, abs(value) * 10.0 ** (1 - digits))


def middle(page: Page, row: int, column: int) -> dict[str, float]:
    """The middle of a cell, found by pointing about until the sentence below names it."""
    canvas = page.locator(".inside-cells")
    box = canvas.bounding_box()
    assert box
    key = TEXT.split()[column]
    seen = set()
    for y in np.arange(60.0, box["height"], 18.0):
        for x in np.arange(8.0, box["width"] - 30, 30.0):
            canvas.hover(position={"x": float(x), "y": float(y)})
            words = readout(page.locator(".inside-card .readout"))
            seen.add(words.split(":")[0])
            if words.split(":")[0] == f"“{rows_of(page)[row]}” · “{key}”":
                return {"x": float(x), "y": float(y)}
    raise AssertionError(f"no point names that cell: {sorted(seen)}")


def rows_of(page: Page) -> list[str]:
    """The words that the rows of cross-attention read."""
    return ["⟨start⟩", *Naive().translate(TEXT).written[:-1]]


@pytest.mark.thorough
def test_keys_walk_and_links_come_back(visit: Visit, plain: Passed) -> None:
    page = shown(visit, "causal", card="weights", number="2.1")
    value = plain.card("weights", "causal", LAYER, HEAD)
    page.locator(".why:visible").wait_for()
    assert near_told(page.locator(".why-question").inner_text(), value[2, 1])
    for key, cell in (
        ("ArrowRight", (2, 2)),
        ("ArrowDown", (3, 2)),
        ("ArrowLeft", (3, 1)),
        ("ArrowUp", (2, 1)),
    ):
        page.keyboard.press(key)
        wait_for_params(page, number=f"{cell[0]}.{cell[1]}")
        page.wait_for_function(f"() => {TERMS}?.row === {cell[0]} && {TERMS}?.column === {cell[1]}")
        assert near_told(page.locator(".why-question").inner_text(), value[cell])
    page.keyboard.press("n")
    wait_for_params(page, card="mixed")
    assert "number" not in params(page) and page.locator(".why").is_hidden()
    page.keyboard.press("p")
    wait_for_params(page, card="weights")
    page.keyboard.press("a")
    wait_for_params(page, every="1")
    cards = page.locator(".inside-card").count()
    assert cards == page.locator(".flow-step").count() > 20
    page.reload()
    page.locator(".inside-card").nth(cards - 1).wait_for()
    assert page.locator(".flow-step[aria-current=step]").inner_text() == "softmax"
    page.keyboard.press("a")
    page.wait_for_function("() => !new URLSearchParams(location.search).get('every')")
    assert page.locator(".inside-card").count() == 1


TERMS = "window.atlasBus.last['inside-terms']"
WATCH = """() => { window.flown = [];
  const root = document.querySelector('.st-key-inside [data-testid=stBidiComponentRegular], .st-key-inside') ;
  const find = (node) => { for (const each of node.querySelectorAll('*')) { if (each.matches('.atlas') && each.querySelector('.inside')) return each; if (each.shadowRoot) { const found = find(each.shadowRoot); if (found) return found; } } return null; };
  const atlas = find(document);
  new MutationObserver((changes) => { for (const { addedNodes, removedNodes } of changes) {
    for (const node of addedNodes) if (node.className === 'inside-flying') window.flown.push(['in', performance.now()]);
    for (const node of removedNodes) if (node.className === 'inside-flying') window.flown.push(['out', performance.now()]);
  } }).observe(atlas, { childList: true }); }"""


@pytest.mark.thorough
def test_a_row_moves_to_its_place_and_stands_still_where_that_is_asked(visit: Visit) -> None:
    page = shown(visit, "cross", card="scaled")
    page.evaluate(WATCH)
    page.keyboard.press("n")
    page.wait_for_function("() => window.flown.length === 2")
    (first, begun), (last, ended) = page.evaluate("window.flown")
    assert (first, last) == (
        "in",
        "out",
    ) and ended - begun < 1000  # 180 ms, and what a busy machine takes for a frame
    quiet = shown_still(visit)
    quiet.evaluate(WATCH)
    quiet.keyboard.press("n")
    wait_for_params(quiet, card="masked")
    assert quiet.evaluate("window.flown") == []


def shown_still(visit: Visit) -> Page:
    page = visit_golden(visit, "inside", kind="cross", card="scaled", motion="reduce")
    page.locator(".inside-cells").first.wait_for()
    return page


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("width", "height", "presenter"), [(1920, 1080, "1"), (1440, 1000, "0"), (390, 844, "0")]
)
def test_no_card_runs_off_the_screen(visit: Visit, width: int, height: int, presenter: str) -> None:
    page = visit(
        "inside",
        fresh=True,
        **{"checkpoint": "en-fr", "every": "1", "kind": "causal", "card": "hidden", "number": "1.900"},
        **({"presenter": presenter} if presenter == "1" else {}),
        width=width,
        height=height,
    )
    page.locator(".inside-card").nth(24).wait_for()
    page.locator(".why:visible").wait_for()
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    for card in page.locator(".inside-card").all():
        box = card.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width + 1
        assert card.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    wide = page.locator(".inside-card:has(.why:visible) .scroller")
    scrolls = (
        "(node) => node.scrollWidth >= 3 * 1024 && node.scrollWidth > node.clientWidth && node.scrollLeft > 0"
    )
    assert wide.evaluate(scrolls), "1,024 columns can be told apart, and scroll to the one asked about"
