"""Attention Atlas: `streamlit run app.py`. Navigation, and the strips above and beside the pages.

Streamlit imports this file for the server, which is `app`, and runs it again for every visitor to draw.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from ui import uploads
from ui.app import assets, early, frame, navigation, server
from ui.app.frame import header, slide
from ui.app.navigation import ALIASES, FRONT, PAGES
from ui.learn import catalogue, panel
from ui.session import state
from ui.shared.context import CheckpointView, DecodeView

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def above(container: DeltaGenerator, page: str, shown: CheckpointView) -> Callable[[DecodeView], None] | None:
    """Draw the sentence with its pin (on pages about one decode; Translate has its own box), the map strip and the tabs.

    Drawn here because Streamlit clears a page's own elements on navigation. Returns what fills in the translation and the
    pin where the model is still loading; None otherwise.
    """
    with container:
        about = navigation.about_a_decode(page, shown.selection)
        ready = frame.without_waiting(shown) if PAGES[page].of_sentence else None
        fill = header(shown, ready) if about else None
        navigation.strip(page, shown, ready)
        navigation.tabs(page, shown.selection)
        if not shown.selection.full:
            desk = shown.selection.desk
            cards = desk if page == "checkpoints" and desk == "inspect" else page
            strip = navigation.has_strip(page)
            frame.skeleton(cards, "sentence" if about else "strip" if page == FRONT else "tabs", strip)
        return fill


def draw() -> None:
    """One run of one visitor."""
    server.look_nothing_up()
    server.turn_away()
    server.watch()
    # A picture of our own: a named Material icon would be fetched from the network.
    icon = str(Path(__file__).parent / "ui" / "style" / "icon.png")
    st.set_page_config(page_title="Attention Atlas", page_icon=icon, layout="wide")
    page = st.navigation(navigation.pages(), position="hidden")
    if page.url_path in ALIASES:
        st.switch_page(PAGES[ALIASES[page.url_path]].path, query_params=state.address())
    name = page.url_path or FRONT
    for brought in uploads.taken_back():
        state.add_imported(*brought)
    # In a hall the page has the screen to itself, and in a lesson it shares it with the lesson; the strip leads about.
    opened = state.open_page(page.url_path)
    st.set_page_config(page_title=f"{navigation.title(name, opened)} · Attention Atlas")
    if opened.presenter or opened.lesson:  # on a slide it is hidden, and stands as it stood afterwards
        st.set_page_config(initial_sidebar_state="collapsed")
    frame.inject_styles()
    navigation.sidebar(name)
    if opened.lesson and panel.panel():  # what a lesson asks for is on no page before it is answered
        slide("scene" if opened.full else "")
        return
    slide(opened.full)
    room = st.container(key="above")
    shown = frame.in_force()
    fill = above(room, name, shown) if shown else None
    page.run()
    if shown and fill and (ready := frame.without_waiting(shown)):
        fill(ready)
    catalogue.offer(name)


if get_script_run_ctx(suppress_warning=True) is not None:
    draw()
else:
    server.keep_few_arenas()
    app = App(
        __file__,
        # The app may be below a path of its own (`--server.baseUrlPath`).
        routes=[
            Route(f"{below}/atlas/views-{{digest}}.js", assets.browser_code)
            for below in ("", "/{below:path}")
        ],
        middleware=[
            Middleware(server.SafeHeaders),
            Middleware(early.EarlyStyles),
            Middleware(assets.StreamlitFiles),
            Middleware(uploads.Reservations),
        ],
    )
