"""The Heads page in a browser, one load: the table, the maps, the open head and what leaves are those of the stored atlas."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.checkpoints import files
from core.experiments.atlas_file import load_atlas
from core.experiments.corpus import Atlas
from tests.browser.golden_reading import menu_file
from tests.browser.looking import wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DATES = Path(__file__).parents[2] / "checkpoints" / "dates"
ROWS = ".atlas-heads tbody tr"


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return load_atlas(DATES, files.read_config(DATES), files.folder_digest(DATES))


@pytest.fixture(scope="module")
def page(chromium: Browser, server: str) -> Iterator[Page]:
    """The page once; what it complains of is asked for at the end."""
    context = chromium.new_context(viewport={"width": 1440, "height": 1010}, accept_downloads=True)
    context.set_default_timeout(60_000)
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(f"{server}/heads?checkpoint=dates")
    tab.locator(ROWS).first.wait_for()
    tab.locator(".compare-pane canvas").first.wait_for()
    yield tab
    context.close()
    assert not errors, errors


def names(page: Page) -> list[str]:
    return page.locator(f"{ROWS} th button").all_inner_texts()


def column(page: Page, number: int) -> list[float]:
    cells = page.locator(f"{ROWS} td.score:nth-of-type({number + 2}) b").all_inner_texts()
    return [float(cell.replace("−", "-")) for cell in cells]


def test_the_table_is_that_of_the_atlas_and_sorts(page: Page, atlas: Atlas) -> None:
    table = atlas.scores["cross"]["consensus"].average.astype(np.float32)  # as it is sent
    assert names(page) == [f"{layer}.{head}" for layer in range(2) for head in range(4)]
    np.testing.assert_allclose(column(page, 0), table.ravel(), atol=0.0051)
    head = page.locator(".atlas-heads thead button").first
    assert head.inner_text() == "Alignment"
    for order, sign in (("high", -1), ("low", 1)):
        head.click()
        wait_for_params(page, sort=order, badge="consensus")
        places = np.argsort(sign * table.ravel(), kind="stable")
        assert names(page) == [f"{place // 4}.{place % 4}" for place in places]
        assert head.locator("xpath=..").get_attribute("aria-sort") == f"{'de' if sign < 0 else 'a'}scending"
    head.click()
    page.wait_for_function("() => !new URLSearchParams(location.search).has('sort')")


def test_the_bar_of_a_head_is_its_spread(page: Page, atlas: Atlas) -> None:
    low, _, middle, _, high = atlas.quantiles("cross", "consensus")[:, 0, 3]
    row = page.locator(f'{ROWS}:has(button[aria-label="open head 0.3"])')
    style = row.locator(".strip .most").first.get_attribute("style") or ""
    left, width = (float(each) for each in re.findall(r"[\d.]+", style))
    assert left == pytest.approx(100 * low, abs=0.02) and left + width == pytest.approx(100 * high, abs=0.03)
    median = row.locator(".strip .median").first.get_attribute("style") or ""
    assert float(re.findall(r"[\d.]+", median)[0]) == pytest.approx(100 * middle, abs=0.02)


def test_roles_and_layers_are_filtered_and_linked(page: Page, atlas: Atlas) -> None:
    page.locator('select[aria-label="role"]').select_option("alignment")
    wait_for_params(page, only_role="alignment")
    expected = [f"{layer}.{head}" for layer in range(2) for head in range(4)
                if atlas.scores["cross"]["consensus"].average[layer, head] >= 0.7]  # fmt: skip
    assert names(page) == expected
    page.locator('select[aria-label="role"]').select_option("")
    page.locator('select[aria-label="layer"]').select_option("1")
    wait_for_params(page, only_layer="1")
    assert names(page) == ["1.0", "1.1", "1.2", "1.3"]
    page.locator('select[aria-label="layer"]').select_option("")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('only_layer')")


def test_a_row_and_a_dot_open_a_head_with_its_own_sentences(page: Page, atlas: Atlas) -> None:
    page.locator(ROWS).nth(6).click()
    wait_for_params(page, layer="1", head="2")
    page.get_by_text("Head 1.2 on its most typical and its most extreme sentence").wait_for()
    shown = atlas.shown("cross", 1, 2)
    assert shown is not None
    for title, stands in zip(page.locator(".compare-title").all_inner_texts(), shown, strict=True):
        assert title.endswith(f" {stands.value:.2f}")
    # The dot of head 0.3 stands where its panel's scale puts it: found again by its name in the readout.
    box = page.locator(".atlas-maps").bounding_box()
    assert box is not None
    found = False
    for step in range(0, 60):
        x, y = box["width"] * (0.69 + 0.3 * (step % 12) / 12), 45 + 140 * (step // 12) / 5
        page.mouse.move(box["x"] + x, box["y"] + y)
        page.wait_for_timeout(20)
        told = page.locator(".atlas-card .readout").inner_text()
        if "of cross" in told and not told.startswith("Head 1.2 "):
            name = told.split()[1]
            page.mouse.click(box["x"] + x, box["y"] + y)
            layer, head = name.split(".")
            wait_for_params(page, layer=layer, head=head)
            page.get_by_text(f"Head {name} on its most typical").wait_for()
            found = True
            break
    assert found, "no head was met on the map"


def test_the_numbers_leave_as_the_command_writes_them(page: Page, atlas: Atlas, tmp_path: Path) -> None:
    path = menu_file(page, ".atlas-card", "csv", tmp_path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row, expected in zip(rows, atlas.rows(), strict=True):
        assert (row["kind"], int(row["layer"]), int(row["head"])) == (
            expected["kind"],
            expected["layer"],
            expected["head"],
        )
        for name, value in expected.items():
            if not isinstance(value, float):
                continue
            if np.isnan(value):
                assert row[name] == "", name
            else:
                assert float(row[name]) == pytest.approx(value, rel=1e-4, abs=1e-5), name
    svg = menu_file(page, ".atlas-card", "svg", tmp_path).read_text("utf-8")
    assert svg.count("<circle") >= 24 and "cross" in svg
