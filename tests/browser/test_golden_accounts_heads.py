"""Heads and Alignment: every number and word is accounted for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_contributions import Contributions
from tests.browser.golden_facts import END, HEAD, LAYER, furniture, layers_of_wall
from tests.browser.golden_model import CORPUS, DECODER_LAYERS, ENCODER_LAYERS, HEADS, Naive, Passed
from tests.browser.golden_reading import visit_golden
from tests.browser.golden_scores import diagonality, entropy
from tests.browser.looking import Visit
from tests.browser.test_golden_alignment import links_of
from tests.browser.test_golden_alignment import told as rates_of

pytestmark = pytest.mark.turned


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


@pytest.mark.xfail(reason="the words and numbers of the page laid out anew are not read back yet", run=False)
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


# -- alignment ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["writing", "reading"])
@pytest.mark.xfail(reason="the words and numbers of the page laid out anew are not read back yet", run=False)
def test_alignment_of_a_head_with_gold(visit: Visit, written: Passed, step: str) -> None:
    from core.analysis.alignment import Gold
    from ui.heads.alignment.data import marked

    steps = {"writing": "step that writes", "reading": "step that reads"}
    every = written.maps["cross"]
    links = {each: links_of(every[LAYER][HEAD], each) for each in steps}
    mine, other = (sorted(found, key=lambda link: link[1]) for found in links.values())
    sure = {*mine[:2], other[-1]}
    gold = sure, {*sure, mine[2]}
    words = written.source[:-1], written.written[:-1]
    page = visit_golden(
        visit,
        "alignment",
        **{"layer": str(LAYER), "head": str(HEAD), "reading": step},
        gold=marked(Gold(*map(frozenset, gold)), *words),
    )
    page.locator(".st-key-chart_alignment_by_layer .js-plotly-plot").wait_for()
    page.locator(".alignment .readout").wait_for()
    places = [(layer, head) for layer in range(DECODER_LAYERS) for head in range(HEADS)]
    rates = {
        each: {at: rates_of(links_of(every[at[0]][at[1]], each), *gold) for at in places} for each in steps
    }
    found, name = rates[step][LAYER, HEAD], fact(f"{LAYER}.{HEAD}")
    pairs = [
        (words[1][target], words[0][source])
        for some in (sure - links[step], links[step] - gold[1])  # missed, then wrong
        for source, target in sorted(some, key=lambda link: link[1])
    ]
    least = min(rates[each][at].aer for each in steps for at in places)
    best = next((each, at) for each in steps for at in places if rates[each][at].aer == least)
    heads = [fact(f"{layer}.{head}") for layer, head in places]
    cells = [
        [one]
        for each in steps
        for rate in [rates[each][LAYER, HEAD]]
        for one in (
            fact(len(links[each])),
            (share(rate.precision),),
            (share(rate.recall),),
            fact(rate.aer),
        )
    ]
    size = fact(*map(len, words[::-1]))
    account(
        page,
        *furniture(written),
        Account("stMain stSelectbox", [[fact(LAYER)], [fact(HEAD)]], "value"),
        Account("alignment card-subtitle", [[fact(steps[step])]]),
        no_result("role=radiogroup", "by which step a word is aligned"),
        Account("alignment card-title", [[name, fact(len(links[step] & sure), len(sure))]]),
        Account("alignment picture", [[size], [size]]),
        Account(
            "alignment readout",
            [[(*fact(found.aer), share(found.precision), share(found.recall)), fact(*sum(pairs, ()))]],
        ),
        Account("wall card-title", [[fact(len(places))]]),
        Account(
            "wall-heads role=group wall-head",
            [
                [fact(*at, rates[step][at].aer, rates[step][at].precision, rates[step][at].recall)]
                for at in places
            ],
        ),
        *layers_of_wall(DECODER_LAYERS),
        Account("wall-heads", [[fact(len(places))]], "aria-label"),
        Account(
            "st-key-card_aer atlas-title",
            [[fact(f"{best[1][0]}.{best[1][1]}", steps[best[0]], rates[best[0]][best[1]].aer)]],
        ),
        Account("st-key-chart_alignment_by_layer", [[each] for each in heads * 2], "customdata"),
        Account("st-key-card_aer atlas-scores th", [[name]]),
        Account("st-key-card_aer atlas-scores td", cells),
    )
