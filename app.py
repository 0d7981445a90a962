"""Attention Atlas: `streamlit run app.py`. Navigation, and the strips above and beside the pages.

Streamlit imports this file for the server, which is `app`, and runs it again for every visitor to draw.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from ui.app import frame, navigation, server
from ui.app import navigation as sidebar
from ui.learn import panel, tour
from ui.session import state
from ui.shared.context import CheckpointView
from ui.uploads import gate

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def above(container: DeltaGenerator, page: str, shown: CheckpointView) -> DeltaGenerator | None:
    """Draw the map strip and, on pages about one decode, its sentence and the kinds of attention; Translate has its own box.

    Drawn here because Streamlit clears a page's own elements on navigation. Returns the slot of the sentence while the model
    is loading, so that the finished translation can fill it; None otherwise.
    """
    with container:
        navigation.strip(page, shown)
        if page not in navigation.ABOUT_A_DECODE:
            return None
        decode = frame.without_waiting(shown)
        with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="header"):
            source = decode.source_text if decode else shown.text
            # No `st.empty` here: it would leave one frame without the sentence.
            line = frame.sentence(source, decode.text if decode else "")
            navigation.kind_pills(page, shown.selection)
        return None if decode else line


def draw() -> None:
    """One run of one visitor."""
    server.look_nothing_up()
    server.turn_away()
    server.watch()
    # A picture of our own: a named Material icon would be fetched from the network.
    icon = str(Path(__file__).parent / "ui" / "style" / "icon.png")
    st.set_page_config(page_title="Attention Atlas", page_icon=icon, layout="wide")
    pages = {
        section: [
            st.Page(path, title=title, url_path=name, default=name == navigation.FRONT)
            for name, (path, title) in listed.items()
        ]
        for section, listed in navigation.PAGES.items()
    }
    page = st.navigation(pages, position="hidden")
    name = page.url_path or navigation.FRONT
    for brought in gate.taken_back():
        state.add_imported(*brought)
    # In a hall the page has the screen to itself, and in a lesson it shares it with the lesson; the strip leads about.
    opened = state.open_page(page.url_path)
    if opened.presenter or opened.lesson:
        st.set_page_config(initial_sidebar_state="collapsed")
    frame.inject_styles()
    sidebar.sidebar()
    panel.panel()
    room = st.container(key="above")
    shown = frame.in_force()
    line = above(room, name, shown) if shown else None
    page.run()
    if shown and line and (decode := frame.without_waiting(shown)):
        with line:
            frame.sentence(decode.source_text, decode.text)
    tour.offer(name)


if get_script_run_ctx(suppress_warning=True) is not None:
    draw()
else:
    server.keep_few_arenas()
    app = App(__file__, middleware=[Middleware(server.SafeHeaders)])
