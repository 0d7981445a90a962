"""Which pages there are, and the ways between them: the links of the sidebar, the map strip."""

from __future__ import annotations

from typing import Final

import streamlit as st

from ui.components.architecture_map import Block, architecture_map, map_data
from ui.data.decode import Decode
from ui.session import state
from ui.shell.frame import Shown

PAGES: Final = {
    "Translate": {"translate": ("pages/translate.py", "Step the decoder")},
    "Look": {
        "attention": ("pages/attention.py", "Attention"),
        "compare": ("pages/compare.py", "Compare"),
        "positions": ("pages/positions.py", "Positions"),
        "layer_norm": ("pages/layer_norm.py", "Layer norm"),
    },
    "Inspect": {
        "what_if": ("pages/what_if.py", "What if"),
        "checkpoints": ("pages/checkpoints.py", "Checkpoints"),
    },
}
_DESTINATIONS: Final[dict[Block, tuple[str, dict[str, str]]]] = {
    "source": ("positions", {}),
    "encoder": ("attention", {"kind": "encoder"}),
    "memory": ("layer_norm", {"token": "s0"}),
    "decoder": ("attention", {"kind": "causal"}),
    "cross": ("attention", {"kind": "cross"}),
    "next": ("translate", {}),
}


def strip(shown: Shown, decode: Decode | None, lit: Block | None) -> None:
    """The map of the model at the top of a page; a click moves to that block's view."""
    tokens = len(decode.trace.source_ids) if decode else None
    picked = architecture_map(map_data(shown.entry.config, tokens, lit))
    if picked is not None:
        name, changes = _DESTINATIONS[picked]
        state.update(**changes)
        paths = {key: path for pages in PAGES.values() for key, (path, _) in pages.items()}
        st.switch_page(paths[name], query_params=state.link_params())


def page_links() -> None:
    """A link to every page, with the selection in force."""
    params = state.link_params()
    with st.container(key="pages"):
        for section, pages in PAGES.items():
            st.html(f'<p class="atlas-section">{section}</p>')
            for path, label in pages.values():
                st.page_link(path, label=label, query_params=params, width="stretch")
