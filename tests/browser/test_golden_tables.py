"""From the model to the pixel: the clock, the position table and the similarity, and one token's way through the norms."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.browser.golden_model import (
    DECODER_LAYERS,
    ENCODER_LAYERS,
    SOURCE,
    TEXT,
    WIDTH,
    Passed,
    parameters,
    place_vector,
)
from tests.browser.golden_reading import readout, signed, visit_golden
from tests.browser.looking import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

# What a figure was drawn from, as numbers and words.
FIGURE = """(plot) => {
  const plain = (v) => (v === undefined || v === null || typeof v === 'string' || typeof v === 'number' ? v : Array.from(v, plain));
  return plot._fullData.map((trace) => ({ mode: trace.mode ?? '', name: trace.name ?? '', x: plain(trace.x), y: plain(trace.y), z: plain(trace.z), words: plain(trace.hovertext), text: plain(trace.text), axis: trace.yaxis ?? '' }));
}"""


def figure(page: Page, key: str) -> list[dict[str, Any]]:
    plot = page.locator(f".st-key-chart_{key} .js-plotly-plot")
    plot.locator(".main-svg").first.wait_for()
    return list(plot.evaluate(FIGURE))


def card(page: Page, chart: str) -> str:
    """The words of the card that holds a figure."""
    holder = page.locator("[data-testid=stVerticalBlock]", has=page.locator(f".st-key-chart_{chart}"))
    return readout(holder.last)


# -- positions ----------------------------------------------------------------------------------------------


def test_the_clock_the_table_and_the_similarity_are_those_of_the_model(visit: Visit, written: Passed) -> None:
    pair, token, on = 2, 1, 3
    page = visit_golden(visit, "positions", pair=str(pair), token=f"s{token}", offset=str(on))
    frequency = 10_000 ** (-2 * pair / WIDTH)
    traces = figure(page, "position_rotation")
    dots = next(trace for trace in traces if trace["words"])
    assert dots["words"] == written.source
    for position, (x, y) in enumerate(zip(dots["x"], dots["y"], strict=True)):
        # The sine is dimension 2·pair of the row, the cosine the next: the clock shows cosine across, sine up.
        row = place_vector(position)
        assert abs(x - row[2 * pair + 1]) < 1e-6 and abs(y - row[2 * pair]) < 1e-6, position
    hands = [trace for trace in traces if trace["mode"] == "lines+markers"]
    for hand, position in zip(hands, (token, token + on), strict=True):
        assert abs(hand["x"][1] - math.cos(position * frequency)) < 1e-6
        assert abs(hand["y"][1] - math.sin(position * frequency)) < 1e-6
    turned = re.search(rf"pair {pair} turns by (\d+)°", card(page, "position_rotation"))
    assert turned and abs(float(turned[1]) - math.degrees(on * frequency)) <= 0.51
    check_position_table(page, token)
    check_similarity(page, written, token, on)


def check_position_table(page: Page, token: int) -> None:
    """Sines left of cosines, a row a position; the rows of the sentence bear its words."""
    values = figure(page, "position_table")[0]["z"]
    for position, row in enumerate(values):
        wanted = place_vector(position)
        wanted = wanted[0::2] + wanted[1::2]
        assert max(abs(a - b) for a, b in zip(row, wanted, strict=True)) < 1e-6, position
    labels = page.locator(".st-key-chart_position_table .ytick text").all_text_contents()
    words = [label.split() for label in labels if len(label.split()) == 2]
    assert words and all(TEXT.split().index(word) == int(place) for word, place in words if word in SOURCE)
    told = card(page, "position_table")
    assert f"“{TEXT.split()[token]}”" in told and f"row {token}" in told
    assert f"{math.sqrt(sum(v * v for v in place_vector(token))):.2f}" in told


def check_similarity(page: Page, passed: Passed, token: int, on: int) -> None:
    curve = max(figure(page, "position_similarity"), key=lambda trace: len(trace["x"]))
    for apart, cosine in zip(curve["x"], curve["y"], strict=True):
        assert abs(cosine - cosine_of(0, int(apart))) < 1e-6, apart
    told = re.search(
        r"“(.+?)” and “(.+?)”.*?(\d+) tokens?.*?cosine (−?[\d.]+\d)", card(page, "position_similarity")
    )
    assert told and [told[1], told[2]] == [passed.source[token], passed.source[token + on]]
    assert int(told[3]) == on and abs(signed(told[4]) - cosine_of(token, token + on)) <= 0.00051


def cosine_of(first: int, second: int) -> float:
    a, b = place_vector(first), place_vector(second)
    dot, squares = sum(x * y for x, y in zip(a, b, strict=True)), [sum(x * x for x in v) for v in (a, b)]
    return dot / math.sqrt(squares[0] * squares[1])


# -- norms --------------------------------------------------------------------------------------------------


def length(vector: Sequence[float]) -> float:
    return math.sqrt(sum(value * value for value in vector))


def mean_and_deviation(vector: Sequence[float]) -> tuple[float, float]:
    mean = sum(vector) / len(vector)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in vector) / len(vector))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("stack", "token"), [("encoder", 4), ("decoder", 2)])
def test_the_norms_and_the_stream_are_those_of_the_chosen_token(
    visit: Visit, written: Passed, stack: str, token: int
) -> None:
    page = visit_golden(
        visit, "layer_norm", token=f"{'s' if stack == 'encoder' else 't'}{token}", place=f"{stack}.0.self"
    )
    label = (written.source if stack == "encoder" else written.read)[token]
    places = [place for place in written.norms if place[0] == stack]
    names = [f"{layer} {block}" for _, layer, block in places]
    assert len(places) == (2 * ENCODER_LAYERS if stack == "encoder" else 3 * DECODER_LAYERS)
    told = card(page, "norm_before_after")
    assert f"“{label}”" in told
    check_before_after(figure(page, "norm_before_after"), written, places, names, token)
    check_norm_sentence(told, written, places, token)
    check_shares(page, written, places, names, token, label)
    check_stream(page, written, places, token, label)


def check_before_after(
    traces: list[dict[str, Any]],
    passed: Passed,
    places: list[tuple[str, int, str]],
    names: list[str],
    token: int,
) -> None:
    """Two rows of dots each, hollow before and filled after: deviation above, mean below."""
    dots = [trace for trace in traces if trace["name"] in ("before", "after")]
    assert len(dots) == 4
    for place, trace in enumerate(dots):
        quantity, side = 1 - place // 2, ("before", "after").index(trace["name"])
        assert trace["x"] == names
        wanted = [mean_and_deviation(passed.norms[each][side][token])[quantity] for each in places]
        np.testing.assert_allclose(trace["y"], wanted, atol=2e-5)


def check_norm_sentence(told: str, passed: Passed, places: list[tuple[str, int, str]], token: int) -> None:
    numbers = re.search(r"from (−?[\d.]+\d) to (−?[\d.]+\d).*?from (−?[\d.]+\d) to (−?[\d.]+\d)", told)
    assert numbers, told
    changes = [[mean_and_deviation(side[token]) for side in passed.norms[place]] for place in places]
    before, after = max(changes, key=lambda change: abs(change[0][1] - change[1][1]))
    for number, wanted in zip(numbers.groups(), (before[1], after[1], before[0], after[0]), strict=True):
        assert abs(signed(number) - wanted) <= 0.0051, (told, before, after)


def check_shares(
    page: Page, passed: Passed, places: list[tuple[str, int, str]], names: list[str], token: int, label: str
) -> None:
    """‖sub-layer‖ ÷ ‖stream‖ as bars, the cosine of the two as dots, and the sentence about the largest."""
    ratios, cosines = [], []
    for place in places:
        stream, added = (side[token] for side in passed.sublayers[place])
        ratios.append(length(added) / length(stream))
        cosines.append(
            sum(a * b for a, b in zip(stream, added, strict=True)) / (length(added) * length(stream))
        )
    traces = figure(page, "norm_shares")
    assert traces[0]["x"] == traces[-1]["x"] == names
    np.testing.assert_allclose(traces[0]["y"], ratios, atol=2e-5)
    np.testing.assert_allclose(traces[-1]["y"], cosines, atol=2e-5)
    told = card(page, "norm_shares")
    assert f"“{label}”" in told and f"{max(ratios):.2f} times" in told, (told, ratios)
    assert f"{cosines[ratios.index(max(ratios))]:.2f}".replace("-", "−") in told


def check_stream(
    page: Page, passed: Passed, places: list[tuple[str, int, str]], token: int, label: str
) -> None:
    """‖h‖ of every token: the embedding, then the output of each norm (post-norm)."""
    stack = places[0][0]
    lengths = [
        length(passed.embedded[stack][token]),
        *(length(passed.norms[place][1][token]) for place in places),
    ]
    chosen = [trace for trace in figure(page, "norm_stream") if "markers" in trace["mode"]]
    assert [trace["name"] for trace in chosen] == [label]
    np.testing.assert_allclose(chosen[0]["y"], lengths, atol=2e-4)
    told = card(page, "norm_stream")
    numbers = re.search(r"(?:grows|goes) from ([\d.]+) to ([\d.]+)", told)
    assert f"“{label}”" in told and numbers
    assert abs(float(numbers[1]) - lengths[0]) <= 0.051 and abs(float(numbers[2]) - lengths[-1]) <= 0.051


@pytest.mark.thorough
def test_the_gains_are_those_of_the_chosen_norm(visit: Visit) -> None:
    page = visit_golden(visit, "layer_norm", token="t1", place="decoder.1.cross")
    told = card(page, "norm_gains")
    assert "layer 1" in told and "cross-attention" in told
    drawn = parameters()
    bars = [trace for trace in figure(page, "norm_gains") if not trace["mode"]]
    for trace, part in zip(bars, ("weight", "bias"), strict=True):
        values = drawn[f"decoder_layers.1.cross_residual.norm.{part}"]
        wide = trace["x"][1] - trace["x"][0]
        assert sum(trace["y"]) == WIDTH
        for centre, count in zip(trace["x"], trace["y"], strict=True):
            low, high = centre - wide / 2, centre + wide / 2
            assert (
                sum(low + 1e-6 < v < high - 1e-6 for v in values)
                <= count
                <= sum(low - 1e-6 <= v <= high + 1e-6 for v in values)
            )
