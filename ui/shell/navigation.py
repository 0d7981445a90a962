"""Which pages there are, and the ways between them: the links of the sidebar, the map strip."""

from __future__ import annotations

from typing import Final

import streamlit as st

from core.model.sites import ATTENTION
from ui.components.architecture_map import Block, architecture_map, map_data
from ui.data import resources
from ui.session import state
from ui.session.selection import Selection
from ui.shell import cards, frame
from ui.shell.frame import Shown
from ui.style.theme import KINDS

PAGES: Final = {
    "Translate": {"translate": ("pages/translate.py", "Step the decoder")},
    "Look": {
        "attention": ("pages/attention.py", "Attention"),
        "compare": ("pages/compare.py", "Compare"),
        "positions": ("pages/positions.py", "Positions"),
        "layer_norm": ("pages/layer_norm.py", "Layer norm"),
    },
    "Inspect": {
        "heads": ("pages/heads.py", "Heads"),
        "what_if": ("pages/what_if.py", "What if"),
        "lenses": ("pages/lenses.py", "Lenses"),
        "alignment": ("pages/alignment.py", "Alignment"),
        "checkpoints": ("pages/checkpoints.py", "Checkpoints"),
    },
    "Learn": {
        "lessons": ("pages/lessons.py", "Lessons"),
        "inside": ("pages/inside.py", "Inside a head"),
        "tutorials": ("pages/tutorials.py", "Tutorials"),
        "pitfalls": ("pages/pitfalls.py", "Pitfalls"),
        "learning": ("pages/learning.py", "Watch it learn"),
    },
}
FRONT: Final = "translate"
"""The page at the address of the app itself."""
ABOUT_A_DECODE: Final = (
    *("attention", "compare", "positions", "layer_norm"),
    *("what_if", "lenses", "alignment", "inside", "pitfalls"),
)
_DESTINATIONS: Final[dict[Block, tuple[str, dict[str, str]]]] = {
    "source": ("positions", {}),
    "encoder": ("attention", {"kind": "encoder"}),
    "decoder": ("attention", {"kind": "causal"}),
    "cross": ("attention", {"kind": "cross"}),
    "next": ("translate", {}),
}


KIND_LABELS: Final = {**{key: kind.label for key, kind in ATTENTION.items()}, "joint": "joint"}
_ONE_KIND: Final = (
    "compare",
    "what_if",
    "heads",
    "inside",
    "learning",
)  # pages about one map: the joint view has none of its own


def kind_pills(page: str, selection: Selection) -> None:
    """Which kind of attention a page draws, or all of them joined; nothing on pages that draw none."""
    if page == "attention":
        labels, bound = KIND_LABELS, state.bind("kind")
    elif page in _ONE_KIND:
        labels = {kind: KIND_LABELS[kind] for kind in KINDS}
        bound = state.bind("kind", shown=cards.kind_of(selection.kind))
    else:
        return
    with st.container(key="kinds", width="content"):
        cards.choice("kind", labels, bound)


def lit(page: str, selection: Selection) -> tuple[Block, ...]:
    """The blocks that a page is about."""
    if page == "attention" or page in _ONE_KIND:
        chosen: dict[str, tuple[Block, ...]] = {"encoder": ("encoder",), "causal": ("decoder",)}
        joint: tuple[Block, ...] = ("encoder", "decoder", "cross") if page == "attention" else ("cross",)
        return chosen.get(selection.kind, joint if selection.kind == "joint" else ("cross",))
    if page == "layer_norm":
        return ("decoder",) if selection.token.startswith("t") else ("memory",)
    pages: dict[str, tuple[Block, ...]] = {
        "translate": ("cross", "next"),
        "positions": ("source",),
        "lenses": ("decoder", "next"),
        "alignment": ("cross",),
    }
    return pages.get(page, ())


def strip(page: str, shown: Shown) -> None:
    """The map of the model at the top of a page; a click moves to that block's view.

    Streamlit clears what a page has drawn when the next one is opened: call this outside of the page, so that the strip
    keeps its place.
    """
    of_none = page in ("checkpoints", "lessons", "tutorials")
    decode = None if of_none else frame.without_waiting(shown)
    tokens = None if of_none else len(decode.trace.source_ids) if decode else frame.source_tokens(shown)
    text = decode.source_text if decode else resources.asked_text(shown.entry, shown.selection)
    about = " · ".join((f"“{text}”", shown.entry.name) if tokens is not None else (shown.entry.name,))
    picked = architecture_map(map_data(shown.entry.config, tokens, lit(page, shown.selection), about))
    if picked is not None:
        name, changes = _memory(shown) if picked == "memory" else _DESTINATIONS[picked]
        state.update(**changes)
        st.switch_page(path_of(name), query_params=state.link_params())


def path_of(name: str) -> str:
    """The file of a page."""
    return {key: path for pages in PAGES.values() for key, (path, _) in pages.items()}[name]


def _memory(shown: Shown) -> tuple[str, dict[str, str]]:
    """Where the memory is seen: what the encoder's last norm makes of a source token, the one in hand if it is one."""
    from core.analysis.norms import norm_places  # pandas comes with it: not before it is asked for

    last = [place for place in norm_places(shown.entry.config) if place.stack == "encoder"][-1]
    token = state.selection().token
    return "layer_norm", {
        "place": ".".join(map(str, last)),
        "token": token if token.startswith("s") else "",
    }


def page_links() -> None:
    """A link to every page, with the selection in force."""
    params = state.link_params()
    with st.container(key="pages"):
        for section, pages in PAGES.items():
            st.html(f'<p class="atlas-section">{section}</p>')
            for path, label in pages.values():
                st.page_link(path, label=label, query_params=params, width="stretch")
