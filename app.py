"""Attention Atlas: `streamlit run app.py`. Navigation over the pages and the sidebar; nothing else."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.session import state
from ui.shell import frame, navigation, sidebar

# A picture of our own: a named Material icon would be fetched from the network.
icon = str(Path(__file__).parent / "ui" / "style" / "icon.png")
st.set_page_config(page_title="Attention Atlas", page_icon=icon, layout="wide")
pages = {
    section: [
        st.Page(path, title=title, url_path=name, default=name == "translate")
        for name, (path, title) in listed.items()
    ]
    for section, listed in navigation.PAGES.items()
}
page = st.navigation(pages, position="hidden")
if state.open_page(
    page.url_path
).presenter:  # in a hall the page has the screen to itself; the strip leads about
    st.set_page_config(initial_sidebar_state="collapsed")
frame.dress()
sidebar.sidebar()
page.run()
