"""Page furniture: cards titled with a sentence, readouts, quiet lines. Words from the user are always escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.analysis.glossary import MEASURES, Score
from core.language import tr
from ui.shared.decode import Fact
from ui.style import screen_text
from ui.style.theme import Kind

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

Words = str | tuple[str, str]
"""Plain words, or (words, mark): mark is "b" for bold, "muted", "text" for words of any language, an attention kind for
its colour, or "metric:" and a name of the glossary, which explains itself where it stands."""


def inject() -> None:
    """Put the furniture's CSS into the page."""
    import streamlit as st

    st.html(f"<style>{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>")


def marked(words: Words | Sequence[Words]) -> str:
    """Words as HTML, escaped and bidi-isolated where they are marked."""
    if isinstance(words, str):
        return html.escape(words)
    if isinstance(words, tuple) and len(words) == 2 and isinstance(words[1], str):
        if words[1] in _TAGS:
            return _TAGS[words[1]].format(html.escape(str(words[0])))
        if words[1].startswith(_METRIC):
            return _explained(str(words[0]), MEASURES[words[1].removeprefix(_METRIC)])
    return "".join(marked(part) for part in words)


_METRIC = "metric:"
_TAGS = {
    "b": "<b><bdi>{}</bdi></b>",
    "muted": "<span>{}</span>",
    "i": "<i>{}</i>",
    "text": "<bdi>{}</bdi>",
    **{
        f"pinned {kind}": f'<u class="atlas-pinned atlas-{kind}"><bdi>{{}}</bdi></u>'
        for kind in ("encoder", "causal", "cross")
    },
    "encoder": '<b class="atlas-encoder"><bdi>{}</bdi></b>',
    "causal": '<b class="atlas-causal"><bdi>{}</bdi></b>',
    "cross": '<b class="atlas-cross"><bdi>{}</bdi></b>',
}


def _explained(words: str, entry: Score) -> str:
    """A word for a number, with what it is for the pointer, the keyboard and a finger."""
    tip = f'<span class="atlas-tip" role="tooltip">{html.escape(entry.tip)}</span>'
    return f'<span class="atlas-metric" tabindex="0">{html.escape(words)}{tip}</span>'


def card(name: str, fill: bool = True) -> DeltaGenerator:
    """A card: one hairline, panel colour. `name` must be unique on the page.

    `fill`: as tall as its column allows, so that cards beside each other end together; else as its content.
    """
    import streamlit as st

    return st.container(border=True, key=f"card_{name}", height="stretch" if fill else "content")


def title(words: Words | Sequence[Words], subtitle: Words | Sequence[Words] = "") -> None:
    """A card's title sentence and the line below it."""
    import streamlit as st

    # In a row, the words take what room the controls beside them leave.
    below = f'<p class="atlas-subtitle">{marked(subtitle)}</p>' if subtitle else ""
    st.html(f'<h3 class="atlas-title">{marked(words)}</h3>{below}', width="stretch")


def readout(words: Words | Sequence[Words], facts: Iterable[Fact] = ()) -> None:
    """What the view says, in words, with the facts that were checked on it."""
    import streamlit as st

    trust = "".join(f"&ensp;<span>{html.escape(str(fact))}</span>" for fact in facts)
    st.html(f'<p class="atlas-readout">{marked(words)}{trust}</p>')


def quiet(words: Words | Sequence[Words], width: Literal["stretch", "content"] = "stretch") -> None:
    """A line that does not ask for attention."""
    import streamlit as st

    st.html(f'<p class="atlas-quiet">{marked(words)}</p>', width=width)


def lines(sentences: Iterable[str]) -> None:
    """Quiet lines as one element; what a closed popover holds is sent with every run."""
    import streamlit as st

    listed = "".join(f'<p class="atlas-quiet">{marked(each)}</p>' for each in sentences)
    st.html(f'<div class="atlas-lines">{listed}</div>')


def notice(sentence: str) -> None:
    """A line that stands above the page and takes no room from it."""
    import streamlit as st

    st.html(f'<p class="atlas-notice" role="status">{html.escape(sentence)}</p>')


def note(words: Words | Sequence[Words]) -> None:
    """A quiet line that never takes a second one by itself: what does not fit is read by pressing it."""
    import streamlit as st

    st.html(f'<details class="atlas-note"><summary class="atlas-quiet">{marked(words)}</summary></details>')


def mistake(sentence: str) -> None:
    """One sentence about something that could not be used, in place."""
    import streamlit as st

    st.html(f'<p class="atlas-mistake" role="alert">{html.escape(screen_text.sentence(sentence))}</p>')


def warning(sentence: str) -> None:
    """One sentence about something that was done and looks wrong."""
    import streamlit as st

    st.html(f'<p class="atlas-warning" role="status">{html.escape(sentence)}</p>')


def explain(
    what: str, why: str, more: str = "", name: str = "more", keys: Mapping[str, str] | None = None
) -> DeltaGenerator:
    """What am I looking at, why it matters, and behind "more" the formula (Markdown with LaTeX).

    `keys`: what the keyboard does here; cards.css hides them where there is none. Returns the row, for a page that has
    something to put beside it.
    """
    import streamlit as st

    row = st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"explain_{name}")
    with row:
        st.html(f'<p class="atlas-quiet">{html.escape(what)} {html.escape(why)}</p>', width="stretch")
        if more:
            with st.popover(tr("More"), type="tertiary", width="content"):
                st.markdown(more)
                if keys:
                    with st.container(key=f"keys_{name}"):
                        st.markdown(_key_table(keys))
    return row


def _key_table(keys: Mapping[str, str]) -> str:
    return f"| {tr('key')} | |\n|---|---|\n" + "".join(f"| {key} | {what} |\n" for key, what in keys.items())


def choice(label: str, words: Mapping[str, str], bound: Mapping[str, Any]) -> None:
    """Words side by side, of which one is chosen; `bound` ties them to the selection (`state.bind`)."""
    import streamlit as st

    st.segmented_control(
        label,
        list(words),
        format_func=words.__getitem__,
        required=True,
        label_visibility="collapsed",
        **bound,
    )


def kind_of(view: str) -> Kind:
    """The attention kind whose colour a view has."""
    return view if view in ("encoder", "causal") else "cross"  # type: ignore[return-value]


def status(words: str) -> None:
    """A coloured dot and what it stands for."""
    import streamlit as st

    st.html(
        f'<p class="atlas-quiet"><i class="atlas-status-dot"></i>{html.escape(words)}</p>', width="content"
    )
