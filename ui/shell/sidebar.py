"""The sidebar: brand, checkpoint, pages, device and trust."""

from __future__ import annotations

import html

import streamlit as st

from core.errors import AtlasError
from ui.data import resources
from ui.data.entry import Entry
from ui.session import state
from ui.shell import cards
from ui.shell.navigation import page_links
from ui.style import screen_text


def sidebar() -> None:
    """Brand, checkpoint card, pages, device and trust."""
    with st.sidebar:
        st.html(
            '<p class="atlas-brand">Attention Atlas</p><p class="atlas-quiet">encoder-decoder microscope</p>'
        )
        entry = _checkpoint_card()
        page_links()
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
    label = f"checkpoint · {screen_text.label(entry.languages)}" if entry.languages else "checkpoint"
    with cards.card("checkpoint"):
        if len(names) > 1:
            chosen = state.bind("checkpoint", shown=entry.name)
            st.selectbox(label, names, **chosen)
        else:
            st.html(
                f'<p class="atlas-quiet">checkpoint</p><p class="atlas-title">{html.escape(entry.name)}</p>'
            )
        cards.quiet(entry.size_line)
    return entry


def _status(entry: Entry) -> None:
    if resources.failure(entry, state.device()):
        st.html(
            '<p class="atlas-quiet"><i class="atlas-status-dot waiting"></i>the model cannot be loaded</p>'
        )
        return
    waiting = resources.device_line(entry, state.device()) is None or resources.trust(entry) is None
    st.fragment(_badge, run_every=1.5 if waiting else None)(entry, waiting)


def _badge(entry: Entry, waiting: bool) -> None:
    """What computes and whether its checks pass; looks again until both are known."""
    line, report = resources.device_line(entry, state.device()), resources.trust(entry)
    if waiting and (resources.failure(entry, state.device()) or (line and report)):
        st.rerun(scope="app")
    if waiting:
        resources.preload(entry, state.device())  # on its way, if nothing went wrong
    if line is None:
        st.html('<p class="atlas-quiet"><i class="atlas-status-dot waiting"></i>the model is loading</p>')
        return
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="trust"):
        cards.status(f"{line.name} · {line.precision}")
        if report is not None:
            held = sum(check.passed for check in report.checks)
            with st.popover(
                f"trust {held}/{len(report.checks)} {'✓' if report.passed else '✗'}", type="tertiary"
            ):
                cards.title(
                    "What this model was checked for", "on its own example sentences, when it was loaded"
                )
                for check in report.checks:
                    cards.quiet(
                        f"{'✓' if check.passed else '✗'} {check.sentence} (largest deviation {check.value:.1g})"
                    )
                cards.quiet(report.meaning)
    if len(line.choices) > 1:
        st.segmented_control(
            "device", line.choices, label_visibility="collapsed", **state.bind_device(line.name)
        )
