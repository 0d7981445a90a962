"""Page furniture as HTML: cards, readouts, pickers, tables, two lines. Words from the user are always escaped."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import streamlit as st

from core.analysis.glossary import MEASURES, Score
from core.analysis.readout import Rewriting, Word, isolated, whole_percents
from core.language import language, tr
from ui import uploads
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.shared.decode import Fact
from ui.style import screen_text
from ui.style.theme import PRESENTER_SCALE, Kind

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

    from ui.shared.context import CheckpointView


Words = str | tuple[str, str]
"""Plain words, or (words, mark): mark is "b" for bold, "muted", "text" for words of any language, an attention kind for
its colour, or "metric:" and a name of the glossary, which explains itself where it stands."""


def css() -> str:
    """The furniture's CSS."""
    return _css(language())


@cache
def _css(language: str) -> str:
    sheets = (Path(__file__).with_name(name).read_text("utf-8") for name in ("cards.css", "two_lines.css"))
    return "".join(sheets) + _uploader()


def _uploader() -> str:
    """The words of an upload field, which Streamlit has in English alone and with a limit for each file."""
    drop = '[data-testid="stFileUploaderDropzone"]'
    choose, beside = tr("Choose files"), tr("or drop them here")
    too_large = tr("Not taken: larger than this field allows")
    together = tr("Not taken: all files together may have at most {limit} MB", limit=uploads.limit_mb())
    return (
        f'{drop} button p {{ font-size: 0; }} {drop} button p::after {{ content: "{choose}"; font-size: 0.875rem; }}'
        f' {drop}::after {{ content: "{beside}"; font-size: max(0.87rem, var(--atlas-least, 0px)); color: var(--atlas-muted); }}'
        ' [data-testid="stFileUploaderDropzoneInstructions"] { display: none; }'
        f' .stFileChip [role="alert"]::after {{ content: "{too_large}"; }}'
        f' .st-key-widget_files .stFileChip [role="alert"]::after {{ content: "{together}"; }}'
    )


def marked(words: Words | Sequence[Words]) -> str:
    """Words as HTML, escaped and bidi-isolated where they are marked."""
    if isinstance(words, str):
        return html.escape(words).replace(" %", "\u00a0%")  # a number stays with its unit
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
    "text": "<bdi>{}</bdi>",
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
    return st.container(border=True, key=f"card_{name}", height="stretch" if fill else "content")


def folded(label: str, name: str, opened: bool = False) -> ExpanderContainer:
    """What few need: a line that opens it. Draw into it only while its `open` is true; `opened`: from the start."""
    return st.expander(
        label, expanded=opened, key=f"fold_{name}_{opened:d}", type="compact", on_change="rerun"
    )


def title(words: Words | Sequence[Words], subtitle: Words | Sequence[Words] = "") -> None:
    """A card's title sentence and the line below it."""
    # In a row, the words take what room the controls beside them leave.
    below = f'<p class="atlas-subtitle">{marked(subtitle)}</p>' if subtitle else ""
    st.html(f'<h3 class="atlas-title">{marked(words)}</h3>{below}', width="stretch")


def asking(words: Words | Sequence[Words], subtitle: Words | Sequence[Words] = "") -> DeltaGenerator:
    """The title of a card that computes only when asked to, in a row with the button that is put into what is returned."""
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        title(words, subtitle)
    return row


def readout(words: Words | Sequence[Words], facts: Iterable[Fact] = ()) -> None:
    """What the view says, in words, with the facts that were checked on it."""
    trust = "".join(f"&ensp;<span>{html.escape(str(fact))}</span>" for fact in facts)
    st.html(f'<p class="atlas-readout">{marked(words)}{trust}</p>')


def quiet(words: Words | Sequence[Words], width: Literal["stretch", "content"] = "stretch") -> None:
    """A line that does not ask for attention."""
    st.html(f'<p class="atlas-quiet">{marked(words)}</p>', width=width)


def lines(sentences: Iterable[str]) -> None:
    """Quiet lines as one element; what a closed popover holds is sent with every run."""
    listed = "".join(f'<p class="atlas-quiet">{marked(each)}</p>' for each in sentences)
    st.html(f'<div class="atlas-lines">{listed}</div>')


def notice(sentence: str) -> None:
    """A line of its own above the page."""
    st.html(f'<p class="atlas-notice" role="status">{html.escape(sentence)}</p>')


def note(words: Words | Sequence[Words]) -> None:
    """A quiet line that never takes a second one by itself: what does not fit is read by pressing it."""
    st.html(f'<details class="atlas-note"><summary class="atlas-quiet">{marked(words)}</summary></details>')


def mistake(sentence: str) -> None:
    """One sentence about something that could not be used, in place."""
    st.html(f'<p class="atlas-mistake" role="alert">{html.escape(screen_text.sentence(sentence))}</p>')


def warning(sentence: str) -> None:
    """One sentence about something that was done and looks wrong."""
    st.html(f'<p class="atlas-warning" role="status">{html.escape(sentence)}</p>')


def explain(
    what: str, why: str, more: str = "", name: str = "more", keys: Mapping[str, str] | None = None
) -> DeltaGenerator:
    """What am I looking at, why it matters, and behind "more" the formula (Markdown with LaTeX).

    `keys`: what the keyboard does here; cards.css hides them where there is none. Returns the row, for a page that has
    something to put beside it.
    """
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
    return f"| {tr('keyboard')} | |\n|---|---|\n" + "".join(
        f"| {_key_name(key)} | {what} |\n" for key, what in keys.items()
    )


def _key_name(key: str) -> str:
    """Keys by the names on the reader's keyboard, as `keyName` in ui/web/base/controls.ts."""
    names = {"Enter": tr("Enter"), "Esc": tr("Esc"), "Space": tr("Space"), "Shift": tr("Shift")}
    return re.sub(r"\w+", lambda each: names.get(each[0], each[0]), key)


def choice(label: str, words: Mapping[str, str], bound: Mapping[str, Any]) -> None:
    """Words side by side, of which one is chosen; `bound` ties them to the selection (`state.bind`)."""
    st.pills(
        label,
        list(words),
        format_func=words.__getitem__,
        required=True,
        label_visibility="collapsed",
        **bound,
    )


def listing(
    label: str,
    names: Mapping[Any, str],
    bound: Mapping[str, Any],
    width: int | Literal["stretch"] = "stretch",
    placeholder: str | None = None,
) -> None:
    """A drop-down list; `names` are the labels by value, `bound` ties it to the selection (`state.bind`)."""
    names = dict(zip(names, distinct(list(names.values())), strict=True))
    st.selectbox(
        label,
        list(names),
        format_func=names.__getitem__,
        label_visibility="collapsed",
        width=width,
        placeholder=placeholder,
        **bound,
    )


def loading(shown: CheckpointView, words: str = "") -> AbstractContextManager[None]:
    """A spinner while the model is not loaded, with `words` in place of “Loading the model …”."""
    if shown.is_loaded:
        return nullcontext()
    return st.spinner(words or tr("Loading the model …"), show_time=False)


def style(module: str, *sheets: str) -> None:
    """Add style sheets that lie beside `module` (a `__file__`) to the page."""
    texts = (Path(module).with_name(name).read_text("utf-8") for name in sheets)
    st.html(f"<style>{''.join(texts)}</style>")


def kind_of(view: str) -> Kind:
    """The attention kind whose colour a view has."""
    return view if view in ("encoder", "causal") else "cross"  # type: ignore[return-value]


def status(words: str) -> None:
    """A coloured dot and what it stands for."""
    st.html(
        f'<p class="atlas-quiet"><i class="atlas-status-dot"></i>{html.escape(words)}</p>', width="content"
    )


def pick(field: str, value: int, places: Iterable[int], one: str, every: str = "") -> None:
    """A list of layers or heads; `every` names all of them together, where that can be chosen."""
    names = {MEAN: every} if every else {}
    names |= {index: one.format(index) for index in places}
    width = max(118, 46 + 7 * len(every))  # room for its words in every language
    listing(tr(field), names, state.bind(field, shown=value), pick_width(state.selection(), width))


def pick_width(selection: Selection, pixels: int = 118) -> int:
    """How wide a short list is, in CSS pixels; presenter size needs more."""
    return round(pixels * (PRESENTER_SCALE if selection.presenter else 1))


_UNSEEN: Final = "\u2060"  # a word joiner
_PILLS = 32  # on one side; more would fill the screen


def token_picker(sides: Sequence[tuple[str, Sequence[str]]], chosen: str) -> None:
    """Picker of the selected token. `sides` are ("s" or "t", labels); `chosen` is the current token, such as "s3"."""
    options = [f"{side}{index}" for side, labels in sides for index in range(len(labels))]
    names = {f"{side}{index}": label for side, labels in sides for index, label in enumerate(labels)}
    if all(len(labels) <= _PILLS for _, labels in sides):
        for side, labels in sides:
            _pills(side, [f"{side}{index}" for index in range(len(labels))], names, chosen)
        return
    sources = {"s": tr("source"), "t": tr("target")}
    listed = {option: f"{isolated(names[option])}  ({sources[option[0]]} {option[1:]})" for option in options}
    listing(tr("token"), listed, state.bind("token", shown=chosen))


def _pills(side: str, options: list[str], names: dict[str, str], chosen: str) -> None:
    def take(picked: str | None) -> None:
        if picked:
            state.update(token=picked)

    label = tr("source") if side == "s" else tr("target")
    shown = distinct([screen_text.label(names[option]) for option in options])
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="top", gap="small", key=f"tokens_{side}"
    ):
        st.html(f'<p class="atlas-quiet atlas-side">{label}</p>', width=46)
        st.pills(
            label,
            options,
            format_func=lambda option: shown[options.index(option)],
            label_visibility="collapsed",
            wrap=True,
            width="stretch",
            **state.hold(f"token_{side}", chosen if chosen in options else None, take),
        )


def distinct(labels: Sequence[str]) -> list[str]:
    """Labels of which no two are alike: the browser tells which was pressed by its label. What is added cannot be seen."""
    seen = Counter[str]()
    apart = []
    for label in labels:
        apart.append(label + _UNSEEN * seen[label])
        seen[label] += 1
    return apart


def table(
    rows: Iterable[Sequence[str]],
    head: Sequence[str] = (),
    loud: Iterable[int] = (),
    name: str = "facts",
    tips: Mapping[str, str] | None = None,
) -> None:
    """Rows of words; those numbered in `loud` are emphasised. `name`: facts, scores or pairs (its CSS class).

    `tips`: what a word of `head` means, shown while the pointer is there.
    """
    st.html(table_html(rows, head, loud, name, tips))


def table_html(
    rows: Iterable[Sequence[str]],
    head: Sequence[str] = (),
    loud: Iterable[int] = (),
    name: str = "facts",
    tips: Mapping[str, str] | None = None,
) -> str:
    """The same as HTML."""
    emphasised, tips = set(loud), tips or {}
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
    rows = ((tr("reads"), source), (tr("writes"), written or "…"))
    body = "".join(f'<dt>{name}</dt><dd dir="auto">{html.escape(words)}</dd>' for name, words in rows)
    st.html(f'<dl class="atlas-pair">{body}</dl>')


def grid(facts: Iterable[tuple[str, str, str, str]]) -> None:
    """(name, value, kind, note) as many beside each other as fit: `kind` is read, assumed or told; read ones have no note."""
    cells = [
        f'<div class="{kind}"><dt>{html.escape(name)}'
        + (f"<small>{html.escape(note)}</small>" if kind != "read" else "")
        + f'</dt><dd dir="auto">{html.escape(value)}</dd></div>'
        for name, value, kind, note in facts
    ]
    st.html(f'<dl class="atlas-grid">{"".join(cells)}</dl>')


def difference(parts: Iterable[tuple[str, str]]) -> None:
    """Runs of words, each "same", "missing" (expected and not written) or "extra" (written and not expected)."""
    tags = {"same": "span", "missing": "del", "extra": "ins"}
    words = " ".join(
        f'<{tags[kind]} dir="auto">{html.escape(text)}</{tags[kind]}>' for kind, text in parts if text
    )
    key = tr(
        "{expected} and not written, {written} and not expected",
        expected=f"<del>{tr('expected')}</del>",
        written=f"<ins>{tr('written')}</ins>",
    )
    st.html(f'<p class="atlas-difference">{words}</p><p class="atlas-quiet">{key}</p>')


def stacks(kinds: Iterable[tuple[str, str, int, int]], largest: int = 11) -> None:
    """(kind, its words, layers, heads): one square a head in the kind's colour, a row of them a layer.

    `largest`: pixels from one square to the next, less where there are many.
    """
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


def legend(parts: Iterable[tuple[str, str, str, float]]) -> None:
    """(kind, words, number, fraction) of each part of a whole, a line each with the colour of its kind."""
    listed = list(parts)
    words = "".join(
        f'<li class="{html.escape(kind)}"><span>{html.escape(name)}</span><b>{html.escape(number)}</b>'
        f"<em>{percent} %</em></li>"
        for (kind, name, number, _), percent in zip(
            listed, whole_percents([each[3] for each in listed]), strict=True
        )
    )
    st.html(f'<div class="atlas-legend"><ul>{words}</ul></div>')


def question(name: str, text: str) -> None:
    """An option's name and what is asked about it."""
    st.html(f'<p class="atlas-question"><code>{html.escape(name)}</code>{html.escape(text)}</p>')


def _breakable(words: str) -> str:
    """Long dotted names may break after a dot, rather than anywhere; a shape in brackets does not break at all."""
    words = re.sub(r"\(\w+(?:, \w+)+\)", r'<span class="atlas-whole">\g<0></span>', words)
    return re.sub(r"(?<=\w)\.(?=[A-Za-z])", ".<wbr>", words)


def ticks(checks: Iterable[tuple[bool, str, str]]) -> None:
    """(holds, sentence, number) as a quiet list."""
    items = [
        f'<li class="{"held" if holds else "failed"}"><i>{"✓" if holds else "✗"}</i>'
        f"<span>{html.escape(sentence)}</span><b>{html.escape(number)}</b></li>"
        for holds, sentence, number in checks
    ]
    st.html(f'<ul class="atlas-ticks">{"".join(items)}</ul>')


_LONG: Final = 90  # characters of a translation that is written smaller


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
        ("before", tr("Before"), _line(change.before, "del") or "–"),
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
