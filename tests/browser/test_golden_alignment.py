"""From the model to the pixel, Alignment: one page, every number held against the hand-made model's plain loops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from tests.browser.golden_model import DECODER_LAYERS, ENCODER_LAYERS, HEADS, TEXT, WIDTH, Naive, Passed
from tests.browser.golden_reading import (
    check_map,
    check_told,
    menu_file,
    readout,
    table,
    taken_away,
    visit_golden,
)
from tests.browser.looking import Visit, params, point, wait_for_params
from ui.heads.alignment_data import marked

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

SIZE = WIDTH // HEADS
LAYER, HEAD = 1, 2
OTHER = (2, 0)  # a head that is opened on the wall
Links = set[tuple[int, int]]
Map = Sequence[Sequence[float]]


class Told(NamedTuple):
    """Precision, recall and AER."""

    precision: float
    recall: float
    aer: float


def links_of(rows: Map, step: str) -> Links:
    """(source word, written word): the largest number of a word's row, or of the row after it; the end is no word."""
    found = set()
    for word in range(len(rows) - 1):  # the last row writes the end token
        row = list(rows[word + (step == "reading")])
        best = row.index(max(row))
        if best < len(row) - 1:
            found.add((best, word))
    return found


def contributions(model: Naive, passed: Passed, layer: int) -> list[list[list[float]]]:
    """‖α f(x_j)‖ of every head (H, T, S) as shares of a row."""
    name = f"decoder_layers.{layer}.cross_attention"
    memory = passed.norms["encoder", ENCODER_LAYERS - 1, "ffn"][1]
    found = []
    for head in range(HEADS):
        part = slice(head * SIZE, (head + 1) * SIZE)
        lengths = []
        for vector in memory:
            value = (model.p[f"{name}.v_proj.weight"] @ vector + model.p[f"{name}.v_proj.bias"])[part]
            lengths.append(float(np.linalg.norm(model.p[f"{name}.output_proj.weight"][:, part] @ value)))
        rows = []
        for row in passed.maps["cross"][layer][head]:
            sizes = [weight * length for weight, length in zip(row, lengths, strict=True)]
            rows.append([size / sum(sizes) for size in sizes])
        found.append(rows)
    return found


def told(links: Links, sure: Links, possible: Links) -> Told:
    in_sure, in_possible = len(links & sure), len(links & possible)
    return Told(
        in_possible / len(links), in_sure / len(sure), 1 - (in_sure + in_possible) / (len(links) + len(sure))
    )


@pytest.fixture(scope="module")
def model() -> Naive:
    return Naive()


@pytest.fixture(scope="module")
def passed(model: Naive) -> Passed:
    return model.translate(TEXT)


@pytest.fixture(scope="module")
def gold(passed: Passed) -> tuple[Links, Links]:
    """Sure and possible links, sure ones among them: some of one head's, some of another's, one of none."""
    one = sorted(links_of(passed.maps["cross"][LAYER][HEAD], "writing"), key=lambda link: link[1])
    two = sorted(links_of(passed.maps["cross"][0][1], "writing"), key=lambda link: link[1])
    sure = {*one[:2], two[-1]}
    return sure, {*sure, *one[2:4]}


@pytest.fixture
def page(visit: Visit, passed: Passed, gold: tuple[Links, Links]) -> Page:
    """The page as it opens, one for each question."""
    from core.analysis.alignment import Gold

    sure, possible = gold
    links = marked(Gold(frozenset(sure), frozenset(possible)), passed.source[:-1], passed.written[:-1])
    at = {"layer": str(LAYER), "head": str(HEAD), "gold": links}
    tab = visit_golden(visit, "alignment", height=1900, **at)
    tab.locator(".st-key-chart_alignment_by_layer .js-plotly-plot").wait_for()
    return tab


def check_plate(
    page: Page,
    folder: Path,
    rows: Map,
    links: Links,
    passed: Passed,
    gold: tuple[Links, Links],
    fed_back: bool = False,
) -> None:
    """The table that leaves the plate: every number, every link and every gold link in its cell."""
    lines = table(menu_file(page, ".alignment", "csv", folder))
    check_map(lines, passed.written, passed.source, rows, fed_back=fed_back)
    sure, possible = gold
    assert {(int(x["key_position"]), int(x["query_position"])) for x in lines if x["link"] == "1"} == links
    kinds = {(int(x["key_position"]), int(x["query_position"])): x["gold"] for x in lines if x["gold"]}
    assert kinds == {link: "sure" if link in sure else "possible" for link in possible}


def check_walls_and_chart(
    page: Page, every: Sequence[Sequence[Map]], step: str, gold: tuple[Links, Links]
) -> None:
    """The AER of each head on the wall, of each layer and head in the chart."""
    for place, button in enumerate(page.locator(".wall-head").all()):
        layer, head = divmod(place, HEADS)
        label = button.get_attribute("aria-label") or ""
        number = re.search(r"AER (\d\.\d\d)", label)
        expected = told(links_of(every[layer][head], step), *gold).aer
        assert number and abs(float(number[1]) - expected) < 0.0051, (label, expected)
    data = page.locator(".st-key-chart_alignment_by_layer .js-plotly-plot").evaluate(
        "(plot) => plot._fullData.map(({ name, x, y }) => [name, [...x], [...y]])"
    )
    lines = {name: (x, y) for name, x, y in data}
    for each, name in (("writing", "when predicted"), ("reading", "when fed back")):
        heads = [
            told(links_of(every[a][b], each), *gold).aer for a in range(DECODER_LAYERS) for b in range(HEADS)
        ]
        assert np.allclose(lines[f"heads, {name}"][1], heads)
        assert [round(x) for x in lines[f"heads, {name}"][0]] == sorted(list(range(DECODER_LAYERS)) * HEADS)
        means = [np.mean(np.array(every[a]), axis=0).tolist() for a in range(DECODER_LAYERS)]
        assert np.allclose(lines[name][1], [told(links_of(mean, each), *gold).aer for mean in means])


def test_the_plate_the_wall_and_the_chart_by_weight(
    page: Page, passed: Passed, gold: tuple[Links, Links], tmp_path: Path
) -> None:
    every = passed.maps["cross"]
    rows = every[LAYER][HEAD]
    links = links_of(rows, "writing")
    check_plate(page, tmp_path, rows, links, passed, gold)
    found = told(links, *gold)
    said = readout(page.locator(".alignment .readout"))
    assert (
        f"AER {found.aer:.2f}, precision {100 * found.precision:.0f} %, recall {100 * found.recall:.0f} %"
        in said
    )
    for source, target in sorted(gold[0] - links)[:1]:
        assert f"“{passed.written[target]}” – “{passed.source[source]}”" in said.split("Missed:")[1]
    assert page.locator(".alignment .card-title").inner_text() == (
        f"Head {LAYER}.{HEAD} finds {len(links & gold[0])} of {len(gold[0])} sure links"
    )
    check_walls_and_chart(page, every, "writing", gold)
    line = taken_away(page, "Links (Pharaoh, from 0)", tmp_path).read_text().strip()
    assert {tuple(map(int, pair.split("-"))) for pair in line.split()} == links
    page.keyboard.press("Escape")


@pytest.mark.thorough
def test_a_pinned_row_tells_its_link(page: Page, passed: Passed, gold: tuple[Links, Links]) -> None:
    canvas = page.locator(".aligned-heat")
    canvas.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait_for_params(page, pins="q1")
    said = readout(page.locator(".alignment .readout"))
    linked = [
        source for source, target in links_of(passed.maps["cross"][LAYER][HEAD], "writing") if target == 1
    ]
    assert f"Writes “{passed.written[1]}”: head {LAYER}.{HEAD} looks" in said
    assert (f"Linked to “{passed.source[linked[0]]}”" if linked else "No link") in said
    page.keyboard.press("Escape")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('pins')")


@pytest.mark.thorough
def test_the_step_that_reads_is_the_row_after(
    page: Page, passed: Passed, gold: tuple[Links, Links], tmp_path: Path
) -> None:
    page.get_by_text("When fed back", exact=True).click()
    wait_for_params(page, reading="reading")
    page.locator(".alignment .card-subtitle", has_text="when the word is fed back").wait_for()
    every = passed.maps["cross"]
    rows = [*every[LAYER][HEAD][1:], [0.0] * len(passed.source)]
    check_plate(page, tmp_path, rows, links_of(every[LAYER][HEAD], "reading"), passed, gold, fed_back=True)
    check_walls_and_chart(page, every, "reading", gold)


@pytest.mark.thorough
def test_a_click_on_the_wall_opens_that_head_by_contribution_too(
    page: Page, model: Naive, passed: Passed, gold: tuple[Links, Links], tmp_path: Path
) -> None:
    page.locator(".wall-head").nth(OTHER[0] * HEADS + OTHER[1]).click()
    wait_for_params(page, layer=str(OTHER[0]), head=str(OTHER[1]))
    page.get_by_text("When predicted", exact=True).click()
    page.get_by_text("Contribution", exact=True).click()
    wait_for_params(page, by="contribution")
    page.locator(
        ".alignment .card-subtitle", has_text=re.compile("contribution when the word is predicted")
    ).wait_for()
    rows = contributions(model, passed, OTHER[0])[OTHER[1]]
    check_plate(page, tmp_path, rows, links_of(rows, "writing"), passed, gold)
    page.locator(".aligned-heat").focus()
    page.keyboard.press("ArrowDown")
    page.locator(".alignment .readout", has_text="Writes").wait_for()  # it is told in the next frame
    said = readout(page.locator(".alignment .readout"))
    start = f"Writes “{passed.written[1]}”: head {OTHER[0]}.{OTHER[1]} draws "
    assert said.startswith(start), f"a share of what is added is no look: {said}"
    check_told(said.split(" Linked")[0], passed.source, rows[1])
    page.keyboard.press("Escape")
    for place, button in enumerate(page.locator(".wall-head").all()):
        layer, head = divmod(place, HEADS)
        expected = told(links_of(contributions(model, passed, layer)[head], "writing"), *gold).aer
        number = re.search(r"AER (\d\.\d\d)", button.get_attribute("aria-label") or "")
        assert number and abs(float(number[1]) - expected) < 0.0051


@pytest.mark.thorough
def test_clicking_cells_marks_gold_that_the_link_holds(
    page: Page, passed: Passed, gold: tuple[Links, Links]
) -> None:
    free = next((s, t) for t in (0, 5) for s in (4, 0, 2) if (s, t) not in gold[1])
    page.get_by_role("button", name="Mark gold").click()
    canvas = page.locator(".aligned-heat")
    canvas.focus()
    for _ in range(free[1]):
        page.keyboard.press("ArrowDown")
    for _ in range(free[0]):
        page.keyboard.press("ArrowRight")
    before = params(page)["gold"]
    page.keyboard.press("Enter")
    sign = f"{free[0] + 1}-{free[1] + 1}"
    page.wait_for_function(
        "(sign) => new URLSearchParams(location.search).get('gold').split(/[:,]/).includes(sign)", arg=sign
    )
    page.keyboard.press("Enter")
    maybe = f"{free[0] + 1}p{free[1] + 1}"
    page.wait_for_function(
        "(sign) => new URLSearchParams(location.search).get('gold').split(/[:,]/).includes(sign)", arg=maybe
    )
    page.keyboard.press("Enter")
    wait_for_params(page, gold=before)
    x, y = point(canvas, 0.5, 0.5)
    page.mouse.move(x, y)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
