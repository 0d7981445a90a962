"""What leaves the app: it parses, holds the same numbers, asks for nothing, and runs no token."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.errors import InputError
from ui.export.menu import csv_of, harmless, number
from ui.export.report import ReportMaps, ReportStep, html_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ATTACK = "</script><script>window.ran=1</script>"
ODD = [ATTACK, 'say "no", & <b>', "line\nbreak\x01\x1f", "كلب", "𝄞", "'"]


def _weights(*shape: int) -> np.ndarray:
    scores = np.random.default_rng(0).normal(0, 2, shape)
    values = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(values / values.sum(-1, keepdims=True), dtype=np.float32)


def test_csv_equals_the_map_and_keeps_odd_words() -> None:
    weights = _weights(4, 6)
    rows = list(csv.DictReader(io.StringIO(csv_of(weights, ODD[:4], ODD), newline="")))
    assert len(rows) == 24
    back = np.zeros_like(weights)
    for row in rows:
        back[int(row["query_position"]), int(row["key_position"])] = float(row["value"])
        assert row["query_writes"] == "" and row["query_reads"] == ODD[int(row["query_position"])]
        assert row["key"] == ODD[int(row["key_position"])]
    assert np.abs(back - weights).max() <= 1e-6
    assert csv_of([[np.nan]], ["a"], ["b"]).splitlines()[1] == "0,a,,0,b,"


CELLS = json.loads((Path(__file__).parents[2] / "csv_cells.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "written"), CELLS["cells"])
def test_no_cell_is_a_formula(text: str, written: str) -> None:
    assert harmless(text) == written
    content = csv_of([[-0.5]], [text], [text])
    (row,) = csv.DictReader(io.StringIO(content, newline=""))
    assert (row["query_reads"], row["key"], row["value"]) == (written, written, "-0.5")


@pytest.mark.parametrize(("value", "written"), CELLS["numbers"])
def test_numbers_stay_numbers(value: float, written: str) -> None:
    assert harmless(number(value)) == written


def test_wrong_shapes_are_said() -> None:
    with pytest.raises(InputError, match="one head"):
        csv_of(_weights(2, 3, 4), ["a"], ["b"])
    with pytest.raises(InputError, match="query labels"):
        csv_of(_weights(3, 4), ["a"], ["b"] * 4)


def _report(tokens: int, layers: int = 6, heads: int = 8) -> str:
    words = [ATTACK, *(f"word{i}" for i in range(tokens - 1))]
    scores = {"diagonality": np.random.default_rng(0).random((layers, heads))}
    maps = [
        ReportMaps(kind, _weights(layers, heads, tokens, tokens), words, words, scores, "diagonality")
        for kind in ("encoder", "causal", "cross")
    ]
    steps = [ReportStep(word, [(word, 0.7), ("<b>", 0.2), ("rest", 0.1)]) for word in words]
    return html_report(
        source=" ".join(words), target=ATTACK, maps=maps, steps=steps, facts={"checkpoint": ATTACK}
    )


def test_report_is_small_and_refers_to_nothing_outside() -> None:
    text = _report(64)
    assert len(text.encode()) <= 1_500_000
    assert not re.search(r"https?://|//cdn|@import|url\(", text)
    assert not re.search(r"\b(src|href)=", re.sub(r"<script>.*</script>", "", text, flags=re.DOTALL))
    assert text.count("<script") == 1, "a token opened an element"
    assert text.count("connect-src") == text.count("connect-src 'none'") == 1
    assert "default-src 'none'" in text


@pytest.mark.browser
def test_report_opens_offline_and_runs_no_token(tmp_path: Path, chromium: Browser) -> None:
    path = tmp_path / "report.html"
    path.write_text(_report(12, 2, 4), "utf-8")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    page.locator("#detail-2 .detail-heat").wait_for()
    page.locator("#wall-2 .wall-head").nth(3).click()
    page.locator("#detail-2 .card-title", has_text="Head 0.3").wait_for()
    assert page.evaluate("window.ran") is None
    assert page.locator("h1").inner_text().startswith(ATTACK)
    context.close()
    assert asked == [path.as_uri()]
    assert not wrong
