"""Compare: every number and word of two heads, steps, sentences and models, and the colours of their difference."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_facts import (
    ROOT,
    compared,
    furniture,
    rgb,
)
from tests.browser.golden_model import (
    NAME,
    TEXT,
    Passed,
)
from tests.browser.golden_reading import menu_file, visit_golden
from tests.browser.looking import Visit

pytestmark = pytest.mark.turned


def test_compare_two_heads(visit: Visit, written: Passed) -> None:
    page = visit_golden(visit, "compare", kind="cross", layer="1", head="0", against="2.1")
    page.locator(".compare-pane").nth(2).wait_for()
    first, second = (np.array(written.maps["cross"][a][b]) for a, b in ((1, 0), (2, 1)))
    query, key, one, two = compared(written.written, written.source, first, second)
    more, less = ("1.0", "2.1") if one > two else ("2.1", "1.0")
    size = fact(len(written.written), len(written.source))
    account(
        page,
        *furniture(written),
        Account("st-key-widget_compare_first", [[fact("1.0")]], "value"),
        Account("st-key-widget_compare_second", [[fact("2.1")]], "value"),
        Account("compare card-title", [[fact(more, key, 100 * abs(one - two), less, query)]]),
        Account("compare-title", [[fact("1.0")], [fact("2.1")], [fact("2.1", "1.0")]]),
        Account(
            "compare-pane picture", [[fact("1.0"), size], [fact("2.1"), size], [fact("2.1", "1.0"), size]]
        ),
        Account(
            "compare readout",
            [
                [
                    fact(query, key),
                    (share(one), *fact("1.0")),
                    (share(two), *fact("2.1")),
                    fact(100 * (two - one)),
                ]
            ],
        ),
    )


def test_compare_two_models(visit: Visit, written: Passed) -> None:
    """The second model is the shipped one; its map comes from the core, which agrees with independent code."""
    import core

    other = "en-fr"
    page = visit_golden(
        visit, "compare", versus="checkpoint", other_checkpoint=other, kind="cross", layer="1", head="0"
    )
    page.locator(".compare-pane").nth(1).wait_for()
    trace = core.trace(core.load(ROOT / "checkpoints" / other, device="cpu"), TEXT)
    maps = {
        NAME: np.array(written.maps["cross"][1][0]),
        other: trace.stacked("decoder", "cross", "weights")[1][0],
    }
    sure = {name: float(values.max(axis=-1).mean()) for name, values in maps.items()}
    more, less = sorted(sure, key=lambda name: -sure[name])
    account(
        page,
        *furniture(written),
        no_result("st-key-compare_options", "which two are compared, as the maps below are named", "value"),
        Account(
            "compare card-title",
            [[fact("1.0"), (*fact(more), share(sure[more])), (*fact(less), share(sure[less]))]],
        ),
        Account("compare-title", [[fact(name)] for name in maps]),
        Account("compare-pane picture", [[fact(name), fact(*values.shape)] for name, values in maps.items()]),
    )


def test_the_difference_of_two_maps_is_red_where_the_second_is_larger(
    visit: Visit, written: Passed, tmp_path: Path
) -> None:
    page = visit_golden(visit, "compare", kind="cross", layer="1", head="0", against="2.1")
    page.locator(".compare-pane").nth(2).wait_for()
    change = np.array(written.maps["cross"][2][1]) - np.array(written.maps["cross"][1][0])
    root = ElementTree.parse(menu_file(page, ".compare", "svg", tmp_path)).getroot()
    cells = [each.attrib for each in root.iter("{http://www.w3.org/2000/svg}rect") if "rx" in each.attrib]
    assert len(cells) >= 3 * change.size
    across, down = (sorted({float(each[side]) for each in cells[: 3 * change.size]}) for side in "xy")
    assert len(across) == 3 * change.shape[1] and len(down) == change.shape[0]
    fills = {(float(each["x"]), float(each["y"])): rgb(each["fill"]) for each in cells}
    seen = set()
    for (i, j), value in np.ndenumerate(change):
        if abs(value) > 0.3:
            red, _, blue = fills[across[2 * change.shape[1] + j], down[i]]
            assert (red > blue) == (value > 0), (written.written[i], written.source[j])
            seen.add(red > blue)
    assert seen == {True, False}
