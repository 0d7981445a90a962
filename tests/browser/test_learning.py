"""From the stored training to the pixel: what is told, drawn and taken away at every record, and a live run that is real."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.checkpoints import files
from core.model.config import ModelConfig
from core.training.dynamics import SUDDEN
from tests.browser.golden_model import NAME
from tests.browser.golden_reading import check_told, menu_file, readout
from tests.browser.looking import Visit, wait_for_params
from tests.golden_training import FALLS, PROBES, SCORES, STEPS, weight, write_training

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.turned

CURVES, MAPS = ".dynamics-curves", ".dynamics-maps"
ROWS, COLUMNS = [*PROBES[1][1].split(), "⟨end⟩"], [*PROBES[1][0].split(), "⟨end⟩"]


@pytest.fixture(scope="module")
def folder(listed: str) -> Path:
    return next(path for root in listed.split(os.pathsep) if (path := Path(root) / NAME).is_dir())


@pytest.fixture(scope="module")
def config(folder: Path) -> ModelConfig:
    return files.read_config(folder)


@pytest.fixture(scope="module")
def arrays(folder: Path, config: ModelConfig) -> Iterator[dict[str, np.ndarray]]:
    yield write_training(folder, config)
    (folder / "dynamics.npz").unlink()


@pytest.fixture
def page(visit: Visit, arrays: dict[str, np.ndarray]) -> Page:
    """The page after 8 steps, on a head that took shape."""
    at = {"kind": "cross", "layer": "1", "head": "1", "at": "8"}
    return visit("learning", checkpoint=NAME, shows=f"{CURVES} canvas", **at)


def words(page: Page, wish: str) -> str:
    return page.locator(wish).inner_text().replace("\u00a0", " ").replace("\u2009", " ")


def told(page: Page) -> dict[str, float]:
    """The numbers of the sentence under the curves."""
    said = words(page, f"{CURVES} .readout")
    found = re.findall(r"(normalised entropy|Loss \((?:training|validation)\):) (−?\d+\.\d+)", said)
    return {name.rstrip(":"): float(number.replace("−", "-")) for name, number in found}


def check_record(
    page: Page, arrays: dict[str, np.ndarray], config: ModelConfig, record: int, head: tuple[int, int]
) -> None:
    """Curves and maps tell the numbers of this record."""
    step = STEPS[record]
    when = "before training" if not step else f"after {step} step{'s' if step > 1 else ''}"
    title = page.locator(f"{MAPS} .card-title").filter(has_text=f"{when}; head {head[0]}.{head[1]} below")
    title.wait_for()
    numbers = told(page)
    scores = arrays["cross.scores"][record, SCORES.index("normalised_entropy")]
    assert numbers["normalised entropy"] == pytest.approx(float(scores[head]), abs=0.0051)
    assert numbers["Loss (validation)"] == pytest.approx(float(arrays["valid_loss"][record]), abs=0.0051)
    assert ("Loss (training)" in numbers) == (record > 0)
    if record:
        assert numbers["Loss (training)"] == pytest.approx(float(arrays["train_loss"][record]), abs=0.0051)
    sentence = readout(page.locator(f"{MAPS} .readout"))
    named = re.match(r"Reads (?:“(.+?)”|the start token) → writes (?:“(.+?)”|the end token): ", sentence)
    assert named, sentence
    row = ROWS.index(named[2] or "⟨end⟩")
    assert (named[1] or "⟨start⟩") == ["⟨start⟩", *ROWS][row], sentence
    values = [weight(arrays, config, "cross", 1, (record, *head, row, key)) for key in range(len(COLUMNS))]
    if "spread" not in sentence:
        check_told(sentence, COLUMNS, values)
    rows = [
        max(weight(arrays, config, "cross", 1, (record, *head, i, j)) for j in range(len(COLUMNS)))
        for i in range(len(ROWS))
    ]
    assert row == int(np.argmax(rows)), "the row with the largest weight is told"


def test_a_link_opens_the_record_and_every_step_is_its_own(
    page: Page, arrays: dict[str, np.ndarray], config: ModelConfig
) -> None:
    check_record(page, arrays, config, 4, (1, 1))
    assert page.locator(f"{CURVES} .card-title").inner_text() == "Head 1.1 took shape between steps 8 and 16"
    page.keyboard.press("ArrowRight")
    check_record(page, arrays, config, 5, (1, 1))
    wait_for_params(page, at="16")
    page.keyboard.press("Home")
    check_record(page, arrays, config, 0, (1, 1))
    page.keyboard.press("End")
    check_record(page, arrays, config, len(STEPS) - 1, (1, 1))
    page.wait_for_function("() => !new URLSearchParams(location.search).has('at')")
    page.locator(f"{CURVES} .play-scrub").fill("6")
    check_record(page, arrays, config, 6, (1, 1))


@pytest.mark.thorough
def test_moments_are_listed_and_open_their_head_at_their_step(
    page: Page, arrays: dict[str, np.ndarray], config: ModelConfig
) -> None:
    expected = sorted((end, at[1:]) for at, end in FALLS.items() if at[0] == "cross")
    entropy = arrays["cross.scores"][:, SCORES.index("normalised_entropy")]
    buttons = page.locator(".dynamics-moment")
    assert buttons.count() == len(expected)
    for n, (end, head) in enumerate(expected):
        low, high = float(entropy[(end, *head)]), float(entropy[(end - 1, *head)])
        assert (
            words(page, f".dynamics-moment >> nth={n}")
            == f"{head[0]}.{head[1]} step {STEPS[end]} {high:.2f} → {low:.2f}"
        )
        buttons.nth(n).click()
        check_record(page, arrays, config, end, head)  # type: ignore[arg-type]
        assert buttons.nth(n).get_attribute("aria-pressed") == "true"
        wait_for_params(page, at=str(STEPS[end]), layer=str(head[0]), head=str(head[1]))
    page.locator('button[aria-label="Open head 2.1"]').click()
    check_record(page, arrays, config, expected[-1][0], (2, 1))
    total = abs(float(entropy[-1, 2, 1]) - float(entropy[0, 2, 1]))
    title = page.locator(f"{CURVES} .card-title").inner_text()
    assert title.startswith("Head 2.1 ") and ("gradually" in title) == (total >= SUDDEN), (title, total)


@pytest.mark.thorough
def test_a_click_on_a_curve_opens_its_head_at_that_step(
    page: Page, arrays: dict[str, np.ndarray], config: ModelConfig
) -> None:
    canvas = page.locator(".dynamics-lines")
    box = canvas.bounding_box()
    assert box is not None
    width, left = box["width"] - 94, 46  # margins of the panels
    top, tall = 24 + 96 + 34, 230
    entropy = arrays["cross.scores"][:, SCORES.index("normalised_entropy")]
    record = 7
    x = left + width * np.log2(1 + STEPS[record]) / np.log2(1 + STEPS[-1])
    for head in ((0, 0), (1, 1)):  # the two that stand alone at the bottom
        canvas.click(position={"x": float(x), "y": float(top + tall * (1 - entropy[(record, *head)]))})
        check_record(page, arrays, config, record, head)
    canvas.click(position={"x": float(left + width * np.log2(1 + 4) / np.log2(1 + STEPS[-1])), "y": 60.0})
    check_record(page, arrays, config, 3, (1, 1))


@pytest.mark.thorough
def test_another_score_is_told_by_its_own_numbers(page: Page, arrays: dict[str, np.ndarray]) -> None:
    page.locator('select[aria-label="Score of the heads"]').select_option("eos_share")
    wait_for_params(page, badge="eos_share")
    layer, head = 1, 1
    value = arrays["cross.scores"][STEPS.index(8), SCORES.index("eos_share"), layer, head]
    page.locator(f"{CURVES} .readout").filter(has_text=f"{float(value):.2f}").wait_for()
    page.locator('select[aria-label="Score of the heads"]').select_option("normalised_entropy")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('badge')")


def test_every_number_leaves(
    page: Page, arrays: dict[str, np.ndarray], config: ModelConfig, tmp_path: Path
) -> None:
    with menu_file(page, CURVES, "csv", tmp_path).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(STEPS) * config.decoder_layers * config.heads
    for row in rows:
        record, layer, head = STEPS.index(int(row["step"])), int(row["layer"]), int(row["head"])
        for name in SCORES:
            if name in row:
                value = arrays["cross.scores"][record, SCORES.index(name), layer, head]
                assert float(row[name]) == pytest.approx(float(value), rel=1e-5), (row, name)
        assert float(row["validation_loss"]) == pytest.approx(float(arrays["valid_loss"][record]), rel=1e-6)
        assert row["kind"] == "cross-attention" and (row["training_loss"] == "") == (record == 0)
    with menu_file(page, MAPS, "csv", tmp_path).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(STEPS) * len(ROWS) * len(COLUMNS)
    for row in rows:
        query, key = int(row["query_position"]), int(row["key_position"])
        assert (row["query_writes"] or row["query_reads"], row["key"]) == (ROWS[query], COLUMNS[key])
        expected = weight(arrays, config, "cross", 1, (STEPS.index(int(row["step"])), 1, 1, query, key))
        assert float(row["value"]) == pytest.approx(expected, abs=1e-7)


@pytest.mark.thorough
def test_a_picture_says_whose_it_is(page: Page, tmp_path: Path) -> None:
    svg = menu_file(page, MAPS, "svg", tmp_path).read_text("utf-8")
    text = " ".join(re.findall(r">([^<]+)<", svg))
    assert "head 1.1, step 8" in text and PROBES[1][0] in text and NAME in text
    assert "colline" not in text, "not the sentence of the other pages"


@pytest.mark.thorough
def test_it_plays_to_the_end_and_another_sentence_keeps_the_place(
    page: Page, arrays: dict[str, np.ndarray]
) -> None:
    page.locator('select[aria-label="Playback speed"]').select_option("320")
    page.locator(f"{CURVES} .play button", has_text="play").click()
    page.locator(f"{CURVES} .play-count").filter(has_text=f"step {STEPS[-1]:,} of {STEPS[-1]:,}").wait_for()
    page.locator(f"{CURVES} .play button", has_text="play").wait_for()
    page.keyboard.press("ArrowLeft")
    wait_for_params(page, at=str(STEPS[-2]))
    page.locator('[data-testid="stSelectbox"]').last.click()
    page.get_by_role("option", name=PROBES[0][0], exact=True).click()
    wait_for_params(page, at=str(STEPS[-2]), sentence="0")
    page.locator(f"{MAPS} .card-subtitle").filter(has_text=PROBES[0][1]).wait_for()


@pytest.mark.thorough
def test_a_run_that_is_watched_survives_a_reload_and_opens_everywhere(chromium: Browser, server: str) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(180_000)
    tab = context.new_page()
    tab.goto(f"{server}/learning?checkpoint={NAME}&watch=live&task=copy")
    tab.get_by_role("button", name="Train").click()
    tab.locator(".st-key-live_sentence").wait_for()  # before, a recorded training is drawn
    tab.get_by_role("button", name="Pause", exact=True).click()
    tab.get_by_role("button", name="Resume").wait_for()
    tab.reload()
    tab.get_by_text("Paused: copy").wait_for()
    tab.locator(f"{MAPS} canvas").first.wait_for()
    other = context.new_page()  # another tab is another visitor's
    other.goto(f"{server}/learning?checkpoint={NAME}&watch=live")
    other.get_by_role("button", name="Train").wait_for()
    other.close()
    tab.get_by_role("button", name="Resume").wait_for()
    tab.get_by_role("button", name="Stop here").click()
    tab.get_by_text("You ended live-copy").wait_for()
    tab.get_by_role("link", name="See its heads").click()
    tab.wait_for_url("**/attention?*checkpoint=live-copy*")
    tab.get_by_text("abcdefgh").first.wait_for()
    tab.locator(".wall canvas").first.wait_for()
    context.close()
