"""The seven places of the app in the order of their questions, and the tabs of each. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from core.language import message
from ui.session.selection import Selection

Changes = Mapping[str, Any]


@dataclass(frozen=True)
class Tab:
    """A tab of a place: its page in `pages/`, its title, and for which selections of that page it is the one in view.

    Several tabs can share a page; `opening` are then the fields of the selection that its link sets.
    """

    page: str
    title: str
    is_open: Callable[[Selection], bool] = field(default=lambda selection: True)
    opening: Callable[[Selection], Changes] = field(default=lambda selection: {})

    @property
    def path(self) -> str:
        """Its file, as Streamlit names it."""
        return f"pages/{self.page}.py"


@dataclass(frozen=True)
class Place:
    """A place: its title, the question it answers, and its tabs, the first of which it opens on."""

    name: str
    title: str
    question: str
    tabs: tuple[Tab, ...]

    def tab(self, page: str, selection: Selection) -> Tab:
        """The tab in view on one of its pages; its first one for pages of other places."""
        fitting = [each for each in self.tabs if each.page == page]
        return next((each for each in fitting if each.is_open(selection)), [*fitting, self.tabs[0]][0])


def _desk(name: str, title: str) -> Tab:
    return Tab(
        "checkpoints", title, lambda selection: selection.desk == name, lambda selection: {"desk": name}
    )


PLACES: Final = (
    Place(
        "translate",
        message("Translate"),
        message("How does it write a sentence?"),
        (Tab("translate", message("Step by step")),),
    ),
    Place(
        "attention",
        message("Attention"),
        message("Where do heads look?"),
        (
            Tab(
                "attention",
                message("All heads"),
                lambda selection: selection.kind != "joint",
                lambda selection: {"kind": "cross"} if selection.kind == "joint" else {},
            ),
            Tab(
                "attention",
                message("Joint"),
                lambda selection: selection.kind == "joint",
                lambda selection: {"kind": "joint"},
            ),
            Tab("compare", message("Compare")),
        ),
    ),
    Place(
        "heads",
        message("Heads"),
        message("What is each head for?"),
        (
            Tab("heads", message("Roles")),
            Tab("importance", message("Importance")),
            Tab("alignment", message("Alignment")),
        ),
    ),
    Place(
        "what_if",
        message("What if"),
        message("Does it matter?"),
        (Tab("what_if", message("Ablate")), Tab("why", message("Why this word"))),
    ),
    Place(
        "inside",
        message("Inside"),
        message("How is it computed?"),
        (
            Tab("inside", message("One head")),
            Tab("positions", message("Positions")),
            Tab("layer_norm", message("Norms and stream")),
            Tab("lenses", message("Lenses")),
            Tab("cost", message("Cost")),
        ),
    ),
    Place(
        "learn",
        message("Learn"),
        message("Teach me"),
        (
            Tab("lessons", message("Lessons")),
            Tab("pitfalls", message("Mistakes")),
            Tab("tutorials", message("Tutorials")),
            Tab("learning", message("Watch it learn")),
        ),
    ),
    Place(
        "models",
        message("Models"),
        message("Which model?"),
        (
            _desk("gallery", message("Gallery")),
            _desk("inspect", message("Inspect")),
            _desk("differ", message("Differences")),
            _desk("import", message("Import")),
        ),
    ),
)
FRONT: Final = "translate"
"""The page at the address of the app itself."""
ALIASES: Final = {"translate": FRONT, "models": "checkpoints"}
"""Addresses that lead to a page of another name."""
PAGES: Final = {tab.page: tab for each in reversed(PLACES) for tab in reversed(each.tabs)}
"""The first tab of each page; the names are those of old links too."""


def place_of(page: str) -> Place:
    """The place that a page belongs to."""
    return next(each for each in PLACES if any(tab.page == page for tab in each.tabs))
