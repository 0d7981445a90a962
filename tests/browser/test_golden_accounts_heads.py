"""Heads and Alignment: every number and word is accounted for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_contributions import (
    Contributions,
)
from tests.browser.golden_facts import (
    END,
    furniture,
)
from tests.browser.golden_model import (
    CORPUS,
    DECODER_LAYERS,
    ENCODER_LAYERS,
    HEADS,
    Naive,
    Passed,
)
from tests.browser.golden_reading import visit_golden
from tests.browser.golden_scores import diagonality, entropy
from tests.browser.looking import Visit

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
