"""What all pages share: checkpoint, selection and decode; the header; messages while a visitor waits; a card as a slide."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.analysis.maps import word_groups
from core.analysis.readout import how_many
from core.errors import AtlasError
from core.language import tr
from ui.session import codec, state
from ui.session.selection import SLIDE_NAME, Selection
from ui.session.state import refusal
from ui.shared import cards, checkpoints, models
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView, DecodeView, read_text
from ui.shared.decode import Decode, Pinned, pinned, with_pin
from ui.shared.mount import View, mount
from ui.style import screen_text, theme

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


_STEADY_S: Final = 1.5
"""Seconds that a number stands, so that it can be read."""


def words(others: int) -> str:
    """“waiting for 3 others …”."""
    return tr("waiting for {others} …", others=how_many(others, "other"))


@contextmanager
def loading(name: str, text: str, waits: bool, slot: DeltaGenerator | None = None) -> Iterator[None]:
    """Show an empty page frame with the sentence while a checkpoint is loading (`waits`).

    A `slot` from the caller stays until the browser has drawn its replacement. Otherwise a slot is always created, even
    without a wait: if the following elements moved up by one, Streamlit would draw them again.
    """
    own = slot is None
    slot = slot or st.empty()
    if waits:
        words = f'<p class="atlas-title"><bdi>{html.escape(text)}</bdi></p>'
        named = tr("loading {name} …", name=f"<bdi>{html.escape(name)}</bdi>")
        subtitle = f'<p class="atlas-subtitle">{named}</p>'
        kind = "atlas-loading" if own else "atlas-loading stays"
        slot.html(
            f'<div class="{kind}" role="status"><div>{words}{subtitle}</div><div></div><div></div></div>'
        )
    try:
        yield
    except BaseException:
        slot.empty()
        raise
    if waits and own:
        slot.empty()


@contextmanager
def notice(clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[int], None]]:
    """Opens for one wait; what it gives takes the number of others, and ends the run where the visitor has gone on."""
    shown, since = 0, -_STEADY_S
    with ExitStack() as drawn:

        def tell(others: int) -> None:
            nonlocal shown, since
            state.give_way()
            if others == shown or (shown and others and clock() - since < _STEADY_S):
                return
            drawn.close()
            if others:
                # By the emphasis the page's styles know it: it lies over the page and moves nothing.
                drawn.enter_context(st.spinner(f"*{words(others)}*", show_time=False))
            shown, since = others, clock()

        yield tell


NO_ROOM: Final = "The GPU has no memory left for this model: for ten minutes it runs on the CPU, slower and with the same results."
models.announce_waiting(notice)


def in_force() -> CheckpointView | None:
    """The checkpoint and selection in force, one object for the whole run; None where no checkpoint can be used."""
    return _in_force()[0]


def _in_force() -> tuple[CheckpointView | None, str]:
    """The view, and one sentence where it is another checkpoint's than the link names, or why there is none."""
    selection, device = state.selection(), state.device()

    def view() -> tuple[CheckpointView | None, str]:
        try:
            entry, sentence = checkpoints.find(selection.checkpoint)
        except AtlasError as error:
            return None, str(error)
        return CheckpointView(entry, selection, device), sentence

    return state.once_a_run(("view", selection, device), view)


def current() -> CheckpointView | None:
    """The checkpoint and selection in force, or None after saying in one sentence why there is none."""
    if PagesManager.uses_pages_directory:
        # The first visit of a fresh server went straight to a file of pages/, past app.py, which Streamlit allows
        # until `st.navigation` is called for the first time. Start again at the first page.
        PagesManager.uses_pages_directory = False
        st.rerun()
    shown, sentence = _in_force()
    if shown is None:
        cards.mistake(sentence)
        return None
    models.preload(shown.entry, shown.device)
    if notice := sentence or state.notice():
        cards.notice(notice)
    _say_if_crowded(shown)
    return shown


def _say_if_crowded(shown: CheckpointView) -> None:
    """Say once a run that a GPU is full."""
    if models.crowded(shown.entry):
        state.once_a_run("no room", lambda: cards.notice(NO_ROOM))


def decoded(shown: CheckpointView, say: bool = True, slot: DeltaGenerator | None = None) -> DecodeView | None:
    """The view with the decode to draw; the example if the selection cannot be decoded. `say` shows the error in one sentence.

    The loading frame goes into `slot`, which the caller empties; without one, into a new slot here.
    """
    for asked in (shown, _example(shown)):
        try:
            with loading(shown.entry.name, asked.text, waits=_waits(asked), slot=slot):
                ready = asked.decoded
            if say:
                _say_if_crowded(shown)  # `current` may have checked before the GPU was full
            return replace(ready, selection=with_pin(shown.selection, ready.decode))
        except AtlasError as error:
            if say:
                cards.mistake(str(error))
    return None


def _example(shown: CheckpointView) -> CheckpointView:
    example = Selection(checkpoint=shown.selection.checkpoint)
    return CheckpointView(shown.entry, example, shown.device)


def _waits(shown: CheckpointView) -> bool:
    """Whether the model has to be loaded first."""
    return not shown.is_loaded and shown.stored_example is None


def with_decode(draw: Callable[[DecodeView], None]) -> None:
    """Draw a page from the selection and decode in force; where there is none, a sentence says why."""
    shown = current()
    view = decoded(shown) if shown else None
    if view:
        draw(view)


def without_waiting(shown: CheckpointView) -> DecodeView | None:
    """The view with the decode in force, None while its model is loading."""
    for asked in (shown, _example(shown)):
        if _waits(asked):
            return None
        with suppress(AtlasError):
            ready = asked.decoded
            return replace(ready, selection=with_pin(shown.selection, ready.decode))
    return None


def source_tokens(shown: CheckpointView) -> int | None:
    """How many tokens the sentence in force has, which its tokenizer tells without the model; None where it is not read."""
    try:
        return len(read_text(shown.entry, shown.text).ids)
    except AtlasError:
        return None


def inject_styles() -> None:
    """The page's styles; call before anything is drawn."""
    theme.inject_shell(presenter=state.selection().enlarged, more=cards.css())


Boxes = tuple[tuple[float, ...], float]
"""Cards beside each other: their widths as shares, and their height in rem."""
_TWO: Final[Boxes] = ((1.32, 1), 36)
_CARDS: Final[dict[str, tuple[Boxes, ...]]] = {
    "translate": (((1,), 3.2), ((0.7, 0.3), 2.4), ((1,), 31), ((0.62, 1), 25)),
    "attention": (_TWO,),
    "compare": (((1,), 33),),
    "heads": (((1.6, 1), 36),),
    "importance": (((1,), 20), ((1, 1), 24)),
    "alignment": (((1,), 28), ((1.25, 1), 20)),
    "what_if": (((1,), 10.5), ((0.46, 0.54), 30)),
    "why": (((1,), 14), ((1, 1), 28)),
    "carry": (((1,), 10), ((1,), 20), ((1,), 12)),
    "inside": (((1,), 46),),
    "positions": (((1,), 19.8), ((1.25, 1), 34)),
    "lessons": (((1, 1, 1), 14), ((1, 1, 1), 14), ((1, 1, 1), 14)),
    "checkpoints": (((1, 1, 1), 29), ((2, 1), 9)),
    "inspect": (((1,), 29), ((1, 1.25), 36)),
}
_ONE: Final[tuple[Boxes, ...]] = (((1,), 36),)


_NO_CONTROLS: Final = ("translate", "positions", "checkpoints", "inspect", "lessons", "tutorials", "learning")
"""Pages whose cards begin at once."""
_LOW: Final = 5
"""Rem below which a box stands for something else than a card."""


def skeleton(page: str, below: Literal["sentence", "tabs", "strip"], strip: bool = True) -> None:
    """Quiet boxes where the page's cards will be, seen while the page has no room for them yet (ui/app/slide.ts).

    `below`: what the top of the page ends with, or has besides: a sentence (and tabs), tabs alone, the strip alone;
    `strip`: whether the strip is there.
    """
    boxes = "".join(
        f'<div style="grid-template-columns:{" ".join(f"minmax(0,{width}fr)" for width in widths)};--tall:{height}rem">'
        f"{('<p><b></b><i></i></p>' if height > _LOW else '<p></p>') * len(widths)}</div>"
        for widths, height in _CARDS.get(page, _ONE)
    )
    kind = ("" if page in _NO_CONTROLS else " controls") + ("" if strip else " no-strip")
    st.html(f'<div class="atlas-skeleton {below}{kind}" aria-hidden="true">{boxes}</div>')


def header(shown: CheckpointView, ready: DecodeView | None) -> Callable[[DecodeView], None] | None:
    """The sentence → its translation, with the pinned words underlined, and the pill that names the pin.

    Returns what fills in the translation and the pin: while the model is loading (`ready` None) they are not there yet.
    """
    box = st.container(horizontal=True, vertical_alignment="center", gap="medium", key="header")

    def fill(ready: DecodeView, line: DeltaGenerator = box) -> None:
        decode, held = ready.decode, pinned(ready.decode, ready.selection)
        with line:
            sentence(
                *(_underlined(decode, shown.entry, held) if held else ([decode.source_text], [decode.text]))
            )
        if held:
            with box, st.container(key=f"pin_{held.kind}", width="content"):
                label = tr("Pinned: {pair}", pair=f"**{screen_text.label(held.short)}**")
                hint = tr("Unpin {pair}", pair=screen_text.label(held.long))
                st.button(f"{label} ✕", on_click=state.unpin, key="unpin", help=hint)

    if ready is not None:
        fill(ready)
        return None
    with box:
        return partial(fill, line=sentence([shown.text], []))


Piece = str | tuple[str, str]
"""A piece of a text as it is, or a pinned word with the kind of attention that it is pinned for."""


def sentence(source: Sequence[Piece], translation: Sequence[Piece]) -> DeltaGenerator:
    """Source → translation, the same words as everywhere; an empty translation is not there yet. Returns its slot."""
    translation = translation if _plain(translation) else ["…"]
    plain = html.escape(f"{_plain(source)} → {_plain(translation)}")  # three lines of a long one are shown
    sides = f"{_side(source)} <i>→</i> {_side(translation)}"
    return st.html(f'<p class="atlas-sentence" title="{plain}">{sides}</p>', width="stretch")


def _side(pieces: Sequence[Piece]) -> str:
    """A text in its own direction: one isolate, which its pinned words do not cut, or a right-to-left text would turn round."""
    made = (
        html.escape(piece)
        if isinstance(piece, str)
        else f'<u class="atlas-pinned atlas-{piece[1]}">{html.escape(piece[0])}</u>'
        for piece in pieces
    )
    return f"<bdi>{''.join(made)}</bdi>"


def _plain(pieces: Sequence[Piece]) -> str:
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)


def _underlined(decode: Decode, entry: Entry, held: Pinned) -> tuple[list[Piece], list[Piece]]:
    """Source and translation with the pinned words marked."""
    queries, keys, kind = held.queries, held.keys, held.kind
    in_source = {"encoder": (*queries, *keys), "causal": (), "cross": keys}[kind]
    read = tuple(key - 1 for key in keys)  # the decoder's input is shifted by the start token
    in_target = {"encoder": (), "causal": (*queries, *read), "cross": queries}[kind]
    source, target = entry.tokenizers
    trace = decode.trace
    before = _marked(
        decode.source_text, _words(source, trace.source_ids, decode.source_words), in_source, kind
    )
    after = _marked(decode.text, _words(target, trace.written_ids, decode.written_words), in_target, kind)
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
) -> list[Piece]:
    """The text cut into plain and marked pieces; a word that is not in it as it was read is left unmarked."""
    pieces: list[Piece] = []
    at = done = 0
    for word, tokens in words:
        begin = text.find(word, at) if word else -1
        if begin < 0:
            continue
        at = begin + len(word)
        if any(position in tokens for position in positions):
            pieces += [text[done:begin], (word, kind)]
            done = at
    return [*pieces, text[done:]]


@dataclass(frozen=True)
class SlideData:
    """The card that is shown alone; empty: the whole page."""

    card: str


@dataclass(frozen=True)
class SlideChange:
    """The card that the reader shows alone, empty for the whole page; `missing`: there is no such card here."""

    card: str
    missing: bool = False


SLIDE = View("slide", SlideData, changed=SlideChange)


def slide(card: str) -> None:
    """Show this card as a slide, empty: the whole page. Call it on every run, so that F can ask for one."""
    if card:
        # The page is hidden before the browser has found the card.
        st.html('<i class="atlas-slide" hidden></i>')
    with st.container(key="slide"):
        mount(SLIDE, SlideData(card), key="slide_view", changed=_changed)


def _changed(change: SlideChange) -> None:
    """Keep the card in the link; a name that no card of the page has is refused like any other part of a link."""
    if change.missing:
        state.notice.set(refusal(("full",)))
    state.update(full="" if change.missing or not _is_name(change.card) else change.card)


def _is_name(card: str) -> bool:
    try:
        codec.matching(SLIDE_NAME).read(card)
    except ValueError:
        return False
    return True
