"""From the model to the pixel, Pitfalls and Tutorials: the faulty map is that of the hand-made model with the fault in it."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.learning.mistakes import IDS
from core.learning.pitfalls import pitfall
from core.model.config import ModelConfig
from tests.browser.golden_model import DECODER_LAYERS, ENCODER_LAYERS, HEADS, TEXT, WIDTH, Naive
from tests.browser.golden_reading import menu_file, table, visit_golden
from tests.browser.looking import Visit, colours, params, wait_for_params
from ui.learn import mistake_on_sentence as game

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ["the correct model", "the code as written"]


def flatter() -> Naive:
    """The model whose scores are divided by √d_model: its queries are √H times too short."""
    model = Naive()
    for name, values in model.p.items():
        if ".q_proj." in name or name.endswith("q_proj.weight"):
            model.p[name] = values / math.sqrt(HEADS)
    return model


def drawn(page: Page, folder: Path) -> tuple[int, int, dict[str, np.ndarray]]:
    """The head in the title and the maps of the card's own table, by name."""
    title = page.locator(".compare .card-subtitle").inner_text().partition(", on ")[0]
    layer, head = map(int, re.findall(r"\d+", title)[-2:])
    lines = table(menu_file(page, ".compare", "csv", folder))
    maps = {}
    for name in NAMES:
        these = [line for line in lines if line["map"] == name]
        size = 1 + max(int(line["query_position"]) for line in these)
        maps[name] = np.array([float(line["value"] or "nan") for line in these]).reshape(size, -1)
    return layer, head, maps


def test_the_faulty_map_is_that_of_the_model_with_the_fault(visit: Visit, tmp_path: Path) -> None:
    page = visit_golden(visit, "pitfalls", pitfall="scale-by-d-model")
    page.locator(".compare .card-title").wait_for()
    layer, head, maps = drawn(page, tmp_path)
    right = Naive().translate(TEXT)
    wrong = flatter().translate(TEXT)
    assert np.allclose(maps[NAMES[0]], right.maps["encoder"][layer][head], atol=2e-5)
    assert np.allclose(maps[NAMES[1]], wrong.maps["encoder"][layer][head], atol=2e-5)
    moved = np.abs(np.array(right.maps["encoder"]) - np.array(wrong.maps["encoder"])).mean((-2, -1))
    assert moved[layer, head] == moved.max()
    cells = page.locator(".atlas-scores td").all_inner_texts()
    assert cells[cells.index("the first, in units of the second") + 1 :][:2] == [
        "1",
        f"{math.sqrt(HEADS):.3g}",
    ]

    # The next one, by its arrow.
    page.get_by_role("button", name="→").click()
    following = IDS[IDS.index("scale-by-d-model") + 1]
    wait_for_params(page, pitfall=following)


@pytest.mark.thorough
def test_a_round_shows_the_map_of_the_faulty_model_and_what_it_writes(visit: Visit) -> None:
    sizes = {
        "d_model": WIDTH,
        "heads": HEADS,
        "encoder_layers": ENCODER_LAYERS,
        "decoder_layers": DECODER_LAYERS,
    }
    config = ModelConfig(source_vocab_size=9, target_vocab_size=9, **sizes)
    fit = [name for name in IDS if not pitfall(name).unfit(config)]
    deal, number = next(
        (deal, number)
        for deal in range(200)
        for number, each in enumerate(game.deal(deal, fit), start=1)
        if each.answer == "scale-by-d-model"
    )
    this = game.deal(deal, fit)[number - 1]
    before = "".join(str(each.right) for each in game.deal(deal, fit)[: number - 1])
    made = {"game": before} if before else {}
    page = visit_golden(visit, "pitfalls", shows=".atlas-map", deal=str(deal), **made)
    head = page.locator(".atlas-map caption").inner_text().partition(";")[0]
    layer, one = map(int, re.findall(r"\d+", head)[-2:])
    expected = np.array(flatter().translate(TEXT).maps["encoder"][layer][one])
    cells = page.locator(".atlas-map tbody td").all_inner_texts()
    assert cells == [f"{100 * value:.0f}" if value >= 0.095 else "" for value in expected.ravel()]

    # A wrong name, which the link keeps; every name then has its number.
    wrong = 1 + this.right % 4
    page.locator(f".st-key-name_{wrong} button").click()
    wait_for_params(page, game=f"{before}{wrong}", round=str(number))
    page.get_by_text("No: it is “Scores divided by √d_model”").wait_for()
    reasons = page.locator(".atlas-answers p").all_inner_texts()
    assert len(reasons) == 4 and all(re.search(r"\d", reason) for reason in reasons)
    page.locator(".st-key-next_round button").click()
    wait_for_params(page, game=f"{before}{wrong}", round=str(number + 1))


@pytest.mark.thorough
def test_a_cell_of_a_write_up_opens_its_claims_and_leads_on(visit: Visit) -> None:
    page = visit_golden(visit, "tutorials", shows=".st-key-cell_builds_tutorial-b button")
    page.locator(".st-key-cell_builds_tutorial-b button").click()
    wait_for_params(page, tutorial="tutorial-b", claim="sum-dropout")
    canvas = page.get_by_role("img", name=re.compile(r"Not the paper’s: .*two tables, × √d_model"))
    canvas.wait_for()
    assert colours(canvas) > 5
    page.locator(".st-key-cell_wrong_tutorial-b button").click()
    page.get_by_text("the mean (0.2 + 0.3 + 0.4) / 3 is 0.3, not 0.2").first.wait_for()
    page.get_by_text("Its norm divides by std + ε").click()
    wait_for_params(page, claim="std-eps")
    page.get_by_role("link", name="See this mistake on a sentence").click()
    page.locator(".compare .card-title").wait_for()
    assert params(page)["pitfall"] == "std-plus-eps" and "/pitfalls" in page.url
