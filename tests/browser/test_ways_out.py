"""One causal map leaves the app in several ways, and every file holds the same: numbers, and nothing where none may be."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

from core.model.trace import Trace
from tests.browser.golden_reading import menu_file
from tests.browser.looking import Visit, ready, saved

pytestmark = pytest.mark.turned

TEXT = "I am tired."
HEAD = {"layer": "1", "head": "0"}


def table(path: Path, value: str = "value", line: str = "query_position", **only: str) -> NDArray[np.float64]:
    """The cells of a CSV by its column `line`, NaN where one is empty; a cell that is not listed at all is an error."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    rows = [row for row in rows if all(row[name] == wanted for name, wanted in only.items())]
    lines = list(dict.fromkeys(row[line] for row in rows))
    assert line != "query_position" or lines == [str(each) for each in range(len(lines))]
    size = (len(lines), 1 + max(int(row["key_position"]) for row in rows))
    assert len(rows) == size[0] * size[1], "a line a cell"
    found = np.full(size, np.inf)
    for row in rows:
        found[lines.index(row[line]), int(row["key_position"])] = float(row[value] or "nan")
    return found


def by_card(page: Page, folder: Path, card: str) -> Path:
    """The table of a card, whose picture is one too."""
    picture, lines = (menu_file(page, card, ending, folder) for ending in ("png", "csv"))
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 2000
    return lines


def by_menu(page: Page, folder: Path, name: str) -> Path:
    page.get_by_role("button", name="Save ⤓").click()
    path = saved(page, folder, page.get_by_role("button", name=name).click)
    page.keyboard.press("Escape")
    return path


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "options", [{}, {"words": "1"}, {"hide": "1"}, {"draw": "masked"}, {"draw": "scores"}]
)
def test_a_head_of_the_attention_page(visit: Visit, tmp_path: Path, options: dict[str, str]) -> None:
    page = ready(visit("attention", text=TEXT, kind="causal", **HEAD, **options))
    card = table(by_card(page, tmp_path, ".detail"))
    menu = table(by_menu(page, tmp_path, "CSV of the open map"))
    np.testing.assert_allclose(card, menu, atol=1e-6)
    above = np.triu(np.ones(card.shape, dtype=bool), 1)
    assert np.array_equal(np.isnan(card), above if options != {"draw": "scores"} else np.zeros_like(above))
    if not options:  # the archive keeps the arrays as the model made them
        trace = Trace.load(by_menu(page, tmp_path, "NPZ of every map"))
        whole = trace.stacked("decoder", "self", "weights")[1, 0]
        assert not whole[above].any()
        np.testing.assert_allclose(np.nan_to_num(card), whole, atol=1e-6)


@pytest.mark.thorough
def test_two_heads_compared(visit: Visit, tmp_path: Path) -> None:
    page = ready(visit("attention", text=TEXT, kind="causal", **HEAD))
    alone = table(by_card(page, tmp_path, ".detail"))
    page = ready(visit("compare", text=TEXT, kind="causal", **HEAD, against="0.1"))
    card, menu = by_card(page, tmp_path, ".compare"), by_menu(page, tmp_path, "CSV of both maps")
    for name in ("head 1.0", "head 0.1", "head 0.1 − head 1.0"):
        np.testing.assert_allclose(table(card, map=name), table(menu, map=name), atol=1e-6)
    np.testing.assert_allclose(table(menu, map="head 1.0"), alone, atol=1e-6)
    both = np.load(by_menu(page, tmp_path, "NPZ of both maps"))
    np.testing.assert_allclose(both["first"], np.nan_to_num(alone), atol=1e-6)
    np.testing.assert_allclose(both["second"], np.nan_to_num(table(menu, map="head 0.1")), atol=1e-6)
    assert np.array_equal(np.isnan(table(menu, map="head 0.1 − head 1.0")), np.isnan(alone))


@pytest.mark.thorough
def test_two_steps_compared(visit: Visit, tmp_path: Path) -> None:
    """A row is a head at one step: what was written later could not be looked at."""
    page = ready(
        visit("compare", text=TEXT, kind="causal", versus="step", layer="1", step="2", other_step="4")
    )
    card, menu = by_card(page, tmp_path, ".compare"), by_menu(page, tmp_path, "CSV of both maps")
    rows = list(csv.DictReader(io.StringIO(menu.read_text("utf-8"))))
    names = list(dict.fromkeys(row["map"] for row in rows))
    shown = [table(menu, line="head", map=name) for name in names]
    for name, cells in zip(names, shown, strict=True):
        np.testing.assert_allclose(table(card, line="head", map=name), cells, atol=1e-6)
    assert [cells.shape for cells in shown] == [(2, 4)] * 3, "a line a head of the layer"
    assert [int(np.isnan(cells[0]).sum()) for cells in shown] == [2, 0, 2]


@pytest.mark.thorough
def test_the_joint_view(visit: Visit, tmp_path: Path) -> None:
    page = ready(visit("attention", text=TEXT, kind="causal", **HEAD))
    alone = table(by_card(page, tmp_path, ".detail"))
    steps = len(alone)
    page = ready(visit("attention", text=TEXT, kind="joint", **HEAD, step=str(steps)))
    joint = table(by_card(page, tmp_path, ".joint"), "weight", kind="causal")
    np.testing.assert_allclose(joint, alone, atol=1e-6)
