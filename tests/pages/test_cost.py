"""The page Cost: what it counts is recomputed here."""

from __future__ import annotations

import html
import re

from tests.pages.test_pages import Open, shown, sound, words
from ui.shared import checkpoints


def rows(said: str) -> list[list[str]]:
    """The cells of the table, a row for each length."""
    body = said.split('class="atlas-costs"')[1].split("</table>")[0]
    found = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("</tr>")]
    return [[re.sub("<[^>]+>", "", html.unescape(cell)) for cell in row] for row in found if len(row) > 3]


def test_weights_memory_and_multiplications_by_length(open_app: Open) -> None:
    app = sound(open_app("cost", {"text": "I am tired."}))
    table = rows(words(app))
    table[0][0] = table[0][0].removeprefix("this sentence: ")
    own = int(table[0][0])
    assert [row[0] for row in table[1:]] == ["64", "128", "256", "512", "1,024"]
    config = checkpoints.find(shown(app).checkpoint)[0].config
    heads = config.encoder_layers * config.heads
    for length, weights, _, share in table:
        n = int(length.replace(",", ""))
        assert int(weights.replace(",", "")) == n * n
        # Scores and weighted sums, beside four square projections and two matrices of the feed-forward network.
        squared = 2 * n * n * config.d_model
        others = n * (4 * config.d_model**2 + 2 * config.d_model * config.d_ff)
        assert share == f"{100 * squared / (squared + others):.0f} %"
    assert table[-1][2] == f"{heads * 1024**2 * 4 / 1e6:.{0 if heads > 23 else 1}f} MB"
    assert f"This sentence: {own} tokens" in words(app)
    squares = re.findall(r'<i style="width:([\d.]+)%;height:([\d.]+)%">', words(app))
    assert [float(width) for width, _ in squares] == [100, 50, 25, 12.5, 6.25]
    assert all(width == height for width, height in squares)
