"""The docs' links for a course: each opens, from a cold start, what it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from core.model.hooks import ATTENTION
from tests.browser.conftest import WAIT
from tests.serving import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LINKS = re.findall(r"<http://localhost:8501(/[^>]*)>", (ROOT / "docs" / "screens.md").read_text("utf-8"))
# A link that names no head opens the checkpoint's own, which is a good one whatever model is shipped.
OPENS = json.loads((ROOT / "checkpoints/en-fr/card.json").read_text("utf-8"))["default_heads"]
LIT = {
    "": "cross",
    "positions": "source",
    "layer_norm": "memory",
}  # by page; the Attention page lights its kind


def test_there_are_six() -> None:
    assert len(LINKS) == 6


@pytest.fixture(scope="module")
def tab(chromium: Browser, server: str) -> Iterator[Page]:
    """One tab for all of them; each is opened as a new visit."""
    context = chromium.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    page.set_default_timeout(WAIT)
    yield page
    context.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("link", LINKS)
def test_a_link_opens_what_it_names(tab: Page, server: str, link: str) -> None:
    split = urlsplit(link)
    name, asked = split.path.strip("/"), {key: values[0] for key, values in parse_qs(split.query).items()}
    tab.goto(f"{server}{link}")
    lit = asked.get("kind", LIT.get(name, ""))
    tab.locator(f".map-block[data-kind={lit}][aria-current=true]").wait_for(
        state="attached"
    )  # behind a slide
    if name:
        tab.locator(".atlas-sentence", has_text=asked["text"]).wait_for(state="attached")
    else:
        assert tab.get_by_label("Sentence to translate").input_value() == asked["text"]
        tab.locator(".play-count", has_text=re.compile(rf"^(step )?{asked['step']}\b")).wait_for()
        chosen = [pick.input_value() for pick in tab.locator(".pick").all()]
        assert chosen == [str(OPENS[ATTENTION["cross"].name][each]) for each in ("layer", "head")]
        assert tab.locator(".token.current").count() == 1
    if name == "attention":
        own = OPENS[ATTENTION[asked["kind"]].name]
        layer, head = asked.get("layer", own["layer"]), asked.get("head", own["head"])
        heading = re.compile(rf"^Head {layer}\.{head}\b")
        tab.locator(".detail .card-title", has_text=heading).wait_for(state="attached")
        drawn = tab.locator(".detail .card-subtitle").text_content() or ""
        assert ("−∞ where masked" in drawn) == (asked.get("draw") == "masked"), drawn
    if "sort" in asked:
        best = tab.locator(".wall-head").first.get_attribute("aria-label") or ""
        assert best.startswith(f"Layer {asked['layer']}, head {asked['head']}:"), (
            "the first is the one that is open"
        )
    if "token" in asked:
        nth = int(asked["token"][1:])
        chosen = tab.locator(".st-key-tokens_s button").nth(nth)
        chosen.wait_for(state="attached")  # behind a slide
        assert chosen.get_attribute("data-selected") == "true"
        tab.locator("[data-slide-card] .js-plotly-plot .main-svg").first.wait_for()
    for wrong in ('[data-testid="stException"]', ".atlas-mistake", ".atlas-notice"):
        assert tab.locator(wrong).count() == 0, wrong
