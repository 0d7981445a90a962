"""Every tab of every place against axe-core, light, dark and on a phone: nothing serious or critical, nothing that scrolls sideways."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.browser.looking import Visit
from ui.app.navigation import FRONT, PLACES
from ui.session.selection import Selection
from ui.session.state import to_params

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned

AXE: Final = Path(__file__).parents[2] / "ui/web/node_modules/axe-core/axe.min.js"
TABS: Final = {
    f"{place.name}-{tab.title}": (
        "" if tab.page == FRONT else tab.page,
        to_params(Selection().changed(**tab.opening(Selection(kind="joint")))),
    )
    for place in PLACES
    for tab in place.tabs
}
"""The address of each tab: its page and its parameters."""
SHOWN: Final = ".stage-root > *:visible, [class*='st-key-card_']:visible"
"""A view or a card: the places of Models have no view."""
_FINDINGS: Final = """async (only) => {
  const rules = only.length ? { runOnly: { type: 'rule', values: only } } : {};
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...rules });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html.slice(0, 140)}`));
}"""


def findings(page: Page, screen: str, *only: str) -> list[str]:
    """What axe calls serious or critical on the page once it rests, a line each; `only` by these rules."""
    page.wait_for_timeout(300)  # figures draw themselves after the page; what is found is looked at again
    listed: list[str] = page.evaluate(_FINDINGS, only)
    for _ in range(4):  # on a busy machine they may still be in the colours of before
        if not listed:
            break
        page.wait_for_timeout(1000)
        listed = page.evaluate(_FINDINGS, only)
    wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    sideways = [f"the page scrolls {wider} pixels sideways"] if wider > 1 else []
    return [f"{screen}: {line}" for line in (*listed, *sideways)]


@pytest.mark.sampled(1)
@pytest.mark.skipif(not AXE.exists(), reason="axe-core comes with `npm ci` in ui/web")
@pytest.mark.parametrize("tab", TABS)
def test_a_tab_has_no_serious_finding(visit: Visit, tab: str) -> None:
    address, params = TABS[tab]
    page = visit(address, shows=SHOWN, **params)
    page.locator(SHOWN).last.wait_for()
    page.evaluate(AXE.read_text("utf-8"))
    found = findings(page, "light")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1024, "height": 1010})
    found += findings(page, "dark", "color-contrast")
    page.set_viewport_size({"width": 390, "height": 844})
    assert found + findings(page, "dark, on a phone") == []
