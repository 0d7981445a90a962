"""Attention Atlas: `streamlit run app.py`. Navigation over the pages and the sidebar; nothing else."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.session import state
from ui.shell import frame, navigation, outbound, sidebar

outbound.look_nothing_up()
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
state.open_page(page.url_path)
frame.inject_styles()
sidebar.sidebar()
page.run()
