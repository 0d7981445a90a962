"""Which blocks of the strip are lit, and where they lead."""

from __future__ import annotations

import pytest

from ui.app import navigation
from ui.app import navigation as architecture_map
from ui.app.places import FRONT, PAGES
from ui.session.selection import Selection


@pytest.mark.parametrize(
    ("page", "selection", "blocks"),
    [
        ("translate", Selection(), ("cross", "next")),
        ("attention", Selection(kind="joint"), ("encoder", "decoder", "cross")),
        ("attention", Selection(kind="causal"), ("decoder",)),
        ("compare", Selection(kind="joint"), ("cross",)),
        ("compare", Selection(kind="encoder"), ("encoder",)),
        ("layer_norm", Selection(token="s3"), ("memory",)),
        ("layer_norm", Selection(token="t3"), ("decoder",)),
        ("alignment", Selection(kind="encoder"), ("cross",)),
        ("inside", Selection(kind="encoder"), ("encoder",)),
        ("inside", Selection(), ("cross",)),
        ("checkpoints", Selection(), ()),
    ],
)
def test_a_page_lights_all_that_it_shows(page: str, selection: Selection, blocks: tuple[str, ...]) -> None:
    assert navigation.lit(page, selection) == blocks


def test_every_page_that_is_about_one_decode_exists() -> None:
    assert {*navigation.ABOUT_A_DECODE, FRONT} <= set(PAGES)


def test_the_code_of_charts_is_found_in_streamlit() -> None:
    name = architecture_map.early_code()
    assert name.startswith("PlotlyChart.") and name.endswith(".js"), (
        "Streamlit keeps it under another name now"
    )
