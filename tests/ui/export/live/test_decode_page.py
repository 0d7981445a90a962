"""One decode as a page without a model: small, it asks for nothing, and runs none of its texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import core
from ui.export.live.page import decode_page
from ui.session.selection import Selection
from ui.shared.make_decode import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ATTACK = "</script><script>window.ran=1</script><img src=x onerror='window.ran=1'>"
CHECKPOINTS = Path(__file__).parents[4] / "checkpoints"


def page_of(name: str, text: str) -> str:
    """A page whose model, language names and notes are a stranger's."""
    loaded = core.load(CHECKPOINTS / name, "cpu")
    decode = run(loaded, loaded.source_tokenizer.read(text), Selection(), key=())
    card = {**loaded.card, "source_language": ATTACK, "target_language": ATTACK}
    return decode_page(decode, loaded.config, card, ATTACK, lambda: [ATTACK])


@pytest.mark.thorough
def test_a_long_decode_is_small_and_refers_to_nothing_outside() -> None:
    text = page_of("en-fr", "The man in the red shirt is riding a bike down the street. " * 3)
    assert len(text.encode()) <= 2_500_000
    content = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert not re.search(r"https?://|//cdn|@import", content)
    assert not re.search(r"\b(src|href)=", re.sub(r"<script>.*</script>", "", content, flags=re.DOTALL))
    assert not re.search(r"url\((?!data:)", text)
    assert text.count("<script") == 1, "a text opened an element"
    assert "default-src 'none'" in text and "connect-src 'none'" in text


@pytest.mark.browser
def test_it_opens_offline_and_runs_no_text(tmp_path: Path, chromium: Browser) -> None:
    path = tmp_path / "report.html"
    path.write_text(page_of("dates", "3rd of May, 1979"), "utf-8")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    noted: list[str] = []
    page.on("request", lambda request: noted.append(request.url))
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.goto(path.as_uri())
    page.locator("#detail-cross .detail-heat").wait_for()
    page.locator("#wall-cross .wall-head").nth(3).click()
    page.locator("#detail-cross .card-title", has_text="Head 0.3").wait_for()
    assert page.locator("h1").inner_text() == ATTACK
    assert ATTACK in page.locator("footer").inner_text()
    assert page.locator("#text").count() == 0, "no model, so nothing to type"
    assert page.locator("img").count() == 0
    assert page.evaluate("window.ran") is None
    context.close()
    assert [each for each in noted if not each.startswith("data:font/")] == [path.as_uri()]
