"""What every page stands in: the checkpoint and selection in force, the map strip, the sidebar."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.errors import AtlasError
from ui import resources, state, theme
from ui.components import furniture
from ui.components.architecture_map import Block, architecture_map, map_data
from ui.decode import Decode
from ui.selection import Selection
from ui.summary import Entry

PAGES: Final = {
    "Translate": {"translate": ("pages/translate.py", "Step the decoder")},
    "Look": {
        "attention": ("pages/attention.py", "Attention"),
        "compare": ("pages/compare.py", "Compare"),
        "positions": ("pages/positions.py", "Positions"),
        "layer_norm": ("pages/layer_norm.py", "Layer norm"),
    },
    "Inspect": {"checkpoints": ("pages/checkpoints.py", "Checkpoints")},
}
_DESTINATIONS: Final[dict[Block, tuple[str, dict[str, str]]]] = {
    "source": ("positions", {}),
    "encoder": ("attention", {"kind": "encoder"}),
    "memory": ("layer_norm", {"token": "s0"}),
    "decoder": ("attention", {"kind": "causal"}),
    "cross": ("attention", {"kind": "cross"}),
    "next": ("translate", {}),
}


@dataclass(frozen=True)
class Shown:
    """What this run shows: checkpoint folder, selection, device asked for."""

    entry: Entry
    selection: Selection
    device: str | None

    def now(self) -> Shown:
        """The same with the session's selection of this moment, for fragments that run again on their own."""
        return replace(self, selection=state.selection())

    def decode(self) -> Decode:
        """The decode of the selection; raises `AtlasError` with one sentence."""
        return resources.decode(self.entry, self.selection, self.device)


def current() -> Shown | None:
    """The checkpoint and selection in force, or None after saying in one sentence why there is none."""
    if PagesManager.uses_pages_directory:
        # The first visit of a fresh server went straight to a file of pages/, past app.py, which Streamlit allows
        # until `st.navigation` is called for the first time. Start again at the front door.
        PagesManager.uses_pages_directory = False
        st.rerun()
    selection = state.selection()
    try:
        entry, sentence = resources.find(selection.checkpoint)
    except AtlasError as error:
        furniture.mistake(str(error))
        return None
    device = state.device()
    resources.preload(entry, device)
    if notice := sentence or state.notice():
        furniture.quiet(notice)
    return Shown(entry, selection, device)


def decoded(shown: Shown, say: bool = True) -> Decode | None:
    """The decode to draw. A mistake is told in one sentence (if `say`) and the example drawn in its place."""
    try:
        return _with_patience(shown)
    except AtlasError as error:
        if say:
            furniture.mistake(str(error))
    fallback = Shown(shown.entry, Selection(checkpoint=shown.selection.checkpoint), shown.device)
    try:
        return _with_patience(fallback)
    except AtlasError as error:
        if say:
            furniture.mistake(str(error))
        return None


def with_decode(draw: Callable[[Shown, Decode], None]) -> None:
    """Draw a page from the selection and decode in force; where there is none, a sentence says why."""
    shown = current()
    decode = decoded(shown) if shown else None
    if shown and decode:
        draw(shown, decode)


def _with_patience(shown: Shown) -> Decode:
    if resources.is_loaded(shown.entry, shown.device):
        return shown.decode()
    with st.spinner("Loading the model …", show_time=False):
        return shown.decode()


def sentence(decode: Decode) -> None:
    """Source → translation, the same words as everywhere."""
    words: list[furniture.Words] = [(decode.source_text, "text"), ("→", "i"), (decode.text or "…", "text")]
    st.html(f'<p class="atlas-sentence">{furniture.marked(words)}</p>', width="stretch")


def strip(shown: Shown, decode: Decode | None, lit: Block | None) -> None:
    """The map of the model at the top of a page; a click moves to that block's view."""
    tokens = len(decode.trace.source_ids) if decode else None
    picked = architecture_map(map_data(shown.entry.config, tokens, lit))
    if picked is not None:
        name, changes = _DESTINATIONS[picked]
        state.update(**changes)
        paths = {key: path for pages in PAGES.values() for key, (path, _) in pages.items()}
        st.switch_page(paths[name], query_params=state.link_params())


# -- the sidebar --------------------------------------------------------------------------------------------


def sidebar() -> None:
    """Brand, checkpoint card, pages, device and trust."""
    with st.sidebar:
        st.html(
            '<p class="atlas-brand">Attention Atlas</p><p class="atlas-quiet">encoder-decoder microscope</p>'
        )
        entry = _checkpoint_card()
        _links()
        with st.container(key="status"):
            if entry is not None:
                _status(entry)
            st.toggle("Presenter size", **state.bind("presenter"))


def _checkpoint_card() -> Entry | None:
    listed = resources.entries()
    try:
        entry, _ = resources.find(state.selection().checkpoint)
    except AtlasError:
        return None
    names = [each.name for each in listed]
    label = f"checkpoint · {entry.languages}" if entry.languages else "checkpoint"
    with furniture.card("checkpoint"):
        if len(names) > 1:
            chosen = state.bind("checkpoint")
            st.session_state[chosen["key"]] = entry.name
            st.selectbox(label, names, **chosen)
        else:
            st.html(
                f'<p class="atlas-quiet">checkpoint</p><p class="atlas-title">{html.escape(entry.name)}</p>'
            )
        furniture.quiet(entry.size_line)
    return entry


def _links() -> None:
    params = state.link_params()
    with st.container(key="pages"):
        for section, pages in PAGES.items():
            st.html(f'<p class="atlas-section">{section}</p>')
            for path, label in pages.values():
                st.page_link(path, label=label, query_params=params, width="stretch")


def _status(entry: Entry) -> None:
    if resources.failure(entry, state.device()):
        st.html('<p class="atlas-quiet"><i class="atlas-lamp waiting"></i>the model cannot be loaded</p>')
        return
    waiting = resources.device_line(entry, state.device()) is None or resources.trust(entry) is None
    st.fragment(_badge, run_every=1.5 if waiting else None)(entry, waiting)


def _badge(entry: Entry, waiting: bool) -> None:
    """What computes and whether it keeps its promises; looks again until both are known."""
    line, report = resources.device_line(entry, state.device()), resources.trust(entry)
    if waiting and (resources.failure(entry, state.device()) or (line and report)):
        st.rerun(scope="app")
    if line is None:
        st.html('<p class="atlas-quiet"><i class="atlas-lamp waiting"></i>the model is loading</p>')
        return
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="trust"):
        furniture.lamp(f"{line.name} · {line.precision}")
        if report is not None:
            held = sum(check.passed for check in report.checks)
            with st.popover(
                f"trust {held}/{len(report.checks)} {'✓' if report.passed else '✗'}", type="tertiary"
            ):
                furniture.title(
                    "What this model was checked for", "on its own example sentences, when it was loaded"
                )
                for check in report.checks:
                    furniture.quiet(
                        f"{'✓' if check.passed else '✗'} {check.sentence} (largest deviation {check.value:.1g})"
                    )
                furniture.quiet(report.meaning)
    if len(line.choices) > 1:
        st.segmented_control(
            "device", line.choices, label_visibility="collapsed", **state.bind_device(line.name)
        )


def dress() -> None:
    """The page's styles; call before anything is drawn."""
    theme.inject_shell(presenter=state.selection().presenter)
    furniture.inject()
