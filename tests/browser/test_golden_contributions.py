"""From the model to the pixel, contributions: every measure of every kind is held against plain loops, on one page load."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from tests.browser.golden_contributions import LAYERS, Contributions, folded
from tests.browser.golden_model import TEXT, Naive
from tests.browser.golden_reading import (
    check_told,
    menu_file,
    readout,
    row_said,
    spoken,
    table,
    visit_golden,
)
from tests.browser.looking import Visit, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

LABELS = {
    "lengths": "contribution",
    "residual": "with residual and norm",
    "alti": "ALTI+",
    "zeroing": "value zeroing",
    "rollout": "rollout",
}
KINDS = {"encoder": "Encoder self", "causal": "Decoder causal", "cross": "Cross"}
HEAD = 2  # opened where a measure belongs to heads
NEAR = {"zeroing": 2e-3}  # single precision takes a cosine distance near 0 only so far
SIDES = {"the words before": "⟨prefix⟩", "the source": "⟨source⟩"}


class Expected(NamedTuple):
    """A map with its words."""

    reads: list[str]
    writes: list[str]
    keys: list[str]
    values: np.ndarray


@pytest.fixture(scope="module")
def worked_out() -> Contributions:
    model = Naive()
    return Contributions(model, model.translate(TEXT))


def expected(naive: Contributions, measure: str, kind: str, layer: int) -> Expected:
    passed = naive.passed
    keys, source = passed.keys(kind), len(passed.source)
    aside = {"cross": "⟨prefix⟩", "causal": "⟨source⟩"}.get(kind, "")
    match measure:
        case "lengths":
            values = naive.lengths(kind, layer, HEAD)
        case "residual":
            values = naive.residual(kind, layer)
        case "zeroing":
            values = naive.zeroing(kind, layer)
        case "rollout":
            values = naive.rollout(kind, layer)
        case _:
            values = (
                _encoder_alti(naive, layer)
                if kind == "encoder"
                else folded(naive.alti_plus(layer + 1), source, kind)
            )
    wide = values.shape[1] > len(keys)
    rows = (passed.source, [""] * source) if kind == "encoder" else (passed.read, passed.written)
    return Expected(*rows, [*keys, aside] if wide else keys, values)


def _encoder_alti(naive: Contributions, layer: int) -> np.ndarray:
    found = np.eye(len(naive.passed.source))
    for below in range(layer + 1):
        found = naive.alti("encoder", below) @ found
    return found


def check(lines: list[dict[str, str]], wanted: Expected, causal: bool, near: float) -> None:
    """Every cell of a table, with the words of its row and column; nothing where a token lies ahead."""
    assert len(lines) == wanted.values.size
    for line in lines:
        i, j = int(line["query_position"]), int(line["key_position"])
        words = wanted.reads[i], wanted.writes[i], wanted.keys[j]
        assert (line["query_reads"], line["query_writes"], line["key"]) == words, line
        if causal and i < j < len(wanted.reads):
            assert not line["value"], line
        else:
            assert abs(float(line["value"]) - wanted.values[i, j]) <= near, (line, wanted.values[i, j])


def choose(page: Page, measure: str, kind: str, layer: int) -> None:
    """The pills and the list, as a reader presses them."""
    page.locator(".st-key-kinds").get_by_role("radio", name=KINDS[kind], exact=True).click()
    wait_for_kind = {} if kind == "cross" else {"kind": kind}
    page.locator(f'.detail[data-kind="{kind}"]').wait_for()
    choice = page.get_by_role("radio", name=LABELS[measure], exact=True)
    if folded := not choice.is_visible():
        page.get_by_role("button", name="More measures").click()
    choice.click()
    wait_for_params(page, measure=measure, **wait_for_kind)
    if folded:  # which lies over the wall
        page.get_by_role("button", name="More measures").click()
        choice.wait_for(state="hidden")
    title = "Head" if measure == "lengths" else "Layer"
    page.locator(".detail .card-title").filter(
        has_text=re.compile(f"{title}.*{re.escape(LABELS[measure])}")
    ).wait_for()
    count = 3 if measure == "lengths" else 1
    nth = layer * count + HEAD if measure == "lengths" else layer
    name = f"Head {layer}.{HEAD}" if measure == "lengths" else f"Layer {layer}"
    button = page.locator(".wall-head").nth(nth)
    if button.get_attribute("aria-pressed") == "false":  # a click on the open one would close it
        button.click()
        wait_for_params(page, layer=str(layer))
    page.locator(".detail .card-title").filter(has_text=name).wait_for()
    page.locator('.detail[data-numbers="exact"]:not(.waiting)').wait_for()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("measure", LABELS)
def test_every_measure_of_every_kind_is_what_plain_loops_find(
    visit: Visit, worked_out: Contributions, tmp_path: Path, measure: str
) -> None:
    page = visit_golden(visit, "attention")
    for kind in KINDS:
        layer = LAYERS[kind] - 2 if measure != "lengths" else 1
        choose(page, measure, kind, layer)
        wanted = expected(worked_out, measure, kind, layer)
        path = menu_file(page, ".detail", "csv", tmp_path)
        assert measure in path.name and kind in path.name, "the file says what it is of"
        check(table(path), wanted, kind == "causal", NEAR.get(measure, 2e-4))
        check_words(page, measure, kind, layer, worked_out, wanted)
        if measure == "alti" and kind == "cross":
            check_split(page, worked_out, layer)
        if measure in ("lengths", "residual", "alti"):
            said = page.locator(".st-key-explain_measure").inner_text()
            number = re.search(r"to within (\d)e−(\d+) of its largest number \(allowed: 1e−5\) ✓", said)
            assert number and int(number[2]) >= 5, said
        if measure == "rollout":
            check_baseline(page, worked_out, kind, layer, tmp_path)


def check_words(
    page: Page, measure: str, kind: str, layer: int, naive: Contributions, wanted: Expected
) -> None:
    """The sentence is about one row, by all its words, and names its largest numbers, the largest first."""
    said = readout(page.locator(".detail .readout")).split(" Hover to read")[0]
    starts = [f"{row_said(naive.passed, kind, row)}: " for row in range(len(wanted.reads))]
    (row,) = (row for row, start in enumerate(starts) if said.startswith(start))
    who = f"head {layer}.{HEAD}" if measure == "lengths" else f"layer {layer}"
    values = np.nan_to_num(wanted.values[row])
    best = wanted.keys[int(values.argmax())]
    name = next((words for words, label in SIDES.items() if label == best), spoken(best))
    rest = said.removeprefix(starts[row])
    if measure in ("lengths", "residual"):
        told = re.match(rf"{who} adds vectors of length ([\d.]+) for {name}", rest)
        assert told and abs(float(told[1]) - values.max()) <= 0.051 * max(1.0, values.max()), (said, values)
    else:
        assert rest.startswith(f"{who} draws "), said
        for words, label in SIDES.items():
            rest = rest.replace(words, f"“{label}”")
        check_told(rest, wanted.keys, list(values))


def check_split(page: Page, naive: Contributions, layer: int) -> None:
    """Of each written word the shares of source and words before."""
    whole = naive.alti_plus(layer + 1)
    shares = whole[:, : len(naive.passed.source)].sum(axis=1)
    lines = page.locator(".atlas-split li")
    for word, share, line in zip(naive.passed.written, shares, lines.all(), strict=True):
        assert line.locator("bdi").inner_text() == word
        numbers = [int(each) for each in re.findall(r"(\d+)\s%", line.inner_text())]
        assert abs(numbers[0] - 100 * share) <= 0.51 and sum(numbers) == 100
    assert f"{100 * shares.mean():.0f}\u00a0%" in page.locator(".st-key-card_split .atlas-title").inner_text()


def check_baseline(page: Page, naive: Contributions, kind: str, layer: int, folder: Path) -> None:
    """The map beside the rollout is that of uniform attention, and the third is rollout minus baseline."""
    page.locator(".compare .card-title").filter(has_text=f"layer {layer}").wait_for()
    lines = table(menu_file(page, ".compare", "csv", folder))
    rolled, baseline = naive.rollout(kind, layer), naive.rollout(kind, layer, uniform=True)
    names = list(dict.fromkeys(line["map"] for line in lines))
    for name, wanted in zip(names, (baseline, rolled, rolled - baseline), strict=True):
        named = [line for line in lines if line["map"] == name]
        assert len(named) == wanted.size
        for line in named:
            i, j = int(line["query_position"]), int(line["key_position"])
            if line["value"]:
                assert abs(float(line["value"]) - wanted[i, j]) <= 2e-4, line
    assert "baseline" in names[0] and "rollout" in names[1]


@pytest.mark.thorough
def test_the_joint_view_draws_both_halves_of_the_same_row(
    visit: Visit, worked_out: Contributions, tmp_path: Path
) -> None:
    page = visit_golden(visit, "attention", kind="joint", measure="alti", layer="2", step="3")
    page.locator(".joint .readout").filter(has_text="draws").wait_for()
    lines = table(menu_file(page, ".joint", "csv", tmp_path))
    whole = worked_out.alti_plus(3)
    keys = len(worked_out.passed.source)
    for kind, values in (("cross", whole[:, :keys]), ("causal", whole[:, keys:])):
        rows = [line for line in lines if line["kind"] == kind]
        assert rows
        for line in rows:
            i, j = int(line["query_position"]), int(line["key_position"])
            if line["alti"]:
                assert abs(float(line["alti"]) - values[i, j]) <= 2e-4, (kind, line)
    third = sum(
        float(line["alti"])
        for line in lines
        if line["kind"] != "encoder" and line["query_position"] == "2" and line["alti"]
    )
    assert abs(third - 1) < 1e-3, "source and words before are shares of one whole"
