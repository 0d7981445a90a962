"""From the model to the pixel, Pitfalls and Tutorials: the faulty map is that of the hand-made model with the fault in it."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.learning.mistakes import IDS
from tests.browser.golden_model import HEADS, TEXT, Naive
from tests.browser.golden_reading import menu_file, table, visit_golden
from tests.browser.looking import Visit, colours, params, wait_for_params

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
    title = page.locator(".compare .card-title").inner_text()
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

    # The next one, by its arrow; then two maps without names, and an answer that the link keeps.
    page.get_by_role("button", name="→").click()
    following = IDS[IDS.index("scale-by-d-model") + 1]
    wait_for_params(page, pitfall=following)
    page.get_by_text("spot it yourself").click()
    wait_for_params(page, spot="1")
    page.locator(".st-key-guess_1 button").click()
    wait_for_params(page, guess="1")
    page.get_by_text(re.compile(r"^(Yes|No), it was the (first|second)\.")).wait_for()


def test_a_write_up_is_drawn_and_leads_on(visit: Visit) -> None:
    page = visit_golden(visit, "tutorials")
    page.get_by_role("radio", name="B", exact=True).or_(
        page.get_by_role("button", name="B", exact=True)
    ).first.click()
    wait_for_params(page, tutorial="tutorial-b")
    canvas = page.get_by_role("img", name=re.compile(r"Not the paper’s: .*two tables, × √d_model"))
    canvas.wait_for()
    assert colours(canvas) > 5
    page.get_by_role("link", name="A norm that divides by std + ε").click()
    page.locator(".compare .card-title").wait_for()
    assert params(page)["pitfall"] == "std-plus-eps" and "/pitfalls" in page.url
