"""The edits a reader can make: switching heads, masks, positions; and undoing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from core.errors import AtlasError
from core.experiments.edits import (
    PADDING,
    Edits,
    HeadsStep,
    HideSource,
    NoCausalMask,
    OpenPadding,
    ShufflePositions,
    Side,
    Step,
    SwapPositions,
)
from ui.session import state
from ui.shared import cards, what_if
from ui.shared.context import CheckpointView, DecodeView
from ui.style import screen_text
from ui.style.theme import Kind

_PILLS: Final = 40  # words that are offered as pills; more would fill the screen


def put(edits: Edits) -> None:
    """Make these the edits in force."""
    state.update(edits=edits)


def attempt(make: Callable[[Edits], Edits]) -> None:
    """Make of the edits in force what `make` says; where that cannot be, its one sentence is told in place."""
    try:
        put(make(state.selection().edits))
    except AtlasError as error:
        st.toast(str(error))


def then(step: Step) -> None:
    """One more step; one that is too many is told in place."""
    attempt(lambda edits: edits.then(step))


def row(shown: DecodeView, kind: Kind, shape: tuple[int, int]) -> None:
    """The controls above the wall."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what_if_options"):
        cards.quiet("a chosen head gets", width="content")
        cards.choice("off", what_if.HOWS, state.bind("off"))
        _whole_kind(shown, kind, shape)
        with st.popover("mask"):
            _mask(shown)
        with st.popover("positions"):
            _positions(shown)


def _whole_kind(shown: CheckpointView, kind: Kind, shape: tuple[int, int]) -> None:
    edits, total = shown.selection.edits, shape[0] * shape[1]
    off = what_if.off_heads(edits, kind, shape)
    if all(each is not None for line in off for each in line):
        words, new = f"all {total} heads on", what_if.reconciled(edits, kind, frozenset(), "zero", shape)
        st.button(words, on_click=put, args=(new,), key="whole_kind")
    else:
        step = HeadsStep(kind, None, None, shown.selection.off)
        st.button(f"all {total} heads off", on_click=then, args=(step,), key="whole_kind")


def _mask(shown: DecodeView) -> None:
    edits, labels = shown.selection.edits, shown.decode.trace.tokens.source

    def causal(on: bool) -> None:
        attempt(lambda now: now.without(NoCausalMask()) if on else now.then(NoCausalMask()))

    st.toggle("causal mask in the decoder", **state.hold("causal_mask", not edits.opens_future, causal))
    cards.quiet(
        "Without it, each row also sees the words after it: the scores below are then those of a model that reads its answer."
    )

    def hide(chosen: Any) -> None:
        def hiding(new: Edits) -> Edits:
            for token in sorted(new.hidden ^ set(chosen)):
                new = new.then(HideSource(token)) if token in chosen else new.without(HideSource(token))
            return new

        attempt(hiding)

    bound = state.hold("hidden_words", sorted(p for p in edits.hidden if p < len(labels)), hide)
    label, places = "hide source words from all others", list(range(len(labels)))
    if len(labels) <= _PILLS:
        st.pills(label, places, selection_mode="multi", format_func=labels.__getitem__, **bound)
    else:
        st.multiselect(label, places, format_func=labels.__getitem__, **bound)

    def pad(count: int) -> None:
        def padded(now: Edits) -> Edits:
            new = Edits(tuple(step for step in now.steps if not isinstance(step, OpenPadding)))
            return new.then(OpenPadding(int(count))) if count else new

        attempt(padded)

    st.number_input(
        "padding tokens that the mask should hide, and does not",
        0,
        PADDING,
        step=1,
        **state.hold("open_padding", edits.padding, pad),
    )


def _positions(shown: DecodeView) -> None:
    if shown.entry.config.positions in ("none", "relative_buckets"):
        cards.quiet("This model adds no positions to its embeddings, so there are none to swap.")
        return
    edits, tokens = shown.selection.edits, shown.decode.trace.tokens
    side = st.segmented_control(
        "whose positions",
        list(_SIDES),
        format_func=_SIDES.__getitem__,
        default="source",
        required=True,
        label_visibility="collapsed",
        key="swap_side",
    )
    labels = tokens.target if side == "target" else tokens.source
    places = list(range(len(labels)))
    with st.form(f"swap_{side}", border=False):

        def named(token: int) -> str:
            return f"{token}  {labels[token]}"

        first = st.selectbox("give this token", places, format_func=named, key=f"swap_first_{side}")
        second = st.selectbox(
            "the position of this one", places, format_func=named, key=f"swap_second_{side}"
        )
        if st.form_submit_button("swap their positions"):
            if first == second:
                cards.mistake("Choose two different tokens.")
            else:
                then(SwapPositions(side, int(first), int(second)))
                st.rerun(scope="fragment")
    drawn = [step.seed for step in edits.steps if isinstance(step, ShufflePositions) and step.side == side]
    step = ShufflePositions(drawn[-1] + 1 if drawn else 1, len(labels) if side == "target" else 0)
    if len(labels) > 1:
        st.button(f"shuffle all {side} positions", on_click=then, args=(step,), key=f"shuffle_{side}")
    if side == "target":
        cards.quiet(
            "These are the tokens that the decoder reads: the start token and the words written before."
        )


_SIDES: Final[dict[Side, str]] = {"source": "source", "target": "what the decoder reads"}


def made(shown: DecodeView) -> None:
    """Every edit made, each with a button to remove it, and undo."""
    edits = shown.selection.edits
    if not edits:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="what_if_steps"):
        st.button("undo", on_click=put, args=(edits.undone(),), key="undo_step")
        if len(edits.steps) > 1:
            st.button("undo all", on_click=put, args=(Edits(),), key="undo_all")
        for number, step in enumerate(edits.steps[-_LISTED:]):
            st.button(
                f"{screen_text.label(what_if.step_words(step, shown.decode))} ✕",
                type="tertiary",
                on_click=put,
                args=(edits.without(step),),
                key=f"step_{number}",
            )
        if len(edits.steps) > _LISTED:
            cards.quiet(f"and {len(edits.steps) - _LISTED} before", width="content")


_LISTED: Final = 12
