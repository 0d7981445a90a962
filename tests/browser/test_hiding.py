"""Hidden tokens and pinned tokens in a real browser: what is told of every row, and one word on every page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.model.trace import Trace
from tests.browser.looking import params, quiet, ready

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

Visit = Callable[..., "Page"]
HIDDEN = re.compile(
    r"; (\d+ %|less than 1 %) goes to hidden tokens|gives (\d+ %|less than 1 %) to the hidden tokens"
)


def percent(share: float) -> str:
    """A share as the sentences tell it."""
    return "less than 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def opened(page: Page) -> Page:
    page = ready(page)
    page.locator(".detail[data-numbers=exact]").wait_for()
    return page


def test_every_row_tells_what_it_gave_to_hidden_tokens(visit: Visit, tiny_checkpoint: Path) -> None:
    """Against a naive sum over the stored example; the mean of all heads is taken before renormalising."""
    trace = Trace.load(tiny_checkpoint / "example.npz")
    page = opened(visit("attention", kind="encoder", layer="mean", head="mean", hide="1"))
    weights = trace.stacked("encoder", "self", "weights").astype(float)
    layers, heads, length, _ = weights.shape
    page.locator(".detail-heat").focus()
    told = []
    for row in range(length - 1):  # the last one is ⟨end⟩, which is hidden itself
        if row == 0:
            page.keyboard.press("ArrowDown")
            for _ in range(length):
                page.keyboard.press("ArrowUp")
        else:
            page.keyboard.press("ArrowDown")
        page.wait_for_timeout(120)
        said = page.locator(".detail .readout").inner_text().replace("\u00a0", " ")
        found = HIDDEN.search(said)
        assert found, said
        given, kept = 0.0, np.zeros(length - 1)
        for layer in range(layers):
            for head in range(heads):
                given += float(weights[layer, head, row, length - 1])
                kept += weights[layer, head, row, : length - 1]
        assert (found[1] or found[2]) == percent(given / (layers * heads))
        shares = [int(number) for number in re.findall(r"(\d+) %", said[: found.start()])]
        assert shares and shares[0] == int(percent(kept.max() / kept.sum()).split()[0])
        told.append(found[0])
    assert len(set(told)) > 1


@pytest.mark.thorough
def test_a_pinned_word_is_the_same_on_layer_norm(visit: Visit) -> None:
    page = opened(visit("attention", text="I am tired.", kind="cross", layer="0", head="0"))
    heat = page.locator(".detail-heat")
    heat.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_function("() => /token=t/.test(location.search)")
    quiet(page)
    word = re.match(r"Reads .+? → writes “(.*?)”: ", page.locator(".detail .readout").inner_text())
    assert word
    held = params(page)
    assert int(held["token"][1:]) == int(held["pins"][1:]) + 1
    norm = visit("layer_norm", fresh=True, **{name: held[name] for name in ("text", "token")})
    norm.get_by_text("on its way through the decoder").wait_for()
    title = norm.get_by_text("on its way through the decoder").inner_text()
    assert f"“{word[1]}”" in title.replace("\u2068", "").replace("\u2069", "")
