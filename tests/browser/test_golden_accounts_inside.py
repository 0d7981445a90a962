"""Lenses, Positions, Layer norm and Inside a head: every number and word is accounted for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_contributions import depths, read_off, rungs
from tests.browser.golden_facts import END, HEAD, LABELS, LAYER, cosine_apart, furniture, ids_of
from tests.browser.golden_model import (
    DECODER_LAYERS,
    ENCODER_LAYERS,
    HEADS,
    TARGET,
    TEXT,
    WIDTH,
    Naive,
    Passed,
    encode,
    parameters,
    place_vector,
)
from tests.browser.golden_reading import visit_golden
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned


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


class Swapped(Naive):
    """The model with two source tokens at each other's positions."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__()
        self.swapped = (one, other)

    def positions(self, side: str, count: int) -> np.ndarray:
        table = np.asarray(super().positions(side, count))
        if side == "source":
            table[list(self.swapped)] = table[list(self.swapped[::-1])]
        return table


class Unnormed(Naive):
    """The model whose norms give back what goes in."""

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        return x


def of_swap(written: Passed, token: int) -> list[Account]:
    """A token at the position of the one whose place costs the translation most, its end token left out."""
    ids, words = ids_of(written), written.source

    def log_of(passed: Passed) -> float:
        return sum(math.log(passed.probabilities(step)[each]) for step, each in enumerate(ids))

    others = [place for place in range(len(words) - 1) if place != token]
    costs = {place: log_of(Swapped(token, place).run(encode(TEXT), ids)) for place in others}
    other = min(costs, key=costs.__getitem__)
    times = math.exp(log_of(written) - costs[other])
    assert 1 < times < 10, "less likely, told with one decimal"
    before, after = written.written[:-1], Swapped(token, other).translate(TEXT).written
    after = after[: after.index(END)] if END in after else after
    longer = max(len(before), len(after))
    places = [other if n == token else token if n == other else n for n in range(len(words))]
    first, second = sorted((token, other))
    return [
        Account(
            "st-key-card_swap atlas-title",
            [[fact(words[first], words[second], longer - in_common(before, after), longer)]],
        ),
        Account("st-key-card_swap atlas-subtitle", [[fact(WIDTH)]]),
        Account("st-key-card_swap atlas-swap bdi", [[fact(word)] for word in words]),
        Account(
            "st-key-card_swap atlas-swap span",
            [[fact(n, place) if n != place else fact(n)] for n, place in enumerate(places)],
        ),
        Account("st-key-card_swap atlas-lines-two dd", [[fact(*before)], [fact(*after)]]),
        Account(
            "st-key-card_swap role=combobox",
            [[fact(words[token], token)], [fact(words[other], other)]],
            "value",
        ),
        Account("st-key-card_swap atlas-quiet", [[fact(times)]]),
    ]


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
    row, following = place_vector(token), place_vector(token + 1)
    norm = math.sqrt(sum(value**2 for value in row))
    apart = sum(abs(a - b) > 0.1 for a, b in zip(row, following, strict=True))
    turned = math.degrees(2 * math.pi * on / waves[pair])
    account(
        page,
        *furniture(written),
        *of_swap(written, token),
        Account("st-key-card_table atlas-title", [[fact(one, token, apart, WIDTH, token + 1, 0.1)]]),
        Account("st-key-card_table atlas-subtitle", [[fact(pair)]]),
        Account("st-key-widget_token_s", every),
        Account("st-key-card_table atlas-readout", [[fact(norm), fact(2), fact(math.sqrt(WIDTH))]]),
        Account("st-key-card_rotation atlas-title", [[fact(on, pair, turned)]]),
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
        Account("st-key-card_rotation atlas-readout", [[fact(one, two, pair, turned)]]),
        no_result("st-key-card_comparison", "what a learned table would do; the paper's own number"),
        Account("st-key-chart_position_waves name=trace", every * 6, "text"),
        Account("annotation-text", [[fact(each, waves[each])] for each in range(6)], "text"),
        Account("st-key-card_waves atlas-title", [[fact(0, waves[0], WIDTH // 2 - 1, waves[-1])]]),
        Account("st-key-card_waves atlas-readout", [[fact(pair, waves[pair])]]),
        Account("st-key-card_similarity atlas-title", [[fact(on, cosine_apart(on))]]),
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


@pytest.mark.parametrize(("token", "place"), [("t2", ("decoder", 1, "cross")), ("s4", ("encoder", 0, "ffn"))])
def test_layer_norm_of_a_token(
    visit: Visit, written: Passed, token: str, place: tuple[str, int, str]
) -> None:
    page = visit_golden(visit, "layer_norm", token=token, place=".".join(map(str, place)))
    for chart in (
        "one_norm",
        *(f"norm_{each}" for each in ("growth", "stream", "shares", "before_after", "gains")),
    ):
        page.locator(f".st-key-chart_{chart} .js-plotly-plot .main-svg").first.wait_for()
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
    name = f"{stack}_layers.{place[1]}.{place[2]}_residual.norm"
    gains, shifts = (parameters()[f"{name}.{part}"] for part in ("weight", "bias"))
    entering = written.norms[place][0][at]
    scaled = (entering - entering.mean()) / math.sqrt(entering.var() + 1e-5)
    rows = (entering, scaled, written.norms[place][1][at])
    bounds = [float(max(abs(value) for value in row)) for row in (rows[0], rows[2])]
    unnormed = Unnormed().run(encode(TEXT), ids_of(written))
    longer = size(unnormed.norms[places[-1]][1][at])
    assert 10 < longer < 100, "told without decimals"
    free = Unnormed().translate(TEXT).written[: len(written.written)]
    free = free[: free.index(END)] if END in free else free
    assert np.all(np.abs(gains - gains.mean()) < 3 * gains.std())
    account(
        page,
        *furniture(written),
        Account("st-key-card_one_norm atlas-title", [[fact(word, WIDTH, *bounds)]]),
        Account(
            "st-key-chart_one_norm annotation-text",
            [[fact(float(row.mean()), float(row.std()))] for row in rows],
            "text",
        ),
        Account("st-key-card_one_norm atlas-readout", [[fact(place[1])]]),
        Account("st-key-card_growth atlas-title", [[fact(word, longer, last)]]),
        Account("st-key-chart_norm_growth annotation-text", [[fact(longer)], [fact(last)]], "text"),
        Account("st-key-card_growth atlas-readout", [[fact(*free)]]),
        Account("st-key-card_token atlas-title", [[fact(word)]]),
        no_result("st-key-card_token atlas-subtitle", "which tokens can be picked"),
        Account("st-key-widget_token_s", [[fact(each)] for each in written.source]),
        Account("st-key-widget_token_t", [[fact(each)] for each in written.read]),
        Account("st-key-card_stream atlas-title", [[fact(word)]]),
        Account("st-key-card_stream atlas-readout", [[fact(word), fact(first, last)]]),
        Account("st-key-chart_norm_shares name=trace", [[fact(value)] for value in ratios], "text"),
        Account("st-key-card_shares atlas-title", [[fact(places[most][1], word, float(ratios[most]))]]),
        Account("st-key-card_shares atlas-readout", [[fact(float(cosines[most]))]]),
        Account("st-key-card_norms atlas-title", [[fact(word)]]),
        Account(
            "st-key-card_norms atlas-readout",
            [[fact(word), fact(places[norm][1]), fact(dev_before, dev_after, mean_before, mean_after)]],
        ),
        Account(
            "st-key-card_gains atlas-title",
            [
                [
                    fact(
                        place[1],
                        *(float(each) for part in (gains, shifts) for each in (part.min(), part.max())),
                    )
                ]
            ],
        ),
        Account("st-key-card_gains atlas-subtitle", [[fact(WIDTH)]]),
        Account("st-key-widget_place", [[fact(place[1])]], "value"),
        # Three deviations, |h| of 6, 6 % of the tokens: what standing out means.
        Account("st-key-card_gains atlas-readout", [[fact(3), fact(6), (share(0.06),)]]),
    )


# -- inside a head --------------------------------------------------------------------------------------------


def test_the_terms_of_one_number_inside_a_head(visit: Visit, written: Passed) -> None:
    """A score, as the sum of eight products: the query of one row and the key of one column, number by number."""
    query, key, size = 4, 2, WIDTH // HEADS
    page = visit_golden(
        visit,
        "inside",
        **{"kind": "cross", "layer": str(LAYER), "head": str(HEAD), "token": "t3"},
        **{"card": "products", "number": f"{query}.{key}"},
    )
    page.locator(".why:visible .why-terms li").nth(size - 1).wait_for()
    p, name = parameters(), f"decoder_layers.{LAYER}.cross_attention"
    stream = written.sublayers[("decoder", LAYER, "cross")][0][query]
    memory = written.norms[("encoder", ENCODER_LAYERS - 1, "ffn")][1][key]
    own = slice(HEAD * size, (HEAD + 1) * size)
    q, k = (
        (p[f"{name}.{part}_proj.weight"].astype(float) @ vector + p[f"{name}.{part}_proj.bias"])[own]
        for part, vector in (("q", stream), ("k", memory))
    )
    total, words = float(q @ k), (written.read[query], written.source[key])
    scores = np.array(written.scores["cross"][LAYER][HEAD]) * math.sqrt(size)
    assert math.isclose(scores[query, key], total, rel_tol=1e-9)
    order = sorted(range(size), key=lambda n: -abs(q[n] * k[n]))
    shape = fact(len(written.read), len(written.source))
    mine, columns = fact(HEAD), fact(HEAD, HEAD * size, (HEAD + 1) * size - 1)
    told = [fact(*words), fact(total)]
    account(
        page,
        *furniture(written),
        Account("st-key-widget_head", [[fact(f"{LAYER}.{HEAD}")]], "value"),
        Account("st-key-widget_row", [[fact(written.read[3], written.written[3])]], "value"),
        Account("inside-title", [[fact(f"{LAYER}.{HEAD}"), fact(written.read[3], written.written[3])]]),
        Account(
            "flow-step",
            [
                *([fact(WIDTH)], [fact("10000")], [fact(LAYER)], [fact(ENCODER_LAYERS - 1)]),
                *([columns] for _ in "qkv"),
                *([fact(size)], [fact(0)], [mine], [fact(0, HEADS - 1)], [fact(DECODER_LAYERS - 1)]),
            ],
            "title",
        ),
        Account("flow-step", [[mine]] * 4, "aria-label"),
        Account("inside-card card-subtitle", [[mine]]),
        Account("inside-cells", [[shape, *told]], "aria-label"),
        Account("inside-card foot picture", [[fact(float(np.abs(scores).max()))]]),
        Account("inside-shape", [[fact(HEADS), shape, mine]]),
        Account("why-question", [told]),
        Account("why-formula", [[fact(query, key, query, key)]]),
        Account("why-picture picture", [[fact(size), fact(total)]], "aria-label"),
        Account("why-value", [[fact(total)]]),
        Account("why-step", [[fact(size), fact(total)]]),
        Account("why-name", [[fact(n)] for n in order]),
        Account("why-product", [[fact(float(q[n]), float(k[n]))] for n in order]),
        Account("why-number", [[fact(float(q[n] * k[n]))] for n in order]),
        Account("inside-card readout", [told]),
        no_result("inside-turning", "which operation is before and after"),
    )
