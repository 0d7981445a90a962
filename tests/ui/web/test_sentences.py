"""Names of tokens are written alike in titles (Python) and in the sentences under the views (browser)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis.readout import key_names
from tests.browser_code import code_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LABELS = (
    ["the", "dog", "the", "⟨end⟩", "⟨start⟩", "⟨pad⟩", "⟨unk⟩", "⟨x⟩", "⟨prefix⟩", "⟨source⟩"],
    ["كلب", "הכלב", "ދިވެހި", "dog كلب", "١٢", "12", "ߒߞߏ", "𞤀𞤣"],
    ["<b>", "▁x", "", " ", "“", "a\u2068b", "𝄞", "a", "a", "a"],
)


@pytest.mark.browser
def test_the_browser_names_tokens_as_core_does(chromium: Browser) -> None:
    code, module = code_of("maps/sentence.ts")
    script = f"""(lists) => {{
    {code}
    const words = (part) => (typeof part === 'string' ? part : part.strong);
    return lists.map((labels) => {{
      const names = {module}.keyNames(labels);
      return labels.map((_, j) => names(j).map(words).join(''));
    }});
    }}"""
    page = chromium.new_page()
    found = page.evaluate(script, [list(labels) for labels in LABELS])
    page.close()
    assert found == [key_names(labels) for labels in LABELS]
