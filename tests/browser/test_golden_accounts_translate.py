"""Translate: every number and word of the stage is accounted for."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_contributions import (
    Contributions,
    without,
)
from tests.browser.golden_facts import (
    LABELS,
    furniture,
    ids_of,
    logs,
)
from tests.browser.golden_model import (
    DECODER_LAYERS,
    HEADS,
    OTHER_TEXT,
    TEXT,
    Naive,
    Passed,
)
from tests.browser.golden_reading import visit_golden
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned

BARS = 12


def test_translate_once_all_is_written(visit: Visit, naive: Naive, written: Passed) -> None:
    page = visit_golden(visit)
    page.locator(".strip-lines p").nth(1).wait_for()
    ids, steps = ids_of(written), len(written.written)
    likely = float(logs(written, ids).sum())
    gains = [without(naive, TEXT, place, ids) - likely for place in range(len(written.source) - 1)]
    missing = [written.source[place] for place in np.argsort(gains)[::-1] if gains[place] >= 1][:3]
    from_source = float(
        Contributions(naive, written).alti_plus()[:, : len(written.source)].sum(axis=1).mean()
    )
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
