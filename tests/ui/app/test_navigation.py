"""Seven places hold every page, each selection has one tab in view; which blocks of the strip are lit, and where they lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.app import navigation
from ui.app.navigation import FRONT, PAGES, PLACES, place_of
from ui.session.selection import Selection

ROOT = Path(__file__).parents[3]
OLD = (
    *("translate", "attention", "compare", "positions", "layer_norm", "heads", "what_if", "lenses"),
    *("alignment", "checkpoints", "lessons", "inside", "tutorials", "pitfalls", "learning"),
)


def test_seven_places_in_the_order_of_the_questions() -> None:
    assert [each.title for each in PLACES] == [
        *("Translate", "Attention", "Heads", "What if", "Inside", "Learn", "Models")
    ]
    assert all(each.question.endswith("?") or each.name == "learn" for each in PLACES)
    assert PAGES[FRONT].page == PLACES[0].tabs[0].page


def test_every_page_is_a_tab_of_one_place() -> None:
    files = {path.stem for path in (ROOT / "pages").glob("*.py")}
    assert set(PAGES) == files, "a page of pages/ that no tab opens, or a tab without a page"
    assert files.issuperset(OLD), "old links name these"
    for page in files:
        assert sum(any(tab.page == page for tab in each.tabs) for each in PLACES) == 1


@pytest.mark.parametrize("each", PLACES, ids=lambda each: each.name)
def test_a_tab_is_open_where_its_link_leads(each: object) -> None:
    for tab in each.tabs:  # type: ignore[attr-defined]
        for before in (Selection(), Selection(kind="joint", desk="import")):
            after = before.changed(**tab.opening(before))
            assert place_of(tab.page).tab(tab.page, after) is tab


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
    assert PAGES[page].lit(selection) == blocks


@pytest.mark.parametrize("page", ["lessons", "pitfalls", "tutorials", "learning", "checkpoints"])
def test_learn_and_models_show_no_strip(page: str) -> None:
    assert not navigation.has_strip(page) and navigation.has_strip("attention")
