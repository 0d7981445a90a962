"""The Heads page in a browser: the table, the maps, the open head and what leaves are those of the stored atlas."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest

from core.checkpoints import files
from core.experiments.corpus import Atlas, load_atlas
from tests.browser.golden_model import HEADS, NAME
from tests.browser.golden_reading import menu_file
from tests.browser.looking import Visit, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

ROWS = ".atlas-heads tbody tr"


@pytest.fixture(scope="module")
def atlas(listed: str) -> Atlas:
    folder = next(path for root in listed.split(os.pathsep) if (path := Path(root) / NAME).is_dir())
    return load_atlas(folder, files.read_config(folder), files.folder_digest(folder))


@pytest.fixture
def page(visit: Visit) -> Page:
    """The page as it opens."""
    tab = visit("heads", checkpoint=NAME, every="1", shows=ROWS)
    tab.locator(".compare-pane canvas").first.wait_for()
    return tab


def names(page: Page) -> list[str]:
    return page.locator(f"{ROWS} th button").all_inner_texts()


def column(page: Page, number: int) -> list[float]:
    cells = page.locator(f"{ROWS} td.score:nth-of-type({number + 2}) b").all_inner_texts()
    return [float(cell.replace("−", "-")) for cell in cells]


def test_the_table_is_that_of_the_atlas_and_sorts(page: Page, atlas: Atlas) -> None:
    table = atlas.scores["cross"]["alignment"].average.astype(np.float32)  # as it is sent
    assert names(page) == [f"{layer}.{head}" for layer, head in np.ndindex(table.shape)]
    np.testing.assert_allclose(column(page, 0), table.ravel(), atol=0.0051)
    head = page.locator(".atlas-heads thead button").first
    assert head.inner_text() == "Alignment"
    for order, sign in (("high", -1), ("low", 1)):
        head.click()
        wait_for_params(page, sort=order, badge="alignment")
        places = np.argsort(sign * table.ravel(), kind="stable")
        assert names(page) == [f"{place // HEADS}.{place % HEADS}" for place in places]
        assert head.locator("xpath=..").get_attribute("aria-sort") == f"{'de' if sign < 0 else 'a'}scending"
    head.click()
    page.wait_for_function("() => !new URLSearchParams(location.search).has('sort')")


@pytest.mark.thorough
def test_the_bar_of_a_head_is_its_spread(page: Page, atlas: Atlas) -> None:
    low, _, middle, _, high = atlas.quantiles("cross", "alignment")[:, 2, 1]
    row = page.locator(f'{ROWS}:has(button[aria-label="open head 2.1"])')
    style = row.locator(".strip .most").first.get_attribute("style") or ""
    left, width = (float(each) for each in re.findall(r"[\d.]+", style))
    assert left == pytest.approx(100 * low, abs=0.02) and left + width == pytest.approx(100 * high, abs=0.03)
    median = row.locator(".strip .median").first.get_attribute("style") or ""
    assert float(re.findall(r"[\d.]+", median)[0]) == pytest.approx(100 * middle, abs=0.02)


@pytest.mark.thorough
def test_roles_and_layers_are_filtered_and_linked(page: Page, atlas: Atlas) -> None:
    shape = atlas.scores["cross"]["alignment"].average.shape
    roles = {f"{layer}.{head}": atlas.roles("cross", layer, head) for layer, head in np.ndindex(shape)}
    offered = page.locator('select[aria-label="role"] option').all_inner_texts()
    assert offered[0] == "all" and offered[-1] == "no role"
    named = {role.split(" (")[0] for listed in roles.values() for role in listed}
    assert set(offered[1:-1]) == named
    for role in (*sorted(named), "none"):
        page.locator('select[aria-label="role"]').select_option(role)
        wait_for_params(page, only_role=role)
        expected = [head for head, listed in roles.items()
                    if (not listed if role == "none" else any(each.startswith(f"{role} (") for each in listed))]  # fmt: skip
        assert names(page) == expected
    page.locator('select[aria-label="role"]').select_option("")
    page.locator('select[aria-label="layer"]').select_option("1")
    wait_for_params(page, only_layer="1")
    assert names(page) == [f"1.{head}" for head in range(HEADS)]
    page.locator('select[aria-label="layer"]').select_option("")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('only_layer')")


def test_a_row_opens_a_head_with_its_own_sentences(page: Page, atlas: Atlas) -> None:
    page.locator(ROWS).nth(HEADS + 2).click()
    wait_for_params(page, layer="1", head="2")
    page.get_by_text("Head 1.2 on its most typical and its most extreme sentence").wait_for()
    shown = atlas.shown("cross", 1, 2)
    assert shown is not None
    for title, stands in zip(page.locator(".compare-title").all_inner_texts(), shown, strict=True):
        assert title.endswith(f" {stands.value:.2f}")


def dots(svg: str) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Where every head stands on the canvas, (heads, 2), and from where to where each panel goes; of the picture's file."""
    document = ElementTree.fromstring(svg)
    frames = [each.attrib for each in document.findall(".//{*}rect") if "%" not in each.attrib["width"]]
    left, top = float(frames[0]["x"]) - 0.5, float(frames[0]["y"]) - 0.5
    circles = [each.attrib for each in document.findall(".//{*}circle") if each.attrib["fill"] != "none"]
    ends = [(float(each["x"]) - left, float(each["x"]) - left + float(each["width"])) for each in frames[:3]]
    return np.array([(float(each["cx"]) - left, float(each["cy"]) - top) for each in circles]), ends


@pytest.mark.thorough
def test_a_dot_stands_where_its_head_does_and_opens_it(page: Page, atlas: Atlas, tmp_path: Path) -> None:
    found, panels = dots(menu_file(page, ".atlas-card", "svg", tmp_path).read_text("utf-8"))
    places = {kind: atlas.places(kind) for kind in ("encoder-self", "decoder-self", "cross")}
    scales, first = [], 0
    for expected, (left, right) in zip(places.values(), panels, strict=True):
        own = found[first : first + len(expected)] * (1, -1)
        assert own[:, 0].min() > left and own[:, 0].max() < right, "each kind in its own panel"
        first += len(expected)
        moved, wanted = own - own.mean(0), expected - expected.mean(0)
        scale = float(np.abs(moved).sum() / np.abs(wanted).sum())
        np.testing.assert_allclose(moved, scale * wanted, atol=0.05)
        scales.append(scale)
    assert max(scales) - min(scales) < 0.01 * max(scales), "one scale for all three"
    begin = len(places["encoder-self"])
    causal = found[begin : begin + len(places["decoder-self"])]
    apart = np.hypot(*(causal[:, None] - causal[None]).transpose(2, 0, 1)) + np.eye(len(causal)) * 1e6
    number = int(apart.min(1).argmax())  # the one that stands most alone
    box = page.locator(".atlas-maps").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + causal[number][0], box["y"] + causal[number][1])
    layer, head = divmod(number, HEADS)
    wait_for_params(page, kind="causal", layer=str(layer), head=str(head))
    page.get_by_text(f"Head {layer}.{head} on its most typical").wait_for()
    page.locator('.atlas-card[data-kind="causal"]').wait_for()
    assert names(page)[0] == "0.0" and len(names(page)) == len(causal)


@pytest.mark.thorough
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
            if not isinstance(value, float) or name.endswith(
                "_chance"
            ):  # levels of chance: of the command alone
                continue
            if np.isnan(value):
                assert row[name] == "", name
            else:
                assert float(row[name]) == pytest.approx(value, rel=1e-4, abs=1e-5), name
