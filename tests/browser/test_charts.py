"""Figures of the Positions, Layer norm and Checkpoints pages leave as PNG, SVG and CSV, made in the browser."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.browser.looking import CHECKED, quiet

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.turned

Visit = Callable[..., "Page"]


def saved(page: Page, menu: Locator, place: int, folder: Path) -> Path:
    menu.locator(".menu-open").click()
    with page.expect_download() as download:
        menu.locator(".menu-item").nth(place).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


# The selectors of all rules that the page has, Streamlit's own among them.
SELECTORS = """() => {
  const of = (rules) => [...rules].flatMap((rule) => [rule.selectorText ?? '', ...of(rule.cssRules ?? [])]);
  return [...document.styleSheets].flatMap((sheet) => of(sheet.cssRules));
}"""


@pytest.mark.thorough
def test_no_rule_asks_every_mark_of_a_chart_what_follows_it(visit: Visit) -> None:
    page = visit("layer_norm")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    selectors = page.evaluate(SELECTORS)
    assert any("stButtonGroup" in each for each in selectors)
    assert any(re.match(r"\.st-emotion-cache-\w+", each) for each in selectors)
    assert not [each for each in selectors if ":has(+" in each]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("page_name", "figures"),
    [
        ("positions", ("position_table", "position_similarity")),
        ("layer_norm?place=encoder.0.self", ("norm_stream", "norm_gains")),
        ("checkpoints?desk=inspect", ("histogram",)),
    ],
)
def test_each_figure_leaves_as_picture_and_numbers(
    visit: Visit, tmp_path: Path, page_name: str, figures: tuple[str, ...]
) -> None:
    name, _, query = page_name.partition("?")
    page = visit(name, **dict([query.split("=")] if query else []))
    page.get_by_text(CHECKED).first.wait_for()
    for figure in figures:
        menu = page.locator(f".st-key-chart_{figure}")
        menu.locator(".js-plotly-plot .main-svg").first.wait_for()
        quiet(page)
        png, svg, table = (saved(page, menu, place, tmp_path) for place in range(3))
        assert png.read_bytes().startswith(b"\x89PNG")
        drawing = ElementTree.parse(svg).getroot()
        assert drawing.tag.endswith("svg")
        assert float(drawing.attrib["width"]) > 200
        assert len(list(drawing.iter())) > 20
        rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8-sig"))))
        assert rows
        assert list(rows[0]) == ["trace", "x", "y", "z"]


@pytest.mark.thorough
def test_the_numbers_of_the_position_table_are_sines_and_cosines(visit: Visit, tmp_path: Path) -> None:
    page = visit("positions", text="I am tired.")
    page.get_by_text(CHECKED).first.wait_for()
    menu = page.locator(".st-key-chart_position_table")
    menu.locator(".js-plotly-plot .main-svg").first.wait_for()
    quiet(page)
    table = saved(page, menu, 2, tmp_path).read_text("utf-8-sig")
    cells = [row for row in csv.DictReader(io.StringIO(table)) if row["z"]]
    width = 1 + max(int(float(row["x"])) for row in cells)
    found = np.array([float(row["z"]) for row in cells]).reshape(-1, width)
    assert width == 16, "the small model's d_model"
    angles = np.arange(len(found))[:, None] / 10000 ** (np.arange(0, width, 2) / width)
    np.testing.assert_allclose(found, np.hstack([np.sin(angles), np.cos(angles)]), atol=1e-6)


@pytest.mark.thorough
def test_two_columns_of_words_leave_as_one(visit: Visit, tmp_path: Path) -> None:
    page = visit("what_if", text=" ".join(["The dog is chasing a white ball near the house and"] * 3))
    menu = page.locator(".st-key-chart_what_if_rows")
    menu.locator(".js-plotly-plot .main-svg").nth(1).wait_for()
    quiet(page)
    svg, table = (saved(page, menu, place, tmp_path) for place in (1, 2))
    drawn = menu.locator(".ytick text").all_text_contents()
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8-sig"))))
    assert len(drawn) > 16
    assert [row["token"].removeprefix("'") for row in rows if row["trace"] == "before"] == drawn
    words = ["".join(node.itertext()) for node in ElementTree.parse(svg).getroot().findall(".//{*}text")]
    assert [word for word in words if word in drawn] == drawn
