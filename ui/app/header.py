"""The line at the top of pages about one decode: the sentence, its translation, and the pinned pair."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from core.analysis.maps import word_groups
from core.language import tr
from ui.session import state
from ui.shared import cards
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.shared.entry import Entry
from ui.shared.pinned import PinnedPair, pinned_pair
from ui.style import screen_text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def header(shown: CheckpointView, ready: DecodeView | None) -> DeltaGenerator:
    """The sentence → its translation, with the pinned words underlined, and the pill that names the pin.

    Returns the slot of the sentence: while the model is loading (`ready` None) its translation is not there yet.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="header"):
        if ready is None:
            return sentence(shown.text, "")
        decode, pair = ready.decode, pinned_pair(ready.decode, ready.selection)
        words = _underlined(decode, shown.entry, pair) if pair else (decode.source_text, decode.text)
        line = sentence(*words)
        if pair:
            with st.container(key=f"pin_{pair.pin.kind}", width="content"):
                label = tr("Pinned: {pair}", pair=f"**{screen_text.label(pair.short)}**")
                hint = tr("Unpin {pair}", pair=screen_text.label(pair.long))
                st.button(f"{label} ✕", on_click=state.unpin, key="unpin", help=hint)
        return line


def sentence(
    source: cards.Words | list[cards.Words], translation: cards.Words | list[cards.Words]
) -> DeltaGenerator:
    """Source → translation, the same words as everywhere; an empty translation is not there yet. Returns its slot."""
    words: list[cards.Words] = [(source, "text") if isinstance(source, str) else source]  # type: ignore[list-item]
    words += [("→", "i"), (translation or "…", "text") if isinstance(translation, str) else translation]  # type: ignore[list-item]
    plain = html.escape(
        f"{_plain(source)} → {_plain(translation) or '…'}"
    )  # three lines of a long one are shown
    return st.html(f'<p class="atlas-sentence" title="{plain}">{cards.marked(words)}</p>', width="stretch")


def _plain(words: object) -> str:
    if isinstance(words, str):
        return words
    if isinstance(words, tuple):
        return str(words[0])
    return "".join(map(_plain, words)) if isinstance(words, list) else ""


def _underlined(
    decode: Decode, entry: Entry, pair: PinnedPair
) -> tuple[list[cards.Words], list[cards.Words]]:
    """Source and translation with the pinned words marked."""
    pin = pair.pin
    in_source = {"encoder": (pin.query, pin.key), "causal": (), "cross": (pin.key,)}[pin.kind]
    in_target = {"encoder": (), "causal": (pin.query, pin.key - 1), "cross": (pin.query,)}[pin.kind]
    source, target = entry.tokenizers
    trace = decode.trace
    before = _marked(
        decode.source_text, _words(source, trace.source_ids, decode.source_words), in_source, pin.kind
    )
    after = _marked(decode.text, _words(target, trace.written_ids, decode.written_words), in_target, pin.kind)
    return before, after


def _words(tokenizer: object, ids: Sequence[int], words: Sequence[int]) -> list[tuple[str, range]]:
    """The words of a text with their tokens' positions."""
    groups = word_groups(words)
    joined = tokenizer.joined  # type: ignore[attr-defined]
    return [
        (
            joined([ids[n] for n in group]).strip() if words[group[0]] >= 0 else "",
            range(group[0], group[-1] + 1),
        )
        for group in groups
    ]


def _marked(
    text: str, words: Sequence[tuple[str, range]], positions: Sequence[int], kind: str
) -> list[cards.Words]:
    """The text cut into plain and marked pieces; a word that is not in it as it was read is left unmarked."""
    pieces: list[cards.Words] = []
    at = done = 0
    for word, tokens in words:
        begin = text.find(word, at) if word else -1
        if begin < 0:
            continue
        at = begin + len(word)
        if any(position in tokens for position in positions):
            pieces += [(text[done:begin], "text"), (word, f"pinned {kind}")]
            done = at
    return [*pieces, (text[done:], "text")]
