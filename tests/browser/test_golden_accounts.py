"""Every number and word that a page shows is accounted for: by plain loops, or by a reason why it is no result.

What is checked is which thing is named and which value it has, wherever a sentence puts them; how it is worded is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.browser.accounting import Account, Fact, Number, account, fact, no_result, share
from tests.browser.golden_contributions import (
    Contributions,
    depths,
    folded,
    multiplied,
    read_off,
    rungs,
    without,
)
from tests.browser.golden_model import (
    CORPUS,
    DECODER_LAYERS,
    ENCODER_LAYERS,
    HEADS,
    NAME,
    OTHER_TEXT,
    TARGET,
    TEXT,
    WIDTH,
    Naive,
    Passed,
    encode,
    parameters,
    place_vector,
)
from tests.browser.golden_reading import menu_file, visit_golden
from tests.browser.golden_scores import badges, diagonality, entropy
from tests.browser.looking import Visit
from ui.style.theme import PALETTES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

ROOT = Path(__file__).parents[2]
END = "⟨end⟩"
LABELS = ["⟨pad⟩", "⟨start⟩", END, "⟨unk⟩", *TARGET[4:]]


@pytest.fixture(scope="module")
def naive() -> Naive:
    return Naive()


@pytest.fixture(scope="module")
def written(naive: Naive) -> Passed:
    return naive.translate(TEXT)


def ids_of(passed: Passed) -> list[int]:
    return [LABELS.index(word) for word in passed.written]


def furniture(passed: Passed, header: bool = True) -> list[Account]:
    """What stands on every page: the checkpoint, the strip of the architecture, the sentence and its translation."""
    count = sum(values.size for values in parameters().values())
    source, target = (fact(*side[:-1]) for side in (passed.source, passed.written))
    return [
        Account(
            "stSidebar st-key-card_checkpoint atlas-quiet",
            [[fact(ENCODER_LAYERS, DECODER_LAYERS, HEADS, count / 1000)]],
        ),
        no_result("stSidebar", "how many checks a checkpoint passes, and on what it computes"),
        Account("map-block kind=source", [[fact(len(passed.source))]], every=True),
        Account("map-block kind=encoder", [[fact(ENCODER_LAYERS)]], every=True),
        Account("map-block kind=memory", [[fact(len(passed.source), WIDTH)]], every=True),
        Account("map-block kind=causal", [[fact(DECODER_LAYERS)]], every=True),
        Account("map-block kind=next", [[fact(len(TARGET))]], every=True),
        *([Account("st-key-header atlas-sentence", [[(*source, *target)]], every=True)] if header else []),
        no_result("", "what a measure is: its range and its source", "data-tip"),
        no_result("", "the same for who cannot see it", "aria-description"),
        no_result("role=tooltip", "what a measure is"),
        no_result("st-key-explain_*", "what is looked at, and why"),
        no_result("wall-about", "what a score is"),
        no_result("cbaxis", "ticks of a scale of colours"),
        no_result("xaxislayer-above", "ticks of an axis"),
        no_result("yaxislayer-above", "ticks of an axis"),
        no_result("card-controls label", "what a control does"),
        no_result("card-controls keys", "what a key does, what a score is"),
        no_result("main-svg bartext", "the text of a bar, which its trace holds"),
        no_result("main-svg textpoint", "the text of a mark, which its trace holds"),
        no_result("slider", "where a slider stands: its label says it, too"),
    ]


# -- compare --------------------------------------------------------------------------------------------------


def compared(
    queries: list[str], keys: list[str], first: np.ndarray, second: np.ndarray
) -> tuple[str, str, float, float]:
    """The words of the cell with the largest change between words, and its two weights."""
    change = np.abs(second - first)
    for place, query in enumerate(queries):
        for column, key in enumerate(keys):
            if END in (query, key):
                change[place, column] = -1
    i, j = np.unravel_index(int(change.argmax()), change.shape)
    return queries[i], keys[j], first[i, j], second[i, j]


def test_compare_two_heads(visit: Visit, written: Passed) -> None:
    page = visit_golden(visit, "compare", kind="cross", layer="1", head="0", against="2.1")
    page.locator(".compare-pane").nth(2).wait_for()
    first, second = (np.array(written.maps["cross"][a][b]) for a, b in ((1, 0), (2, 1)))
    query, key, one, two = compared(written.written, written.source, first, second)
    more, less = ("1.0", "2.1") if one > two else ("2.1", "1.0")
    size = fact(len(written.written), len(written.source))
    account(
        page,
        *furniture(written),
        Account("st-key-widget_compare_first", [[fact("1.0")]], "value"),
        Account("st-key-widget_compare_second", [[fact("2.1")]], "value"),
        Account("compare card-title", [[fact(more, key, 100 * abs(one - two), less, query)]]),
        Account("compare-title", [[fact("1.0")], [fact("2.1")], [fact("2.1", "1.0")]]),
        Account(
            "compare-pane picture", [[fact("1.0"), size], [fact("2.1"), size], [fact("2.1", "1.0"), size]]
        ),
        Account(
            "compare readout",
            [
                [
                    fact(query, key),
                    (share(one), *fact("1.0")),
                    (share(two), *fact("2.1")),
                    fact(100 * (two - one)),
                ]
            ],
        ),
    )


# -- what if --------------------------------------------------------------------------------------------------

LAYER, HEAD = 1, 2
OUTPUT = {
    "encoder": "encoder_layers.{}.self_attention.output_proj.weight",
    "causal": "decoder_layers.{}.self_attention.output_proj.weight",
    "cross": "decoder_layers.{}.cross_attention.output_proj.weight",
}
LAYERS = {"encoder": ENCODER_LAYERS, "causal": DECODER_LAYERS, "cross": DECODER_LAYERS}


def without_head(kind: str, layer: int, head: int) -> Naive:
    """The model in which one head gives zeros."""
    model, size = Naive(), WIDTH // HEADS
    model.p[OUTPUT[kind].format(layer)][:, head * size : (head + 1) * size] = 0.0
    return model


class Unseen(Naive):
    """The model in which nobody but itself sees one token: of the source, or of what the decoder reads."""

    def __init__(self, side: str, token: int) -> None:
        super().__init__()
        self.side, self.token = side, token

    def reweighted(self, place: tuple[str, int, int, int], row: list[float]) -> list[float]:
        kind, _, _, query = place
        if (kind == "causal") != (self.side == "target") or self.token >= len(row):
            return row
        if kind != "cross" and query == self.token:
            return row
        rest = sum(weight for key, weight in enumerate(row) if key != self.token)
        return [0.0 if key == self.token else weight / rest for key, weight in enumerate(row)]


def logs(passed: Passed, ids: list[int]) -> np.ndarray:
    return np.array([math.log(passed.probabilities(step)[token]) for step, token in enumerate(ids)])


def factor(change: float) -> Number:
    """How many times as probable, or how many per cent more or less where that is not twice."""
    times = math.exp(abs(change))
    return Number(times) if times >= 2 else share(times - 1 if change > 0 else 1 - 1 / times)


def best_allowed(passed: Passed, step: int) -> tuple[str, float]:
    """What greedy search writes at a step: neither padding nor the start token."""
    chances = passed.probabilities(step)
    token = max(range(2, len(chances)), key=chances.__getitem__)
    return LABELS[token], chances[token]


@pytest.mark.parametrize("rank", [0, 2])
def test_what_if_a_head_is_switched_off(visit: Visit, written: Passed, rank: int) -> None:
    """The head that moved most, which opens by itself, and one that two others surpass."""
    ids, changed = ids_of(written), without_head("cross", LAYER, HEAD)
    after, again = changed.run(encode(TEXT), ids), changed.translate(TEXT)
    before_logs, after_logs = logs(written, ids), logs(after, ids)
    hard = int((after_logs - before_logs).argmin())
    new = [word for word in again.written[:32] if not word.startswith("⟨")]
    cut = " ".join(new)[:90].split()
    moved = {
        (layer, head): float(
            0.5
            * np.abs(np.array(after.maps["cross"][layer][head]) - written.maps["cross"][layer][head])
            .sum(-1)
            .mean()
        )
        for layer in range(DECODER_LAYERS)
        for head in range(HEADS)
    }
    most = sorted(moved, key=lambda place: -moved[place])[rank]
    link = {"layer": str(most[0]), "head": str(most[1])} if rank else {}
    page = visit_golden(visit, "what_if", edits=f"zc{LAYER}-{HEAD}", **link)
    for chart in ("what_if_words", "why_heads", "why_source", "why_prefix"):
        page.locator(f".st-key-chart_{chart} .js-plotly-plot .main-svg").first.wait_for()
    page.locator(".compare .card-title").wait_for()
    first, second = (np.array(each.maps["cross"][most[0]][most[1]]) for each in (written, after))
    query, key, one, two = compared(written.written, written.source, first, second)
    size = fact(len(written.written), len(written.source))
    every_word = [
        [
            (*fact(word), share(math.exp(before_logs[step])), share(math.exp(after_logs[step]))),
            (*fact(best_allowed(after, step)[0]), share(best_allowed(after, step)[1])),
        ]
        for step, word in enumerate(written.written)
    ]
    account(
        page,
        *furniture(written),
        Account("stButton stBaseButton-secondary", [[fact(DECODER_LAYERS * HEADS)]]),
        Account("wall-layer", [[fact(layer)] for layer in range(DECODER_LAYERS)], "aria-label"),
        Account("wall-layer", [[fact(layer)] for layer in range(DECODER_LAYERS)], "title"),
        Account("wall-head", [[fact(*place, value)] for place, value in moved.items()], "aria-label"),
        Account("st-key-card_verdict atlas-title", [[fact(*cut)]]),
        Account("st-key-card_verdict stBaseButton-tertiary", [[fact(f"{LAYER}.{HEAD}")]]),
        Account("atlas-difference", [[fact(*new)]]),
        Account("st-key-chart_what_if_words name=before", every_word, "customdata"),
        Account("st-key-chart_what_if_words name=after", every_word, "customdata"),
        Account(
            "st-key-card_verdict atlas-readout",
            [
                [
                    fact(float(before_logs.sum()), float(after_logs.sum())),
                    (factor(float(after_logs.sum() - before_logs.sum())),),
                    (
                        *fact(written.written[hard]),
                        share(math.exp(before_logs[hard])),
                        share(math.exp(after_logs[hard])),
                    ),
                ]
            ],
        ),
        Account("st-key-card_survey atlas-quiet", [[fact((2 * DECODER_LAYERS + ENCODER_LAYERS) * HEADS)]]),
        *of_why(written),
        Account("react-aria-ComboBox", [[fact(f"{most[0]}.{most[1]}")]], "value"),
        Account("compare card-title", [[fact(f"{most[0]}.{most[1]}")]]),
        Account(
            "compare card-subtitle",
            [[(share(moved[most]),), *([fact(rank + 1, len(moved))] if rank else [])]],
        ),
        Account("compare-pane picture", [[size]] * 3),
        Account("compare readout", [[fact(query, key), (share(one), share(two)), fact(100 * (two - one))]]),
    )


WHY_STEP = 3


def effects_of(written: Passed) -> dict[str, list[float]]:
    """What the odds of the fourth word against the next probable one lose without each word of the source, and each word
    written before; the word that the step reads itself cannot be hidden."""
    source, ids, whole = encode(TEXT), ids_of(written), odds(written, written)
    unseen = {"source": range(len(source)), "prefix": range(WHY_STEP)}
    return {
        side: [
            whole - odds(Unseen("source" if side == "source" else "target", token).run(source, ids), written)
            for token in tokens
        ]
        for side, tokens in unseen.items()
    }


def against_at(written: Passed) -> int:
    """The most probable token at the fourth step that was not written."""
    chances, token = written.probabilities(WHY_STEP), ids_of(written)[WHY_STEP]
    return max((other for other in range(2, len(chances)) if other != token), key=chances.__getitem__)


def odds(passed: Passed, written: Passed) -> float:
    """The logarithm of the odds of the two words of the fourth step, in nats."""
    found = passed.probabilities(WHY_STEP)
    return math.log(found[ids_of(written)[WHY_STEP]]) - math.log(found[against_at(written)])


def of_why(written: Passed) -> list[Account]:
    """The card that says what spoke for a word, here that of the fourth step, against the next probable one."""
    step, ids, other = WHY_STEP, ids_of(written), against_at(written)
    chances, whole, source = written.probabilities(step), odds(written, written), encode(TEXT)
    heads = {
        (kind, layer, head): whole - odds(without_head(kind, layer, head).run(source, ids), written)
        for kind, layers in LAYERS.items()
        for layer in range(layers)
        for head in range(HEADS)
    }
    largest = sorted(heads, key=lambda place: -abs(heads[place]))[:8]
    words, prefix = effects_of(written).values()
    most = next(place for place in largest if heads[place] > 0)
    best = int(np.argmax(words))
    label, against = written.written[step], LABELS[other]
    said = [fact(label, math.exp(whole), against), fact(f"{most[1]}.{most[2]}", heads[most])]
    if words[best] > 0:
        said.append(fact(written.source[best], words[best]))
    return [
        Account("st-key-card_why atlas-title", [[fact(label, against)]]),
        Account(
            "st-key-card_why stSelectbox",
            [[fact(step + 1, label)], [(*fact(against), share(chances[other]))]],
            "value",
        ),
        Account(
            "st-key-chart_why_heads", [[fact(f"{layer}.{head}")] for _, layer, head in largest], "customdata"
        ),
        Account("st-key-chart_why_heads name=trace", [[fact(heads[place])] for place in largest], "text"),
        Account("st-key-chart_why_source", [[fact(word)] for word in written.source], "customdata"),
        Account("st-key-chart_why_source name=trace", [[fact(value)] for value in words], "text"),
        Account("st-key-chart_why_prefix", [[fact(word)] for word in written.read[:step]], "customdata"),
        Account("st-key-chart_why_prefix name=trace", [[fact(value)] for value in prefix], "text"),
        Account("st-key-card_why atlas-readout", [said]),
    ]


# -- lenses ---------------------------------------------------------------------------------------------------


def test_lenses_at_a_cell_where_the_word_is_not_first(visit: Visit, naive: Naive, written: Passed) -> None:
    shares = [
        [read_off(naive, state[step]) for state in depths(written)] for step in range(len(written.written))
    ]
    for row in (row for rows in shares for row in rows):
        row[0] = row[1] = -1.0  # never written
    ids = ids_of(written)

    def rank(step: int, depth: int) -> int:
        return 1 + sum(value > shares[step][depth][ids[step]] for value in shares[step][depth])

    def settled(step: int) -> int:
        depth = DECODER_LAYERS + 1
        while depth > 0 and rank(step, depth - 1) == 1:
            depth -= 1
        return depth

    step, depth = max(
        ((step, depth) for step in range(len(ids)) for depth in range(1, DECODER_LAYERS)),
        key=lambda at: rank(*at),
    )
    assert rank(step, depth) > 2
    page = visit_golden(visit, "lenses", lens=f"{step}.{depth}")
    page.locator(".rung").first.wait_for()
    page.locator(".lens .readout", has_text="Writing").first.wait_for()
    row, word = shares[step][depth], written.written[step]
    first = max(range(len(row)), key=row.__getitem__)
    cell = [
        fact(word, depth - 1),
        (*fact(LABELS[first]), share(row[first])),
        (*fact(word, rank(step, depth)), share(row[ids[step]])),
        fact(settled(step) - 1),
    ]
    early = sum(settled(place) < DECODER_LAYERS for place in range(len(ids)))
    account(
        page,
        *furniture(written),
        Account(
            "lens-cells", [[fact(len(ids)), fact(*written.written[:3]), fact(DECODER_LAYERS + 1), *cell]]
        ),
        Account("lens card-title", [[fact(early, len(ids))], [fact(word, depth - 1)]]),
        Account("lens readout", [cell]),
        Account("lens picture role=img", [cell]),
        *of_ladder(naive),
    )


def of_ladder(naive: Naive) -> list[Account]:
    texts = [[TARGET[token] for token in ids if token > 3] for ids in rungs(naive, TEXT)]
    shares = [in_common(texts[-1], text) / len(texts[-1]) for text in texts[:-1]]
    return [
        Account("rung-name", [[fact(layer)] for layer in range(ENCODER_LAYERS)]),
        Account("rung-share", [[(share(value),)] for value in shares]),
        no_result("rung-text", "struck and underlined words, part by part, are those of test_golden_lenses"),
    ]


def in_common(one: list[str], other: list[str]) -> int:
    """Words of the longest sequence that both have in this order."""
    table = np.zeros((len(one) + 1, len(other) + 1), int)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1, j + 1] = table[i, j] + 1 if a == b else max(table[i, j + 1], table[i + 1, j])
    return int(table[-1, -1])


# -- positions ------------------------------------------------------------------------------------------------


def cosine_apart(distance: int) -> float:
    """Of two position vectors this far apart: both are √(WIDTH / 2) long."""
    pairs = range(WIDTH // 2)
    return sum(math.cos(distance / 10_000 ** (2 * pair / WIDTH)) for pair in pairs) / len(pairs)


def test_positions_of_a_pair(visit: Visit, written: Passed) -> None:
    pair, token, on = 2, 1, 3
    page = visit_golden(visit, "positions", pair=str(pair), token=f"s{token}", offset=str(on))
    for chart in ("rotation", "waves", "similarity", "table"):
        page.locator(f".st-key-chart_position_{chart} .js-plotly-plot .main-svg").first.wait_for()
    waves = [2 * math.pi * 10_000 ** (2 * each / WIDTH) for each in range(WIDTH // 2)]
    one, two = written.source[token], written.source[token + on]
    every = [[fact(word)] for word in written.source]
    rising = next(far for far in range(1, 110) if cosine_apart(far) > cosine_apart(far - 1))
    marks = page.locator(".st-key-chart_position_similarity .js-plotly-plot").evaluate(
        "(plot) => [...plot._fullData.find((trace) => trace.mode === 'markers+text').x]"
    )
    assert len(marks) >= 5
    norm = math.sqrt(sum(value**2 for value in place_vector(token)))
    account(
        page,
        *furniture(written),
        Account("st-key-card_table atlas-title", [[fact(one), fact(token)]]),
        Account("st-key-card_table atlas-subtitle", [[fact(WIDTH), fact(pair)]]),
        Account("st-key-widget_token_s", every),
        Account("st-key-card_table atlas-readout", [[fact(norm), fact(2), fact(math.sqrt(WIDTH))]]),
        Account("st-key-card_rotation atlas-title", [[fact(on)]]),
        Account("st-key-card_rotation atlas-subtitle", [[fact(2 * pair, 2 * pair + 1)]]),
        Account("st-key-chart_position_rotation name=trace", every, "hovertext"),
        no_result(
            "st-key-chart_position_rotation", "the same words, as far as they fit beside each other", "text"
        ),
        Account("st-key-widget_pair", [[fact(pair)]], "value"),
        Account("st-key-widget_pair", [[fact(pair)]], "aria-valuetext"),
        Account("st-key-widget_pair", [[fact(pair)], [fact(0)], [fact(WIDTH // 2 - 1)]], "text"),
        Account("st-key-widget_offset", [[fact(on)]], "value"),
        Account("st-key-widget_offset", [[fact(on)]], "aria-valuetext"),
        Account("st-key-widget_offset", [[fact(on)], [fact(1)], [fact(40)]], "text"),
        Account(
            "st-key-card_rotation atlas-readout",
            [[fact(one, two), fact(on), fact(pair, math.degrees(2 * math.pi * on / waves[pair]))]],
        ),
        no_result("st-key-card_comparison", "what a learned table would do; the paper's own number"),
        Account("st-key-chart_position_waves name=trace", every * 6, "text"),
        Account("annotation-text", [[fact(each, waves[each])] for each in range(6)], "text"),
        Account("st-key-card_waves atlas-readout", [[fact(waves[0], waves[-1]), fact(pair, waves[pair])]]),
        Account(
            "st-key-chart_position_similarity name=trace",
            [[fact(cosine_apart(far))] for far in marks],
            "text",
        ),
        Account(
            "st-key-card_similarity atlas-readout",
            [[fact(one, two), fact(on), fact(cosine_apart(on)), fact(rising - 1, rising)]],
        ),
    )


# -- layer norm -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("token", "place"), [("t2", ("decoder", 1, "cross")), ("s4", ("encoder", 0, "ffn"))])
def test_layer_norm_of_a_token(
    visit: Visit, written: Passed, token: str, place: tuple[str, int, str]
) -> None:
    page = visit_golden(visit, "layer_norm", token=token, place=".".join(map(str, place)))
    for chart in ("stream", "shares", "before_after", "gains"):
        page.locator(f".st-key-chart_norm_{chart} .js-plotly-plot .main-svg").first.wait_for()
    stack, at = place[0], int(token[1:])
    word = (written.source if stack == "encoder" else written.read)[at]
    places = [each for each in written.norms if each[0] == stack]
    size = lambda vector: math.sqrt(sum(value**2 for value in vector))  # noqa: E731
    ratios, cosines, spreads = [], [], []
    for each in places:
        stream, added = (side[at] for side in written.sublayers[each])
        ratios.append(size(added) / size(stream))
        cosines.append(sum(stream * added) / size(added) / size(stream))
        spreads.append([(float(np.std(side[at])), float(np.mean(side[at]))) for side in written.norms[each]])
    most = ratios.index(max(ratios))
    norm = max(range(len(places)), key=lambda n: abs(spreads[n][0][0] - spreads[n][1][0]))
    (dev_before, mean_before), (dev_after, mean_after) = spreads[norm]
    first, last = size(written.embedded[stack][at]), size(written.norms[places[-1]][1][at])
    gains = parameters()[f"{stack}_layers.{place[1]}.{place[2]}_residual.norm.weight"]
    assert np.all(np.abs(gains - gains.mean()) < 3 * gains.std())
    account(
        page,
        *furniture(written),
        Account("st-key-card_token atlas-title", [[fact(word)]]),
        no_result("st-key-card_token atlas-subtitle", "which tokens can be picked"),
        Account("st-key-widget_token_s", [[fact(each)] for each in written.source]),
        Account("st-key-widget_token_t", [[fact(each)] for each in written.read]),
        Account("st-key-card_stream atlas-title", [[fact(word)]]),
        Account("st-key-card_stream atlas-readout", [[fact(word), fact(first, last)]]),
        Account("st-key-chart_norm_shares name=trace", [[fact(value)] for value in ratios], "text"),
        Account(
            "st-key-card_shares atlas-readout",
            [[fact(places[most][1], word, ratios[most], cosines[most])]],
        ),
        Account("st-key-card_norms atlas-title", [[fact(word)]]),
        Account(
            "st-key-card_norms atlas-readout",
            [[fact(word), fact(places[norm][1]), fact(dev_before, dev_after, mean_before, mean_after)]],
        ),
        Account("st-key-card_gains atlas-title", [[fact(place[1])]]),
        Account("st-key-card_gains atlas-subtitle", [[fact(WIDTH)]]),
        Account("st-key-widget_place", [[fact(place[1])]], "value"),
        # Three deviations, |h| of 6, 6 % of the tokens: what standing out means.
        Account("st-key-card_gains atlas-readout", [[fact(3), fact(6), (share(0.06),)]]),
    )


# -- attention ------------------------------------------------------------------------------------------------

Row = Sequence[float]


def named(row: Row, labels: Sequence[str], most: int = 3) -> list[Fact]:
    """The largest weights of a row with their words: as many as say most of it, three at most, none below 5 %."""
    found: list[Fact] = []
    told = 0.0
    for place in sorted(range(len(row)), key=lambda place: -row[place])[:most]:
        if found and (row[place] < 0.05 or told >= 0.9):
            break
        found.append((*fact(labels[place]), share(row[place])))
        told += row[place]
    return found


def by_columns(column: Row, labels: Sequence[str]) -> list[Fact]:
    """The rows that look at a key most, with how much: three at most, none below 5 %."""
    order = sorted(range(len(column)), key=lambda place: -column[place])[:3]
    return [
        (*fact(labels[place]), share(column[place]))
        for n, place in enumerate(order)
        if n == 0 or column[place] >= 0.05
    ]


def telling_row(values: np.ndarray, kind: str, rows: Sequence[str]) -> int:
    """The row told when none is chosen: the word that gives most to one token (in self-attention, to another one)."""
    free = values.round(6)
    for place, row in enumerate(rows):
        if row.startswith("⟨"):
            free[place] = -1.0
        elif kind != "cross":
            free[place, place] = -1.0
    return int(np.unravel_index(int(free.argmax()), free.shape)[0])


def monotonic(rows: Sequence[Row]) -> float:
    """Kendall's tau-b of the rows' mean places with their order."""
    means = [sum(j * weight for j, weight in enumerate(row)) for row in rows]
    pairs = [(b > a) - (b < a) for n, a in enumerate(means) for b in means[n + 1 :]]
    return sum(pairs) / math.sqrt(len(pairs) * sum(sign != 0 for sign in pairs))


def pointing(rows: Sequence[Row], offset: int) -> float:
    """The share of the rows that have a key at this distance whose largest weight lies there."""
    hits = [row[i + offset] == max(row) for i, row in enumerate(rows) if 0 <= i + offset < len(rows)]
    return sum(hits) / len(hits)


def layers_of_wall(count: int) -> list[Account]:
    rows = [[fact(layer)] for layer in range(count)]
    return [Account("wall-layer", rows, "aria-label"), Account("wall-layer", rows, "title")]


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
    count = fact(LAYERS[kind] * HEADS)
    return [
        Account("wall card-title", [[count]]),
        Account("wall-heads role=group wall-head", heads, "aria-label"),
        *layers_of_wall(LAYERS[kind]),
        Account("wall-heads", [[count]], "aria-label"),
        no_result("detail-foot", "below which weight nothing is drawn"),
        Account("st-key-widget_layer", [[fact(LAYER)]], "value"),
        Account("st-key-widget_head", [[fact(HEAD)]], "value"),
    ]


def of_detail(written: Passed, kind: str, row: int, column: int) -> list[Account]:
    queries, keys = written.queries(kind), written.keys(kind)
    values, name = np.array(written.maps[kind][LAYER][HEAD]), fact(f"{LAYER}.{HEAD}")
    size = fact(len(queries), len(keys))
    return [
        Account("detail card-title", [[name]]),
        Account("detail picture", [[name, size]], every=True),
        Account(
            "detail readout",
            [
                [
                    fact(queries[row]),
                    name,
                    *named(values[row], keys),
                    name,
                    fact(keys[column]),
                    *by_columns(values[:, column], queries),
                ]
            ],
        ),
    ]


# -- contributions --------------------------------------------------------------------------------------------


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


def lengths_named(row: Row, labels: Sequence[str]) -> list[Fact]:
    order = sorted(range(len(row)), key=lambda place: -row[place])[:3]
    return [
        fact(labels[place], float(row[place]))
        for n, place in enumerate(order)
        if n == 0 or row[place] >= 0.1 * row[order[0]]
    ]


def three_of(row: Row, labels: Sequence[str]) -> list[Fact]:
    """The three largest shares of a row with their words, those below 5 % left out."""
    order = sorted(range(len(row)), key=lambda place: -row[place])[:3]
    return [
        (*fact(labels[place]), share(row[place]))
        for n, place in enumerate(order)
        if n == 0 or row[place] >= 0.05
    ]


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
        Account("st-key-widget_head", [[fact(HEAD)]], "value"),
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
        Account("st-key-widget_layer", [[fact(LAYER)]], "value"),
        no_result("detail-foot", "below which weight nothing is drawn"),
        no_result("compare", "the rollout beside its null is that of test_golden_contributions"),
        *(of_split(values, queries) if measure == "alti" and kind == "cross" else []),
        Account("detail card-title", [[name]]),
        Account("detail picture", [[name, fact(len(queries), len(keys))]], every=True),
        Account("detail readout", [[fact(queries[row]), name, *told]]),
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


# -- heads ----------------------------------------------------------------------------------------------------


def scores_of(rows: np.ndarray, sizes: np.ndarray) -> dict[str, float]:
    """The scores of an encoder's head on a sentence whose last token, the end, is its only sink; `sizes` are ‖f(x)‖."""
    count = len(rows)
    arrives = rows * sizes
    left = rows[:, :-1].sum(axis=1, keepdims=True)
    plain = np.where(left < 0.05, 0.0, rows[:, :-1] / left)
    return {
        "previous": sum(rows[i, i - 1] for i in range(1, count)) / (count - 1),
        "next": sum(rows[i, i + 1] for i in range(count - 1)) / (count - 1),
        "sinks": rows[:, -1].mean(),
        "entropy": entropy(rows.tolist()) / math.log(count),
        "arrives": (arrives[:, -1] / arrives.sum(axis=1)).mean(),
        "size": sizes[-1] / sizes[:-1].mean(),
        "plain entropy": entropy(plain.tolist()) / math.log(count - 1),
        "diagonality": diagonality(rows.tolist()),
        "plain diagonality": diagonality(plain.tolist()),
        "plain previous": sum(plain[i, i - 1] for i in range(1, count)) / (count - 1),
    }


@pytest.fixture(scope="module")
def corpus(naive: Naive) -> list[list[list[dict[str, float]]]]:
    """The scores of every sentence, layer and head of the encoder."""
    found = []
    for text in CORPUS:
        parts = Contributions(naive, naive.translate(text))
        rows = [
            [
                scores_of(np.array(heads[head]), parts.lengths("encoder", layer, head)[0] / heads[head][0])
                for head in range(HEADS)
            ]
            for layer, heads in enumerate(parts.passed.maps["encoder"])
        ]
        found.append(rows)
    return found


COLUMNS = ("previous", "next", "sinks")


def test_heads_over_a_corpus(
    visit: Visit, written: Passed, corpus: list[list[list[dict[str, float]]]]
) -> None:
    def of(layer: int, head: int, score: str) -> np.ndarray:
        return np.array([sentence[layer][head][score] for sentence in corpus])

    places = [(layer, head) for layer in range(ENCODER_LAYERS) for head in range(HEADS)]
    # A head whose part of a row and whose part of what arrives are not the same.
    opened = max(places, key=lambda at: abs(of(*at, "sinks").mean() - of(*at, "arrives").mean()))
    page = visit_golden(visit, "heads", kind="encoder", layer=str(opened[0]), head=str(opened[1]))
    page.locator(".compare .compare-pane").nth(1).wait_for()
    name, told, shown = fact(f"{opened[0]}.{opened[1]}"), [], []
    for at in places:
        for score in COLUMNS:
            values = of(*at, score)
            low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
            told.append([fact(values.mean(), values.std(), middle), (*fact(5), share(0.95)), fact(low, high)])
            shown.append([fact(values.mean())])
    entropies = of(*opened, "entropy")
    count, far = len(CORPUS), np.abs(entropies - entropies.mean()).round(6)
    typical, extreme = int(far.argmin()), int(far.argmax())
    sides = [(entropies[n], len(CORPUS[n].split()) + 1) for n in (typical, extreme)]
    sums = [of(*opened, score).mean() for score in ("sinks", "arrives", "size")]
    pairs = [
        fact(*(of(*opened, f"{plain}{score}").mean() for plain in ("", "plain ")))
        for score in ("entropy", "diagonality", "previous")
    ]
    assert abs(sums[0] - sums[1]) > 0.015
    whole = [fact((2 * DECODER_LAYERS + ENCODER_LAYERS) * HEADS), fact(count)]
    account(
        page,
        *furniture(written, header=False),
        Account("atlas-card card-title", [whole]),
        Account("atlas-maps", [whole], "aria-label"),
        no_result("atlas-fields", "the layers that can be listed alone"),
        no_result("atlas-about", "what the score in hand is"),
        Account("atlas-heads th", [[fact(f"{layer}.{head}")] for layer, head in places], "aria-label"),
        Account("atlas-heads th", [[fact(f"{layer}.{head}")] for layer, head in places], "text"),
        Account("atlas-heads score", told, "title"),
        Account("atlas-heads score", shown, "text"),
        Account(
            "atlas-card readout",
            [[name, fact(of(*opened, "previous").mean(), of(*opened, "previous").std()), fact(count)]],
        ),
        Account("st-key-card_open_head atlas-title", [[name]]),
        Account(
            "st-key-card_open_head atlas-readout",
            [[(*fact(END), share(sums[0]), share(sums[1]), *fact(sums[2])), *pairs]],
        ),
        Account("compare card-title", [[name]]),
        Account("compare card-subtitle", [[fact(entropies.mean()), fact(count)]]),
        Account("compare-title", [[fact(value)] for value, _ in sides]),
        Account("compare picture", [[fact(value), fact(size, size)] for value, size in sides]),
    )


# -- two models -----------------------------------------------------------------------------------------------


def test_compare_two_models(visit: Visit, written: Passed) -> None:
    """The second model is the shipped one; its map comes from the core, which agrees with independent code."""
    import core

    other = "en-fr"
    page = visit_golden(
        visit, "compare", versus="checkpoint", other_checkpoint=other, kind="cross", layer="1", head="0"
    )
    page.locator(".compare-pane").nth(1).wait_for()
    trace = core.trace(core.load(ROOT / "checkpoints" / other, device="cpu"), TEXT)
    maps = {
        NAME: np.array(written.maps["cross"][1][0]),
        other: trace.stacked("decoder", "cross", "weights")[1][0],
    }
    sure = {name: float(values.max(axis=-1).mean()) for name, values in maps.items()}
    more, less = sorted(sure, key=lambda name: -sure[name])
    account(
        page,
        *furniture(written),
        no_result("st-key-compare_options", "which two are compared, as the maps below are named", "value"),
        Account(
            "compare card-title",
            [[fact("1.0"), (*fact(more), share(sure[more])), (*fact(less), share(sure[less]))]],
        ),
        Account("compare-title", [[fact(name)] for name in maps]),
        Account("compare-pane picture", [[fact(name), fact(*values.shape)] for name, values in maps.items()]),
    )


# -- colours --------------------------------------------------------------------------------------------------


def rgb(colour: str) -> tuple[int, ...]:
    """Of "#rrggbb" or "rgb(r, g, b)"."""
    if colour.startswith("#"):
        return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return tuple(int(float(number)) for number in re.findall(r"[\d.]+", colour)[:3])


RISE, FALL = (rgb(getattr(PALETTES["light"], name)) for name in ("positive", "negative"))


def drawn_colours(page: Page, chart: str, wish: str, what: str) -> list[tuple[int, ...]]:
    found = page.locator(f".st-key-chart_{chart} .js-plotly-plot").evaluate(
        "(plot, [wish, what]) => [...plot.querySelectorAll(wish)].map((each) => getComputedStyle(each)[what])",
        [wish, what],
    )
    return [rgb(colour) for colour in found]


def test_rises_and_falls_have_their_own_colours(visit: Visit, written: Passed) -> None:
    assert RISE[0] > RISE[2] and FALL[2] > FALL[0], "red above, blue below"
    page = visit_golden(visit, "what_if", edits=f"zc{LAYER}-{HEAD}")
    for chart in ("what_if_words", "why_source", "why_prefix"):
        page.locator(f".st-key-chart_{chart} .js-plotly-plot .main-svg").first.wait_for()
    ids = ids_of(written)
    after = without_head("cross", LAYER, HEAD).run(encode(TEXT), ids)
    changes = np.exp(logs(after, ids)) - np.exp(logs(written, ids))
    lines = drawn_colours(page, "what_if_words", ".scatterlayer .js-line", "stroke")
    assert len(lines) == len(ids)
    assert {change > 0 for change in changes if abs(change) > 0.006} == {True, False}, "some rise, some fall"
    for colour, change in zip(lines, changes, strict=True):
        if abs(change) > 0.006:
            assert colour == (RISE if change > 0 else FALL), (change, colour)
        else:
            assert colour not in (RISE, FALL)
    for side, effects in effects_of(written).items():
        bars = drawn_colours(page, f"why_{side}", ".bars .point path", "fill")
        assert len(bars) == len(effects)
        for colour, effect in zip(bars, effects, strict=True):
            if abs(effect) > 1e-3:
                assert colour == (RISE if effect > 0 else FALL), (side, effect)


def test_the_difference_of_two_maps_is_red_where_the_second_is_larger(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(visit, "compare", kind="cross", layer="1", head="0", against="2.1")
    page.locator(".compare-pane").nth(2).wait_for()
    change = np.array(written.maps["cross"][2][1]) - np.array(written.maps["cross"][1][0])
    root = ElementTree.parse(menu_file(page, ".compare", "svg", tmp_path)).getroot()
    cells = [each.attrib for each in root.iter("{http://www.w3.org/2000/svg}rect") if "rx" in each.attrib]
    assert len(cells) >= 3 * change.size
    across, down = (sorted({float(each[side]) for each in cells[: 3 * change.size]}) for side in "xy")
    assert len(across) == 3 * change.shape[1] and len(down) == change.shape[0]
    fills = {(float(each["x"]), float(each["y"])): rgb(each["fill"]) for each in cells}
    seen = set()
    for (i, j), value in np.ndenumerate(change):
        if abs(value) > 0.3:
            red, _, blue = fills[across[2 * change.shape[1] + j], down[i]]
            assert (red > blue) == (value > 0), (written.written[i], written.source[j])
            seen.add(red > blue)
    assert seen == {True, False}


# -- translate ------------------------------------------------------------------------------------------------

BARS = 12


def test_translate_once_all_is_written(
    visit: Visit, naive: Naive, written: Passed, parts: Contributions
) -> None:
    page = visit_golden(visit)
    page.locator(".strip-lines p").nth(1).wait_for()
    ids, steps = ids_of(written), len(written.written)
    likely = float(logs(written, ids).sum())
    gains = [without(naive, TEXT, place, ids) - likely for place in range(len(written.source) - 1)]
    missing = [written.source[place] for place in np.argsort(gains)[::-1] if gains[place] >= 1][:3]
    from_source = float(parts.alti_plus()[:, : len(written.source)].sum(axis=1).mean())
    rest = 1 - round(from_source, 2)  # the two that are shown together make a whole
    mean = np.array(written.maps["cross"]).mean(axis=(0, 1))
    chances = written.probabilities(steps - 1)
    order = sorted(range(len(chances)), key=lambda token: -chances[token])
    bars, others = order[:BARS], order[BARS:]
    labels = [[fact(LABELS[token])] for token in bars]
    every_token = [[fact(word)] for word in (*written.source, *written.written)]
    account(
        page,
        *furniture(written, header=False),
        Account("st-key-widget_sentence", [[fact(*written.source[:-1])]], "value"),
        Account("st-key-widget_example", [[fact(*text.split())] for text in (TEXT, OTHER_TEXT)]),
        Account("stage-text", [[fact(*written.written[:-1])]]),
        Account(
            "strip-lines",
            [
                [(*fact(likely / steps), share(from_source), share(rest))],
                *([[fact(word) for word in missing]] if missing else []),
            ],
        ),
        no_result("strip-told", "what the strip goes by"),
        Account("play-count", [[fact(steps, steps)]]),
        no_result("play keys", "what a key does, what a number is"),
        no_result("stage-settings", "which layers and heads there are to choose from"),
        Account("play-scrub", [[fact(steps)]], "value"),
        Account("lines-row token", every_token, "aria-label"),
        Account("lines-row token", every_token, "text"),
        Account(
            "stage readout",
            [
                [fact(DECODER_LAYERS * HEADS), fact(steps), (share(float(mean.max(axis=1).mean())),), fact(1)]
            ],  # rows sum to 1
        ),
        Account(
            "bars-place bar",
            [[(*fact(LABELS[token]), share(chances[token]))] for token in bars],
            "aria-label",
        ),
        Account("bars-place bar", labels, "title"),
        Account("bars-place bar-word", labels),
        Account("bars-place bar-track", [[(share(chances[token]),)] for token in bars]),
        Account("bars-place rest", [[(*fact(len(others)), share(sum(chances[token] for token in others)))]]),
        Account("heat picture", [[fact(steps, len(written.source))]], every=True),
    )
