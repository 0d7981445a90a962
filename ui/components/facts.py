"""Small tables and tick lists as HTML, every word escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path


def inject() -> None:
    """Put the CSS of tables and tick lists into the page."""
    import streamlit as st

    st.html(f"<style>{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>")


def table(
    rows: Iterable[Sequence[str]], head: Sequence[str] = (), loud: Iterable[int] = (), name: str = "facts"
) -> None:
    """Rows of words; those numbered in `loud` are emphasised. `name`: facts, scores or pairs (its CSS class)."""
    import streamlit as st

    st.html(table_html(rows, head, loud, name))


def table_html(
    rows: Iterable[Sequence[str]], head: Sequence[str] = (), loud: Iterable[int] = (), name: str = "facts"
) -> str:
    """The same as HTML."""
    emphasised = set(loud)
    above = "".join(f"<th scope=col>{html.escape(word)}</th>" for word in head)
    body = []
    for number, row in enumerate(rows):
        cells = "".join(f'<td dir="auto">{html.escape(str(word))}</td>' for word in row)
        body.append(f"<tr{' class=loud' if number in emphasised else ''}>{cells}</tr>")
    top = f"<thead><tr>{above}</tr></thead>" if above else ""
    return f'<div class="atlas-scroll"><table class="atlas-{name}">{top}<tbody>{"".join(body)}</tbody></table></div>'


def pair(source: str, written: str) -> None:
    """A text and what a model writes for it, each in its own direction."""
    import streamlit as st

    st.html(
        f'<div class="atlas-pair"><p dir="auto">{html.escape(source)}</p><i>→</i>'
        f'<p dir="auto">{html.escape(written) or "…"}</p></div>'
    )


def question(name: str, text: str) -> None:
    """An option's name and what is asked about it."""
    import streamlit as st

    st.html(f'<p class="atlas-question"><code>{html.escape(name)}</code>{html.escape(text)}</p>')


def ticks(checks: Iterable[tuple[bool, str, str]]) -> None:
    """(holds, sentence, number) as a quiet list."""
    import streamlit as st

    items = [
        f'<li class="{"held" if holds else "failed"}"><i>{"✓" if holds else "✗"}</i>'
        f"<span>{html.escape(sentence)}</span><b>{html.escape(number)}</b></li>"
        for holds, sentence, number in checks
    ]
    st.html(f'<ul class="atlas-ticks">{"".join(items)}</ul>')
