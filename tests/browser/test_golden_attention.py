"""From the model to the pixel, Attention: the wall's pictures and badges, one head in detail, means and scores."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.golden_model import DECODER_LAYERS, ENCODER_LAYERS, HEADS, KINDS, Passed
from tests.browser.golden_reading import (
    Picture,
    check_map,
    check_numbers,
    check_told,
    check_told_after,
    menu_file,
    near,
    readout,
    row_said,
    table,
    taken_away,
    visit_golden,
    weight_of,
)
from tests.browser.golden_scores import badges, confidence, entropy
from tests.browser.looking import PRESS, Visit, quiet
from ui.style import theme

pytestmark = pytest.mark.turned

LAYERS = {"encoder": ENCODER_LAYERS, "causal": DECODER_LAYERS, "cross": DECODER_LAYERS}
LAYER, HEAD, ROW, COLUMN = 1, 2, 3, 1
# What every head of the wall says (its button, its preview) and the colour of the middle of each of its cells.
WALL = """(root, [rows, cols]) => {
  const canvas = root.querySelector('canvas.picture');
  const [frame, u] = [canvas.getBoundingClientRect(), root.getRootNode().querySelector('.ruler').getBoundingClientRect().width / 100];
  const ratio = canvas.width / frame.width;
  const context = canvas.getContext('2d');
  const hex = (x, y) => '#' + [...context.getImageData(x, y, 1, 1).data].slice(0, 3).map((c) => c.toString(16).padStart(2, '0')).join('');
  return [...root.querySelectorAll('.wall-head')].map((button) => {
    const box = button.getBoundingClientRect();
    const [w, h] = [box.width, box.height - 18 * u];
    const at = (i, j) => hex((box.left - frame.left + ((j + 0.5) * w) / cols) * ratio, (box.top - frame.top + ((i + 0.5) * h) / rows) * ratio);
    button.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse' }));
    const preview = root.querySelector('.wall-preview');
    const words = (name) => preview.querySelector(name).textContent.replaceAll('\\u00a0', ' ');
    const told = [words('.wall-title'), words('.wall-most')];
    button.dispatchEvent(new PointerEvent('pointerleave'));
    return { label: button.getAttribute('aria-label'), told, place: [box.left, box.top], cells: Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => at(i, j))) };
  });
}"""


def label_of(said: str) -> str:
    """The label of a token that a sentence speaks of: “birds”, the end token."""
    named = re.fullmatch(r"the (\w+) token", said)
    return f"⟨{named[1]}⟩" if named else said.strip("“”")


def check_wall(heads: list[dict[str, Any]], kind: str, passed: Passed) -> None:
    """Every head's badges, its largest weight with the two words, and the colour of every cell."""
    queries, keys = passed.queries(kind), passed.keys(kind)
    said_of = [row_said(passed, kind, row) for row in range(len(queries))]
    assert len(heads) == LAYERS[kind] * HEADS
    for place, seen in enumerate(heads):
        layer, head = divmod(place, HEADS)
        rows = passed.maps[kind][layer][head]
        assert seen["label"].startswith(f"Layer {layer}, head {head}:")
        for name, value in badges(kind, rows, queries, keys).items():
            number = re.search(rf"[:,] {name} (−?[\d.]+)", seen["label"])
            assert number and abs(float(number[1]) - value) <= 0.0055, (name, value, seen["label"])
        weights = np.array(rows)
        i, j = np.unravel_index(int(weights.argmax()), weights.shape)
        title, most = seen["told"]
        row_words, percent, key = re.fullmatch(r"(.+): (\d+) % at (.+)", most).groups()  # type: ignore[union-attr]
        assert title == f"Head {layer}.{head}" and abs(float(percent) - 100 * weights[i, j]) <= 1, (
            most,
            weights[i, j],
        )
        at = said_of.index(row_words), keys.index(label_of(key))
        # The picture holds one byte a weight: near 1 two weights may share one.
        assert weights[at] >= weights[i, j] - 0.01, most
        for row, colours in enumerate(seen["cells"]):
            for column, colour in enumerate(colours):
                if kind == "causal" and column > row:
                    assert colour == theme.PALETTES["light"].soft
                else:
                    assert abs(weight_of(colour, kind) - weights[row, column]) <= 0.02, (
                        layer,
                        head,
                        row,
                        column,
                    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_wall_and_one_head_show_what_the_model_computed(
    visit: Visit, written: Passed, tmp_path: Path, kind: str
) -> None:
    pins = f"q{ROW},k{COLUMN}"
    link = {"kind": kind, "layer": str(LAYER), "head": str(HEAD), "pins": pins, "badge": "confidence"}
    page = visit_golden(visit, "attention", **link)
    page.locator(".detail[data-numbers=exact]").wait_for()
    queries = written.source if kind == "encoder" else written.written
    keys, reads = written.keys(kind), [] if kind == "encoder" else written.read
    values = np.array(written.maps[kind][LAYER][HEAD])
    row = list(values[ROW])
    title, rest = (
        page.locator(f".detail {part}").inner_text().replace("\u00a0", " ")
        for part in (".card-title", ".readout")
    )
    cell = re.fullmatch(
        r"Head (\d\.\d) looks (\d+) % at “(.+?)” (from|when it writes) “(.+?)”", title.strip()
    )
    assert cell, title
    verb = "from" if kind == "encoder" else "when it writes"
    assert (cell[1], *cell.groups()[2:]) == (f"{LAYER}.{HEAD}", keys[COLUMN], verb, queries[ROW]), title
    assert near(float(cell[2]), row[COLUMN]), (title, row)
    others = re.fullmatch(
        r"The other (\d+) % goes to (.+?) \((\d+) %\) and (\d+) more tokens\.(?: For this pair, .*)?", rest
    )
    assert others, rest
    behind = max((j for j in range(len(row)) if j != COLUMN), key=row.__getitem__)
    assert near(float(others[1]), 1 - row[COLUMN]) and label_of(others[2]) == keys[behind], (rest, row)
    assert near(float(others[3]), row[behind]), (rest, row)
    assert int(others[4]) == sum(weight > 0 for weight in row) - 2, (rest, row)
    for lines in (
        table(menu_file(page, ".detail", "csv", tmp_path)),
        table(taken_away(page, "CSV of the open map", tmp_path)),
    ):
        check_map(lines, queries, keys, values.tolist(), causal=kind == "causal")
    page.keyboard.press("Escape")
    picture = Picture(menu_file(page, ".detail", "svg", tmp_path))
    check_numbers(picture, queries, keys, values, int((values > 0.25).sum()), reads=reads)
    check_wall(page.locator(".wall").evaluate(WALL, list(values.shape)), kind, written)
    check_drawn_badges(Picture(menu_file(page, ".wall", "svg", tmp_path)), kind, written)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pin", [f"q{ROW}", f"k{COLUMN}"])
def test_a_pinned_row_or_column_is_told(visit: Visit, written: Passed, kind: str, pin: str) -> None:
    page = visit_golden(visit, "attention", kind=kind, layer=str(LAYER), head=str(HEAD), pins=pin)
    page.locator(".detail[data-numbers=exact]").wait_for()
    keys, values = written.keys(kind), np.array(written.maps[kind][LAYER][HEAD])
    queries = written.source if kind == "encoder" else written.written
    told = readout(page.locator(".detail .readout"))
    if pin == f"q{ROW}":
        start = f"{row_said(written, kind, ROW)}: head {LAYER}.{HEAD} looks "
        assert told.startswith(start), told
        check_told(told.removeprefix(start), keys, list(values[ROW]))
    else:
        assert told.startswith(f"Head {LAYER}.{HEAD} looks at “{keys[COLUMN]}” most when"), told
        check_told_after(told.split(" most when ")[1], queries, list(values[:, COLUMN]))


def check_drawn_badges(picture: Picture, kind: str, passed: Passed) -> None:
    """The number to the right of each head's name, under its picture."""
    names = [word for word in picture.words if re.fullmatch(r"\d\.\d", word.words)]
    assert len(names) == LAYERS[kind] * HEADS
    for name in names:
        layer, head = map(int, name.words.split("."))
        badge = min(
            (word for word in picture.words if word.y == name.y and word.x > name.x), key=lambda word: word.x
        )
        value = confidence(passed.maps[kind][layer][head], passed.queries(kind), passed.keys(kind))
        assert abs(float(badge.words) - value) <= 0.0055, (name, badge, value)


def test_the_mean_is_over_every_head_before_and_after_the_server_answers(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(visit, "attention", kind="cross", layer="0", head="0")
    page.locator(".detail[data-numbers=exact]").wait_for()
    quiet(page)
    maps = written.maps["cross"]
    title, numbers, told = page.evaluate(PRESS, 2 * HEADS + 1)
    largest = 100 * float(np.mean([max(row) for row in maps[2][1]]))
    said = re.fullmatch(r"Head 2\.1 gives (\d+)\s% of its weight to one token on average", title.strip())
    assert said and abs(float(said[1]) - largest) <= 1 and numbers == "ahead", (title, largest)
    check_ahead(told, written, np.array(maps[2][1]))
    page.locator(".detail[data-numbers=exact]").wait_for()
    title, numbers, told = page.evaluate(PRESS, 2 * HEADS + 1)
    assert numbers == "ahead"
    mean = [
        [
            sum(maps[layer][head][i][j] for layer in range(DECODER_LAYERS) for head in range(HEADS)) / 9
            for j in range(7)
        ]
        for i in range(len(written.written))
    ]
    check_ahead(told, written, np.array(mean))
    page.locator(".detail[data-numbers=exact]").wait_for()
    check_map(table(menu_file(page, ".detail", "csv", tmp_path)), written.written, written.source, mean)


def check_ahead(sentence: str, passed: Passed, values: np.ndarray) -> None:
    """A sentence made from one byte a weight: right to a point, about the row whose weight is largest."""
    word = re.search(r"(?:writes|Writes|From) “(.+?)”", sentence)
    assert word, sentence
    row = values[passed.written.index(word[1])]
    pairs = re.findall(r"(\d+) %[^%]*?(“.+?”|the end token)", sentence)
    assert pairs
    for number, key in pairs:
        assert abs(float(number) - 100 * row[passed.source.index(label_of(key))]) <= 1.3, (sentence, row)


@pytest.mark.thorough
@pytest.mark.parametrize(("layer", "head", "how"), [("1", "mean", "mean"), ("mean", "1", "max")])
def test_several_heads_are_reduced_as_the_title_says(
    visit: Visit, written: Passed, tmp_path: Path, layer: str, head: str, how: str
) -> None:
    page = visit_golden(visit, "attention", kind="cross", layer=layer, head=head, how=how)
    page.locator(".detail[data-numbers=exact]").wait_for()
    chosen = [
        written.maps["cross"][one][other]
        for one in range(DECODER_LAYERS)
        for other in range(HEADS)
        if layer in ("mean", str(one)) and head in ("mean", str(other))
    ]
    reduced = [
        [
            sum(rows[i][j] for rows in chosen) / len(chosen)
            if how == "mean"
            else max(rows[i][j] for rows in chosen)
            for j in range(len(written.source))
        ]
        for i in range(len(written.written))
    ]
    check_map(table(menu_file(page, ".detail", "csv", tmp_path)), written.written, written.source, reduced)
    check_map(
        table(taken_away(page, "CSV of the open map", tmp_path)), written.written, written.source, reduced
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("draw", ["scores", "masked"])
def test_scores_are_those_before_the_softmax(
    visit: Visit, written: Passed, tmp_path: Path, draw: str
) -> None:
    page = visit_golden(visit, "attention", kind="causal", layer="2", head="1", draw=draw, pins=f"q{ROW}")
    page.locator(".detail[data-numbers=exact]").wait_for()
    scores = written.scores["causal"][2][1]
    lines = table(menu_file(page, ".detail", "csv", tmp_path))
    check_map(lines, written.written, written.read, scores, causal=draw == "masked")
    seen = scores[ROW][: ROW + 1] if draw == "masked" else scores[ROW]
    sentence = readout(page.locator(".detail .readout"))
    assert sentence.startswith(f"{row_said(written, 'causal', ROW)}: "), sentence
    best = written.read[max(range(len(seen)), key=seen.__getitem__)].replace("⟨start⟩", "the start token")
    assert re.search(rf"scores “?{best}”? {re.escape(f'{max(seen):.2f}'.replace('-', '−'))}", sentence), (
        sentence
    )


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["encoder", "cross"])
def test_hidden_specials_leave_their_own_row_and_column(
    visit: Visit, written: Passed, tmp_path: Path, kind: str
) -> None:
    page = visit_golden(visit, "attention", kind=kind, layer="0", head="1", hide="1")
    page.locator(".detail[data-numbers=exact]").wait_for()
    queries, keys = written.queries(kind), written.keys(kind)
    kept_rows = [i for i, word in enumerate(queries) if word != "⟨end⟩"]
    kept = [j for j, word in enumerate(keys) if word != "⟨end⟩"]
    lines = table(menu_file(page, ".detail", "csv", tmp_path))
    assert len(lines) == len(kept_rows) * len(kept)
    compared = 0
    for place, line in enumerate(lines):
        i, j = kept_rows[place // len(kept)], kept[place % len(kept)]
        words = (queries[i], "") if kind == "encoder" else (written.read[i], queries[i])
        assert (line["query_reads"], line["query_writes"], line["key"]) == (*words, keys[j])
        row = written.maps[kind][0][1][i]
        left = sum(row[each] for each in kept)
        if left >= 0.06:  # less is not worth renormalising
            compared += 1
            assert abs(float(line["value"]) - row[j] / left) <= 2e-4, (line, row)
    assert compared > len(lines) // 2


@pytest.mark.thorough
def test_a_sorted_wall_stands_in_the_order_of_its_badge(visit: Visit, written: Passed) -> None:
    page = visit_golden(visit, "attention", kind="cross", layer="0", head="0", sort="high", badge="entropy")
    page.locator(".wall-head").nth(8).wait_for()
    seen = page.locator(".wall").evaluate(WALL, [1, 1])
    seen.sort(key=lambda head: (round(head["place"][1]), head["place"][0]))
    shown = [tuple(map(int, re.findall(r"\d+", head["label"])[:2])) for head in seen]
    maps = written.maps["cross"]
    pairs = [(layer, head) for layer in range(DECODER_LAYERS) for head in range(HEADS)]
    assert shown == sorted(pairs, key=lambda pair: -entropy(maps[pair[0]][pair[1]]))
