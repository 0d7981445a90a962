"""Small tables and tick lists as HTML, every word escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.analysis.readout import whole_percents
from core.language import tr


def inject() -> None:
    """Put the CSS of tables and tick lists into the page."""
    import streamlit as st

    st.html(f"<style>{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>")


_UNEXPLAINED: Mapping[str, str] = {}


def table(
    rows: Iterable[Sequence[str]],
    head: Sequence[str] = (),
    loud: Iterable[int] = (),
    name: str = "facts",
    tips: Mapping[str, str] = _UNEXPLAINED,
) -> None:
    """Rows of words; those numbered in `loud` are emphasised. `name`: facts, scores or pairs (its CSS class).

    `tips`: what a word of `head` means, shown while the pointer is there.
    """
    import streamlit as st

    st.html(table_html(rows, head, loud, name, tips))


def table_html(
    rows: Iterable[Sequence[str]],
    head: Sequence[str] = (),
    loud: Iterable[int] = (),
    name: str = "facts",
    tips: Mapping[str, str] = _UNEXPLAINED,
) -> str:
    """The same as HTML."""
    emphasised = set(loud)
    above = "".join(
        f"<th scope=col{_titled(tips[word]) if word in tips else ''}>{html.escape(word)}</th>"
        if word
        else "<td></td>"
        for word in head
    )
    body = []
    for number, row in enumerate(rows):
        cells = "".join(f'<td dir="auto">{_breakable(html.escape(str(word)))}</td>' for word in row)
        body.append(f"<tr{' class=loud' if number in emphasised else ''}>{cells}</tr>")
    top = f"<thead><tr>{above}</tr></thead>" if above else ""
    return f'<div class="atlas-scroll" tabindex="0"><table class="atlas-{name}">{top}<tbody>{"".join(body)}</tbody></table></div>'


def _titled(tip: str) -> str:
    return f' class="tipped" title="{html.escape(tip)}"'


def pair(source: str, written: str) -> None:
    """A text and what a model writes for it, each in its own direction."""
    import streamlit as st

    rows = ((tr("reads"), source), (tr("writes"), written or "…"))
    body = "".join(f'<dt>{name}</dt><dd dir="auto">{html.escape(words)}</dd>' for name, words in rows)
    st.html(f'<dl class="atlas-pair">{body}</dl>')


def grid(facts: Iterable[tuple[str, str, str, str]]) -> None:
    """(name, value, kind, note) as many beside each other as fit: `kind` is read, assumed or told; read ones have no note."""
    import streamlit as st

    cells = [
        f'<div class="{kind}"><dt>{html.escape(name)}'
        + (f"<small>{html.escape(note)}</small>" if kind != "read" else "")
        + f'</dt><dd dir="auto">{html.escape(value)}</dd></div>'
        for name, value, kind, note in facts
    ]
    st.html(f'<dl class="atlas-grid">{"".join(cells)}</dl>')


def difference(parts: Iterable[tuple[str, str]], sides: tuple[str, str] = ("expected", "written")) -> None:
    """Runs of words, each "same", "missing" (only on the first of `sides`) or "extra" (only on the second)."""
    import streamlit as st

    tags = {"same": "span", "missing": "del", "extra": "ins"}
    words = " ".join(
        f'<{tags[kind]} dir="auto">{html.escape(text)}</{tags[kind]}>' for kind, text in parts if text
    )
    one, other = (html.escape(side) for side in sides)
    st.html(
        f'<p class="atlas-difference">{words}</p><p class="atlas-quiet"><del>{one}</del> and not {other}, '
        f"<ins>{other}</ins> and not {one}</p>"
    )


def stacks(kinds: Iterable[tuple[str, str, int, int]], largest: int = 11) -> None:
    """(kind, its words, layers, heads): one square a head in the kind's colour, a row of them a layer.

    `largest`: pixels from one square to the next, less where there are many.
    """
    import streamlit as st

    drawn = []
    for kind, words, layers, heads in kinds:
        # Beyond these numbers squares would be smaller than their gaps.
        rows, columns = min(layers, 24), min(heads, 32)
        cell = max(4, min(largest, 132 // max(columns, 1), 132 // max(rows, 1)))
        drawn.append(
            f'<div class="{html.escape(kind)}"><i style="width:{columns * cell - 2}px;height:{rows * cell - 2}px;'
            f'background-size:{cell}px {cell}px"></i><p><b>{layers} × {heads}</b> {html.escape(words)}</p></div>'
        )
    st.html(f'<div class="atlas-stacks">{"".join(drawn)}</div>')


def bar(parts: Iterable[tuple[str, str, str, float]]) -> None:
    """(kind, words, number, fraction) as one bar, with each part's words and number below it."""
    import streamlit as st

    listed = list(parts)
    strips = "".join(
        f'<i class="{html.escape(kind)}" style="width:{100 * fraction:.2f}%"></i>'
        for kind, _, _, fraction in listed
    )
    words = "".join(
        f'<li class="{html.escape(kind)}"><span>{html.escape(name)}</span><b>{html.escape(number)}</b>'
        f"<em>{percent} %</em></li>"
        for (kind, name, number, _), percent in zip(
            listed, whole_percents([each[3] for each in listed]), strict=True
        )
    )
    st.html(f'<div class="atlas-bar"><div>{strips}</div><ul>{words}</ul></div>')


def question(name: str, text: str) -> None:
    """An option's name and what is asked about it."""
    import streamlit as st

    st.html(f'<p class="atlas-question"><code>{html.escape(name)}</code>{html.escape(text)}</p>')


def _breakable(words: str) -> str:
    """Long dotted names may break after a dot, rather than anywhere; a shape in brackets does not break at all."""
    words = re.sub(r"\(\w+(?:, \w+)+\)", r'<span class="atlas-whole">\g<0></span>', words)
    return re.sub(r"(?<=\w)\.(?=[A-Za-z])", ".<wbr>", words)


def ticks(checks: Iterable[tuple[bool, str, str]]) -> None:
    """(holds, sentence, number) as a quiet list."""
    import streamlit as st

    items = [
        f'<li class="{"held" if holds else "failed"}"><i>{"✓" if holds else "✗"}</i>'
        f"<span>{html.escape(sentence)}</span><b>{html.escape(number)}</b></li>"
        for holds, sentence, number in checks
    ]
    st.html(f'<ul class="atlas-ticks">{"".join(items)}</ul>')
