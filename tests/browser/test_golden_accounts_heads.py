"""Heads and Alignment: every number and word is accounted for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_contributions import LAYERS, Contributions
from tests.browser.golden_facts import END, HEAD, LABELS, LAYER, furniture, layers_of_wall, logs
from tests.browser.golden_model import (
    CORPUS,
    DECODER_LAYERS,
    ENCODER_LAYERS,
    HEADS,
    KINDS,
    Naive,
    Passed,
    encode,
)
from tests.browser.golden_reading import visit_golden
from tests.browser.golden_scores import diagonality, entropy, share_at, share_of
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


COLUMNS = ("previous", "next", "sinks", "entropy")
SELF, SOURCE_KEYS, EVERY = {"encoder", "causal"}, {"encoder", "cross"}, set(KINDS)
ROLES = (
    ("alignment", 0.75, {"cross"}),
    ("fed-back alignment", 0.75, {"cross"}),
    ("previous", 0.5, SELF),
    ("next", 0.5, {"encoder"}),
    ("same", 0.5, SELF),
    ("start", 0.5, {"causal"}),
    ("end", 0.5, SOURCE_KEYS),
    ("broad", 0.8, EVERY),
)
"""Score, the mean from which a head has the role, and the kinds that know it, in the order of the page."""
LONGEST = 32  # tokens that the decoder can write
Head = tuple[str, int, int]


def role_scores(kind: str, rows: list[list[float]], needs: dict[int, int]) -> dict[str, float]:
    """What a head's roles go by on one sentence; `needs`: the source word that each written word needs most."""
    keys = len(rows[0])
    found = {"start": share_of(rows, 0), "end": share_of(rows, keys - 1)}
    found["broad"] = sum(
        entropy([row]) / math.log(allowed)
        for t, row in enumerate(rows)
        if (allowed := t + 1 if kind == "causal" else keys) > 1
    ) / len(rows)
    if kind != "cross":
        return found | {name: share_at(rows, at) for name, at in (("previous", -1), ("same", 0), ("next", 1))}
    for name, later in (("alignment", 0), ("fed-back alignment", 1)):
        words = [rows[step + later][:-1] for step in needs]
        hits = [row.index(max(row)) == source for row, source in zip(words, needs.values(), strict=True)]
        found[name] = sum(hits) / len(hits) if hits else math.nan
    return found


def needed(naive: Naive, text: str, passed: Passed) -> dict[int, int]:
    """Step → the source word without which its written word loses most, where that is a nat or more."""
    source, ids = encode(text), [LABELS.index(word) for word in passed.written]
    whole = logs(passed, ids)
    losses = np.array(
        [
            whole - logs(naive.run([*source[:at], *source[at + 1 :]], ids), ids)
            for at in range(len(source) - 1)
        ]
    )
    return {step: int(losses[:, step].argmax()) for step in range(len(ids) - 1) if losses[:, step].max() >= 1}


@pytest.fixture(scope="module")
def roles(naive: Naive) -> dict[Head, list[tuple[int, float, float]]]:
    """The roles of every head: number in ROLES, mean over the sentences, threshold."""
    sentences = []
    for text in CORPUS:
        ids = [LABELS.index(word) for word in naive.translate(text).written]
        passed = naive.run(encode(text), ids[:LONGEST])
        sentences.append((passed, needed(naive, text, passed)))
    found: dict[Head, list[tuple[int, float, float]]] = {}
    for kind in KINDS:
        for layer in range(LAYERS[kind]):
            for head in range(HEADS):
                each = [
                    role_scores(kind, passed.maps[kind][layer][head], needs) for passed, needs in sentences
                ]
                means = {name: float(np.nanmean([one[name] for one in each])) for name in each[0]}
                found[kind, layer, head] = [
                    (number, means[name], threshold)
                    for number, (name, threshold, kinds) in enumerate(ROLES)
                    if kind in kinds and means[name] >= threshold
                ]
    return found


def of_tiles(roles: dict[Head, list[tuple[int, float, float]]]) -> list[Account]:
    """Heads by their first role and kind, the strongest first; then those without one by kind."""
    totals = {kind: LAYERS[kind] * HEADS for kind in KINDS}
    groups: list[list[Head]] = []
    for number in range(len(ROLES)):
        for kind in KINDS:
            those = [head for head, has in roles.items() if head[0] == kind and has and has[0][0] == number]
            groups += [sorted(those, key=lambda head: -roles[head][0][1])] if those else []
    without = [[head for head, has in roles.items() if head[0] == kind and not has] for kind in KINDS]
    listed = [head for group in (*groups, *without) for head in group]
    named = {head: fact(f"{head[1]}.{head[2]}") for head in listed}
    whole = [
        [named[head], *((share(mean), share(least)) for _, mean, least in roles[head])] for head in listed
    ]
    leading = [head for group in groups for head in group]
    count = len(leading)
    assert count and any(without), "both sorts of groups are there"
    return [
        Account("tiles card-title", [[fact(count, len(roles))]]),
        Account("tiles card-subtitle", [[fact(len(CORPUS))]]),
        Account("tile", whole, "aria-label"),
        Account("tile", whole, "title"),
        Account(
            "tiles-caption",
            [part for head in leading for part in ([named[head]], [(share(roles[head][0][1]),)])],
        ),
        Account("tiles-large tiles-head", [[fact(len(group), totals[group[0][0]])] for group in groups]),
        Account("tiles-means", [[fact(len(roles) - count)]]),
        Account("tiles-group", [[fact(len(group))] for group in without if group], "aria-label"),
        Account("tiles-name", [[fact(len(group))] for group in without if group]),
    ]


def test_heads_over_a_corpus(
    visit: Visit,
    written: Passed,
    corpus: list[list[list[dict[str, float]]]],
    roles: dict[Head, list[tuple[int, float, float]]],
) -> None:
    def of(layer: int, head: int, score: str) -> np.ndarray:
        return np.array([sentence[layer][head][score] for sentence in corpus])

    places = [(layer, head) for layer in range(ENCODER_LAYERS) for head in range(HEADS)]
    # A head without a role whose part of a row and whose part of what arrives are not the same.
    plain = [at for at in places if not roles["encoder", *at]]
    opened = max(plain, key=lambda at: abs(of(*at, "sinks").mean() - of(*at, "arrives").mean()))
    link = {"kind": "encoder", "layer": str(opened[0]), "head": str(opened[1]), "every": "1"}
    page = visit_golden(visit, "heads", **link)
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
        *furniture(written),
        *of_tiles(roles),
        Account("stMain stPopoverButton", [[fact(count)]]),
        Account("stPageLink", [[name]]),
        Account("typical picture", [[(*name, *fact(*CORPUS[typical].split()))]]),
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
            "st-key-card_open_head atlas-quiet",
            [[(*fact(END), share(sums[0]), share(sums[1]), *fact(sums[2])), *pairs]],
        ),
        Account("compare card-title", [[name]]),
        Account("compare card-subtitle", [[fact(entropies.mean()), fact(count)]]),
        Account("compare-title", [[fact(value)] for value, _ in sides]),
        Account("compare picture", [[fact(value), fact(size, size)] for value, size in sides]),
    )


# -- alignment ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["writing", "reading"])
def test_alignment_of_a_head_with_gold(visit: Visit, written: Passed, step: str) -> None:
    from core.analysis.alignment import Gold
    from ui.heads.alignment_data import marked

    steps = {"writing": "when predicted", "reading": "when fed back"}
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
    when = {"writing": "predicted", "reading": "fed back"}[step]
    page.get_by_text(f"Largest weight when the word is {when} · words between spaces", exact=True).wait_for()
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
            fact(steps[each]),
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
