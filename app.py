"""Attention Atlas: `streamlit run app.py`. Navigation over the pages and the sidebar; nothing else."""

from __future__ import annotations

import streamlit as st

from ui import frame, state

st.set_page_config(page_title="Attention Atlas", page_icon=":material/hub:", layout="wide")
pages = {
    section: [
        st.Page(path, title=title, url_path=name, default=name == "translate")
        for name, (path, title) in listed.items()
    ]
    for section, listed in frame.PAGES.items()
}
page = st.navigation(pages, position="hidden")
state.open_page(page.url_path)
frame.dress()
frame.sidebar()
page.run()
