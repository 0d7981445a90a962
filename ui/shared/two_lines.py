"""A translation before and after a change, one line above the other, as HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from core.analysis.readout import Rewriting, Word
from core.language import tr

_LONG: Final = 90  # characters of a translation that is written smaller


def style() -> None:
    """Put the CSS of the two lines into the page."""
    import streamlit as st

    st.html(f"<style>{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>")


def two_lines(change: Rewriting, after: str = "") -> str:
    """Both texts as HTML, one above the other: words that only one of them has are marked.

    `after` stands in place of the second text while that is not known.
    """
    long = (
        " long"
        if max(sum(len(word.text) + 1 for word in line) for line in (change.before, change.after)) > _LONG
        else ""
    )
    rows = (
        ("before", tr("Before"), _line(change.before, "del")),
        ("after", tr("After"), html.escape(after) or _line(change.after, "ins") or "–"),
    )
    body = "".join(
        f'<dt class="{name}"><i></i>{html.escape(title)}</dt><dd dir="auto">{words}</dd>'
        for name, title, words in rows
    )
    return f'<dl class="atlas-lines-two{long}">{body}</dl>'


def _line(words: Sequence[Word], mark: str) -> str:
    return "".join(
        (" " if word.spaced else "")
        + (html.escape(word.text) if word.same else f"<{mark}>{html.escape(word.text)}</{mark}>")
        for word in words
    )
