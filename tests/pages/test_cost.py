"""The page Cost: what it counts is recomputed here, and times come only when the reader asks."""

from __future__ import annotations

import html
import re

import pytest

from core.learning import trials
from core.learning.trials import Times
from tests.pages.test_pages import Open, press, shown, sound, words
from ui.shared import checkpoints

TIMES = {n: Times(0.001 * (n / 64) ** 2, 0.002 * n / 64) for n in trials.LENGTHS}


def rows(said: str) -> list[list[str]]:
    """The cells of the table, a row for each length."""
    body = said.split('class="atlas-costs"')[1].split("</table>")[0]
    found = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("</tr>")]
    return [[re.sub("<[^>]+>", "", html.unescape(cell)) for cell in row] for row in found if len(row) > 3]


def test_weights_memory_and_times_by_length(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[object] = []

    def times(model: object) -> dict[int, Times]:
        measured.append(model)
        return TIMES

    monkeypatch.setattr(trials, "times", times)
    app = sound(open_app("cost", {"text": "I am tired."}))
    assert not measured, "nothing is measured unasked"
    table = rows(words(app))
    own = int(table[0][0])
    assert [row[0] for row in table[1:]] == ["64", "128", "256", "512", "1,024"]
    for length, weights, _, share in table:
        n = int(length.replace(",", ""))
        assert int(weights.replace(",", "")) == n * n
        assert share.endswith(" %")
    config = checkpoints.find(shown(app).checkpoint)[0].config
    heads = config.encoder_layers * config.heads
    assert table[-1][2] == f"{heads * 1024**2 * 4 / 1e6:.{0 if heads > 23 else 1}f} MB"
    assert f"This sentence: {own} tokens" in words(app)
    app = press(app, "measure_times")
    table = rows(words(app))
    assert len(measured) == 1 and table[0][4:] == ["", ""]
    assert table[1][4:] == ["1.0 ms", "2.0 ms"] and table[-1][4:] == ["256.0 ms", "32.0 ms"]
    assert "16 times as many tokens: attention takes 256 times as long, feed-forward 16 times" in words(app)
    squares = re.findall(r'<i style="width:([\d.]+)%;height:([\d.]+)%">', words(app))
    assert [float(width) for width, _ in squares] == [100, 50, 25, 12.5, 6.25]
    assert all(width == height for width, height in squares)
