"""From the model to the pixel, the lenses: plain loops find the same numbers."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.golden_contributions import (
    depths,
    read_off,
    rungs,
)
from tests.browser.golden_model import (
    BOS,
    DECODER_LAYERS,
    ENCODER_LAYERS,
    EOS,
    SHOWN,
    TARGET,
    TEXT,
    Naive,
    Passed,
    encode,
)
from tests.browser.golden_reading import menu_file, near, readout, table, visit_golden
from tests.browser.looking import Visit, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

LABELS = [SHOWN.get(word, word) for word in TARGET]
STEP, DEPTH = 2, 1


def read_everywhere(naive: Naive, written: Passed) -> list[list[list[float]]]:
    """The distribution at each step and depth; padding and the start token, which are never written, come last."""
    states = depths(written)
    rows = [[read_off(naive, state[step]) for state in states] for step in range(len(written.written))]
    for row in itertools.chain.from_iterable(rows):
        row[0] = row[BOS] = -1.0
    return rows


def rank_of(shares: list[float], token: int) -> int:
    return 1 + sum(share > shares[token] for share in shares)


def best(shares: list[float], count: int) -> list[int]:
    return sorted(range(len(shares)), key=lambda token: -shares[token])[:count]


def test_the_lens_and_the_ladder_are_what_plain_loops_find(
    visit: Visit, naive: Naive, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(visit, "lenses")
    page.locator(".rung").first.wait_for()
    shares = read_everywhere(naive, written)
    lines = table(menu_file(page, ".lens > .card:first-child", "csv", tmp_path))
    assert len(lines) == len(written.written) * (DECODER_LAYERS + 1)
    for line in lines:
        step, depth = int(line["step"]), int(line["depth"])
        row, token = shares[step][depth], LABELS.index(line["written"])
        assert line["written"] == written.written[step]
        assert int(line["rank"]) == rank_of(row, token), line
        assert abs(float(line["probability"]) - row[token]) <= 2e-5, line
        for n, expected in enumerate(best(row, 10), start=1):
            assert line[f"top_{n}"] == LABELS[expected], line
            assert abs(float(line[f"probability_{n}"]) - row[expected]) <= 2e-5, line
    assert lines[0]["layer"] == "embedding" and lines[DECODER_LAYERS]["layer"].endswith("output")
    check_title(page, shares, written)
    check_cell(page, shares, written, tmp_path)
    check_ladder(page, naive, tmp_path)


@pytest.mark.thorough
def test_a_given_word_is_told_to_be_first_where_it_is_though_not_at_the_output(
    visit: Visit, naive: Naive, written: Passed
) -> None:
    """The reader gives what the embedding of the start token reads as, which the last layer does not write."""
    (token,) = best(read_everywhere(naive, written)[0][0], 1)
    shares = read_everywhere(naive, naive.run(encode(TEXT), [token, EOS]))[0]
    first = [depth for depth, row in enumerate(shares) if rank_of(row, token) == 1]
    assert 1 < len(first) <= DECODER_LAYERS and DECODER_LAYERS not in first, first
    names = ["embedding" if depth == 0 else f"layer {depth - 1}" for depth in first]
    page = visit_golden(visit, "lenses", strategy="given", target=TARGET[token], lens="0.0")
    said = readout(page.locator(".lens .readout").first)
    share = f"{100 * shares[0][token]:.0f} %"
    assert said.startswith(
        f"Writing “{TARGET[token]}”: at embedding the lens reads “{TARGET[token]}” ({share})."
    ), said
    assert f"It leads at {', '.join(names[:-1])} and {names[-1]}, but not at the output." in said, said


def settled(shares: list[list[float]], token: int) -> int:
    """The first depth from which on a token is the most probable one."""
    depth = len(shares)
    while depth > 0 and rank_of(shares[depth - 1], token) == 1:
        depth -= 1
    return depth


def check_title(page: Page, shares: list[list[list[float]]], written: Passed) -> None:
    early = sum(
        settled(shares[step], LABELS.index(word)) < DECODER_LAYERS
        for step, word in enumerate(written.written)
    )
    title = page.locator(".lens .card-title").first.inner_text()
    assert title == f"{early} of {len(written.written)} words are on top before the last decoder layer"


def check_cell(page: Page, shares: list[list[list[float]]], written: Passed, folder: Path) -> None:
    """A click pins a cell: its ten words, its sentence, its place in the link; arrows walk on, Esc clears."""
    canvas = page.locator(".lens-cells")
    box = canvas.bounding_box()
    assert box
    rows, columns = len(written.written), DECODER_LAYERS + 1
    page.keyboard.press("ArrowDown")  # somewhere, then to the corner and from there to the cell
    for key, count in (("ArrowUp", rows), ("ArrowLeft", columns), ("ArrowDown", STEP), ("ArrowRight", DEPTH)):
        for _ in range(count):
            page.keyboard.press(key)
    wait_for_params(page, lens=f"{STEP}.{DEPTH}")
    row, token = shares[STEP][DEPTH], LABELS.index(written.written[STEP])
    said = readout(page.locator(".lens .readout").first)
    assert said.startswith(f"Writing “{written.written[STEP]}”: at layer {DEPTH - 1} the lens reads ")
    (first,) = best(row, 1)
    numbers = [int(each) for each in re.findall(r"\((\d+) %\)", said)]
    assert LABELS[first] in said.replace("the end token", "⟨end⟩") and near(numbers[0], row[first]), said
    if rank_of(row, token) > 1:
        assert f"is number {rank_of(row, token)} (" in said
    depth = settled(shares[STEP], token)
    if depth <= DECODER_LAYERS:
        name = "embedding" if depth == 0 else f"layer {depth - 1}"
        leads = "only at the output" if depth == DECODER_LAYERS else f"from {name} on"
        assert f"It leads {leads}." in said, said
    lines = table(menu_file(page, ".lens > .card:nth-child(2)", "csv", folder))
    assert [line["word"] for line in lines[:10]] == [LABELS[each] for each in best(row, 10)]
    assert [line["word"] for line in lines if line["written"] == "1"] == [written.written[STEP]]
    for line, each in zip(lines, best(row, 10), strict=False):
        assert abs(float(line["probability"]) - row[each]) <= 2e-5
    page.keyboard.press("Escape")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('lens')")


def check_ladder(page: Page, naive: Naive, folder: Path) -> None:
    """Each rung is what greedy search writes from that layer of the encoder; what differs is struck out or underlined."""
    expected = [" ".join(TARGET[token] for token in ids if token > 3) for ids in rungs(naive, TEXT)]
    lines = table(menu_file(page, '[class*="ladder_view"] .card', "csv", folder))
    assert [line["text"] for line in lines] == expected
    assert len(expected) == ENCODER_LAYERS + 1 and expected[0] != expected[-1], (
        "the ladder has something to show"
    )
    for rung, text in zip(page.locator(".rung").all(), expected, strict=True):
        parts = rung.locator(".rung-text > *").all()
        here = " ".join(part.inner_text() for part in parts if part.evaluate("(n) => n.tagName") != "DEL")
        real = " ".join(part.inner_text() for part in parts if part.evaluate("(n) => n.tagName") != "INS")
        assert (here, real) == (text, expected[-1])
    assert page.locator(".rung.whole .rung-share").inner_text() == "the translation"
