"""What if: every number and word of a change, of why a word was written, and the colours of rise and fall."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.browser.accounting import Account, Fact, Number, account, fact, no_result, share
from tests.browser.golden_contributions import LAYERS
from tests.browser.golden_facts import (
    END,
    FALL,
    HEAD,
    LABELS,
    LAYER,
    RISE,
    compared,
    furniture,
    ids_of,
    logs,
    rgb,
)
from tests.browser.golden_model import (
    DECODER_LAYERS,
    HEADS,
    TEXT,
    WIDTH,
    Naive,
    Passed,
    encode,
)
from tests.browser.golden_reading import visit_golden
from tests.browser.looking import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

OUTPUT = {
    "encoder": "encoder_layers.{}.self_attention.output_proj.weight",
    "causal": "decoder_layers.{}.self_attention.output_proj.weight",
    "cross": "decoder_layers.{}.cross_attention.output_proj.weight",
}


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


def factor(change: float) -> Number:
    """How many times as probable, or how many per cent more or less where that is not twice."""
    times = math.exp(abs(change))
    return Number(times) if times >= 2 else share(times - 1 if change > 0 else 1 - 1 / times)


def best_allowed(passed: Passed, step: int) -> tuple[str, float]:
    """What greedy search writes at a step: neither padding nor the start token."""
    chances = passed.probabilities(step)
    token = max(range(2, len(chances)), key=chances.__getitem__)
    return LABELS[token], chances[token]


def repeated(words: list[str]) -> str:
    """The shortest run of words that stands three times in a row."""
    for size in range(1, len(words) // 3 + 1):
        for start in range(len(words) - 3 * size + 1):
            if words[start : start + size] * 3 == words[start : start + 3 * size]:
                return " ".join(words[start : start + size])
    return ""


def said(log: float) -> str:
    """A probability in whole per cent."""
    assert log > math.log(0.01), "from 1 % on it has no decimals"
    return f"{100 * math.exp(log):.0f}"


def from_to(written: Passed, step: int, before: np.ndarray, after: np.ndarray) -> list[Fact]:
    """A word with its probability before and after; the end token is spelled out, which a title does not count as a word."""
    word = written.written[step]
    return [
        (*(fact(word) if word != END else ()), share(math.exp(before[step])), share(math.exp(after[step])))
    ]


@pytest.mark.parametrize(("off", "rank"), [((1, 2), 0), ((1, 1), 2), ((1, 0), 1)])
def test_what_if_a_head_is_switched_off(
    visit: Visit, written: Passed, off: tuple[int, int], rank: int
) -> None:
    """One without which the words are less than half as probable, a little less, a little more; the head that moved most
    opens by itself, one that others surpass by a link."""
    ids, changed = ids_of(written), without_head("cross", *off)
    after, again = changed.run(encode(TEXT), ids), changed.translate(TEXT)
    before_logs, after_logs = logs(written, ids), logs(after, ids)
    hard = int((after_logs - before_logs).argmin())
    new = [word for word in again.written[:32] if not word.startswith("⟨")]
    changes = again.written != written.written
    assert changes == bool(repeated(new)), "what changes is a text that repeats itself"
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
    page = visit_golden(visit, "what_if", edits=f"zc{off[0]}-{off[1]}", **link)
    page.locator(".st-key-chart_what_if_words .js-plotly-plot .main-svg").first.wait_for()
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
    reads = dict(zip(written.written, written.read, strict=True))[query]
    name, places = f"{off[0]}.{off[1]}", [f"{layer}.{head}" for layer, head in moved]
    rows = [[fact(layer)] for layer in range(DECODER_LAYERS)]
    tiles = [[(*fact(place), share(value))] for place, value in zip(places, moved.values(), strict=True)]
    worst = int((np.exp(before_logs) - np.exp(after_logs)).argmax())
    unlike = [step for step in range(len(ids)) if said(before_logs[step]) != said(after_logs[step])]
    account(
        page,
        *furniture(written),
        Account("st-key-what_if_options", [[fact(len(moved))]], "text"),
        Account("tiles card-title", [[fact(1, len(moved))]]),
        no_result("tiles-choice", "what takes the place of a head"),
        Account("tiles-group role=group tile", tiles, "aria-label"),
        Account("tiles-group role=group tile", tiles, "title"),
        Account("tiles-caption", [[fact(place)] for place in places]),
        Account("tiles-name", rows, "title"),
        Account("tiles-name", rows, "text"),
        Account("tiles-group", rows, "aria-label"),
        Account(
            "st-key-card_verdict atlas-title", [[fact(name), *([fact(repeated(new))] if changes else [])]]
        ),
        Account("atlas-lines-two dd", [[fact(*written.written[:-1])], [fact(*new)]]),
        Account("atlas-verdict", [from_to(written, hard, before_logs, after_logs)]),
        Account("st-key-card_probabilities atlas-title", [from_to(written, worst, before_logs, after_logs)]),
        Account("st-key-chart_what_if_words name=before", every_word, "customdata"),
        Account("st-key-chart_what_if_words name=after", every_word, "customdata"),
        Account(
            "st-key-chart_what_if_words name=before",
            [[fact(100 * math.exp(value))] for value in before_logs],
            "text",
        ),
        Account(
            "st-key-chart_what_if_words name=after",
            [[fact(100 * math.exp(after_logs[step]))] for step in unlike],
            "text",
        ),
        Account(
            "st-key-card_probabilities atlas-readout",
            [
                [
                    fact(float(before_logs.sum()), float(after_logs.sum())),
                    (factor(float(after_logs.sum() - before_logs.sum())),),
                ]
            ],
        ),
        Account("react-aria-ComboBox", [[fact(f"{most[0]}.{most[1]}")]], "value"),
        Account("compare card-title", [[fact(f"{most[0]}.{most[1]}")]]),
        Account(
            "compare card-subtitle",
            [[(share(moved[most]),), *([fact(rank + 1, len(moved))] if rank else [])]],
        ),
        Account("compare-pane picture", [[size]] * 3),
        Account(
            "compare readout", [[fact(reads, query, key), (share(one), share(two)), fact(100 * (two - one))]]
        ),
    )


WHY_STEP = 3


def test_why_a_word_was_written(visit: Visit, written: Passed) -> None:
    page = visit_golden(visit, "why", step=str(WHY_STEP + 1))
    for chart in ("why_heads", "why_source", "why_prefix"):
        page.locator(f".st-key-chart_{chart} .js-plotly-plot .main-svg").first.wait_for()
    account(page, *furniture(written), *of_why(written))
    for side, effects in effects_of(written).items():
        bars = drawn_colours(page, f"why_{side}", ".bars .point path", "fill")
        assert len(bars) == len(effects)
        for colour, effect in zip(bars, effects, strict=True):
            if abs(effect) > 1e-3:
                assert colour == (RISE if effect > 0 else FALL), (side, effect)


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
    told = [fact(label, math.exp(whole), against), fact(f"{most[1]}.{most[2]}", heads[most])]
    assert words[best] > 0, "a source word speaks for the written one"
    told.append(fact(written.source[best], words[best]))
    pair = (against, label) if words[best] > whole > 0 else (label, against)
    return [
        Account("st-key-card_why atlas-title", [[fact(written.source[best], *pair)]]),
        Account("st-key-widget_why_step", [[fact(step + 1, label)]], "value"),
        Account(f"st-key-widget_why_other_{step}", [[(*fact(against), share(chances[other]))]], "value"),
        Account(
            "st-key-chart_why_heads", [[fact(f"{layer}.{head}")] for _, layer, head in largest], "customdata"
        ),
        Account("st-key-chart_why_heads name=trace", [[fact(heads[place])] for place in largest], "text"),
        Account("st-key-chart_why_source", [[fact(word)] for word in written.source], "customdata"),
        Account("st-key-chart_why_source name=trace", [[fact(value)] for value in words], "text"),
        Account("st-key-chart_why_prefix", [[fact(word)] for word in written.read[:step]], "customdata"),
        Account("st-key-chart_why_prefix name=trace", [[fact(value)] for value in prefix], "text"),
        Account("st-key-card_why atlas-readout", [told]),
    ]


def drawn_colours(page: Page, chart: str, wish: str, what: str) -> list[tuple[int, ...]]:
    found = page.locator(f".st-key-chart_{chart} .js-plotly-plot").evaluate(
        "(plot, [wish, what]) => [...plot.querySelectorAll(wish)].map((each) => getComputedStyle(each)[what])",
        [wish, what],
    )
    return [rgb(colour) for colour in found]


def test_rises_and_falls_have_their_own_colours(visit: Visit, written: Passed) -> None:
    assert RISE[0] > RISE[2] and FALL[2] > FALL[0], "red above, blue below"
    page = visit_golden(visit, "what_if", edits=f"zc{LAYER}-{HEAD}")
    page.locator(".st-key-chart_what_if_words .js-plotly-plot .main-svg").first.wait_for()
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
