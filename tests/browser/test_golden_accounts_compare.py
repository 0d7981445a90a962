"""Compare: every number and word of two heads, steps, sentences and models, and the colours of their difference."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.browser.accounting import Account, account, fact, no_result, share
from tests.browser.golden_facts import ROOT, compared, furniture, rgb
from tests.browser.golden_model import HEADS, NAME, OTHER_TEXT, TEXT, Naive, Passed
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
    read = written.read[written.written.index(query)]
    account(
        page,
        *furniture(written),
        Account("stMain stSelectbox", [[fact("1.0")], [fact("2.1")]], "value"),
        Account("compare card-title", [[fact(more, key, 100 * abs(one - two), less, query)]]),
        Account("compare-title", [[fact("1.0")], [fact("2.1")], [fact("2.1", "1.0")]]),
        Account(
            "compare-pane picture", [[fact("1.0"), size], [fact("2.1"), size], [fact("2.1", "1.0"), size]]
        ),
        Account(
            "compare readout",
            [
                [
                    fact(read, query, key),
                    (share(one), *fact("1.0")),
                    (share(two), *fact("2.1")),
                    fact(100 * (two - one)),
                ]
            ],
        ),
    )


def test_compare_two_steps(visit: Visit, written: Passed) -> None:
    layer, one, other = 1, 2, 5
    page = visit_golden(
        visit, "compare", versus="step", kind="cross", step=str(one), other_step=str(other), layer=str(layer)
    )
    page.locator(".compare-pane").nth(2).wait_for()
    heads = [f"{layer}.{head}" for head in range(HEADS)]
    words = [(written.written[step - 1], step) for step in (one, other)]
    first, second = (
        np.array([written.maps["cross"][layer][head][step - 1] for head in range(HEADS)])
        for step in (one, other)
    )
    head, key, a, b = compared(heads, written.source, first, second)
    more, less = words if a > b else words[::-1]
    both = [fact(*words[0]), fact(*words[1]), fact(*words[1], *words[0])]
    size = fact(HEADS, len(written.source))
    account(
        page,
        *furniture(written),
        Account("st-key-widget_compare_first_step", [[fact(one, words[0][0])]], "value"),
        Account("st-key-widget_compare_second_step", [[fact(other, words[1][0])]], "value"),
        Account("st-key-widget_compare_heads_of", [[fact(layer)]], "value"),
        Account("compare card-title", [[fact(head, key, 100 * abs(a - b), *more, *less)]]),
        Account("compare-title", [[each] for each in both]),
        Account("compare-pane picture", [[each, size] for each in both]),
        Account(
            "compare readout",
            [
                [
                    fact(head, key),
                    (share(a), *fact(*words[0])),
                    (share(b), *fact(*words[1])),
                    fact(100 * (b - a)),
                ]
            ],
        ),
    )


def test_compare_two_sentences(visit: Visit, naive: Naive, written: Passed) -> None:
    layer, head = 2, 0
    page = visit_golden(
        visit,
        "compare",
        versus="sentence",
        kind="cross",
        layer=str(layer),
        head=str(head),
        other_text=OTHER_TEXT,
    )
    page.locator(".compare-pane").nth(1).wait_for()
    both = {"first sentence": written, "second sentence": naive.translate(OTHER_TEXT)}
    sure = {name: np.array(each.maps["cross"][layer][head]).max(axis=1).mean() for name, each in both.items()}
    more, less = sorted(sure, key=lambda name: -sure[name])
    texts = [fact(*each.source[:-1]) for each in both.values()]
    sizes = [fact(len(each.written), len(each.source)) for each in both.values()]
    account(
        page,
        *furniture(written),
        Account("st-key-widget_compare_first_sentence", [[texts[0]]], "value"),
        Account("st-key-widget_compare_second_sentence", [[texts[1]]], "value"),
        no_result("st-key-widget_compare_first_sentence", "which sentence is typed there"),
        no_result("st-key-widget_compare_second_sentence", "which sentence is typed there"),
        Account("st-key-widget_compare_head", [[fact(f"{layer}.{head}")]], "value"),
        Account(
            "compare card-title",
            [[fact(f"{layer}.{head}"), (*fact(more), share(sure[more])), (*fact(less), share(sure[less]))]],
        ),
        Account("compare-title", [[text] for text in texts]),
        Account("compare-pane picture", [[text, size] for text, size in zip(texts, sizes, strict=True)]),
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
