"""Attention and its contributions: every number and word of the wall, of the open map and of what is below."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_contributions import LAYERS, Contributions, folded, multiplied
from tests.browser.golden_facts import (
    END,
    HEAD,
    LAYER,
    Row,
    by_columns,
    furniture,
    layers_of_wall,
    lengths_named,
    named,
    of_row,
    telling_row,
    three_of,
)
from tests.browser.golden_model import DECODER_LAYERS, ENCODER_LAYERS, HEADS, Naive, Passed
from tests.browser.golden_reading import visit_golden
from tests.browser.golden_scores import badges
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned


def monotonic(rows: Sequence[Row]) -> float:
    """Kendall's tau-b of the rows' mean places with their order."""
    means = [sum(j * weight for j, weight in enumerate(row)) for row in rows]
    pairs = [(b > a) - (b < a) for n, a in enumerate(means) for b in means[n + 1 :]]
    return sum(pairs) / math.sqrt(len(pairs) * sum(sign != 0 for sign in pairs))


def pointing(rows: Sequence[Row], offset: int) -> float:
    """The share of the rows that have a key at this distance whose largest weight lies there."""
    hits = [row[i + offset] == max(row) for i, row in enumerate(rows) if 0 <= i + offset < len(rows)]
    return sum(hits) / len(hits)


ORDER = {
    "encoder": (
        "positional",
        "previous token",
        "same token",
        "next token",
        "end token",
        "entropy",
        "confidence",
    ),
    "causal": ("previous token", "same token", "start token", "entropy", "confidence"),
    "cross": ("diagonality", "entropy", "confidence", "end token", "monotonicity"),
}


@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_attention_of_a_head(visit: Visit, written: Passed, kind: str) -> None:
    row, column = 4, 1
    page = visit_golden(
        visit, "attention", kind=kind, layer=str(LAYER), head=str(HEAD), pins=f"q{row},k{column}"
    )
    page.locator(".detail[data-numbers=exact]").wait_for()
    account(page, *furniture(written), *of_wall(written, kind), *of_detail(written, kind, row, column))


def of_wall(written: Passed, kind: str) -> list[Account]:
    queries, keys = written.queries(kind), written.keys(kind)
    heads = []
    for layer in range(LAYERS[kind]):
        for head in range(HEADS):
            rows = written.maps[kind][layer][head]
            scores = badges(kind, rows, queries, keys) | {"monotonicity": monotonic(rows)}
            scores["positional"] = max(pointing(rows, offset) for offset in (-1, 0, 1))
            heads.append([fact(layer, head, *(scores[name] for name in ORDER[kind]))])
    focused = sum(float(np.max(rows, axis=-1).mean()) > 0.5 for layer in written.maps[kind] for rows in layer)
    title = fact(focused, LAYERS[kind] * HEADS)
    return [
        Account("wall card-title", [[title]]),
        Account("wall-heads role=group wall-head", heads, "aria-label"),
        *layers_of_wall(LAYERS[kind]),
        Account("wall-heads", [[title]], "aria-label"),
        no_result("detail-foot", "below which weight nothing is drawn"),
    ]


def of_detail(written: Passed, kind: str, row: int, column: int) -> list[Account]:
    keys, name = written.keys(kind), f"{LAYER}.{HEAD}"
    values = np.array(written.maps[kind][LAYER][HEAD])
    *_, query = of_row(written, kind, row)
    rest = values[row].copy()
    rest[column] = 0
    next_best = int(rest.argmax())
    more = int((rest > 0).sum()) - 1
    return [
        Account("detail card-title", [[fact(name, share(values[row, column]), keys[column], query)]]),
        Account("detail picture", [[fact(name), fact(*values.shape)]], every=True),
        Account(
            "detail readout",
            [[fact(share(rest.sum()), keys[next_best], share(rest[next_best]), more)]],
        ),
    ]


def of_lines(written: Passed, kind: str, row: int, columns: tuple[int, int]) -> list[Account]:
    """A row, and two columns as one: where the row looks, and which rows look at one of the two most."""
    queries = written.source if kind == "encoder" else written.written
    keys, name = written.keys(kind), fact(f"{LAYER}.{HEAD}")
    values = np.array(written.maps[kind][LAYER][HEAD])
    summed = values[:, list(columns)].sum(axis=1)
    said = [
        of_row(written, kind, row),
        name,
        *named(values[row], keys),
        name,
        fact(*(keys[column] for column in columns)),
        *by_columns(summed, queries),
    ]
    return [
        Account("detail card-title", [[name]]),
        Account("detail picture", [[name, fact(*values.shape)]], every=True),
        Account("detail readout", [said]),
    ]


@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_a_row_and_a_column_of_a_head(visit: Visit, written: Passed, kind: str) -> None:
    row, column = 4, 1
    page = visit_golden(
        visit, "attention", kind=kind, layer=str(LAYER), head=str(HEAD), pins=f"q{row},k{column},k2"
    )
    page.locator(".detail[data-numbers=exact]").wait_for()
    account(page, *furniture(written), *of_wall(written, kind), *of_lines(written, kind, row, (column, 2)))


@pytest.fixture(scope="module")
def parts(naive: Naive, written: Passed) -> Contributions:
    return Contributions(naive, written)


def mixing(parts: Contributions, kind: str, layer: int) -> float:
    """How much of a new vector comes from other tokens, the mean over the rows (Kobayashi et al. 2021, section 3)."""
    found, _ = parts.after(kind, layer)
    ratios = []
    for place, row in enumerate(found):
        own = row[-1] if kind == "cross" else row[place]
        others = sum(row) - own
        far, near = (math.sqrt(sum(value**2 for value in vector)) for vector in (others, own))
        ratios.append(far / (far + near))
    return sum(ratios) / len(ratios)


def of_measure(parts: Contributions, measure: str, kind: str, layer: int) -> tuple[np.ndarray, float]:
    """The map of a layer, and the score that stands under its picture."""
    source = len(parts.passed.source)
    match measure:
        case "residual":
            return parts.residual(kind, layer), mixing(parts, kind, layer)
        case "rollout":
            values = parts.rollout(kind, layer)
        case _ if kind == "encoder":
            values = multiplied([parts.alti("encoder", below) for below in range(layer + 1)])
        case _:
            values = folded(parts.alti_plus(layer + 1), source, kind)
    if kind == "encoder":
        return values, float(1 - np.diagonal(values).mean())
    return values, float(1 - values[:, -1].mean())


def pictures(parts: Contributions, measure: str, kind: str) -> list[Account]:
    """What is said of each picture of the wall: of each head where a measure belongs to heads, else of each layer."""
    if measure != "lengths":
        rows = [[fact(layer, of_measure(parts, measure, kind, layer)[1])] for layer in range(LAYERS[kind])]
        if measure == "rollout":
            even = [parts.rollout(kind, layer, uniform=True) for layer in range(LAYERS[kind])]
            ends = [1 - (np.diagonal(null) if kind == "encoder" else null[:, -1]).mean() for null in even]
            rows += [[fact(layer, float(value))] for layer, value in enumerate(ends)]
        return [Account("wall-head", rows, "aria-label")]
    rows = []
    for layer in range(LAYERS[kind]):
        for head in range(HEADS):
            found = parts.lengths(kind, layer, head)
            ends = found[:, parts.passed.keys(kind).index(END)] / found.sum(axis=1)
            rows.append([fact(layer, head, float(found.sum(axis=1).mean()), float(ends.mean()))])
    count = fact(LAYERS[kind] * HEADS)
    return [
        Account("wall-head", rows, "aria-label"),
        Account("wall card-title", [[count]]),
        Account("wall-heads", [[count]], "aria-label"),
    ]


@pytest.mark.parametrize("kind", ["encoder", "cross"])
@pytest.mark.parametrize("measure", ["lengths", "residual", "alti", "rollout"])
def test_contributions_of_a_layer(
    visit: Visit, written: Passed, parts: Contributions, measure: str, kind: str
) -> None:
    page = visit_golden(visit, "attention", kind=kind, layer=str(LAYER), head=str(HEAD), measure=measure)
    page.locator(".detail[data-numbers=exact]:not(.waiting)").wait_for()
    queries = written.queries(kind)
    keys = [*written.keys(kind), *(["⟨prefix⟩"] if kind == "cross" and measure != "lengths" else [])]
    values = (
        parts.lengths(kind, LAYER, HEAD)
        if measure == "lengths"
        else of_measure(parts, measure, kind, LAYER)[0]
    )
    row = telling_row(values[:, : len(keys)], kind, queries)
    told = (
        lengths_named(values[row], keys)
        if measure in ("lengths", "residual")
        else three_of(values[row], keys)
    )
    name = fact(f"{LAYER}.{HEAD}") if measure == "lengths" else fact(LAYER)
    account(
        page,
        *furniture(written),
        *layers_of_wall(LAYERS[kind] if measure == "lengths" else 1 + (measure == "rollout")),
        *pictures(parts, measure, kind),
        no_result("detail-foot", "below which weight nothing is drawn"),
        no_result("compare", "the rollout beside its null is that of test_golden_contributions"),
        *(of_split(values, queries) if measure == "alti" and kind == "cross" else []),
        Account("detail card-title", [[name]]),
        Account("detail picture", [[name, fact(len(queries), len(keys))]], every=True),
        Account("detail readout", [[of_row(written, kind, row), name, *told]]),
    )


def of_split(values: np.ndarray, words: Sequence[str]) -> list[Account]:
    """How much of each written word came from the source, and from the words before."""
    before = values[:, -1]
    return [
        Account("st-key-card_split atlas-title", [[(share(float(1 - before.mean())),)]]),
        Account("st-key-card_split atlas-subtitle", [[fact(LAYER)]]),
        Account("atlas-split bdi", [[fact(word)] for word in words]),
        Account("atlas-split b", [[(share(float(1 - value)),)] for value in before]),
        Account("atlas-split", [[(share(float(value)),)] for value in before]),
    ]


@pytest.mark.parametrize(("measure", "layer"), [("weight", LAYER), ("alti", DECODER_LAYERS - 1)])
def test_the_three_maps_at_a_step(
    visit: Visit, written: Passed, parts: Contributions, measure: str, layer: int
) -> None:
    """One step's word, what it read, and what the word it read most is made of in the encoder."""
    step, below = 4, min(layer, ENCODER_LAYERS - 1)
    page = visit_golden(
        visit, "attention", kind="joint", layer=str(layer), head=str(HEAD), step=str(step), measure=measure
    )
    page.locator(".joint .readout").wait_for()
    word, keys = written.written[step - 1], len(written.source)
    if measure == "weight":
        cross, own = (np.array(written.maps[kind][layer][HEAD][step - 1]) for kind in ("cross", "causal"))
        inside = np.array(written.maps["encoder"][below][HEAD])
        who, told, of = f"{layer}.{HEAD}", named(cross, written.source), fact(f"{layer}.{HEAD}")
    else:
        cross, own = np.split(parts.alti_plus(layer + 1)[step - 1], [keys])
        inside = of_measure(parts, measure, "encoder", below)[0]
        who, told, of = str(layer), three_of(cross, written.source), fact(below, layer, 1)
    back, most = int(own.argmax()), int(cross.argmax())
    giver = int(inside[most].argmax())
    reads = [written.source[most], *([written.source[giver]] if giver != most else [])]
    chosen = [[fact(layer)], *([[fact(HEAD)]] if measure == "weight" else [])]
    said = [
        fact(written.read[step - 1], word, who),
        *told,
        (share(own[back]), *fact(written.read[back])),
        (*fact(*reads), share(inside[most, giver])),
    ]
    account(
        page,
        *furniture(written),
        Account("stMain stSelectbox", chosen, "value"),
        Account("joint card-title", [[fact(word)]]),
        Account("joint card-subtitle", [[of]]),
        Account("joint play-count", [[fact(step, len(written.written))]]),
        Account("joint play-scrub", [[fact(step)]], "value"),
        Account("joint picture", [said]),
        Account("joint readout", [said]),
    )
